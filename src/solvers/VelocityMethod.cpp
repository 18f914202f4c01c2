#include "solvers/VelocityMethod.hpp"

#include "solvers/FrictionCone.hpp"

namespace stiction {

namespace {

void fit(VectorX& x, Eigen::Index size, bool warm) {
  if (!warm || x.size() != size || !x.allFinite()) x.setZero(size);
}

}  // namespace

void fitIterate(const ContactProblem& problem, Iterate& iterate, bool warm) {
  fit(iterate.r, 3 * problem.contacts(), warm);
  fit(iterate.lambda, problem.rows(), warm);
  fit(iterate.v, problem.dof(), warm);
}

void fitIterate(const LocalContactProblem& problem, Iterate& iterate, bool warm) { fit(iterate.r, 3 * problem.contacts(), warm); }

double BestIterate::offer(VelocitySystem& system, const VectorX& r, const VectorX& lambda) {
  const ContactProblem& problem = system.problem();
  trial_.r = r;
  trial_.lambda = lambda;
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vector3 ri = r.segment<3>(3 * i);
    trial_.r.segment<3>(3 * i) = law_ == Law::Box ? projectBoxWithDerivative(ri, axisInterval(problem, i, ri[0])).value : projectCone(ri, problem.mu[i]);
  }
  system.velocityFromImpulses(trial_.r, trial_.lambda, trial_.v);
  system.contactVelocity(trial_.v, trial_.r, u_);
  system.rowVelocity(trial_.v, trial_.lambda, rows_);
  const double e = system.residual(u_, trial_.r, rows_, law_);
  const bool isBest = e < residual_;
  if (isBest || residual_ == std::numeric_limits<double>::infinity()) best_ = trial_;
  if (isBest) residual_ = e;
  return e;
}

void BestIterate::conclude(const VelocitySystem& system, const SolveOptions& options, int limit, Iterate& iterate, SolveReport& report) const {
  if (residual_ < std::numeric_limits<double>::infinity()) iterate = best_;
  report.residual = residual_ / system.scale();
  report.status = report.residual <= options.tolerance ? SolveStatus::Converged
                  : report.iterations >= limit         ? SolveStatus::IterationLimit
                                                       : SolveStatus::Stalled;
}

SolveReport VelocitySolver::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  if (!system_.bind(problem)) return {SolveStatus::NumericalFailure, 0, 0, std::numeric_limits<double>::infinity()};
  fitIterate(problem, iterate, options.warm);
  system_.setDeadline(options.deadline);
  return method_->run(system_, iterate, options);
}

SolveReport VelocitySolver::solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  constexpr int maxCorrections = 30;
  factor_.build(problem, !method_->takesUnsymmetric());
  ContactProblem& global = factor_.global();
  system_.setDeadline(options.deadline);
  SolveReport total;
  SolveOptions inner = options;
  fitIterate(problem, iterate, options.warm);
  if (options.warm) factor_.correct(problem, iterate.r);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < maxCorrections; ++k) {
    if (!system_.bind(global, factor_.velocityColumns()))
      return {SolveStatus::NumericalFailure, total.iterations, total.factorisations, std::numeric_limits<double>::infinity()};
    fitIterate(global, iterate, inner.warm);
    const SolveReport report = method_->run(system_, iterate, inner);
    total.iterations += report.iterations;
    total.factorisations += report.factorisations;
    total.status = report.status;
    total.residual = report.residual;
    const double change = factor_.correct(problem, iterate.r) / system_.scale();
    total.residual = std::max(report.residual, change);
    if (change <= options.polish || (change > 0.9 * last && change <= options.tolerance) || change > 10 * last) break;
    last = change;
    inner.warm = true;
  }
  return total;
}

}  // namespace stiction
