#include "base/ThreadPool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/Spin.hpp"

namespace stiction {

struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable start, finished;
  const std::function<void(int)>* task{nullptr};
  std::atomic<int> next{0};
  int count{0};
  std::atomic<int> working{0};
  std::atomic<unsigned long> generation{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  std::vector<std::thread> workers;

  void drain() {
    for (int i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock{mutex};
        if (!failure) failure = std::current_exception();
      }
    }
  }

  // Loops often follow one another within microseconds, which falling asleep in between would double.
  void work() {
    unsigned long seen = 0;
    const auto called = [&] { return stop || generation.load(std::memory_order_acquire) != seen; };
    while (true) {
      if (!spinUntil(called)) {
        std::unique_lock lock{mutex};
        start.wait(lock, called);
      }
      if (stop) return;
      seen = generation;
      drain();
      if (working.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock{mutex};
        finished.notify_one();
      }
    }
  }

  void await() {
    const auto done = [&] { return working.load(std::memory_order_acquire) == 0; };
    if (spinUntil(done)) return;
    std::unique_lock lock{mutex};
    finished.wait(lock, done);
  }
};

int usualThreads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4); }

ThreadPool::ThreadPool(int threads) : threads_{threads < 1 ? 1 : threads}, shared_{std::make_unique<Shared>()} {
  for (int i = 1; i < threads_; ++i) shared_->workers.emplace_back([this] { shared_->work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->stop = true;
  }
  shared_->start.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::parallelFor(int count, const std::function<void(int)>& task) {
  if (threads_ == 1 || count < 2) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->task = &task;
    shared_->count = count;
    shared_->next = 0;
    shared_->working = threads_ - 1;
    shared_->failure = nullptr;
    shared_->generation.fetch_add(1, std::memory_order_release);
  }
  shared_->start.notify_all();
  shared_->drain();
  shared_->await();
  if (shared_->failure) std::rethrow_exception(shared_->failure);
}

}  // namespace stiction
