// The island's problem solved and certified, or shown to have no solution.
#pragma once
#include <functional>
#include <string_view>

#include "integrate/IslandProblem.hpp"
#include "integrate/IslandRows.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction {

class IslandSolver {
 public:
  IslandSolver(Island& island, IslandProblem& problem, IslandRows& rows);
  /// Threads that share the work, idle; null: none.
  void setTeam(ThreadPool* team);

  /// Ready to judge answers to the problem.
  void prepare() { certifier_.prepare(problem_->assembly.problem); }
  const Certifier& certifier() const { return certifier_; }
  Certificate judge(const Iterate& iterate) { return certifier_.judge(problem_->assembly.problem, iterate); }

  /// Sets the iterate to what the contacts and rows carried in the last step, for one of h [s]. Returns whether there was any.
  bool warmStart(double h);
  /// `aimed`: the problem is the last one, but for what its rows aim at. `first`: rows aim at what they are expected to curve, which contacts may leave no room for; the answer shows what to aim
  /// at, and need not pass unless it is the last resort.
  struct Trial {
    bool aimed, first;
  };
  /// Solves and certifies a (sub)step of h [s] from there. `last`: no smaller step is left to resort to. `beforeSearch`, `rest`: as in SolveOptions.
  bool solve(double h, Trial trial, bool last, const std::function<void()>* beforeSearch, const std::function<bool()>* rest);
  /// The same of an impact, from the iterate as it is.
  bool solveImpact();
  /// A few more steps of `candidate` towards a relative certificate, where the method is `auto`. Returns whether they were taken.
  bool sharpen(Iterate& candidate, double relative);
  /// Looks for impulses that hold bodies which stand. `candidate`: on entry the answer at hand. Returns whether it has them then.
  bool findRest(Iterate& candidate);
  /// Looks for an answer in which most bodies stand and others move. Likewise; `before` [m/s]: the velocities so far.
  bool findRestInPart(const VectorX& before, Iterate& candidate);

  /// The answer stands: it counts in the island's report.
  void accept();
  /// Likewise one that is not certified. Returns whether the step goes on with it.
  bool acceptUncertified();
  /// Whether the step may go on with such an answer.
  bool mayGoOn() const { return island_->setup->options->keepGoing && !island_->isCalledOff(); }
  /// Another answer takes the place of the last one; `rung` gave it.
  void replace(const Certificate& certificate) { certificate_ = certificate; }
  void replace(const Certificate& certificate, const char* rung) {
    certificate_ = certificate;
    rung_ = rung;
  }
  /// Of the method, until it had the last answer.
  int iterations() const { return iterations_; }
  /// Whether the last answer may stand.
  bool passes() const { return certificate_.passes(island_->setup->options->tolerance); }
  /// Of the last answer.
  const Certificate& certificate() const { return certificate_; }
  /// Whether the k-th contact carries something in it: interior points leave an impulse of the certificate's size where contacts are open.
  bool isLoaded(std::size_t k) const { return certifier_.omega()[static_cast<Eigen::Index>(k)] * problem_->impulseOf(k)[0] > certificate_.metersPerSecond; }
  /// Whether that is near the warm start.
  bool followsFromStart() const { return std::string_view{rung_} == kWarmRung; }

  /// Whether an impact that loses so much [J] creates energy, beyond what the certificate leaves open.
  bool createsEnergy(double loss) const;
  /// Whether every method was tried on the last problem, or it is proved that no motion satisfies its contacts.
  bool isBeyondAll();
  /// Looks for a proof that the moving surfaces leave the bodies no way out, not in a step halved `halvings` times either; the report then says where. Returns whether there is one.
  bool findSqueeze(int halvings);

 private:
  SolveOptions usual() const;
  bool solve(const SolveOptions& options);
  bool admitsNoMotion(const ContactProblem& problem, InfeasibilityProof& proof);
  void take(const PortfolioReport& report);
  void count(const PortfolioReport& report);
  void keepHardest();

  Island* island_;
  IslandProblem* problem_;
  IslandRows* rows_;
  Certifier certifier_;
  Portfolio portfolio_;
  bool triesAll_;                     // the portfolio is `auto`, or a method that leans on it
  Certificate certificate_;           // of the iterate
  std::vector<ContactState> states_;  // of the warm start
  const char* rung_{"none"};          // that gave it,
  int iterations_{0};                 // in so many
};

}  // namespace stiction
