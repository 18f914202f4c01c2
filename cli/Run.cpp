// `stiction run`: a scene, stepped and certified to the end or to the first step that is not.
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>

#include "Commands.hpp"
#include "RunTally.hpp"
#include "SceneStart.hpp"
#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "io/Fclib.hpp"
#include "io/Record.hpp"

namespace stiction::cli {
namespace {

constexpr double progressInterval = 0.1;  // [s] wall

volatile std::sig_atomic_t interrupted = 0;

/// Lets a signal end the loop between two steps; a second one ends the program at once.
class SignalGuard {
 public:
  SignalGuard() {
    for (const int signal : {SIGINT, SIGTERM})
      std::signal(signal, [](int number) {
        interrupted = 1;
        std::signal(number, SIG_DFL);
      });
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }
};

/// A line on the terminal that is drawn over; nothing where standard error is not a terminal.
class Progress {
 public:
  explicit Progress(bool wanted) : shown_{wanted && isatty(STDERR_FILENO) != 0} {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  void draw(double time, double duration, double wall, int contacts, double worst) {
    if (!shown_ || wall - last_ < progressInterval) return;
    last_ = wall;
    drawn_ = true;
    constexpr int width = 24;
    const int filled = duration > 0 ? static_cast<int>(std::min(1.0, time / duration) * width) : width;
    std::string bar;
    for (int i = 0; i < width; ++i) bar += i < filled ? "#" : "-";
    std::fprintf(stderr, "\r[%s] %.3f / %g s  %.2f × real time  %d contacts  worst %.1e\033[K", bar.c_str(), time, duration, time / wall, contacts, worst);
    std::fflush(stderr);
  }

 private:
  bool shown_;
  bool drawn_{false};
  double last_{0};
};

Law lawNamed(const std::string& law) {
  for (const Law known : {Law::Coulomb, Law::Convex, Law::Box})
    if (law == name(known)) return known;
  throw InputError{"--law", "'" + law + "'", "coulomb, convex, box", "coulomb is the strict law"};
}

void check(const RunArguments& arguments) {
  requireRange("--duration", arguments.duration, 0, 1e9, "give the simulated time in seconds");
  if (arguments.dtGiven && !(arguments.dt > 0 && arguments.dt <= 1))
    throw InputError{"--dt", format("%g s", arguments.dt), "> 0 and <= 1 s", "0.1 to 50 ms is the usual range"};
  requireRange("--tol", arguments.tolerance, 1e-15, 1, "the usual tolerance is 1e-8");
  requireRange("--threads", arguments.threads, 1, 1024, "give the number of threads to use");
  requireRange("--step-limit", arguments.stepLimit, 0, 1e9, "give the wall time of a step in seconds, or 0 for no limit");
  requireRange("--every", arguments.every, 1, 1e9, "give the number of steps between recorded frames");
  requireWritable("--record", arguments.record);
  requireWritable("--json", arguments.json);
  requireWritable("--dump-worst", arguments.dumpWorst);
  const Portfolio known{arguments.solver, lawNamed(arguments.law)};  // unknown names are told before the scene is read
}

/// With --strict-import the first thing left out is an error.
void checkImport(const RunArguments& arguments, const ImportReport& report) {
  const auto refuse = [&arguments](const ImportEntry& entry) {
    throw InputError{arguments.scene + ": " + entry.element + (entry.attribute.empty() ? "" : " attribute " + entry.attribute), "left out (" + entry.why + ")",
                     "elements that are supported, with --strict-import", "remove it, or run without --strict-import"};
  };
  if (!arguments.strictImport) return;
  for (const ImportEntry& entry : report.ignored) refuse(entry);
  for (const ImportEntry& entry : report.changed)
    if (entry.attribute == "condim") refuse(entry);
}

void tellImport(const ImportReport& report) {
  for (const std::string& warning : report.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  if (!report.ignored.empty())
    std::fprintf(stderr, "import: %zu %s no effect (`stiction info SCENE` lists what)\n", report.ignored.size(),
                 report.ignored.size() == 1 ? "kind of element or attribute has" : "kinds of elements or attributes have");
  for (const ImportEntry& entry : report.changed)
    std::fprintf(stderr, "import: %s %s: %s\n", entry.element.c_str(), entry.attribute.c_str(), entry.why.c_str());
}

void writeWorst(const std::string& path, const Simulation& simulation) {
  if (simulation.hardestProblem() == nullptr) {
    std::fprintf(stderr, "warning: no step had a contact problem: %s is not written\n", path.c_str());
    return;
  }
  const std::string warning = writeFclib(path, *simulation.hardestProblem(), *simulation.hardestIterate());
  if (!warning.empty()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

std::int64_t countSteps(const RunArguments& arguments, double dt) {
  const double steps = std::round(arguments.duration / dt);
  requireRange("--duration / --dt", steps, 0, 2e9, "take larger steps or a shorter time");
  return static_cast<std::int64_t>(steps);
}

/// Steps until the end, a signal, or a step that may not be integrated.
void stepAll(const RunArguments& arguments, double dt, Simulation& simulation, RunTally& tally, Recorder* recorder) {
  const std::int64_t steps = countSteps(arguments, dt);
  const SignalGuard guard;
  Progress progress{!arguments.quiet};
  const double wallStart = wallSeconds(), cpuStart = cpuSeconds();
  double stepStart = cpuStart;
  for (std::int64_t k = 0; k < steps && interrupted == 0; ++k) {
    const double time = simulation.state().time - tally.startTime;
    const StepReport& report = simulation.step(dt);
    tally.add(simulation.model(), report, time);
    const bool stop = report.status == StepStatus::NonFinite || (report.status == StepStatus::NotCertified && !arguments.keepGoing);
    if (recorder != nullptr) {
      const double stepEnd = cpuSeconds();
      if (!stop && ((k + 1) % arguments.every == 0 || k + 1 == steps)) recorder->addStep(simulation, report, tally.energy, stepEnd - stepStart);
      stepStart = cpuSeconds();
      tally.recordTime += stepStart - stepEnd;
    }
    progress.draw(simulation.state().time - tally.startTime, arguments.duration, wallSeconds() - wallStart, report.contacts, tally.worst.relative);
    if (stop) break;
  }
  tally.wall = wallSeconds() - wallStart;
  tally.cpu = cpuSeconds() - cpuStart;
}

}  // namespace

int runCommand(const RunArguments& arguments) {
  check(arguments);
  const Scene scene = loadScene(arguments.scene);
  checkImport(arguments, scene.report);
  const WorldState& start = startOf(scene, arguments.keyframe);
  const double dt = stepOf(scene, arguments.dtGiven ? arguments.dt : 0);
  if (!arguments.quiet) tellImport(scene.report);
  SimulationOptions options;
  options.solver = arguments.solver;
  options.law = lawNamed(arguments.law);
  options.fallBack = !arguments.noFallBack;
  options.tolerance = arguments.tolerance;
  options.threads = arguments.threads;
  options.stepLimit = arguments.stepLimit;
  options.keepGoing = arguments.keepGoing;
  options.keepHardest = !arguments.dumpWorst.empty();
  Simulation simulation{scene.model, options};
  simulation.setState(start);
  RunTally tally{scene.model, start};
  std::optional<Recorder> recorder;
  if (!arguments.record.empty()) {
    const std::string text = format("--duration %.17g --dt %.17g --law %s --tol %.17g --threads %d --every %d%s%s", arguments.duration, dt,
                                    arguments.law.c_str(), arguments.tolerance, arguments.threads, arguments.every, arguments.keepGoing ? " --keep-going" : "",
                                    arguments.keyframe.empty() ? "" : (" --keyframe " + arguments.keyframe).c_str());
    recorder.emplace(arguments.record, RecordHead{STICTION_VERSION, arguments.scene, scene.text, arguments.solver, text, arguments.tolerance, dt}, scene.model);
    recorder->addStart(start, tally.energy);
  }
  stepAll(arguments, dt, simulation, tally, recorder ? &*recorder : nullptr);
  if (recorder) recorder->finish();
  if (!arguments.dumpWorst.empty()) writeWorst(arguments.dumpWorst, simulation);
  const RunNames names{arguments.scene, arguments.solver, arguments.law, dt, arguments.tolerance, arguments.threads};
  if (!arguments.json.empty()) writeText(arguments.json, toText(toJson(names, tally, simulation, scene.report)));
  if (arguments.json != "-" && !arguments.quiet) std::fputs(toTable(names, tally).c_str(), stdout);
  if (interrupted != 0) std::fprintf(stderr, "stiction: interrupted after %d steps; what was asked for is written\n", tally.steps);
  if (tally.firstUncertified < 0) return exitCertified;
  std::fprintf(stderr, "stiction: step %d at %g s is not certified: %s\n", tally.firstUncertified, tally.uncertifiedTime, tally.uncertifiedReason.c_str());
  return exitUncertified;
}

}  // namespace stiction::cli
