// Warm steps of a robot-like tree (TreeProblem.hpp), each solved and certified by `auto`, then steps of one that is simulated (SimulatedTree.hpp), as a Markdown table: what a step of 60 velocities
// and 16 contacts costs.
// Exit code 3 where a step is not certified at 1e-8.   bench_tree [--steps N] [--repeats R]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "portfolio/Portfolio.hpp"
#include "tree/SimulatedTree.hpp"
#include "tree/TreeProblem.hpp"

namespace {

using namespace stiction;

struct Run {
  std::vector<double> times;  // [µs] of the steps
  int certified{0}, factorisations{0};
  double worst{0};
};

Run walk(bool sparse, int steps) {
  bench::TreeProblem tree{3, sparse};
  Portfolio portfolio{"auto"};
  Iterate iterate;
  SolveOptions options;
  VectorX v = VectorX::Zero(tree.problem().dof());
  Run run;
  for (int k = 0; k < steps; ++k) {
    tree.load(k, v);
    options.warm = k > 0;
    const auto start = std::chrono::steady_clock::now();
    const PortfolioReport report = portfolio.solve(tree.problem(), iterate, options);
    run.times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    run.certified += report.certified ? 1 : 0;
    run.factorisations += report.factorisations;
    run.worst = std::max(run.worst, report.certificate.relative);
    v = iterate.v;
  }
  return run;
}

/// After `before` steps that are not timed.
Run simulate(double h, int before, int steps) {
  Simulation simulation{bench::simulatedTree(), {}};
  for (int k = 0; k < 54; ++k) simulation.setControl(k, bench::servoTarget(k));
  Run run;
  for (int k = 0; k < before + steps; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const StepReport& report = simulation.step(h);
    if (k < before) continue;
    run.times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    run.certified += report.status == StepStatus::Certified ? 1 : 0;
    run.factorisations += report.factorisations;
    run.worst = std::max(run.worst, report.certificate.relative);
  }
  return run;
}

double quantile(std::vector<double> times, double share) {
  const auto at = std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(at), times.end());
  return times[at];
}

}  // namespace

int main(int arguments, char** values) {
  int steps = 2000, repeats = 3;
  CLI::App app{"Warm steps of a tree with 60 velocities and 16 contacts"};
  app.add_option("--steps", steps, "of the solves")->check(CLI::PositiveNumber);
  app.add_option("--repeats", repeats, "of everything, interleaved; the fastest counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, arguments, values);

  struct Case {
    const char* name;
    std::function<Run()> run;
    Run best;
  };
  std::vector<Case> cases{{"one solve, a block of M for the base and one a limb", [&] { return walk(true, steps); }, {}},
                          {"one solve, one block of 60", [&] { return walk(false, steps); }, {}},
                          {"simulated, pushed, 2 ms", [&] { return simulate(2e-3, 50, 1000); }, {}},
                          {"simulated, pushed, 1/60 s", [&] { return simulate(1.0 / 60, 6, 120); }, {}},
                          {"simulated, at rest, 1/60 s", [&] { return simulate(1.0 / 60, 1200, 300); }, {}}};
  for (int k = 0; k < repeats; ++k)
    for (Case& one : cases) {
      Run run = one.run();
      if (one.best.times.empty() || quantile(run.times, 0.5) < quantile(one.best.times, 0.5)) one.best = std::move(run);
    }
  std::printf("| step | steps certified | worst certificate | factorisations a step | median [µs] | 99 of 100 below [µs] |\n|---|---|---|---|---|---|\n");
  bool all = true;
  for (const Case& one : cases) {
    const Run& run = one.best;
    const int count = static_cast<int>(run.times.size());
    std::printf("| %s | %d of %d | %.1e | %.1f | %.0f | %.0f |\n", one.name, run.certified, count, run.worst, static_cast<double>(run.factorisations) / count,
                quantile(run.times, 0.5), quantile(run.times, 0.99));
    all = all && run.certified == count;
  }
  return all ? 0 : 3;
}
