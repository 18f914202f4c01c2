// The ladder: each rung starts from the best answer so far or cold, the certificate judges every answer, and the best one is kept.
// Last rungs: paths of problems that end at the given one, μ from 0 upwards, or a compliance R = 10^(1 − 10t) ω falling to nothing; each point is solved warm by the ladder
// from the one before, the step doubled after a success and cut after a failure.
#include "portfolio/Portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "portfolio/NarrowedProblem.hpp"
#include "solvers/Ecos.hpp"
#include "solvers/GaussSeidel.hpp"
#include "solvers/LaggedShift.hpp"
#include "solvers/LocalFactor.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

// Gauss–Seidel first, for at most as long as some 14 factorisations take (it gives up earlier when its contraction rate says so). Work in multiplications; a contact's
// part of a sweep counts as `sweepWork` of them, measured on sphere heaps.
constexpr int leastSweeps = 150, mostSweeps = 20000;
constexpr double sweepWork = 170, burstFactorisations = 14, narrowedFactorisations = 70;
constexpr double overRelaxation = 1.5;  // [-] of those sweeps
constexpr double heapRelaxation = 1.6;  // [-] likewise on dear problems, measured on heaps that fall and columns that collapse; 1.8 diverges on some
constexpr double headway = 0.6;         // [-] of the certificate before a run of sweeps: one that leaves more was idle
constexpr int mostIdle = 2;             // such runs, one after the other, and the next ones are not over-relaxed; two more, and it was all in vain
constexpr int looseSweeps = 900;        // of the first run where heaps in motion start far from an answer,
constexpr int pileSweeps = 600;         // of piles, at least, while they bring something: all that a loose tolerance asks for, and not over-relaxed
constexpr double nearTolerance = 30;    // [-] certificate over tolerance from which plain sweeps go on,
constexpr int mostPlainSweeps = 5000;   // in runs of no more than that
constexpr double sweptEnough = 0.1;     // [-] of the tolerance: it is an answer where it comes so near
constexpr double sweepGoal = 1e-5, newtonReach = 5e-4;  // [-] certificates on dear problems: where the first sweeps end, and where Newton may go on
constexpr int widenings = 3;                            // of what is left of a heap without its open contacts
constexpr double farStart = 0.5;                        // [-] certificate of a warm start that Newton makes nothing of, on dear problems
constexpr int manyContacts = 300, pressingSweeps = 64;  // without friction
constexpr int fewContacts = 16;          // fewer are swept first, whatever they are, and without over-relaxation: a contact alone is exact after one sweep
constexpr int plainSweeps = 2;           // of more contacts, in local form: where few of them bear load they may be exact by then,
constexpr double firstRelaxation = 1.4;  // [-] which over-relaxed sweeps, the next ones, never are
constexpr double newtonNear = 1e-4;      // [-] residual from which Newton ends what an interior point began
// Before anything is analysed, to the polish, as long as their contraction promises it: a handful of contacts is done in fewer, for the price of an ordering. The more contacts, the dearer what
// comes after.
constexpr int firstSweeps = 200, firstSweepsOfMany = 500;
constexpr int warmPatience = 3;
constexpr int longSweeps = 20000;
constexpr int warmSteps = 12, polishSteps = 30;
constexpr double warmNear =
    0.1;  // [-] certificate of a warm start from which a few steps of the proximal Newton, which cannot run away, are tried when Newton fails
