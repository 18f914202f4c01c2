// Builds the strips of a factorisation, each after the columns it takes updates from, on one thread or on several. A strip takes its updates in an order fixed by the
// structure, whatever thread runs it: the same bits for any number of threads.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/ThreadPool.hpp"
#include "linalg/BlockStructure.hpp"
#include "linalg/PanelKernel.hpp"

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

/// One product that finished columns bring to those being built: target (panel k) −= Σ_j A_j B_jᵀ, with A_j the rows of panel j of `a` from its block row k on
/// (`skip` = 1: from the next on), B_j row k of panel j of `b`. All three are whole arrays of panels.
struct PanelProduct {
  int skip;
  const double *a, *b;
  double* target;
};

/// The updates of one strip at a time, supernode by supernode; one for each worker.
class PanelUpdates {
 public:
  void bind(const BlockStructure& structure, const ColumnSchedule& schedule);
  /// The updates that a strip takes from columns before it.
  void subtract(int strip, std::span<const PanelProduct> products);
  /// Those that its column k takes from the columns before k of the same strip, the last one given to subtract().
  void subtractWithin(int k, std::span<const PanelProduct> products);

 private:
  using Update = BlockStructure::Update;
  void group(int strip);
  void apply(std::span<const Update> updates, int end, const PanelProduct& product);

  const BlockStructure* structure_{nullptr};
  const ColumnSchedule* schedule_{nullptr};
  std::vector<int> groups_;  // of the strip's updates: where each begins, and the end
  std::vector<int> place_;   // row of each block in the panel of the strip's first column
  std::vector<Update> within_;
  std::vector<double> product_;
  std::vector<PanelSource> sources_;
  std::vector<RowRun> runs_;
};

/// Rows of the highest panel, up to the next pack.
int highestPanel(const BlockStructure& structure);

}  // namespace stiction
