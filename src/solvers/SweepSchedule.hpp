// The order of rows and contacts in a sweep, which several threads can follow to the same bits.
//
// Where contacts are many, they and the rows take their turns by the last body that they touch. Where there are more still, bodies are divided by their numbers into zones, halves of halves: first come
// the contacts within zones, then those between two halves of a half, last those between the halves. How many zones there are follows from the problem alone. Where bodies are numbered through space
// few contacts lie between zones; where many do, nothing is divided.
//
// On several threads each has zones of its own and what lies before them. A part is swept when those before it that have a body in common with it are done, and those after it in the sweep before: zones
// side by side, and the next sweep begins far from where the last one ends.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/Spin.hpp"
#include "base/ThreadPool.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class SweepSchedule {
 public:
  static constexpr int kMostSweeps = 12;             // of one run
  static constexpr int kMostZones = 8;               // a power of two
  static constexpr int kMostParts = 3 * kMostZones;  // two of a zone and one between two
  static constexpr int kManyContacts = 256;          // from which the order is by bodies, and runs are worth it

  /// Turns [first, last) of rows, then of contacts.
  struct Part {
    int firstRow, lastRow, firstContact, lastContact;
  };

  /// `team` null: one thread sweeps.
  void bind(const ContactProblem& problem, ThreadPool* team);

  /// The rows and the contacts by their turns.
  const std::vector<int>& rows() const { return rows_; }
  const std::vector<int>& contacts() const { return contacts_; }
  /// One after the other they are a sweep.
  const std::vector<Part>& parts() const { return parts_; }
  const Part& part(int p) const { return parts_[at(p)]; }
  int count() const { return static_cast<int>(parts_.size()); }

  /// Calls sweep(k, p) for all parts p of each of `sweeps` sweeps, k < sweeps <= kMostSweeps; what has a body in common, in their order.
  template <class Sweep>
  void run(int sweeps, const Sweep& sweep);

 private:
  using Parts = std::uint32_t;  // a bit each
  using Node = int;             // of a tree: 1 is what lies between the halves, below node n are 2n and 2n + 1, zones are the last
  using Turns = std::array<int, 2 * kMostZones>;

  /// Of a part: those before and after it, itself too, with a body in common; the zone to whose thread it belongs.
  struct Place {
    Parts before, after;
    int zone;
  };
  struct alignas(64) Progress {
    std::atomic<Parts> taken, done;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// Unless too much lies between the zones.
  void divide(const ContactProblem& problem, int zones);
  Node nodeOf(const BlockColumns& columns, int group) const;
  /// The turns [first, last) of each node.
  void countByNode(const BlockColumns& columns, Turns& first, Turns& last) const;
  /// Those of one node as they are.
  void sortByNode(const BlockColumns& columns, const Turns& first, std::vector<int>& groups);
  /// The most contacts one after the other, with a thread for each zone.
  int longestChain() const;
  void addParts();
  void findNeighbours(const ContactProblem& problem);
  /// What one of several threads does: its own parts, and those of threads that have not come yet.
  template <class Sweep>
  void share(int thread, int threads, int sweeps, const Sweep& sweep);

  std::vector<int> rows_, contacts_;
  std::vector<int> rowTurn_, contactTurn_;  // the first of those whose last body is block k; one more
  std::vector<int> sorted_;
  std::vector<Part> parts_;
  int zones_{1};
  std::vector<int> zoneOf_;                                        // of each block of velocities
  std::array<Node, 2 * kMostZones> nodes_{};                       // by turns: what lies between two zones comes after both
  Turns firstRow_{}, lastRow_{}, firstContact_{}, lastContact_{};  // of each node
  std::vector<Place> places_;
  std::vector<Parts> partsOf_;  // of each block of velocities: those with it
  ThreadPool* team_{nullptr};
  std::array<Progress, kMostSweeps> progress_;
  std::array<std::atomic<bool>, kMostZones> isHere_{};  // each thread
};

template <class Sweep>
void SweepSchedule::share(int thread, int threads, int sweeps, const Sweep& sweep) {
  isHere_[at(thread)].store(true, std::memory_order_relaxed);
  for (int k = 0; k < sweeps; ++k)
    for (int p = 0; p < count(); ++p) {
      const Place& place = places_[at(p)];
      const int owner = place.zone * threads / zones_;
      if (owner != thread && isHere_[at(owner)].load(std::memory_order_relaxed)) continue;
      Progress& now = progress_[at(k)];
      if (const Parts own = Parts{1} << p; (now.taken.fetch_or(own, std::memory_order_relaxed) & own) != 0) continue;
      awaitSoon([&] {
        return (now.done.load(std::memory_order_acquire) & place.before) == place.before &&
               (k == 0 || (progress_[at(k) - 1].done.load(std::memory_order_acquire) & place.after) == place.after);
      });
      sweep(k, p);
      now.done.fetch_or(Parts{1} << p, std::memory_order_release);
    }
}

template <class Sweep>
void SweepSchedule::run(int sweeps, const Sweep& sweep) {
  if (team_ == nullptr) {
    for (int k = 0; k < sweeps; ++k)
      for (int p = 0; p < count(); ++p) sweep(k, p);
    return;
  }
  for (std::atomic<bool>& isHere : isHere_) isHere.store(false, std::memory_order_relaxed);
  for (int k = 0; k < sweeps; ++k) {
    progress_[at(k)].taken.store(0, std::memory_order_relaxed);
    progress_[at(k)].done.store(0, std::memory_order_relaxed);
  }
  const int threads = std::min(team_->threads(), zones_);
  const auto whole = [&](int thread) { share(thread, threads, sweeps, sweep); };
  team_->parallelFor(threads, whole);
}

}  // namespace stiction
