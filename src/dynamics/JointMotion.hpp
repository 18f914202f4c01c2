// The coordinates of the joints between two bodies, and what they change by.
//
//   A = R_WP R_ref ,  Q = Aᵀ R_WC = Rot(a₁, q₁) Rot(a₂, q₂) Rot(a₃, q₃) ,  d = p_A(child) − p_A(parent) in world axes
//   one hinge    q = 2 atan2(a · vec Q, w Q), in the turn nearest to where it was             q̇ = A a · (ω_C − ω_P)
//   more hinges  Newton's method for log( (Π Rot)⁻¹ Q ) = 0 from where they were              q̇ = dual of { A a₁ , A Rot₁ a₂ , … } · (ω_C − ω_P)
//   slides       q = S⁺ Fᵀ d                                                                  q̇ = d/dt of that, F = A (slides first) or R_WC (slides last)
//
// Poses are of centre-of-mass frames.
#pragma once
#include <array>
#include <span>

#include "state/WorldState.hpp"

namespace stiction {

using RowVector12 = Eigen::Matrix<double, 1, 12>;

class JointMotion {
 public:
  static constexpr int kMost = 5;  // joints of a mobilizer

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
  /// What d²q/dt² is without accelerations, of a joint that is no ball and not one of several hinges, for which it is left at 0.
  double bend(int joint, const Pose& X_WP, const Pose& X_WC, const Vector3& angularP, const Vector3& angularC, const Vector3& linearP,
              const Vector3& linearC) const;

  /// Directions that slides leave open or not, and the frame that carries them.
  bool slidesLast() const { return slidesLast_; }
  const Eigen::Matrix3Xd& slideAxes() const { return slides_; }
  const Eigen::Matrix3Xd& hingeAxes() const { return hinges_; }
  bool hasBall() const { return ball_; }
  /// Anchor in the parent's centre-of-mass frame, and in the child's.
  const Vector3& anchorP() const { return anchorP_; }
  const Vector3& anchorC() const { return mobilizer_.p_CA; }
  const Quaternion& reference() const { return mobilizer_.X_PC.rotation; }

 private:
  Quaternion slideFrame(const Pose& X_WP, const Pose& X_WC) const { return slidesLast_ ? X_WC.rotation : X_WP.rotation * mobilizer_.X_PC.rotation; }
  Vector3 separation(const Pose& X_WP, const Pose& X_WC) const { return X_WC * mobilizer_.p_CA - X_WP * anchorP_; }
  void hingeAngles(const Quaternion& Q, double* q) const;

  Mobilizer mobilizer_;
  std::vector<Joint> joints_;
  Vector3 anchorP_;
  Eigen::Matrix3Xd slides_, hinges_;                     // axes, one a column
  Eigen::Matrix<double, Eigen::Dynamic, 3> slideDuals_;  // S⁺
  bool slidesLast_{false}, ball_{false};
};

/// Energy [J] that the joints' springs hold, ½ k (q − q_k)², and their rotors, ½ a q̇².
double elasticEnergy(const JointMotion& motion, const WorldState& state);
double rotorEnergy(const Model& model, const WorldState& state);

/// Coordinates and their rates of all joints of the mobilizer [rad], [m], [rad/s], [m/s] at the state.
struct JointState {
  std::array<double, JointMotion::kMost> position{}, rate{};
  std::array<RowVector12, JointMotion::kMost> rates;
};
JointState stateOf(const JointMotion& motion, const WorldState& state);
/// J v.
double rateOf(const RowVector12& rates, const WorldState& state, int parent, int child);

/// Lets the rotors of a body's joints turn as the bodies do; -1: of all bodies', also where the state has none yet.
void engageRotors(const std::vector<JointMotion>& motions, int body, WorldState& state);

/// The coordinates of the model's joints at the state, each in the turn nearest to where it was and its rates have taken it since, over h [s].
void followJoints(const std::vector<JointMotion>& motions, const WorldState& before, double h, WorldState& state);

/// One entry per mobilizer of the model.
std::vector<JointMotion> jointMotions(const Model& model);

}  // namespace stiction
