// Builds the strips of a factorisation, each after the columns it takes updates from, on one thread or on several. A strip takes its updates in an order fixed by the
// structure, whatever thread runs it: the same bits for any number of threads.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "base/ThreadPool.hpp"
#include "linalg/BlockStructure.hpp"

namespace stiction {

/// Hands out the strips and says which are finished. They go out by their height in the elimination tree, so that neighbours in the order seldom wait for each other.
class ColumnSchedule {
 public:
  void bind(const BlockStructure& structure);

  /// Calls build(strip, worker) for every strip, worker < workers(team); stops after a call returned false, and returns false then. `team` null: this thread, in order.
  template <class Build>
  bool run(ThreadPool* team, const Build& build);
  static int workers(const ThreadPool* team) { return team == nullptr ? 1 : team->threads(); }

  /// Returns when the strip is finished, or the run has failed.
  void await(int strip) const {
    if (shared_ && finished_[static_cast<std::size_t>(strip)].load(std::memory_order_acquire) == 0) wait(strip);
  }

 private:
  void prepare();
  void wait(int strip) const;

  const BlockStructure* structure_{nullptr};
  std::vector<int> order_;  // in which threads take the strips; empty until they do
  std::unique_ptr<std::atomic<char>[]> finished_;
  std::size_t room_{0};  // of finished_
  std::atomic<int> next_{0};
  std::atomic<bool> failed_{false};
  bool shared_{false};
};

template <class Build>
bool ColumnSchedule::run(ThreadPool* team, const Build& build) {
  const int strips = structure_->strips();
  shared_ = workers(team) > 1;
  if (!shared_) {
    for (int strip = 0; strip < strips; ++strip)
      if (!build(strip, 0)) return false;
    return true;
  }
  prepare();
  team->parallelFor(team->threads(), [&](int worker) {
    for (int turn = next_++; turn < strips && !failed_; turn = next_++) {
      const int strip = order_[static_cast<std::size_t>(turn)];
      if (!build(strip, worker)) failed_ = true;
      finished_[static_cast<std::size_t>(strip)].store(1, std::memory_order_release);
    }
  });
  return !failed_;
}

}  // namespace stiction
