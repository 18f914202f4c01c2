// The proximal problem about a centre (r_c, λ_c), in velocity space:
//
//   F(v) = M (v − v_free) − H p(x) − G q = 0 ,   x_i = r_c − ρ_i (Hᵀv + w + R r_c)_i ,   ρ_i = 1/(ω_i/γ diag(1, 1/τ, 1/τ) + R) ,   q = λ_c − ρ_g (Gᵀv + b + C λ_c)
//
// p is the Alart–Curnier map, the strict law: at p(x) = r_c its answer is the problem's own. Its derivative J = M + H D Hᵀ + G ρ_g Gᵀ, D = p'(x) ρ, is the matrix that
// VelocitySystem factors. Friction's step is a tenth of the normal one: equal steps run round in circles where few contacts are undecided.
#pragma once
#include "solvers/FrictionCone.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocitySystem.hpp"

namespace stiction {

struct ProximalMap {
  VectorX centre, lambda;  // r_c [N s] (3·contacts), inside its cones, and λ_c [N s] (rows)

  std::vector<Vector3> x;            // [N s]
  std::vector<ContactState> pieces;  // where x lies, or was taken to lie
  VectorX p, q;                      // [N s] impulses at v
  VectorX F;                         // [N s]
  double misfit{0};                  // [m/s · kg^½] ‖F‖ in the metric of diag(M)⁻¹
  VectorX rho;                       // [kg] ρ_g
  std::vector<Matrix3> D;            // [kg] of the last linearisation
  bool general{false};               // that D is not symmetric: something slips
  VectorX rise;                      // [N s] ∂F/∂ log γ

  /// Sets the centre, projected onto the cones.
  void moveTo(const ContactProblem& problem, const VectorX& r, const VectorX& rows);
  /// x, pieces, p, q, F, misfit and ρ_g at v. With `keepPieces` the contacts stay in theirs, beyond the borders too.
  void evaluate(const VelocitySystem& system, const VectorX& v, double gamma, bool keepPieces = false);
  /// D at the v last evaluated.
  void linearise(const VelocitySystem& system, double gamma);
  /// `rise` at the v last evaluated and linearised.
  void findRise(const VelocitySystem& system, double gamma);
  /// Damped Newton at γ until ‖F‖ is a third of what it was at v, or `accuracy`; false when it stops making headway.
  bool reduce(VelocitySystem& system, VectorX& v, double gamma, double accuracy, SolveReport& report);
  /// dx_i for a change (du, d log γ) of the contact's velocity and of γ.
  Vector3 change(const VelocitySystem& system, int i, double gamma, const Vector3& du, double dLogGamma) const;

 private:
  /// What a velocity gives: that of the contacts, of the rows, and M (v − v_free).
  struct Image {
    VectorX u, g, momentum;
  };
  /// direction = −J⁻¹F, or, where a factor of a J near by is at hand and a factorisation dear, an inexact Newton direction: F + J direction is a tenth of F. False when J is singular.
  bool findDirection(VelocitySystem& system, double gamma, SolveReport& report);
  bool isNearFactored(const VelocitySystem& system, double gamma) const;
  /// x, pieces, p, q, F and misfit for the image and the steps at hand.
  void respond(const VelocitySystem& system, bool keepPieces);

  Image at_, start_, change_;  // of v, of the start of a search along a direction, of that direction
  VectorX steps_;              // [kg] ρ of the γ last evaluated
  VectorX scratch_, growth_, direction_;
  std::vector<ContactState> factoredPieces_;  // at the last factorisation of `reduce`, as γ,
  double factoredGamma_{0};
  long factored_{-1};  // and what the system's count was after it
};

}  // namespace stiction
