#include "collision/SeparatingAxis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/Assert.hpp"

namespace stiction {
namespace {

constexpr double parallel_sine{1e-4};  // [-] edges nearer to parallel give no axis of their own: their fan of normals ends in face normals

struct Bounds {
  Vector3 low, high;
};

Bounds boundsOf(std::span<const Vector3> points, double margin) {
  Bounds box{points[0], points[0]};
  for (const Vector3& p : points) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return {box.low - Vector3::Constant(margin), box.high + Vector3::Constant(margin)};
}

/// An edge as the Gauss-map test needs it: the arc from n0 to n1 and the edge's direction.
struct Arc {
  int edge;
  Vector3 p, d;    // [m] start vertex, edge vector
  Vector3 n0, n1;  // [-] normals of the faces that meet here (negated for B)
  Vector3 axis;    // [-] n1 × n0, along the edge
};

/// n·x >= low: where a point of an edge pair that touches can be.
struct HalfSpace {
  Vector3 n;
  double low;
};

/// The edge crosses the bounds and every half space, as far as each alone can tell.
bool mayTouch(const Vector3& p, const Vector3& q, const Bounds& near, const HalfSpace (&spaces)[2]) {
  for (const HalfSpace& space : spaces) {
    if (std::max(space.n.dot(p), space.n.dot(q)) < space.low) return false;
  }
  return (p.cwiseMax(q).array() >= near.low.array()).all() && (p.cwiseMin(q).array() <= near.high.array()).all();
}

void collectArcs(const PlacedPolytope& body, const Bounds& near, const HalfSpace (&spaces)[2], double sign, std::vector<Arc>& arcs) {
  arcs.clear();
  for (std::size_t i = 0; i < body.shape->edges.size(); ++i) {
    const Polytope::Edge& edge = body.shape->edges[i];
    const Vector3& p = body.vertex(edge.v0);
    const Vector3& q = body.vertex(edge.v1);
    if (!mayTouch(p, q, near, spaces)) continue;
    const Vector3 n0 = sign * body.normal(edge.f0);
    const Vector3 n1 = sign * body.normal(edge.f1);
    arcs.push_back({static_cast<int>(i), p, q - p, n0, n1, n1.cross(n0)});
  }
}

/// The arcs cross: the edges build a face of the Minkowski difference (Gregorius 2013).
bool arcsCross(const Arc& a, const Arc& b) {
  const double c = b.n0.dot(a.axis);
  const double d = b.n1.dot(a.axis);
  if (c * d >= 0) return false;
  const double e = a.n0.dot(b.axis);
  const double f = a.n1.dot(b.axis);
  return e * f < 0 && c * f > 0;
}

}  // namespace

int findEdge(const Polytope& polytope, int vertex0, int vertex1) {
  const auto [low, high] = std::minmax({vertex0, vertex1});
  const auto found =
      std::find_if(polytope.edges.begin(), polytope.edges.end(), [&, low = low, high = high](const Polytope::Edge& e) { return e.v0 == low && e.v1 == high; });
  STICTION_ASSERT(found != polytope.edges.end());
  return static_cast<int>(found - polytope.edges.begin());
}

FaceAxis largestFaceSeparation(const PlacedPolytope& body, const PlacedPolytope& other, double reach) {
  FaceAxis best{-1, -std::numeric_limits<double>::infinity()};
  const VertexSet set = other.set();
  int start = set.support(body.centre - other.centre);
  for (std::size_t f = 0; f < body.normals.size(); ++f) {
    const Vector3& n = body.normals[f];
    const Vector3& p = body.vertex(body.shape->faces[f][0]);
    // Any vertex bounds the separation from above: most faces end here.
    if (n.dot(other.vertex(start) - p) <= best.separation) continue;
    start = set.support(-n, start);
    const double separation = n.dot(other.vertex(start) - p);
    if (separation > best.separation) best = {static_cast<int>(f), separation};
    if (separation > reach) break;
  }
  return best;
}

EdgeAxis largestEdgeSeparation(const PlacedPolytope& a, const FaceAxis& faceA, const PlacedPolytope& b, const FaceAxis& faceB, double reach) {
  static thread_local std::vector<Arc> arcsA, arcsB;
  const double nearby = std::max(std::abs(std::max(faceA.separation, faceB.separation)), reach);
  const Vector3& nA = a.normal(faceA.face);
  const Vector3& nB = b.normal(faceB.face);
  const double top = nA.dot(a.vertex(a.face(faceA.face)[0]));
  const double bottom = nB.dot(b.vertex(b.face(faceB.face)[0]));
  const HalfSpace spacesA[2] = {{nA, top + faceA.separation - nearby}, {-nB, -bottom - nearby}};
  const HalfSpace spacesB[2] = {{nB, bottom + faceB.separation - nearby}, {-nA, -top - nearby}};
  collectArcs(a, boundsOf(b.vertices, nearby), spacesA, 1.0, arcsA);
  collectArcs(b, boundsOf(a.vertices, nearby), spacesB, -1.0, arcsB);
  EdgeAxis best;
  best.separation = -std::numeric_limits<double>::infinity();
  for (const Arc& x : arcsA) {
    const double lengthA = x.d.squaredNorm();
    for (const Arc& y : arcsB) {
      if (!arcsCross(x, y)) continue;
      Vector3 n = x.d.cross(y.d);
      const double square = n.squaredNorm();
      if (square < parallel_sine * parallel_sine * lengthA * y.d.squaredNorm()) continue;
      n /= std::sqrt(square);
      if (n.dot(x.n0 + x.n1) < 0) n = -n;
      const double separation = n.dot(y.p - x.p);
      if (separation > best.separation) best = {x.edge, y.edge, separation, n};
      if (separation > reach) return best;
    }
  }
  return best;
}

}  // namespace stiction
