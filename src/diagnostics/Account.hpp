// The lines of the energy ledger, each from its own impulses and displacements.
//
// Over a velocity solve M (v⁺ − v⁻) = h F + H r, so ΔT = v̄·(h F) + v̄·(H r) with v̄ = (v⁺ + v⁻)/2, and with u = Hᵀ v + s (s: moving surfaces)
//   v̄·(H r) = ½ Σ r·(u⁺ + u⁻) − Σ r·s                          the second sum is work of the moving surfaces
//   −½ r·(u⁺ + u⁻) = −r_T·u_T⁺                                   friction, >= 0 by the strict law
//                    − ½ r_n (u_n⁺ + min(u_n⁻, 0))                 impact: inelastic closing
//                    − ½ r_n max(u_n⁻, 0) + ½ r_T·(u_T⁺ − u_T⁻)    scheme, first order in h, either sign
//   equality rows with rates u = Gᵀ v + s: −λ·s work of what moves them, −½ λ·(u⁺ + u⁻) scheme, first order in h
//   gravity: acts over the way, h v⁺ or h v̄, in the potential and over h v̄ in ΔT: scheme h m g·(v⁺ − v̄) in the first case, none in the second
//   rotation update: scheme −(Π⁺ − Π)·Ω̄ (zero to round-off)
#pragma once
#include <span>

#include "diagnostics/EnergyLedger.hpp"
#include "dynamics/FreeVelocity.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

/// Kept between calls so that accounting does not allocate.
struct AccountScratch {
  VectorX before, after;          // [m/s] u⁻, u⁺ of the contacts
  VectorX rowsBefore, rowsAfter;  // [m/s] of the equality rows
};

/// Contact lines of an ordinary (sub)step.
void accountContacts(const BlockColumns& H, const VectorX& surface, const VectorX& r, const VectorX& vBefore, const VectorX& vAfter, AccountScratch& scratch,
                     EnergyLedger& ledger);

/// Equality rows, whose rates are Gᵀ v + moving [m/s]: work of what moves them, and the scheme's.
void accountEqualityRows(const BlockColumns& G, const Eigen::Ref<const VectorX>& moving, const VectorX& lambda, const VectorX& vBefore, const VectorX& vAfter,
                         AccountScratch& scratch, EnergyLedger& ledger);

/// −½ Σ r·(u⁺ + u⁻) [J] of an impact: its loss, negative if the impact would create energy. Nothing is booked.
double impactLoss(const BlockColumns& H, const VectorX& surface, const VectorX& r, const VectorX& vBefore, const VectorX& vAfter, AccountScratch& scratch);

/// Work of gravity and applied loads on one body whose twist went from `before` to `after` over h, in which it moves at `travel` [m/s].
void accountForces(const Model& model, const BodyInertia& inertia, const Loads& loads, int body, const Twist& before, const Twist& after, const Vector3& travel,
                   double h, EnergyLedger& ledger);

/// Potential energy change −m g·Δx of one body [J].
double potentialChange(const Model& model, const BodyInertia& inertia, int body, const Vector3& displacement);

/// Adds the lines of `part`, kinetic energies and scale left out.
void addLines(const EnergyLedger& part, EnergyLedger& ledger);

/// Sets the scale: max(every |line|, kinetic energy, Σ m‖g‖·1 m + Σ dry friction of joints over 1 m or 1 rad).
void setScale(const Model& model, const std::vector<BodyInertia>& inertias, EnergyLedger& ledger);

/// Momentum of the dynamic bodies.
struct Momentum {
  double kinetic{0};                 // [J]
  Vector3 linear{Vector3::Zero()};   // [kg m/s]
  Vector3 angular{Vector3::Zero()};  // [kg m²/s] about the world origin
};
double kineticEnergy(const Model& model, const std::vector<BodyInertia>& inertias, const WorldState& state);
Momentum momentum(const Model& model, const std::vector<BodyInertia>& inertias, const WorldState& state);

}  // namespace stiction
