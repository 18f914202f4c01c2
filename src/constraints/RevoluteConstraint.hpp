// A hinge, on the level of positions: five rows that leave the rotation about one axis.
//
//   C = ( p_B − p_A ,  t1·a_B ,  t2·a_B )      anchors p [m], axes a [-] of the two bodies; t1, t2 orthonormal to a_A, fixed to A
//
// The axes are held parallel, not opposite: C = 0 also where they point opposite ways, a state the hinge cannot reach from a right start.
#pragma once
#include "constraints/Constraint.hpp"

namespace stiction {

class RevoluteConstraint : public TwoBodyBilateralConstraint {
 public:
  /// Anchors [m] and unit axes (within 1e-6) in the frames of A (the parent) and B (the child), from their centres of mass. Throws std::invalid_argument.
  RevoluteConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& anchorA, const Coordinate& anchorB, const Coordinate& axisA,
                     const Coordinate& axisB);

  int dimension() const override { return 5; }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return "RevoluteConstraint"; }

 private:
  Coordinate anchor_a_, anchor_b_;    // [m] body frames
  Coordinate axis_b_;                 // [-] B
  Coordinate across1_a_, across2_a_;  // [-] A: t1, t2
};

}  // namespace stiction
