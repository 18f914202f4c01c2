// Bodies that stand, or nearly do: can they go on standing? Coulomb's law does not always decide. A pile whose loads friction could bear may also have motions that satisfy every contact, and
// which of them a method comes to is chance. Here rest wins where it can, and where the loads themselves press together what then holds by friction:
//
//   1. The convex relaxation (ConvexMethod). Its velocity is unique, so where v = 0 satisfies the contacts it is v = 0, and nothing slides: Coulomb's law holds with those impulses.
//      An answer that moves and satisfies the relaxation, as of what falls or rolls freely, ends the search.
//   2. The same without friction, then with friction at what bears load, then also at what bears load by that, and so on, until it rests or no contact is added: what is not pressed together
//      by the loads does not hold by friction. A rod that just touches two walls could hang between them by impulses that nothing but itself asks for; it falls.
#pragma once
#include "portfolio/LazyMethod.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction {

class RestSearch {
 public:
  void setTeam(ThreadPool* team) { system_.setTeam(team); }
  /// As Portfolio::findRest.
  PortfolioReport find(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& certifier);

 private:
  /// Whether the impulses of `iterate` hold v = 0, which is in it then.
  bool holds(const ContactProblem& problem, double tolerance, Iterate& iterate);
  /// Whether v = 0 answers the relaxation with friction `mu`, by the impulses then in `iterate`.
  bool rests(const ContactProblem& problem, const VectorX& mu, double accuracy, Iterate& iterate);
  void sharpen(Iterate& iterate);
  bool press(const ContactProblem& problem, const Iterate& iterate);
  /// False where the masses are not positive definite.
  bool relax(const ContactProblem& problem, const VectorX& mu, double accuracy, Iterate& iterate);
  /// On the system that is bound; counts.
  void run(VelocityMethod& method, const SolveOptions& options, Iterate& iterate);

  LazyMethod convex_{makeConvexMethod}, newton_{makeNewtonMethod};
  VelocitySystem system_;
  ContactProblem relaxed_;
  Iterate almost_;   // the answer at hand, where it holds v = 0 to the tolerance
  VectorX pressed_;  // [-] friction where the loads press
  Certifier relaxation_{Law::Convex};
  PortfolioReport report_;
  const SolveOptions* options_{nullptr};
  Certifier* certifier_{nullptr};  // of the problem
};

}  // namespace stiction
