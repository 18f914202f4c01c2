// Scenes of thousands of bodies: what a step and a byte cost as they grow, as a Markdown table, each row in a process of its own. Exit code 3 where a step is not certified.
//   bench_large [--scene heap|wall|column] [--bodies N …] [--duration S] [--dt S] [--aspect A] [--step-limit S] [--threads T]
// A step that takes longer than --step-limit seconds is the last one: its row says so.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/Clock.hpp"
#include "integrate/Simulation.hpp"
#include "large/LargeScene.hpp"

namespace {

using namespace stiction;
using namespace stiction::bench;

struct Arguments {
  std::string scene{"heap"};
  std::vector<int> bodies{1000, 10000};
  double duration{0.2}, dt{1.0 / 60}, aspect{1}, stepLimit{600};
  int threads{1};
};

LargeScene make(const Arguments& arguments, int bodies) {
  if (arguments.scene == "wall") return makeWall(bodies);
  if (arguments.scene == "column") return makeColumn(bodies, arguments.aspect);
  return makeHeap(bodies);
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
bool run(const Arguments& arguments, int bodies) {
  const double begun = cpuSeconds();
  LargeScene scene = make(arguments, bodies);
  SimulationOptions options;
  options.threads = arguments.threads;
  Simulation simulation{std::move(scene.model), options};
  const double made = cpuSeconds() - begun;
  const int steps = std::max(1, static_cast<int>(std::lround(arguments.duration / arguments.dt)));
  std::vector<double> costs;
  int contacts = 0;
  double worst = 0, deepest = 0, wall = 0;
  std::string outcome = "all certified";
  for (int k = 0; k < steps; ++k) {
    const double cpuStart = cpuSeconds(), wallStart = wallSeconds();
    const StepReport& report = simulation.step(arguments.dt);
    costs.push_back(cpuSeconds() - cpuStart);
    wall += wallSeconds() - wallStart;
    contacts = std::max(contacts, report.contacts);
    worst = std::max(worst, report.certificate.relative);
    deepest = std::max(deepest, report.penetration);
    if (report.status != StepStatus::Certified) {
      outcome = "step " + std::to_string(k) + ": " + report.reason;
      break;
    }
    if (costs.back() > arguments.stepLimit) {
      outcome = "step " + std::to_string(k) + " took too long; stopped";
      break;
    }
  }
  const bool certified = worst <= options.tolerance;
  double sum = 0;
  for (const double cost : costs) sum += cost;
  const double mean = 1e3 * sum / static_cast<double>(costs.size());
  const double dearest = 1e3 * *std::max_element(costs.begin(), costs.end());
  std::printf("| %s | %d | %d | %zu | %.3g | %.3g | %.3g | %.3g | %.0f | %.1e | %.1e | %s", arguments.scene.c_str(), bodies, contacts, costs.size(), made, mean,
              dearest, 1e3 * mean / bodies, megabytes(), 1e3 * deepest, worst, outcome.c_str());
  if (scene.radius > 0)
    std::printf("; height %.2f of the radius, spread by %.2f of it after %.2f s (wall %.0f s)", scene.height / scene.radius,
                spread(simulation) / scene.radius - 1, simulation.state().time, wall);
  std::printf(" |\n");
  std::fflush(stdout);
  return certified;
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  CLI::App app{"Scenes of thousands of bodies"};
  app.add_option("--scene", arguments.scene, "heap (spheres falling into a box), wall (bricks at rest), column (spheres collapsing)")
      ->check(CLI::IsMember({"heap", "wall", "column"}));
  app.add_option("--bodies", arguments.bodies, "a row each")->check(CLI::Range(1, 10000000));
  app.add_option("--duration", arguments.duration, "simulated [s]")->check(CLI::PositiveNumber);
  app.add_option("--dt", arguments.dt, "step [s]")->check(CLI::PositiveNumber);
  app.add_option("--aspect", arguments.aspect, "of a column: height over radius")->check(CLI::PositiveNumber);
  app.add_option("--step-limit", arguments.stepLimit, "CPU time [s] of a step after which the scene is given up")->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "")->check(CLI::Range(1, 1024));
  CLI11_PARSE(app, count, values);

  std::printf(
      "| scene | bodies | contacts | steps | built in, s | a step, ms | dearest, ms | a step and body, µs | memory, MB | overlap, mm | worst certificate | "
      "outcome "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  bool all = true;
  for (const int bodies : arguments.bodies) {
    const pid_t child = fork();  // a process each: what one row leaves in memory is not the next one's
    if (child < 0) return 1;
    if (child == 0) _exit(run(arguments, bodies) ? 0 : 3);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status))
      std::printf("| %s | %d | – | – | – | – | – | – | – | – | – | ended by signal %d |\n", arguments.scene.c_str(), bodies, WTERMSIG(status));
    all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return all ? 0 : 3;
}
