// The joints of a model as constraints: the directions in which a mobilizer holds its child, and the ends of a coordinate's range.
//
//   n·d = 0                 for each direction n across the slides, fixed to the body that carries them; d [m] between the anchors (JointMotion.hpp)
//   α·β − α·β|reference = 0   α fixed to the parent, β to the child [-]:  no hinge: three pairs of axes; one: two across it; two: the hinges themselves
//   q − q_low >= 0, q_high − q >= 0
//
// Rates and velocity products in closed form. Which turn a hinge is in, poses do not tell: functions that take coordinates `before` look for those near by; the others start at the reference.
#pragma once
#include <array>

#include "constraints/Constraint.hpp"
#include "dynamics/JointMotion.hpp"

namespace stiction {

/// Coordinates of a mobilizer's joints where poses alone are given.
std::array<double, JointMotion::kMost> referenceOf(const JointMotion& motion);

class JointConstraint : public TwoBodyBilateralConstraint {
 public:
  JointConstraint(const JointMotion& motion, std::string name);

  static constexpr int kMost = 6;  // rows

  int firstJoint() const { return motion_.firstJoint(); }
  /// C, its rates by v_P, ω_P, v_C, ω_C, both, and its velocity product: dimension() entries each.
  void values(const Pose& X_WP, const Pose& X_WC, const double* before, double* C) const;
  void rates(const Pose& X_WP, const Pose& X_WC, const double* before, RowVector12* J) const;
  void valuesAndRates(const Pose& X_WP, const Pose& X_WC, const double* before, double* C, RowVector12* J) const;
  void velocityProducts(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before, double* products) const;

  int dimension() const override { return static_cast<int>(across_.size() + angles_.size()); }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  VectorX velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return name_; }

 private:
  struct Angle {
    Vector3 parent, child;  // [-] α, β in the axes of the bodies
    double cosine;
  };

  JointMotion motion_;
  std::vector<Vector3> across_;  // [-] n, in the axes of the body that carries the slides
  std::vector<Angle> angles_;
  std::array<double, JointMotion::kMost> reference_;
  std::string name_;
};

class JointLimit : public BetweenTwoBodies<UnilateralConstraint> {
 public:
  /// One end of the range of the joint-th joint of the mobilizer.
  JointLimit(const JointMotion& motion, int joint, bool high, std::string name);

  const JointMotion& motion() const { return motion_; }
  /// C [rad] or [m] at coordinates q of the mobilizer's joints, its rates by theirs, and its velocity product.
  double valueAt(const double* q) const { return sign_ * (q[joint_] - end_); }
  RowVector12 rateBy(const RowVector12* rates) const { return sign_ * rates[joint_]; }
  double bendFrom(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const;

  int dimension() const override { return 1; }
  bool isActiveTwoBody(const InertialState& /*stateA*/, const InertialState& /*stateB*/, double /*time*/) const override { return true; }
  VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  VectorX velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;
  std::string typeName() const override { return name_; }

 private:
  JointMotion motion_;
  int joint_;
  double sign_, end_;
  std::array<double, JointMotion::kMost> reference_;
  std::string name_;
};

}  // namespace stiction
