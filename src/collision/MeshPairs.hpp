// Contact points of a convex shape with the exact triangles of a static mesh.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

/// `a`: Sphere, Box, Capsule, Cylinder, Ellipsoid or Hull; `b`: Mesh. Triangles push to their front only; edges inside a flat or hollow surface push nowhere but along the face normals.
void collideConvexMesh(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
