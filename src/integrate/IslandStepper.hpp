// One island advanced over the step: predict, assemble, solve, certify, account, integrate, project; smaller steps where the certificate refuses, exact impact times where contacts
// bounce. Everything an island writes is its own, so islands run on any thread in any order.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "diagnostics/Account.hpp"
#include "integrate/Bounces.hpp"
#include "integrate/Encounters.hpp"
#include "integrate/Impacts.hpp"
#include "integrate/Island.hpp"
#include "integrate/IslandProblem.hpp"
#include "integrate/IslandRest.hpp"
#include "integrate/IslandRows.hpp"
#include "integrate/IslandSolver.hpp"
#include "integrate/Projection.hpp"
#include "integrate/Stopwatch.hpp"

namespace stiction {

/// Advances islands one after another; holds the scratch. Several of them work side by side.
class IslandStepper {
 public:
  explicit IslandStepper(const StepSetup& setup);
  IslandStepper(const IslandStepper&) = delete;
  IslandStepper& operator=(const IslandStepper&) = delete;

  /// Reads the island's bodies and the kinematic bodies it touches from `start`, its contact memory from `memory`; writes its bodies to `next` and the rest to `result`.
  /// Threads of `team`, which must be idle, share the work.
  void advance(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h, ThreadPool* team,
               WorldState& next, IslandResult& result);

  /// Goes on with the island where another stepper is in its step, into another result, which counts from there; gives up when called off.
  void copy(const IslandStepper& other, IslandResult& result, const CallOff& callOff);
  /// Of what the stepper is at; null: nobody can call it off.
  const CallOff* callOff() const { return island_.callOff; }
  /// The (sub)step of h in two halves: `ahead`, when given, or its own.
  bool halve(double h, int depth, std::unique_ptr<Halves> ahead);
  /// Takes the island where another stepper, a copy of this one, has brought it.
  void adopt(const IslandStepper& other, IslandResult& result);

 private:
  struct Unfinished {
    double h;
    bool rests;
  };
  /// What a body meets over the (sub)step.
  struct Course {
    bool near{false};                                        // others, at its end
    bool held{false};                                        // what holds it, or would have if it had gone on as before
    double bounce{std::numeric_limits<double>::infinity()};  // [s] into it at which the body bounces first
  };

  void share(ThreadPool* team);
  bool substep(double h, int depth, int round = 0);
  void begin(int round, Stopwatch& watch);
  bool assemble(double h);
  void aimAgain(double h);
  void flyFreely();
  std::optional<bool> answer(double h, int depth, int round, bool aimed, bool& rests, Stopwatch& watch);
  std::optional<bool> lookBack(double h, int depth, int round, bool rests, Stopwatch& watch);
  bool finish();
  void mend(double h, bool rests);
  bool endsFinite() const;
  std::unique_ptr<Halves> halvesAhead(double h, int depth, int round) const;
  void leave(double h);
  void account(double h);
  void findTravel(double h);
  void move(double h, bool rests);
  void remember(double h, bool rests);
  void integrate(double h);
  bool isLastResort(int depth) const { return depth >= setup_->options->maxHalvings; }

  const StepSetup* setup_;
  Island island_;
  IslandProblem problem_;
  IslandRows rows_;
  IslandSolver solver_;
  IslandRest rest_;
  Impacts impacts_;
  Bounces bounces_;
  Encounters encounters_;
  Projection projection_;

  Island::Moment before_;  // the island before the (sub)step
  std::vector<Course> courses_;
  bool aimsAgain_{false};                 // the next trial has the problem of the last one, but for what rows aim at
  bool bound_{false};                     // something besides forces acts: the (sub)step has a problem
  std::optional<Unfinished> unfinished_;  // what the whole (sub)step ended on: a trial that is taken back need not be mended
  std::vector<Vector3> travel_;           // [m/s] at which the bodies move over the (sub)step
  AccountScratch scratch_;
  std::vector<ContactMemory> memory_;  // being written
};

}  // namespace stiction
