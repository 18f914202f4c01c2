#include "solvers/LaggedShift.hpp"

#include <algorithm>
#include <limits>

namespace stiction {

void LaggedShift::findSliding(const ContactProblem& problem, const VectorX& v, VectorX& u, VectorX& sliding) {
  multiplyTransposed(problem.H, v, u);
  u += problem.w;
  sliding.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) sliding[i] = u.segment<2>(3 * i + 1).norm();
}

SolveReport LaggedShift::relax(const VelocitySystem& system, const VectorX& sliding, Iterate& iterate, const SolveOptions& options, double accuracy) {
  shifted_ = system.problem();
  for (int i = 0; i < shifted_.contacts(); ++i) shifted_.w[3 * i] += shifted_.mu[i] * sliding[i];
  relaxed_.setTeam(system.team());
  relaxed_.setDeadline(options.deadline);
  if (!relaxed_.bind(shifted_)) return {SolveStatus::NumericalFailure, 0, 0, 0};
  SolveOptions roughly = options;
  roughly.warm = false;
  roughly.maxIterations = roughly.patience = 0;
  roughly.tolerance = roughly.polish = accuracy;
  fitIterate(shifted_, iterate, false);
  return convex_->run(relaxed_, iterate, roughly);
}

namespace {

/// The shift of the start, then the proximal Newton on the strict law; from where that ends the next shift, and so on.
class LaggedShiftMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override {
    constexpr int rounds = 30, usualSteps = 300;
    constexpr double rough = 1e-5;  // [-] residual of the convex problem: its answer is a start
    const int stepsOfRound = options.patience > 0 ? options.patience : usualSteps;
    const int limit = options.maxIterations > 0 ? options.maxIterations : rounds * stepsOfRound;
    SolveOptions strictly = options;
    strictly.warm = true;
    strictly.patience = 0;
    SolveReport report;
    report.residual = std::numeric_limits<double>::infinity();
    best_ = iterate;
    for (int left = limit; left > 0 && report.status != SolveStatus::Converged; left -= strictly.maxIterations) {
      LaggedShift::findSliding(system.problem(), iterate.v, u_, sliding_);
      const SolveReport relaxation = shift_.relax(system, sliding_, iterate, options, rough);
      strictly.maxIterations = std::min(left, stepsOfRound);
      const SolveReport round = strict_->run(system, iterate, strictly);
      report.iterations += relaxation.iterations + round.iterations;
      report.factorisations += relaxation.factorisations + round.factorisations;
      if (!(round.residual < report.residual)) continue;
      report.status = round.status;
      report.residual = round.residual;
      best_ = iterate;
    }
    std::swap(iterate, best_);
    return report;
  }
  bool takesUnsymmetric() const override { return false; }

 private:
  LaggedShift shift_;
  VectorX u_, sliding_;
  Iterate best_;
  std::unique_ptr<VelocityMethod> strict_{makeProxAcMethod()};
};

}  // namespace

std::unique_ptr<VelocityMethod> makeLaggedShiftMethod() { return std::make_unique<LaggedShiftMethod>(); }

}  // namespace stiction
