// From the friction problem whose De Saxcé shift lags: the convex problem  K_μ ∋ r ⊥ u + μ‖u_T‖_start n ∈ K_μ*,  with the sliding speeds of the start, solved roughly by its
// interior point (ConvexMethod); then the proximal Newton on the strict law (ProxAcMethod). It is the first step of the fixed point of Haslinger (1983) and of Cadoux (2009).
//
// Where most of a heap rests and a few bodies move as they did a step ago, nearly every shift is right: what is left to find is how the resting ones share the load, which
// an interior point finds without a start.
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

class LaggedShiftMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  ContactProblem shifted_;
  VelocitySystem relaxed_;
  VectorX u_;
  std::unique_ptr<VelocityMethod> convex_{makeConvexMethod()}, strict_{makeProxAcMethod()};
};

SolveReport LaggedShiftMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double rough = 1e-5;                           // [-] residual of the convex problem: its answer is a start
  constexpr int steps = 1500, patience = 500, brief = 30;  // of the proximal Newton
  shifted_ = system.problem();
  multiplyTransposed(shifted_.H, iterate.v, u_);
  u_ += shifted_.w;
  for (int i = 0; i < shifted_.contacts(); ++i) shifted_.w[3 * i] += shifted_.mu[i] * u_.segment<2>(3 * i + 1).norm();
  relaxed_.setTeam(system.team());
  if (!relaxed_.bind(shifted_)) return {SolveStatus::NumericalFailure, 0, 0, 0};
  SolveOptions roughly = options;
  roughly.warm = false;
  roughly.maxIterations = 0;
  roughly.tolerance = roughly.polish = rough;
  iterate.r.setZero(), iterate.lambda.setZero();
  const SolveReport relaxation = convex_->run(relaxed_, iterate, roughly);
  SolveOptions strictly = options;
  strictly.warm = true;
  if (options.maxIterations == 0) strictly.maxIterations = steps;
  strictly.patience = options.warm ? patience : brief;
  SolveReport report = strict_->run(system, iterate, strictly);
  report.iterations += relaxation.iterations;
  report.factorisations += relaxation.factorisations;
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeLaggedShiftMethod() { return std::make_unique<LaggedShiftMethod>(); }

}  // namespace stiction
