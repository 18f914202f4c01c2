// Signed distance of two convex polytopes along the separating axes: the face normals of both and the cross products of edge pairs.
//
//   s(n) = min_{b in B} n·b - max_{a in A} n·a ,    n over face normals of A, negated face normals of B, and e_A × e_B whose arcs cross on the Gauss sphere
//
// The largest s is the distance where it is reached between a vertex and a face or between two crossing edges, minus the least depth where the bodies overlap, and a lower
// bound of the distance in corner regions. Only edge pairs that build a face of the Minkowski difference count (Gregorius 2013, "The Separating Axis Test between Convex
// Polyhedra"). Departure: edges that stand off the other body's bounds, or off the slabs between the best face planes, are skipped: they cannot be the pair that touches.
// Notation: everything in the frame of A. Cost: faces + (a few supports by hill climbing) + pruned edge pairs.
#pragma once
#include <span>

#include "collision/ClosestPoints.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// A polytope with its vertices and normals expressed in the frame of A.
struct PlacedPolytope {
  const Polytope* shape{nullptr};
  std::span<const Vector3> vertices;  // [m]
  std::span<const Vector3> normals;   // [-]
  Vector3 centre{Vector3::Zero()};    // [m] an interior point

  const Vector3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
  const Vector3& normal(int i) const { return normals[static_cast<std::size_t>(i)]; }
  const std::vector<int>& face(int i) const { return shape->faces[static_cast<std::size_t>(i)]; }
  const Polytope::Edge& edge(int i) const { return shape->edges[static_cast<std::size_t>(i)]; }
  VertexSet set() const { return {vertices, &shape->neighbours}; }
};

struct FaceAxis {
  int face{-1};
  double separation{0};  // [m]
};

struct EdgeAxis {
  int edgeA{-1}, edgeB{-1};
  double separation{0};             // [m]
  Vector3 normal{Vector3::Zero()};  // [-] from A to B
};

/// Index of the edge between two adjacent vertices.
int findEdge(const Polytope& polytope, int vertex0, int vertex1);

/// Largest separation of `other` over the face planes of `body`; stops at the first one beyond `reach`.
FaceAxis largestFaceSeparation(const PlacedPolytope& body, const PlacedPolytope& other, double reach);

/// Largest separation over the edge pairs that can be what touches, given the best face axes of A and of B; edgeA = -1 when there is none.
EdgeAxis largestEdgeSeparation(const PlacedPolytope& a, const FaceAxis& faceA, const PlacedPolytope& b, const FaceAxis& faceB, double reach);

}  // namespace stiction
