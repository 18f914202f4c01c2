#include "base/Clock.hpp"

#include <cmath>
#include <ctime>

namespace stiction {
namespace {
double read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
}  // namespace

double wallSeconds() { return read(CLOCK_MONOTONIC); }
double cpuSeconds() { return read(CLOCK_PROCESS_CPUTIME_ID); }
double threadCpuSeconds() { return read(CLOCK_THREAD_CPUTIME_ID); }

bool isPast(const Deadline& deadline) {
  return (deadline.callOff != nullptr && deadline.callOff->isSet()) || (std::isfinite(deadline.time) && wallSeconds() > deadline.time);
}

}  // namespace stiction
