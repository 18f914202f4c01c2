// Nearest point of a triangle by Voronoi regions (Ericson 2005, 5.1.5), and its normal.
#pragma once
#include "math/Types.hpp"

namespace stiction {

/// Weights [-] of a and b in the point of their segment that is nearest to the origin.
inline Vector2 nearestWeights(const Vector3& a, const Vector3& b) {
  const Vector3 ab = b - a;
  const double t = -a.dot(ab);
  const double length = ab.squaredNorm();
  if (t <= 0) return {1, 0};
  if (t >= length) return {0, 1};
  return {1.0 - t / length, t / length};
}

/// Weights [-] of a, b and c in the point of their triangle that is nearest to the origin; zero for corners that it does not depend on.
inline Vector3 nearestWeights(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const double d1 = -ab.dot(a), d2 = -ac.dot(a);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const double d3 = -ab.dot(b), d4 = -ac.dot(b);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const Vector2 w = nearestWeights(a, b);
    return {w[0], w[1], 0};
  }
  const double d5 = -ab.dot(c), d6 = -ac.dot(c);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const Vector2 w = nearestWeights(a, c);
    return {w[0], 0, w[1]};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const Vector2 w = nearestWeights(b, c);
    return {0, w[0], w[1]};
  }
  const double total = va + vb + vc;
  return {va / total, vb / total, vc / total};
}

/// The point of a triangle that is nearest to another one: weights [-] of the corners, and the way to it [m].
struct NearestOnTriangle {
  Vector3 weights, way;
};

inline NearestOnTriangle nearestOnTriangle(const Vector3& from, const Vector3& first, const Vector3& second, const Vector3& third) {
  const Vector3 a = first - from, b = second - from, c = third - from, weights = nearestWeights(a, b, c);
  return {weights, weights[0] * a + weights[1] * b + weights[2] * c};
}

/// Unit normal to the side from which the corners are counter-clockwise.
inline Vector3 triangleNormal(const Vector3& a, const Vector3& b, const Vector3& c) { return (b - a).cross(c - a).normalized(); }

}  // namespace stiction
