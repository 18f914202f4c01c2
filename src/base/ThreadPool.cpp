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
  /// The indices of a loop, or of one thread's share of it, that nobody has taken yet.
  struct alignas(64) Turns {
    std::atomic<int> next{0};
    int end{0};

    void set(int first, int last) { next.store(first), end = last; }
    template <class Take>
    void drain(const Take& take) {
      for (int i = next.load() < end ? next.fetch_add(1) : end; i < end; i = next.fetch_add(1)) take(i);
    }
  };

  explicit Shared(int threads) : shares(static_cast<std::size_t>(threads)) {}

  std::mutex mutex;
  std::condition_variable start, finished;
  const std::function<void(int)>* task{nullptr};
  std::exception_ptr failure;
  alignas(64) std::atomic<Gate> gate{0};
  std::vector<Turns> shares;  // by thread, the caller's first; all of a loop that anyone takes up in the first
  std::atomic<int> asleep{0}, waiting{0};
  std::atomic<bool> isAwaited{false}, stop{false};
  std::vector<Errand*> errands;  // that nobody has begun, as many as `waiting`
  std::condition_variable news;  // of errands
  std::vector<std::thread> workers;

  void drain(int thread) {
    const auto take = [this](int i) {
      try {
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock{mutex};
        if (!failure) failure = std::current_exception();
      }
    };
    const auto own = shares.begin() + thread;
    std::for_each(own, shares.end(), [&](Turns& turns) { turns.drain(take); });
    std::for_each(shares.begin(), own, [&](Turns& turns) { turns.drain(take); });
  }

  void work(int thread) {
    Gate seen = 0;  // the last loop that it was part of
    const auto called = [&] {
      const Gate now = gate.load();
      return stop || waiting.load() > 0 || ((now & kOpen) != 0 && loopOf(now) != seen);
    };
    while (true) {
      if (!spinUntil(called, kLooks)) {
        std::unique_lock lock{mutex};
        ++asleep;  // before the last look: who opens the gate after it sees that there is someone to wake
        start.wait(lock, called);
        --asleep;
      }
      if (stop) return;
      if (waiting.load() > 0) {
        std::unique_lock lock{mutex};
        runNext(lock);
        continue;
      }
      Gate now = gate.load();
      if ((now & kOpen) == 0 || !gate.compare_exchange_strong(now, now + 1)) continue;
      seen = loopOf(now);
      drain(thread);
      gate.fetch_sub(1);
      if (isAwaited.load()) {
        const std::lock_guard lock{mutex};
        finished.notify_one();
      }
    }
  }

  /// Runs the latest errand, if one is left.
  void runNext(std::unique_lock<std::mutex>& lock) {
    if (errands.empty()) return;
    Errand& errand = *errands.back();
    errands.pop_back();
    --waiting;
    errand.state_ = Errand::State::Running;
    lock.unlock();
    errand.run();
    lock.lock();
    errand.state_ = Errand::State::Done;
    news.notify_all();
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

ThreadPool::ThreadPool(int threads) : threads_{threads < 1 ? 1 : threads}, shared_{std::make_unique<Shared>(threads_)} {
  for (int i = 1; i < threads_; ++i) shared_->workers.emplace_back([this, i] { shared_->work(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock{shared_->mutex};
    shared_->stop = true;
  }
  shared_->start.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::run(int count, const std::function<void(int)>& task, Loop loop) {
  if (threads_ == 1 || count < 2) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  shared_->task = &task;
  shared_->failure = nullptr;
  for (int t = 0; t < threads_; ++t) {
    Shared::Turns& turns = shared_->shares[static_cast<std::size_t>(t)];
    if (loop == Loop::Anyone)
      turns.set(0, t == 0 ? count : 0);
    else
      turns.set(count * t / threads_, count * (t + 1) / threads_);
  }
  shared_->open(loop != Loop::AwakeShares);
  shared_->drain(0);
  shared_->close();
  if (shared_->failure) std::rethrow_exception(shared_->failure);
}

void ThreadPool::send(Errand& errand) {
  {
    const std::lock_guard lock{shared_->mutex};
    errand.state_ = Errand::State::Waiting;
    shared_->errands.push_back(&errand);
    ++shared_->waiting;
  }
  shared_->start.notify_one();
  shared_->news.notify_all();
}

bool ThreadPool::withdraw(Errand& errand) {
  const std::lock_guard lock{shared_->mutex};
  if (errand.state_ != Errand::State::Waiting) return false;
  std::erase(shared_->errands, &errand);
  --shared_->waiting;
  errand.state_ = Errand::State::Idle;
  return true;
}

void ThreadPool::await(Errand& errand) {
  std::unique_lock lock{shared_->mutex};
  while (errand.state_ != Errand::State::Done)
    if (shared_->errands.empty())
      shared_->news.wait(lock);
    else
      shared_->runNext(lock);
}

}  // namespace stiction
