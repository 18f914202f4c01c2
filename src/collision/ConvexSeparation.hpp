// The direction along which two convex shapes are farthest apart, or overlap least:
//
//   gap = max over unit n of g(n),   g(n) = min over B of n·b − max over A of n·a
//
// one definition for separated, touching and overlapping shapes. For overlaps g has several local maxima; the one reached from the best of the face normals,
// axes and the line of centres is returned, which is the physical one while the overlap is shallow.
//
// Method: a start normal from Gilbert, Johnson, Keerthi 1988, run on the cores and, where they are nearer than a small distance, on cores moved apart along the
// normal so far: moving apart by s n and taking the new nearest direction never lowers g and contracts errors by s/(R + s), R the radius of curvature. Then the maximum is
// polished on each smooth piece near it: face normals and cross products of edges directly, a great circle about one edge, or the whole sphere, by Newton's method with
// the curvature of the supports (quadratic), so that normal and witnesses are exact to round-off. Never the expanding-polytope algorithm.
// Ellipsoids and points need no search: g is concave in n of any length, so a stationary n with g > 0 is the maximum, and Newton mostly gets there from the line of centres.
#pragma once
#include <optional>

#include "collision/ConvexShape.hpp"

namespace stiction {

struct Separation {
  Vector3 normal{Vector3::Zero()};    // [-] unit, from A to B
  double gap{0};                      // [m] between the surfaces, negative where they overlap
  Vector3 witnessA{Vector3::Zero()};  // [m] on the surface of A, farthest along the normal
  Vector3 witnessB{Vector3::Zero()};
};

/// Along the unit normal n, by which the cores are `cores` [m] apart.
Separation separationAlong(const ConvexShape& a, const ConvexShape& b, const Vector3& n, double cores);

/// Exact when the gap is at most `reach`; else only a lower bound of the gap that is above it.
Separation separate(const ConvexShape& a, const ConvexShape& b, double reach);

/// The same for a smooth core or a cylinder A and a triangle, from feature to feature of the triangle by Newton's method, first along `direction`, to where the triangle is near. At a maximum
/// of g A touches, moved by g along n, a point of the triangle: where that fails there is nothing, nor for deep overlaps.
std::optional<Separation> separateRound(const ConvexShape& a, const ConvexShape& triangle, const Vector3& direction, double reach);

}  // namespace stiction
