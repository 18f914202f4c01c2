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
//
// Contacts of many bodies are solved by impulses over the step (solveWithContacts):
//
//   v⁺ = v + M⁻¹ Jᵀ λ,   u = J v⁺ + w,   0 <= λ_n ⊥ u_n >= 0,   friction by the law chosen          λ [N s] in the order n, t1, t2 per contact;  forces Jᵀλ / dt
//
#pragma once
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "constraints/Constraint.hpp"
#include "solvers/Ecos.hpp"

namespace stiction {

constexpr double kECOSDefaultTol = 1e-6;  // [-] absolute and relative
constexpr int kECOSDefaultMaxIter = 100;

class ConstraintSolver {
 public:
  using ECOSData = stiction::ECOSData;
  using ECOSSparseMatrix = stiction::ECOSSparseMatrix;
  using FrictionConeSpec = stiction::FrictionConeSpec;

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

  /// Constraints (not null, bilateral, of one body) of a body with the given state. externalForce [N]; mass [kg] in [1e-60, 1e60]; inverseInertia [1/(kg m²)], world axes, symmetric and positive
  /// semidefinite, zero where rotation is locked; dt [s] in [1e-12, 1e6] (the answer does not depend on it). Throws std::invalid_argument naming the argument.
  SolveResult solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce, double mass, const Matrix3& inverseInertia,
                    double dt) const;
  /// The same with an external torque [N m], world axes, at a time [s].
  SolveResult solve(const std::vector<Constraint*>& constraints, const State& state, const Vector3& externalForce, const Vector3& externalTorque, double mass,
                    const Matrix3& inverseInertia, double dt, double time = 0.0) const;

  /// Net of all constraints on one body over the step.
  struct BodyForces {
    Coordinate linearForce;    // [N] world
    Coordinate angularTorque;  // [N m] world
  };

  /// What a method for contacts says of its answer.
  struct ActiveSetResult {
    VectorX lambda;  // [N s]
    bool converged{false};
    int iterations{0};               // changes of the active set, or iterations of the method
    int active_set_size{0};          // rows that push; 0 for other methods
    std::string solver_type{"ASM"};  // "ASM": active set, without friction; "ECOS"; else the name of the friction method
    int ecos_exit_flag{0};
    double primal_residual{std::numeric_limits<double>::quiet_NaN()};
    double dual_residual{std::numeric_limits<double>::quiet_NaN()};
    double gap{std::numeric_limits<double>::quiet_NaN()};

    ActiveSetResult() = default;
    ActiveSetResult(const VectorX& l, bool conv, int iter, int active_sz) : lambda{l}, converged{conv}, iterations{iter}, active_set_size{active_sz} {}
    ActiveSetResult(const VectorX& l, bool conv, int iter, int exit_flag, double pres, double dres, double gap_val)
        : lambda{l},
          converged{conv},
          iterations{iter},
          solver_type{"ECOS"},
          ecos_exit_flag{exit_flag},
          primal_residual{pres},
          dual_residual{dres},
          gap{gap_val} {}
  };

  struct MultiBodySolveResult {
    std::vector<BodyForces> bodyForces;  // per body
    VectorX lambdas;        // [N s] one per row without friction; n, t1, t2 per contact with it, in the order of the contacts; 0 for rows that are not active
    bool converged{false};  // certified for strict Coulomb, without friction too; for a method of another law: its own is met
    int iterations{0};
    double residual{std::numeric_limits<double>::quiet_NaN()};  // [-] relative certificate of strict Coulomb (Certificate.hpp), whatever the method
    ActiveSetResult details;
    std::string message;  // why not converged
  };

  /// Contacts (ContactConstraint), their friction (FrictionConstraint of the same bodies, normal and lever arms, anywhere in the list) and unilateral rows of users' own. `states`: the
  /// velocities of the step's end without any contact force, all other forces included. Rows are evaluated there at t = 0, active ones alone; contacts and friction always take part. What friction's
  /// C has beyond J v is the speed of a surface, a belt's, say. One certificate for all bodies, in relation to the fastest contact. inverseMasses [1/kg] and inverseInertias [1/(kg m²)], world axes: 0 where a body
  /// does not give way, else in [1e-60, 1e60]; such bodies may move as driven. dt [s] in [1e-12, 1e6]. Restitution pushes back at e times the pre-impact speed; a contact that is apart may close within dt. Overlap stays
  /// as it is: velocities are not the place to mend it.
  /// Normal forces are given to the friction constraints (setNormalLambda): calls from several threads need constraints of their own each. Throws std::invalid_argument naming the element; and, built with -DSTICTION_ECOS_THROWS=ON,
  /// std::runtime_error where ECOS fails, in place of an answer with converged = false.
  MultiBodySolveResult solveWithContacts(const std::vector<TwoBodyConstraint*>& contactConstraints,
                                         const std::vector<std::reference_wrapper<const InertialState>>& states, const std::vector<double>& inverseMasses,
                                         const std::vector<Matrix3>& inverseInertias, std::size_t numBodies, double dt) const;

