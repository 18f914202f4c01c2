// The methods on ECOS, dense and for problems of up to some hundred contacts: `ecos`, the convex relaxation; `ecos-strict`, strict Coulomb. A local problem's W enters by its
// symmetric part.
//
//   r = P_K( r̃ − (W r̃ + q + x)/ω ) ,   r̃ : ECOS's answer to  min ½ r̃ᵀW r̃ + (q + x)ᵀr̃ ,  r̃ ∈ K_μ ;      x ← x + F(r) ,   F the natural map of the law
//
// With x = 0 one program is the relaxation, as far as ECOS goes: 1e-6 to 1e-9 of the scale, since near the rim of a cone it takes s_0² − ‖s_1‖² by subtraction. What it leaves
// F shows, and x makes up for; for `ecos-strict` x holds De Saxcé's shift as well (Haslinger 1983 and Cadoux 2009 bring the shift alone up to date). A fixed point has F = 0
// exactly, whatever ECOS's tolerance. Anderson's acceleration (type II, the last ten programs) finds it: without it large friction contracts too slowly.
#pragma once
#include <deque>
#include <memory>

#include "solvers/Ecos.hpp"
#include "solvers/Solver.hpp"

namespace stiction {

/// Of each cone program.
struct EcosSettings {
  double absTolerance{1e-8}, relTolerance{1e-8};  // [-]
  int maxIterations{100};
};

/// What the last solve was.
struct EcosRun {
  int programs{0};
  double change{0};  // [-] of r by the last program, over its largest entry
  ECOSAnswer last;
};

class EcosSolver : public Solver {
 public:
  explicit EcosSolver(bool strict, const EcosSettings& settings = {});
  const SolverInfo& info() const override { return info_; }
  /// options.maxIterations: ECOS's iterations in all; the program that passes it is finished.
  SolveReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) override;
  SolveReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) override;
  const EcosRun& lastRun() const { return run_; }

 private:
  struct DenseProblem;
  SolveReport run(const DenseProblem& problem, Iterate& iterate, const SolveOptions& options);
  void accelerate(VectorX& x, const VectorX& F);

  SolverInfo info_;
  EcosSettings settings_;
  EcosRun run_;
  ECOSProblem cones_;                  // kept for its workspace
  std::deque<VectorX> points_, maps_;  // x and F of the last programs
};

std::unique_ptr<Solver> makeEcosSolver(bool strict);

}  // namespace stiction
