// `auto`: the order of methods. Each rung starts from the best answer so far or cold, the certificate judges every answer, and the best one is kept.
#pragma once
#include <memory>

#include "portfolio/Climb.hpp"
#include "portfolio/ProblemKind.hpp"
#include "portfolio/ProblemPath.hpp"
#include "portfolio/SweepRungs.hpp"

namespace stiction {

class Ladder {
 public:
  explicit Ladder(Law law = Law::Coulomb) : climb_{law} {}

  void setTeam(ThreadPool* team);
  /// As Portfolio::solve. `first`: a solver that is asked before; the ladder follows where that fails, leans on it and may; null: none.
  PortfolioReport solve(const PosedProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier* prepared, Solver* first);
  /// The ladder for other problems on the way, without its last resorts.
  Ladder& inner();

 private:
  // Stages, from the bottom up. Each returns whether that is all: there is an answer, or who asked has a better resort.
  void ascend();
  bool startAtOnce();
  bool press();
  bool startWarm();
  bool standCold();
  bool takeTurns();
  bool wander();
  bool settle();
  bool climbDear();
  bool climbCheap();
  void climbLast();
  bool followPath(Path path);

  bool startsFar();
  bool mostSlideSlower(double speed);
  bool isNear() const { return climb_.options().effort == Effort::Near; }
  bool isThorough() const { return climb_.options().effort == Effort::Thorough; }
  bool canShorten() const { return climb_.options().warm && !isThorough(); }
  bool wanders() const { return isPile_ && climb_.options().warm; }
  bool hasMany() const { return climb_.problem().contacts() > kManyContacts; }
  int stepsOfPile() const;
  void announceSearch() const;

  Climb climb_;
  SweepRungs sweeps_{climb_};
  LazyMethod prox_{[] { return makeProxMethod(); }}, ipm_{makeIpmMethod}, continuation_{makeContinuationMethod}, centralPath_{makeCentralPathMethod},
      lagged_{makeLaggedShiftMethod}, settled_{makeSettledShiftMethod}, admm_{makeAdmmMethod};
  SlidingContacts sliding_;
  std::unique_ptr<Ladder> inner_;
  ThreadPool* team_{nullptr};
  bool isInner_{false};

  // Of the problem at hand.
  VectorX start_;           // [m/s] (dof) velocities to begin with; from cold the free motion, which tells what moves
  bool isLoose_{false};     // a heap in motion
  bool isFar_{false};       // from any answer: its bodies collide
  bool isStanding_{false};  // a structure, from cold
  bool isPile_{false};      // where the sweeps have ended
};

}  // namespace stiction
