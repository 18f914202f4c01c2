// CPU time of the phases of a (sub)step.
#pragma once
#include "base/Clock.hpp"

namespace stiction {

/// Adds the CPU time since the last call to one of the phases.
class Stopwatch {
 public:
  Stopwatch() = default;
  ~Stopwatch() {
    if (only_) *only_ += threadCpuSeconds() - last_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void lap(double& phase) {
    if (only_) return;
    const double now = threadCpuSeconds();
    phase += now - last_;
    last_ = now;
  }
  /// All that is left goes to this phase: a body in free flight is moved in the time that a look at the clock takes.
  void only(double& phase) { only_ = &phase; }

 private:
  double last_{threadCpuSeconds()};
  double* only_{nullptr};
};

}  // namespace stiction
