// Impacts within an ordinary (sub)step, where more pairs meet than it can be split for: contacts with restitution that close in it at the speeds before it leave each other in it.
//
//   u = Hᵀ v⁺ + w ,   w_n = e u_n⁻ (Newton) or w = e u⁻ (Moreau)        no gap/h
//
// First order in h, as all that closes in such a step. Bodies that bounce once and are else free go at the velocity before until then (IslandStepper::findTravel). What meets only after others have
// bounced ends closed; where it parted before, at u_n⁻ > 0, that gives it energy, ½ r_n u_n⁻. Where this is much the (sub)step is halved, which has impacts follow one another. Where energy is created
// all the same the law is Moreau's, then e = 0. Source: Moreau 1988.
#pragma once
#include <vector>

#include "diagnostics/Account.hpp"
#include "integrate/IslandProblem.hpp"
#include "integrate/IslandSolver.hpp"

namespace stiction {

class Bounces {
 public:
  Bounces(Island& island, IslandProblem& problem, IslandSolver& solver);

  /// Before a (sub)step.
  void clear() { times_.clear(); }
  /// After clear: adds restitution to the problem of a (sub)step of h [s], where the island has its contacts bounce.
  void enter(double h);
  /// Whether the k-th contact of the problem does,
  bool has(std::size_t k) const { return timeOf(k) >= 0; }
  /// and when [s], negative if not.
  double timeOf(std::size_t k) const { return times_.empty() ? -1 : times_[k]; }
  /// Looks at what they do to the energy in the answer.
  void judge();
  /// Whether they hit what parted before, and give it energy by that: they should follow one another in smaller steps.
  bool followOneAnother() const;
  bool createEnergy() const { return createEnergy_; }
  /// The next law that loses more is the island's. False when there is none, or nothing bounces.
  bool weaken();
  /// They count in the island's report, and what they lose, friction included, counts as lost to impacts. After judge, of the same answer.
  void account();

 private:
  Island* island_;
  IslandProblem* problem_;
  IslandSolver* solver_;
  std::vector<double> times_;  // of the problem's contacts; empty: none bounces
  bool createEnergy_{false};
  double gain_{0}, taken_{0};  // [J] ½ Σ r_n |u_n⁻| of contacts that parted, and that closed
  AccountScratch scratch_;
};

}  // namespace stiction
