// What came of the step: the islands' reports in one, in the order of islands, and why a step does not count.
#include <algorithm>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "integrate/SimulationImpl.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// One island's entries come sorted.
template <class Entry, class Before>
void sortUnlessSorted(std::vector<Entry>& entries, const Before& before) {
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
}

}  // namespace

void Simulation::Impl::gather() {
  solved.clear();
  report.islands = islands_->count();
  for (int k = 0; k < islands_->count(); ++k) {
    IslandResult& result = resultOf(k);
    const IslandReport& island = result.report;
    if (static_cast<int>(island.status) > static_cast<int>(report.status)) report.status = island.status;
    const bool isWorse = !(island.certificate.relative <= report.certificate.relative), isAsBad = island.certificate.relative == report.certificate.relative;
    if (isWorse || (isAsBad && report.worstContact.geomA < 0)) {
      report.certificate = island.certificate;
      report.worstContact = island.worstContact;
    }
    addLines(island.ledger, report.ledger);
    report.penetration = std::max(report.penetration, island.penetration);
    report.constraintError = std::max(report.constraintError, island.constraintError);
    std::size_t place = 0;
    for (const int id : islands_->heldOf(k))
      for (int row = 0; row < setup.held[at(id)].dimension; ++row) rowForces[at(setup.held[at(id)].firstRow + row)] = island.rowImpulses[place++] / h_;
    report.substeps += island.substeps;
    report.impacts += island.impacts;
    report.byMoreau += island.byMoreau;
    report.inelastic += island.inelastic;
    report.splitsExhausted = report.splitsExhausted || island.splitsExhausted;
    report.iterations += island.iterations;
    report.factorisations += island.factorisations;
    if (result.repeated) ++report.repeated;
    for (const auto& [rung, count] : island.rungs) countRung(report.rungs, rung, count);
    report.times += result.times;
    solved.insert(solved.end(), island.contacts.begin(), island.contacts.end());
    if (result.hardest && result.hardest->relative > hardest.relative) hardest = std::move(*result.hardest);
    result.hardest.reset();
  }
  sortUnlessSorted(solved, [](const SolvedContact& a, const SolvedContact& b) { return a.contact.key < b.contact.key; });
  gatherMemory(next.contacts);
  report.contacts = static_cast<int>(solved.size());
  if (report.status == StepStatus::NotCertified) report.reason = whyNotCertified();
  if (report.status == StepStatus::NonFinite) report.reason = whyNotFinite();
}

/// The contact memory of all islands, sorted by key.
void Simulation::Impl::gatherMemory(std::vector<ContactMemory>& all) const {
  all.clear();
  for (int k = 0; k < islands_->count(); ++k) {
    const std::vector<ContactMemory>& memory = resultOf(k).report.memory;
    all.insert(all.end(), memory.begin(), memory.end());
  }
  sortUnlessSorted(all, [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

std::string Simulation::Impl::whyNotCertified() const {
  constexpr double roundOff = 2e-14;  // [-] of the scale: what is left of a speed where bodies turn and slide
  const auto geom = [this](int id) {
    const std::string& name = model.geoms[at(id)].name;
    return name.empty() ? "geom " + std::to_string(id) : "geom '" + name + "'";
  };
  for (int k = 0; k < islands_->count(); ++k)
    if (const IslandReport& island = resultOf(k).report; island.outOfTime)
      return "given up after " + number(options.stepLimit) + " s, at a certificate of " + number(island.certificate.relative);
  for (int k = 0; k < islands_->count(); ++k) {
    const IslandReport& island = resultOf(k).report;
    if (island.squeeze > 0)
      return "no motion satisfies the contacts, " + geom(island.squeezed.geomA) + " with " + geom(island.squeezed.geomB) +
             " and others: in every one some close at " + number(island.squeeze) +
             " m/s or faster; moving bodies must stop before they squeeze others, or be driven by forces";
  }
  for (int k = 0; k < islands_->count(); ++k)
    if (resultOf(k).report.offConstraints)
      return "constraints missed after " + std::to_string(options.maxHalvings) + " halvings of the step: too fast for it, or no motion satisfies them";
  for (int k = 0; k < islands_->count(); ++k)
    if (const IslandReport& island = resultOf(k).report; island.impactRefused)
      return "certificate " + number(island.certificate.relative) + " above " + number(options.tolerance) +
             " in an impact with restitution, which no shorter step changes; another method may solve it";
  bool driven = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    driven = driven || (model.bodies[i].kind == BodyKind::Kinematic && !(state.velocity[i].isZero(0.0) && state.angularVelocity[i].isZero(0.0)));
  const Contact* worst = findContact(contacts_, report.worstContact);
  const bool drowned = worst != nullptr && worst->friction * roundOff > options.tolerance;
  return "certificate " + number(report.certificate.relative) + " above " + number(options.tolerance) + " after " + std::to_string(options.maxHalvings) +
         " halvings of the step" + (driven ? "; moving bodies may squeeze others harder than friction allows" : "") +
         (drowned ? "; friction " + number(worst->friction) + " of " + geom(worst->key.geomA) + " with " + geom(worst->key.geomB) +
                        " times the round-off of a sliding speed is more than that: 1000 holds as well"
                  : "");
}

std::string Simulation::Impl::whyNotFinite() const {
  for (int k = 0; k < islands_->count(); ++k)
    if (const int id = resultOf(k).report.faulty; id >= 0)
      return "constraint " + std::to_string(id) + " (" + setup.held[at(id)].title() +
             ") gives numbers that are no constraint (sizes, not finite, or violated where nothing moves it): the state before the step was kept";
  return "a pose or velocity is not finite: the state before the step was kept";
}

void Simulation::Impl::account() {
  const double start = wallSeconds();
  report.ledger.kineticStart = kineticEnergy(model, setup.inertias, state) + rotorEnergy(model, state);
  report.ledger.kineticEnd = kineticEnergy(model, setup.inertias, next) + rotorEnergy(model, next);
  setScale(model, setup.inertias, report.ledger);
  report.times.account += wallSeconds() - start;
}

}  // namespace stiction
