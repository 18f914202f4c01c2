// Fixed worker threads: deterministic parallel loops, and errands that go on beside the caller.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace stiction {

/// As many threads as the machine has, at most four.
int usualThreads();

/// Runs `task(i)` for i in [0, count). Which thread runs which index is free, so a task may write only what belongs to its own index;
/// every reduction is done by the caller afterwards, in index order: results are the same bits for any number of threads. Indices go out in ascending order, so a task may also
/// wait for one of a lower index, and write what that one has done with.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  template <class Task>
  void parallelFor(int count, const Task& task) {
    run(count, std::ref(task), Loop::Anyone);  // a copy of it may take from the heap
  }
  /// The same for tasks that do not wait for each other: each thread takes its own share first, the same in every loop, since it still has at hand what it last wrote there, and then what
  /// is left of others'. Without `wakes` by those who are awake: for loops that take less time than to wake the others.
  template <class Task>
  void parallelShares(int count, const Task& task, bool wakes) {
    run(count, std::ref(task), wakes ? Loop::Shares : Loop::AwakeShares);
  }

  /// Something to be done beside what the caller goes on with. Its own thread must call it off, or await it, before it ends.
  class Errand {
   public:
    Errand() = default;
    virtual ~Errand() = default;
    Errand(const Errand&) = delete;
    Errand& operator=(const Errand&) = delete;
    /// On any thread; must not throw.
    virtual void run() = 0;

   private:
    friend class ThreadPool;
    enum class State : std::uint8_t { Idle, Waiting, Running, Done };
    State state_{State::Idle};  // guarded by the pool's mutex
  };
  /// Leaves it to the next thread that has nothing to do, the latest errand first.
  void send(Errand& errand);
  /// Returns whether nobody has begun it, and nobody will.
  bool withdraw(Errand& errand);
  /// Returns when an errand that somebody has begun is done; sees to others meanwhile.
  void await(Errand& errand);

 private:
  struct Shared;
  enum class Loop : std::uint8_t { Anyone, Shares, AwakeShares };
  void run(int count, const std::function<void(int)>& task, Loop loop);

  int threads_;
  std::unique_ptr<Shared> shared_;
};

constexpr int kMostRanges = 64;  // of one loop

/// Into how many ranges of at least `least` indices loops over `count` of them go: more than threads, of which one may come late.
inline int rangesOf(const ThreadPool* team, int count, int least) {
  if (team == nullptr || team->threads() == 1) return 1;
  return std::clamp(count / least, 1, std::min(3 * team->threads(), kMostRanges));
}

/// Calls task(range, first, last), range < rangesOf(…), for ranges that together are [0, count), on the threads of `team`, which must be idle; null: on this thread, as a whole.
/// What is written belongs to an index, or to a range where what comes of all of them does not depend on where they end.
template <class Task>
void inRanges(ThreadPool* team, int count, int least, const Task& task) {
  constexpr int worthWaking = 20;  // times the least: shorter loops are through before anyone is awake
  const int ranges = rangesOf(team, count, least);
  if (ranges == 1) {
    task(0, 0, count);
    return;
  }
  const auto start = [&](int range) { return static_cast<int>(static_cast<long>(count) * range / ranges); };
  const auto one = [&](int range) { task(range, start(range), start(range + 1)); };
  team->parallelShares(ranges, one, count / least >= worthWaking);
}

/// The largest value(first, last) >= 0 of such ranges.
template <class Value>
double largestInRanges(ThreadPool* team, int count, int least, const Value& value) {
  const int ranges = rangesOf(team, count, least);
  if (ranges == 1) return value(0, count);
  std::array<double, kMostRanges> largest;
  inRanges(team, count, least, [&](int range, int first, int last) { largest[static_cast<std::size_t>(range)] = value(first, last); });
  return *std::max_element(largest.begin(), largest.begin() + ranges);
}

/// What the ranges of a loop add to a list, kept for the next loop.
template <class T>
using RangeLists = std::array<std::vector<T>, kMostRanges>;

/// Appends to `all` what gather(first, last, list) adds to its list, in the order of such ranges.
template <class T, class Gather>
void gatherInRanges(ThreadPool* team, int count, int least, RangeLists<T>& lists, std::vector<T>& all, const Gather& gather) {
  const int ranges = rangesOf(team, count, least);
  if (ranges == 1) {
    gather(0, count, all);
    return;
  }
  inRanges(team, count, least, [&](int range, int first, int last) {
    std::vector<T>& list = lists[static_cast<std::size_t>(range)];
    list.clear();
    gather(first, last, list);
  });
  for (auto list = lists.begin(); list != lists.begin() + ranges; ++list) all.insert(all.end(), list->begin(), list->end());
}

}  // namespace stiction
