// Gauss–Seidel: one contact at a time in a fixed order, until nothing moves. `nsgs` solves each contact exactly, by the strict law; `pgs` goes through its three axes, each
// projected on its own bounds (Law::Box), as most real-time engines do, but on to convergence.
//
//   global form   rows k:      λ_k ← λ_k − (G_kᵀv + b_k + C_k λ_k) / (G_kᵀM⁻¹G_k + C_k) ,  v ← v + M⁻¹G_k Δλ_k
//                 contacts i:  r_i ← answer of the one-contact problem (W_ii + R_i, u_i − (W_ii + R_i) r_i) ,  v ← v + M⁻¹H_i Δr_i       matrix-free
//   local form    the same with u_i = q_i + Σ_j W_ij r_j from the rows of W
// Stops when the worst natural map ω_i‖r_i − P_K(r_i − û_i/ω_i)‖ and row residual fall below the tolerance times the certificate's scale. The change of a sweep, max ω_i‖Δr_i‖,
// is the cheap sign of it; its contraction rate tells early that the limit of sweeps will not be enough (Stalled). The best answer seen is returned.
// A mass matrix with couplings between blocks is not for this method: NumericalFailure.
// Source: Jean & Moreau 1992, Jourdan, Alart & Jean 1998. Cost: O(contacts) a sweep in the global form, O(blocks of W) in the local one.
#pragma once
#include <memory>

#include "solvers/Solver.hpp"

namespace stiction {

std::unique_ptr<Solver> makeNsgs();
std::unique_ptr<Solver> makePgs();

}  // namespace stiction
