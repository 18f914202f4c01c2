// Warm steps of a robot-like tree (TreeProblem.hpp), each solved and certified by `auto`, as a Markdown table: what a step of 60 velocities and 16 contacts costs.
// Exit code 3 where a step is not certified at 1e-8.   bench_tree [--steps N] [--repeats R]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "portfolio/Portfolio.hpp"
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

double quantile(std::vector<double> times, double share) {
  const auto at = std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(at), times.end());
  return times[at];
}

}  // namespace

int main(int count, char** arguments) {
  int steps = 2000, repeats = 3;
  CLI::App app{"Warm steps of a tree with 60 velocities and 16 contacts"};
  app.add_option("--steps", steps, "of the tree")->check(CLI::PositiveNumber);
  app.add_option("--repeats", repeats, "of everything, interleaved; the fastest counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, arguments);

  std::vector<Run> best(2);
  for (int k = 0; k < repeats; ++k)
    for (const bool sparse : {true, false}) {
      Run run = walk(sparse, steps);
      Run& kept = best[sparse ? 0 : 1];
      if (kept.times.empty() || quantile(run.times, 0.5) < quantile(kept.times, 0.5)) kept = std::move(run);
    }
  std::printf(
      "| mass matrix | steps certified | worst certificate | factorisations a step | median [µs] | 99 of 100 below [µs] |\n|---|---|---|---|---|---|\n");
  bool all = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const Run& run = best[i];
    std::printf("| %s | %d of %d | %.1e | %.1f | %.0f | %.0f |\n", i == 0 ? "a block for the base and one a limb" : "one block of 60", run.certified, steps,
                run.worst, static_cast<double>(run.factorisations) / steps, quantile(run.times, 0.5), quantile(run.times, 0.99));
    all = all && run.certified == steps;
  }
  return all ? 0 : 3;
}