constexpr int finishSteps = 20, closeUpSteps = 60;
constexpr double closeUp = 1e-4;                           // [-] certificate of an answer so near that Newton is worth all its steps, on dear problems, too
constexpr int laggedSteps = 600;                           // two rounds; all of them when nothing else has helped
constexpr int pileLaggedSteps = 300, pilePathSteps = 600;  // where contacts are many: what helps there helps early
constexpr int farPatience = 3;                             // of Newton from farther off: where it makes no headway it is dropped
constexpr double dearWork = 1e6;                           // dear: where a factorisation takes more than this
// Factorisations of all contacts dearer than this are not worth it where a smaller step is a resort: where bodies move, for them half the step is another problem; in heaps of thousands, even
// where they creep. There the proximal Newton, too, is given up early.
constexpr double movingWork = 1e7, colossalWork = 4e8;
// Steps on a dear problem: of the interior point, unless it is nearly there (standing walls take 12 in all; heaps in motion are nowhere near by then), of the proximal Newton
// before a smaller step where that is the next resort, more where it is nearly there, and before the central path, of the central path before a smaller step of the simulator is the better
// resort, and without one: two of its routes, and three.
constexpr int quickSteps = 8, fewSteps = 100, nearSteps = 400, briefSteps = 150, pathSteps = 800, routeSteps = 1200, dearSteps = 800, dearPathSteps = 2500;
constexpr double redundancy = 2;          // [-] contact components a velocity
constexpr double loadedRedundancy = 1.5;  // [-] likewise, of contacts that bear load: heaps of spheres have 0.6 to 0.9, piles of boxes 2
constexpr double tightness = 1.75;        // [-] likewise, where factorisations are cheap: with more, sweeps settle nothing
// Steps of the proximal Newton a contact, on piles: it wanders among the pieces of a pile that is struck until it happens on those of an answer, over many piles as likely in one thousand steps as
// in the next, and nothing else gets there. From cold, before the central path; while a smaller step is left, which is as hard, but another throw; and where none is.
constexpr double coldPileSteps = 1.5, pileSteps = 1, lastPileSteps = 20;
constexpr double slow = 1e-3, still = 1e-6;  // [-] sliding speeds against the problem's scale: slower contacts creep at most, stand still
// Of `lagged`, where most contacts creep or stand still: of a round, of a few rounds from cold, of all where no smaller step is left.
constexpr int roundSteps = 600, fewRounds = 2 * roundSteps, allRounds = 6 * roundSteps;
constexpr int cheapSteps = 70;  // of the proximal Newton from cold, before an interior point: from what the sweeps came near it gets there in fewer, or late
constexpr int pathPoints = 40;
constexpr double stiffness = 1e8;  // [-] of the contacts that a proof of infeasibility is read from
constexpr double pathFirstStep = 0.1, pathLargestStep = 0.25, pathLeastStep = 1e-3;

SolverInfo autoInfo() {
  return {"auto", Law::Coulomb,      true, true, "the default: warm or cold, the method that certifies soonest, each answer judged by the certificate",
          false,  "global at mu = 0"};
}

enum class Path { Friction, Compliance };

void soften(ContactProblem& problem, int i, double compliance) {
  if (problem.R.size() == 0) problem.R.setZero(3 * problem.contacts());
  problem.R.segment<3>(3 * i).array() += compliance;
}

void soften(LocalContactProblem& problem, int i, double compliance) {
  for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
    if (problem.column[static_cast<std::size_t>(k)] == i) {
      problem.blocks[static_cast<std::size_t>(k)].diagonal().array() += compliance;
      return;
    }
}

/// The problem at t of a path that ends at `problem` for t = 1. `omega` [1/kg] (contacts) weighs the compliance.
template <class Problem>
Problem pointOf(const Problem& problem, Path path, double t, const VectorX& omega) {
  Problem point = problem;
  if (path == Path::Friction)
    point.mu *= t;
  else if (t < 1)
    for (int i = 0; i < problem.contacts(); ++i) soften(point, i, std::pow(10, 1 - 10 * t) * omega[i]);
  return point;
}

/// A method, made when it is first asked for: a small problem takes less time than all of them to make.
class LazyMethod {
 public:
  using Maker = std::unique_ptr<VelocityMethod> (*)();
  explicit LazyMethod(Maker make) : make_{make} {}

  VelocityMethod& operator*() {
    if (!method_) method_ = make_();
    return *method_;
  }
  VelocityMethod* operator->() { return &**this; }
  bool is(const VelocityMethod& method) const { return method_.get() == &method; }

 private:
  Maker make_;
  std::unique_ptr<VelocityMethod> method_;
};

}  // namespace

struct Portfolio::Impl {
  explicit Impl(Law law) : ownCertifier{law} {}

  std::unique_ptr<Solver> named;  // null: auto
  VelocitySystem system;
  LocalFactor factor;
  LazyMethod newton{makeNewtonMethod}, prox{[] { return makeProxMethod(); }}, proxac{makeProxAcMethod}, ipm{makeIpmMethod},
      continuation{makeContinuationMethod}, centralPath{makeCentralPathMethod}, lagged{makeLaggedShiftMethod};
  std::unique_ptr<Solver> nsgs{makeNsgs()};
  std::unique_ptr<Impl> innerLadder;  // the ladder for other problems on the way, itself without paths
  bool isInner{false};
  bool isSwept{false};     // nsgs knows the problem at hand
  bool isPrepared{false};  // system knows it,
  bool isNarrowed{false};  // or what `narrowed` has of it
  NarrowedProblem narrowed;
  Certifier ownCertifier;
  Certifier* certifier{&ownCertifier};  // prepared for the problem at hand
  Iterate trial, part;
  VectorX start, sliding;  // start [m/s] (dof): the velocities that a dear problem begins with
  VectorX rates;           // [m/s] Hᵀv + w
  PortfolioReport report;

