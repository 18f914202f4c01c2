// Energy lines and momentum.
#include "diagnostics/Account.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

void contactVelocities(const BlockColumns& H, const VectorX& surface, const VectorX& vBefore, const VectorX& vAfter, AccountScratch& scratch) {
  multiplyTransposed(H, vBefore, scratch.before);
  multiplyTransposed(H, vAfter, scratch.after);
  scratch.before += surface;
  scratch.after += surface;
}

}  // namespace

void accountContacts(const BlockColumns& H, const VectorX& surface, const VectorX& r, const VectorX& vBefore, const VectorX& vAfter, AccountScratch& scratch,
                     EnergyLedger& ledger) {
  contactVelocities(H, surface, vBefore, vAfter, scratch);
  for (Eigen::Index i = 0; i < r.size(); i += 3) {
    const Vector2 rT = r.segment<2>(i + 1), before = scratch.before.segment<2>(i + 1), after = scratch.after.segment<2>(i + 1);
    const double rN = r[i], nBefore = scratch.before[i], nAfter = scratch.after[i];
    ledger.friction -= rT.dot(after);
    ledger.impact -= 0.5 * rN * (nAfter + std::min(nBefore, 0.0));
    ledger.scheme += -0.5 * rN * std::max(nBefore, 0.0) + 0.5 * rT.dot(after - before);
    ledger.externalWork -= r.segment<3>(i).dot(surface.segment<3>(i));
  }
}

void accountEqualityRows(const BlockColumns& G, const Eigen::Ref<const VectorX>& moving, const VectorX& lambda, const VectorX& vBefore, const VectorX& vAfter,
                         AccountScratch& scratch, EnergyLedger& ledger) {
  multiplyTransposed(G, vBefore, scratch.rowsBefore);
  multiplyTransposed(G, vAfter, scratch.rowsAfter);
  ledger.externalWork -= lambda.dot(moving);
  ledger.scheme -= 0.5 * lambda.dot(scratch.rowsBefore + scratch.rowsAfter) + lambda.dot(moving);
}

double impactLoss(const BlockColumns& H, const VectorX& surface, const VectorX& r, const VectorX& vBefore, const VectorX& vAfter, AccountScratch& scratch) {
  contactVelocities(H, surface, vBefore, vAfter, scratch);
  return -0.5 * (r.dot(scratch.before) + r.dot(scratch.after));
}

void accountForces(const Model& model, const BodyInertia& inertia, const Loads& loads, int body, const Twist& before, const Twist& after, const Vector3& travel,
                   double h, EnergyLedger& ledger) {
  const auto i = static_cast<std::size_t>(body);
  const Vector3 mean = 0.5 * (before.linear + after.linear);
  ledger.scheme += h * inertia.mass * gravityOf(model, body).dot(travel - mean);
  ledger.externalWork += h * loads.force[i].dot(mean);
  if (!inertia.locked) ledger.externalWork += 0.5 * h * loads.torque[i].dot(before.angular + after.angular);
}

double potentialChange(const Model& model, const BodyInertia& inertia, int body, const Vector3& displacement) {
  return -inertia.mass * gravityOf(model, body).dot(displacement);
}

void addLines(const EnergyLedger& part, EnergyLedger& ledger) {
  ledger.potentialChange += part.potentialChange;
  ledger.elasticChange += part.elasticChange;
  ledger.externalWork += part.externalWork;
  ledger.actuatorWork += part.actuatorWork;
  ledger.friction += part.friction;
  ledger.impact += part.impact;
  ledger.compliance += part.compliance;
  ledger.damping += part.damping;
  ledger.scheme += part.scheme;
  ledger.stabilisation += part.stabilisation;
}

void setScale(const Model& model, const std::vector<BodyInertia>& inertias, EnergyLedger& ledger) {
  double weight = 0;
  for (const int body : model.dynamicBodies) weight += inertias[static_cast<std::size_t>(body)].mass * gravityOf(model, body).norm();
  for (const Joint& joint : model.joints) weight += joint.friction;
  const double lines[] = {ledger.kineticStart,
                          ledger.kineticEnd,
                          ledger.potentialChange,
                          ledger.elasticChange,
                          ledger.externalWork,
                          ledger.actuatorWork,
                          ledger.friction,
                          ledger.impact,
                          ledger.compliance,
                          ledger.damping,
                          ledger.scheme,
                          ledger.stabilisation,
                          weight};
  ledger.scale = 0;
  for (const double line : lines) ledger.scale = std::max(ledger.scale, std::abs(line));
}

double kineticEnergy(const Model& model, const std::vector<BodyInertia>& inertias, const WorldState& state) {
  double energy = 0;
  for (const int body : model.dynamicBodies) {
    const auto i = static_cast<std::size_t>(body);
    energy += kineticEnergy(inertias[i], state.rotation[i], state.velocity[i], state.angularVelocity[i]);
  }
  return energy;
}

Momentum momentum(const Model& model, const std::vector<BodyInertia>& inertias, const WorldState& state) {
  Momentum sum;
  sum.kinetic = kineticEnergy(model, inertias, state);
  for (const int body : model.dynamicBodies) {
    const auto i = static_cast<std::size_t>(body);
    const Vector3 p = inertias[i].mass * state.velocity[i];
    sum.linear += p;
    sum.angular += state.position[i].cross(p) + angularMomentum(inertias[i], state.rotation[i], state.angularVelocity[i]);
  }
  return sum;
}

}  // namespace stiction
