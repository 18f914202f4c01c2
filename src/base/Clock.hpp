// Wall and CPU clocks for the timings of a step.
#pragma once
#include <atomic>
#include <limits>

namespace stiction {

double wallSeconds();       // [s] monotonic
double cpuSeconds();        // [s] of the whole process, all threads
double threadCpuSeconds();  // [s] of the calling thread

/// Set, from any thread, when nobody needs something any more. What is a part of something else is not needed either when that is not.
class CallOff {
 public:
  /// `whole` must live longer; null: a part of nothing.
  explicit CallOff(const CallOff* whole = nullptr) : whole_{whole} {}

  void set() { isSet_.store(true, std::memory_order_relaxed); }
  bool isSet() const { return isSet_.load(std::memory_order_relaxed) || (whole_ != nullptr && whole_->isSet()); }

 private:
  std::atomic<bool> isSet_{false};
  const CallOff* whole_;
};

/// When something is to be given up: at a time [s] of `wallSeconds`, or when it is called off.
struct Deadline {
  double time{std::numeric_limits<double>::infinity()};
  const CallOff* callOff{nullptr};
};

/// For a time of infinity the clock is not read.
bool isPast(const Deadline& deadline);

}  // namespace stiction
