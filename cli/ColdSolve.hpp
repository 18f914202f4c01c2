// One friction problem from nothing but itself in memory: scratch, ordering and factorisations are inside the clock, reading the file is not.
#pragma once
#include <algorithm>

#include "base/Clock.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction::cli {

struct ColdAnswer {
  Iterate iterate;
  PortfolioReport report;
  double cpu{0}, wall{0};  // [s]
};

inline Iterate coldStart(const ContactProblem& problem) {
  return {VectorX::Zero(problem.dof()), VectorX::Zero(3 * problem.contacts()), VectorX::Zero(problem.rows())};
}

inline Iterate coldStart(const LocalContactProblem& problem) { return {VectorX{}, VectorX::Zero(3 * problem.contacts()), VectorX{}}; }

template <class Problem>
ColdAnswer solveCold(const Problem& problem, const std::string& solver, double tolerance) {
  SolveOptions options;
  options.tolerance = tolerance;
  options.polish = std::min(options.polish, tolerance);
  ColdAnswer answer;
  const double cpuStart = cpuSeconds(), wallStart = wallSeconds();
  Portfolio portfolio{solver};
  answer.iterate = coldStart(problem);
  answer.report = portfolio.solve(problem, answer.iterate, options);
  answer.cpu = cpuSeconds() - cpuStart;
  answer.wall = wallSeconds() - wallStart;
  return answer;
}

}  // namespace stiction::cli
