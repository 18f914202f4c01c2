// Waiting for what another thread is about to do.
#pragma once
#include <thread>

namespace stiction {

/// Looks `looks` times, some ten microseconds by default, without letting go of the processor. Returns whether it is done.
template <class Done>
bool spinUntil(const Done& done, int looks = 1000) {
  for (int k = 0; k < looks; ++k) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return done();
}

/// The same until it is done, others run in between.
template <class Done>
void awaitSoon(const Done& done) {
  while (!spinUntil(done)) std::this_thread::yield();
}

}  // namespace stiction
