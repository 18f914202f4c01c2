#include "constraints/ConstrainedBody.hpp"

#include <cmath>
#include <stdexcept>

#include "constraints/Arguments.hpp"
#include "constraints/BodyCoordinates.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

/// Σ dimension() rows of a function of every active constraint, `columns` wide.
template <typename Function>
MatrixX stack(const std::vector<Constraint*>& constraints, const State& state, double time, Eigen::Index columns, Function&& function) {
  MatrixX rows(0, columns);
  for (const Constraint* constraint : constraints) {
    if (!constraint->isActive(state, time)) continue;
    const MatrixX part = function(*constraint);
    rows.conservativeResize(rows.rows() + part.rows(), columns);
    rows.bottomRows(part.rows()) = part;
  }
  return rows;
}

/// Shortest x, in the metric of the masses, with J x = −c or nearest to it; `root` is the square root of the inverse masses.
Vector6 leastMotion(const MatrixX& J, const VectorX& c, const Matrix6& root) {
  return -root * Eigen::CompleteOrthogonalDecomposition<MatrixX>{J * root}.solve(c);
}

void shift(State& state, const Vector6& motion) {
  const Coordinate omega = state.getAngularVelocity();
  state.position += motion.head<3>();
  state.orientation = (expRotation(motion.tail<3>()) * state.orientation).normalized();
  state.setAngularVelocity(omega);
}

}  // namespace

ConstrainedBody::ConstrainedBody(double mass, const Matrix3& inertia, std::vector<Constraint*> constraints)
    : mass_{requirePositive("ConstrainedBody", "mass", mass, "a body that does not move needs no step")},
      inertia_{inertia},
      constraints_{std::move(constraints)} {
  const Eigen::LLT<Matrix3> factor{inertia};
  if (!inertia.allFinite() || !inertia.isApprox(inertia.transpose(), 1e-9) || factor.info() != Eigen::Success)
    throw std::invalid_argument{"ConstrainedBody: inertia is not symmetric positive definite; give it about the centre of mass, in body axes"};
  inverse_inertia_ = factor.solve(Matrix3::Identity());
  solver_.setBaumgarte(false);
}

void ConstrainedBody::setStabilisation(Stabilisation stabilisation) {
  stabilisation_ = stabilisation;
  solver_.setBaumgarte(stabilisation == Stabilisation::Baumgarte);
}

VectorX ConstrainedBody::violation(const State& state) const {
  return stack(constraints_, state, time_, 1, [&](const Constraint& c) { return MatrixX{c.evaluate(state, time_)}; });
}

MatrixX ConstrainedBody::velocityRows(const State& state, double time) const {
  return stack(constraints_, state, time, 7, [&](const Constraint& c) { return c.jacobian(state, time); }) * twistToRate(state.orientation);
}

ConstraintSolver::SolveResult ConstrainedBody::physicsStep(State& state, double dt) {
  const Matrix3 R = state.orientation.toRotationMatrix();
  const Matrix3 inverse = R * inverse_inertia_ * R.transpose(), inertia = R * inertia_ * R.transpose();
  const Vector3 force = force_ + mass_ * gravity_;
  ConstraintSolver::SolveResult result = solver_.solve(constraints_, state, force, torque_, mass_, inverse, dt, time_);
  if (!result.converged) return result;

  State next = state;
  const Vector3 omega = state.getAngularVelocity();
  next.acceleration = (force + result.linearForce) / mass_;
  next.angularAcceleration = inverse * (torque_ + result.angularTorque - omega.cross(Vector3{inertia * omega}));
  next.velocity += dt * next.acceleration;
  next.setAngularVelocity(omega + dt * next.angularAcceleration);
  shift(next, (Vector6{} << dt * next.velocity, dt * next.getAngularVelocity()).finished());
  if (stabilisation_ == Stabilisation::PositionLevel) result.converged = project(next, time_ + dt);
  if (!result.converged) return result;
  state = next;
  time_ += dt;
  return result;
}

/// Newton on C = 0, then Ċ = 0. False when C does not get to round-off.
bool ConstrainedBody::project(State& state, double time) const {
  constexpr int steps = 20;
  constexpr double exact = 1e-13, enough = 1e-10;  // [-] of what the coordinates' size makes of C
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    const Matrix3 R = state.orientation.toRotationMatrix();
    Matrix6 root = Matrix6::Identity() / std::sqrt(mass_);
    root.bottomRightCorner<3, 3>() = R * Eigen::SelfAdjointEigenSolver<Matrix3>{inverse_inertia_}.operatorSqrt() * R.transpose();
    const VectorX C = stack(constraints_, state, time, 1, [&](const Constraint& c) { return MatrixX{c.evaluate(state, time)}; });
    if (C.size() == 0) return true;
    const MatrixX J = velocityRows(state, time);
    const double size = J.cwiseAbs().maxCoeff() * std::max(1.0, state.position.norm());
    const double error = C.cwiseAbs().maxCoeff();
    if (error <= exact * size || k == steps || !(error < last)) {
      if (!(error <= enough * size)) return false;
      const VectorX rate = J * (Vector6{} << state.velocity, state.getAngularVelocity()).finished() +
                           stack(constraints_, state, time, 1, [&](const Constraint& c) { return MatrixX{c.partialTimeDerivative(state, time)}; });
      const Vector6 change = leastMotion(J, rate, root);
      state.velocity += change.head<3>();
      state.setAngularVelocity(state.getAngularVelocity() + change.tail<3>());
      return true;
    }
    last = error;
    shift(state, leastMotion(J, C, root));
  }
}

}  // namespace stiction
