// Friction at one contact: two rows along orthonormal tangents t1, t2.
//
//   C_i = t_i·( v_A + ω_A × r_A − v_B − ω_B × r_B ) [m/s],   J_i = [t_iᵀ, (r_A × t_i)ᵀ, −t_iᵀ, −(r_B × t_i)ᵀ]
//
// "C" is a velocity: J is its derivative by the velocities. The Coulomb disc ‖λ_t‖ <= μ λ_n is what the solvers hold to; the bounds ±μ λ_n / √2 given here are the square
// inscribed in it, short of the disc by up to 29 % along the axes. They belong to the named methods `box` and `pgs` alone.
#pragma once
#include <utility>

#include "constraints/Constraint.hpp"

namespace stiction {

class FrictionConstraint : public TwoBodyConstraint {
 public:
  /// normal: unit within 1e-6, from A to B. Points [m] on the surfaces and centres of mass, world. frictionCoefficient in [0, ∞).
  /// Tangents by TangentBasis::computeTangentBasis. Throws std::invalid_argument.
  FrictionConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& normal, const Coordinate& contactPointA, const Coordinate& contactPointB,
                     const Coordinate& comA, const Coordinate& comB, double frictionCoefficient);

  int dimension() const override { return 2; }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  /// μ > 0 and λ_n > 0. Before a first solve λ_n is 0: solvers take friction into it all the same, or it would never start.
  bool isActiveTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return "FrictionConstraint"; }
  /// A velocity has no position error to pull back.
  double alpha() const override { return 0.0; }
  double beta() const override { return 0.0; }

  /// λ_n >= 0 of the contact [N]. Throws std::invalid_argument. Not for use from several threads at once; everything const is.
  void setNormalLambda(double normalLambda);
  /// {−μ λ_n / √2, +μ λ_n / √2} [N], for either row. Finite, the lower one first. The methods of boxes, `box` and `pgs`, call setNormalLambda and ask for these at every change of a
  /// normal force: a derived class that gives others gets its own law from them.
  virtual std::pair<double, double> getFrictionBounds() const;

  const Coordinate& getTangent1() const { return tangent1_; }
  const Coordinate& getTangent2() const { return tangent2_; }
  double getFrictionCoefficient() const { return friction_coefficient_; }
  const Coordinate& getContactNormal() const { return contact_normal_; }
  const Coordinate& getLeverArmA() const { return lever_arm_a_; }
  const Coordinate& getLeverArmB() const { return lever_arm_b_; }

 private:
  Coordinate contact_normal_;             // [-] from A to B
  Coordinate tangent1_, tangent2_;        // [-]
  Coordinate lever_arm_a_, lever_arm_b_;  // [m] contact point − centre of mass, world axes
  double friction_coefficient_;           // [-]
  double normal_lambda_{0.0};             // [N]
};

}  // namespace stiction
