// `auto`: which method, warm or cold, what to accept, when to try again. The only place where solvers meet the certificate.
#pragma once
#include <memory>
#include <string>

#include "base/ThreadPool.hpp"
#include "certify/Certificate.hpp"
#include "certify/Infeasibility.hpp"
#include "solvers/Solver.hpp"

namespace stiction {

/// The rung of answers that a few Newton steps find from the warm start.
constexpr const char* kWarmRung = "warm";

struct PortfolioReport {
  Certificate certificate;
  SolveStatus status{SolveStatus::Stalled};
  bool certified{false};
  const char* rung{"none"};  // "rest", "warm", "nsgs", "ipm", ... the method that gave the answer
  int iterations{0};         // summed over rungs
  int factorisations{0};
  bool keepsMomentum{false};  // v is what the impulses give, to round-off
};

/// One ladder with its own scratch; not shared between threads.
class Portfolio {
 public:
  /// `solver`: "auto" or the name of one method. Throws InputError for an unknown one. `law`: answers are judged by it, whatever the method's own; "auto" then means the method
  /// of that name.
  explicit Portfolio(const std::string& solver = "auto", Law law = Law::Coulomb);
  ~Portfolio();
  Portfolio(Portfolio&&) noexcept;

  /// Threads that share large factorisations of `auto`, idle during a solve; null: none. Answers do not depend on it.
  void setTeam(ThreadPool* team);

  /// `iterate` holds the warm start when options.warm, and the answer on return; the better certificate of warm and cold is kept.
  PortfolioReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options);
  PortfolioReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options);
  /// The same, judged by a certifier of the portfolio's law that is prepared for the problem.
  PortfolioReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& prepared);

  /// What a hundred sweeps make of the iterate, where there is no time for more; of strict Coulomb also for the convex law, which has no sweeps. Where rows without compliance hold bodies, what a few steps of Newton's
  /// method or of an interior point make of it.
  PortfolioReport approximate(const ContactProblem& problem, Iterate& iterate, Certifier& prepared);

  /// Whether every method is tried before a problem counts as unsolved: `auto`, or a method that leans on it where it may (`fallBack`).
  bool triesAll(bool fallBack) const;

  /// Looks for impulses by which v = 0 is an answer, of bodies that stand or nearly do (RestSearch). `iterate`: on entry an answer that moves, or what came next to one; on return those
  /// impulses where the report says `certified`, else of no use. Only `auto` looks.
  PortfolioReport findRest(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& prepared);
  /// Looks for an answer in which most bodies stand while others move (RestInPart), of contacts alone. `before` [m/s] (dof): the velocities so far; `iterate`: impulses near by; on return the answer
  /// where the report says `certified`, else of no use. Only `auto` looks.
  PortfolioReport findRestInPart(const ContactProblem& problem, const VectorX& before, Iterate& iterate, const SolveOptions& options, Certifier& prepared);

  /// Looks for a proof that no motion satisfies the contacts. An empty one proves nothing.
  InfeasibilityProof findInfeasibility(const ContactProblem& problem);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Names accepted by --solver with their descriptions: "auto" and every method.
std::vector<SolverInfo> portfolioInfos();

}  // namespace stiction
