// What a Simulation owns, and the stages of its step.
#pragma once
#include <memory>

#include "integrate/HeldContacts.hpp"
#include "integrate/StepperPool.hpp"

namespace stiction {

struct Simulation::Impl {
  Impl(Model m, SimulationOptions o);

  const StepReport& step(double h);
  void resetState(WorldState s);
  void updateLoads(int body);
  int hold(HeldConstraint held);
  void keep(HeldConstraint held);
  void holdJoints();
  const HeldConstraint& heldOf(int id) const;

  Model model;
  SimulationOptions options;
  CollisionDetector detector;
  ThreadPool pool;
  StepperPool steppers;
  StepSetup setup;
  WorldState state, next;
  StepReport report;
  std::vector<SolvedContact> solved;
  std::vector<Vector3> appliedForce, appliedTorque;  // [N], [N m] by applyForce, besides the model's constant loads
  int joints{0};                                     // constraints that are the model's joints, the first ones
  std::vector<double> rowForces;                     // of the constraints' rows in their authors' units, mean of the last step
  HardProblem hardest;
  bool unchanged{false};  // the last step changed nothing, and nothing has since

 private:
  bool repeats(double h) const { return unchanged && sameBits(h, h_); }
  void repeat();
  void begin(double h);
  void detect();
  void partition();
  void advance();
  bool isOver();
  void dropHalves();
  bool reachSufficed();
  bool closesUnseen(const Contact& contact, const ContactSet& known) const;
  void keepTrialImpulses();
  void gatherMemory(std::vector<ContactMemory>& all) const;
  std::string whyNotCertified() const;
  std::string whyNotFinite() const;
  void gather();
  void account();
  void finish();
  void advanceIsland(int island, ThreadPool* team);
  int islandToShare() const;
  IslandResult& resultOf(int island) { return results_[static_cast<std::size_t>(islands_->bodiesOf(island).front())]; }
  const IslandResult& resultOf(int island) const { return results_[static_cast<std::size_t>(islands_->bodiesOf(island).front())]; }
  double speed(const WorldState& s, int body) const;

  double h_{0};
  int reachTrials_{0};
  WorldState reach_;  // poses, and velocities whose speeds bound those of the step
  const std::vector<CandidatePair>* pairs_{nullptr};
  std::vector<int> faster_;                          // bodies that came out faster than detection was told
  ContactSet contacts_, known_;                      // of the last detection; of the one before, or of the faster bodies
  const std::vector<ContactMemory>* warm_{nullptr};  // that the islands start from
  std::vector<ContactMemory> trial_;                 // of the trial before, when the step is repeated
  Partition partition_;
  const Islands* islands_{nullptr};
  std::vector<IslandResult> results_;  // by the island's first body
  bool bouncing_{false};               // some geom has restitution
};

}  // namespace stiction
