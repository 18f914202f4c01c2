#include "constraints/DistanceConstraint.hpp"

#include "constraints/Arguments.hpp"

namespace stiction {
namespace {

constexpr const char* kRemedy = "two points that coincide are three rows: use a joint";

}  // namespace

DistanceConstraint::DistanceConstraint(double targetDistance, double alpha, double beta)
    : distance_{requirePositive("DistanceConstraint", "targetDistance", targetDistance, kRemedy)},
      alpha_{requireGain("DistanceConstraint", "alpha", alpha)},
      beta_{requireGain("DistanceConstraint", "beta", beta)} {}

VectorX DistanceConstraint::evaluate(const State& state, double /*time*/) const {
  return VectorX::Constant(1, state.position.squaredNorm() - distance_ * distance_);
}

MatrixX DistanceConstraint::jacobian(const State& state, double /*time*/) const {
  MatrixX J = MatrixX::Zero(1, 7);
  J.leftCols<3>() = 2.0 * state.position.transpose();
  return J;
}

VectorX DistanceConstraint::velocityProduct(const State& state, double /*time*/) const { return VectorX::Constant(1, 2.0 * state.velocity.squaredNorm()); }

TwoBodyDistanceConstraint::TwoBodyDistanceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& anchorA, const Coordinate& anchorB,
                                                     double targetDistance)
    : TwoBodyBilateralConstraint{bodyAIndex, bodyBIndex},
      anchor_a_{requireFinite("TwoBodyDistanceConstraint", "anchorA", anchorA)},
      anchor_b_{requireFinite("TwoBodyDistanceConstraint", "anchorB", anchorB)},
      distance_{requirePositive("TwoBodyDistanceConstraint", "targetDistance", targetDistance, kRemedy)} {}

VectorX TwoBodyDistanceConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 p = stateB.position + stateB.orientation * anchor_b_ - stateA.position - stateA.orientation * anchor_a_;
  return VectorX::Constant(1, (p.squaredNorm() - distance_ * distance_) / (2.0 * distance_));
}

MatrixX TwoBodyDistanceConstraint::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 a = stateA.orientation * anchor_a_, b = stateB.orientation * anchor_b_;
  const Vector3 direction = (stateB.position + b - stateA.position - a) / distance_;
  MatrixX J(1, 12);
  J << -direction.transpose(), -a.cross(direction).transpose(), direction.transpose(), b.cross(direction).transpose();
  return J;
}

VectorX TwoBodyDistanceConstraint::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 a = stateA.orientation * anchor_a_, b = stateB.orientation * anchor_b_;
  const Vector3 omegaA = stateA.getAngularVelocity(), omegaB = stateB.getAngularVelocity();
  const Vector3 p = stateB.position + b - stateA.position - a;
  const Vector3 rate = stateB.velocity + omegaB.cross(b) - stateA.velocity - omegaA.cross(a);
  const Vector3 centripetal = omegaB.cross(omegaB.cross(b)) - omegaA.cross(omegaA.cross(a));
  return VectorX::Constant(1, (rate.squaredNorm() + p.dot(centripetal)) / distance_);
}

}  // namespace stiction
