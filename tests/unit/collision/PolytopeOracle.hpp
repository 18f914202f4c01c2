// Brute force for two convex polytopes: every vertex against every face, every edge against every edge, every axis. Slow, and independent of the collision room.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/Shape.hpp"

namespace stiction::oracle {

struct Solid {
  std::vector<Vector3> vertices;
  std::vector<std::vector<int>> faces;
  std::vector<Vector3> normals;
  std::vector<Polytope::Edge> edges;

  Solid(const Shape& shape, const Pose& X) : faces{shape.polytope->faces}, edges{shape.polytope->edges} {
    for (const Vector3& v : shape.polytope->vertices) vertices.push_back(X * v);
    for (const Vector3& n : shape.polytope->normals) normals.push_back(X.rotation * n);
  }
  const Vector3& vertex(int i) const { return vertices[static_cast<std::size_t>(i)]; }
};

inline double pointSegment(const Vector3& x, const Vector3& p, const Vector3& q) {
  const Vector3 d = q - p;
  return (x - p - std::clamp(d.dot(x - p) / d.squaredNorm(), 0.0, 1.0) * d).norm();
}

/// Distance of two segments: the common perpendicular where its feet are inside, else an end point.
inline double segmentSegment(const Vector3& p0, const Vector3& p1, const Vector3& q0, const Vector3& q1) {
  double best = std::min({pointSegment(p0, q0, q1), pointSegment(p1, q0, q1), pointSegment(q0, p0, p1), pointSegment(q1, p0, p1)});
  const Vector3 u = p1 - p0, w = q1 - q0, n = u.cross(w);
  if (n.norm() > 1e-12 * u.norm() * w.norm()) {
    const double s = (q0 - p0).cross(w).dot(n) / n.squaredNorm();
    const double t = (q0 - p0).cross(u).dot(n) / n.squaredNorm();
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(n.normalized().dot(q0 - p0)));
  }
  return best;
}

/// Distance of a point from a face's polygon.
inline double pointFace(const Vector3& x, const Solid& body, std::size_t f) {
  const std::vector<int>& loop = body.faces[f];
  double best = std::numeric_limits<double>::infinity();
  bool over = true;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3& p = body.vertex(loop[k]);
    const Vector3& q = body.vertex(loop[(k + 1) % loop.size()]);
    best = std::min(best, pointSegment(x, p, q));
    if ((q - p).cross(body.normals[f]).dot(x - p) > 0) over = false;
  }
  if (over) best = std::min(best, std::abs(body.normals[f].dot(x - body.vertex(loop[0]))));
  return best;
}

inline double distanceFromSurface(const Vector3& x, const Solid& body) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < body.faces.size(); ++f) best = std::min(best, pointFace(x, body, f));
  return best;
}

/// Separation along n (from A to B).
inline double along(const Vector3& n, const Solid& a, const Solid& b) {
  double most = -std::numeric_limits<double>::infinity(), least = -most;
  for (const Vector3& v : a.vertices) most = std::max(most, n.dot(v));
  for (const Vector3& v : b.vertices) least = std::min(least, n.dot(v));
  return least - most;
}

/// Distance, or minus the penetration depth where the solids overlap.
inline double signedDistance(const Solid& a, const Solid& b) {
  double axis = -std::numeric_limits<double>::infinity();
  for (const Vector3& n : a.normals) axis = std::max(axis, along(n, a, b));
  for (const Vector3& n : b.normals) axis = std::max(axis, along(-n, a, b));
  for (const Polytope::Edge& e : a.edges) {
    for (const Polytope::Edge& g : b.edges) {
      const Vector3 u = (a.vertex(e.v1) - a.vertex(e.v0)).normalized(), w = (b.vertex(g.v1) - b.vertex(g.v0)).normalized();
      const Vector3 n = u.cross(w);
      if (n.norm() < 1e-9) continue;
      axis = std::max({axis, along(n.normalized(), a, b), along(-n.normalized(), a, b)});
    }
  }
  if (axis <= 0) return axis;
  double best = std::numeric_limits<double>::infinity();
  for (const Vector3& v : a.vertices) {
    for (std::size_t f = 0; f < b.faces.size(); ++f) best = std::min(best, pointFace(v, b, f));
  }
  for (const Vector3& v : b.vertices) {
    for (std::size_t f = 0; f < a.faces.size(); ++f) best = std::min(best, pointFace(v, a, f));
  }
  for (const Polytope::Edge& e : a.edges) {
    for (const Polytope::Edge& g : b.edges) best = std::min(best, segmentSegment(a.vertex(e.v0), a.vertex(e.v1), b.vertex(g.v0), b.vertex(g.v1)));
  }
  return best;
}

}  // namespace stiction::oracle
