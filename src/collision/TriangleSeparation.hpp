// Separation of a core that has corners (point, segment, polytope) from a triangle, without a search over directions.
//
// Apart, the nearest points of the two sets of corners lie on features that tell the normal exactly: of a face, across two edges, from an edge or a corner. Overlapping polytopes have their least
// overlap along one of the separating axes (SeparatingAxis.hpp), of the body and of the triangle taken as a prism of no height, whose sides split the normals at an edge into two arcs.
// Cost: some five supports; of an overlap, the axes.
#pragma once
#include <optional>

#include "collision/ConvexSeparation.hpp"

namespace stiction {

/// As `separate`; nothing where another way is needed: the core has no corners, or it is a segment or point that meets the triangle, or too near to tell. `direction`: to where the triangle is near, more or less.
std::optional<Separation> separateTriangle(const ConvexShape& body, const ConvexShape& triangle, const Vector3& direction, double reach);

}  // namespace stiction
