// Proof that no motion satisfies the contacts (Farkas 1902): normal impulses n >= 0 and row impulses λ that change no momentum, H_n n + G λ = 0, with n·w_n + λ·b < 0.
// For every v then Σ n_i u_i = n·w_n + λ·b: some contact closes at −(n·w_n + λ·b) / Σ n_i or faster, whatever the bodies do, and friction cannot change that.
// What the impulses leave of momentum, p = H_n n + G λ, voids the proof only for violent motions: |p·v| <= √(pᵀM⁻¹p) √(vᵀM v).
// Contacts and rows with compliance give way, so they take no part.
#pragma once
#include "problem/ContactProblem.hpp"

namespace stiction {

struct InfeasibilityProof {
  double closing{0};        // [m/s] some contact closes at this or faster, > 0, in every motion of less kinetic energy than ...
  double kineticEnergy{0};  // [J] ... this (infinite when p = 0). Both 0: nothing proved
  int worstContact{-1};     // the one with the largest n_i
};

/// What `impulses` prove; their friction and their negative normal parts are not read.
InfeasibilityProof proveInfeasible(const ContactProblem& problem, const Iterate& impulses);

}  // namespace stiction
