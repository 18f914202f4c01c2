// What a run adds up over its steps, and how it is told: the JSON object of the contract and the table for people.
#pragma once
#include <map>
#include <string>

#include "Output.hpp"
#include "integrate/Simulation.hpp"
#include "io/EnergyTotals.hpp"
#include "io/ImportReport.hpp"

namespace stiction::cli {

struct RunTally {
  RunTally(const Model& model, const WorldState& start)
      : energy{model, start}, startTime{start.time}, hasJoints{!model.mobilizers.empty() || !model.connections.empty()} {}

  void add(const Model& model, const StepReport& report, double stepTime);

  EnergyTotals energy;
  double startTime;  // [s] of the start state
  bool hasJoints;
  int steps{0};  // tried
  int certified{0};
  int firstUncertified{-1};  // step
  double uncertifiedTime{0}, uncertifiedCertificate{0};
  std::string uncertifiedReason;
  Certificate worst;
  int worstStep{0};
  std::string worstContact;
  int mostContacts{0};
  double contactSum{0};
  double deepest{0}, penetration{0};          // [m]
  double farthestOff{0}, off{0};              // [m] of bodies off their joints
  int impacts{0}, byMoreau{0}, inelastic{0};  // impacts, and those that changed to another law
  int splitsExhausted{0};                     // steps in which more pairs of an island met than a step is split for
  PhaseTimes times;
  double recordTime{0};              // [s] CPU
  double wall{0}, cpu{0};            // [s]
  std::map<std::string, int> rungs;  // islands solved by each method
};

struct RunNames {
  std::string scene, solver, law;
  double dt{0}, tolerance{0};
  int threads{1};
};

/// Pose and velocity of every body that is not static.
Json bodiesJson(const Model& model, const WorldState& state);
/// Coordinates and rates of every joint: of a ball its quaternion (w first) and angular velocity in the child's axes.
Json jointsJson(const Simulation& simulation);
std::string stateHash(const WorldState& state);

Json toJson(const RunNames& names, const RunTally& tally, const Simulation& simulation, const ImportReport& report);
std::string toTable(const RunNames& names, const RunTally& tally);

}  // namespace stiction::cli
