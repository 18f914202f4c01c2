// Joints and constraints that users hold the island by, beside its contacts: rows of the step, of impacts and of the projection; and the forces along joints.
//
//   J v⁺ + ∂C/∂t + (h/2) γ + e = 0      bilateral
//   0 <= λ ⊥ C/h + J v⁺ + ∂C/∂t + (h/2) γ + e >= 0      unilateral: C enters where it is open, what is violated already is the projection's business
//
// e starts at 0; where the step ends off C(q⁺, t + h) = C(q, t) the (sub)step is solved again with e += that, over h, and what contacts miss (ContactEnds), by Anderson's mixing of the trials. With
// x⁺ = x + h v⁺ this is SHAKE (Ryckaert, Ciccotti and Berendsen 1977): impulses along J(q) that put the end of the step on the constraint, so that energy does not drift.
// Impacts leave the rates of bilateral rows as they are. Work: −λ·∂C/∂t is that of whatever moves the constraint, −½ λ·(u⁺ + u⁻) of its rates u is the scheme's, first order in h.
#pragma once
#include <limits>
#include <vector>

#include "assembly/ConstraintRows.hpp"
#include "assembly/JointForces.hpp"
#include "diagnostics/Account.hpp"
#include "integrate/ContactEnds.hpp"
#include "integrate/Faults.hpp"
#include "integrate/IslandProblem.hpp"
#include "linalg/AndersonMixing.hpp"

namespace stiction {

class IslandRows {
 public:
  IslandRows(Island& island, IslandProblem& problem);

  /// The island's constraints, with their forces of the last step.
  void begin(const WorldState& start);
  /// Writes the forces of this step to `next`.
  void write(WorldState& next) const;
  bool empty() const { return rows_.empty(); }
  /// Whether time or kinematic bodies move one of them.
  bool move() const;

  /// Joint forces of a (sub)step of h [s] that are known beforehand enter vFree.
  void push(double h);
  /// The rows where the island is now that it may meet within h [s]; of an impact, h = 0, all. False when a constraint is at fault.
  bool evaluate(double h);
  /// How many unilateral rows there are; that are closed, as impacts see them; that may close within `reach` [m] for the assembly's bodies.
  int oneSided() const;
  int closed() const;
  int within(const ContactAssembly& assembly, double reach) const;
  /// Adds the rows to the problem of a (sub)step of h [s], which has room for them.
  void enter(double h);
  /// What the rows of the problem, as entered, aim at in this trial.
  void aim(double h);
  /// Adds the rows to the problem of an impact.
  void enterImpact();
  struct Ways {
    double longest{0};      // [m] that a row has to go
    bool haveLoops{false};  // equality rows beside those of joints, which close chains
  };
  /// Adds the rows of the region's bodies to the projection, what equality rows miss to `targets` [m].
  Ways enterProjection(ContactAssembly& assembly, double h, double reach, std::vector<double>& targets) const;
  /// Multipliers of the last step. Returns whether there are any.
  bool warmStart(double h);

  /// The next (sub)step is a first trial.
  void beginTrials();
  enum class Ending : std::uint8_t { Accepted, Missed, Repeated, Lost };
  /// How a trial went.
  struct Trial {
    double h;              // [s] of the (sub)step
    int round;             // trials before
    bool last;             // no smaller step is left
    bool mayStand;         // the answer is not a rough one
    double scale;          // [m/s] of its certificate
    const VectorX* rates;  // [m/s] of the contacts
  };
  /// Whether the (sub)step ends on its constraints, or is worth another trial: of other rows, or, Missed, of the same with another aim, as long as trials come nearer. Then the best
  /// of them stands, if it is near enough for the projection to mend the rest: contacts may leave no room for more.
  Ending end(const Trial& trial);
  /// Whether the answer has dry friction or actuators where they were not taken to be: then the (sub)step is worth another trial.
  bool forcesSwitch(double h);
  /// Where a trial has no answer: after the first one, to rows that do not aim at what they are expected to curve, for which contacts that jam may leave no room; after another, back to the best
  /// so far, for good; where that is not fair, or has no answer now, for good to rows that leave curves to the projection, as contacts do. False when there is nothing left to go back to.
  bool retreat();

