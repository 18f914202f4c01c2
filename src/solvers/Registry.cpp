#include "base/Error.hpp"
#include "solvers/Nsgs.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

SolverInfo newtonInfo() {
  return {"newton", Law::Coulomb, true, true, "warm starts and finishing: quadratic on the strict natural map, no guarantee from afar"};
}
SolverInfo proxInfo() { return {"prox", Law::Coulomb, true, true, "stacks and redundant contacts, warm or cold; slow where much slides at large friction"}; }
SolverInfo proxAcInfo() { return {"proxac", Law::Coulomb, true, true, "violent sliding and redundancy, cold: proximal point with Newton on the strict map"}; }
SolverInfo ipmInfo() { return {"ipm", Law::Coulomb, true, true, "cold starts of hard problems: violent sliding, redundancy, extreme mass ratios"}; }

SolverInfo continuationInfo() {
  return {"continuation", Law::Coulomb, true, true, "what others leave undecided: follows the path of falling compliance through every change of contact"};
}

SolverInfo centralPathInfo() {
  return {"centralpath", Law::Coulomb, true, true, "heaps in motion, cold: the interior point's path through all its turning points"};
}

SolverInfo convexInfo() {
  return {"convex", Law::Convex, true, true, "comparison with relaxed engines: sliding contacts lift off with u_n = mu |u_T|; Coulomb where nothing slides"};
}

SolverInfo boxInfo() {
  return {"box", Law::Box, true, true,
          "comparison with engines of per-axis bounds: friction within +-mu r_n/sqrt 2 on each tangent, up to 29 % short and off its direction"};
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

const char* name(Law law) {
  switch (law) {
    case Law::Coulomb: return "coulomb";
    case Law::Convex: return "convex";
    case Law::Box: return "box";
  }
  return "unknown";
}

std::unique_ptr<Solver> makeSolver(const std::string& name) {
  if (name == "nsgs") return makeNsgs();
  if (name == "newton") return std::make_unique<VelocitySolver>(newtonInfo(), makeNewtonMethod());
  if (name == "prox") return std::make_unique<VelocitySolver>(proxInfo(), makeProxMethod());
  if (name == "proxac") return std::make_unique<VelocitySolver>(proxAcInfo(), makeProxAcMethod());
  if (name == "ipm") return std::make_unique<VelocitySolver>(ipmInfo(), makeIpmMethod());
  if (name == "continuation") return std::make_unique<VelocitySolver>(continuationInfo(), makeContinuationMethod());
  if (name == "centralpath") return std::make_unique<VelocitySolver>(centralPathInfo(), makeCentralPathMethod());
  if (name == "convex") return std::make_unique<VelocitySolver>(convexInfo(), makeConvexMethod());
  if (name == "box") return std::make_unique<VelocitySolver>(boxInfo(), makeProxMethod(Law::Box));
  std::string known;
  for (const SolverInfo& info : solverInfos()) known += (known.empty() ? "" : ", ") + std::string{info.name};
  throw InputError{"solver", "'" + name + "'", known, "choose one of these; `stiction solvers` describes them"};
}

std::vector<SolverInfo> solverInfos() {
  return {makeNsgs()->info(), newtonInfo(), proxInfo(), proxAcInfo(), ipmInfo(), continuationInfo(), centralPathInfo(), convexInfo()};
}

}  // namespace stiction