  ThreadPool* team{nullptr};

  Impl& inner() {
    if (!innerLadder) {
      innerLadder = std::make_unique<Impl>(Law::Coulomb);
      innerLadder->isInner = true;
    }
    innerLadder->setTeam(team);
    return *innerLadder;
  }
  void setTeam(ThreadPool* threads) {
    team = threads;
    system.setTeam(team);
    ownCertifier.setTeam(team);
    nsgs->setTeam(team);
    if (named) named->setTeam(team);
  }

  bool prepare(const ContactProblem& problem) {
    isNarrowed = false;
    return isPrepared = system.bind(problem);
  }
  bool prepare(const LocalContactProblem& problem) {
    factor.build(problem, false);
    return isPrepared = system.bind(factor.global(), factor.velocityColumns());
  }
  /// Prepares what the answer `best` does not leave open, if that is anything else than before.
  bool narrow(const ContactProblem& problem, const Iterate& best) {
    const bool isOther = narrowed.narrow(problem, best, certifier->scale());
    if (isNarrowed && !isOther) return true;
    isNarrowed = true;
    return isPrepared = system.bind(narrowed.part());
  }
  bool narrow(const LocalContactProblem&, const Iterate&) { return false; }

  void run(const ContactProblem& problem, VelocityMethod& method, const SolveOptions& options) {
    fitIterate(problem, trial, options.warm);
    if (!isNarrowed) {
      count(method.run(system, trial, options));
      return;
    }
    for (int k = 0; k < widenings; ++k) {
      narrowed.enter(trial, part);
      count(method.run(system, part, options));
      narrowed.leave(part, trial);
      if (!narrowed.widen(problem, trial) || !system.bind(narrowed.part())) return;
    }
  }
  // What the factor of W misses goes into w until it no longer matters. Newton stops short where that moves contacts to other pieces; the proximal steps go on.
  void run(const LocalContactProblem& problem, VelocityMethod& method, const SolveOptions& options) {
    constexpr int corrections = 8;
    fitIterate(problem, trial, options.warm);
    if (options.warm) factor.correct(problem, trial.r);
    fitIterate(factor.global(), trial, options.warm);
    count(method.run(system, trial, options));
    const bool isAnswer = report.status == SolveStatus::Converged;
    SolveOptions again = options;
    again.warm = true;
    SolveOptions onward = again;
    onward.maxIterations = cheapSteps;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 1;; ++k) {
      const double change = factor.correct(problem, trial.r) / system.scale();
      if (k == corrections || change <= options.polish || !(change < 0.5 * last)) return;
      last = change;
      fitIterate(factor.global(), trial, true);
      count(newton->run(system, trial, again));
      if (isAnswer && report.status != SolveStatus::Converged) count(proxac->run(system, trial, onward));
    }
  }
  void count(const SolveReport& solve) {
    report.iterations += solve.iterations;
    report.factorisations += solve.factorisations;
    report.status = solve.status;
  }

  /// Judges trial and keeps it in `best` when its certificate is the better one. Returns whether the best one passes.
  template <class Problem>
  bool judge(const Problem& problem, Iterate& best, const char* rung, const SolveOptions& options) {
    const Certificate certificate = certifier->judge(problem, trial);
    if (certificate.relative < report.certificate.relative) {
      report.certificate = certificate;
      report.rung = rung;
      std::swap(best, trial);
    }
    return report.certificate.passes(options.tolerance);
  }

  /// One rung: a method, from the best answer when warm, with other velocities where given, then Newton from its answer while that helps. Returns whether the best answer passes, or time is
  /// up.
  template <class Problem>
  bool rung(const Problem& problem, Iterate& best, const char* name_, VelocityMethod& method, const SolveOptions& options,
            const VectorX* velocities = nullptr) {
    if (isPast(options.deadline)) return true;
    if (options.warm) trial = best;
    if (velocities) trial.v = *velocities;
    run(problem, method, options);
    const bool passes = judge(problem, best, name_, options);
    return newton.is(method) ? passes : finish(problem, best, name_, options);
  }

  template <class Problem>
  bool finish(const Problem& problem, Iterate& best, const char* name_, const SolveOptions& options) {
    if (report.certificate.relative <= options.polish) return true;
    SolveOptions polish = options;
    polish.warm = true;
    polish.maxIterations = finishSteps;
    const bool isNear = report.certificate.relative < closeUp;
    polish.patience = isNear ? 0 : farPatience;
    if (isNear && isDear()) polish.maxIterations = closeUpSteps;
    trial = best;
    run(problem, *newton, polish);
    return judge(problem, best, name_, options);
  }

  bool isDear() const { return isNarrowed || system.factorWork() > dearWork; }
  bool isColossal() const { return system.factorWork() > colossalWork; }

  /// Stacks, arches, walls, known before anything is analysed: sweeps do not settle them.
  template <class Problem>
  static bool isStructure(const Problem& problem) {
    return problem.contacts() >= fewContacts && 3 * problem.contacts() > tightness * velocities(problem);
  }
  static int velocities(const ContactProblem& problem) { return problem.dof(); }
  static int velocities(const LocalContactProblem& problem) { return mostVelocities(problem); }
  static bool isLocal(const ContactProblem&) { return false; }
  static bool isLocal(const LocalContactProblem&) { return true; }

  /// Walls and piles of boxes, four contacts and more a face that bear load in the best answer so far: the centre among so many impulses is far from any answer, and the
  /// central path long. A heap of spheres has as many near contacts, and few that bear load.
  static bool isRedundant(const Iterate& best, int dof) {
    int loaded = 0;
    for (int i = 0; i < best.r.size() / 3; ++i) loaded += best.r.segment<3>(3 * i).isZero(0) ? 0 : 1;
    return 3 * loaded > loadedRedundancy * dof;
  }
  bool isRedundant(const Iterate& best) const { return isRedundant(best, system.problem().dof()); }
  bool isPile(int contacts, const Iterate& best) const { return isPrepared && contacts > manyContacts && isRedundant(best); }

  /// Heaps in motion, known before anything is analysed: they are narrowed.
  bool isLoose(const ContactProblem& problem, const Iterate& best) {
    return problem.contacts() > manyContacts && problem.axisBounds == nullptr && best.r.size() == 3 * problem.contacts() && best.v.size() == problem.dof() &&
           !isRedundant(best, problem.dof()) && !creeps(problem, best);
  }
  /// Whether most contacts bear load and slide slowly, if at all.
  bool creeps(const ContactProblem& problem, const Iterate& best) {
    LaggedShift::findSliding(problem, best.v, rates, sliding);
    int slowly = 0;
    for (int i = 0; i < problem.contacts(); ++i) slowly += !best.r.segment<3>(3 * i).isZero(0) && sliding[i] < slow * certifier->scale() ? 1 : 0;
    return 2 * slowly > problem.contacts();
  }
  static bool isLoose(const LocalContactProblem&, const Iterate&) { return false; }
  double componentsPerVelocity() const { return 3.0 * system.problem().contacts() / system.problem().dof(); }

  /// Whether at the velocities of the start most contacts slide slower than that [-], against the problem's scale.
  bool mostAreSlowerThan(double speed) {
    LaggedShift::findSliding(system.problem(), start, rates, sliding);
    return 2 * (sliding.array() < speed * system.scale()).count() > sliding.size();
  }

  /// How many sweeps the problem prepared is worth.
  int burst() const {
    const double sweeps =
        (isNarrowed ? narrowedFactorisations : burstFactorisations) * system.factorWork() / (sweepWork * std::max(system.problem().contacts(), 1));
    return static_cast<int>(std::clamp(sweeps, static_cast<double>(leastSweeps), static_cast<double>(mostSweeps)));
  }

  template <class Problem>
  SolveReport sweepTrial(const Problem& problem, const SolveOptions& sweeps) {
    SolveOptions run = sweeps;
    run.again = std::exchange(isSwept, true);
    const SolveReport swept = nsgs->solve(problem, trial, run);
    count(swept);
    return swept;
  }
  /// Sweeps from `trial`, judged.
  template <class Problem>
  SolveReport sweepTrial(const Problem& problem, Iterate& best, const SolveOptions& sweeps, const SolveOptions& options) {
    const SolveReport swept = sweepTrial(problem, sweeps);
    judge(problem, best, "nsgs", options);
    return swept;
  }

  /// Before anything is analysed, from cold.
  template <class Problem>
  bool firstLook(const Problem& problem, Iterate& best, const SolveOptions& options) {
    const bool areFew = problem.contacts() < fewContacts;
    SolveOptions brief = options;
    brief.tolerance = options.polish;
    brief.maxIterations = plainSweeps;
    trial = {};
    const bool isDone = isLocal(problem) && !areFew && sweepTrial(problem, brief).status == SolveStatus::Converged;
    if (!isDone) {
      brief.maxIterations = problem.contacts() > manyContacts ? firstSweepsOfMany : firstSweeps;
      if (!areFew) brief.relaxation = firstRelaxation;
      trial = {};
      sweepTrial(problem, brief);
    }
    judge(problem, best, "nsgs", options);
    return report.certificate.relative <= options.polish;
  }

  /// Whether sweeps alone may do on dear problems.
  static bool isCoarse(const SolveOptions& options) { return options.tolerance > sweepGoal; }

  /// On a dear problem in runs, each twice as long as the one before and followed by Newton, which often takes over long before the sweeps are through. Where nothing is prepared the first run
  /// is of `sweeps`: it may do by itself, else it tells what to prepare, the problem without what it leaves open.
  template <class Problem>
  bool sweepInRuns(const Problem& problem, Iterate& best, int sweeps, const SolveOptions& options) {
    SolveOptions burst = options;
    const bool dear = !isPrepared || isDear();
    const bool isPile = this->isPile(problem.contacts(), best);
    burst.relaxation = isPile ? 1 : dear ? heapRelaxation : overRelaxation;
    if (isPile) sweeps = std::max(sweeps, pileSweeps);
    burst.looksOften = isPrepared && dear && componentsPerVelocity() > tightness;  // in walls the best answer is met on the way
    const double enough = isPrepared ? 0 : std::max(sweptEnough * options.tolerance, options.polish), goalOfRuns = std::max(sweepGoal, options.tolerance);
    const double accepted = isCoarse(options) ? options.tolerance : enough;  // of a loose tolerance no tenth is worth what comes next
    double goal = isPrepared ? goalOfRuns : enough;
    int idle = 0;
    bool wasNear = false;  // Newton has had all its steps from there
    for (int run = isPrepared && dear ? leastSweeps : sweeps; sweeps > 0; run *= 2) {
      const double before = report.certificate.relative;
      burst.maxIterations = std::min(run, sweeps);
      if (dear) {
        burst.patience = burst.maxIterations;  // a moving heap's contraction is no guide to what the next hundred sweeps bring
        burst.tolerance = goal;
      }
      burst.warm = report.certificate.relative < 1.0;
      trial = burst.warm ? best : Iterate{};
      const SolveReport swept = sweepTrial(problem, best, burst, options);
      if (report.certificate.relative <= accepted) return true;
      if (const bool isFirst = !isPrepared; isFirst || isNarrowed) {
        if (!narrow(problem, best)) return false;
        if (isFirst) {
          sweeps = this->burst();
          goal = goalOfRuns;
        }
      }
      sweeps -= dear ? std::max(swept.iterations, 1) : sweeps;
      idle = report.certificate.relative > headway * before ? idle + 1 : 0;
      if (dear && ((wasNear && idle > 0) || idle > mostIdle + 1)) return false;
      if (idle == mostIdle) burst.relaxation = 1;  // what bears load goes round in circles
      const double reach = std::max(isNarrowed || isColossal() ? closeUp : newtonReach, options.tolerance);
      const bool isOut = dear && report.certificate.relative > reach;
      if (!isOut && finish(problem, best, "nsgs", options)) return true;
      wasNear = report.certificate.relative < closeUp;
      if (!isOut || swept.status == SolveStatus::Converged) goal = 0.1 * std::min(goal, report.certificate.relative);
    }
    return false;
  }

  /// Where a loose tolerance is near on a dear problem: sweeps without over-relaxation in runs, each twice as long as the one before, until three of them in a row bring nothing (at
  /// fine tolerances one: there they seldom end it). What comes next costs as much as thousands of sweeps.
  template <class Problem>
  bool sweepPlainly(const Problem& problem, Iterate& best, const SolveOptions& options) {
    SolveOptions plain = options;
    plain.warm = true;
    const int patience = isCoarse(options) ? mostIdle : 0;
    int idle = 0;
    for (int run = leastSweeps; run <= mostPlainSweeps && report.certificate.relative <= nearTolerance * options.tolerance; run *= 2) {
      const double before = report.certificate.relative;
      plain.maxIterations = plain.patience = run;
      trial = best;
      sweepTrial(problem, best, plain, options);
      if (report.certificate.passes(options.tolerance)) return true;
      idle = report.certificate.relative > headway * before ? idle + 1 : 0;
      if (idle > patience) return false;
    }
    return false;
  }

  template <class Problem>
  bool sweep(const Problem& problem, Iterate& best, int sweeps, const SolveOptions& options) {
    return sweepInRuns(problem, best, sweeps, options) || (isDear() && sweepPlainly(problem, best, options));
  }

  /// Without friction, and before anything is analysed: sweeps from a warm start, which leave Newton a few contacts to change.
  template <class Problem>
  bool firstPress(const Problem& problem, Iterate& best, const SolveOptions& options) {
    SolveOptions burst = options;
    burst.relaxation = heapRelaxation;
    burst.maxIterations = burst.patience = pressingSweeps;
    burst.tolerance = options.polish;
    trial = best;
    sweepTrial(problem, best, burst, options);
    return report.certificate.relative <= options.polish;
  }

  /// Without friction: convex, the active set settles in a few steps, and the method of multipliers cannot fail.
  template <class Problem>
  bool press(const Problem& problem, Iterate& best, const SolveOptions& warm, const SolveOptions& cold, const SolveOptions& options) {
    return (options.warm && rung(problem, best, "warm", *newton, warm)) ||
           (options.warm && isDear() && !isRedundant(best) && sweep(problem, best, burst(), options)) ||
           (problem.contacts() > manyContacts && rung(problem, best, "ipm", *ipm, cold)) || rung(problem, best, "newton", *newton, cold) ||
           rung(problem, best, "prox", *prox, cold);
  }

  /// The interior point until Newton is the shorter way.
  template <class Problem>
  bool handOver(const Problem& problem, Iterate& best, const SolveOptions& options) {
    if (isPast(options.deadline)) return true;
    SolveOptions early = options;
    early.tolerance = early.polish = newtonNear;
    run(problem, *ipm, early);
    judge(problem, best, "ipm", options);
    return finish(problem, best, "ipm", options);
  }

  /// Where a search may take longer than it takes to wake another thread, and factorisations are not so dear that threads do better to share them.
  void announceSearch(int contacts, const SolveOptions& options) const {
    if (options.beforeSearch != nullptr && contacts > manyContacts && system.factorWork() <= movingWork) (*options.beforeSearch)();
  }

  /// Whether a dear problem's start is so far from an answer that Newton goes nowhere: bodies that collide.
  template <class Problem>
  bool startsFar(const Problem& problem, Iterate& best, const SolveOptions& options) {
    if (isPrepared && !isDear()) return false;
    trial = best;
    judge(problem, best, "warm", options);
    return report.certificate.relative > farStart;
  }

  template <class Problem>
  void climb(const Problem& problem, Iterate& best, const SolveOptions& options);
  template <class Problem>
  bool follow(const Problem& problem, Iterate& best, Path path, const SolveOptions& options);
  template <class Problem>
  PortfolioReport answer(const Problem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared = nullptr);
  InfeasibilityProof findInfeasibility(const ContactProblem& problem);
};

