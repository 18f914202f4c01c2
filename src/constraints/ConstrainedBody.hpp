// One body held by constraints, stepped in time.
//
// PositionLevel (default), RATTLE (Andersen 1983): impulses along J(q) put the end of the step on C(q⁺, t + h) = 0, impulses along J(q⁺) its velocity on Ċ = 0:
//
//   v½ = v + M⁻¹( h F/2 + J(q)ᵀ Λ ),   q⁺ = q ⊕ h v½,   C(q⁺, t + h) = 0,   v⁺ = v½ + M⁻¹( h F/2 + J(q⁺)ᵀ Λ' ),   J(q⁺) v⁺ + ∂C/∂t = 0
//
// Second order, and symmetric: energy does not drift. The rotation goes by RotationUpdate. Poses off their constraints at the start are brought back apart from velocities, by the
// least motion in the metric of M.
//
// Baumgarte, the tutorial's loop: v⁺ = v + h (F + F_c)/m, ω⁺ = ω + h I⁻¹(τ + τ_c − ω × Iω), q⁺ = q ⊕ h v⁺; gains alone hold C near zero. C then follows C̈ + β Ċ + α C = 0
// with the errors of the step as its push, and energy is not kept.
#pragma once
#include "constraints/ConstraintSolver.hpp"
#include "dynamics/BodyInertia.hpp"

namespace stiction {

class ConstrainedBody {
 public:
  enum class Stabilisation { PositionLevel, Baumgarte };

  /// mass [kg] in [1e-60, 1e60]; inertia [kg m²] about the centre of mass, body axes, symmetric positive definite; constraints of one body, not null, not owned. Throws std::invalid_argument.
  ConstrainedBody(double mass, const Matrix3& inertia, std::vector<Constraint*> constraints);

  /// One step of dt [s]; returns the multipliers at its start. Where they do not satisfy the constraints, or the end finds no way on to them, converged is false and the state stays
  /// as it was.
  ConstraintSolver::SolveResult physicsStep(State& state, double dt);

  void setGravity(const Vector3& gravity) { gravity_ = gravity; }      // [m/s²]
  void setExternalForce(const Vector3& force) { force_ = force; }      // [N] world
  void setExternalTorque(const Vector3& torque) { torque_ = torque; }  // [N m] world
  void setStabilisation(Stabilisation stabilisation);
  ConstraintSolver& solver() { return solver_; }
  double time() const { return time_; }  // [s]
  /// C of every constraint at the state and the present time, stacked.
  VectorX violation(const State& state) const;

 private:
  MatrixX velocityRows(const State& state, double time) const;
  VectorX partialTime(const State& state, double time) const;
  Matrix6 inverseMass(const State& state) const;
  bool atConstraints(const VectorX& C, const MatrixX& J, const State& state) const;
  bool mend(State& state) const;
  bool rattle(State& state, const Vector3& force, double dt) const;
  void stepExplicitly(State& state, double dt) const;

  BodyInertia body_;
  std::vector<Constraint*> constraints_;
  Vector3 gravity_{0, 0, -9.81}, force_{Vector3::Zero()}, torque_{Vector3::Zero()};
  Stabilisation stabilisation_{Stabilisation::PositionLevel};
  ConstraintSolver solver_;
  double time_{0};
};

}  // namespace stiction
