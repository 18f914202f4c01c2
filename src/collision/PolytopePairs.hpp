// Contact manifold of two convex polytopes (boxes and hulls): exact at zero distance, with overlap and apart.
//
// 1. Separating axes give the signed distance and the kind of contact (SeparatingAxis.hpp). Nothing beyond reach.
// 2. A face axis is preferred unless an edge axis is better by a clear margin and points elsewhere: then the two crossing edges touch at one point.
// 3. Face: the incident face is clipped against the reference face, every corner keeps its own gap (FaceClip.hpp). Where what touches is a pair of parallel edges, the
//    normal comes from their common fan (EdgeContact.hpp).
// 4. Apart, and nearer in a corner region than anything the face sees: nearest features by Gilbert–Johnson–Keerthi.
// No step needs a state, so the same poses give the same manifold; ties go to the lower index and to A. Penetration never needs an expanding polytope.
// Tolerances decide which features are used and never move a point: gaps are exact to round-off of the coordinates.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// Both shapes with a polytope (Box, Hull).
void collidePolytopes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
