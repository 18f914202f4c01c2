// Contact points of a convex shape with the terrain of a height field.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// `a`: Sphere, Box, Capsule, Cylinder, Ellipsoid or Hull; `b`: HeightField. The surface is the two triangles of each cell; what is below it is pushed up, however deep.
void collideConvexHeightField(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
