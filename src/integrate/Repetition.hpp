// What has not changed is not computed again. An island's step is a function of its start alone, so an island that ended a step on the very bits it started from would do so
// in the next one, with the same impulses, certificate and ledger: while every input stays as it was, bit by bit, the report of that step stands. Joints are part of the start;
// constraints that users add may be functions of anything, and where there are some each step is computed.
#pragma once
#include "assembly/ConstraintRows.hpp"
#include "dynamics/FreeVelocity.hpp"
#include "integrate/Partition.hpp"

namespace stiction {

class Repetition {
 public:
  /// What a step of one island reads.
  struct Start {
    const Model& model;
    const std::vector<HeldConstraint>& held;
    const Islands& islands;
    int island;
    const WorldState& state;
    const std::vector<ContactMemory>& memory;  // of all islands, sorted by key
    const Loads& loads;
    double h;  // [s]
  };

  /// After a certified step: keeps its start when the island's bodies, joints and contact memory ended on it.
  void keep(const Start& start, const WorldState& end, const std::vector<ContactMemory>& memory);
  void forget() { kept_ = false; }
  /// Whether a step from `start` repeats the kept one.
  bool holds(const Start& start) const;

 private:
  struct BodyStart {
    int body;
    Pose pose;
    Vector3 velocity, angularVelocity, force, torque;
  };
  struct JointStart {
    int joint;
    double position;
    Vector3 rotorRate, force;
  };
  static BodyStart bodyStart(const Start& start, int body);
  static JointStart jointStart(const WorldState& state, int joint);
  static bool mayRepeat(const Start& start);
  static bool endedOnStart(const Start& start, const WorldState& end);
  void keepJoints(const Start& start);
  void keepOther(const Start& start, int body);
  bool holdJoints(const Start& start) const;

  bool kept_{false};
  double h_{0};
  std::size_t dynamic_{0};  // bodies of the island, the first ones
  std::vector<BodyStart> bodies_;
  std::vector<JointStart> joints_;
  std::vector<int> held_;
  std::vector<double> rowForces_;               // of these constraints
  std::vector<std::pair<int, double>> drives_;  // of actuators of these joints
  std::vector<CandidatePair> pairs_;
  ContactSet contacts_;
  std::vector<ContactMemory> memory_;
};

}  // namespace stiction
