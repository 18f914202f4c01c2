#include "integrate/IslandSolver.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double kRough = 1e-6;  // [-] relative certificate of a trial that only shows what to aim at

}  // namespace

IslandSolver::IslandSolver(Island& island, IslandProblem& problem, IslandRows& rows)
    : island_{&island},
      problem_{&problem},
      rows_{&rows},
      certifier_{island.setup->options->law},
      portfolio_{island.setup->options->solver, island.setup->options->law},
      triesAll_{portfolio_.triesAll(island.setup->options->fallBack)} {}

void IslandSolver::setTeam(ThreadPool* team) {
  portfolio_.setTeam(team);
  certifier_.setTeam(team);
}

bool IslandSolver::warmStart(double h) {
  const ContactProblem& problem = problem_->assembly.problem;
  problem_->iterate.r.resize(3 * problem.contacts());
  bool warm = rows_->warmStart(h);
  states_.resize(static_cast<std::size_t>(problem.contacts()));
  for (std::size_t k = 0; k < states_.size(); ++k) {
    const ContactMemory* memory = nullptr;
    if (k < problem_->used.size()) {
      memory = island_->memoryOf(problem_->contactOf(k).key);
      problem_->impulseOf(k) = memory ? warmImpulse(*memory, problem_->assembly.frames[k], h) : Vector3{Vector3::Zero()};
      warm = warm || memory;
    }
    const bool sticks = memory && !memory->slips && problem.mu[static_cast<Eigen::Index>(k)] > 0;
    states_[k] = !(problem_->impulseOf(k)[0] > 0) ? ContactState::Open : sticks ? ContactState::Stick : ContactState::Slip;
  }
  return warm;
}

SolveOptions IslandSolver::usual() const {
  SolveOptions options;
  options.tolerance = island_->setup->options->tolerance;
  options.fallBack = island_->setup->options->fallBack;
  options.scale = certifier_.scale();
  options.deadline = {island_->setup->deadline, island_->callOff};
  return options;
}

bool IslandSolver::solve(double h, Trial trial, bool last, const std::function<void()>* beforeSearch, const std::function<bool()>* rest) {
  SolveOptions options = usual();
  options.beforeSearch = beforeSearch;
  options.rest = rest;
  options.sameMatrices = trial.aimed;
  if (trial.first && !last) options.enough = kRough;
  options.warm = warmStart(h);
  options.effort = trial.first ? Effort::Short : Effort::Usual;  // a smaller step is the better resort
  if (trial.aimed && options.warm) options.effort = Effort::Near;
  if (last) options.effort = Effort::Thorough;
  options.states = &states_;
  problem_->followImpulses();
  return solve(options);
}

bool IslandSolver::solveImpact() {
  prepare();
  return solve(usual());
}

/// An answer beyond the deadline does not count: it may be one that polishing would have changed. Where the step goes on all the same, sweeps see to it that it is not just where the search was.
bool IslandSolver::solve(const SolveOptions& options) {
  const ContactProblem& problem = problem_->assembly.problem;
  take(portfolio_.solve(problem, problem_->iterate, options, certifier_));
  const bool late = isPast(options.deadline);
  island_->report().outOfTime = late;
  if (late && mayGoOn() && !certificate_.passes(options.tolerance)) take(portfolio_.approximate(problem, problem_->iterate, certifier_));
  keepHardest();
  return certificate_.passes(std::max(options.tolerance, options.enough)) && !late;
}

void IslandSolver::take(const PortfolioReport& report) {
  if (!report.keepsMomentum) problem_->followImpulses();
  certificate_ = report.keepsMomentum ? report.certificate : judge(problem_->iterate);
  rung_ = report.rung;
  iterations_ = report.iterations;
  count(report);
}

