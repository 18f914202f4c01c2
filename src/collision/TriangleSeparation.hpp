// Separation of a convex shape from a triangle, without a search over directions.
//
// Of a core that has corners (point, segment, polytope) the nearest points of the two sets of corners lie on features that tell the normal exactly: of a face, across two edges, from an edge or a
// corner. Overlapping polytopes have their least overlap along one of the separating axes (SeparatingAxis.hpp), of the body and of the triangle taken as a prism of no height, whose sides split
// the normals at an edge into two arcs. Cylinders and ellipsoids: ConvexSeparation.hpp.
// Cost: some five supports; of an overlap, the axes.
#pragma once
#include <optional>

#include "collision/ConvexSeparation.hpp"

namespace stiction {

/// As `separate`; of overlapping polytopes the least of all overlaps. Nothing where another way is needed: a segment or point meets the triangle, a round body is deep in it, or they are too near
/// to tell. `direction`: to where the triangle is near, more or less.
std::optional<Separation> separateTriangle(const ConvexShape& body, const ConvexShape& triangle, const Vector3& direction, double reach);

}  // namespace stiction
