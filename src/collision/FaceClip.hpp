// Contact of a face with the face lying against it: the incident polygon is clipped by the side planes of the reference face (Sutherland, Hodgman 1974), and each corner that
// is left keeps its own gap along the reference normal. Vertices that stand on a side plane to within `tolerance` count as inside and are not moved, so equal footprints
// keep their vertices (and their ids) under round-off. Cost: (corners of both faces) products.
#pragma once
#include <cstdint>
#include <vector>

#include "collision/SeparatingAxis.hpp"

namespace stiction {

/// A corner of the clipped polygon. Labels name lines: i >= 0 the edge from corner i to i + 1 of the incident face, -1 - k side k of the reference face.
struct ClipCorner {
  Vector3 p{Vector3::Zero()};  // [m] on the incident face, frame of A
  int vertex{-1};              // vertex of the incident polytope, or -1
  int lineIn{0}, lineOut{0};   // where vertex is -1: the two lines that cross here
  int next{0};                 // line that leaves this corner
  double gap{0};               // [m] along the reference normal
};

/// Plane through a side of a face, along the face's normal.
struct SidePlane {
  Vector3 n{Vector3::Zero()};  // [-] outward in the face's plane
  Vector3 p{Vector3::Zero()};  // [m] on the plane

  double beyond(const Vector3& x) const { return n.dot(x - p); }  // [m] negative inside
};

/// Side k joins corners k and k + 1 of the face.
void sidePlanes(const PlacedPolytope& body, int face, std::vector<SidePlane>& sides);

/// Corners of `incident` over `reference`, whose side planes are given; empty when nothing of it lies over the face.
void clipFace(const PlacedPolytope& reference, int face, const std::vector<SidePlane>& sides, const PlacedPolytope& incident, int incidentFace,
              double tolerance, std::vector<ClipCorner>& corners);

/// Id of a corner, the same whichever body is the reference.
std::uint64_t cornerFeature(const PlacedPolytope& reference, int face, const PlacedPolytope& incident, int incidentFace, bool referenceIsA,
                            const ClipCorner& corner);

}  // namespace stiction
