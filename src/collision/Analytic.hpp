// Pairs of simple shapes with closed-form contact points: planes against everything that has vertices or a radius, spheres, capsules and the sphere against a box.
// All are exact to round-off; normals run from the first shape to the second; a point lies midway between the two surfaces.
#pragma once
#include <vector>

#include "collision/PairPoint.hpp"
#include "geometry/Shape.hpp"

namespace stiction {

void collidePlaneSphere(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
/// The two end points of the axis.
void collidePlaneCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
/// Every vertex within reach, each with its own gap.
void collidePlaneBox(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
void collidePlaneHull(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
void collideSphereSphere(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
/// Outside: nearest point of the box; centre inside: through the nearest face.
void collideSphereBox(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
void collideSphereCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
/// The nearest point, and where the capsules lie side by side the ends of the overlap.
void collideCapsuleCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);

}  // namespace stiction
