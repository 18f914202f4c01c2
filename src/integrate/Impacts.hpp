// Impacts at their own time: the island is advanced to the closing time; with restitution the impact is solved there without forces, without it the rest of the step begins with it.
//
//   M (v⁺ − v⁻) = H r ,   u = Hᵀ v⁺ + w strictly Signorini–Coulomb over the touching contacts,   w_n = e u_n⁻ where u_n⁻ < −threshold      (Newton)
//   w = e u⁻ on normal and tangents there                                                                                                (Moreau)
//
// Newton's law can create energy in eccentric impacts with friction (Kane's paradox), and bodies pinched between others may have no room to bounce (no solution):
// then the impact is solved again by Moreau's, then with e = 0, and so it is where `auto` finds no answer; the report counts such impacts. A named method's failure is one.
// The closing time is a root of the true gap of the advanced island (Newton and secants in a bracket). Contacts that wait are left out while open: w_n = gap/h would
// eat their approach speed, along a normal that is not that of the place where they meet. Below the threshold 4 h‖g‖ e = 0. Where more pairs meet than the step can be split for they bounce within it
// (Bounces), to first order in h. Source: Moreau 1988; Glocker 2001.
#pragma once
#include <functional>

#include "diagnostics/Account.hpp"
#include "integrate/IslandProblem.hpp"
#include "integrate/IslandRows.hpp"
#include "integrate/IslandSolver.hpp"

namespace stiction {

class Impacts {
 public:
  Impacts(Island& island, IslandProblem& problem, IslandRows& rows, IslandSolver& solver);

  /// At the start of a step of h [s]. Returns whether the island has contacts that are to meet at their own time.
  bool begin(double h);
  /// What begin has found.
  bool arePossible() const { return possible_; }
  /// Advances the island over the step of h [s], with an ordinary step by `substep` of the times [s] between impacts, each finished by `finish` where it is not taken back. False as soon as one
  /// of them, or an impact, fails.
  bool advance(double h, const std::function<bool(double)>& substep, const std::function<bool()>& finish);

 private:
  bool hasTouching() const;
  double closingTime(double remaining, const std::function<bool(double)>& substep, const std::function<bool()>& finish);
  bool strike();
  bool solve(ImpactLaw law);
  void book(ImpactLaw law, double loss);

  Island* island_;
  IslandProblem* problem_;
  IslandRows* rows_;
  IslandSolver* solver_;
  bool possible_{false};
  double threshold_{0};   // [m/s] approach speed below which e = 0
  Island::Moment start_;  // before the trials of a closing time
  AccountScratch scratch_;
};

}  // namespace stiction
