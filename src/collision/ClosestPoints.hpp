// Nearest points of two disjoint vertex sets' convex hulls, for the corner regions where no separating axis of the faces or edges gives the distance.
//
// Gilbert, Johnson, Keerthi 1988; nearest point of a simplex to the origin by Voronoi regions (Ericson 2005, 5.1.5 and 5.1.6), which is exact for the small simplices
// met here. Used only for sets clearly apart, where the iteration ends on the exact features after a few steps. Cost: some 5 support queries.
#pragma once
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

/// Vertices of a convex polytope and their adjacency (empty adjacency: every vertex is looked at).
struct VertexSet {
  std::span<const Vector3> vertices;
  const std::vector<std::vector<int>>* neighbours{nullptr};
  const Matrix3* rotation{nullptr};  // into the common frame, null: they are in it
  const Vector3* origin{nullptr};    // [m]

  /// Index of a vertex farthest along `direction`; hill climbing from `start` in large sets.
  int support(const Vector3& direction, int start = 0) const;
  Vector3 operator[](int i) const {
    const Vector3& vertex = vertices[static_cast<std::size_t>(i)];
    return rotation == nullptr ? vertex : Vector3{*rotation * vertex + *origin};
  }
};

struct ClosestPoints {
  bool apart{false};                   // false: the hulls meet (or are nearer than round-off); nothing else is set
  bool beyond{false};                  // farther apart than was asked about: of the following `direction` alone is set, along which they are
  Vector3 direction{Vector3::Zero()};  // [m] from A to B, of any length
  double distance{0};                  // [m]
  Vector3 pointA{Vector3::Zero()}, pointB{Vector3::Zero()};
  std::array<int, 3> vertexA{-1, -1, -1}, vertexB{-1, -1, -1};  // vertices that span the nearest features, ascending, -1 where fewer
};

/// `direction`: from A towards B, more or less; `startA`, `startB`: vertices that the other body may be near. With a `shift` [m] B is moved by so much, but its nearest point is
/// told where it is without. Ends where a direction shows that they are farther apart than `limit` [m].
ClosestPoints closestPoints(const VertexSet& a, const VertexSet& b, const Vector3& direction, int startA = 0, int startB = 0,
                            const Vector3& shift = Vector3::Zero(), double limit = std::numeric_limits<double>::infinity());

}  // namespace stiction
