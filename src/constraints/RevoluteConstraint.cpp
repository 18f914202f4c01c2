#include "constraints/RevoluteConstraint.hpp"

#include "constraints/Arguments.hpp"
#include "constraints/ContactConstraint.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {

RevoluteConstraint::RevoluteConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& anchorA, const Coordinate& anchorB,
                                       const Coordinate& axisA, const Coordinate& axisB)
    : TwoBodyBilateralConstraint{bodyAIndex, bodyBIndex},
      anchor_a_{requireFinite("RevoluteConstraint", "anchorA", anchorA)},
      anchor_b_{requireFinite("RevoluteConstraint", "anchorB", anchorB)},
      axis_b_{requireUnit("RevoluteConstraint", "axisB", axisB)} {
  const TangentFrame across = TangentBasis::computeTangentBasis(requireUnit("RevoluteConstraint", "axisA", axisA));
  across1_a_ = across.t1;
  across2_a_ = across.t2;
}

VectorX RevoluteConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 axis = stateB.orientation * axis_b_;
  VectorX C(5);
  C << stateB.position + stateB.orientation * anchor_b_ - stateA.position - stateA.orientation * anchor_a_, axis.dot(stateA.orientation * across1_a_),
      axis.dot(stateA.orientation * across2_a_);
  return C;
}

MatrixX RevoluteConstraint::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 axis = stateB.orientation * axis_b_;
  MatrixX J = MatrixX::Zero(5, 12);
  J.topRows<3>() = relativeMotionJacobian(stateA.orientation * anchor_a_, stateB.orientation * anchor_b_, Matrix3::Identity());
  int row = 3;
  for (const Coordinate& across : {across1_a_, across2_a_}) {
    const Vector3 turning = axis.cross(stateA.orientation * across);  // d(a·t)/dt = (ω_B − ω_A)·(a × t)
    J.block<1, 3>(row, 3) = -turning.transpose();
    J.block<1, 3>(row, 9) = turning.transpose();
    ++row;
  }
  return J;
}

}  // namespace stiction
