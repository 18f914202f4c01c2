// Is this the answer? (problem, iterate) -> Certificate, by code that shares nothing with the solvers.
//
//   e_i = ω_i ‖ r_i − P_K( r_i − û_i/ω_i ) ‖ , û = u + μ‖u_T‖e_n , ω_i = trace(W_ii)/3      natural map [m/s]
//   e_mom = max | [H G]ᵀ( v − M⁻¹(f + H r + G λ) ) | ,  e_bil = max | Gᵀv + b + Cλ |
//   relative = max(e_i, e_mom, e_bil) / s ,  s = max( ‖(Hᵀ v_free + wScale)_i‖ , h‖g‖ , 1e-6 max |H|ᵀ|v_free| )
#pragma once
#include "problem/ContactProblem.hpp"

namespace stiction {

struct Certificate {
  double relative{0};         // [-] the number that is compared with the tolerance
  double metersPerSecond{0};  // [m/s] the same before division by the scale
  double scale{0};            // [m/s]
  double natural{0};          // [m/s] worst e_i
  double momentum{0};         // [m/s]
  double bilateral{0};        // [m/s]
  double coneViolation{0};    // [N s] worst distance of r_i from K
  double dualViolation{0};    // [m/s] worst distance of û_i from K*
  double complementarity{0};  // [J] worst |r_i · û_i|
  double fclib{0};            // [-] ‖ r − P_K(r − û) ‖₂ / ‖q‖₂, the literature's residual (unit dependent)
  int worstContact{-1};       // contact of the worst e_i, -1 without contacts

  bool passes(double tolerance) const { return relative <= tolerance; }  // false for NaN
};

/// Cost: one pass over H, G and the blocks of M.
Certificate certify(const ContactProblem& problem, const Iterate& iterate);
Certificate certify(const LocalContactProblem& problem, const Iterate& iterate);

}  // namespace stiction
