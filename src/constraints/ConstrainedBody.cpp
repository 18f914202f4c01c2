#include "constraints/ConstrainedBody.hpp"

#include <cmath>
#include <string>

#include "constraints/Arguments.hpp"
#include "constraints/BodyCoordinates.hpp"
#include "dynamics/RotationUpdate.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr int kNewtonSteps = 30;

/// Σ dimension() rows of a function of every active constraint, `columns` wide.
template <typename Function>
MatrixX stack(const std::vector<Constraint*>& constraints, const State& state, double time, const char* name, Eigen::Index columns, Function&& function) {
  MatrixX rows(0, columns);
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Constraint& constraint = *constraints[k];
    if (!constraint.isActive(state, time)) continue;
    const MatrixX part = function(constraint);
    requireShape("ConstrainedBody", "constraints[" + std::to_string(k) + "] (" + constraint.typeName() + ")", name, part, constraint.dimension(), columns);
    rows.conservativeResize(rows.rows() + part.rows(), columns);
    rows.bottomRows(part.rows()) = part;
  }
  return rows;
}

VectorX valueOf(const std::vector<Constraint*>& constraints, const State& state, double time) {
  return stack(constraints, state, time, "evaluate", 1, [&](const Constraint& c) { return MatrixX{c.evaluate(state, time)}; });
}

Vector6 twistOf(const State& state) { return (Vector6{} << state.velocity, state.getAngularVelocity()).finished(); }

void setTwist(State& state, const Vector6& twist) {
  state.velocity = twist.head<3>();
  state.setAngularVelocity(twist.tail<3>());
}

/// 1 / length of each row, so that the units of a constraint do not matter; 1 for a row of zeros.
VectorX perLength(const MatrixX& J) {
  return J.rowwise().norm().unaryExpr([](double length) { return length > 0 ? 1 / length : 1.0; });
}

/// M⁻¹ J_fromᵀ Λ with the shortest Λ that gives J_to the rates −c, or comes nearest; rows at the length of J_from's.
Vector6 impulseFor(const MatrixX& to, const MatrixX& from, const Matrix6& inverse, const VectorX& c) {
  const VectorX scale = perLength(from);
  const MatrixX reach = inverse * from.transpose() * scale.asDiagonal();
  return -reach * Eigen::CompleteOrthogonalDecomposition<MatrixX>{scale.asDiagonal() * to * reach}.solve(scale.cwiseProduct(c));
}

}  // namespace

ConstrainedBody::ConstrainedBody(double mass, const Matrix3& inertia, std::vector<Constraint*> constraints) : constraints_{std::move(constraints)} {
  body_.dynamic = true;
  body_.mass = requireMass("ConstrainedBody", "mass", mass, "a body that does not move needs no step");
  body_.inverseMass = 1 / mass;
  const Eigen::LLT<Matrix3> factor{inertia};
  if (!inertia.allFinite() || !inertia.isApprox(inertia.transpose(), 1e-9) || factor.info() != Eigen::Success)
    refuseArgument("ConstrainedBody", "inertia", "not that of a body", "symmetric positive definite", "give it about the centre of mass, in body axes");
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    if (constraints_[k] == nullptr)
      refuseArgument("ConstrainedBody", ("constraints[" + std::to_string(k) + "]").c_str(), "null", "a constraint", "leave it out");
  body_.inertia = inertia;
  body_.inverse = factor.solve(Matrix3::Identity());
  solver_.setBaumgarte(false);
}

void ConstrainedBody::setStabilisation(Stabilisation stabilisation) {
  stabilisation_ = stabilisation;
  solver_.setBaumgarte(stabilisation == Stabilisation::Baumgarte);
}

VectorX ConstrainedBody::violation(const State& state) const { return valueOf(constraints_, state, time_); }

MatrixX ConstrainedBody::velocityRows(const State& state, double time) const {
  constexpr double roundOff = 1e-12;  // [-] of what a row makes of the quaternion: so little of it turns nothing, but for its length
  const MatrixX ofCoordinates = stack(constraints_, state, time, "jacobian", 7, [&](const Constraint& c) { return c.jacobian(state, time); });
  MatrixX J = ofCoordinates * twistToRate(state.orientation);
  for (Eigen::Index i = 0; i < J.rows(); ++i)
    if (J.row(i).tail<3>().norm() <= roundOff * ofCoordinates.row(i).tail<4>().norm()) J.row(i).tail<3>().setZero();
  return J;
}

VectorX ConstrainedBody::partialTime(const State& state, double time) const {
  return stack(constraints_, state, time, "partialTimeDerivative", 1, [&](const Constraint& c) { return MatrixX{c.partialTimeDerivative(state, time)}; });
}

