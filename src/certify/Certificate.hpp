// Is this the answer? (problem, iterate) -> Certificate, by code that shares nothing with the solvers.
//
//   e_i = ω_i ‖ r_i − P_K( r_i − û_i/ω_i ) ‖ , û = u + μ‖u_T‖e_n , ω_i = trace(W_ii)/3      natural map [m/s]
//   e_mom = max | [H G]ᵀ( v − M⁻¹(f + H r + G λ) ) | ,  e_bil = max | Gᵀv + b + Cλ |
//   e_n = | min( ω_i r_n , u_n ) |_i                                                           normal part alone [m/s]
//   relative = max(e_i, e_n / 2, e_mom, e_bil) / s ,  s = max( ‖(Hᵀ v_free + wScale)_i‖ , h‖g‖ , 1e-6 max |H|ᵀ|v_free| )
//
// The natural map alone does not bound the approach: -u_n and min(ω r_n, |u_n|) may be (1 + μ) e_i, since μ‖u_T‖ stands in for u_n. At μ = 1e8 a sphere would sink through
// the floor and pass. e_n / 2 bounds both for every μ, and is never the larger up to μ = 1.
//
// The law judged by is strict Coulomb unless another is named: the convex relaxation has û = u; boxes have P on |r_t| <= μ r_n/√2 (of r's own normal part) and û = u, their
// dual violation is the approach speed and their complementarity |r_n u_n|.
// Local form: u = W r + q, s = max ‖q_i‖, no momentum part. ω_i = 1 where the trace vanishes. Without contacts the equality rows take their place in s
// (|Gᵀ v_free + b| and 1e-6 |G|ᵀ|v_free|); without contacts and rows the answer is 0. s = 0 gives 0 for a zero residual and +infinity otherwise.
// Anything not finite, an iterate of the wrong size, or an M that is not positive definite gives +infinity.
#pragma once
#include "certify/MassInverse.hpp"
#include "problem/ContactProblem.hpp"
#include "problem/Law.hpp"

namespace stiction {

struct Certificate {
  double relative{0};         // [-] the number that is compared with the tolerance
  double metersPerSecond{0};  // [m/s] the same before division by the scale
  double scale{0};            // [m/s]
  double natural{0};          // [m/s] worst e_i
  double normal{0};           // [m/s] worst e_n; 0 under other laws than Coulomb's
  double momentum{0};         // [m/s]
  double bilateral{0};        // [m/s]
  double coneViolation{0};    // [N s] worst distance of r_i from K
  double dualViolation{0};    // [m/s] worst distance of û_i from K*
  double complementarity{0};  // [J] worst |r_i · û_i|
  double fclib{0};            // [-] ‖ r − P_K(r − û) ‖₂ / ‖q‖₂, the literature's residual (unit dependent)
  int worstContact{-1};       // contact of the worst e_i or e_n / 2, -1 without contacts

  bool passes(double tolerance) const { return relative <= tolerance; }  // false for NaN
};

/// The judge with its workspace, for repeated use. `prepare` does what depends on the problem alone, `judge` the rest, so that several candidates share the first.
/// Cost of either: one pass over H, G and the blocks of M; no heap after the first problem of a size, unless M has couplings.
class Certifier {
 public:
  explicit Certifier(Law law = Law::Coulomb) : law_{law} {}

  /// Threads that share the work, idle whenever anything here is called; null: none. Results do not depend on it.
  void setTeam(ThreadPool* team) { team_ = team; }

  void prepare(const ContactProblem& problem);
  void prepare(const LocalContactProblem& problem);

  /// The problem must be the one prepared.
  Certificate judge(const ContactProblem& problem, const Iterate& iterate);
  Certificate judge(const LocalContactProblem& problem, const Iterate& iterate);

  /// prepare and judge.
  template <typename Problem>
  Certificate certify(const Problem& problem, const Iterate& iterate) {
    prepare(problem);
    return judge(problem, iterate);
  }

  double scale() const { return scale_; }                // [m/s] s of the problem prepared
  const VectorX& omega() const { return omega_; }        // [1/kg] (contacts) trace(W_ii)/3, 1 where that is 0
  const VectorX& freeVelocity() const { return free_; }  // [m/s] (dof) M⁻¹ f; empty for the local form

 private:
  /// The largest of the values taken, and where; a value that is not finite makes it +infinity for good.
  class Worst {
   public:
    void take(double value, int at = -1);
    /// What another one has taken, after this one.
    void take(const Worst& later);
    double value() const { return value_; }
    int at() const { return at_; }

   private:
    double value_{0};
    int at_{-1};
  };
  /// Of some contacts.
  struct Tally {
    Worst worst, natural, normal, cone, dual, complementarity;
    double squares{0};
    void add(const Tally& later);
  };

  void findOmega(const BlockColumns& H);
  void scaleFromRows(const ContactProblem& problem);
  void judgeContacts(const VectorX& mu, const VectorX& r, const AxisBounds* axisBounds, int first, int last, Tally& tally) const;
  Certificate judgeContacts(const VectorX& mu, const VectorX& r, const AxisBounds* axisBounds);
  void close(Certificate& certificate) const;

  Law law_;
  ThreadPool* team_{nullptr};
  certification::MassInverse mass_;
  double scale_{0};
  double freeNorm_{0};   // [m/s] ‖q‖₂
  VectorX free_;         // [m/s] (dof)
  VectorX omega_;        // [1/kg] (contacts)
  BlockColumns traced_;  // H that they are of, where M has couplings: traces are dear there
  VectorX q_, u_;        // [m/s] (3·contacts)
  VectorX rows_, residual_;
  std::vector<Tally> tallies_;
};

Certificate certify(const ContactProblem& problem, const Iterate& iterate);
Certificate certify(const LocalContactProblem& problem, const Iterate& iterate);

}  // namespace stiction
