// What came of one island's step.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "integrate/Halves.hpp"
#include "integrate/Repetition.hpp"
#include "integrate/Simulation.hpp"

namespace stiction {

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
  /// The contact as solved: [N s] on body B and [m/s], world axes. Impulses of one contact add up.
  void record(const Contact& contact, const Vector3& impulse, const Vector3& slip, int state);
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

/// Adds islands solved by `rung`.
void countRung(std::vector<std::pair<const char*, int>>& rungs, const char* rung, int islands);

}  // namespace stiction
