// Rotation of a free rigid body over a step, with the angular momentum kept exactly and the kinetic energy to round-off.
//
//   L⁺ = I(R) ω ,  R⁺ = R exp( h (Ω + Ω⁺)/2 ) ,  Ω = I_b⁻¹ Rᵀ L⁺ ,  Ω⁺ = I_b⁻¹ R⁺ᵀ L⁺ ,  ω⁺ = R⁺ Ω⁺
//
// With θ = h (Ω + Ω⁺)/2 and Π = Rᵀ L: F(θ) = θ − (h/2)(Ω + I_b⁻¹ exp(−θ) Π) = 0, by Newton's method with the exact derivative
// ∂(exp(−θ)Π)/∂θ = [exp(−θ)Π]× J_r(θ). Energy: ½(Π⁺·Ω⁺ − Π·Ω) = (Π⁺ − Π)·Ω̄ = 0 since Π⁺ − Π is normal to the axis θ.
// Fast spin is cut into rotations of at most one radian, more where Newton fails. Source: Simo & Wong 1991, implicit mid-point of momenta.
// Cost: 3–5 Newton iterations of a 3 × 3 solve; one for isotropic inertia.
#pragma once
#include "dynamics/BodyInertia.hpp"

namespace stiction {

struct RotationStep {
  Quaternion rotation;                       // R⁺
  Vector3 angularVelocity{Vector3::Zero()};  // [rad/s] ω⁺, world axes
  Vector3 angle{Vector3::Zero()};            // [rad] rotation vector of the step, world axes (summed over the cuts)
  double work{0};                            // [J] Σ (Π⁺ − Π)·Ω̄: the change of kinetic energy, at round-off
};

/// `angularVelocity` is the one the velocity solve gave at `rotation`. A locked body keeps its rotation.
RotationStep advanceRotation(const BodyInertia& body, const Quaternion& rotation, const Vector3& angularVelocity, double h);

}  // namespace stiction
