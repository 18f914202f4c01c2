// Non-penetration at one point of two bodies.
//
//   C = n·(x_B + r_B − x_A − r_A) >= 0 [m],   J = [−nᵀ, −(r_A × n)ᵀ, nᵀ, (r_B × n)ᵀ]
//
// n and the lever arms are those of the contact as detected: C and J hold at the poses it was detected at, and to first order around them.
#pragma once
#include "constraints/Constraint.hpp"

namespace stiction {

class ContactConstraint : public TwoBodyConstraint {
 public:
  /// normal: unit within 1e-6, from A to B. Points [m] on the surfaces of A and B, and centres of mass, world. penetrationDepth [m] >= 0. restitution in [0, 1].
  /// preImpactRelVelNormal [m/s]: n·(velocity of B − velocity of A) at the contact before the forces of the step, negative when approaching; restitution acts on
  /// it alone, never on what gravity adds within the step. Throws std::invalid_argument.
  ContactConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal, const Coordinate& contactPointA, const Coordinate& contactPointB,
                    double penetrationDepth, const Coordinate& comA, const Coordinate& comB, double restitution, double preImpactRelVelNormal);

  int dimension() const override { return 1; }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  /// C within 1 cm of touching.
  bool isActiveTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return "ContactConstraint"; }

  const Coordinate& getContactNormal() const { return contact_normal_; }
  const Coordinate& getLeverArmA() const { return lever_arm_a_; }
  const Coordinate& getLeverArmB() const { return lever_arm_b_; }
  double getPenetrationDepth() const { return penetration_depth_; }
  double getRestitution() const { return restitution_; }
  double getPreImpactRelVelNormal() const { return pre_impact_rel_vel_normal_; }

 private:
  Coordinate contact_normal_;             // [-] from A to B
  Coordinate lever_arm_a_, lever_arm_b_;  // [m] contact point − centre of mass, world axes
  double penetration_depth_;              // [m]
  double restitution_;                    // [-]
  double pre_impact_rel_vel_normal_;      // [m/s]
};

/// [−d, −(a × d), d, b × d] for each direction d (rows): the rate of the motion of B against A along d at a point with lever arms a and b.
MatrixX relativeMotionJacobian(const Coordinate& leverA, const Coordinate& leverB,
                               const Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, 3>>& directions);

}  // namespace stiction
