#include <functional>

#include "solvers/Ecos.hpp"
#include "solvers/EcosSolver.hpp"
#include "solvers/FbMethod.hpp"
#include "solvers/GaussSeidel.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

/// A method in velocity space and how it is made.
struct Entry {
  SolverInfo info;
  std::unique_ptr<VelocityMethod> (*make)();
};

std::unique_ptr<VelocityMethod> makeCoulombProxMethod() { return makeProxMethod(); }

/// The methods that are not of velocity space.
std::vector<std::function<std::unique_ptr<Solver>()>> wholeSolvers() {
  std::vector<std::function<std::unique_ptr<Solver>()>> makers{makeNsgs, makePgs};
  if (hasECOS()) {
    makers.emplace_back([] { return makeEcosSolver(false); });
    makers.emplace_back([] { return makeEcosSolver(true); });
  }
  return makers;
}

std::vector<Entry> velocityMethods() {
  const auto coulomb = [](const char* name, const char* goodFor, const char* guarantee) {
    return SolverInfo{name, Law::Coulomb, true, true, goodFor, false, guarantee};
  };
  return {
      {coulomb("newton", "warm starts and finishing: quadratic on the strict natural map, no guarantee from afar", "local, quadratic"), makeNewtonMethod},
      {coulomb("prox", "stacks and redundant contacts, warm or cold; slow where much slides at large friction", "global at mu = 0"), makeCoulombProxMethod},
      {coulomb("proxac", "violent sliding and redundancy, cold: proximal point with Newton on the strict map", "local"), makeProxAcMethod},
      {coulomb("ipm", "cold starts of hard problems: violent sliding, redundancy, extreme mass ratios; last digits by Newton", "none"), makeFinishedIpmMethod},
      {coulomb("continuation", "what others leave undecided: follows the path of falling compliance through every change of contact", "path, while it lasts"),
       makeContinuationMethod},
      {coulomb("centralpath", "heaps in motion, cold: the interior point's path through all its turning points", "path, while it lasts"),
       makeCentralPathMethod},
      {coulomb("lagged",
               "dense contact, heaps at rest but for a few bodies: a convex problem with the sliding speeds of the last answer, then proxac, in rounds",
               "local"),
       makeLaggedShiftMethod},
      {{"fb", Law::Coulomb, true, true, "comparison with implicit engines: Newton on Fischer-Burmeister functions, friction's direction lagged; may cycle",
        true, "none: may cycle"},
       makeFbMethod},
      {coulomb("admm", "comparison: alternating directions, one factorisation and cheap steps; thousands of them for the last digits", "global at mu = 0"),
       makeAdmmMethod},
      {{"convex", Law::Convex, true, true, "comparison with relaxed engines: sliding contacts lift off with u_n = mu |u_T|; Coulomb where nothing slides",
        false, "global"},
       makeConvexMethod},
      {{"box", Law::Box, true, true,
        "comparison with engines of per-axis bounds: friction within +-mu r_n/sqrt 2 on each tangent, up to 29 % short and off its direction; an exact LCP up "
        "to 100 contacts, sweeps and multipliers beyond",
        false, "finite at fixed bounds"},
       makeBoxMethod},
  };
}

}  // namespace

const char* name(SolveStatus status) {
  switch (status) {
    case SolveStatus::Converged: return "converged";
    case SolveStatus::Stalled: return "stalled";
    case SolveStatus::IterationLimit: return "iteration limit";
    case SolveStatus::NumericalFailure: return "numerical failure";
  }
  return "unknown";
}

std::unique_ptr<Solver> makeSolver(const std::string& name) {
  for (const auto& make : wholeSolvers())
    if (std::unique_ptr<Solver> solver = make(); name == solver->info().name) return solver;
  for (const Entry& entry : velocityMethods())
    if (name == entry.info.name) return std::make_unique<VelocitySolver>(entry.info, entry.make());
  return nullptr;
}

std::vector<SolverInfo> solverInfos() {
  const auto makers = wholeSolvers();
  std::vector<SolverInfo> infos{makers.front()()->info()};
  for (const Entry& entry : velocityMethods()) infos.push_back(entry.info);
  for (std::size_t k = 1; k < makers.size(); ++k) infos.push_back(makers[k]()->info());
  return infos;
}

}  // namespace stiction
