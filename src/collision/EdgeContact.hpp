// Contact of two edges: crossing edges touch at one point; parallel edges (a ridge) at the two ends of their overlap.
//
// On a ridge every normal of the fan F = N(e_A) ∩ -N(e_B) (N: normal cone of the edge) is admissible. With d the offset between the two lines, perpendicular to them, the
// normal taken is
//     n = P_F( d + δ b ) / ‖·‖ ,   δ = δ0 + 3/2 max(0, -d·b) ,   b the bisector of F ,
// P_F turning the direction into the fan. Apart (‖d‖ ≫ δ0) it is the direction of the distance, ending in the face normals at both ends of the fan; at contact it is the
// bisector; in between it is continuous, so round-off in d cannot turn it.
// Two bodies whose edges are flush (both ends of the fan are faces lying against faces, offset along one of them) pass by each other: no contact.
#pragma once
#include <optional>

#include "collision/SeparatingAxis.hpp"

namespace stiction {

/// One point in the frame of A, on both surfaces.
struct EdgePoint {
  Vector3 pointA{Vector3::Zero()}, pointB{Vector3::Zero()};  // [m]
  std::uint64_t feature{0};
};

struct EdgeManifold {
  Vector3 normal{Vector3::Zero()};  // [-] from A to B
  int count{0};                     // 0: flush edges, no contact
  EdgePoint points[2];
};

/// Crossing edges: nearest points of the two segments.
EdgeManifold crossEdges(const PlacedPolytope& a, const PlacedPolytope& b, const EdgeAxis& axis);

/// Parallel edges: nothing when they are not parallel, do not overlap along their direction or have no common fan; δ0 = `softness` [m].
std::optional<EdgeManifold> ridge(const PlacedPolytope& a, int edgeA, const PlacedPolytope& b, int edgeB, double softness);

}  // namespace stiction