template <class Problem>
void Portfolio::Impl::climb(const Problem& problem, Iterate& best, const SolveOptions& options) {
  SolveOptions cold = options, warm = options;
  cold.warm = false;
  warm.maxIterations = warmSteps;
  warm.patience = warmPatience;
  const bool isFrictionless = problem.mu.isZero(0);
  if (!options.warm && !options.nearOnly && !isStructure(problem) && firstLook(problem, best, options)) return;
  if (options.warm && isFrictionless && problem.contacts() > manyContacts && firstPress(problem, best, options)) return;
  const bool narrows = options.warm && !isFrictionless && isLoose(problem, best);
  if (options.warm) start = best.v;  // before anything goes on from there
  const bool isFar = narrows && startsFar(problem, best, options);
  if (isFar && !options.nearOnly && sweep(problem, best, looseSweeps, options)) return;
  if (!isPrepared && !(narrows ? narrow(problem, best) : prepare(problem))) {
    report.status = SolveStatus::NumericalFailure;
    return;
  }
  if (start.size() != system.problem().dof() || !options.warm) start = system.freeVelocity();  // from cold the free motion tells what moves
  if (isFrictionless && (press(problem, best, warm, cold, options) || !options.thorough)) return;
  if (options.warm && !isFar && (narrows || !startsFar(problem, best, options)) && rung(problem, best, "warm", *newton, warm)) return;
  warm.patience = 0;
  if (options.nearOnly) warm.maxIterations = polishSteps;
  if (options.warm && !isFar && report.certificate.relative < warmNear && rung(problem, best, "proxac", *proxac, warm)) return;
  if (options.nearOnly) return;
  const bool standing = !options.warm && componentsPerVelocity() > (isDear() ? redundancy : tightness);
  cold.patience = isDear() || standing ? quickSteps : 0;
  if (standing && handOver(problem, best, cold)) return;
  SolveOptions rounds = warm;
  rounds.warm = true;
  rounds.patience = roundSteps;
  rounds.maxIterations = fewRounds;
  const bool restsFromCold =
      !options.warm && !standing && isDear() && system.symmetric() && mostAreSlowerThan(still);  // weight alone, on bodies that fall together
  if (restsFromCold) {
    start.setZero();
    if (rung(problem, best, "lagged", *lagged, rounds, &start)) return;
  }
  if (!isFar && sweep(problem, best, burst(), options)) return;
  if (isNarrowed && !prepare(problem)) return;  // what comes now does better with all contacts
  announceSearch(problem.contacts(), options);
  warm.warm = true;
  const bool hasMany = problem.contacts() > manyContacts;
  const bool canShorten = options.warm && !options.thorough, isPile = this->isPile(problem.contacts(), best), wanders = isPile && options.warm;
  const int stepsOfPile = static_cast<int>((canShorten ? pileSteps : options.warm && !isInner ? lastPileSteps : coldPileSteps) * problem.contacts());
  if (wanders) {
    warm.maxIterations = stepsOfPile;
    if (rung(problem, best, "proxac", *proxac, warm) || canShorten) return;
  }
  if (isDear()) {
    const bool isCreeping = system.symmetric() && mostAreSlowerThan(slow), stands = isCreeping && mostAreSlowerThan(still);
    const bool prefersSmallerStep = canShorten && ((isColossal() && !stands) || (system.factorWork() > movingWork && !isCreeping));
    // What moved before: near an answer, on the few contacts at work. All contacts are at work for an interior point, whose factors are up to fifty times as dear.
    if (!options.warm && !standing && rung(problem, best, "ipm", *ipm, cold)) return;
    warm.maxIterations = isPile ? stepsOfPile : prefersSmallerStep ? nearSteps : briefSteps;
    warm.patience = prefersSmallerStep && !isPile ? fewSteps : 0;
    // Where bodies creep the proximal Newton succeeds too seldom to be worth its steps: the central path is the shorter way.
    const bool onlyCreeps = options.warm && isCreeping && !stands && !isPile && !prefersSmallerStep;
    if (!onlyCreeps && !wanders && (rung(problem, best, "proxac", *proxac, warm) || prefersSmallerStep)) return;
    warm.patience = 0;
    cold.patience = 0;
    cold.maxIterations = canShorten ? pathSteps : routeSteps;
    if (rung(problem, best, "centralpath", *centralPath, cold)) return;
    if (!options.thorough) return;
    rounds.maxIterations = allRounds;
    if (isCreeping && rung(problem, best, "lagged", *lagged, rounds, &start)) return;  // what rested will rest, whatever the best answer so far says
    cold.maxIterations = 0;
  }
  cold.patience = 0;
  const bool isTight = standing && (!hasMany || componentsPerVelocity() > redundancy);  // there the interior point takes fewer steps
  if (!isDear() && !options.warm && !isTight) {
    warm.maxIterations = hasMany ? stepsOfPile : cheapSteps;
    if (rung(problem, best, "proxac", *proxac, warm)) return;
  }
  if (rung(problem, best, "ipm", *ipm, cold)) return;
  if (!isDear()) {
    cold.maxIterations = hasMany ? pileLaggedSteps : laggedSteps;
    if (!isInner && system.symmetric() && rung(problem, best, "lagged", *lagged, cold)) return;
    cold.maxIterations = hasMany ? pilePathSteps : routeSteps;
    if (rung(problem, best, "centralpath", *centralPath, cold)) return;
    if (hasMany && !wanders) {
      warm.maxIterations = stepsOfPile;
      if (rung(problem, best, "proxac", *proxac, warm) || !options.thorough) return;
    }
    cold.maxIterations = 0;
  }
  warm.maxIterations = isDear() ? dearSteps : 0;
  if (rung(problem, best, "proxac", *proxac, warm)) return;
  if (options.thorough && !isInner && !isDear() && system.symmetric() && rung(problem, best, "lagged", *lagged, cold)) return;
  warm.maxIterations = isDear() ? dearPathSteps : 0;
  if (!isInner && rung(problem, best, "continuation", *continuation, warm)) return;
  if (rung(problem, best, "proxac", *proxac, cold)) return;
  if (rung(problem, best, "prox", *prox, cold)) return;
  if (isInner || sweep(problem, best, longSweeps, options) || !options.thorough) return;
  warm.maxIterations = static_cast<int>(lastPileSteps * problem.contacts());
  if (!isDear() && rung(problem, best, "proxac", *proxac, warm)) return;
  if (!follow(problem, best, Path::Compliance, options)) follow(problem, best, Path::Friction, options);
}

