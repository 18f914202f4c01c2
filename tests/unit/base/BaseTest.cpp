// Thread pool, deadlines, errors, hash.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "base/Hash.hpp"
#include "base/Memory.hpp"
#include "base/ThreadPool.hpp"

namespace stiction {
namespace {

TEST(Memory, IsAskedForBeforeItIsTaken) {
  EXPECT_GT(availableMemory(), 1'000'000U);
  EXPECT_NO_THROW(requireMemory(1e3, "a little"));
  EXPECT_NO_THROW(requireMemory(0.5 * static_cast<double>(availableMemory()), "half of it"));
  try {
    requireMemory(1e18, "the sky");
    FAIL() << "an exabyte is there";
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string{error.what()}.find("the sky takes 1e+09 GB, and "), std::string::npos) << error.what();
  }
}

TEST(Deadline, IsPastWhenItsTimeIsOrWhenCalledOff) {
  EXPECT_FALSE(isPast({}));
  EXPECT_FALSE(isPast({wallSeconds() + 1e6}));
  EXPECT_TRUE(isPast({wallSeconds() - 1}));
  Deadline deadline;
  CallOff callOff;
  deadline.callOff = &callOff;
  EXPECT_FALSE(isPast(deadline));
  callOff.set();
  EXPECT_TRUE(isPast(deadline));
}

TEST(CallOff, CountsForAllParts) {
  CallOff whole, other;
  CallOff part{&whole};
  const CallOff partOfPart{&part};
  other.set();
  EXPECT_FALSE(partOfPart.isSet());
  part.set();
  EXPECT_TRUE(partOfPart.isSet());
  EXPECT_FALSE(whole.isSet());
  const CallOff anotherPart{&whole}, partOfAnother{&anotherPart};
  EXPECT_FALSE(partOfAnother.isSet());
  whole.set();
  EXPECT_TRUE(partOfAnother.isSet());
}

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool{threads};
    for (const int count : {0, 1, 7, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      const auto take = [&](int i) { ++done[static_cast<std::size_t>(i)]; };
      pool.parallelFor(count, take);
      for (const bool wakes : {true, false}) pool.parallelShares(count, take, wakes);
      EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), 3 * count);
      for (const int times : done) EXPECT_EQ(times, 3);
    }
  }
}

TEST(ThreadPool, WakesWorkersThatFellAsleep) {
  using namespace std::chrono_literals;
  ThreadPool pool{3};
  std::mutex mutex;
  std::set<std::thread::id> took;
  for (int loop = 0; loop < 2; ++loop) {
    std::this_thread::sleep_for(50ms);
    pool.parallelFor(3, [&](int) {
      std::this_thread::sleep_for(50ms);
      const std::lock_guard lock{mutex};
      took.insert(std::this_thread::get_id());
    });
  }
  EXPECT_GT(took.size(), 1u);
}

TEST(ThreadPool, LoopsFollowOneAnotherWithoutALoss) {
  ThreadPool pool{4};
  long sum = 0;
  std::array<long, 4> part{};
  for (int loop = 0; loop < 20000; ++loop) {
    pool.parallelFor(4, [&](int i) { part[static_cast<std::size_t>(i)] = loop + i; });
    for (const long p : part) sum += p;
  }
  EXPECT_EQ(sum, 4 * (20000L * 19999 / 2) + 20000L * 6);
}

/// Sums the numbers below 2^depth, half of them by an errand of its own.
struct SumErrand : ThreadPool::Errand {
  SumErrand(ThreadPool& p, int d, long f) : pool{p}, depth{d}, first{f} {}
  void run() override {
    if (depth == 0) {
      sum = first;
      return;
    }
    SumErrand half{pool, depth - 1, first}, other{pool, depth - 1, first + (1L << (depth - 1))};
    pool.send(half);
    other.run();
    if (pool.withdraw(half))
      half.run();
    else
      pool.await(half);
    sum = half.sum + other.sum;
  }
  ThreadPool& pool;
  int depth;
  long first, sum{0};
};

TEST(ThreadPool, ErrandsSendErrands) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool{threads};
    SumErrand all{pool, 12, 0};
    pool.send(all);
    pool.await(all);
    EXPECT_EQ(all.sum, 4096L * 4095 / 2);
    EXPECT_FALSE(pool.withdraw(all)) << "it is done";
  }
}

TEST(ThreadPool, ErrandsGoOnBesideLoops) {
  struct Wait : ThreadPool::Errand {
    void run() override {
      while (!released) std::this_thread::yield();
    }
    std::atomic<bool> released{false};
  } errand;
  ThreadPool pool{2};
  pool.send(errand);
  while (pool.withdraw(errand)) pool.send(errand);  // until the worker has it
  std::atomic<int> count{0};
  pool.parallelFor(50, [&](int) { ++count; });
  pool.parallelShares(
      50, [&](int) { ++count; }, true);
  EXPECT_EQ(count, 100) << "the caller alone";
  errand.released = true;
  pool.await(errand);
}

TEST(Ranges, CoverAllIndicesOnce) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool{threads};
    for (const int count : {0, 1, 9, 10, 250, 5000}) {
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      inRanges(&pool, count, 10, [&](int range, int first, int last) {
        EXPECT_LT(range, kMostRanges);
        EXPECT_TRUE(range == 0 || last - first >= 10);
        for (int i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(done, std::vector<int>(static_cast<std::size_t>(count), 1));
      EXPECT_EQ(largestInRanges(&pool, count, 10, [](int, int last) { return 0.5 * last; }), 0.5 * count);
    }
  }
}

TEST(ThreadPool, PassesOnTheExceptionOfATask) {
  ThreadPool pool{3};
  const auto fail = [](int i) {
    if (i == 17) throw std::runtime_error{"seventeen"};
  };
  EXPECT_THROW(pool.parallelFor(50, fail), std::runtime_error);
  std::atomic<int> count{0};
  pool.parallelFor(50, [&](int) { ++count; });
  EXPECT_EQ(count, 50) << "the pool goes on after a failure";
}

TEST(InputError, SaysElementValueRangeAndRemedy) {
  const InputError error{"geom 'floor' friction", "-1", ">= 0", "use a friction of at least 0"};
  EXPECT_STREQ(error.what(), "geom 'floor' friction: -1; allowed: >= 0; remedy: use a friction of at least 0");
  EXPECT_EQ(error.element(), "geom 'floor' friction");
}

TEST(StateHash, TellsBitsApart) {
  StateHash a, b, c;
  a.add(0.0), b.add(-0.0), c.add(0.0);
  EXPECT_NE(a.value(), b.value());
  EXPECT_EQ(a.value(), c.value());
  EXPECT_EQ(a.hex().size(), 16u);
}

}  // namespace
}  // namespace stiction
