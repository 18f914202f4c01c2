// The solvers of Siconos' numerics for local problems, by the names of this benchmark.
#pragma once
#include <string>
#include <vector>

#include "Isolated.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction::bench {

struct SiconosVariant {
  std::string name;
  int solver;             // Siconos' id
  int local;              // id of its local or inner solver, 0: the default one
  int sweeps;             // its limit of iterations
  bool longInner{false};  // its inner solver may iterate for long
};

/// Empty when built without Siconos.
std::vector<SiconosVariant> siconosVariants();

/// Cold, to the tolerance of its own residual; building its copy of the problem is outside the clock.
Attempt solveBySiconos(const SiconosVariant& variant, const LocalContactProblem& problem, double tolerance);

}  // namespace stiction::bench
