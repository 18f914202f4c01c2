// One island advanced over the step: predict, assemble, warmStart, solve, certify, scatter, integrate, project; smaller steps where the certificate refuses,
// exact impact times where contacts bounce. Everything an island writes is its own, so islands run on any thread in any order.
#pragma once
#include <memory>
#include <mutex>

#include "assembly/ConstraintRows.hpp"
#include "assembly/ContactAssembly.hpp"
#include "assembly/ContactHistory.hpp"
#include "collision/Detect.hpp"
#include "diagnostics/Account.hpp"
#include "integrate/Halves.hpp"
#include "integrate/Partition.hpp"
#include "integrate/Repetition.hpp"
#include "integrate/Simulation.hpp"

namespace stiction {

class StepperPool;

/// What all islands share during a step; read only.
struct StepSetup {
  const Model* model{nullptr};
  const SimulationOptions* options{nullptr};
  const CollisionDetector* detector{nullptr};
  std::vector<BodyInertia> inertias;
  Loads loads;
  std::vector<double> geomSize;  // [m] bounding radius
  std::vector<double> bodySize;  // [m] largest distance of a geom's far side from the centre of mass
  std::vector<char> isBall;      // body: all its geoms are spheres about the centre of mass, so that no normal force turns it
  std::vector<HeldConstraint> held;
  double hardest{-1};                                        // [-] the worst certificate so far, for keepHardest
  double deadline{std::numeric_limits<double>::infinity()};  // [s] of wallSeconds, when the step is given up
  ThreadPool* pool{nullptr};                                 // for what may be computed ahead
  StepperPool* steppers{nullptr};
  bool looksFirst{false};  // islands are not halved yet: what they come to may show that contacts are missing
};

/// What happened to one island; restored as a whole when a trial step is taken back.
struct IslandReport {
  StepStatus status{StepStatus::Certified};
  Certificate certificate;
  FeatureKey worstContact{-1, -1, 0};
  double squeeze{0};               // [m/s] at which contacts close in every motion, 0 unless proved
  FeatureKey squeezed{-1, -1, 0};  // one of them
  EnergyLedger ledger;
  std::vector<ContactMemory> memory;    // sorted by key
  std::vector<SolvedContact> contacts;  // sorted by key
  std::vector<double> rowForces;        // [N] of the rows of its constraints, one after the other; 0 for inactive ones
  std::vector<double> rowImpulses;      // the same rows' multipliers in their authors' unit times seconds, summed over the substeps
  int faulty{-1};                       // a constraint that is no constraint at some state
  bool offConstraints{false};           // no step was short enough to end on them
  bool outOfTime{false};                // not certified within the time a step may take
  bool impactRefused{false};            // what was not certified is an impact: no shorter step would change it
  std::vector<std::pair<const char*, int>> rungs;
  double penetration{0};      // [m]
  double constraintError{0};  // [m]
  int substeps{0}, impacts{0}, byMoreau{0}, inelastic{0};
  bool splitsExhausted{false};
  int iterations{0}, factorisations{0};

  void clear();
};

struct HardProblem {
  ContactProblem problem;
  Iterate iterate;
  double relative{-1};
};

struct IslandResult {
  IslandReport report;
  PhaseTimes times;
  Repetition repetition;
  bool repeated{false};
  bool lost{false};                      // not certified in one step: left at the best answer by who looks first, to be halved at once by the next trial
  std::unique_ptr<Halves> halves;        // of one that is lost, computed ahead
  std::unique_ptr<HardProblem> hardest;  // when this island beats the worst certificate so far
};

/// Adds one island solved by `rung`.
void countRung(std::vector<std::pair<const char*, int>>& rungs, const char* rung, int islands);

/// Advances islands one after another; holds the scratch. Several of them work side by side.
class IslandStepper {
 public:
  explicit IslandStepper(const StepSetup& setup);

  /// Reads the island's bodies and the kinematic bodies it touches from `start`, its contact memory from `memory`; writes its bodies to `next` and the rest to `result`.
  /// Threads of `team`, which must be idle, share the work.
  void advance(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h, ThreadPool* team,
               WorldState& next, IslandResult& result);

  /// Goes on with the island where another stepper is in its step, into another result, which counts from there; gives up when called off.
  void copy(const IslandStepper& other, IslandResult& result, const std::atomic<bool>* calledOff);
  /// The (sub)step of h in two halves: `ahead`, when given, or its own.
  bool halve(double h, int depth, std::unique_ptr<Halves> ahead);
  /// Takes the island where another stepper, a copy of this one, has brought it.
  void adopt(const IslandStepper& other, IslandResult& result);

