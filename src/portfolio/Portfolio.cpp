// The ladder: each rung starts from the best answer so far or cold, the certificate judges every answer, and the best one is kept.
#include "portfolio/Portfolio.hpp"

#include <algorithm>
#include <limits>

#include "solvers/LocalFactor.hpp"
#include "solvers/Nsgs.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

// Gauss–Seidel first, for at most as long as some 20 factorisations take (it gives up earlier when its contraction rate says so). Work in multiplications; a contact's
// part of a sweep counts as `sweepWork` of them, measured on sphere heaps.
constexpr int leastSweeps = 100, mostSweeps = 3000;
constexpr double sweepWork = 170, burstFactorisations = 20;
constexpr int warmPatience = 3;
constexpr int longSweeps = 20000;
constexpr int warmSteps = 12;
constexpr int finishSteps = 20;

SolverInfo autoInfo() { return {"auto", Law::Coulomb, true, true, "the default: warm or cold, the method that certifies soonest, each answer judged by the certificate"}; }

}  // namespace

struct Portfolio::Impl {
  std::unique_ptr<Solver> named;  // null: auto
  std::string name;
  VelocitySystem system;
  LocalFactor factor;
  std::unique_ptr<VelocityMethod> newton{makeNewtonMethod()}, prox{makeProxMethod()}, proxac{makeProxAcMethod()}, ipm{makeIpmMethod()};
  std::unique_ptr<Solver> nsgs{makeNsgs()};
  Iterate trial;
  PortfolioReport report;

  bool prepare(const ContactProblem& problem) { return system.bind(problem); }
  bool prepare(const LocalContactProblem& problem) {
    factor.build(problem, false);
    return system.bind(factor.global(), factor.velocityColumns());
  }

  void run(const ContactProblem& problem, VelocityMethod& method, const SolveOptions& options) {
    fitIterate(problem, trial, options.warm);
    count(method.run(system, trial, options));
  }
  // What the factor of W misses goes into w until it no longer matters.
  void run(const LocalContactProblem& problem, VelocityMethod& method, const SolveOptions& options) {
    constexpr int corrections = 8;
    SolveOptions inner = options;
    if (options.warm) factor.correct(problem, trial.r);
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < corrections; ++k) {
      fitIterate(factor.global(), trial, inner.warm);
      count(k == 0 ? method.run(system, trial, inner) : newton->run(system, trial, inner));
      const double change = factor.correct(problem, trial.r) / system.scale();
      if (change <= options.polish || !(change < 0.5 * last)) break;
      last = change;
      inner.warm = true;
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
    const Certificate certificate = certify(problem, trial);
    if (certificate.relative < report.certificate.relative) {
      report.certificate = certificate;
      report.rung = rung;
      std::swap(best, trial);
    }
    return report.certificate.passes(options.tolerance);
  }

  /// One rung: a method, then Newton from its answer while that helps. Returns whether the best answer passes.
  template <class Problem>
  bool rung(const Problem& problem, Iterate& best, const char* name_, VelocityMethod& method, const SolveOptions& options) {
    if (options.warm) trial = best;
    run(problem, method, options);
    const bool passes = judge(problem, best, name_, options);
    return &method == newton.get() ? passes : finish(problem, best, name_, options);
  }

  template <class Problem>
  bool finish(const Problem& problem, Iterate& best, const char* name_, const SolveOptions& options) {
    if (report.certificate.relative <= options.polish) return true;
    SolveOptions polish = options;
    polish.warm = true;
    polish.maxIterations = finishSteps;
    trial = best;
    run(problem, *newton, polish);
    return judge(problem, best, name_, options);
  }

  int burst(int contacts) const {
    const double sweeps = burstFactorisations * system.factorWork() / (sweepWork * std::max(contacts, 1));
    return static_cast<int>(std::clamp(sweeps, static_cast<double>(leastSweeps), static_cast<double>(mostSweeps)));
  }

  template <class Problem>
  bool sweep(const Problem& problem, Iterate& best, int sweeps, const SolveOptions& options) {
    SolveOptions burst = options;
    burst.maxIterations = sweeps;
    trial = best;
    burst.warm = report.certificate.relative < 1.0;
    if (!burst.warm) trial = {};
    count(nsgs->solve(problem, trial, burst));
    judge(problem, best, "nsgs", options);
    return finish(problem, best, "nsgs", options);
  }

  template <class Problem>
  void climb(const Problem& problem, Iterate& best, const SolveOptions& options);
};

template <class Problem>
void Portfolio::Impl::climb(const Problem& problem, Iterate& best, const SolveOptions& options) {
  SolveOptions cold = options, warm = options;
  cold.warm = false;
  warm.maxIterations = warmSteps;
  warm.patience = warmPatience;
  if (!prepare(problem)) {
    report.status = SolveStatus::NumericalFailure;
    return;
  }
  if (options.warm && rung(problem, best, "warm", *newton, warm)) return;
  if (sweep(problem, best, burst(problem.contacts()), options)) return;
  if (rung(problem, best, "ipm", *ipm, cold)) return;
  warm.warm = true;
  warm.maxIterations = warm.patience = 0;
  if (rung(problem, best, "proxac", *proxac, warm)) return;
  if (rung(problem, best, "proxac", *proxac, cold)) return;
  if (rung(problem, best, "prox", *prox, cold)) return;
  sweep(problem, best, longSweeps, options);
}

Portfolio::Portfolio(const std::string& solver) : impl_{std::make_unique<Impl>()} {
  impl_->name = solver;
  if (solver != "auto") impl_->named = makeSolver(solver);
}
Portfolio::~Portfolio() = default;
Portfolio::Portfolio(Portfolio&&) noexcept = default;

namespace {

template <class Implementation, class Problem>
PortfolioReport solveWith(Implementation& impl, const Problem& problem, Iterate& iterate, const SolveOptions& options) {
  impl.report = {};
  impl.report.certificate.relative = std::numeric_limits<double>::infinity();
  if (impl.named) {
    impl.trial = iterate;
    impl.count(impl.named->solve(problem, impl.trial, options));
    impl.judge(problem, iterate, impl.named->info().name.c_str(), options);
  } else {
    impl.climb(problem, iterate, options);
  }
  impl.report.certified = impl.report.certificate.passes(options.tolerance);
  if (impl.report.certified) impl.report.status = SolveStatus::Converged;
  return impl.report;
}

}  // namespace

PortfolioReport Portfolio::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) { return solveWith(*impl_, problem, iterate, options); }
PortfolioReport Portfolio::solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) { return solveWith(*impl_, problem, iterate, options); }

std::vector<SolverInfo> portfolioInfos() {
  std::vector<SolverInfo> infos{autoInfo()};
  for (SolverInfo& info : solverInfos()) infos.push_back(std::move(info));
  return infos;
}

}  // namespace stiction
