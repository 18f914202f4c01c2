// A sphere or a capsule against a convex polytope (box or hull): the sphere's centre or the capsule's axis against the faces and edges, less the radius.
//
// Axis outside: nearest points of segment and polytope, two of them (the ends of what lies over the face, or of the overlap with a parallel edge) where the axis lies along
// it. Axis inside: out through the face or edge of least depth. Exact to round-off. Cost: faces + edges of the polytope.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

void collideSpherePolytope(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
/// Polytope first.
void collidePolytopeCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
