#include "constraints/Constraint.hpp"

#include <algorithm>
#include <stdexcept>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

/// Time step of central differences along a motion of the given rate: error ~ cube root of the square of round-off.
double differenceStep(double rate) { return 6e-6 / std::max(rate, 1.0); }

/// The state after dt at constant q̇, not normalised: C may be defined off the unit sphere.
State alongRate(const State& state, double dt) {
  State moved = state;
  moved.position += dt * state.velocity;
  const Eigen::Vector4d& rate = state.quaternionRate;
  moved.orientation = Quaternion{state.orientation.w() + dt * rate[0], state.orientation.x() + dt * rate[1], state.orientation.y() + dt * rate[2],
                                 state.orientation.z() + dt * rate[3]};
  return moved;
}

/// The state after dt at constant v and ω.
InertialState alongTwist(const InertialState& state, double dt) {
  InertialState moved = state;
  const Coordinate omega = state.getAngularVelocity();
  moved.position += dt * state.velocity;
  moved.orientation = expRotation(dt * omega) * state.orientation;
  moved.setAngularVelocity(omega);
  return moved;
}

}  // namespace

VectorX Constraint::partialTimeDerivative(const State& /*state*/, double /*time*/) const { return VectorX::Zero(dimension()); }

VectorX Constraint::velocityProduct(const State& state, double time) const {
  Eigen::Matrix<double, 7, 1> rate;
  rate << state.velocity, state.quaternionRate;
  const double dt = differenceStep(rate.norm());
  const auto speed = [&](double at) {
    const State moved = alongRate(state, at);
    return VectorX{jacobian(moved, time + at) * rate + partialTimeDerivative(moved, time + at)};
  };
  return (speed(dt) - speed(-dt)) / (2 * dt);
}

bool Constraint::isActive(const State& /*state*/, double /*time*/) const { return true; }

void TwoBodyRows::refuseOneBody(const std::string& type, const char* function) {
  throw std::logic_error{type + "::" + function + ": a constraint between two bodies has no state of one body; use " + function + "TwoBody"};
}

VectorX TwoBodyRows::partialTimeDerivativeTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const {
  return VectorX::Zero(evaluateTwoBody(stateA, stateB, time).size());
}

VectorX TwoBodyRows::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const {
  Eigen::Matrix<double, 12, 1> v;
  v << stateA.velocity, stateA.getAngularVelocity(), stateB.velocity, stateB.getAngularVelocity();
  const double dt = differenceStep(v.norm());
  const auto speed = [&](double at) {
    const InertialState a = alongTwist(stateA, at), b = alongTwist(stateB, at);
    return VectorX{jacobianTwoBody(a, b, time + at) * v + partialTimeDerivativeTwoBody(a, b, time + at)};
  };
  return (speed(dt) - speed(-dt)) / (2 * dt);
}

bool TwoBodyBilateralConstraint::isActiveTwoBody(const InertialState& /*stateA*/, const InertialState& /*stateB*/, double /*time*/) const { return true; }

}  // namespace stiction