template <class Problem>
bool Portfolio::Impl::follow(const Problem& problem, Iterate& best, Path path, const SolveOptions& options) {
  SolveOptions warm = options;
  warm.warm = false;
  Iterate here;
  double t = 0, step = 0;
  for (int k = 0; k < pathPoints && !isPast(options.deadline); ++k) {
    const double next = std::min(1.0, t + step);
    Iterate there = here;
    const PortfolioReport point = inner().answer(pointOf(problem, path, next, certifier->omega()), there, warm);
    report.iterations += point.iterations;
    report.factorisations += point.factorisations;
    if (point.certified) {
      std::swap(here, there);
      t = next;
      if (t >= 1) break;
      step = warm.warm ? std::min(pathLargestStep, 2 * step) : pathFirstStep;
      warm.warm = true;
    } else {
      step *= 0.4;
      if (step < pathLeastStep) return false;
    }
  }
  if (t < 1) return false;
  std::swap(trial, here);
  return judge(problem, best, "path", options);
}

template <class Problem>
PortfolioReport Portfolio::Impl::answer(const Problem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared) {
  report = {};
  report.certificate.relative = report.certificate.metersPerSecond = report.certificate.fclib = std::numeric_limits<double>::infinity();
  certifier = prepared != nullptr ? prepared : &ownCertifier;
  if (prepared == nullptr) certifier->prepare(problem);
  isSwept = isPrepared = isNarrowed = false;
  narrowed.reset();
  system.setDeadline(options.deadline);
  if (named) {
    trial = iterate;
    count(named->solve(problem, trial, options));
    if (!judge(problem, iterate, named->info().name, options) && options.fallBack && named->info().leansOnAuto) climb(problem, iterate, options);
  } else {
    climb(problem, iterate, options);
  }
  report.certified = report.certificate.passes(options.tolerance);
  if (report.certified) report.status = SolveStatus::Converged;
  return report;
}

