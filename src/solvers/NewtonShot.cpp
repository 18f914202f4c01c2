#include "solvers/NewtonShot.hpp"

namespace stiction {

bool NewtonShot::hits(VelocitySystem& system, BestIterate& best, double residual, const SolveOptions& options, SolveReport& report) {
  constexpr double nearer = 0.3;  // [-] of the residual of the last try
  constexpr int steps = 12, patience = 3;
  if (residual > near_ * system.scale() || residual > nearer * tried_) return false;
  tried_ = residual;
  SolveOptions few = options;
  few.warm = true;
  few.maxIterations = steps;
  few.patience = patience;
  trial_ = best.last();
  const SolveReport shot = newton_->run(system, trial_, few);
  report.factorisations += shot.factorisations;
  report.iterations += shot.iterations;
  return best.offer(system, trial_.r, trial_.lambda) <= options.tolerance * system.scale();
}

}  // namespace stiction
