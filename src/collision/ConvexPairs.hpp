// Contact points of smooth and polyhedral convex shapes with each other and with planes, normals from the first shape to the second.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// Any two of Sphere, Box, Capsule, Cylinder, Ellipsoid, Hull. Face, side and cap contacts give several points, everything else one.
void collideConvexConvex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

/// Lowest point of each rim, and fixed points of a rim that stands on the plane.
void collidePlaneCylinder(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

/// One point, closed form.
void collidePlaneEllipsoid(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
