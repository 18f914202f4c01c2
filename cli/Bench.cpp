// `stiction bench`: scenes and friction problems, timed in interleaved repeats (each case once, then each a second time ...), so that a machine whose speed drifts slows all alike.
// Loading is not timed; every repeat starts from the scene's start state, or cold.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "BenchCases.hpp"
#include "BenchReport.hpp"
#include "ColdSolve.hpp"
#include "Commands.hpp"
#include "RunTally.hpp"
#include "SceneStart.hpp"
#include "base/Error.hpp"
#include "base/Hash.hpp"

namespace stiction::cli {
namespace {

/// A case with what its repeats have shown so far.
struct Measured {
  BenchResult result;
  std::vector<double> stepCpu;  // [s] of a scene: the least of the repeats for each step
};

/// What must not depend on the repeat.
void recordProof(BenchResult& result, double certificate, const std::string& hash) {
  if (result.cpu.empty()) {
    result.certificate = certificate;
    result.hash = hash;
  }
  // two certificates that are not numbers are the same
  const bool same = certificate == result.certificate || (std::isnan(certificate) && std::isnan(result.certificate));
  result.steady = result.steady && same && hash == result.hash;
}

double farthestMove(const WorldState& start, const WorldState& end) {
  double farthest = 0;
  for (std::size_t i = 0; i < start.position.size(); ++i) farthest = std::max(farthest, (end.position[i] - start.position[i]).norm());
  return farthest;
}

void runScene(const BenchCase& one, const Scene& scene, const BenchArguments& arguments, Measured& measured) {
  SimulationOptions options;
  options.tolerance = arguments.tolerance;
  options.threads = arguments.threads;
  options.repeat = !arguments.recompute;
  Simulation simulation{scene.model, options};
  const WorldState& start = startOf(scene, one.keyframe);
  simulation.setState(start);
  RunTally tally{scene.model, start};
  const auto steps = static_cast<std::size_t>(std::llround(one.duration / one.dt));
  measured.stepCpu.resize(steps, std::numeric_limits<double>::infinity());
  BenchResult& result = measured.result;
  for (std::size_t k = 0; k < steps && tally.firstUncertified < 0; ++k) {
    const double time = simulation.state().time - start.time, wallStart = wallSeconds(), cpuStart = cpuSeconds();
    const StepReport& report = simulation.step(one.dt);
    const double cpu = cpuSeconds() - cpuStart;
    tally.wall += wallSeconds() - wallStart;
    tally.cpu += cpu;
    measured.stepCpu[k] = std::min(measured.stepCpu[k], cpu);
    tally.add(simulation.model(), report, time);
  }
  recordProof(result, tally.worst.relative, stateHash(simulation.state()));
  const double simulated = tally.steps * one.dt;
  result.cpu.push_back(tally.cpu / simulated);
  result.wall.push_back(tally.wall / simulated);
  result.contacts = tally.mostContacts;
  result.steps = tally.steps;
  result.penetration = tally.deepest;
  result.phases = tally.times;
  result.moved = farthestMove(start, simulation.state());
  result.certified = tally.firstUncertified < 0;
  result.reason = result.certified ? "" : format("step %d at %g s: %s", tally.firstUncertified, tally.uncertifiedTime, tally.uncertifiedReason.c_str());
  result.bodies = bodiesJson(simulation.model(), simulation.state());
}

template <class Problem>
void runProblem(const Problem& problem, const BenchArguments& arguments, BenchResult& result) {
  const ColdAnswer answer = solveCold(problem, "auto", arguments.tolerance);
  StateHash hash;
  for (const VectorX* part : {&answer.iterate.v, &answer.iterate.r, &answer.iterate.lambda}) hash.add(part->data(), static_cast<std::size_t>(part->size()));
  recordProof(result, answer.report.certificate.relative, hash.hex());
  result.cpu.push_back(answer.cpu);
  result.wall.push_back(answer.wall);
  result.contacts = problem.contacts();
  result.form = std::is_same_v<Problem, ContactProblem> ? "global" : "local";
  result.rung = answer.report.rung;
  result.certified = answer.report.certified;
  result.reason = answer.report.certified ? "" : format("certificate %.2e (%s)", answer.report.certificate.relative, name(answer.report.status));
}

void runOnce(const BenchCase& one, const BenchArguments& arguments, Measured& measured) {
  if (const auto* scene = std::get_if<Scene>(&one.content)) {
    runScene(one, *scene, arguments, measured);
  } else {
    std::visit([&](const auto& problem) { runProblem(problem, arguments, measured.result); }, std::get<FclibProblem>(one.content));
  }
}

/// Dearest step and last second, from the least that each step took.
void sumSteps(Measured& measured) {
  const auto end = measured.stepCpu.begin() + measured.result.steps;
  const auto second = std::min<std::ptrdiff_t>(measured.result.steps, std::lround(1 / measured.result.dt));
  for (auto step = measured.stepCpu.begin(); step != end; ++step) {
    measured.result.dearestStep = std::max(measured.result.dearestStep, *step);
    if (end - step <= second) measured.result.lastSecond += *step;
  }
}

std::vector<BenchResult> measure(const std::vector<BenchCase>& cases, const BenchArguments& arguments) {
  std::vector<Measured> measured;
  for (const BenchCase& one : cases) {
    BenchResult result;
    result.name = one.name;
    result.scene = std::holds_alternative<Scene>(one.content);
    result.keyframe = one.keyframe;
    result.duration = one.duration;
    result.dt = one.dt;
    measured.push_back({std::move(result), {}});
  }
  const bool told = isatty(STDERR_FILENO) != 0;
  for (int repeat = 0; repeat < arguments.repeats; ++repeat)
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (told) std::fprintf(stderr, "\r%d/%d  %s\033[K", repeat + 1, arguments.repeats, cases[i].name.c_str());
      runOnce(cases[i], arguments, measured[i]);
    }
  if (told) std::fputs("\r\033[K", stderr);
  std::vector<BenchResult> results;
  for (Measured& one : measured) {
    if (one.result.scene) sumSteps(one);
    results.push_back(std::move(one.result));
  }
  return results;
}

void check(const BenchArguments& arguments) {
  requireRange("--repeats", arguments.repeats, 1, 1e6, "give how often each case is run");
  requireRange("--threads", arguments.threads, 1, 1024, "give the number of threads to use");
  requireRange("--tol", arguments.tolerance, 1e-15, 1, "the usual tolerance is 1e-8");
  requireRange("--duration", arguments.duration, 0, 1e9, "give the simulated time in seconds");
  requireRange("--dt", arguments.dt, 0, 1, "0.1 to 50 ms is the usual range");
  requireWritable("--json", arguments.json);
  requireWritable("--save", arguments.save);
}

}  // namespace

