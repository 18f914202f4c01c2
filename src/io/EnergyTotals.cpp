#include "io/EnergyTotals.hpp"

#include <cmath>

#include "diagnostics/Account.hpp"
#include "dynamics/CoordinateSum.hpp"

namespace stiction {

EnergyTotals::EnergyTotals(const Model& model, const WorldState& start) {
  const std::vector<BodyInertia> inertias = bodyInertias(model);
  const std::vector<JointMotion> motions = jointMotions(model);
  WorldState engaged = start;
  const std::vector<CoordinateSum> tendons = tendonSums(model, motions);
  if (engaged.rotorRate.empty()) engageRotors(motions, tendons, -1, engaged);
  startKinetic_ = kinetic_ = kineticEnergy(model, inertias, start) + rotorEnergy(model, engaged);
  for (const JointMotion& motion : motions) startElastic_ += elasticEnergy(motion, start);
  for (std::size_t k = 0; k < tendons.size(); ++k) startElastic_ += elasticEnergy(model.tendons[k], tendons[k], start);
  for (const int body : model.dynamicBodies) {
    const auto i = static_cast<std::size_t>(body);
    startPotential_ += potentialChange(model, inertias[i], body, start.position[i]);
  }
}

void EnergyTotals::add(const EnergyLedger& ledger) {
  addLines(ledger, lines_);
  kinetic_ = ledger.kineticEnd;
  const double closure = ledger.closureRelative();
  if (!(std::abs(closure) <= std::abs(worstClosure_))) worstClosure_ = closure;
}

}  // namespace stiction