bool IslandSolver::sharpen(Iterate& candidate, double relative) {
  if (island_->setup->options->solver != "auto") return false;
  SolveOptions options;
  options.warm = true;
  options.effort = Effort::Near;
  options.tolerance = relative;
  options.polish = 0.1 * relative;
  options.scale = certifier_.scale();
  count(portfolio_.solve(problem_->assembly.problem, candidate, options, certifier_));
  return true;
}

bool IslandSolver::findRest(Iterate& candidate) {
  const PortfolioReport report = portfolio_.findRest(problem_->assembly.problem, candidate, usual(), certifier_);
  count(report);
  return report.certified;
}

bool IslandSolver::findRestInPart(const VectorX& before, Iterate& candidate) {
  const PortfolioReport report = portfolio_.findRestInPart(problem_->assembly.problem, before, candidate, usual(), certifier_);
  count(report);
  return report.certified;
}

void IslandSolver::count(const PortfolioReport& report) {
  island_->report().iterations += report.iterations;
  island_->report().factorisations += report.factorisations;
}

void IslandSolver::keepHardest() {
  std::unique_ptr<HardProblem>& hardest = island_->result->hardest;
  const double known = hardest ? hardest->relative : -1;
  if (!island_->setup->options->keepHardest || certificate_.relative <= std::max(island_->setup->hardest, known)) return;
  if (!hardest) hardest = std::make_unique<HardProblem>();
  *hardest = {problem_->assembly.problem, problem_->iterate, certificate_.relative};
}

void IslandSolver::accept() {
  IslandReport& report = island_->report();
  countRung(report.rungs, rung_, 1);
  if (certificate_.relative <= report.certificate.relative && report.worstContact.geomA >= 0) return;
  report.certificate = certificate_;
  const auto worst = static_cast<std::size_t>(certificate_.worstContact);
  if (certificate_.worstContact >= 0 && worst < problem_->used.size()) report.worstContact = problem_->contactOf(worst).key;
}

bool IslandSolver::acceptUncertified() {
  island_->report().status = StepStatus::NotCertified;
  return mayGoOn() && problem_->iterate.v.allFinite() && problem_->iterate.r.allFinite();
}

bool IslandSolver::createsEnergy(double loss) const {
  double energy = 0, impulses = 0;
  for (const int body : island_->bodies) energy += island_->energyOf(body);
  for (std::size_t k = 0; k < problem_->used.size(); ++k) impulses += problem_->impulseOf(k).norm();
  return loss < -1e-14 * energy - 2.0 * impulses * certificate_.metersPerSecond;
}

/// Whether it is proved that no motion satisfies the contacts of `problem`.
bool IslandSolver::admitsNoMotion(const ContactProblem& problem, InfeasibilityProof& proof) {
  constexpr double violent = 1e4;  // [-] times the fastest speed: beyond, nothing is called a motion
  proof = portfolio_.findInfeasibility(problem);
  double mass = 0;
  for (const int body : island_->bodies) mass += island_->inertia(body).mass;
  return proof.kineticEnergy >= 0.5 * mass * std::pow(violent * problem_->fastestSpeed(), 2);
}

bool IslandSolver::isBeyondAll() {
  InfeasibilityProof proof;
  return triesAll_ || admitsNoMotion(problem_->assembly.problem, proof);
}

bool IslandSolver::findSqueeze(int halvings) {
  if (!island_->surfacesMove()) return false;
  const VectorX& surface = problem_->assembly.surface;
  ContactProblem smallest = problem_->assembly.problem;
  smallest.w = surface + std::ldexp(1.0, halvings) * (smallest.w - surface);
  InfeasibilityProof proof;
  if (!admitsNoMotion(smallest, proof)) return false;
  const auto worst = static_cast<std::size_t>(proof.worstContact);
  if (worst >= problem_->used.size()) return false;  // a constraint's row: no contact to name
  island_->report().squeeze = proof.closing;
  island_->report().squeezed = problem_->contactOf(worst).key;
  return true;
}

}  // namespace stiction
