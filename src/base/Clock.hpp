// Wall and CPU clocks for the timings of a step.
#pragma once
#include <atomic>
#include <limits>

namespace stiction {

double wallSeconds();       // [s] monotonic
double cpuSeconds();        // [s] of the whole process, all threads
double threadCpuSeconds();  // [s] of the calling thread

/// When something is to be given up: at a time [s] of `wallSeconds`, or when nobody needs it any more.
struct Deadline {
  double time{std::numeric_limits<double>::infinity()};
  const std::atomic<bool>* calledOff{nullptr};
};

/// For a time of infinity the clock is not read.
bool isPast(const Deadline& deadline);

}  // namespace stiction
