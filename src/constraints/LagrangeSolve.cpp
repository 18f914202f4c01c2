// ConstraintSolver::solve: rows, A and b, and an answer that says which rows it could do without.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/Error.hpp"
#include "constraints/Arguments.hpp"
#include "constraints/BodyCoordinates.hpp"
#include "constraints/ConstraintSolver.hpp"

namespace stiction {
namespace {

constexpr const char* kType = "ConstraintSolver::solve";
constexpr double kDependent = 1e-10;  // [-] of a row's own diagonal: what is left of it beside the rows before
constexpr double kSatisfied = 1e-9;   // [-] of the largest term of a redundant row: as much may be left of it

struct Rows {
  MatrixX J;             // rows × 7
  VectorX C, rate;       // C and Ċ
  VectorX product;       // γ
  VectorX alpha, beta;   // [1/s²], [1/s]
  std::vector<int> all;  // place of each active row among the rows of all constraints
  int total{0};
};

[[noreturn]] void refuse(const std::string& what) { throw InputError{kType, what, "", ""}; }

std::string nameOf(std::size_t index, const Constraint& constraint) { return "constraints[" + std::to_string(index) + "] (" + constraint.typeName() + ")"; }

/// Active rows of one constraint, checked and appended.
void append(const Constraint& constraint, std::size_t index, const State& state, double time, bool product, bool gains, Rows& rows) {
  const int n = constraint.dimension();
  if (n < 0) refuse(nameOf(index, constraint) + ": dimension() is " + std::to_string(n) + ", must be >= 0");
  const int first = rows.total;
  rows.total += n;
  if (n == 0 || !constraint.isActive(state, time)) return;
  const auto expect = [&](const char* function, const MatrixX& value, Eigen::Index columns) -> const MatrixX& {
    return requireShape(kType, nameOf(index, constraint), function, value, n, columns);
  };
  const Eigen::Index row = rows.C.size(), size = row + n;
  rows.J.conservativeResize(size, 7);
  for (VectorX* x : {&rows.C, &rows.rate, &rows.product, &rows.alpha, &rows.beta}) x->conservativeResize(size);
  rows.J.bottomRows(n) = expect("jacobian", constraint.jacobian(state, time), 7);
  rows.C.tail(n) = expect("evaluate", constraint.evaluate(state, time), 1);
  rows.rate.tail(n) = rows.J.bottomRows(n) * rateOf(state) + expect("partialTimeDerivative", constraint.partialTimeDerivative(state, time), 1);
  rows.product.tail(n).setZero();
  if (product) rows.product.tail(n) = expect("velocityProduct", constraint.velocityProduct(state, time), 1);
  const double alpha = gains ? constraint.alpha() : 0.0, beta = gains ? constraint.beta() : 0.0;
  if (!std::isfinite(alpha) || !std::isfinite(beta)) refuse(nameOf(index, constraint) + ": alpha() or beta() is not finite; 0 switches a gain off");
  rows.alpha.tail(n).setConstant(alpha);
  rows.beta.tail(n).setConstant(beta);
  for (int k = 0; k < n; ++k) rows.all.push_back(first + k);
}

void check(const std::vector<Constraint*>& constraints, const State& state, const Vector3& force, const Vector3& torque, double mass,
           const Matrix3& inverseInertia, double dt) {
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (constraints[k] == nullptr) refuse("constraints[" + std::to_string(k) + "] is null");
    if (dynamic_cast<const TwoBodyRows*>(constraints[k]) != nullptr) refuse(nameOf(k, *constraints[k]) + " acts between two bodies; this function sees one");
    if (dynamic_cast<const UnilateralConstraint*>(constraints[k]) != nullptr)
      refuse(nameOf(k, *constraints[k]) + " is unilateral; equalities alone are solved here");
  }
  requireFinite(kType, "externalForce", force);
  requireFinite(kType, "externalTorque", torque);
  requireFinite(kType, "state.position", state.position);
  requireFinite(kType, "state.velocity", state.velocity);
  if (!state.quaternionRate.allFinite()) refuse("state.quaternionRate is not finite");
  if (!(state.orientation.squaredNorm() > 1e-12) || !state.orientation.coeffs().allFinite())
    refuse("state.orientation is zero or not finite, must be a quaternion near unit length");
  requireMass(kType, "mass", mass, "a body that does not move needs no multipliers");
  requireStep(kType, dt);
  if (!inverseInertia.allFinite()) refuse("inverseInertia is not finite");
  const double size = inverseInertia.cwiseAbs().maxCoeff();
  if ((inverseInertia - inverseInertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) refuse("inverseInertia is not symmetric");
  if (Eigen::SelfAdjointEigenSolver<Matrix3>{inverseInertia, Eigen::EigenvaluesOnly}.eigenvalues().minCoeff() < -1e-9 * size)
    refuse("inverseInertia has a negative eigenvalue, must be positive semidefinite");
}

/// Rows of A by pivoted Cholesky, each scaled by its own diagonal; the independent ones ascending.
std::vector<int> independentRows(const MatrixX& A, const VectorX& diagonal) {
  const auto n = A.rows();
  MatrixX L = MatrixX::Zero(n, n);
  VectorX left = diagonal;
  std::vector<int> chosen;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (diagonal[i] > 0 && left[i] > kDependent * diagonal[i] && (pivot < 0 || left[i] / diagonal[i] > left[pivot] / diagonal[pivot])) pivot = i;
    if (pivot < 0) break;
    chosen.push_back(static_cast<int>(pivot));
    L.col(k) = (A.col(pivot) - L.leftCols(k) * L.row(pivot).head(k).transpose()) / std::sqrt(left[pivot]);
    left -= L.col(k).cwiseAbs2();
    left[pivot] = 0;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

VectorX multipliers(const MatrixX& A, const VectorX& b, const std::vector<int>& independent, ConstraintSolver::RedundancyRule rule) {
  if (static_cast<Eigen::Index>(independent.size()) == A.rows()) return Eigen::LLT<MatrixX>{A}.solve(b);
  if (rule == ConstraintSolver::RedundancyRule::LeastNorm) {
    // The shortest λ with A λ = b in the independent rows, each at its own length: the others are combinations of these.
    MatrixX rows = A(independent, Eigen::all);
    VectorX goal = b(independent);
    const VectorX length = rows.rowwise().norm();
    rows.array().colwise() /= length.array();
    goal.array() /= length.array();
    Eigen::CompleteOrthogonalDecomposition<MatrixX> shortest;
    shortest.setThreshold(std::numeric_limits<double>::epsilon());
    return shortest.compute(rows).solve(goal);
  }
  VectorX lambda = VectorX::Zero(A.rows());
  const VectorX some = Eigen::LLT<MatrixX>{A(independent, independent)}.solve(VectorX{b(independent)});
  lambda(independent) = some;
  return lambda;
}

}  // namespace

ConstraintSolver::SolveResult ConstraintSolver::solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce,
                                                      double mass, const Matrix3& inverseInertia, double dt) const {
  return solve(constraints, state, externalForce, Vector3::Zero(), mass, inverseInertia, dt);
}

ConstraintSolver::SolveResult ConstraintSolver::solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce,
                                                      const Vector3& externalTorque, double mass, const Matrix3& inverseInertia, double dt, double time) const {
  check(constraints, state, externalForce, externalTorque, mass, inverseInertia, dt);
  const bool full = form_ == AccelerationForm::Full;
  Rows rows;
  for (std::size_t k = 0; k < constraints.size(); ++k) append(*constraints[k], k, state, time, full, baumgarte_, rows);
  SolveResult result;
  result.lambda.setZero(rows.total);
  result.F_c.setZero(7);
  const auto n = rows.C.size();
  if (n == 0) {
    result.converged = true;
    result.conditionNumber = 1;
    return result;
  }

  const Matrix7 inverse = inverseMass(state.orientation, mass, inverseInertia);
  const Vector7 free = full ? freeAcceleration(state, externalForce, externalTorque, mass, inverseInertia)
                            : Vector7{inverse * generalisedForce(state.orientation, externalForce, externalTorque)};
  const MatrixX A = rows.J * inverse * rows.J.transpose();
  const VectorX b = -rows.J * free - rows.product - rows.alpha.cwiseProduct(rows.C) - rows.beta.cwiseProduct(rows.rate);

  // A row that no torque can push has no diagonal from the quaternion's block but round-off of its products. Metres and quaternion are judged apart: they have no common unit.
  const auto part = [&](Eigen::Index first, Eigen::Index size) {
    const auto J = rows.J.middleCols(first, size);
    const auto M = inverse.block(first, first, size, size);
    const VectorX pushed = (J * M).cwiseProduct(J).rowwise().sum(), unit = J.rowwise().squaredNorm() * M.diagonal().maxCoeff();
    return VectorX{(pushed.array() > kDependent * unit.array()).select(pushed, 0.0)};
  };
  const VectorX diagonal = part(0, 3) + part(3, 4);
  const std::vector<int> independent = independentRows(A, diagonal);
  result.rank = static_cast<int>(independent.size());
  const bool regular = result.rank == n;
  const Eigen::SelfAdjointEigenSolver<MatrixX> spectrum{A};
  const double largest = spectrum.eigenvalues()[n - 1], least = spectrum.eigenvalues()[0];
  const bool singular = !regular || !(least > static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest);  // less is round-off of the largest
  result.conditionNumber = singular ? std::numeric_limits<double>::infinity() : largest / least;

  const VectorX lambda = multipliers(A, b, independent, redundancy_);
  for (int i = 0; i < n; ++i)
    if (!std::binary_search(independent.begin(), independent.end(), i)) result.redundantRows.push_back(rows.all[static_cast<std::size_t>(i)]);

  // What is left of each row, beside its terms.
  const VectorX left = A * lambda - b;
  const VectorX terms = A.cwiseAbs() * lambda.cwiseAbs() + (rows.J.cwiseAbs() * free.cwiseAbs()) + rows.product.cwiseAbs() +
                        rows.alpha.cwiseProduct(rows.C).cwiseAbs() + rows.beta.cwiseProduct(rows.rate).cwiseAbs();
  result.converged = lambda.allFinite() && (left.array().abs() <= kSatisfied * terms.array()).all();
  for (Eigen::Index i = 0; i < n; ++i) result.lambda[rows.all[static_cast<std::size_t>(i)]] = lambda[i];
  result.F_c = rows.J.transpose() * lambda;
  result.linearForce = result.F_c.head<3>();
  result.angularTorque = 0.5 * quaternionToOmega(state.orientation) * result.F_c.tail<4>();
  return result;
}

const char* conditionLabel(double conditionNumber) {
  if (!(conditionNumber >= 1)) return "unknown";
  if (std::isinf(conditionNumber)) return "singular";
  if (conditionNumber < 100) return "well-conditioned";
  return conditionNumber <= 1e6 ? "moderately conditioned" : "nearly singular";
}

}  // namespace stiction
