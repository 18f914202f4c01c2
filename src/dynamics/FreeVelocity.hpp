// The velocity a body would have at the end of the step without contacts, and the motion of its pose.
//
//   v_free = v⁻ + h (g + F/m) ,   ω_free = ω⁻ + h I(R)⁻¹ τ        no gyroscopic term: the rotation update carries it
//   x⁺ = x + h v⁺ ,               R⁺, ω⁺ by RotationUpdate
//   x⁺ = x + h (v⁻ + v⁺)/2        of a body that nothing touches or holds: a parabola, exactly
#pragma once
#include <vector>

#include "dynamics/BodyInertia.hpp"
#include "dynamics/RotationUpdate.hpp"
#include "state/WorldState.hpp"

namespace stiction {

/// Forces and torques on the bodies besides gravity, world axes at the centres of mass, and what drives the actuators.
struct Loads {
  std::vector<Vector3> force;   // [N] per body
  std::vector<Vector3> torque;  // [N m] per body
  std::vector<double> drive;    // per actuator
};

struct Twist {
  Vector3 linear{Vector3::Zero()};   // [m/s]
  Vector3 angular{Vector3::Zero()};  // [rad/s] world axes
};
Twist twistOf(const WorldState& state, int body);

/// g of a body: the model's, or zero where the body has none.
Vector3 gravityOf(const Model& model, int body);

Twist freeVelocity(const Model& model, const BodyInertia& inertia, const Loads& loads, const WorldState& state, int body, double h);

/// Moves a dynamic body over h at `travel` [m/s] and its solved angular velocity (stored in `state`); returns the rotation step. A body with neither keeps its pose bit by bit.
RotationStep movePose(const BodyInertia& inertia, WorldState& state, int body, const Vector3& travel, double h);

/// Moves a kinematic body exactly: x⁺ = x + h v, R⁺ = exp(h ω) R.
void moveKinematic(WorldState& state, int body, double h);

}  // namespace stiction
