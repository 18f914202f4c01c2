// Signed distance of two convex polytopes along the separating axes: the face normals of both and the cross products of edge pairs.
//
//   s(n) = min_{b in B} n·b - max_{a in A} n·a ,    n over face normals of A, negated face normals of B, and e_A × e_B whose arcs cross on the Gauss sphere
//
// The largest s is the distance where it is reached between a vertex and a face or between two crossing edges, minus the least depth where the bodies overlap, and a lower
// bound of the distance in corner regions. Only edge pairs that build a face of the Minkowski difference count (Gregorius 2013, "The Separating Axis Test between Convex
// Polyhedra"). Departure: edges that stand off the other body's bounds, or off the slabs between the best face planes, are skipped: they cannot be the pair that touches.
// So are edges whose arcs bound s from above by less than the faces have: for any point b of B, n = α n0 + β n1 on an arc at p and |n| = 1,
//   s(n) <= n·(b - p) <= max(n0·(b - p), n1·(b - p)) ,    over cos(angle(n0, n1) / 2) where that is positive
// Of a polytope with many faces a tree finds those that may separate from a near point of the other body, and their edges (geometry/FaceTree).
// Notation: everything in the frame of A. Cost: faces, or the logarithm of many + (a few supports by hill climbing) + pruned edge pairs.
#pragma once
#include <span>

#include "collision/ClosestPoints.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// A polytope with its vertices and normals expressed in the frame of A.
struct PlacedPolytope {
  const Polytope* shape{nullptr};
  std::span<const Vector3> vertices;      // [m]
  std::span<const Vector3> normals;       // [-]
  Vector3 centre{Vector3::Zero()};        // [m] an interior point
  Matrix3 rotation{Matrix3::Identity()};  // from the shape's own frame
  Vector3 origin{Vector3::Zero()};        // [m] of that frame

  bool hasTree() const { return !shape->tree.empty(); }
  const Vector3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
  const Vector3& normal(int i) const { return normals[static_cast<std::size_t>(i)]; }
  const std::vector<int>& face(int i) const { return shape->faces[static_cast<std::size_t>(i)]; }
  const Polytope::Edge& edge(int i) const { return shape->edges[static_cast<std::size_t>(i)]; }
  /// A point, or a direction, in the shape's own frame.
  Vector3 local(const Vector3& point) const { return rotation.transpose() * (point - origin); }
  Vector3 turnedBack(const Vector3& direction) const { return rotation.transpose() * direction; }
  VertexSet set() const { return {vertices, &shape->neighbours}; }
};

/// A point of a body near the other one [m], and a vertex near it.
struct NearPoint {
  Vector3 point{Vector3::Zero()};
  int vertex{0};
};

/// The nearest points of bodies one of which has many faces, of bodies that overlap those of the same moved apart; B's corners in the frame of A, `centre` [m] among them, `size` [m] of the
/// smaller body. Returns false when the bodies are beyond reach for certain.
bool findNearPoints(const PlacedPolytope& a, const VertexSet& b, const Vector3& centre, double size, double reach, NearPoint& nearA, NearPoint& nearB);

struct FaceAxis {
  int face{-1};
  double separation{0};  // [m]
  NearPoint near;        // of the other body: few faces and edges may separate it by as much
};

struct EdgeAxis {
  int edgeA{-1}, edgeB{-1};
  double separation{0};             // [m]
  Vector3 normal{Vector3::Zero()};  // [-] from A to B
};

/// Index of the edge between two adjacent vertices.
int findEdge(const Polytope& polytope, int vertex0, int vertex1);

/// Largest separation of `other` over the face planes of `body`; stops at the first one beyond `reach`. `near`: of `other`, the nearer the faster;
/// null where faces are few.
FaceAxis largestFaceSeparation(const PlacedPolytope& body, const PlacedPolytope& other, const NearPoint* near, double reach);

/// Largest separation over the edge pairs that can be what touches, given the best face axes of A and of B; edgeA = -1 when there is none. Separations below `least` [m] may
/// be missing.
EdgeAxis largestEdgeSeparation(const PlacedPolytope& a, const FaceAxis& faceA, const PlacedPolytope& b, const FaceAxis& faceB, double reach, double least);

}  // namespace stiction
