#include "base/ThreadPool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/Spin.hpp"

namespace stiction {

namespace {

// For the next loop before a worker falls asleep, some tenths of a millisecond: loops follow one another sooner, and to wake a worker takes the caller longer than many of them.
constexpr int kLooks = 20000;

// The gate to a loop's indices: how many workers are inside, whether it is open, and which loop it is.
using Gate = std::uint64_t;
constexpr Gate kOpen = Gate{1} << 16, kInside = kOpen - 1, kLoop = kOpen << 1;

Gate loopOf(Gate gate) { return gate / kLoop; }

}  // namespace

// Whoever is awake takes part. The caller waits for those inside alone: a worker that wakes up too late finds the gate closed.
struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable start, finished;
  const std::function<void(int)>* task{nullptr};
  int count{0};
  std::exception_ptr failure;
  alignas(64) std::atomic<Gate> gate{0};
  alignas(64) std::atomic<int> next{0};
  std::atomic<int> asleep{0};
  std::atomic<bool> isAwaited{false}, stop{false};
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

  void work() {
    Gate seen = 0;  // the last loop that it was part of
    const auto called = [&] {
      const Gate now = gate.load();
      return stop || ((now & kOpen) != 0 && loopOf(now) != seen);
    };
    while (true) {
      if (!spinUntil(called, kLooks)) {
        std::unique_lock lock{mutex};
        ++asleep;  // before the last look: who opens the gate after it sees that there is someone to wake
        start.wait(lock, called);
        --asleep;
      }
      if (stop) return;
      Gate now = gate.load();
      if ((now & kOpen) == 0 || !gate.compare_exchange_strong(now, now + 1)) continue;
      seen = loopOf(now);
      drain();
      gate.fetch_sub(1);
      if (isAwaited.load()) {
        const std::lock_guard lock{mutex};
        finished.notify_one();
      }
    }
  }

  void open(bool wakes) {
    gate.store((loopOf(gate.load()) + 1) * kLoop | kOpen);
    if (!wakes || asleep.load() == 0) return;
    { const std::lock_guard lock{mutex}; }  // none is between its last look and its sleep
    start.notify_all();
  }

  void close() {
    gate.fetch_and(~kOpen);
    const auto isEmpty = [&] { return (gate.load() & kInside) == 0; };
    if (spinUntil(isEmpty, kLooks)) return;
    std::unique_lock lock{mutex};
    isAwaited = true;
    finished.wait(lock, isEmpty);
    isAwaited = false;
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

void ThreadPool::parallelFor(int count, const std::function<void(int)>& task) { run(count, task, true); }
void ThreadPool::parallelForAwake(int count, const std::function<void(int)>& task) { run(count, task, false); }

void ThreadPool::run(int count, const std::function<void(int)>& task, bool wakes) {
  if (threads_ == 1 || count < 2) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  shared_->task = &task;
  shared_->count = count;
  shared_->next = 0;
  shared_->failure = nullptr;
  shared_->open(wakes);
  shared_->drain();
  shared_->close();
  if (shared_->failure) std::rethrow_exception(shared_->failure);
}

}  // namespace stiction
