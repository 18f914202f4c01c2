// Sweeps where something still moves. After a hundred sweeps of a heap a few dozen of its thousands of contacts hold the residual up; the others have settled, and are visited in vain.
// So of a run of sweeps (SweepSchedule) only the last visits all contacts, and notes how far it stirs each body; those before it visit the contacts of bodies that the last run's
// stirred by a fair part of the largest change, if they bear load: of open ones the last sweep tells which have closed. In the order of the turns, whatever the threads.
#pragma once
#include <span>
#include <vector>

#include "solvers/MassWeighted.hpp"
#include "solvers/SweepLanes.hpp"
#include "solvers/SweepSchedule.hpp"

namespace stiction {

class SweepFocus {
 public:
  void bind(int contacts, int packs);

  /// The contact of that turn has changed by so much [m/s].
  [[gnu::always_inline]] void note(const WeightedColumns<3>& contacts, int turn, double change) {
    contacts.eachBlock(turn, [&](int pack) { stir_[at(pack)] = stir_[at(pack)] < change ? change : stir_[at(pack)]; });
  }

  /// Chooses turns of a part by what was noted; `largest` [m/s]: the largest change of all.
  void choose(const WeightedColumns<3>& contacts, const std::vector<LaneImpulse>& impulses, const SweepSchedule::Part& part, double largest);
  /// Forgets what was noted.
  void forget();

  /// The turns chosen of a part take its places, from the first on; then comes kNone.
  static constexpr int kNone = -1;
  [[gnu::always_inline]] int chosen(int place) const { return chosen_[at(place)]; }
  std::span<const int> chosen(const SweepSchedule::Part& part) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<int> chosen_;
  std::vector<double> stir_;  // [m/s] of each block of velocities, by its first pack: the largest change of a contact
};

}  // namespace stiction