Matrix6 ConstrainedBody::inverseMass(const State& state) const {
  Matrix6 inverse = body_.inverseMass * Matrix6::Identity();
  inverse.bottomRightCorner<3, 3>() = toWorld(body_.inverse, state.orientation);
  return inverse;
}

/// Whether every row of C is zero to round-off of what it makes of the coordinates; rows that no motion changes, the unit quaternion's, have to be near it.
bool ConstrainedBody::atConstraints(const VectorX& C, const MatrixX& J, const State& state) const {
  constexpr double exact = 1e-14;
  constexpr double fixed = 1e-9;
  const double size = exact * std::max(1.0, state.position.norm());
  for (Eigen::Index i = 0; i < C.size(); ++i)
    if (!(std::abs(C[i]) <= (J.row(i).isZero(0) ? fixed : size * J.row(i).lpNorm<Eigen::Infinity>()))) return false;
  return true;
}

ConstraintSolver::SolveResult ConstrainedBody::physicsStep(State& state, double dt) {
  const Vector3 force = force_ + body_.mass * gravity_;
  ConstraintSolver::SolveResult result = solver_.solve(constraints_, state, force, torque_, body_.mass, toWorld(body_.inverse, state.orientation), dt, time_);
  if (!result.converged) return result;
  State next = state;
  next.acceleration = (force + result.linearForce) * body_.inverseMass;
  const Vector3 spin = state.getAngularVelocity();
  next.angularAcceleration =
      toWorld(body_.inverse, state.orientation) * (torque_ + result.angularTorque - spin.cross(angularMomentum(body_, state.orientation, spin)));
  if (stabilisation_ == Stabilisation::Baumgarte)
    stepExplicitly(next, dt);
  else
    result.converged = mend(next) && rattle(next, force, dt);
  result.converged = result.converged && next.position.allFinite() && next.orientation.coeffs().allFinite() && twistOf(next).allFinite();
  if (!result.converged) return result;
  state = next;
  time_ += dt;
  return result;
}

void ConstrainedBody::stepExplicitly(State& state, double dt) const {
  const Coordinate omega = state.getAngularVelocity() + dt * state.angularAcceleration;
  state.velocity += dt * state.acceleration;
  state.position += dt * state.velocity;
  state.orientation = (expRotation(dt * omega) * state.orientation).normalized();
  state.setAngularVelocity(omega);
}

/// Poses that start off their constraints: back by the least motion, velocities as they are. False when Newton finds no way.
bool ConstrainedBody::mend(State& state) const {
  const Coordinate omega = state.getAngularVelocity();
  for (int k = 0; k < kNewtonSteps; ++k) {
    const VectorX C = valueOf(constraints_, state, time_);
    const MatrixX J = velocityRows(state, time_);
    if (atConstraints(1e-3 * C, J, state)) return true;  // what is left is the step's own business
    const Vector6 motion = impulseFor(J, J, inverseMass(state), C);
    state.position += motion.head<3>();
    state.orientation = (expRotation(motion.tail<3>()) * state.orientation).normalized();
    state.setAngularVelocity(omega);
  }
  return false;
}

bool ConstrainedBody::rattle(State& state, const Vector3& force, double dt) const {
  const State start = state;
  const double end = time_ + dt;
  const Matrix6 inverse = inverseMass(start);
  const MatrixX along = velocityRows(start, time_);
  const auto kick = [&](const Matrix6& inverseThere) { return Vector6{0.5 * dt * inverseThere * (Vector6{} << force, torque_).finished()}; };
  Vector6 twist = twistOf(start) + kick(inverse);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    const RotationStep rotation = advanceRotation(body_, start.orientation, twist.tail<3>(), dt);
    state.position = start.position + dt * twist.head<3>();
    state.orientation = rotation.rotation;
    setTwist(state, (Vector6{} << twist.head<3>(), rotation.angularVelocity).finished());
    const VectorX C = valueOf(constraints_, state, end);
    if (C.size() == 0) break;
    const MatrixX J = velocityRows(state, end);
    const double error = C.cwiseProduct(perLength(J)).cwiseAbs().maxCoeff();
    if (atConstraints(C, J, state) || (!(error < last) && atConstraints(1e-3 * C, J, state))) break;
    if (k == kNewtonSteps || !std::isfinite(error)) return false;
    last = error;
    twist += impulseFor(J, along, inverse, C / dt);
  }
  const Matrix6 there = inverseMass(state);
  setTwist(state, twistOf(state) + kick(there));
  const MatrixX J = velocityRows(state, end);
  if (J.rows() > 0) setTwist(state, twistOf(state) + impulseFor(J, J, there, VectorX{J * twistOf(state) + partialTime(state, end)}));
  return true;
}

}  // namespace stiction