// Stiff contacts without friction between bodies that start at rest: where not all of them can be kept from closing, their forces grow until their own stiffness bears what
// closes, and inertia, that much softer, bears next to nothing.
InfeasibilityProof Portfolio::Impl::findInfeasibility(const ContactProblem& problem) {
  ownCertifier.prepare(problem);
  ContactProblem stiff = problem;
  stiff.mu.setZero();
  stiff.f.setZero();
  stiff.wScale = stiff.w;
  stiff.scaleFloor = 0;
  for (int i = 0; i < problem.contacts(); ++i) soften(stiff, i, ownCertifier.omega()[i] / stiffness);
  Iterate impulses;
  SolveOptions options;
  options.thorough = false;
  inner().answer(stiff, impulses, options);
  return proveInfeasible(problem, impulses);
}

Portfolio::Portfolio(const std::string& solver, Law law) : impl_{std::make_unique<Impl>(law)} {
  const bool isAuto = solver == autoInfo().name;
  if (isAuto && law == Law::Coulomb) return;
  if (solver == "ecos" || solver == "ecos-strict") requireECOS();
  impl_->named = makeSolver(isAuto ? name(law) : solver);
  if (impl_->named) return;
  std::string known;
  for (const SolverInfo& info : portfolioInfos()) known += (known.empty() ? "" : ", ") + std::string{info.name};
  throw InputError{"solver", "'" + solver + "'", known, "choose one of these; `stiction solvers` describes them"};
}
Portfolio::~Portfolio() = default;
Portfolio::Portfolio(Portfolio&&) noexcept = default;

void Portfolio::setTeam(ThreadPool* team) { impl_->setTeam(team); }

PortfolioReport Portfolio::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return impl_->answer(problem, iterate, options);
}
PortfolioReport Portfolio::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& prepared) {
  return impl_->answer(problem, iterate, options, &prepared);
}
PortfolioReport Portfolio::solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return impl_->answer(problem, iterate, options);
}

bool Portfolio::triesAll(bool fallBack) const { return !impl_->named || (fallBack && impl_->named->info().leansOnAuto); }

InfeasibilityProof Portfolio::findInfeasibility(const ContactProblem& problem) { return impl_->findInfeasibility(problem); }

std::vector<SolverInfo> portfolioInfos() {
  std::vector<SolverInfo> infos{autoInfo()};
  for (SolverInfo& info : solverInfos()) infos.push_back(std::move(info));
  return infos;
}

}  // namespace stiction
