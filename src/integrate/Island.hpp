// One island on its way through the step: where its bodies are now, what they touch, what has come of the step so far.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "assembly/ContactHistory.hpp"
#include "base/Clock.hpp"
#include "base/ThreadPool.hpp"
#include "integrate/ClosingContacts.hpp"
#include "integrate/ImpactLaw.hpp"
#include "integrate/IslandReport.hpp"
#include "integrate/Partition.hpp"
#include "integrate/StepSetup.hpp"

namespace stiction {

struct Island {
  static constexpr double kTouch = 1e-9;  // [-] of the pair's size: gaps up to this count as touching
  static constexpr double kStray = 1e-7;  // [-] likewise: bodies at rest are not moved for less

  struct BodyState {
    int body;
    Pose pose;
    Vector3 velocity, angularVelocity;
  };
  /// The island at a moment, to come back to.
  struct Moment {
    /// Null for a body that is not its own.
    const Pose* poseOf(int body) const;

    std::vector<BodyState> bodies;
    ContactSet contacts;
    IslandReport report;
    std::vector<Vector3> rotors;
    double time;
  };
  /// Of a body over the (sub)step, or in the projection.
  struct Motion {
    Vector3 shift{Vector3::Zero()};  // [m]
    Vector3 turn{Vector3::Zero()};   // [rad]
  };

  /// How contacts with restitution bounce within an ordinary (sub)step.
  struct Bouncing {
    ImpactLaw law;
    double threshold;  // [m/s] approach speed below which e = 0
  };

  explicit Island(const StepSetup& stepSetup);

  /// At the start of a step of h [s]: bodies and what they touch from `start`, the memory of its pairs from `memory`.
  void begin(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h);
  /// Where another island is in its step, of contacts alone; `to` counts from there.
  void copy(const Island& other, IslandResult& to);
  /// Writes the bodies to `next`.
  void write(WorldState& next) const;

  void save(Moment& moment) const;
  void restore(const Moment& moment);
  /// Restores, but keeps the impulses, as the warm start of the next trial.
  void takeBack(const Moment& moment);

  /// The contacts at the present poses.
  void detect();
  /// The contacts so far become startContacts; the bodies are about to move.
  void leaveContacts();
  void clearMotion();

  IslandReport& report() const { return result->report; }
  const BodyInertia& inertia(int body) const { return setup->inertias[static_cast<std::size_t>(body)]; }
  BodyKind kind(int body) const { return setup->model->bodies[static_cast<std::size_t>(body)].kind; }
  double bodySize(int body) const { return setup->bodySize[static_cast<std::size_t>(body)]; }
  /// [m] of the smaller of the two geoms.
  double pairSize(const FeatureKey& key) const;
  /// [-] of a pair's size: what may stay out of place after a step.
  double stays() const;
  /// The same of anchors: joints and others of the same bodies leave them less room.
  double anchorStays() const { return held.empty() ? stays() : std::max(stays(), kTouch); }
  /// Of any body over the last h.
  Motion motionOf(int body, double h) const;
  /// The anchor of a contact, so far `entry.anchor`, after the motion of h from `start`; `end`: the contact there, null where there is none any more.
  Vector3 anchorAfter(const ContactMemory& entry, const Contact& start, const Contact* end, double h) const;
  bool touching(const Contact& contact) const { return contact.gap <= kTouch * pairSize(contact.key); }
  /// The memory of a contact, or null; quick for one after the other.
  ContactMemory* memoryOf(const FeatureKey& key) const { return findMemory(report().memory, key, cursor); }
  /// Whether its bodies meet there at their own time, by trials of the step, not at the end of one.
  bool isTimed(const Contact& contact) const { return contact.restitution > 0 || timed; }
  /// The law of impacts that is asked for.
  ImpactLaw impactLaw() const { return setup->options->restitution == Restitution::Moreau ? ImpactLaw::Moreau : ImpactLaw::Newton; }
  /// [m] of the deepest overlap.
  double deepest() const;
  /// Distance [m] that a body falls from rest in h.
  double freeFall(double h) const;
  /// Kinetic energy [J] of one of its bodies.
  double energyOf(int body) const;
  /// Whether a kinematic body that it knows moves.
  bool surfacesMove() const;
  bool isFinite() const;
  bool isCalledOff() const { return callOff != nullptr && callOff->isSet(); }

  const StepSetup* setup;
  std::vector<int> bodies;  // ascending
  std::vector<CandidatePair> pairs;
  std::vector<int> held;             // its constraints
  std::vector<int> mobilizers;       // those of the model that hold its bodies,
  std::vector<int> acting;           // coordinates of tendons and thrusters that act on them,
  std::vector<int> joints;           // and those of joints before these
  std::vector<int> kinematic;        // kinematic bodies that its contacts and constraints know
  WorldState state;                  // only the entries of the island's bodies and of the fixed bodies it touches are valid
  ContactSet contacts;               // at the poses of `state` when fresh
  ContactSet startContacts;          // before the bodies moved
  ClosingContacts closing;           // left out of the problem
  std::optional<Bouncing> bouncing;  // none: what closes within the (sub)step ends closed
  std::vector<Motion> motion;        // by body
  bool fresh{false};
  bool timed{false};           // few contacts, where trials of a step cost little: without restitution, too
  double step{0};              // [s] the whole step
  std::int64_t stepNumber{0};  // of the world's steps
  double time{0};              // [s] at the poses of `state`
  IslandResult* result{nullptr};
  ThreadPool* team{nullptr};               // threads that share the work, idle
  const CallOff* callOff{nullptr};         // of the step, where nobody may want it any more
  mutable std::size_t cursor{0};           // where the last memory was found
  std::vector<ContactMemory> trialMemory;  // scratch
  std::vector<double> trialForces;         // scratch
};

}  // namespace stiction
