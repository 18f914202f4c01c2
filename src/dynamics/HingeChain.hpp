// Hinges one after the other between a parent and a child, each about an axis through a point of its own.
//
//   Q = Aᵀ R_WC = Rot(a₁, q₁) Rot(a₂, q₂) Rot(a₃, q₃) ,  A = R_WP R_ref
//   one hinge      q = 2 atan2(a · vec Q, w Q)
//   two            each by the angle about its axis at which Q has the other's, whose angle to it stays
//   three          Newton's method for log( (Π Rot)⁻¹ Q ) = 0, from where they were
//   q̇ = D ω ,  ω = ω_C − ω_P ,  D dual of the axes B = { A a₁ , A Rot₁ a₂ , R_WC a₃ }
//   d²q/dt² = −D Ḃ q̇ + D Dᵀ Ḃᵀ (ω − B q̇)     without accelerations
//   the last hinge's point is Σ ρ_k away from the first one's, ρ_k from the k-th to the next, which turns with all hinges up to the k-th
#pragma once
#include <array>

#include "dynamics/FreeVelocity.hpp"

namespace stiction {

class HingeChain {
 public:
  static constexpr int kMost = 3;
  using Axes = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMost>;
  using Duals = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kMost, 3>;

  /// `axis` [-] and `point` [m], in the child's axes at the reference pose; points from wherever.
  void add(const Vector3& axis, const Vector3& point);
  int count() const { return static_cast<int>(axes_.cols()); }
  const Axes& axes() const { return axes_; }
  /// Whether the hinges' points differ.
  bool isSpread() const { return isSpread_; }

  /// Angles [rad] of Q, each in the turn nearest to the one that comes in.
  void follow(const Quaternion& Q, double* angles) const;

  /// Where the hinges are, world axes.
  struct Place {
    Axes axes;                             // B
    Duals duals;                           // D
    std::array<Vector3, kMost - 1> links;  // [m] ρ
    Vector3 reach() const { return links[0] + links[1]; }
  };
  Place place(const Quaternion& A, const Quaternion& R_WC, const double* angles) const;
  /// d²q/dt² [rad/s²] without accelerations.
  Eigen::Vector3d bends(const Place& place, const Vector3& angularP, const Vector3& angularC) const;
  /// K of: the hinges move the last one's point by K ω.
  Matrix3 reachRate(const Place& place) const;
  /// [m/s²] of the last hinge's point against the first one's, without accelerations of the bodies.
  Vector3 reachBend(const Place& place, const Vector3& angularP, const Vector3& angularC) const;

 private:
  void followTwo(const Quaternion& Q, double* angles) const;
  void followThree(const Quaternion& Q, double* angles) const;
  Axes axesRate(const Place& place, const Vector3& angularP, const Vector3& angularC) const;

  Axes axes_{3, 0};
  std::array<Vector3, kMost> points_{};
  bool isSpread_{false};
};

/// Rows dual to the columns; of least length where they are dependent.
HingeChain::Duals dualsOf(const HingeChain::Axes& axes);

}  // namespace stiction
