#include "constraints/UnitQuaternionConstraint.hpp"

#include "constraints/Arguments.hpp"

namespace stiction {

UnitQuaternionConstraint::UnitQuaternionConstraint(double alpha, double beta)
    : alpha_{requireGain("UnitQuaternionConstraint", "alpha", alpha)}, beta_{requireGain("UnitQuaternionConstraint", "beta", beta)} {}

VectorX UnitQuaternionConstraint::evaluate(const State& state, double /*time*/) const { return VectorX::Constant(1, state.orientation.squaredNorm() - 1.0); }

MatrixX UnitQuaternionConstraint::jacobian(const State& state, double /*time*/) const {
  const Quaternion& Q = state.orientation;
  MatrixX J = MatrixX::Zero(1, 7);
  J.rightCols<4>() << 2 * Q.w(), 2 * Q.x(), 2 * Q.y(), 2 * Q.z();
  return J;
}

VectorX UnitQuaternionConstraint::velocityProduct(const State& state, double /*time*/) const {
  return VectorX::Constant(1, 2 * state.quaternionRate.squaredNorm());
}

}  // namespace stiction
