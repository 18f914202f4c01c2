// ConstraintSolver::solveWithContacts: without friction the exact LCP, with it the method chosen; either way the strict certificate of the answer.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "certify/Certificate.hpp"
#include "constraints/Arguments.hpp"
#include "constraints/ConstraintSolver.hpp"
#include "constraints/ContactSystem.hpp"
#include "portfolio/Portfolio.hpp"
#include "problem/Law.hpp"
#include "solvers/EcosSolver.hpp"
#include "solvers/Lcp.hpp"

namespace stiction {
namespace {

/// The law that a method's answers are judged by.
Law lawOf(const std::string& method) {
  const std::vector<SolverInfo> methods = portfolioInfos();
  const auto found = std::find_if(methods.begin(), methods.end(), [&method](const SolverInfo& info) { return method == info.name; });
  return found == methods.end() ? Law::Coulomb : found->law;
}

void requireCones(const char* function, const FrictionConeSpec& spec, int contacts) {
  if (spec.numContacts != contacts)
    refuseArgument(function, "numContacts", std::to_string(contacts), "the number of cones in coneSpec", "build the one from the other");
}

/// v = M⁻¹(f + H r), for the certificate.
void setVelocities(const ContactProblem& problem, Iterate& iterate) {
  iterate.v = problem.f;
  multiplyAdd(problem.H, iterate.r, iterate.v);
  for (int k = 0; k < problem.M.blocks(); ++k) {
    const int size = problem.M.size(k), row = problem.M.start[static_cast<std::size_t>(k)];
    const Eigen::Map<const MatrixX> block{&problem.M.values[static_cast<std::size_t>(problem.M.offset[static_cast<std::size_t>(k)])], size, size};
    const VectorX v = block.llt().solve(iterate.v.segment(row, size));
    iterate.v.segment(row, size) = v;
  }
}

}  // namespace

void ConstraintSolver::setFrictionMethod(const std::string& name) {
  Portfolio{name};  // refuses unknown names, and ECOS where it is missing
  friction_method_ = name;
}

void ConstraintSolver::setTolerance(double tolerance) {
  tolerance_ = requireBetween("ConstraintSolver", "tolerance", tolerance, 1e-15, 0.1, "1e-8 is the usual");
}

void ConstraintSolver::setMaxIterations(int maxIterations) { max_iterations_ = requireLimit("ConstraintSolver", "maxIterations", maxIterations); }

void ConstraintSolver::setECOSTolerance(double abs_tol, double rel_tol) {
  constexpr double least = 1e-16, most = 1.0;
  ecos_abs_tol_ = requireBetween("ConstraintSolver", "abs_tol", abs_tol, least, most, "1e-6 is the usual");
  ecos_rel_tol_ = requireBetween("ConstraintSolver", "rel_tol", rel_tol, least, most, "1e-6 is the usual");
}

void ConstraintSolver::setECOSMaxIterations(int max_iters) {
  if (max_iters < 1) refuseArgument("ConstraintSolver", "max_iters", std::to_string(max_iters), "at least 1", "100 is the usual");
  ecos_max_iters_ = max_iters;
}

bool ConstraintSolver::throwsOnECOSFailure() {
#ifdef STICTION_ECOS_THROWS
  return true;
#else
  return false;
#endif
}

ConstraintSolver::ActiveSetResult ConstraintSolver::solveWithECOS(const MatrixX& A, const VectorX& b, const FrictionConeSpec& coneSpec, int numContacts) const {
  requireCones("solveWithECOS", coneSpec, numContacts);
  ECOSProblem problem = buildFrictionProblem(A, b, coneSpec);
  const ECOSAnswer answer = solveECOSProblem(problem, ecos_abs_tol_, ecos_rel_tol_, ecos_max_iters_);
  return {answer.lambda, answer.exit_flag == 0, answer.iterations, answer.exit_flag, answer.primal_residual, answer.dual_residual, answer.gap};
}

ECOSData ConstraintSolver::buildECOSProblem(const MatrixX& A, const VectorX& b, const FrictionConeSpec& coneSpec, int numContacts) const {
  requireCones("buildECOSProblem", coneSpec, numContacts);
  return std::move(buildFrictionProblem(A, b, coneSpec).data);
}

FrictionConeSpec ConstraintSolver::buildFrictionConeSpec(const std::vector<TwoBodyConstraint*>& contactConstraints, int numContacts) const {
  FrictionConeSpec spec{numContacts};
  std::vector<const ContactConstraint*> contacts;  // null for users' rows
  for (const TwoBodyConstraint* constraint : contactConstraints)
    if (dynamic_cast<const FrictionConstraint*>(constraint) == nullptr)
      contacts.insert(contacts.end(), static_cast<std::size_t>(constraint->dimension()), dynamic_cast<const ContactConstraint*>(constraint));
  if (static_cast<int>(contacts.size()) != numContacts)
    refuseArgument("buildFrictionConeSpec", "numContacts", std::to_string(numContacts), "the number of rows that are not friction", "count them");
  for (const TwoBodyConstraint* constraint : contactConstraints) {
    const auto* friction = dynamic_cast<const FrictionConstraint*>(constraint);
    if (friction == nullptr) continue;
    const auto found =
        std::find_if(contacts.begin(), contacts.end(), [&](const ContactConstraint* contact) { return contact != nullptr && belongsTo(*friction, *contact); });
    if (found == contacts.end())
      refuseArgument("buildFrictionConeSpec", "contactConstraints", "a FrictionConstraint alone", "contacts and their friction",
                     "add the ContactConstraint of the same bodies, normal and lever arms");
    const int contact = static_cast<int>(found - contacts.begin());
    spec.setFriction(contact, friction->getFrictionCoefficient(), 3 * contact);
    *found = nullptr;  // the next one like it has friction of its own
  }
  return spec;
}

ConstraintSolver::ActiveSetResult ConstraintSolver::solveActiveSet(const MatrixX& A, const VectorX& b, int /*numContacts*/) const {
  const LcpAnswer answer = solveLcp(A, b, max_iterations_);
  return {answer.lambda, answer.converged, answer.iterations, answer.activeRows};
}

ConstraintSolver::MultiBodySolveResult ConstraintSolver::solveWithContacts(const std::vector<TwoBodyConstraint*>& contactConstraints,
                                                                           const std::vector<std::reference_wrapper<const InertialState>>& states,
                                                                           const std::vector<double>& inverseMasses,
                                                                           const std::vector<Matrix3>& inverseInertias, std::size_t numBodies,
                                                                           double dt) const {
  const ContactSystem system{contactConstraints, states, inverseMasses, inverseInertias, numBodies, dt};
  ContactProblem problem = system.problem();
  Iterate iterate;
  iterate.r.setZero(3 * system.contacts());
  MultiBodySolveResult result;
  EcosRun run;             // of ecos-strict
  Law law = Law::Coulomb;  // that a method which did not converge was judged by
  double judged = 0;
  if (system.hasFriction() && friction_method_ == "ecos") {
    MatrixX A;
    VectorX b;
    system.denseSystem(3, A, b);
    result.details = solveWithECOS(A, b, buildFrictionConeSpec(system.used(), system.contacts()), system.contacts());
    iterate.r = result.details.lambda;
  } else if (system.hasFriction() && friction_method_ == "ecos-strict") {
    SolveOptions options;
    options.tolerance = tolerance_;
    options.maxIterations = max_iterations_;
    EcosSolver solver{true, {ecos_abs_tol_, ecos_rel_tol_, ecos_max_iters_}};
    const SolveReport report = solver.solve(problem, iterate, options);
    run = solver.lastRun();
    const ECOSAnswer& last = run.last;
    result.details = {iterate.r, false, report.iterations, last.exit_flag, last.primal_residual, last.dual_residual, last.gap};
  } else if (system.hasFriction()) {
    SolveOptions options;
    options.tolerance = tolerance_;
    options.maxIterations = max_iterations_;
    law = lawOf(friction_method_);
    if (law == Law::Box) problem.axisBounds = &system;
    const PortfolioReport report = Portfolio{friction_method_, law}.solve(problem, iterate, options);
    judged = report.certificate.relative;
    result.details = {iterate.r, report.certified, report.iterations, 0};
    result.details.solver_type = friction_method_;
  } else {
    MatrixX A;
    VectorX b;
    system.denseSystem(1, A, b);
    result.details = solveActiveSet(A, b, system.contacts());
    for (int i = 0; i < system.contacts(); ++i) iterate.r[3 * i] = result.details.lambda[i];
  }
  setVelocities(problem, iterate);
  Certificate certificate = certify(problem, iterate);
  const int left = max_iterations_ - result.details.iterations;
  if (!system.hasFriction() && !(result.details.converged && certificate.passes(tolerance_)) && (max_iterations_ == 0 || left > 0)) {
    // The pivots, which judge a row beside its own impulses, have lost them to round-off: the ladder of `auto` has another way.
    Iterate other;
    SolveOptions options;
    options.tolerance = tolerance_;
    options.maxIterations = max_iterations_ == 0 ? 0 : left;
    options.effort = Effort::Usual;
    const PortfolioReport report = Portfolio{}.solve(problem, other, options);
    result.details.iterations += max_iterations_ == 0 ? report.iterations : std::min(report.iterations, left);
    if (report.certificate.relative < certificate.relative) {
      iterate = other;
      setVelocities(problem, iterate);
      certificate = certify(problem, iterate);
      for (int i = 0; i < system.contacts(); ++i) result.details.lambda[i] = iterate.r[3 * i];
    }
  }
  if (!system.hasFriction()) result.details.converged = certificate.passes(tolerance_);
  result.residual = certificate.relative;
  result.details.lambda = result.lambdas = system.inOrder(result.details.lambda, system.hasFriction() ? 3 : 1);
  if (run.programs > 0) result.details.converged = certificate.passes(tolerance_);
  result.converged = result.details.converged;
  result.iterations = result.details.iterations;
  std::vector<Coordinate> forces, torques;
  system.apply(iterate.r, forces, torques);
  for (std::size_t k = 0; k < numBodies; ++k) result.bodyForces.push_back({forces[k], torques[k]});
  if (!result.converged) {
    std::ostringstream out;
    out << result.details.solver_type << " did not converge for " << system.contacts() << " contacts with friction coefficients";
    for (int i = 0; i < system.contacts(); ++i) out << (i == 0 ? " " : ", ") << system.friction(i);
    if (run.programs > 0)
      out << ": " << run.programs << " cone programs, the last (exit code " << run.last.exit_flag << ") changed the impulses by " << run.change
          << " of the largest";
    else if (result.details.solver_type == "ECOS")
      out << ": exit code " << result.details.ecos_exit_flag;
    if (law == Law::Coulomb)
      out << ": certificate " << certificate.relative;
    else
      out << ": certificate by its own law (" << name(law) << ") " << judged;
    out << ", tolerance " << tolerance_;
    result.message = out.str();
    if (throwsOnECOSFailure() && result.details.solver_type == "ECOS") throw std::runtime_error{result.message};
  }
  return result;
}

}  // namespace stiction
