// Jacobians by central differences, independent of the constraints' own.
#pragma once
#include <random>

#include "constraints/Constraint.hpp"

namespace stiction::testing {

inline Coordinate randomVector(std::mt19937& random, double size = 1.0) {
  std::normal_distribution<double> normal{0.0, size};
  const double x = normal(random), y = normal(random), z = normal(random);
  return {x, y, z};
}

inline InertialState randomState(std::mt19937& random) {
  InertialState state;
  state.position = randomVector(random);
  state.velocity = randomVector(random);
  const Coordinate axis = randomVector(random);
  state.orientation = Quaternion{1.0, axis.x(), axis.y(), axis.z()}.normalized();
  state.setAngularVelocity(randomVector(random));
  return state;
}

/// The state moved by a small twist (linear, angular; world axes), by rotation matrices.
inline InertialState moved(const InertialState& state, const Vector3& shift, const Vector3& turn) {
  InertialState next = state;
  next.position += shift;
  if (turn.norm() > 0) next.orientation = Quaternion{Eigen::AngleAxisd{turn.norm(), turn.normalized()}} * state.orientation;
  next.setAngularVelocity(state.getAngularVelocity());
  return next;
}

/// ∂C/∂q of a one-body constraint, dimension × 7.
inline MatrixX differenceJacobian(const Constraint& constraint, const State& state, double time, double step = 1e-6) {
  MatrixX J(constraint.dimension(), 7);
  for (int k = 0; k < 7; ++k) {
    State plus = state, minus = state;
    for (auto [side, sign] : {std::pair{&plus, 1.0}, std::pair{&minus, -1.0}}) {
      double* const entries[] = {&side->position.x(),    &side->position.y(),    &side->position.z(),   &side->orientation.w(),
                                 &side->orientation.x(), &side->orientation.y(), &side->orientation.z()};
      *entries[k] += sign * step;
    }
    J.col(k) = (constraint.evaluate(plus, time) - constraint.evaluate(minus, time)) / (2 * step);
  }
  return J;
}

/// Rate of C by small motions of the two bodies, dimension × 12.
inline MatrixX differenceJacobianTwoBody(const TwoBodyRows& rows, int dimension, const InertialState& a, const InertialState& b, double time,
                                         double step = 1e-6) {
  MatrixX J(dimension, 12);
  for (int k = 0; k < 12; ++k) {
    const Vector3 unit = step * Vector3::Unit(k % 3), none = Vector3::Zero();
    const bool turns = k % 6 >= 3;
    const auto at = [&](double sign) {
      const Vector3 shift = turns ? none : Vector3{sign * unit}, turn = turns ? Vector3{sign * unit} : none;
      return k < 6 ? rows.evaluateTwoBody(moved(a, shift, turn), b, time) : rows.evaluateTwoBody(a, moved(b, shift, turn), time);
    };
    J.col(k) = (at(1) - at(-1)) / (2 * step);
  }
  return J;
}

/// Second derivative of C along the motion at constant v and ω, by differences of C itself.
inline VectorX differenceVelocityProduct(const TwoBodyRows& rows, const InertialState& a, const InertialState& b, double time, double step = 1e-4) {
  const auto at = [&](double dt) {
    const auto go = [dt](const InertialState& s) { return moved(s, dt * s.velocity, dt * s.getAngularVelocity()); };
    return rows.evaluateTwoBody(go(a), go(b), time + dt);
  };
  return (at(step) - 2 * at(0) + at(-step)) / (step * step);
}

}  // namespace stiction::testing
