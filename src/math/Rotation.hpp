// Exponential map of rotations and its inverse. Source: Grassia 1998, "Practical parameterization of rotations using the exponential map".
#pragma once
#include "math/Types.hpp"

namespace stiction {

inline Matrix3 skew(const Vector3& a) {
  Matrix3 S;
  S << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return S;
}

/// Unit quaternion of the rotation by |theta| [rad] about theta.
inline Quaternion expRotation(const Vector3& theta) {
  const double square = theta.squaredNorm();
  const double angle = std::sqrt(square);
  const double s = square < 1e-8 ? 0.5 - square / 48.0 + square * square / 3840.0 : std::sin(0.5 * angle) / angle;
  return {std::cos(0.5 * angle), s * theta.x(), s * theta.y(), s * theta.z()};
}

/// Rotation vector [rad], |theta| <= pi, of a unit quaternion; inverse of expRotation.
inline Vector3 logRotation(const Quaternion& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const Vector3 v = sign * q.vec();
  const double s = v.norm();
  if (s < 1e-9) return 2.0 * v;
  return 2.0 * std::atan2(s, sign * q.w()) / s * v;
}

}  // namespace stiction
