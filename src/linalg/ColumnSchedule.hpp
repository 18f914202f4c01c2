// Eliminates the block columns of a factorisation, each after the columns it takes updates from, on one thread or on several. A column takes its updates in an order fixed
// by the structure, whatever thread runs it: the same bits for any number of threads.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/ThreadPool.hpp"
#include "linalg/BlockStructure.hpp"
#include "linalg/PanelKernel.hpp"

namespace stiction {

/// Hands out the columns and says which are finished. Columns go out by their height in the elimination tree, so that neighbours in the order seldom wait for each other.
class ColumnSchedule {
 public:
  void bind(const BlockStructure& structure);

  /// Calls eliminate(k, worker) for every column k, worker < workers(team); stops after a call returned false, and returns false then. `team` null: this thread, ascending k.
  template <class Eliminate>
  bool run(ThreadPool* team, const Eliminate& eliminate);
  static int workers(const ThreadPool* team) { return team == nullptr ? 1 : team->threads(); }

  /// Returns when column j is finished, or the run has failed.
  void await(int j) const {
    if (shared_ && finished_[static_cast<std::size_t>(j)].load(std::memory_order_acquire) == 0) wait(j);
  }

 private:
  void prepare();
  void wait(int j) const;

  const BlockStructure* structure_{nullptr};
  std::vector<int> order_;  // in which threads take the columns; empty until they do
  std::unique_ptr<std::atomic<char>[]> finished_;
  std::size_t room_{0};  // of finished_
  std::atomic<int> next_{0};
  std::atomic<bool> failed_{false};
  bool shared_{false};
};

template <class Eliminate>
bool ColumnSchedule::run(ThreadPool* team, const Eliminate& eliminate) {
  const int columns = structure_->columns();
  shared_ = workers(team) > 1;
  if (!shared_) {
    for (int k = 0; k < columns; ++k)
      if (!eliminate(k, 0)) return false;
    return true;
  }
  prepare();
  team->parallelFor(team->threads(), [&](int worker) {
    for (int turn = next_++; turn < columns && !failed_; turn = next_++) {
      const int k = order_[static_cast<std::size_t>(turn)];
      if (!eliminate(k, worker)) failed_ = true;
      finished_[static_cast<std::size_t>(k)].store(1, std::memory_order_release);
    }
  });
  return !failed_;
}

/// One product that finished columns take from the one being built: target (panel k) −= Σ_j A_j B_jᵀ, with A_j the rows of panel j of `a` from its block row k on
/// (`skip` = 1: from the next on), B_j row k of panel j of `b`.
struct PanelProduct {
  int skip;
  const double *a, *b;
  double* target;
};

/// The updates of one column at a time, supernode by supernode; one for each worker.
class PanelUpdates {
 public:
  void bind(const BlockStructure& structure, const ColumnSchedule& schedule);
  void subtract(int k, std::span<const PanelProduct> products);

 private:
  void group(int k);
  void subtractGroup(int k, int first, int last, const PanelProduct& product);

  const BlockStructure* structure_{nullptr};
  const ColumnSchedule* schedule_{nullptr};
  std::vector<int> groups_;  // of the column's updates: where each begins, and the end
  std::vector<int> place_;   // row of each block in panel k
  std::vector<double> product_;
  std::vector<PanelSource> sources_;
  std::vector<RowRun> runs_;
};

/// Room for the product of any panel's rows with any block.
std::size_t productRoom(const BlockStructure& structure);

}  // namespace stiction
