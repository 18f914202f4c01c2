// Everything a step changes: poses, velocities, and the contact memory (warm start and anchors) keyed by feature. Copying a WorldState is a snapshot.
#pragma once
#include <cstdint>
#include <vector>

#include "model/Model.hpp"

namespace stiction {

/// One contact point's identity: geoms with geomA < geomB, and the feature of the pair that touches.
struct FeatureKey {
  int geomA{0}, geomB{0};
  std::uint64_t feature{0};
  auto operator<=>(const FeatureKey&) const = default;  // NOLINT(modernize-use-nullptr): the comparison with 0 that the compiler writes
};

/// Whether the two geoms are the same.
inline bool samePair(const FeatureKey& a, const FeatureKey& b) { return a.geomA == b.geomA && a.geomB == b.geomB; }

/// What is remembered of a contact point from the last step.
struct ContactMemory {
  FeatureKey key;
  Vector3 normal{Vector3::Zero()};   // [-] world, from A to B
  Vector3 impulse{Vector3::Zero()};  // [N s] world axes, on B
  double step{0};                    // [s] the h it belongs to
  Vector3 anchor{Vector3::Zero()};   // [m] world: tangential displacement of B against A since it holds; else zero
  bool anchored{false};              // sticks, and neither rolls nor pivots far in a step
  bool slips{false};                 // moves along its friction
  bool mended{false};                // the projection can do no more for it until one of its bodies moves
  bool yields{false};                // what else holds the bodies left it no room to be mended
  std::uint8_t strays{0};  // times, of late, that trials of the step, which constraints need, did not end it in its place; less the times that they did
};

struct WorldState {
  double time{0};  // [s]
  std::int64_t stepCount{0};
  std::vector<Vector3> position;         // [m] p_WC per body
  std::vector<Quaternion> rotation;      // R_WC (= R_WB) per body
  std::vector<Vector3> velocity;         // [m/s] of C, world axes
  std::vector<Vector3> angularVelocity;  // [rad/s] world axes
  std::vector<ContactMemory> contacts;   // sorted by key
  std::vector<double> rowForces;         // [N] multipliers of the rows of joints and added constraints in the last step
  // Per joint, then per tendon and thruster.
  std::vector<double>
      jointPosition;               // [rad], [m] coordinate of a joint, turns counted; 0 for a ball and for all others. Follows from the poses but for the turns
  std::vector<Vector3> rotorRate;  // [rad/s], [m/s] of the rotor, first entry; of a ball about the child's axes. Empty: as the bodies move
  std::vector<Vector3> jointForce;  // [N], [N m] in the last step: of the row with compliance, of dry friction; of a ball about the child's axes

  std::vector<double> control, activation;  // per actuator; the activation 0 where the control drives it

  /// Velocity [m/s], world axes, of the body's material point at `point` [m], world.
  Vector3 velocityAt(int body, const Vector3& point) const {
    const auto i = static_cast<std::size_t>(body);
    return velocity[i] + angularVelocity[i].cross(point - position[i]);
  }
  Pose pose(int body) const { return {position[static_cast<std::size_t>(body)], rotation[static_cast<std::size_t>(body)]}; }
};

/// Pose X_WG of a geom.
inline Pose geomPose(const Model& model, const WorldState& state, int geom) {
  const Geom& g = model.geoms[static_cast<std::size_t>(geom)];
  return state.pose(g.body) * g.X_CG;
}

/// Start state of the model.
WorldState makeState(const Model& model);

bool sameBits(const ContactMemory& a, const ContactMemory& b);

/// Whether the body is where it was, and as fast, bit by bit.
bool sameBits(const WorldState& a, const WorldState& b, int body);

/// Whether the states differ in nothing but time and count of steps.
bool sameMotion(const WorldState& a, const WorldState& b);

/// Hash of every bit that matters for the future: poses, velocities, contact memory.
std::uint64_t hash(const WorldState& state);

/// World inertia about C of a body at its current rotation [kg m²].
Matrix3 worldInertia(const Body& body, const Quaternion& rotation);

}  // namespace stiction