 private:
  // Island.cpp
  void share(ThreadPool* team);
  void begin(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h);
  bool substep(double h, int depth, int round = 0);
  std::unique_ptr<Halves> halvesAhead(double h, int depth, int round) const;
  void leave(double h);
  bool findMissed();
  void mergeMissed();
  void detect();
  void predict(double h);
  bool assemble(double h);
  double fastestSpeed() const;
  bool warmStart(double h);
  bool solve(double h, bool last, const std::function<void()>* beforeSearch);
  bool solveBy(const SolveOptions& options);
  bool admitsNoMotion(const ContactProblem& problem, InfeasibilityProof& proof);
  bool findSqueeze(int halvings);
  bool acceptUncertified();
  Twist twistOf(int block, const VectorX& v) const;
  void account(double h);
  void integrate(double h);
  bool turnsFar(const Contact& contact, double h) const;
  void remember(double h, bool rests);
  bool isFinite() const;
  struct Saved;
  void save(Saved& saved) const;
  void restore(const Saved& saved);
  void takeBack(const Saved& saved);
  void count(const PortfolioReport& report);
  void spend(const PortfolioReport& report, const Certificate& certificate);
  void accept(const char* rung, const Certificate& certificate);
  void record(const Contact& contact, const Vector3& impulse, const Vector3& slip, int state);
  double pairSize(const FeatureKey& key) const;
  ContactMemory* memoryOf(const FeatureKey& key) const { return findMemory(result_->report.memory, key, cursor_); }
  bool touching(const Contact& contact) const;
  double freeFall(double h) const;
  double deepest() const;

  struct Faults {
    double way{0};        // [m] that the worst of them has to go in one pass, 0 when nothing asks
    double overlap{0};    // [-] of the size of the bodies: the deepest overlap, or the largest error of a constraint
    bool hasGaps{false};  // contacts overlap or have parted, where anchors alone may be out of place
  };

  // Rows.cpp
  void beginRows(const WorldState& start);
  bool enterRows(double h);
  bool rowsMove() const;
  bool warmStartRows(double h);
  void beginTrials();
  enum class Ending : std::uint8_t { Accepted, Repeated, Lost };
  Ending rowsEnd(double h, int round, bool last);
  bool retreat();
  double bendOf(const ConstraintRows::Row& row, double h) const;
  void accountRows();
  void accountBends(double h);
  void rememberRows(double h, bool rests);
  bool enterImpactRows();
  Faults chooseRows(double h);
  double enterProjectionRows(double h, double reach);
  double constraintError();
  bool refuseRows();
  std::size_t rowPlace(const ConstraintRows::Row& row) const;

  // Rest.cpp
  bool restsAsBefore(double h);
  bool comesToRest();
  bool sharpen();
  void stopSlowBodies();
  bool certifiesAtRest(Certificate& certificate);
  bool keepsEnergy() const;
  void findRoundOff(const Iterate& loads);
  void addRoundOff(const BlockColumns& columns, const VectorX& impulses);
  double speedOf(int block, const VectorX& v) const;
  double fastest(const VectorX& v) const;
  bool surfacesMove() const;

  // Projection.cpp
  void project(double h);
  void followAnchors(double h);
  double stays() const;
  double gapFault(const Contact& contact, double h) const;
  double fault(const Contact& contact, double h) const;
  static double farthest(double size, double h);
  double asked(const Contact& contact, double h) const;
  bool strays(double h);
  bool moved(int body, double h) const;
  void clearMotion();
  Faults chooseRegion(double h);
  double load(const Contact& contact, double h) const;
  bool hasParted(const Contact& contact, double h) const;
  void keepBallsFromTurning();
  void assembleProjection(double h);
  double polishOfPass(double scale) const;
  double applyProjection();
  struct Motion {
    Vector3 shift{Vector3::Zero()};  // [m]
    Vector3 turn{Vector3::Zero()};   // [rad]
  };
  Motion motionOf(int body, double h) const;

  // Impact.cpp
  bool bounces() const;
  bool advanceThroughImpacts(double h);
  bool hasTouchingImpact() const;
  void markClosing();
  double closingTime(double remaining);
  bool leftOut(const FeatureKey& key) const;
  struct Approach {
    double gap;   // [-] of the pair's size
    double rate;  // [1/s]
  };
  Approach closingApproach() const;
  bool impact();
  bool solveImpact(int law);

