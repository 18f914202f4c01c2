// Rest is a fixed point: v = 0 with the impulses r is certified as a candidate, and then the bodies stay bit-identical.
//
//   relative(v = 0, r) <= 1e-10 + 16 ε max_i ω_i‖r_i‖ / s                    the second term is the round-off of the load terms that cancel (high mass ratios)
//   |M⁻¹ (f + H r)|_b  <= 1e-10 s + 16 ε max_{i at b} |M_b⁻¹ H_ib|‖r_i‖      of every body b: no contact sees a common fall or rolling
//   ½ |v₀ᵀ (f + H r)|  <= 2e-13 (½ v₀ᵀ M v₀ + Σ m‖g‖·1 m)                      v₀ the velocity before: what is taken off bodies that were fast is missed by the energy ledger
//
// 1e-10: to that part of a geom's size the projection closes gaps, so the directions of forces are not known better; asked for more, a heap would always find some sphere that
// rocks by less than it is out of place. The round-off is each body's own: what the loads on a light one leave would be a heavy one's fall.
// Contacts see little of how the bodies of a high tower move together, a seven hundredth in one of fifty blocks: an answer within the tolerance of a step may creep there. So answers are sharpened by what
// the bodies still do, and whatever begins to move from rest is asked first whether it may stay.
// Where the last step's impulses do not hold an island that stands, or nearly does, others may (RestSearch), whatever other answers there are. Gaps up to 1e-5 of a pair's size count as shut for
// what stands: scenes are written to so many digits, and not all gaps of a pile can close. Where only some bodies move the others are asked likewise (RestInPart), before a long search.
// Where something still moves in an island, the bodies that the answer leaves at those speeds (of h‖g‖ in place of s, which a fast body raises) are stopped one by one, if the
// certificate agrees: a heap under a rolling ball stays bit-identical too.
#pragma once
#include "integrate/IslandProblem.hpp"
#include "integrate/IslandRows.hpp"
#include "integrate/IslandSolver.hpp"

namespace stiction {

class IslandRest {
 public:
  IslandRest(const Island& island, IslandProblem& problem, const IslandRows& rows, IslandSolver& solver);

  /// Whether a (sub)step of h [s] repeats the rest of the last one; it is the answer then.
  bool staysAtRest(double h);
  /// The same of the last call.
  bool stayedAtRest() const { return stayed_; }
  /// Whether the island, with a certified answer, is at rest from here on; where it is not, stops what is.
  bool comesToRest();
  /// Whether the answer at hand moves the bodies, and does not just go on with the last step's; from rest by however little.
  bool beginsToMove() const;
  /// Whether it sets many of them in motion that stood.
  bool manyBeginToMove() const;
  /// Whether an island that stands, or nearly does, may rest, though the last step's impulses do not hold it; that is the answer then. Looks once in a (sub)step.
  bool mayRest();
  /// The same of most of its bodies, where the others move. Likewise once.
  bool mayRestInPart();

 private:
  bool isDriven() const;
  bool stands() const;
  bool mostStand() const;
  template <class Condition>
  int countBodies(const Condition& holds) const {
    int count = 0;
    for (int body = 0; body < problem_->assembly.problem.M.blocks(); ++body) count += holds(body) ? 1 : 0;
    return count;
  }
  bool certifiesWithGapsShut();
  bool shutSmallGaps();
  void openGaps();
  bool certifiesAtRest();
  double hiddenExcess() const;
  bool sharpen();
  void stopSlowBodies();
  bool keepsEnergy() const;
  void findRoundOff(const Iterate& loads);
  void addRoundOff(const BlockColumns& columns, const VectorX& impulses);

  const Island* island_;
  IslandProblem* problem_;
  const IslandRows* rows_;
  IslandSolver* solver_;
  Iterate candidate_;
  Certificate certificate_;                   // of the candidate
  VectorX gaps_;                              // [m/s]
  VectorX hidden_;                            // [m/s] what the candidate's impulses leave of the free velocity
  double excess_{1};                          // [-] by which the fastest of them is too fast to be left out, where contacts see nothing of it
  VectorX roundOff_;                          // [m/s] of each body: what cancelling loads leave by round-off
  bool looked_{false}, lookedInPart_{false};  // for rest, in this (sub)step
  bool stayed_{false};
};

}  // namespace stiction
