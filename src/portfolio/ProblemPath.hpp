// Last resorts: a path of problems that ends at the given one, each solved warm from the one before, the step doubled after a success and cut after a failure.
#pragma once
#include <functional>

#include "portfolio/Portfolio.hpp"
#include "portfolio/PosedProblem.hpp"

namespace stiction {

enum class Path {
  Friction,   // μ from 0 upwards
  Compliance  // R = 10^(1 − 10 t) ω falling to nothing
};

/// Adds a compliance [1/kg] to R of contact i.
void soften(ContactProblem& problem, int i, double compliance);

struct PathReport {
  bool ends{false};  // at the given problem
  int iterations{0}, factorisations{0};
};

using SolvePoint = std::function<PortfolioReport(const PosedProblem& point, Iterate& iterate, const SolveOptions& options)>;

/// `omega` [1/kg] (contacts) weighs the compliance. `iterate`: the answer where the path ends.
PathReport follow(const PosedProblem& problem, Path path, const VectorX& omega, const SolveOptions& options, const SolvePoint& solve, Iterate& iterate);

}  // namespace stiction