  /// The friction method: "auto" (default: strict Coulomb) or any name of `stiction solvers`. Throws InputError that lists them for another.
  void setFrictionMethod(const std::string& name);
  const std::string& getFrictionMethod() const { return friction_method_; }
  /// Relative certificate to which strict methods are held, 1e-8 unless set; in [1e-15, 0.1]. Throws std::invalid_argument.
  void setTolerance(double tolerance);
  double getTolerance() const { return tolerance_; }
  /// Changes of the active set, or iterations of a friction method (of all cone programs of "ecos-strict" together), at most; >= 0, and 0 is the method's own limit.
  /// Throws std::invalid_argument.
  void setMaxIterations(int maxIterations);
  int getMaxIterations() const { return max_iterations_; }

  /// For each cone program of the methods on ECOS ("ecos", "ecos-strict"), kept in every build: absolute (residuals) and relative (gap) tolerances in [1e-16, 1], iterations >= 1.
  /// "ecos" is one program, whose impulses are as near as the root of its tolerance: about 1e-3 of the largest at 1e-6 and moderate μ, with μ = 0 too. "ecos-strict" goes on to setTolerance's certificate. Throws std::invalid_argument.
  void setECOSTolerance(double abs_tol, double rel_tol);
  std::pair<double, double> getECOSTolerance() const { return {ecos_abs_tol_, ecos_rel_tol_}; }
  void setECOSMaxIterations(int max_iters);
  /// Whether this build throws where ECOS fails (-DSTICTION_ECOS_THROWS=ON).
  static bool throwsOnECOSFailure();
  int getECOSMaxIterations() const { return ecos_max_iters_; }

  void setAccelerationForm(AccelerationForm form) { form_ = form; }
  AccelerationForm getAccelerationForm() const { return form_; }
  /// Whether −α C − β Ċ enter b. Off, errors of C stay as they are: for steppers that mend positions themselves.
  void setBaumgarte(bool on) { baumgarte_ = on; }
  bool getBaumgarte() const { return baumgarte_; }
  void setRedundancyRule(RedundancyRule rule) { redundancy_ = rule; }
  RedundancyRule getRedundancyRule() const { return redundancy_; }

 private:
  friend class ConstraintSolverTestAccess;
  /// min ½ λᵀAλ − bᵀλ over the friction cones, by ECOS with the tolerances set. converged: ECOS's exit code 0. Throws InputError in a build without ECOS.
  ActiveSetResult solveWithECOS(const MatrixX& A, const VectorX& b, const FrictionConeSpec& coneSpec, int numContacts) const;
  ECOSData buildECOSProblem(const MatrixX& A, const VectorX& b, const FrictionConeSpec& coneSpec, int numContacts) const;
  /// μ of each contact, 0 without a FrictionConstraint; rows n, t1, t2 in the contacts' order.
  FrictionConeSpec buildFrictionConeSpec(const std::vector<TwoBodyConstraint*>& contactConstraints, int numContacts) const;

  ActiveSetResult solveActiveSet(const MatrixX& A, const VectorX& b, int numContacts) const;

  std::string friction_method_{"auto"};
  double tolerance_{1e-8};
  int max_iterations_{0};
  double ecos_abs_tol_{kECOSDefaultTol}, ecos_rel_tol_{kECOSDefaultTol};
  int ecos_max_iters_{kECOSDefaultMaxIter};
  AccelerationForm form_{AccelerationForm::Full};
  bool baumgarte_{true};
  RedundancyRule redundancy_{RedundancyRule::IndependentRows};
};

/// "well-conditioned" below 100, "moderately conditioned" up to 1e6, "nearly singular" above, "singular" when infinite; "unknown" for NaN and below 1.
const char* conditionLabel(double conditionNumber);

}  // namespace stiction
