#include "solvers/SweepFocus.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kStirred = 0.03;  // [-] of the largest change

}  // namespace

void SweepFocus::bind(int contacts, int packs) {
  chosen_.resize(at(contacts));
  stir_.assign(at(packs), 0.0);
}

void SweepFocus::choose(const WeightedColumns<3>& contacts, const std::vector<LaneImpulse>& impulses, const SweepSchedule::Part& part, double largest) {
  const double least = kStirred * largest;
  int next = part.firstContact;
  for (int k = part.firstContact; k < part.lastContact; ++k) {
    if (impulses[at(k)].vector().isZero(0)) continue;
    bool stirred = false;
    contacts.eachBlock(k, [&](int pack) { stirred = stirred || stir_[at(pack)] >= least; });
    if (stirred) chosen_[at(next++)] = k;
  }
  if (next < part.lastContact) chosen_[at(next)] = kNone;
}

void SweepFocus::forget() { std::fill(stir_.begin(), stir_.end(), 0.0); }

std::span<const int> SweepFocus::chosen(const SweepSchedule::Part& part) const {
  const auto first = chosen_.begin() + part.firstContact, last = chosen_.begin() + part.lastContact;
  return {first, std::find(first, last, kNone)};
}

}  // namespace stiction
