// What every velocity-space method shares: M⁻¹, the free motion, the contacts' own Delassus blocks, and the Newton matrix
//   A = M + Σ_i H_i D_i H_iᵀ + Σ_k ρ_k G_k G_kᵀ
// with the sparsity of the body graph: invertible for any redundancy of the contacts (D_i >= 0). Analysis is kept while the graph holds.
#pragma once
#include <array>
#include <vector>

#include "base/Clock.hpp"
#include "linalg/BlockFactor.hpp"
#include "linalg/Gmres.hpp"
#include "problem/ContactProblem.hpp"
#include "problem/Law.hpp"
#include "solvers/NewtonMatrix.hpp"

namespace stiction {

class VelocitySystem {
 public:
  /// Takes the problem (kept by reference until the next bind). False when M is not positive definite. `velocityColumns`, when given, reads the contact velocities in place of
  /// H (same segments): u = Vᵀv + w, and the Newton matrix is M + H D Vᵀ.
  bool bind(const ContactProblem& problem, const BlockColumns* velocityColumns = nullptr);
  /// The same, after a problem with the same M, H and G: where they have couplings, factors hold.
  bool bindAgain(const ContactProblem& problem);

  /// Threads that share the work, idle whenever anything here is called; null: none. Results do not depend on it.
  void setTeam(ThreadPool* team) { team_ = team; }
  ThreadPool* team() const { return team_; }
  /// From then on nothing is factored any more: `factorSymmetric` and `factorGeneral` return false.
  void setDeadline(const Deadline& deadline) { deadline_ = deadline; }

  const ContactProblem& problem() const { return *problem_; }
  const VectorX& freeVelocity() const { return free_; }                                    // [m/s] M⁻¹ f
  const VectorX& massDiagonal() const { return massDiagonal_; }                            // [kg, kg m²] (dof) diag(M), > 0
  double omega(int i) const { return omega_[static_cast<std::size_t>(i)]; }                // [1/kg] trace(W_ii)/3, > 0
  const Matrix3& delassus(int i) const { return delassus_[static_cast<std::size_t>(i)]; }  // [1/kg] W_ii
  double rowOmega(int k) const { return rowOmega_[static_cast<std::size_t>(k)]; }          // [1/kg] GᵀM⁻¹G of row k, > 0
  double scale() const { return scale_; }                                                  // [m/s] of the certificate, > 0

  /// [N s] An impulse for every contact that stops bodies with their free motion's energy at that speed [m/s]: what an interior point starts with. Ten thousand times too much costs it a few
  /// steps, from a thousandth of it it often gets nowhere.
  double stoppingImpulse(double speed) const;

  double impulseUnit() const { return impulseUnit_; }  // [m/s kg^½] of √(Fᵀ diag(M)⁻¹ F): the scale on the least inertia

  /// x := M⁻¹ x
  void applyInverseMass(VectorX& x) { mass_.solve(x); }
  /// y = M x
  void multiplyMass(const VectorX& x, VectorX& y) const;
  /// v = v_free + M⁻¹ (H r + G λ)
  void velocityFromImpulses(const VectorX& r, const VectorX& lambda, VectorX& v);
  /// Hᵀ v, or Vᵀ v
  void contactRates(const VectorX& v, VectorX& u) const { multiplyTransposed(*velocity_, v, u, team_); }
  bool symmetric() const { return velocity_ == &problem_->H; }
  /// u = Hᵀ v + w + R r
  void contactVelocity(const VectorX& v, const VectorX& r, VectorX& u) const;
  /// Gᵀ v + b + C λ
  void rowVelocity(const VectorX& v, const VectorX& lambda, VectorX& g) const;
  /// Worst natural map and row residual of (u, r, rows) [m/s], by the law of Coulomb or of its convex relaxation.
  double residual(const VectorX& u, const VectorX& r, const VectorX& rowResidual, Law law = Law::Coulomb) const;

  /// Factors A with D symmetric (Cholesky). False when it is not positive definite.
  bool factorSymmetric(const std::vector<Matrix3>& D, const VectorX& rho);
  /// Factors A with any D (block LU).
  bool factorGeneral(const std::vector<Matrix3>& D, const VectorX& rho);
  /// Sign of det A of the last factorGeneral.
  int determinantSign() const { return matrix_.determinantSign(); }
  /// Multiplications of a Cholesky factorisation of A with all contacts at work, about; a block LU takes twice as many.
  double factorWork() const { return matrix_.work(); }
  /// x := A⁻¹ x by the last factor.
  void solve(VectorX& x) { matrix_.solve(x); }
  /// About how many solves cost what the last factorisation has cost.
  double solvesPerFactor() const { return matrix_.solvesPerFactor(); }
  /// x := A⁻¹ x for the A of these D and ρ, near the one last factored, to `accuracy` [-] of x in the metric of diag(M)⁻¹: GMRES on that factor. False, and x as it was, where that takes
  /// more than the part `worth` [-] of a factorisation.
  bool solveNear(const std::vector<Matrix3>& D, const VectorX& rho, VectorX& x, double accuracy, double worth);
  /// Another number after each factorisation and each bind: while it stays, the factor at hand is the same, and of this problem.
  long factored() const { return factored_; }

 private:
  void multiply(const std::vector<Matrix3>& D, const VectorX& rho, const VectorX& x, VectorX& y);
  bool isKnown() const;
  bool findFreeMotion();
  bool bindMass();
  void bindContacts();
  void findScale();
  template <int Width>
  Eigen::Matrix<double, Width, Width> delassusOf(const BlockColumns& H, const BlockColumns& V, int group);

  /// What factors and traces are of, where M has couplings: they are dear there, and trials of a step have them in common.
  struct Known {
    bool is{false};
    BlockMass M;
    BlockColumns H, G;
  };

  const ContactProblem* problem_{nullptr};
  const BlockColumns* velocity_{nullptr};
  Known known_;
  ThreadPool* team_{nullptr};
  Deadline deadline_;
  BlockStructure massStructure_;
  BlockCholesky mass_;
  NewtonMatrix matrix_;
  Gmres gmres_;
  VectorX weight_, product_;
  long factored_{0};
  std::vector<int> sizes_;
  std::vector<std::array<int, 2>> couplings_;
  std::vector<double> inverseMass_;  // dense inverses of the diagonal blocks, without couplings
  std::vector<std::size_t> inverseMassAt_;
  VectorX free_, massDiagonal_, scratch_;
  std::vector<int> path_;                        // columns of the mass factor that a group reaches
  std::array<VectorX, 3> halves_, otherHalves_;  // L⁻¹H, L⁻¹V of a group, zero between groups
  std::vector<double> omega_, rowOmega_;
  std::vector<Matrix3> delassus_;
  double scale_{1}, impulseUnit_{1};
};

}  // namespace stiction