  const StepSetup* setup_;
  ThreadPool* team_{nullptr};
  const std::atomic<bool>* calledOff_{nullptr};
  ContactAssembly assembly_;
  Certifier certifier_;
  Portfolio portfolio_;
  bool triesAll_;  // the portfolio is `auto`, or a method that leans on it
  Portfolio projector_;
  Certifier projectionCertifier_;

  // The island and its state at the present moment of the step.
  std::vector<int> bodies_;
  std::vector<CandidatePair> pairs_;
  std::vector<int> held_;       // its constraints
  std::vector<int> kinematic_;  // kinematic bodies that its contacts and constraints know
  WorldState local_;            // only the entries of the island's bodies and of the fixed bodies it touches are valid
  ContactSet contacts_;         // at local_'s poses when fresh_
  bool fresh_{false};
  double step_{0};  // [s] the whole step
  double time_{0};  // [s] at local_'s poses
  IslandResult* result_{nullptr};

  struct Saved {
    struct Entry {
      int body;
      Pose pose;
      Vector3 velocity, angularVelocity;
    };
    std::vector<Entry> bodies;
    ContactSet contacts;
    IslandReport report;
    double time;
  };

  // One (sub)step.
  Saved before_;             // the island before it
  int missedRounds_{0};      // repetitions of the (sub)step for contacts
  ContactSet missed_;        // contacts found only at its end, seen from its start
  std::vector<int> used_;    // contacts of the problem, before those that stand for unilateral rows
  VectorX vBefore_, vFree_;  // [m/s]
  Iterate iterate_, candidate_;
  VectorX hidden_;            // [m/s] what the candidate's impulses leave of the free velocity
  VectorX roundOff_;          // [m/s] of each body: what cancelling loads leave by round-off
  Certificate solved_;        // of iterate_
  const char* rung_{"none"};  // that gave it
  bool bound_{false};         // something besides forces acts: the (sub)step has a problem
  bool restedBefore_{false};  // this (sub)step repeats the rest of the last one
  AccountScratch scratch_;
  mutable std::size_t cursor_{0};  // where the last memory was found
  std::vector<Motion> motion_;     // of the island's bodies over the (sub)step, or in the projection
  ContactSet startContacts_;
  double parted_{0};                   // [-] of the pair's size: farthest gap that the projection's pass closes
  double bend_{0}, finest_{0};         // [m] what surfaces curve over the way that the pass goes, at most; least size of a pair that it sees to
  std::vector<double> rowTargets_;     // b of each equality row; in the projection [m]
  std::vector<int> region_;            // bodies that it may move, ascending
  std::vector<int> turning_;           // bodies that anchors or constraints may turn
  std::vector<ContactMemory> memory_;  // being written

  // Constraints.
  ConstraintRows rows_;
  std::vector<std::size_t> rowStart_;  // of each held constraint of the island in report.rowForces
  std::vector<double> rowMoving_;      // [m/s] of the equality rows
  VectorX rowsEnd_;                    // [m] C/n of rows_ at the end of the (sub)step
  VectorX missedBy_, leastMissedBy_;   // [m/s] what trials of the (sub)step missed by, over h; of the best one
  double leastMiss_{0};                // [m/s] of the best one
  bool leastIsNear_{false}, lastTrial_{false}, flat_{false};
  std::vector<double> trialForces_;

  // Impacts.
  struct Closing {
    FeatureKey key;
    int bodyA, bodyB;
    Vector3 normal;
    double gap;        // [m] at the start
    double speed;      // [m/s] of approach, > 0
    Vector3 onA, onB;  // [m] the contact point in the frames of the two bodies
  };
  std::vector<Closing> closing_;             // open contacts that will bounce: left out of the problem
  std::vector<FeatureKey> alreadyTouching_;  // contacts of the same pairs that touch already
  double threshold_{0};                      // [m/s] approach speed below which e = 0
  std::vector<ContactMemory> trialMemory_;
  Saved saved_;  // before the trials of a closing time
};

/// Steppers not at work.
class StepperPool {
 public:
  std::unique_ptr<IslandStepper> take(const StepSetup& setup);
  void give(std::unique_ptr<IslandStepper> stepper);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<IslandStepper>> steppers_;
};

}  // namespace stiction
