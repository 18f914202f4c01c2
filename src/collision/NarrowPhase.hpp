// Narrow phase: the contact points of one pair of geoms, by a table over the two shape types.
#pragma once
#include <vector>

#include "collision/Contact.hpp"
#include "collision/PairPoint.hpp"

namespace stiction {

/// Contact points of two shapes at the given poses with gap <= reach, normals from A to B, sorted by feature; `points` is cleared first.
void collideShapes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& points);

/// False when the bounding spheres (or the plane and a sphere) are farther apart than reach.
bool boundsMeet(const Shape& a, double radiusA, const Pose& X_WA, const Shape& b, double radiusB, const Pose& X_WB, double reach);

}  // namespace stiction
