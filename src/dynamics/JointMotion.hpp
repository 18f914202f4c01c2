// The coordinates of the joints between two bodies, and what they change by.
//
//   hinges       HingeChain.hpp
//   slides       q = S⁺ Fᵀ d                               q̇ = d/dt of that, F = A (slides first) or R_WC (slides last)
//   d = p_A(child) − p_A(parent), in world axes; where hinges have points of their own, p_A(parent) is where they take the last one's
//
// Poses are of centre-of-mass frames.
#pragma once
#include <array>
#include <span>

#include "dynamics/BodyRates.hpp"
#include "dynamics/HingeChain.hpp"
#include "state/WorldState.hpp"

namespace stiction {

/// The way d [m] between the anchors of parent and child, and how fast its part along a direction n changes that one of the two carries.
struct Separation {
  Vector3 d;
  Vector3 armP, armC;  // [m] from the centres of mass to its ends
  bool onChild;        // who carries n
  bool isSpread;       // the hinges move the parent's end, by K (ω_C − ω_P)
  Matrix3 K;

  /// By v_P, ω_P, v_C, ω_C.
  RowVector12 rate(const Vector3& n) const;
};

/// The same of d²(n·d)/dt² without accelerations.
struct SeparationBend {
  Vector3 d, rate, bend;  // [m], [m/s], [m/s²] of d
  Vector3 spin;           // [rad/s] of the carrier
  double along(const Vector3& n) const { return spin.cross(spin.cross(n)).dot(d) + 2 * spin.cross(n).dot(rate) + n.dot(bend); }
};

class JointMotion {
 public:
  static constexpr int kMost = 6;  // joints of a mobilizer

  JointMotion(const Model& model, const Mobilizer& mobilizer);

  int parent() const { return mobilizer_.parent; }
  int child() const { return mobilizer_.child; }
  int firstJoint() const { return mobilizer_.firstJoint; }
  int joints() const { return mobilizer_.joints; }
  std::span<const Joint> all() const { return {joints_.data(), static_cast<std::size_t>(mobilizer_.joints)}; }

  /// Coordinates [rad], [m] of all joints, near those `before`, which may be the same place as `q`; 0 for a ball.
  void coordinates(const Pose& X_WP, const Pose& X_WC, const double* before, double* q) const;
  /// Rates of the coordinates q at these poses by v_P, ω_P, v_C, ω_C, world axes; of a ball about the child's x alone.
  void rates(const Pose& X_WP, const Pose& X_WC, const double* q, RowVector12* rates) const;
  /// The same of a ball about the child's axis i.
  static RowVector12 ballRate(const Pose& X_WC, int i);
  /// What d²q/dt² is without accelerations, of a joint that is no ball, for coordinates near those `before`.
  double bend(int joint, const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const;

  /// Between the anchors, for coordinates near those `before`; direction n is fixed to the body that carries the slides.
  Separation separation(const Pose& X_WP, const Pose& X_WC, const double* before) const;
  SeparationBend separationBend(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const;
  /// Of the body that carries the slides.
  const Quaternion& carrier(const Pose& X_WP, const Pose& X_WC) const { return slidesLast_ ? X_WC.rotation : X_WP.rotation; }
  bool slidesLast() const { return slidesLast_; }
  const Eigen::Matrix3Xd& slideAxes() const { return slides_; }
  const HingeChain::Axes& hingeAxes() const { return hinges_.axes(); }
  bool hasBall() const { return ball_; }
  const Quaternion& reference() const { return mobilizer_.X_PC.rotation; }

 private:
  using Angles = std::array<double, HingeChain::kMost>;

  Quaternion slideFrame(const Pose& X_WP, const Pose& X_WC) const { return slidesLast_ ? X_WC.rotation : referenceFrame(X_WP); }
  Quaternion referenceFrame(const Pose& X_WP) const { return X_WP.rotation * mobilizer_.X_PC.rotation; }
  Angles anglesAt(const double* q) const;
  Angles angles(const Pose& X_WP, const Pose& X_WC, const double* before) const;
  HingeChain::Place hinges(const Pose& X_WP, const Pose& X_WC, const double* before) const;
  Vector3 slideDirection(int slide, const Pose& X_WP, const Pose& X_WC) const;
  int placeAmongKind(int joint) const;

  Mobilizer mobilizer_;
  std::vector<Joint> joints_;
  HingeChain hinges_;
  Vector3 anchorP_;                                      // [m] of the first hinge in the parent's centre-of-mass frame
  Eigen::Matrix3Xd slides_;                              // axes, one a column
  Eigen::Matrix<double, Eigen::Dynamic, 3> slideDuals_;  // S⁺
  bool slidesLast_{false}, ball_{false};
};

/// Energy [J] that the joints' springs hold, ½ k (q − q_k)², and all rotors, ½ a q̇².
double elasticEnergy(const JointMotion& motion, const WorldState& state);
double rotorEnergy(const Model& model, const WorldState& state);

/// Coordinates and their rates of all joints of the mobilizer [rad], [m], [rad/s], [m/s] at the state.
struct JointState {
  std::array<double, JointMotion::kMost> position{}, rate{};
  std::array<RowVector12, JointMotion::kMost> rates;
};
JointState stateOf(const JointMotion& motion, const WorldState& state);
/// Its coordinates alone.
std::array<double, JointMotion::kMost> positionsOf(const JointMotion& motion, const WorldState& state);

/// Lets the rotors of a body's joints turn as the bodies do; -1: of all bodies', also where the state has none yet.
void engageRotors(const std::vector<JointMotion>& motions, int body, WorldState& state);

/// The coordinates of the model's joints at the state, each in the turn nearest to where it was and its rates have taken it since, over h [s].
void followJoints(const std::vector<JointMotion>& motions, const WorldState& before, double h, WorldState& state);

/// One entry per mobilizer of the model.
std::vector<JointMotion> jointMotions(const Model& model);
/// Of the mobilizer that has the joint.
const JointMotion& motionOf(const std::vector<JointMotion>& motions, int joint);
/// Of a connection, as if it were a mobilizer with a ball, or without joints. It has no coordinates.
JointMotion connectionMotion(const Connection& connection);

}  // namespace stiction