int benchCommand(const BenchArguments& arguments) {
  check(arguments);
  const BenchSettings settings{arguments.repeats, arguments.threads, arguments.tolerance, arguments.recompute};
  const Json baseline = arguments.against.empty() ? Json{} : readBaseline(arguments.against, settings);
  const std::vector<BenchCase> cases = benchCases(arguments);
  requireSameSettings(cases, baseline, arguments.against);
  const std::vector<BenchResult> results = measure(cases, arguments);
  const std::vector<std::string> wrong = complaints(results, baseline);
  if (!arguments.save.empty()) writeText(arguments.save, toText(toJson(settings, results, false)));
  if (!arguments.json.empty()) writeText(arguments.json, toText(toJson(settings, results, true)));
  if (arguments.json != "-") std::fputs(toTable(results, baseline).c_str(), stdout);
  for (const std::string& line : wrong) std::fprintf(stderr, "stiction: %s\n", line.c_str());
  if (wrong.empty()) return exitCertified;
  if (!baseline.is_null())
    std::fprintf(
        stderr,
        "remedy: results must not change unseen. If the change is meant, write a new baseline with --save; hashes belong to one compiler and one kind of "
        "processor, so\na baseline written elsewhere differs too\n");
  return exitUncertified;
}

}  // namespace stiction::cli
