#include "portfolio/SweepRungs.hpp"

#include <algorithm>

#include "portfolio/ProblemKind.hpp"

namespace stiction {
namespace {

// Before anything is analysed, to the polish, as long as their contraction promises it: a handful of contacts is done in fewer, for the price of an ordering. The more contacts, the dearer what
// comes after.
constexpr int firstSweeps = 200, firstSweepsOfMany = 500;
constexpr int plainSweeps = 2;           // of more than a few contacts, in local form: where few of them bear load they may be exact by then,
constexpr double firstRelaxation = 1.4;  // [-] which over-relaxed sweeps, the next ones, never are
constexpr int pressingSweeps = 64;       // without friction
// For at most as long as some 14 factorisations take (they are given up earlier when their contraction rate says so). Work in multiplications; a contact's part of a sweep counts as
// `sweepWork` of them, measured on sphere heaps.
constexpr int leastSweeps = 150, mostSweeps = 20000;
constexpr double sweepWork = 170, burstFactorisations = 14, narrowedFactorisations = 70;
constexpr double overRelaxation = 1.5;  // [-] of those sweeps
constexpr double heapRelaxation = 1.6;  // [-] likewise on dear problems, measured on heaps that fall and columns that collapse; 1.8 diverges on some
constexpr double headway = 0.6;         // [-] of the certificate before a run of sweeps: one that leaves more was idle
constexpr int mostIdle = 2;             // such runs, one after the other, and the next ones are not over-relaxed; two more, and it was all in vain
constexpr int pileSweeps = 600;         // of piles, at least, while they bring something: all that a loose tolerance asks for, and not over-relaxed
constexpr double nearTolerance = 30;    // [-] certificate over tolerance from which plain sweeps go on,
constexpr int mostPlainSweeps = 5000;   // in runs of no more than that
constexpr double sweptEnough = 0.1;     // [-] of the tolerance: it is an answer where it comes so near
constexpr double sweepGoal = 1e-5, newtonReach = 5e-4;  // [-] certificates on dear problems: where the first sweeps end, and where Newton may go on

/// Whether sweeps alone may do on dear problems.
bool isCoarse(const SolveOptions& options) { return options.tolerance > sweepGoal; }

}  // namespace

bool SweepRungs::look() {
  const PosedProblem& problem = climb_.problem();
  const bool areFew = problem.contacts() < kFewContacts;
  SolveOptions brief = climb_.options();
  brief.tolerance = climb_.options().polish;
  brief.maxIterations = plainSweeps;
  const bool isDone = problem.local() != nullptr && !areFew && climb_.sweep({}, brief).status == SolveStatus::Converged;
  if (!isDone) {
    brief.maxIterations = problem.contacts() > kManyContacts ? firstSweepsOfMany : firstSweeps;
    if (!areFew) brief.relaxation = firstRelaxation;
    climb_.sweep(brief.warm ? climb_.best() : Iterate{}, brief);
  }
  climb_.judge("nsgs");
  return climb_.relative() <= climb_.options().polish;
}

bool SweepRungs::press() {
  SolveOptions burst = climb_.options();
  burst.relaxation = heapRelaxation;
  burst.maxIterations = burst.patience = pressingSweeps;
  burst.tolerance = burst.polish;
  sweep(climb_.best(), burst);
  return climb_.relative() <= burst.polish;
}

bool SweepRungs::take(int sweeps) { return takeInRuns(sweeps) || (climb_.isDear() && takePlainly()); }

int SweepRungs::worth() const {
  const double factorisations = climb_.isNarrowed() ? narrowedFactorisations : burstFactorisations;
  const double sweeps = factorisations * climb_.system().factorWork() / (sweepWork * std::max(climb_.system().problem().contacts(), 1));
  return static_cast<int>(std::clamp(sweeps, static_cast<double>(leastSweeps), static_cast<double>(mostSweeps)));
}

/// Sweeps, judged.
SolveReport SweepRungs::sweep(const Iterate& start, const SolveOptions& sweeps) {
  const SolveReport swept = climb_.sweep(start, sweeps);
  climb_.judge("nsgs");
  return swept;
}

/// On a dear problem in runs, each twice as long as the one before and followed by Newton, which often takes over long before the sweeps are through. Where nothing is prepared the first run
/// is of `sweeps`: it may do by itself, else it tells what to prepare, the problem without what it leaves open.
bool SweepRungs::takeInRuns(int sweeps) {
  const SolveOptions& options = climb_.options();
  const bool isFirst = !climb_.isPrepared(), isDear = isFirst || climb_.isDear(), isPile = climb_.isPile();
  SolveOptions burst = options;
  burst.relaxation = isPile ? 1 : isDear ? heapRelaxation : overRelaxation;
  if (isPile) sweeps = std::max(sweeps, pileSweeps);
  burst.looksOften = !isFirst && isDear && componentsPerVelocity(climb_.system().problem()) > kTight;  // in walls the best answer is met on the way
  const double enough = isFirst ? std::max(sweptEnough * options.tolerance, options.polish) : 0, goalOfRuns = std::max(sweepGoal, options.tolerance);
  const double accepted = isCoarse(options) ? options.tolerance : enough;  // of a loose tolerance no tenth is worth what comes next
  double goal = isFirst ? enough : goalOfRuns;
  const Iterate nothing;
  int idle = 0;
  bool wasNear = false;  // Newton has had all its steps from there
  for (int run = !isFirst && isDear ? leastSweeps : sweeps; sweeps > 0; run *= 2) {
    const double before = climb_.relative();
    burst.maxIterations = std::min(run, sweeps);
    if (isDear) {
      burst.patience = burst.maxIterations;  // a moving heap's contraction is no guide to what the next hundred sweeps bring
      burst.tolerance = goal;
    }
    burst.warm = before < 1.0;
    const SolveReport swept = sweep(burst.warm ? climb_.best() : nothing, burst);
    if (climb_.relative() <= accepted) return true;
    if (const bool isUnprepared = !climb_.isPrepared(); isUnprepared || climb_.isNarrowed()) {
      if (!climb_.narrow()) return false;
      if (isUnprepared) {
        sweeps = worth();
        goal = goalOfRuns;
      }
    }
    sweeps -= isDear ? std::max(swept.iterations, 1) : sweeps;
    idle = climb_.relative() > headway * before ? idle + 1 : 0;
    if (isDear && ((wasNear && idle > 0) || idle > mostIdle + 1)) return false;
    if (idle == mostIdle) burst.relaxation = 1;  // what bears load goes round in circles
    const double reach = std::max(climb_.isNarrowed() || climb_.isColossal() ? kCloseUp : newtonReach, options.tolerance);
    const bool isOut = isDear && climb_.relative() > reach;
    if (!isOut && climb_.finish("nsgs")) return true;
    wasNear = climb_.relative() < kCloseUp;
    if (!isOut || swept.status == SolveStatus::Converged) goal = 0.1 * std::min(goal, climb_.relative());
  }
  return false;
}

/// Where a loose tolerance is near on a dear problem: sweeps without over-relaxation in runs, each twice as long as the one before, until three of them in a row bring nothing (at
/// fine tolerances one: there they seldom end it). What comes next costs as much as thousands of sweeps.
bool SweepRungs::takePlainly() {
  const int patience = isCoarse(climb_.options()) ? mostIdle : 0;
  int idle = 0;
  for (int run = leastSweeps; run <= mostPlainSweeps && climb_.relative() <= nearTolerance * climb_.options().tolerance; run *= 2) {
    const double before = climb_.relative();
    sweep(climb_.best(), climb_.fromBest(run, run));
    if (climb_.passes()) return true;
    idle = climb_.relative() > headway * before ? idle + 1 : 0;
    if (idle > patience) return false;
  }
  return false;
}

}  // namespace stiction
