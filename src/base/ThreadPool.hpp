// Fixed worker threads and one deterministic parallel loop.
#pragma once
#include <functional>
#include <memory>

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
  void parallelFor(int count, const std::function<void(int)>& task);

 private:
  struct Shared;
  int threads_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace stiction
