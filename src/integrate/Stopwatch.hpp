// What the phases of a (sub)step take, by the wall clock: to read the CPU time of a thread takes a call of the system, longer than the whole step of a body that flies.
#pragma once
#include "base/Clock.hpp"

namespace stiction {

/// Adds the time since the last call to one of the phases.
class Stopwatch {
 public:
  Stopwatch() = default;
  ~Stopwatch() {
    if (only_) *only_ += wallSeconds() - last_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void lap(double& phase) {
    if (only_) return;
    const double now = wallSeconds();
    phase += now - last_;
    last_ = now;
  }
  /// All that is left goes to this phase: bodies in free flight are many, and each is moved in the time of a few looks at the clock.
  void only(double& phase) { only_ = &phase; }

 private:
  double last_{wallSeconds()};
  double* only_{nullptr};
};

}  // namespace stiction
