// One body held by constraints, stepped as the tutorial steps it: forces, multipliers, semi-implicit Euler, rotation.
//
//   v⁺ = v + h (F + F_c)/m,   ω⁺ = ω + h I⁻¹(τ + τ_c − ω × Iω),   X⁺ = X + h v⁺,   Q⁺ = exp(h ω⁺) Q
//
// PositionLevel (default): then the poses go back to C(q⁺, t + h) = 0 by the least motion in the metric of M, and the velocities to Ċ = 0 by the least impulse: no drift.
// Baumgarte: gains alone hold C near zero, as the tutorial has it; C then follows C̈ + β Ċ + α C = 0 with the errors of the step as its push.
#pragma once
#include "constraints/ConstraintSolver.hpp"

namespace stiction {

class ConstrainedBody {
 public:
  enum class Stabilisation { PositionLevel, Baumgarte };

  /// mass [kg] > 0; inertia [kg m²] about the centre of mass, body axes, symmetric positive definite; constraints of one body, not owned. Throws std::invalid_argument.
  ConstrainedBody(double mass, const Matrix3& inertia, std::vector<Constraint*> constraints);

  /// One step of dt [s]. Where the multipliers do not satisfy the constraints (result.converged is false), or poses find no way back to them, the state stays as it was.
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
  bool project(State& state, double time) const;
  MatrixX velocityRows(const State& state, double time) const;

  double mass_;
  Matrix3 inertia_, inverse_inertia_;  // body axes
  std::vector<Constraint*> constraints_;
  Vector3 gravity_{0, 0, -9.81}, force_{Vector3::Zero()}, torque_{Vector3::Zero()};
  Stabilisation stabilisation_{Stabilisation::PositionLevel};
  ConstraintSolver solver_;
  double time_{0};
};

}  // namespace stiction
