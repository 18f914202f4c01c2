#include "portfolio/Ladder.hpp"

namespace stiction {
namespace {

constexpr int looseSweeps = 900;  // first, where heaps in motion start far from an answer
constexpr double farStart = 0.5;  // [-] certificate of a warm start that Newton makes nothing of, on dear problems
constexpr int warmSteps = 12, nearOnlySteps = 30, warmPatience = 3;
constexpr double warmNear =
    0.1;  // [-] certificate of a warm start from which a few steps of the proximal Newton, which cannot run away, are tried when Newton fails
constexpr double besideStart = 1e-3;  // [-] certificate from which on an answer that these steps find, of few contacts, goes on with the start's motion
constexpr double newtonNear = 1e-4;   // [-] residual from which Newton ends what an interior point began
constexpr double redundancy = 2;      // [-] contact components a velocity
constexpr int longSweeps = 20000;
constexpr int pressedContacts = 30;  // without friction: of more an interior point takes fewer steps than Newton, which redundant piles seldom let settle
// Factorisations of all contacts dearer than this are not worth it where a smaller step is a resort and bodies move: for them half the step is another problem. There the proximal Newton, too, is
// given up early.
constexpr double movingWork = 1e7;
// Steps on a dear problem: of the interior point, unless it is nearly there (standing walls take 12 in all; heaps in motion are nowhere near by then),
constexpr int quickSteps = 8;
// of the proximal Newton before a smaller step where that is the next resort, more where it is nearly there, before the central path, and when that has failed,
constexpr int fewSteps = 100, nearSteps = 400, briefSteps = 150, dearSteps = 800;
// of the central path before a smaller step of the simulator is the better resort, and without one: two of its routes, and three; of the path of falling compliance.
constexpr int pathSteps = 800, routeSteps = 1200, dearPathSteps = 2500;
// Steps of the proximal Newton a contact, on piles: it wanders among the pieces of a pile that is struck until it happens on those of an answer, over many piles as likely in one thousand steps as
// in the next, and nothing else gets there. From cold, before the central path; while a smaller step is left, which is as hard, but another throw; and where none is.
constexpr double coldPileSteps = 1.5, pileSteps = 1, lastPileSteps = 20;
// Before that, where the blow is weak, of the central path, and the certificate [-] of an answer that tells contacts that creep from those that slide.
constexpr int shortPathSteps = 150;
constexpr double settlingNear = 1e-3;
// Heaps from cold, each for so long only: steps of the proximal Newton, of one round of `lagged`, and of the alternating directions, of which one costs a tenth of a factorisation.
constexpr int turnSteps = 300, alternatingSteps = 1500;
// Of `lagged`, where most contacts creep or stand still: of a round, of a few rounds from cold, of all where no smaller step is left.
constexpr int roundSteps = 600, fewRounds = 2 * roundSteps, allRounds = 6 * roundSteps;
// Where factorisations are cheap: of the proximal Newton from cold, before an interior point (from what the sweeps came near it gets there in fewer, or late); of two rounds of `lagged`; and of
// that and the central path where contacts are many: what helps there helps early.
constexpr int cheapSteps = 70, laggedSteps = 600, pileLaggedSteps = 300, pilePathSteps = 600;

}  // namespace

void Ladder::setTeam(ThreadPool* team) {
  team_ = team;
  climb_.setTeam(team);
}

Ladder& Ladder::inner() {
  if (!inner_) {
    inner_ = std::make_unique<Ladder>();
    inner_->isInner_ = true;
  }
  inner_->setTeam(team_);
  return *inner_;
}

PortfolioReport Ladder::solve(const PosedProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared, Solver* first) {
  climb_.begin(problem, iterate, options, prepared);
  if (first == nullptr || (!climb_.ask(*first) && options.fallBack && first->info().leansOnAuto)) ascend();
  return climb_.conclude();
}

void Ladder::ascend() {
  const SolveOptions& options = climb_.options();
  if (startAtOnce()) return;
  if (climb_.problem().mu().isZero(0) && (press() || !isThorough())) return;
  if (startWarm() || isNear() || climb_.relative() <= options.enough) return;
  if (standCold()) return;
  if (!isFar_ && sweeps_.takeAll()) return;
  if (climb_.isNarrowed() && !climb_.prepare()) return;  // what comes now does better with all contacts
  if (options.rest != nullptr && (*options.rest)() && climb_.judge("rest", climb_.best())) return;
  announceSearch();
  isPile_ = climb_.isPile();
  if (wander()) return;
  if (climb_.isDear() ? climbDear() : climbCheap()) return;
  climbLast();
}

/// Before anything is analysed; then analyses what there is to solve.
bool Ladder::startAtOnce() {
  const SolveOptions& options = climb_.options();
  const PosedProblem& problem = climb_.problem();
  const bool isFrictionless = problem.mu().isZero(0);
  isStanding_ = false;
  if ((!options.warm || isNearlyAlone(problem)) && !isNear() && !isStructure(problem) && sweeps_.look()) return true;
  if (options.warm && isFrictionless && hasMany() && sweeps_.press()) return true;
  isLoose_ = options.warm && !isFrictionless && problem.global() != nullptr && sliding_.isLoose(*problem.global(), climb_.best(), climb_.certifier().scale());
  if (options.warm) start_ = climb_.best().v;  // before anything goes on from there
  isFar_ = isLoose_ && startsFar();
  if (isFar_ && !isNear() && sweeps_.take(looseSweeps)) return true;
  if (!climb_.isPrepared() && !(isLoose_ ? climb_.narrow() : climb_.prepare())) {
    climb_.fail();
    return true;
  }
  if (start_.size() != climb_.system().problem().dof() || !options.warm) start_ = climb_.system().freeVelocity();
  return false;
}

/// Whether a dear problem's start is so far from an answer that Newton goes nowhere: bodies that collide.
bool Ladder::startsFar() {
  if (climb_.isPrepared() && !climb_.isDear()) return false;
  climb_.judge(kWarmRung, climb_.best());
  return climb_.relative() > farStart;
}

/// Without friction: convex, the active set settles in a few steps, and the method of multipliers cannot fail.
bool Ladder::press() {
  const bool isWarm = climb_.options().warm;
  return (isWarm && climb_.rung(kWarmRung, climb_.newton, climb_.fromBest(warmSteps, warmPatience))) ||
         (isWarm && climb_.isDear() && !climb_.isRedundant() && sweeps_.takeAll()) ||
         (climb_.problem().contacts() > pressedContacts && climb_.rung("ipm", ipm_, climb_.fromCold())) || climb_.relative() <= climb_.options().enough ||
         climb_.rung("newton", climb_.newton, climb_.fromCold()) || climb_.rung("prox", prox_, climb_.fromCold());
}

/// From an answer near by, as the last step's is.
bool Ladder::startWarm() {
  const SolveOptions& options = climb_.options();
  if (!options.warm || isFar_) return false;
  if ((isLoose_ || !startsFar()) && climb_.rung(kWarmRung, climb_.newton, climb_.fromBest(warmSteps, warmPatience))) return true;
  const char* name = climb_.relative() < besideStart && !hasMany() ? kWarmRung : "proxac";
  return climb_.relative() < warmNear && climb_.rung(name, climb_.proxac, climb_.fromBest(isNear() ? nearOnlySteps : warmSteps));
}

/// Structures, and heaps under their weight alone, from cold: no sweeps carry a load through them.
bool Ladder::standCold() {
  if (climb_.options().warm) return false;
  isStanding_ = componentsPerVelocity(climb_.system().problem()) > (climb_.isDear() ? redundancy : kTight);
  if (isStanding_) {
    SolveOptions early = climb_.fromCold(0, quickSteps);
    early.tolerance = early.polish = newtonNear;  // the interior point until Newton is the shorter way
    return climb_.rung("ipm", ipm_, early);
  }
  if (!climb_.isDear() || !climb_.system().symmetric() || !mostSlideSlower(kStill)) return false;
  start_.setZero();
  return climb_.rung("lagged", lagged_, climb_.fromBest(fewRounds, roundSteps), &start_);
}

/// Heaps that begin to move: what one method does not find another one may, each from cold, since what the others came to is a worse start. From rest a smaller step is no resort: it is the
/// same problem.
bool Ladder::takeTurns() {
  if (climb_.rung("proxac", climb_.proxac, climb_.fromCold(turnSteps))) return true;
  if (!climb_.system().symmetric()) return false;
  return climb_.rung("lagged", lagged_, climb_.fromCold(turnSteps, turnSteps)) || climb_.rung("admm", admm_, climb_.fromCold(alternatingSteps));
}

/// Piles that are struck. A weak blow leaves most of them standing: there the central path is short, or what creeps comes to rest.
bool Ladder::wander() {
  if (!wanders()) return false;
  if (climb_.rung("centralpath", centralPath_, climb_.fromCold(shortPathSteps))) return true;
  const double before = climb_.relative();
  if (settle() || climb_.rung("proxac", climb_.proxac, climb_.fromBest(stepsOfPile()))) return true;
  return (climb_.relative() < before && settle()) || canShorten();
}

/// Whether all that creeps in the best answer so far can rest.
bool Ladder::settle() { return climb_.relative() < settlingNear && climb_.system().symmetric() && climb_.rung("settled", settled_, climb_.fromBest()); }

/// Where a factorisation is dear.
bool Ladder::climbDear() {
  const bool isWarm = climb_.options().warm;
  const bool creeps = climb_.system().symmetric() && mostSlideSlower(kSlow), stands = creeps && mostSlideSlower(kStill);
  const bool prefersSmallerStep = canShorten() && ((climb_.isColossal() && !stands) || (climb_.system().factorWork() > movingWork && !creeps));
  // What moved before: near an answer, on the few contacts at work. All contacts are at work for an interior point, whose factors are up to fifty times as dear.
  if (!isWarm && !isStanding_ && climb_.rung("ipm", ipm_, climb_.fromCold(0, quickSteps))) return true;
  if (!isWarm && !climb_.isColossal() && takeTurns()) return true;
  // Where bodies creep the proximal Newton succeeds too seldom to be worth its steps: the central path is the shorter way.
  const bool onlyCreeps = isWarm && creeps && !stands && !isPile_ && !prefersSmallerStep;
  if (!onlyCreeps && !wanders()) {
    const SolveOptions brief = isPile_              ? climb_.fromBest(stepsOfPile())
                               : prefersSmallerStep ? climb_.fromBest(nearSteps, fewSteps)
                                                    : climb_.fromBest(briefSteps);
    if (climb_.rung("proxac", climb_.proxac, brief) || prefersSmallerStep) return true;
  }
  if (climb_.rung("centralpath", centralPath_, climb_.fromCold(canShorten() ? pathSteps : routeSteps)) || !isThorough()) return true;
  // What rested will rest, whatever the best answer so far says.
  if (creeps && climb_.rung("lagged", lagged_, climb_.fromBest(allRounds, roundSteps), &start_)) return true;
  return climb_.rung("ipm", ipm_, climb_.fromCold());
}

bool Ladder::climbCheap() {
  const bool isWarm = climb_.options().warm;
  const bool isTight =
      isStanding_ && (!hasMany() || componentsPerVelocity(climb_.system().problem()) > redundancy);  // there the interior point takes fewer steps
  if (!isWarm && !isTight && climb_.rung("proxac", climb_.proxac, climb_.fromBest(hasMany() ? stepsOfPile() : cheapSteps))) return true;
  if (isWarm && settle()) return true;
  if (climb_.rung("ipm", ipm_, climb_.fromCold()) || climb_.options().effort == Effort::Short) return true;
  if (!isInner_ && climb_.system().symmetric() && climb_.rung("lagged", lagged_, climb_.fromCold(hasMany() ? pileLaggedSteps : laggedSteps))) return true;
  if (climb_.rung("centralpath", centralPath_, climb_.fromCold(hasMany() ? pilePathSteps : routeSteps))) return true;
  if (!hasMany() || wanders()) return false;
  return climb_.rung("proxac", climb_.proxac, climb_.fromBest(stepsOfPile())) || !isThorough();
}

/// Whatever the problem, the methods that take longest and give up last.
void Ladder::climbLast() {
  const bool isDear = climb_.isDear();
  if (climb_.rung("proxac", climb_.proxac, climb_.fromBest(isDear ? dearSteps : 0))) return;
  if (isThorough() && !isInner_ && !isDear && climb_.system().symmetric() && climb_.rung("lagged", lagged_, climb_.fromCold())) return;
  if (!isInner_ && climb_.rung("continuation", continuation_, climb_.fromBest(isDear ? dearPathSteps : 0))) return;
  if (climb_.rung("proxac", climb_.proxac, climb_.fromCold()) || climb_.rung("prox", prox_, climb_.fromCold())) return;
  if (isInner_ || sweeps_.take(longSweeps) || !isThorough()) return;
  if (!isDear && climb_.rung("proxac", climb_.proxac, climb_.fromBest(static_cast<int>(lastPileSteps * climb_.problem().contacts())))) return;
  if (!followPath(Path::Compliance)) followPath(Path::Friction);
}

bool Ladder::followPath(Path path) {
  const auto solvePoint = [this](const PosedProblem& point, Iterate& iterate, const SolveOptions& options) {
    return inner().solve(point, iterate, options, nullptr, nullptr);
  };
  Iterate answer;
  const PathReport report = follow(climb_.problem(), path, climb_.certifier().omega(), climb_.options(), solvePoint, answer);
  climb_.spend(report.iterations, report.factorisations);
  return report.ends && climb_.judge("path", answer);
}

bool Ladder::mostSlideSlower(double speed) { return sliding_.mostAreSlower(climb_.system().problem(), start_, speed * climb_.system().scale()); }

int Ladder::stepsOfPile() const {
  const double steps = canShorten() ? pileSteps : climb_.options().warm && !isInner_ ? lastPileSteps : coldPileSteps;
  return static_cast<int>(steps * climb_.problem().contacts());
}

/// Where a search may take longer than it takes to wake another thread, and factorisations are not so dear that threads do better to share them.
void Ladder::announceSearch() const {
  const SolveOptions& options = climb_.options();
  if (options.beforeSearch != nullptr && hasMany() && climb_.system().factorWork() <= movingWork) (*options.beforeSearch)();
}

}  // namespace stiction
