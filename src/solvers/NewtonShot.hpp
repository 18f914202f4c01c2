// Newton on the strict law from answers that another method passes on its way: where one is near it ends in a few steps what would take the method many.
#pragma once
#include "solvers/VelocityMethod.hpp"

namespace stiction {

class NewtonShot {
 public:
  /// `near` [-]: residuals against the scale that are worth a try.
  explicit NewtonShot(double near) : near_{near} {}
  /// Before another way begins.
  void reset() { tried_ = std::numeric_limits<double>::infinity(); }
  /// A few steps from the answer that `best` was last offered, with that residual [m/s], where it is near, and much nearer than at the last try. Returns whether `best` passes then.
  bool hits(VelocitySystem& system, BestIterate& best, double residual, const SolveOptions& options, SolveReport& report);

 private:
  double near_;
  double tried_{std::numeric_limits<double>::infinity()};  // [m/s] residual of the last try
  Iterate trial_;
  std::unique_ptr<VelocityMethod> newton_{makeNewtonMethod()};
};

}  // namespace stiction
