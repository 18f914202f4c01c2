// Rods of fixed length: from the world's origin to a body's centre of mass, and between anchors on two bodies.
#pragma once
#include "constraints/Constraint.hpp"

namespace stiction {

/// |X|² − d² = 0 [m²].   J = [2Xᵀ 0 0 0 0]
class DistanceConstraint : public BilateralConstraint {
 public:
  /// d [m] > 0; Baumgarte's gains [1/s²], [1/s] >= 0. Throws std::invalid_argument.
  explicit DistanceConstraint(double targetDistance, double alpha = 10.0, double beta = 10.0);

  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override;
  MatrixX jacobian(const State& state, double time) const override;
  VectorX velocityProduct(const State& state, double time) const override;
  double alpha() const override { return alpha_; }
  double beta() const override { return beta_; }
  std::string typeName() const override { return "DistanceConstraint"; }
  double getTargetDistance() const { return distance_; }

 private:
  double distance_;  // [m]
  double alpha_, beta_;
};

/// (|p|² − d²) / 2d = 0 [m], p from the anchor on A to the anchor on B, both given in their body's frame from the centre of mass; |p| − d near the constraint.
class TwoBodyDistanceConstraint : public TwoBodyBilateralConstraint {
 public:
  /// Anchors [m], finite; d [m] > 0 (two points that coincide are three rows, a joint). Throws std::invalid_argument.
  TwoBodyDistanceConstraint(std::size_t bodyAIndex, std::size_t bodyBIndex, const Coordinate& anchorA, const Coordinate& anchorB, double targetDistance);

  int dimension() const override { return 1; }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  VectorX velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return "TwoBodyDistanceConstraint"; }
  double getTargetDistance() const { return distance_; }

 private:
  Coordinate anchor_a_, anchor_b_;  // [m] body frames
  double distance_;                 // [m]
};

}  // namespace stiction
