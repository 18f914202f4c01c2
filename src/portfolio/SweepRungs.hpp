// Gauss–Seidel on the ladder: a first look before anything is analysed, and sweeps in runs, for as long as they are worth it beside a factorisation.
#pragma once
#include "portfolio/Climb.hpp"

namespace stiction {

class SweepRungs {
 public:
  explicit SweepRungs(Climb& climb) : climb_{climb} {}

  // Each returns whether that is all: the best answer is as good as asked for.
  /// Before anything is analysed, from cold.
  bool look();
  /// Without friction, and before anything is analysed: from a warm start, to leave Newton a few contacts to change.
  bool press();
  /// At most so many sweeps, in runs; then others where a loose tolerance is near.
  bool take(int sweeps);
  /// As many as the problem prepared is worth.
  bool takeAll() { return take(worth()); }

 private:
  int worth() const;
  SolveReport sweep(const Iterate& start, const SolveOptions& sweeps);
  bool takeInRuns(int sweeps);
  bool takePlainly();

  Climb& climb_;
};

}  // namespace stiction
