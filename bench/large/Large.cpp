// Scenes of thousands of bodies: what a step and a byte cost as they grow, as a Markdown table, each row in a process of its own. Exit code 3 where a step is not certified.
//   bench_large ROW … [--duration S] [--dt S] [--tol C] [--step-limit S] [--threads T] [--progress]     ROW: heap:BODIES, wall:BODIES or column:BODIES:ASPECT
// A step that takes longer than --step-limit seconds is given up, and its row says so; what does not fit into memory, too.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "integrate/Simulation.hpp"
#include "large/LargeScene.hpp"

namespace {

using namespace stiction;
using namespace stiction::bench;

struct Arguments {
  std::vector<std::string> rows{"heap:1000", "heap:10000", "wall:1000", "wall:5000"};
  double duration{0.2}, dt{1.0 / 60}, stepLimit{600};  // [s]
  double tolerance{1e-8};                              // [-]
  int threads{1};
  bool progress{false};
};

struct Row {
  std::string scene;
  int bodies{0};
  double aspect{1};

  LargeScene make() const {
    if (scene == "wall") return makeWall(bodies);
    if (scene == "column") return makeColumn(bodies, aspect);
    return makeHeap(bodies);
  }
};

/// The row that `text` names. Throws CLI::ValidationError.
Row parse(const std::string& text) {
  char name[8];
  Row row;
  const int read = std::sscanf(text.c_str(), "%7[a-z]:%d:%lf", name, &row.bodies, &row.aspect);
  row.scene = read > 0 ? name : "";
  const bool known = row.scene == "heap" || row.scene == "wall" || row.scene == "column";
  if (read < 2 || !known || row.bodies < 1 || !(row.aspect > 0 && row.aspect < 100))
    throw CLI::ValidationError{text, "is no row: heap:BODIES, wall:BODIES or column:BODIES:ASPECT"};
  return row;
}

/// The distance from the axis that 98 of 100 bodies keep within [m]: the few that roll on alone are no part of a deposit.
double spread(const Simulation& simulation) {
  std::vector<double> distances;
  for (const int body : simulation.model().dynamicBodies) distances.push_back(simulation.state().position[static_cast<std::size_t>(body)].head<2>().norm());
  const auto place = distances.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(distances.size()));
  std::nth_element(distances.begin(), place, distances.end());
  return *place;
}

double megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Runs one scene and prints its row. Returns whether every step was certified.
bool run(const Arguments& arguments, const Row& row) {
  const double begun = cpuSeconds();
  LargeScene scene = row.make();
  SimulationOptions options;
  options.threads = arguments.threads;
  options.stepLimit = arguments.stepLimit;
  options.tolerance = arguments.tolerance;
  Simulation simulation{std::move(scene.model), options};
  const double made = cpuSeconds() - begun;
  const int steps = std::max(1, static_cast<int>(std::lround(arguments.duration / arguments.dt)));
  std::vector<double> costs;  // [s] of CPU
  const double start = wallSeconds();
  int contacts = 0;
  double worst = 0, deepest = 0;
  bool certified = true;
  std::string outcome = "all certified";
  for (int k = 0; k < steps; ++k) {
    const double cpuStart = cpuSeconds();
    const StepReport& report = simulation.step(arguments.dt);
    costs.push_back(cpuSeconds() - cpuStart);
    if (arguments.progress)
      std::fprintf(stderr, "step %d of %d: %.3g s, %d contacts, certificate %.1e\n", k + 1, steps, costs.back(), report.contacts, report.certificate.relative);
    contacts = std::max(contacts, report.contacts);
    worst = std::max(worst, report.certificate.relative);
    deepest = std::max(deepest, report.penetration);
    if (report.status != StepStatus::Certified) {
      certified = false;
      outcome = "step " + std::to_string(k) + ": " + report.reason;
      break;
    }
  }
  const double wall = 1e3 * (wallSeconds() - start) / static_cast<double>(costs.size());
  double sum = 0;
  for (const double cost : costs) sum += cost;
  const double mean = 1e3 * sum / static_cast<double>(costs.size());
  const double dearest = 1e3 * *std::max_element(costs.begin(), costs.end());
  std::printf("| %s | %d | %d | %zu | %.3g | %.3g | %.3g | %.3g | %.3g | %.0f | %.1e | %.1e | %016llx | %s", row.scene.c_str(), row.bodies, contacts,
              costs.size(), made, mean, dearest, wall, 1e3 * mean / row.bodies, megabytes(), 1e3 * deepest, worst,
              static_cast<unsigned long long>(hash(simulation.state())), outcome.c_str());
  if (scene.radius > 0)
    std::printf("; %.2f radii high, 98 %% of it within %.2f radii after %.2f s", scene.height / scene.radius, spread(simulation) / scene.radius,
                simulation.state().time);
  std::printf(" |\n");
  std::fflush(stdout);
  return certified;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  CLI::App app{"Scenes of thousands of bodies"};
  app.add_option("ROW", arguments.rows, "heap:BODIES (spheres falling into a box), wall:BODIES (bricks at rest), column:BODIES:ASPECT (spheres collapsing)");
  app.add_option("--duration", arguments.duration, "simulated [s]")->check(CLI::PositiveNumber);
  app.add_option("--dt", arguments.dt, "step [s]")->check(CLI::PositiveNumber);
  app.add_option("--tol", arguments.tolerance, "relative certificate to reach")->check(CLI::Range(1e-14, 1.0));
  app.add_option("--step-limit", arguments.stepLimit, "wall time [s] after which a step is given up")->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "that share a step")->check(CLI::Range(1, 1024));
  app.add_flag("--progress", arguments.progress, "a line for each step on standard error");
  std::vector<Row> rows;
  app.callback([&] { std::transform(arguments.rows.begin(), arguments.rows.end(), std::back_inserter(rows), parse); });
  CLI11_PARSE(app, count, values);

  std::printf(
      "| scene | bodies | contacts | steps | built in, s | a step, ms | dearest, ms | a step, ms of wall | a step and body, µs | memory, MB | overlap, mm | "
      "worst certificate | state hash | outcome |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  bool all = true;
  for (const Row& row : rows) {
    const pid_t child = fork();  // a process each: what one row leaves in memory is not the next one's
    if (child < 0) return 1;
    if (child == 0) {
      try {
        _exit(run(arguments, row) ? 0 : 3);
      } catch (const MemoryError& error) {
        std::printf("| %s | %d | – | – | – | – | – | – | – | – | – | – | – | %s |\n", row.scene.c_str(), row.bodies, error.what());
        std::fflush(stdout);
        _exit(3);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status))
      std::printf("| %s | %d | – | – | – | – | – | – | – | – | – | – | – | ended by signal %d |\n", row.scene.c_str(), row.bodies, WTERMSIG(status));
    all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return all ? 0 : 3;
}
