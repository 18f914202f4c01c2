#include "solvers/LaggedShift.hpp"

namespace stiction {

void LaggedShift::findSliding(const ContactProblem& problem, const VectorX& v, VectorX& sliding) {
  VectorX u;
  multiplyTransposed(problem.H, v, u);
  u += problem.w;
  sliding.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) sliding[i] = u.segment<2>(3 * i + 1).norm();
}

SolveReport LaggedShift::relax(const VelocitySystem& system, const VectorX& sliding, Iterate& iterate, const SolveOptions& options) {
  constexpr double rough = 1e-5;  // [-] residual of the convex problem: its answer is a start
  shifted_ = system.problem();
  for (int i = 0; i < shifted_.contacts(); ++i) shifted_.w[3 * i] += shifted_.mu[i] * sliding[i];
  relaxed_.setTeam(system.team());
  if (!relaxed_.bind(shifted_)) return {SolveStatus::NumericalFailure, 0, 0, 0};
  SolveOptions roughly = options;
  roughly.warm = false;
  roughly.maxIterations = 0;
  roughly.tolerance = roughly.polish = rough;
  fitIterate(shifted_, iterate, false);
  return convex_->run(relaxed_, iterate, roughly);
}

namespace {

/// The shift of the start, then the proximal Newton on the strict law.
class LaggedShiftMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override {
    LaggedShift::findSliding(system.problem(), iterate.v, sliding_);
    const SolveReport relaxation = shift_.relax(system, sliding_, iterate, options);
    SolveOptions strictly = options;
    strictly.warm = true;
    SolveReport report = strict_->run(system, iterate, strictly);
    report.iterations += relaxation.iterations;
    report.factorisations += relaxation.factorisations;
    return report;
  }
  bool takesUnsymmetric() const override { return false; }

 private:
  LaggedShift shift_;
  VectorX sliding_;
  std::unique_ptr<VelocityMethod> strict_{makeProxAcMethod()};
};

}  // namespace

std::unique_ptr<VelocityMethod> makeLaggedShiftMethod() { return std::make_unique<LaggedShiftMethod>(); }

}  // namespace stiction
