#include "Isolated.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace stiction::bench {
namespace {

constexpr int kMostRepeats = 64;
constexpr double kEnough = 1;  // [s] after which a child repeats no more

/// What the child leaves in shared memory; r follows it.
struct Slate {
  int done;
  int converged;
  double certificate;
  double cpu[kMostRepeats];
};

/// Ends the process by SIGXCPU after so much time of this thread. Not by RLIMIT_CPU: under it Linux counts the CPU time of a process in ticks, too coarse to measure with.
void endAfter(double seconds) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  timer_t timer{};
  itimerspec time{};
  time.it_value.tv_sec = static_cast<time_t>(seconds);
  time.it_value.tv_nsec = static_cast<long>(1e9 * (seconds - std::floor(seconds)));
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &time, nullptr) != 0) _exit(1);
}

[[noreturn]] void work(const std::function<Attempt()>& solve, int repeats, double limit, Slate& slate, double* r) {
  endAfter(limit);
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  double total = 0;
  for (int i = 0; i < repeats && total < kEnough; ++i) {
    const Attempt attempt = solve();
    if (i == 0) {
      slate.converged = attempt.converged ? 1 : 0;
      slate.certificate = attempt.certificate;
      for (Eigen::Index k = 0; k < attempt.r.size(); ++k) r[k] = attempt.r[k];
    }
    slate.cpu[i] = attempt.cpu;
    slate.done = i + 1;
    total += attempt.cpu;
  }
  _exit(0);
}

}  // namespace

Outcome runIsolated(const std::function<Attempt()>& solve, Eigen::Index size, int repeats, double limit) {
  const std::size_t bytes = sizeof(Slate) + sizeof(double) * static_cast<std::size_t>(size);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error{"no shared memory for a solve"};
  auto& slate = *static_cast<Slate*>(memory);
  auto* r = reinterpret_cast<double*>(static_cast<char*>(memory) + sizeof(Slate));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error{"no process for a solve"};
  if (child == 0) work(solve, std::min(repeats, kMostRepeats), limit, slate, r);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
  outcome.end = slate.done > 0 ? Outcome::End::Done : late ? Outcome::End::OutOfTime : Outcome::End::Crashed;
  outcome.cpu.assign(slate.cpu, slate.cpu + slate.done);
  outcome.first.r = Eigen::Map<const VectorX>{r, size};
  outcome.first.converged = slate.converged != 0;
  outcome.first.certificate = slate.certificate;
  munmap(memory, bytes);
  return outcome;
}

}  // namespace stiction::bench
