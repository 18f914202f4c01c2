#include "portfolio/ProblemPath.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/Clock.hpp"

namespace stiction {
namespace {

constexpr int pathPoints = 40;
constexpr double firstStep = 0.1, largestStep = 0.25, leastStep = 1e-3, cut = 0.4;  // [-] of t

void soften(LocalContactProblem& problem, int i, double compliance) {
  for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
    if (problem.column[static_cast<std::size_t>(k)] == i) {
      problem.blocks[static_cast<std::size_t>(k)].diagonal().array() += compliance;
      return;
    }
}

/// The problem at t of a path that ends at `problem` for t = 1.
template <class Problem>
Problem pointOf(const Problem& problem, Path path, double t, const VectorX& omega) {
  Problem point = problem;
  if (path == Path::Friction)
    point.mu *= t;
  else if (t < 1)
    for (int i = 0; i < problem.contacts(); ++i) soften(point, i, std::pow(10, 1 - 10 * t) * omega[i]);
  return point;
}

PortfolioReport solveAt(const PosedProblem& problem, Path path, double t, const VectorX& omega, const SolveOptions& options, const SolvePoint& solve,
                        Iterate& iterate) {
  if (problem.global() != nullptr) return solve(PosedProblem{pointOf(*problem.global(), path, t, omega)}, iterate, options);
  return solve(PosedProblem{pointOf(*problem.local(), path, t, omega)}, iterate, options);
}

}  // namespace

void soften(ContactProblem& problem, int i, double compliance) {
  if (problem.R.size() == 0) problem.R.setZero(3 * problem.contacts());
  problem.R.segment<3>(3 * i).array() += compliance;
}

PathReport follow(const PosedProblem& problem, Path path, const VectorX& omega, const SolveOptions& options, const SolvePoint& solve, Iterate& iterate) {
  PathReport report;
  SolveOptions warm = options;
  warm.warm = false;
  Iterate here;
  double t = 0, step = 0;
  for (int k = 0; k < pathPoints && t < 1 && !isPast(options.deadline); ++k) {
    const double next = std::min(1.0, t + step);
    Iterate there = here;
    const PortfolioReport point = solveAt(problem, path, next, omega, warm, solve, there);
    report.iterations += point.iterations;
    report.factorisations += point.factorisations;
    if (point.certified) {
      std::swap(here, there);
      t = next;
      step = warm.warm ? std::min(largestStep, 2 * step) : firstStep;
      warm.warm = true;
    } else {
      step *= cut;
      if (step < leastStep) return report;
    }
  }
  report.ends = t >= 1;
  if (report.ends) std::swap(iterate, here);
  return report;
}

}  // namespace stiction
