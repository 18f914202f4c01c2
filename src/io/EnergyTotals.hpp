// The energy account of a run: the ledgers of its steps added up, and the mechanical energy against it.
//
//   E = kinetic + potential + elastic [J],  potential = −Σ m g·x_C  (zero at the world origin),  kinetic with the joints' rotors
#pragma once
#include "diagnostics/EnergyLedger.hpp"
#include "dynamics/BodyInertia.hpp"
#include "model/Model.hpp"
#include "state/WorldState.hpp"

namespace stiction {

class EnergyTotals {
 public:
  EnergyTotals(const Model& model, const WorldState& start);

  /// Adds the ledger of one step.
  void add(const EnergyLedger& ledger);

  double start() const { return startKinetic_ + startPotential_ + startElastic_; }  // [J]
  double kinetic() const { return kinetic_; }                                       // [J]
  double potential() const { return startPotential_ + lines_.potentialChange; }     // [J]
  double elastic() const { return startElastic_ + lines_.elasticChange; }           // [J]
  double end() const { return kinetic() + potential() + elastic(); }                // [J]
  const EnergyLedger& lines() const { return lines_; }                              // [J] sums over the steps
  double worstClosure() const { return worstClosure_; }                             // [-] closure / scale of the worst step, with its sign

 private:
  double startKinetic_{0}, startPotential_{0}, startElastic_{0}, kinetic_{0};
  EnergyLedger lines_;
  double worstClosure_{0};
};

}  // namespace stiction
