// Position projection after a (sub)step: overlaps out, loaded contacts closed, anchors of sticking contacts back in place, velocities untouched.
//
//   min ½‖δ‖²_M + h Σ r_n,i gap_i(δ)   subject to   gap_i + n_iᵀ H_i δ >= 0 ,   C + J δ = 0 of constraints (>= 0),
//                                                  t·(H δ) + anchor·t = 0 for sticking contacts (least squares where redundant)
//
// A contact that carried r_n > 0 was to end closed; surfaces that curve part by O(h² u²) all the same, and such gaps, as approach speeds of the next step, would keep a heap
// creeping for ever. So the step's own impulses press it shut: where the pressed contacts cannot all close, the more heavily loaded ones do, and the others are let go.
// Solved as a ContactProblem in unit time: f = −h H r_n, μ = 0, w_n = gap, rows G = tangents with b = anchor·t and a small compliance C that spreads redundant rows.
// Anchor: the displacement of B against A in the tangent plane since the contact began to stick, rolling taken out,
//   d += [Δx_B + θ_B × r_B] − [Δx_A + θ_A × r_A] ,   r: mean of the levers before and after, θ: rotation vector of the step
// so that pivoting about a fixed point and rolling both give d = 0 to third order in θ; contacts that turn farther in a step than kTurn (IslandStepper.cpp) have no anchor. Deep
// overlaps come out at a bounded speed.
// Near poses in which closed chains have no way to where they ask (an arm stretched out whose hand is held) answers go to infinity: the rows get compliance then, 1e-6, 1e-4 … of their inverse mass,
// until no body turns by more than twice what a pass goes (Levenberg 1944, Marquardt 1963).
// What the projection does to potential energy and, by turning the inertias, to kinetic energy is booked as stabilisation.
//
// Only what moved can have gone wrong: first the bodies at faulty contacts move and all others stand; where that does not mend the gaps, all of the island's do. What the
// projection cannot mend (anchors and gaps that contradict each other) it leaves alone until a body moves. An island at rest is left as it is unless it is far out of place: in a
// heap each move of 1e-9 m changes the balance of some sphere by 1e-8 of its weight, and it would roll for ever.
#pragma once
#include <vector>

#include "integrate/Faults.hpp"
#include "integrate/IslandProblem.hpp"
#include "integrate/IslandRows.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction {

class Projection {
 public:
  Projection(Island& island, IslandRows& rows);
  /// Threads that share the work, idle; null: none.
  void setTeam(ThreadPool* team);

  /// Takes the anchors along with the island's motion over h [s].
  void followAnchors(double h);
  /// Whether bodies at rest are so far out of place that they must be moved, and so stirred.
  bool strays(double h);
  /// Mends what the (sub)step of h [s] has put out of place. Returns whether anything was.
  bool project(double h);

 private:
  bool moved(int body, double h) const;
  double strayed() const;
  double gapFault(const Contact& contact, double h) const;
  double fault(const Contact& contact, double h) const;
  double asked(const Contact& contact, double h) const;
  double load(const Contact& contact, double h) const;
  bool hasParted(const Contact& contact, double h) const;
  bool yields(const Contact& contact) const;
  Faults chooseRegion(double h, bool mended);
  void chooseContacts(double reach);
  void keepBallsFromTurning();
  enum class Asked : std::uint8_t { All, AllSoftly, Constraints };
  /// `mended`: after a pass, what yields has had its share.
  void assemble(double h, Asked asked, bool mended);
  double polish(double scale) const;
  bool solve();
  bool solveGiving(bool overlaps);
  bool giveWay(double h, bool mended);
  double share() const;
  double longestWay() const;
  void moveBodies();
  void closeConstraints(double h);
  void rememberMended(double h, bool stuck);

  Island* island_;
  IslandProblem problem_;  // of a pass
  IslandRows* rows_;
  Portfolio portfolio_;
  Certifier certifier_;
  std::vector<int> region_;      // bodies that may move, ascending
  std::vector<int> turning_;     // bodies that anchors or constraints may turn
  std::vector<double> targets_;  // [m] b of each equality row
  double parted_{0};             // [-] of the pair's size: farthest gap that the pass closes
  double anchorStays_{0};        // [-] likewise: farthest that an anchor may be out of place
  Iterate last_;                 // scratch
  bool hasLoops_{false};         // the pass has chains that constraints close
  double bend_{0}, finest_{0};   // [m] what surfaces curve over the way that the pass goes, at most; least size of a pair that it sees to
};

}  // namespace stiction
