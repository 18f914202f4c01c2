// random_scenes [--scenes N] [--first SEED] [--jobs N] [--seconds S]: scenes of consecutive seeds, each held to what every step must keep. Exit 1 when one does
// not, or when more than one scene in a hundred among the ordinary ones ends with a refused step; ordinary: mass ratio up to 10^6, nothing driven. A crash prints
// its seed; a scene that takes more than S seconds of CPU time counts as hanging and ends the program.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "SceneChecks.hpp"

namespace {

using stiction::random_scenes::Outcome;
using stiction::random_scenes::runScene;

constexpr double kSlow = 1.0;            // [s] of CPU time: scenes named as slow
constexpr double kRefusedScenes = 0.01;  // [-] of the ordinary scenes
constexpr double kOrdinaryRatio = 1e6;   // [-] masses

struct Settings {
  std::uint64_t scenes{2000}, first{1};
  unsigned jobs{1};
  double patience{300};  // [s]
};

thread_local std::uint64_t seedHere = 0;

void repeat(std::uint64_t seed, char* text, std::size_t size) {
  std::snprintf(text, size, "random_scenes --scenes 1 --first %llu", static_cast<unsigned long long>(seed));
}

extern "C" void onCrash(int signal) {
  char command[96], text[160];
  repeat(seedHere, command, sizeof command);
  const int length = std::snprintf(text, sizeof text, "signal %d in a scene   [%s]\n", signal, command);
  if (write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Totals {
  long scenes{0}, steps{0}, contacts{0}, splits{0}, faults{0}, refused{0};
  long ordinary{0}, ordinaryRefused{0}, heavyRefused{0}, drivenRefused{0};
  double certificate{0}, closure{0}, deepest{0}, slowest{0};
  std::uint64_t slowestSeed{0};
  std::map<std::string, long> rungs;

  void add(const Outcome& one) {
    ++scenes;
    steps += one.steps;
    contacts += one.contacts;
    splits += one.splits;
    faults += !one.fault.empty();
    refused += one.refused;
    const bool heavy = one.massRatio > kOrdinaryRatio, usual = !heavy && !one.driven;
    ordinary += usual;
    ordinaryRefused += usual && one.refused;
    heavyRefused += heavy && one.refused;
    drivenRefused += !heavy && one.driven && one.refused;
    certificate = std::max(certificate, one.worstCertificate);
    closure = std::max(closure, one.worstClosure);
    deepest = std::max(deepest, one.deepest);
    if (one.seconds > slowest) slowest = one.seconds, slowestSeed = one.seed;
    for (const auto& [rung, count] : one.rungs) rungs[rung] += count;
  }
};

void print(const Outcome& one) {
  char command[96];
  repeat(one.seed, command, sizeof command);
  if (!one.fault.empty())
    std::printf("FAULT %s   [%s]\n", one.fault.c_str(), command);
  else if (one.refused)
    std::printf("refused step %d at certificate %.3e, mass ratio %.0e%s   [%s]\n", one.steps, one.refusedAt, one.massRatio, one.driven ? ", driven" : "",
                command);
  if (one.seconds > kSlow) std::printf("slow: %.1f s   [%s]\n", one.seconds, command);
  std::fflush(stdout);
}

void print(const Totals& all, const Settings& settings) {
  std::printf("%ld scenes, seeds %llu to %llu: %ld steps, %ld contacts, %ld faults\n", all.scenes, static_cast<unsigned long long>(settings.first),
              static_cast<unsigned long long>(settings.first + settings.scenes - 1), all.steps, all.contacts, all.faults);
  std::printf("steps refused: %ld (one in %.0f), none integrated; steps in smaller parts: %ld\n", all.refused,
              all.refused ? static_cast<double>(all.steps) / static_cast<double>(all.refused) : 0.0, all.splits);
  std::printf("scenes ended by one: %ld with a mass ratio above %.0e, %ld driven, %ld of %ld others\n", all.heavyRefused, kOrdinaryRatio, all.drivenRefused,
              all.ordinaryRefused, all.ordinary);
  std::printf("worst certificate %.2e, worst ledger closure %.2e, deepest overlap after a first step %.3g m, slowest scene %.2f s (seed %llu)\n",
              all.certificate, all.closure, all.deepest, all.slowest, static_cast<unsigned long long>(all.slowestSeed));
  std::printf("islands by rung:");
  for (const auto& [rung, count] : all.rungs) std::printf(" %s %ld", rung.c_str(), count);
  std::printf("\n");
}

class Run {
 public:
  explicit Run(const Settings& settings) : settings_{settings}, started_(settings.jobs) {}

  Totals all() {
    std::vector<std::jthread> workers;
    for (unsigned job = 0; job < settings_.jobs; ++job) workers.emplace_back([this, job] { work(job); });
    while (finished_ < settings_.jobs) {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      watch();
    }
    return totals_;
  }

 private:
  struct Started {
    std::atomic<std::uint64_t> seed{0};
    std::atomic<clockid_t> clock{CLOCK_THREAD_CPUTIME_ID};  // of the worker
    std::atomic<double> time{0};                            // [s]
  };

  static double now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  void work(unsigned job) {
    clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
    pthread_getcpuclockid(pthread_self(), &clock);
    started_[job].clock = clock;
    for (std::uint64_t i = next_++; i < settings_.scenes; i = next_++) {
      seedHere = settings_.first + i;
      started_[job].time = now(clock);
      started_[job].seed = seedHere;
      const Outcome outcome = runScene(seedHere);
      const std::lock_guard lock{mutex_};
      totals_.add(outcome);
      print(outcome);
    }
    started_[job].seed = 0;
    ++finished_;
  }

  void watch() const {
    for (const Started& one : started_) {
      const std::uint64_t seed = one.seed;
      if (seed == 0 || now(one.clock) - one.time < settings_.patience) continue;
      char command[96];
      repeat(seed, command, sizeof command);
      std::printf("FAULT a scene hangs   [%s]\n", command);
      std::fflush(stdout);
      _exit(1);
    }
  }

  Settings settings_;
  std::vector<Started> started_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<unsigned> finished_{0};
  std::mutex mutex_;
  Totals totals_;
};

bool read(int count, char** words, Settings& settings) {
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    const std::string word = words[i];
    char* end = nullptr;
    const double value = std::strtod(words[i + 1], &end);
    if (*end != '\0' || !(value > 0) || value > 1e15) return false;
    if (word == "--scenes")
      settings.scenes = static_cast<std::uint64_t>(value);
    else if (word == "--first")
      settings.first = static_cast<std::uint64_t>(value);
    else if (word == "--jobs")
      settings.jobs = static_cast<unsigned>(std::min(value, 256.0));
    else if (word == "--seconds")
      settings.patience = value;
    else
      return false;
  }
  return settings.scenes > 0 && settings.jobs > 0;
}

}  // namespace

int main(int count, char** words) {
  Settings settings;
  if (!read(count, words, settings)) {
    std::fprintf(stderr, "usage: random_scenes [--scenes N] [--first SEED] [--jobs N] [--seconds S]   (numbers > 0)\n");
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, onCrash);
  const Totals totals = Run{settings}.all();
  print(totals, settings);
  const bool rare = static_cast<double>(totals.ordinaryRefused) <= kRefusedScenes * static_cast<double>(totals.ordinary);
  return totals.faults == 0 && (rare || totals.scenes < 100) ? 0 : 1;
}
