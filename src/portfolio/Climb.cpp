#include "portfolio/Climb.hpp"

#include <limits>
#include <utility>

#include "base/Clock.hpp"
#include "portfolio/ProblemKind.hpp"
#include "solvers/GaussSeidel.hpp"

namespace stiction {
namespace {

// Multiplications of a factorisation: dear problems take more than the one; more than the other is not worth it where a smaller step is a resort, even where bodies creep, and half the step is
// the same problem.
constexpr double dearWork = 1e6, colossalWork = 4e8;
constexpr int widenings = 3;  // of what is left of a heap without its open contacts
constexpr int finishSteps = 20, closeUpSteps = 60;
constexpr int farPatience = 3;       // of Newton from farther off: where it makes no headway it is dropped
constexpr int corrections = 8;       // of what the factor of a local problem misses
constexpr int correctingSteps = 70;  // of the proximal Newton, after each

}  // namespace

Climb::Climb(Law law) : ownCertifier_{law}, nsgs_{makeNsgs()} {}

void Climb::setTeam(ThreadPool* team) {
  system_.setTeam(team);
  ownCertifier_.setTeam(team);
  nsgs_->setTeam(team);
}

void Climb::begin(const PosedProblem& problem, Iterate& best, const SolveOptions& options, Certifier* prepared) {
  problem_ = problem;
  best_ = &best;
  options_ = &options;
  report_ = {};
  report_.certificate.relative = report_.certificate.metersPerSecond = report_.certificate.fclib = std::numeric_limits<double>::infinity();
  certifier_ = prepared != nullptr ? prepared : &ownCertifier_;
  if (prepared == nullptr) problem.prepare(ownCertifier_);
  bindsAgain_ = options.sameMatrices && isPrepared_;
  isSwept_ = isPrepared_ = isNarrowed_ = false;
  narrowed_.reset();
  system_.setDeadline(options.deadline);
}

PortfolioReport Climb::conclude() {
  report_.certified = passes();
  if (report_.certified) report_.status = SolveStatus::Converged;
  return report_;
}

bool Climb::prepare() {
  isNarrowed_ = false;
  if (problem_.global() != nullptr)
    return isPrepared_ = std::exchange(bindsAgain_, false) ? system_.bindAgain(*problem_.global()) : system_.bind(*problem_.global());
  factor_.build(*problem_.local(), false);
  return isPrepared_ = system_.bind(factor_.global(), factor_.velocityColumns());
}

bool Climb::narrow() {
  const bool isOther = narrowed_.narrow(*problem_.global(), *best_, certifier_->scale());
  if (isNarrowed_ && !isOther) return true;
  isNarrowed_ = true;
  return isPrepared_ = system_.bind(narrowed_.part());
}

bool Climb::isDear() const { return isNarrowed_ || system_.factorWork() > dearWork; }
bool Climb::isColossal() const { return system_.factorWork() > colossalWork; }
bool Climb::isRedundant() const { return stiction::isRedundant(*best_, system_.problem().dof()); }
bool Climb::isPile() const { return isPrepared_ && problem_.contacts() > kManyContacts && isRedundant(); }

SolveOptions Climb::fromBest(int steps, int patience) const {
  SolveOptions options = *options_;
  options.warm = true;
  if (steps > 0) options.maxIterations = steps;
  options.patience = patience;
  return options;
}

SolveOptions Climb::fromCold(int steps, int patience) const {
  SolveOptions options = fromBest(steps, patience);
  options.warm = false;
  return options;
}

bool Climb::rung(const char* name, LazyMethod& method, const SolveOptions& options, const VectorX* velocities) {
  if (isPast(options.deadline)) return true;
  if (options.warm) trial_ = *best_;
  if (velocities != nullptr) trial_.v = *velocities;
  run(*method, options);
  const bool isAnswer = judge(name);
  return &method == &newton ? isAnswer : finish(name);
}

bool Climb::finish(const char* name) {
  if (relative() <= options_->polish) return true;
  const bool isNear = relative() < kCloseUp;
  const SolveOptions polish = fromBest(isNear && isDear() ? closeUpSteps : finishSteps, isNear ? 0 : farPatience);
  trial_ = *best_;
  run(*newton, polish);
  return judge(name);
}

SolveReport Climb::sweep(const Iterate& start, const SolveOptions& sweeps) {
  trial_ = start;
  SolveOptions options = sweeps;
  options.again = std::exchange(isSwept_, true);
  const SolveReport swept = problem_.solve(*nsgs_, trial_, options);
  count(swept);
  return swept;
}

bool Climb::judge(const char* name) {
  const Certificate certificate = problem_.judge(*certifier_, trial_);
  if (certificate.relative < relative()) {
    report_.certificate = certificate;
    report_.rung = name;
    std::swap(*best_, trial_);
  }
  return passes();
}

bool Climb::judge(const char* name, const Iterate& answer) {
  trial_ = answer;
  return judge(name);
}

bool Climb::ask(Solver& solver) {
  trial_ = *best_;
  count(problem_.solve(solver, trial_, *options_));
  return judge(solver.info().name);
}

void Climb::run(VelocityMethod& method, const SolveOptions& options) {
  problem_.global() != nullptr ? runOnBodies(method, options) : runOnFactor(method, options);
}

void Climb::runOnBodies(VelocityMethod& method, const SolveOptions& options) {
  const ContactProblem& problem = *problem_.global();
  fitIterate(problem, trial_, options.warm);
  if (!isNarrowed_) {
    count(method.run(system_, trial_, options));
    return;
  }
  for (int k = 0; k < widenings; ++k) {
    narrowed_.enter(trial_, part_);
    count(method.run(system_, part_, options));
    narrowed_.leave(part_, trial_);
    if (!narrowed_.widen(problem, trial_) || !system_.bind(narrowed_.part())) return;
  }
}

// What the factor of W misses goes into w until it no longer matters. Newton stops short where that moves contacts to other pieces; the proximal steps go on.
void Climb::runOnFactor(VelocityMethod& method, const SolveOptions& options) {
  const LocalContactProblem& problem = *problem_.local();
  fitIterate(problem, trial_, options.warm);
  if (options.warm) factor_.correct(problem, trial_.r);
  fitIterate(factor_.global(), trial_, options.warm);
  count(method.run(system_, trial_, options));
  const bool isAnswer = report_.status == SolveStatus::Converged;
  SolveOptions again = options;
  again.warm = true;
  SolveOptions onward = again;
  onward.maxIterations = correctingSteps;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 1;; ++k) {
    const double change = factor_.correct(problem, trial_.r) / system_.scale();
    if (k == corrections || change <= options.polish || !(change < 0.5 * last)) return;
    last = change;
    fitIterate(factor_.global(), trial_, true);
    count((*newton).run(system_, trial_, again));
    if (isAnswer && report_.status != SolveStatus::Converged) count((*proxac).run(system_, trial_, onward));
  }
}

void Climb::count(const SolveReport& solve) {
  spend(solve.iterations, solve.factorisations);
  report_.status = solve.status;
}

void Climb::spend(int iterations, int factorisations) {
  report_.iterations += iterations;
  report_.factorisations += factorisations;
}

}  // namespace stiction
