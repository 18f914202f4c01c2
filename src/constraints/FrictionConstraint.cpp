#include "constraints/FrictionConstraint.hpp"

#include <numbers>

#include "constraints/Arguments.hpp"
#include "constraints/ContactConstraint.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {

FrictionConstraint::FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal, const Coordinate& contactPointA,
                                       const Coordinate& contactPointB, const Coordinate& comA, const Coordinate& comB, double frictionCoefficient)
    : TwoBodyConstraint{bodyAIndex, bodyBIndex},
      contact_normal_{requireUnit("FrictionConstraint", "normal", normal)},
      lever_arm_a_{requireFinite("FrictionConstraint", "contactPointA - comA", contactPointA - comA)},
      lever_arm_b_{requireFinite("FrictionConstraint", "contactPointB - comB", contactPointB - comB)},
      friction_coefficient_{requireAtLeastZero("FrictionConstraint", "frictionCoefficient", frictionCoefficient, "0 is a frictionless contact")} {
  const TangentFrame tangents = TangentBasis::computeTangentBasis(contact_normal_);
  tangent1_ = tangents.t1;
  tangent2_ = tangents.t2;
}

VectorX FrictionConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  const Vector3 slip = stateA.velocity + stateA.getAngularVelocity().cross(lever_arm_a_) - stateB.velocity - stateB.getAngularVelocity().cross(lever_arm_b_);
  return Vector2{slip.dot(tangent1_), slip.dot(tangent2_)};
}

MatrixX FrictionConstraint::jacobianTwoBody(const InertialState& /*stateA*/, const InertialState& /*stateB*/, double /*time*/) const {
  Eigen::Matrix<double, 2, 3> tangents;
  tangents << tangent1_.transpose(), tangent2_.transpose();
  return -relativeMotionJacobian(lever_arm_a_, lever_arm_b_, tangents);
}

bool FrictionConstraint::isActiveTwoBody(const InertialState& /*stateA*/, const InertialState& /*stateB*/, double /*time*/) const {
  return friction_coefficient_ > 0 && normal_lambda_ > 0;
}

void FrictionConstraint::setNormalLambda(double normalLambda) {
  normal_lambda_ = requireAtLeastZero("FrictionConstraint", "normalLambda", normalLambda, "contacts push, they do not pull");
}

std::pair<double, double> FrictionConstraint::getFrictionBounds() const {
  const double bound = friction_coefficient_ * normal_lambda_ / std::numbers::sqrt2;
  return {-bound, bound};
}

}  // namespace stiction
