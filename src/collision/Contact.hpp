// What collision hands to the step: contact points with frames and per-point gaps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "math/Bits.hpp"
#include "state/WorldState.hpp"

namespace stiction {

/// One contact point. The normal points from body A to body B; gap > 0 means apart. u_n >= 0 opens.
struct Contact {
  FeatureKey key;                   // geomA < geomB
  int bodyA{0}, bodyB{0};           // bodies of geomA and geomB
  Vector3 point{Vector3::Zero()};   // [m] world, midway between the two surfaces
  Vector3 normal{Vector3::Zero()};  // [-] unit, world, from A to B
  double gap{0};                    // [m] signed, along the normal, at this point
  double friction{0};               // [-]
  double restitution{0};            // [-]
  Vector3 across{Vector3::Zero()};  // [m] world, from the point of A to that of B, where they are yet to come together: 0 for contacts as they are detected

  Vector3 pointOf(bool isB) const { return point + (isB ? 0.5 : -0.5) * across; }
};

inline bool sameBits(const Contact& a, const Contact& b) {
  return a.key == b.key && a.bodyA == b.bodyA && a.bodyB == b.bodyB && sameBits(a.point, b.point) && sameBits(a.normal, b.normal) && sameBits(a.gap, b.gap) &&
         sameBits(a.friction, b.friction) && sameBits(a.restitution, b.restitution);
}

using ContactSet = std::vector<Contact>;  // sorted by key

/// The contact of `key`, or null.
inline const Contact* findContact(const ContactSet& contacts, const FeatureKey& key) {
  const auto found = std::lower_bound(contacts.begin(), contacts.end(), key, [](const Contact& c, const FeatureKey& k) { return c.key < k; });
  return found != contacts.end() && found->key == key ? &*found : nullptr;
}

/// A pair of geoms that may touch within the step: what the broad phase hands to the narrow phase.
struct CandidatePair {
  int geomA{0}, geomB{0};  // geomA < geomB
  double reach{0};         // [m] gap up to which contacts are wanted
  double friction{0};
  double restitution{0};
};

inline bool sameBits(const CandidatePair& a, const CandidatePair& b) {
  return a.geomA == b.geomA && a.geomB == b.geomB && sameBits(a.reach, b.reach) && sameBits(a.friction, b.friction) && sameBits(a.restitution, b.restitution);
}

}  // namespace stiction
