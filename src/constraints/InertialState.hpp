// The state of one rigid body as constraints see it: q = [X, Q] ∈ R⁷ and its rate.
#pragma once
#include "math/Coordinate.hpp"

namespace stiction {

struct InertialState {
  Coordinate position;                                 // [m] X: centre of mass, world
  Coordinate velocity;                                 // [m/s]
  Coordinate acceleration;                             // [m/s²]
  Quaternion orientation{1.0, 0.0, 0.0, 0.0};          // Q: body to world, unit
  Eigen::Vector4d quaternionRate{0.0, 0.0, 0.0, 0.0};  // [1/s] dQ/dt, (w, x, y, z)
  Coordinate angularAcceleration;                      // [rad/s²] world axes

  /// ω [rad/s], world axes: dQ/dt = ½ (0, ω) Q.
  Coordinate getAngularVelocity() const { return quaternionRateToOmega(quaternionRate, orientation); }
  void setAngularVelocity(const Coordinate& omega) { quaternionRate = omegaToQuaternionRate(omega, orientation); }

  /// ½ (0, ω) Q as (w, x, y, z).
  static Eigen::Vector4d omegaToQuaternionRate(const Coordinate& omega, const Quaternion& Q);
  /// The vector part of 2 dQ/dt Q*, for unit Q.
  static Coordinate quaternionRateToOmega(const Eigen::Vector4d& rate, const Quaternion& Q);
};

using State = InertialState;

}  // namespace stiction
