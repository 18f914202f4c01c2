// Lagrange multipliers of constraints on one body, by accelerations (Baumgarte 1972; the tutorial form of the constraint framework).
//
//   q = [X, Q] ∈ R⁷,   M₇ q̈ = F + Jᵀλ,   C̈ = J q̈ + γ = −α C − β Ċ        γ: Constraint::velocityProduct;  Ċ = J q̇ + ∂C/∂t
//   A λ = b,   A = J M₇⁻¹ Jᵀ,   b = −J q̈_free − γ − α C − β Ċ             λ in the unit that makes Jᵀλ a force [N], [N m]: forces, not impulses
//
// The mass of q is 7 × 7. With E(Q) (3 × 4) of ω = 2 E Q̇ (world axes; E Eᵀ = |Q|², E Q = 0) the kinetic energy ½ ωᵀIω gives the quaternion the mass 4 EᵀIE, of rank 3:
//
//   M₇⁻¹ = diag( 1/m ,  ¼ EᵀI⁻¹E / |Q|⁴ + QQᵀ / (m_Q |Q|⁴) ),   m_Q = 12 / tr I⁻¹ [kg m²]
//
// m_Q is the mass given to the length of Q, which no motion of the body changes; for a sphere the quaternion's mass is then 4 I 1₄. A force along Q is no torque (E Q = 0), so a
// UnitQuaternionConstraint never pushes the body; in velocity coordinates (v, ω) its row is zero: redundant, not an error.
//
// α [1/s²] and β [1/s] are gains of a damped oscillation of C in time: C̈ + β Ċ + α C = 0. The error-reduction parameter of velocity-level solvers is α h², another thing.
#pragma once
#include <limits>
#include <vector>

#include "constraints/Constraint.hpp"

namespace stiction {

class ConstraintSolver {
 public:
  struct SolveResult {
    VectorX lambda;                                                    // multipliers in the order of the constraints' rows; 0 for inactive ones
    VectorX F_c;                                                       // Jᵀλ, 7: [N], and the force on Q
    bool converged{false};                                             // whether λ satisfies every row, redundant ones included
    Coordinate linearForce;                                            // [N] world
    Coordinate angularTorque;                                          // [N m] world: ½ E F_Q
    double conditionNumber{std::numeric_limits<double>::quiet_NaN()};  // of A: largest over smallest eigenvalue; infinite when singular, 1 without rows
    int rank{0};                                                       // of A
    std::vector<int> redundantRows;                                    // rows that the others imply, or that nothing can push
  };

  /// Full: as above. WithoutVelocityProduct: the tutorial's shorter b = −J M₇⁻¹ F − α C − β Ċ. It leaves out what curved paths need: a pendulum of 1 m gets longer by
  /// half a metre at steps of 16 ms.
  enum class AccelerationForm { Full, WithoutVelocityProduct };
  /// IndependentRows: redundant rows get λ = 0. LeastNorm: of all answers the shortest λ.
  enum class RedundancyRule { IndependentRows, LeastNorm };

  /// Constraints (not null, bilateral, of one body) of a body with the given state. externalForce [N]; mass [kg] > 0; inverseInertia [1/(kg m²)], world axes, symmetric and positive
  /// semidefinite, zero where rotation is locked; dt [s] > 0 (the answer does not depend on it). Throws std::invalid_argument naming the argument.
  SolveResult solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce, double mass, const Matrix3& inverseInertia,
                    double dt) const;
  /// The same with an external torque [N m], world axes, at a time [s].
  SolveResult solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce, const Vector3& externalTorque, double mass,
                    const Matrix3& inverseInertia, double dt, double time = 0.0) const;

  void setAccelerationForm(AccelerationForm form) { form_ = form; }
  AccelerationForm getAccelerationForm() const { return form_; }
  /// Whether −α C − β Ċ enter b. Off, errors of C stay as they are: for steppers that mend positions themselves.
  void setBaumgarte(bool on) { baumgarte_ = on; }
  bool getBaumgarte() const { return baumgarte_; }
  void setRedundancyRule(RedundancyRule rule) { redundancy_ = rule; }
  RedundancyRule getRedundancyRule() const { return redundancy_; }

 private:
  AccelerationForm form_{AccelerationForm::Full};
  bool baumgarte_{true};
  RedundancyRule redundancy_{RedundancyRule::IndependentRows};
};

/// "well-conditioned" below 100, "moderately conditioned" up to 1e6, "nearly singular" above, "singular" when infinite; "unknown" for NaN.
const char* conditionLabel(double conditionNumber);

}  // namespace stiction
