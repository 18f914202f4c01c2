// Sweeps that follow one another closely: the next one enters a part of the rows and contacts as soon as the one before has left every part that shares a body with it, so that several
// are under way at a time. Each body is visited in the order in which one thread visits it: the same bits for any number of threads.
//
// How many fit depends on the order. Where contacts are many, they and the rows take their turns by the last body that they touch, rows first among a part's: where bodies are
// numbered through space a part has its last neighbour a layer of bodies farther on; where they are not, sweeps go one by one.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <vector>

#include "base/Spin.hpp"
#include "base/ThreadPool.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class SweepSchedule {
 public:
  static constexpr int kMostSweeps = 12;     // of one run
  static constexpr int kManyContacts = 256;  // from which the order is by bodies, and runs are worth it

  /// Turns [first, last) of rows, then of contacts.
  struct Part {
    int firstRow, lastRow, firstContact, lastContact;
    int after;  // the last part with a body of this one
  };

  /// `team` null: sweeps go one by one.
  void bind(const ContactProblem& problem, ThreadPool* team);

  /// The rows and the contacts by their turns.
  const std::vector<int>& rows() const { return rows_; }
  const std::vector<int>& contacts() const { return contacts_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// Calls sweep(k, part) for all parts of each of `sweeps` sweeps, k < sweeps <= kMostSweeps.
  template <class Sweep>
  void run(int sweeps, const Sweep& sweep);

 private:
  void divide(const ContactProblem& problem);
  void findNeighbours(const ContactProblem& problem);

  struct alignas(64) Progress {
    std::atomic<int> parts{0};
  };

  std::vector<int> rows_, contacts_;
  std::vector<int> rowTurn_, contactTurn_;  // the first of those whose last body is block k; one more
  std::vector<Part> parts_;
  std::vector<int> lastPart_;  // of each block of velocities
  ThreadPool* team_{nullptr};  // null: sweeps go one by one
  std::array<Progress, kMostSweeps> done_;
};

template <class Sweep>
void SweepSchedule::run(int sweeps, const Sweep& sweep) {
  if (team_ == nullptr) {
    for (int k = 0; k < sweeps; ++k)
      for (const Part& part : parts_) sweep(k, part);
    return;
  }
  for (Progress& progress : done_) progress.parts.store(0, std::memory_order_relaxed);
  const auto whole = [&](int k) {
    std::atomic<int>& own = done_[static_cast<std::size_t>(k)].parts;
    for (int p = 0; p < static_cast<int>(parts_.size()); ++p) {
      const Part& part = parts_[static_cast<std::size_t>(p)];
      if (k > 0) awaitSoon([&] { return done_[static_cast<std::size_t>(k) - 1].parts.load(std::memory_order_acquire) > part.after; });
      sweep(k, part);
      own.store(p + 1, std::memory_order_release);
    }
  };
  team_->parallelFor(sweeps, std::ref(whole));  // a copy of it would take from the heap
}

}  // namespace stiction
