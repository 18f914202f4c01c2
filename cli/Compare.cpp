// `stiction compare`: every method on one friction problem or one scene, beside the strict answer of `auto`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "ColdSolve.hpp"
#include "Commands.hpp"
#include "Output.hpp"
#include "SceneStart.hpp"
#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "integrate/Simulation.hpp"
#include "io/Fclib.hpp"

namespace stiction::cli {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSharp = 1e-13;  // [-] certificate that the reference is brought towards
constexpr int kDense = 100;       // contacts: ECOS, whose programs are dense, takes minutes and hours beyond

/// One line of the table. NaN where there is nothing to say.
struct Line {
  std::string solver;
  Law law{Law::Coulomb};
  std::string outcome;        // "certified", or by its own law "converged", or why not
  double certificate{kNone};  // [-] relative: of strict Coulomb for a problem, of the method's own law for a scene
  int iterations{0};
  double cpu{0};        // [s]
  double error{kNone};  // [m/s] or [m]
};

std::vector<SolverInfo> chosenMethods(const std::string& names) {
  std::vector<SolverInfo> all = portfolioInfos(), chosen;
  if (names.empty()) return all;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t to = std::min(names.find(',', from), names.size());
    const std::string name = names.substr(from, to - from);
    const auto found = std::find_if(all.begin(), all.end(), [&name](const SolverInfo& info) { return name == info.name; });
    if (found == all.end()) static_cast<void>(Portfolio{name});  // tells what there is
    chosen.push_back(*found);
    from = to + 1;
  }
  return chosen;
}

// --- A friction problem ---

struct Solved {
  Line line;
  VectorX u;  // [m/s]
};

template <class Problem>
Solved solveBy(const SolverInfo& info, const Problem& problem, const CompareArguments& arguments) {
  Solved solved;
  solved.line.cpu = std::numeric_limits<double>::infinity();
  for (int i = 0; i < arguments.repeat; ++i) {
    const ColdAnswer cold = solveCold(problem, info.name, arguments.tolerance);
    solved.line.cpu = std::min(solved.line.cpu, cold.cpu);
    solved.line.iterations = cold.report.iterations;
    solved.line.certificate = cold.report.certificate.relative;
    solved.line.outcome = cold.report.certified ? "certified" : name(cold.report.status);
    solved.u = contactVelocity(problem, cold.iterate);
  }
  solved.line.solver = info.name;
  solved.line.law = info.law;
  return solved;
}

/// Contact velocities of `auto`, as sharp as Newton gets them: errors are measured from there. Empty when not certified.
template <class Problem>
std::optional<VectorX> strictVelocity(const Problem& problem, double tolerance) {
  ColdAnswer cold = solveCold(problem, portfolioInfos().front().name, tolerance);
  if (!cold.report.certified) return std::nullopt;
  SolveOptions sharpen;
  sharpen.warm = true;
  sharpen.tolerance = sharpen.polish = kSharp;
  Iterate sharp = cold.iterate;
  if (Portfolio{"newton"}.solve(problem, sharp, sharpen).certificate.relative < cold.report.certificate.relative) cold.iterate = sharp;
  return contactVelocity(problem, cold.iterate);
}

std::vector<Line> compareOn(const FclibProblem& problem, const std::vector<SolverInfo>& methods, const CompareArguments& arguments) {
  return std::visit(
      [&](const auto& p) {
        const std::optional<VectorX> strict = strictVelocity(p, arguments.tolerance);
        std::vector<Line> lines;
        for (const SolverInfo& info : methods) {
          if (p.contacts() > kDense && std::string{info.name}.starts_with("ecos")) {
            lines.push_back({info.name, info.law, format("left out: over %d contacts", kDense), kNone, 0, kNone, kNone});
            continue;
          }
          Solved solved = solveBy(info, p, arguments);
          if (strict && solved.u.allFinite()) solved.line.error = solved.u.size() > 0 ? (solved.u - *strict).cwiseAbs().maxCoeff() : 0.0;
          lines.push_back(solved.line);
        }
        return lines;
      },
      problem);
}

// --- A scene ---

struct Motion {
  Line line;
  std::vector<std::vector<Vector3>> positions;  // [m] centres of mass after each step
};

