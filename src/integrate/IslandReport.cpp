#include "integrate/IslandReport.hpp"

#include <algorithm>
#include <cstring>

namespace stiction {

void countRung(std::vector<std::pair<const char*, int>>& rungs, const char* rung, int islands) {
  for (auto& entry : rungs)
    if (std::strcmp(entry.first, rung) == 0) {
      entry.second += islands;
      return;
    }
  rungs.emplace_back(rung, islands);
}

void IslandReport::clear() {
  status = StepStatus::Certified;
  certificate = {};
  worstContact = squeezed = {-1, -1, 0};
  squeeze = 0;
  ledger = {};
  memory.clear();
  contacts.clear();
  rungs.clear();
  rowForces.clear();
  rowImpulses.clear();
  faulty = -1;
  offConstraints = impactRefused = outOfTime = false;
  penetration = constraintError = 0;
  substeps = impacts = byMoreau = inelastic = iterations = factorisations = 0;
  splitsExhausted = false;
}

void IslandReport::record(const Contact& contact, const Vector3& impulse, const Vector3& slip, int state) {
  auto found = contacts.end();
  if (!contacts.empty() && !(contacts.back().contact.key < contact.key))
    found = std::lower_bound(contacts.begin(), contacts.end(), contact.key, [](const SolvedContact& s, const FeatureKey& key) { return s.contact.key < key; });
  if (found == contacts.end() || found->contact.key != contact.key) {
    contacts.insert(found, {contact, impulse, slip, state});
    return;
  }
  found->contact = contact;
  found->impulse += impulse;
  found->slip = slip;
  found->state = state;
}

}  // namespace stiction
