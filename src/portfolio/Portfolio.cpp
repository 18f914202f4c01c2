#include "portfolio/Portfolio.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/Error.hpp"
#include "portfolio/EliminatedRows.hpp"
#include "portfolio/Ladder.hpp"
#include "portfolio/RestInPart.hpp"
#include "portfolio/RestSearch.hpp"
#include "solvers/Ecos.hpp"

namespace stiction {
namespace {

constexpr int approximateSweeps = 100;
constexpr int kCrudeSteps = 15;    // of an interior point, where an answer need not pass
constexpr double kUseful = 1e-2;   // [-] certificate that does there
constexpr double kGain = 0.5;      // [-] of the certificate: a sharper answer that leaves more ends the series
constexpr int kSharper = 3;        // answers of what rows leave, each asked for by how much the one before did not do for the whole
constexpr double stiffness = 1e8;  // [-] of the contacts that a proof of infeasibility is read from

SolverInfo autoInfo() {
  return {"auto", Law::Coulomb,      true, true, "the default: warm or cold, the method that certifies soonest, each answer judged by the certificate",
          false,  "global at mu = 0"};
}

/// The method of that name, null for `auto`. Throws InputError for an unknown one.
std::unique_ptr<Solver> makeNamed(const std::string& solver, Law law) {
  const bool isAuto = solver == autoInfo().name;
  if (isAuto && law == Law::Coulomb) return nullptr;
  if (solver == "ecos" || solver == "ecos-strict") requireECOS();
  std::unique_ptr<Solver> named = makeSolver(isAuto ? name(law) : solver);
  if (named) return named;
  std::string known;
  for (const SolverInfo& info : portfolioInfos()) known += (known.empty() ? "" : ", ") + std::string{info.name};
  throw InputError{"solver", "'" + solver + "'", known, "choose one of these; `stiction solvers` describes them"};
}

bool isComplete(const ContactProblem& problem, const Iterate& iterate) {
  return iterate.v.size() == problem.dof() && iterate.r.size() == 3 * problem.contacts() && iterate.lambda.size() == problem.rows();
}

}  // namespace

struct Portfolio::Impl {
  Impl(const std::string& solver, Law judging) : named{makeNamed(solver, judging)}, law{judging}, ladder{judging} {}

  PortfolioReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared);
  bool solveWithoutRows(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& certifier, PortfolioReport& report);
  PortfolioReport approximate(const ContactProblem& problem, Iterate& iterate, Certifier& certifier);
  PortfolioReport solveCrudely(const ContactProblem& problem, Iterate& iterate, Certifier& certifier);

  std::unique_ptr<Solver> named;  // null: auto
  Law law;
  Ladder ladder;
  RestSearch restSearch;
  RestInPart restInPart;
  EliminatedRows eliminated;
  Certifier whole, rest;  // of problems with rows to eliminate, and of what is left of them
  Iterate restIterate, trial;
  std::unique_ptr<Solver> sweeps, interiorPoint;  // made when first needed
};

PortfolioReport Portfolio::Impl::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared) {
  PortfolioReport without;
  if (!named && problem.rows() > 0) {
    if (prepared == nullptr) {
      whole.prepare(problem);
      prepared = &whole;
    }
    if (solveWithoutRows(problem, iterate, options, *prepared, without)) return without;
  }
  PortfolioReport report = ladder.solve(PosedProblem{problem}, iterate, options, prepared, named.get());
  report.iterations += without.iterations;
  report.factorisations += without.factorisations;
  return report;
}

/// Where rows hold bodies together in trees: solved in what velocities these leave, and judged with them. False where there are none, or where the answer does not pass and all is to be tried.
bool Portfolio::Impl::solveWithoutRows(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& certifier,
                                       PortfolioReport& report) {
  if (!eliminated.eliminate(problem, certifier.scale())) return false;
  SolveOptions part = options;
  part.rest = nullptr;
  part.beforeSearch = nullptr;
  part.scale = 0;
  if (options.warm)
    eliminated.enter(iterate, restIterate);
  else
    for (VectorX* x : {&restIterate.v, &restIterate.r, &restIterate.lambda}) x->resize(0);
  rest.prepare(eliminated.rest());
  const double share = std::min(1.0, certifier.scale() / rest.scale());  // the whole is judged by its own scale
  part.tolerance *= share;
  part.enough *= share;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kSharper; ++k) {
    part.polish = std::min(part.polish, part.tolerance);
    PortfolioReport found = ladder.solve(PosedProblem{eliminated.rest()}, restIterate, part, &rest, nullptr);
    if (!isComplete(eliminated.rest(), restIterate)) return false;  // no method could begin
    eliminated.leave(restIterate, trial);
    const bool isPartDone = found.certified;
    found.iterations += report.iterations, found.factorisations += report.factorisations;
    found.certificate = certifier.judge(problem, trial);
    found.certified = found.certificate.passes(options.tolerance);
    report = found;
    const bool isHopeless = !isPartDone || !(report.certificate.relative < kGain * std::exchange(last, report.certificate.relative));
    if (report.certified || isHopeless) break;
    part.tolerance *= 0.5 * options.tolerance / report.certificate.relative;
    part.warm = part.sameMatrices = true;
    part.states = nullptr;
  }
  if (!report.certified && options.effort == Effort::Thorough) return false;
  report.keepsMomentum = true;
  std::swap(iterate, trial);
  return true;
}