Motion runBy(const SolverInfo& info, const Scene& scene, const WorldState& start, int steps, double dt, const CompareArguments& arguments) {
  SimulationOptions options;
  options.solver = info.name;
  options.law = info.law;
  options.fallBack = false;  // each on its own
  options.tolerance = arguments.tolerance;
  Simulation simulation{scene.model, options};
  simulation.setState(start);
  Motion motion;
  motion.line = {info.name, info.law, "certified", 0.0, 0, 0.0, kNone};
  const double begin = cpuSeconds();
  int halved = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = simulation.step(dt);
    motion.line.iterations += report.iterations;
    motion.line.certificate = std::max(motion.line.certificate, report.certificate.relative);
    if (report.status != StepStatus::Certified) {
      motion.line.outcome = format("stopped at %.3g s", simulation.state().time - start.time);
      break;
    }
    if (report.impacts == 0 && report.substeps > report.islands) ++halved;
    motion.positions.push_back(simulation.state().position);
    if (cpuSeconds() - begin > arguments.limit) {
      motion.line.outcome = format("given up at %.3g s", simulation.state().time - start.time);
      break;
    }
  }
  motion.line.cpu = cpuSeconds() - begin;
  if (halved > 0) motion.line.outcome += format(", %d halved", halved);
  return motion;
}

std::vector<Line> compareOn(const Scene& scene, const std::vector<SolverInfo>& methods, const CompareArguments& arguments) {
  const WorldState& start = startOf(scene, arguments.keyframe);
  const double dt = stepOf(scene, arguments.dt);
  const double steps = std::round(arguments.duration / dt);
  requireRange("--duration / --dt", steps, 1, 1e7, "take larger steps or a shorter time");
  const Motion strict = runBy(portfolioInfos().front(), scene, start, static_cast<int>(steps), dt, arguments);
  std::vector<Line> lines;
  for (const SolverInfo& info : methods) {
    Motion motion = runBy(info, scene, start, static_cast<int>(steps), dt, arguments);
    const std::size_t common = std::min(motion.positions.size(), strict.positions.size());
    if (common > 0) {
      motion.line.error = 0;
      for (std::size_t body = 0; body < motion.positions[common - 1].size(); ++body)
        motion.line.error = std::max(motion.line.error, (motion.positions[common - 1][body] - strict.positions[common - 1][body]).norm());
    }
    lines.push_back(motion.line);
  }
  return lines;
}

// --- The table ---

void print(const std::vector<Line>& lines, bool scene) {
  std::printf("%-12s %-8s %-24s %12s %11s %10s %14s\n", "method", "law", "outcome", "certificate", "iterations", "cpu [ms]",
              scene ? "error [m]" : "error [m/s]");
  const auto number = [](const char* as, double value) { return std::isfinite(value) ? format(as, value) : std::string{"-"}; };
  for (const Line& line : lines)
    std::printf("%-12s %-8s %-24s %12s %11d %10s %14s\n", line.solver.c_str(), name(line.law), line.outcome.c_str(), number("%.2e", line.certificate).c_str(),
                line.iterations, number("%.2f", 1e3 * line.cpu).c_str(), number("%.2e", line.error).c_str());
  std::printf(scene ? "certificate: of the method's own law, worst step; error: largest distance of a body from where the strict law puts it, at the last "
                      "common step; a\nhalved step is another discretisation: its error is that of time, too\n"
                    : "certificate: of strict Coulomb; error: largest difference of a contact velocity from the strict answer's\n");
}

Json toJson(const std::vector<Line>& lines, const CompareArguments& arguments, bool scene) {
  Json methods = Json::array();
  for (const Line& line : lines)
    methods.push_back({{"method", line.solver},
                       {"law", name(line.law)},
                       {"outcome", line.outcome},
                       {"certificate", line.certificate},
                       {"iterations", line.iterations},
                       {"cpu_ms", 1e3 * line.cpu},
                       {scene ? "error_m" : "error_m_s", line.error}});
  return {{scene ? "scene" : "problem", arguments.file}, {"methods", methods}};
}

}  // namespace

int compareCommand(const CompareArguments& arguments) {
  requireRange("--tol", arguments.tolerance, 1e-15, 1, "the usual tolerance is 1e-8");
  requireRange("--repeat", arguments.repeat, 1, 1e6, "give a whole number of repeats");
  requireRange("--duration", arguments.duration, 0, 1e9, "give the simulated time in seconds");
  requireRange("--dt", arguments.dt, 0, 1, "0.1 to 50 ms is the usual range");
  requireRange("--limit", arguments.limit, 0, 1e9, "give the seconds after which a method's run ends");
  requireWritable("--json", arguments.json);
  const std::vector<SolverInfo> methods = chosenMethods(arguments.solvers);
  const bool scene = !isHdf5(arguments.file);
  const std::vector<Line> lines = scene ? compareOn(loadScene(arguments.file), methods, arguments) : compareOn(readFclib(arguments.file), methods, arguments);
  if (!arguments.json.empty()) writeText(arguments.json, toText(toJson(lines, arguments, scene)));
  if (arguments.json != "-") print(lines, scene);
  return exitCertified;
}

}  // namespace stiction::cli
