// Strict Coulomb friction of one contact, exactly:  K_μ ∋ r ⊥ u + μ‖u_T‖ e_n ∈ K_μ*,  u = A r + b,  A 3 × 3 with positive definite symmetric part, perhaps unsymmetric.
//
// open   b_n >= 0:              r = 0
// stick  −A⁻¹ b in the cone:    r = −A⁻¹ b
// slip   u_n = 0, u_T = s e, s > 0, r = r_n (1, −μ e), e = (cos θ, sin θ): eliminating r_n = −b_n / (A_nn − μ A_nt·e) leaves
//        F(θ) = e⊥·p + μ e⊥ᵀ Q e = 0 ,  p = A_nn b_T − b_n A_tn ,  Q = b_n A_tt − b_T A_ntᵀ ,
// a trigonometric polynomial of degree 2 (the quartic of Bonnefon & Daviet 2011 in tan θ/2). Newton from the last direction; where that misses the sliding root, all roots are
// bracketed by a scan that also follows extrema, so that a pair of close roots is not lost, and the candidate with the least natural map is taken.
// Notation: b [m/s], A [1/kg], r [N s], triples (n, t1, t2). Cost: about 100 flops when open or sticking, 300 when slipping, 2000 with the scan.
#pragma once
#include "math/Types.hpp"

namespace stiction {

/// A contact's own Delassus block and what every solve needs of it.
struct ContactBlock {
  ContactBlock() = default;
  explicit ContactBlock(const Matrix3& delassus);

  double perNormal{0}, perTangential{0};  // 1/a and 1/t, where
  bool isDiagonal{false};                 // A = diag(a, t, t) but for round-off, as between spheres
  bool regular{false};                    // well conditioned: the inverse by cofactors is as good as elimination
  Matrix3 A;
  Matrix3 inverse;  // of A, when regular
};

/// `guess`: an earlier r, which gives the first direction and settles which root is taken should there be several.
/// Without a solution (A singular and b out of its reach) returns the candidate with the least natural map.
Vector3 solveOneContact(const ContactBlock& block, const Vector3& b, double mu, const Vector3& guess);
inline Vector3 solveOneContact(const Matrix3& A, const Vector3& b, double mu, const Vector3& guess) { return solveOneContact(ContactBlock{A}, b, mu, guess); }

}  // namespace stiction