/// By sweeps; but through chains of joints these carry no load, and what they leave there grows from step to step.
PortfolioReport Portfolio::Impl::approximate(const ContactProblem& problem, Iterate& iterate, Certifier& certifier) {
  const bool hasRigidRows = problem.rows() > 0 && (problem.C.size() == 0 || (problem.C.array() == 0).any());
  if (law != Law::Coulomb || !hasRigidRows) {
    if (!sweeps) sweeps = makeSolver(law == Law::Box ? "pgs" : "nsgs");
    SolveOptions options;
    options.warm = true;
    options.maxIterations = options.patience = approximateSweeps;
    return ladder.solve(PosedProblem{problem}, iterate, options, &certifier, sweeps.get());
  }
  if (!eliminated.eliminate(problem, certifier.scale())) return solveCrudely(problem, iterate, certifier);
  eliminated.enter(iterate, restIterate);
  rest.prepare(eliminated.rest());
  PortfolioReport report = solveCrudely(eliminated.rest(), restIterate, rest);
  if (!isComplete(eliminated.rest(), restIterate)) return report;
  eliminated.leave(restIterate, iterate);
  report.certificate = certifier.judge(problem, iterate);
  report.keepsMomentum = true;
  return report;
}

/// By a few steps of Newton's method, or of an interior point where those start too far away.
PortfolioReport Portfolio::Impl::solveCrudely(const ContactProblem& problem, Iterate& iterate, Certifier& certifier) {
  SolveOptions options;
  options.effort = Effort::Near;
  options.warm = true;
  const PortfolioReport near = ladder.solve(PosedProblem{problem}, iterate, options, &certifier, nullptr);
  if (near.certificate.relative <= kUseful) return near;
  if (!interiorPoint) interiorPoint = makeSolver("ipm");
  options.effort = Effort::Usual;
  options.warm = false;
  options.maxIterations = kCrudeSteps;
  Iterate other;
  const PortfolioReport crude = ladder.solve(PosedProblem{problem}, other, options, &certifier, interiorPoint.get());
  if (!(crude.certificate.relative < near.certificate.relative)) return near;
  std::swap(iterate, other);
  return crude;
}

Portfolio::Portfolio(const std::string& solver, Law law) : impl_{std::make_unique<Impl>(solver, law)} {}
Portfolio::~Portfolio() = default;
Portfolio::Portfolio(Portfolio&&) noexcept = default;

void Portfolio::setTeam(ThreadPool* team) {
  impl_->ladder.setTeam(team);
  impl_->restSearch.setTeam(team);
  impl_->restInPart.setTeam(team);
  if (impl_->named) impl_->named->setTeam(team);
}

PortfolioReport Portfolio::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return impl_->solve(problem, iterate, options, nullptr);
}
PortfolioReport Portfolio::solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& prepared) {
  return impl_->solve(problem, iterate, options, &prepared);
}
PortfolioReport Portfolio::solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) {
  return impl_->ladder.solve(PosedProblem{problem}, iterate, options, nullptr, impl_->named.get());
}

PortfolioReport Portfolio::approximate(const ContactProblem& problem, Iterate& iterate, Certifier& prepared) {
  return impl_->approximate(problem, iterate, prepared);
}

bool Portfolio::triesAll(bool fallBack) const { return !impl_->named || (fallBack && impl_->named->info().leansOnAuto); }

PortfolioReport Portfolio::findRest(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& prepared) {
  return impl_->named ? PortfolioReport{} : impl_->restSearch.find(problem, iterate, options, prepared);
}

PortfolioReport Portfolio::findRestInPart(const ContactProblem& problem, const VectorX& before, Iterate& iterate, const SolveOptions& options,
                                          Certifier& prepared) {
  if (impl_->named) return {};
  return impl_->restInPart.find(problem, before, iterate, options, prepared, [this](const PosedProblem& part, Iterate& answer, const SolveOptions& how) {
    return impl_->ladder.inner().solve(part, answer, how, nullptr, nullptr);
  });
}

// Stiff contacts without friction between bodies that start at rest: where not all of them can be kept from closing, their forces grow until their own stiffness bears what
// closes, and inertia, that much softer, bears next to nothing.
InfeasibilityProof Portfolio::findInfeasibility(const ContactProblem& problem) {
  Certifier certifier;
  certifier.prepare(problem);
  ContactProblem stiff = problem;
  stiff.mu.setZero();
  stiff.f.setZero();
  stiff.wScale = stiff.w;
  stiff.scaleFloor = 0;
  for (int i = 0; i < problem.contacts(); ++i) soften(stiff, i, certifier.omega()[i] / stiffness);
  Iterate impulses;
  SolveOptions options;
  options.effort = Effort::Usual;
  impl_->ladder.inner().solve(PosedProblem{stiff}, impulses, options, nullptr, nullptr);
  return proveInfeasible(problem, impulses);
}

std::vector<SolverInfo> portfolioInfos() {
  std::vector<SolverInfo> infos{autoInfo()};
  for (SolverInfo& info : solverInfos()) infos.push_back(std::move(info));
  return infos;
}

}  // namespace stiction
