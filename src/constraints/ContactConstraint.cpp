#include "constraints/ContactConstraint.hpp"

#include <cmath>

#include "constraints/Arguments.hpp"

namespace stiction {

ContactConstraint::ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal, const Coordinate& contactPointA,
                                     const Coordinate& contactPointB, double penetrationDepth, const Coordinate& comA, const Coordinate& comB,
                                     double restitution, double preImpactRelVelNormal)
    : TwoBodyConstraint{bodyAIndex, bodyBIndex},
      contact_normal_{requireUnit("ContactConstraint", "normal", normal)},
      lever_arm_a_{requireFinite("ContactConstraint", "contactPointA - comA", contactPointA - comA)},
      lever_arm_b_{requireFinite("ContactConstraint", "contactPointB - comB", contactPointB - comB)},
      penetration_depth_{requireAtLeastZero("ContactConstraint", "penetrationDepth", penetrationDepth, "bodies that are apart have depth 0")},
      restitution_{requireBetween("ContactConstraint", "restitution", restitution, 0, 1, "above 1 an impact would create energy")},
      pre_impact_rel_vel_normal_{preImpactRelVelNormal} {
  requireFinite("ContactConstraint", "preImpactRelVelNormal", Coordinate{preImpactRelVelNormal, 0, 0});
}

VectorX ContactConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, contact_normal_.dot(stateB.position + lever_arm_b_ - stateA.position - lever_arm_a_));
}

MatrixX ContactConstraint::jacobianTwoBody(const InertialState& /*stateA*/, const InertialState& /*stateB*/, double /*time*/) const {
  return relativeMotionJacobian(lever_arm_a_, lever_arm_b_, contact_normal_.transpose());
}

bool ContactConstraint::isActiveTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const {
  constexpr double near = 0.01;  // [m]
  return evaluateTwoBody(stateA, stateB, time)[0] <= near;
}

MatrixX relativeMotionJacobian(const Coordinate& leverA, const Coordinate& leverB,
                               const Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, 3>>& directions) {
  MatrixX J(directions.rows(), 12);
  for (Eigen::Index i = 0; i < directions.rows(); ++i) {
    const Vector3 d = directions.row(i);
    J.row(i) << -d.transpose(), -leverA.cross(d).transpose(), d.transpose(), leverB.cross(d).transpose();
  }
  return J;
}

}  // namespace stiction
