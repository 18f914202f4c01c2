// ConstraintSolver::solveWithContacts: without friction the exact LCP, with it the method chosen; either way the strict certificate of the answer.
#include <sstream>
#include <stdexcept>

#include "certify/Certificate.hpp"
#include "constraints/Arguments.hpp"
#include "constraints/ConstraintSolver.hpp"
#include "constraints/ContactSystem.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/Lcp.hpp"

namespace stiction {

void ConstraintSolver::setFrictionMethod(const std::string& name) {
  Portfolio{name};  // refuses unknown names
  friction_method_ = name;
}

void ConstraintSolver::setTolerance(double tolerance) {
  tolerance_ = requireBetween("ConstraintSolver", "tolerance", tolerance, 1e-15, 0.1, "1e-8 is the usual");
}

void ConstraintSolver::setECOSTolerance(double abs_tol, double rel_tol) {
  constexpr double least = 1e-16, most = 1.0;
  ecos_abs_tol_ = requireBetween("ConstraintSolver", "abs_tol", abs_tol, least, most, "1e-6 is the usual");
  ecos_rel_tol_ = requireBetween("ConstraintSolver", "rel_tol", rel_tol, least, most, "1e-6 is the usual");
}

void ConstraintSolver::setECOSMaxIterations(int max_iters) {
  if (max_iters < 1) refuseArgument("ConstraintSolver", "max_iters", std::to_string(max_iters), "at least 1", "100 is the usual");
  ecos_max_iters_ = max_iters;
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
  const ContactProblem problem = system.problem();
  Iterate iterate;
  iterate.r.setZero(3 * system.contacts());
  MultiBodySolveResult result;
  if (system.hasFriction()) {
    SolveOptions options;
    options.tolerance = tolerance_;
    options.maxIterations = max_iterations_;
    const PortfolioReport report = Portfolio{friction_method_}.solve(problem, iterate, options);
    result.details = {iterate.r, report.certified, report.iterations, 0};
    result.details.solver_type = friction_method_;
    result.lambdas = iterate.r;
  } else {
    MatrixX A;
    VectorX b;
    system.normalSystem(A, b);
    result.details = solveActiveSet(A, b, system.contacts());
    result.lambdas = result.details.lambda;
    for (int i = 0; i < system.contacts(); ++i) iterate.r[3 * i] = result.lambdas[i];
  }
  // The velocities that these impulses give, for the certificate.
  iterate.v = problem.f;
  multiplyAdd(problem.H, iterate.r, iterate.v);
  for (int k = 0; k < problem.M.blocks(); ++k) {
    const int size = problem.M.size(k), row = problem.M.start[static_cast<std::size_t>(k)];
    const Eigen::Map<const MatrixX> block{&problem.M.values[static_cast<std::size_t>(problem.M.offset[static_cast<std::size_t>(k)])], size, size};
    const VectorX v = block.llt().solve(iterate.v.segment(row, size));
    iterate.v.segment(row, size) = v;
  }
  const Certificate certificate = certify(problem, iterate);
  result.residual = certificate.relative;
  result.converged = result.details.converged;
  result.iterations = result.details.iterations;
  std::vector<Coordinate> forces, torques;
  system.apply(iterate.r, forces, torques);
  for (std::size_t k = 0; k < numBodies; ++k) result.bodyForces.push_back({forces[k], torques[k]});
  if (!result.converged) {
    std::ostringstream out;
    out << result.details.solver_type << " did not converge for " << system.contacts() << " contacts with friction coefficients";
    for (int i = 0; i < system.contacts(); ++i) out << (i == 0 ? " " : ", ") << system.friction(i);
    out << ": certificate " << certificate.relative << ", tolerance " << tolerance_;
    result.message = out.str();
  }
  return result;
}

}  // namespace stiction