  /// Work of the rows and of joint forces, in the island's ledger.
  void account(AccountScratch& scratch);
  /// What springs hold after the bodies have moved, and after the projection has.
  void accountMotion();
  void accountMending();
  /// What contacts and unilateral rows aim at only straightens their curves: the work of that is the scheme's.
  void accountBends(double h);
  /// What the k-th contact of the problem aims at in this trial [m/s].
  Vector3 aimOf(std::size_t k) const { return rows_.empty() ? Vector3{Vector3::Zero()} : ends_.aimOf(k); }
  /// A trial that looked after contacts, too, took long.
  void findEndsDear() { ends_.findDear(); }
  /// Whether the projection had to mend anything after trials that looked after contacts.
  void rememberEnds(bool mended) {
    if (!rows_.empty()) ends_.remember(mended);
  }
  /// Sums the impulses; h > 0: and keeps the forces for the next warm start, unless they are those of the last step.
  void remember(double h, bool same);

  /// Evaluates the rows where the island is now, and adds to `region` the bodies of those that are off. Returns what is wrong with them. Where none is off they stay as they are after a
  /// pass (`mended`), and after a trial that has ended on them, unless others in `region` ask for one.
  Faults choose(double h, std::vector<int>& region, bool mended = false);
  /// Adds to `bodies`, ascending, those that constraints hold to them, and so on: alone they could not move.
  void addHeld(std::vector<int>& bodies);
  /// [m] by which the island's poses are off their constraints at most.
  double error();
  const std::vector<ConstraintRows::Row>& rows() const { return rows_.rows(); }
  std::span<const BodyRate> ratesOf(const ConstraintRows::Row& row) const { return rows_.ratesOf(row); }

 private:
  bool refuse();
  bool slips(double scale);
  bool moves(int body) const;
  bool takesPart(const ConstraintRows::Row& row, const ContactAssembly& assembly, double reach) const;
  void enterNothing();
  std::size_t placeOf(const ConstraintRows::Row& row) const;
  double bendOf(const ConstraintRows::Row& row, double h) const;
  double slowWay(double h) const;
  /// Of the first unilateral row, among the problem's contacts.
  std::size_t firstOneSided() const { return problem_->used.size(); }

  /// Of the rows, in a trial.
  struct Miss {
    double worst{0};               // [m/s]
    bool stays{true}, near{true};  // all by so little that it may stay; that the projection can mend it
    bool fair{true};               // likewise, where another trial finds no answer
  };

  Ending endOf(const Trial& trial);
  Miss findMisses(const Trial& trial);
  Ending again();
  bool findOff();
  bool isOff() const;
  double takeElasticChange();
  double* keptForces();

  Island* island_;
  IslandProblem* problem_;
  ConstraintRows rows_;
  JointForces joints_;
  ContactEnds ends_;
  double elastic_{0};                 // [J] of the joints' springs when last looked at
  double h_{0};                       // [s] of the (sub)step; 0: an impact
  std::vector<std::size_t> start_;    // of each held constraint of the setup, if it is the island's, in report.rowForces
  std::size_t firstForce_{0};         // there, of the joints' forces, which follow them
  std::vector<double> moving_;        // [m/s] of the equality rows
  std::vector<double> targets_;       // [m/s] b of each equality row
  std::vector<int> needed_;           // constraints that trials of the (sub)step have met beyond what could be foreseen
  std::vector<char> joined_;          // bodies of the model
  VectorX off_;                       // [m] C/n of the rows where the island was when it was found,
  bool isOffKnown_{false};            // if it has not moved since
  bool endsOn_{false};                // likewise, and none is off
  VectorX misses_;                    // [m/s] what a trial misses, rows and contacts, over h
  VectorX missedBy_, leastMissedBy_;  // [m/s] what trials of the (sub)step missed by, rows and contacts, over h; of the best one
  AndersonMixing<1> mixing_{4};
  double leastMiss_{std::numeric_limits<double>::infinity()};  // [m/s] of the best one
  double lastSlip_{std::numeric_limits<double>::infinity()};   // [m/s] of what dry friction holds, in the last trial
  bool leastIsNear_{false}, leastIsFair_{false}, lastTrial_{false};
  bool straight_{false}, flat_{false};  // rows do not aim at what they are expected to curve; nor at what trials miss
};

}  // namespace stiction
