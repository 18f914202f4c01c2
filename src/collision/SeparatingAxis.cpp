#include "collision/SeparatingAxis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/Assert.hpp"
#include "collision/ManyFaces.hpp"

namespace stiction {
namespace {

constexpr double moved_apart{1e-3};  // [-] of the size: distance of bodies of many faces that overlap, once moved apart to find what is near
constexpr int most_moves{4};
constexpr double same_direction{0.9986};  // [-] cosine: moving apart along another direction is worth a try
constexpr double parallel_sine{1e-4};     // [-] edges nearer to parallel give no axis of their own: their fan of normals ends in face normals

struct Bounds {
  Vector3 low, high;
};

Bounds boundsOf(const PlacedPolytope& body, double margin) {
  const Vector3 wide = Vector3::Constant(margin);
  if (body.hasTree()) {
    const Vector3 middle = body.rotation * (0.5 * (body.shape->low + body.shape->high)) + body.origin;
    const Vector3 half = body.rotation.cwiseAbs() * (0.5 * (body.shape->high - body.shape->low)) + wide;
    return {middle - half, middle + half};
  }
  Bounds box{body.vertices[0], body.vertices[0]};
  for (const Vector3& p : body.vertices) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return {box.low - wide, box.high + wide};
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

/// Whether a normal between those of the edge's faces may separate a point of the other body by `least` or more.
bool maySeparate(const PlacedPolytope& body, const Polytope::Edge& edge, const Vector3& point, double least) {
  const Vector3 &n0 = body.normal(edge.f0), &n1 = body.normal(edge.f1);
  const Vector3 d = point - body.vertex(edge.v0);
  const double most = std::max(n0.dot(d), n1.dot(d));
  return most >= least || (most > 0 && most >= 0.5 * (n0 + n1).norm() * least);
}

/// Edges that may be what touches, and may separate `point` of the other body by `least` or more.
void collectArcs(const PlacedPolytope& body, const Vector3& point, double least, const Bounds& near, const HalfSpace (&spaces)[2], double sign,
                 std::vector<Arc>& arcs) {
  arcs.clear();
  const auto consider = [&](int i) __attribute__((always_inline)) {
    const Polytope::Edge& edge = body.edge(i);
    const Vector3 &p = body.vertex(edge.v0), &q = body.vertex(edge.v1);
    if (!mayTouch(p, q, near, spaces) || !maySeparate(body, edge, point, least)) return;
    const Vector3 n0 = sign * body.normal(edge.f0), n1 = sign * body.normal(edge.f1);
    arcs.push_back({i, p, q - p, n0, n1, n1.cross(n0)});
  };
  const Polytope& shape = *body.shape;
  eachEdgeUnder(shape, body.local(point), least > 0 ? shape.sharpest * least : least, consider);
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

/// The separation of the other body over a face's plane, by its nearest vertex; found from `start` on.
FaceAxis axisOf(const PlacedPolytope& body, int face, const PlacedPolytope& other, int start) {
  const Vector3& n = body.normal(face);
  const int vertex = other.set().support(-n, start);
  const Vector3& point = other.vertex(vertex);
  return {face, n.dot(point - body.vertex(body.face(face)[0])), {point, vertex}};
}

/// A face of large separation: one that the point is high above, one that the vertex nearest along its normal is, and so on. `near` is of these points the one that is lowest.
FaceAxis likelyFace(const PlacedPolytope& body, const PlacedPolytope& other, const NearPoint& near) {
  const Polytope& shape = *body.shape;
  const int vertex = body.set().support(near.point - body.centre);
  FaceAxis likely{shape.vertexFace[static_cast<std::size_t>(vertex)], -std::numeric_limits<double>::infinity(), near};
  NearPoint lowest = near;
  for (double least = std::numeric_limits<double>::infinity();;) {
    const Vector3 x = body.local(likely.near.point);
    const int face = climbFaces(shape, likely.face, x);
    if (const double height = heightOver(shape, face, x); height < least) least = height, lowest = likely.near;
    const FaceAxis next = axisOf(body, face, other, likely.near.vertex);
    if (!(next.separation > likely.separation)) return {likely.face, likely.separation, lowest};
    likely = next;
  }
}

/// Of a body with a tree: the likely face, and those that the point nearest to it is as high above.
FaceAxis largestOfFew(const PlacedPolytope& body, const PlacedPolytope& other, const NearPoint& near, double reach) {
  FaceAxis best = likelyFace(body, other, near);
  if (best.separation > reach) return best;
  const NearPoint nearest = best.near;
  static thread_local std::vector<int> faces;
  facesUnder(*body.shape, body.local(nearest.point), best.separation, faces);
  int start = nearest.vertex;
  for (const int f : faces) {
    if (body.normal(f).dot(other.vertex(start) - body.vertex(body.face(f)[0])) <= best.separation) continue;
    const FaceAxis axis = axisOf(body, f, other, start);
    start = axis.near.vertex;
    if (axis.separation > best.separation) best = axis;
  }
  best.near = nearest;
  return best;
}

}  // namespace

bool findNearPoints(const PlacedPolytope& a, const VertexSet& b, const Vector3& centre, double size, double reach, NearPoint& nearA, NearPoint& nearB) {
  const VertexSet corners = a.set();
  Vector3 n = centre - a.centre;
  nearA.vertex = corners.support(n), nearB.vertex = b.support(-n);
  nearA.point = corners[nearA.vertex], nearB.point = b[nearB.vertex];
  Vector3 shift = Vector3::Zero();
  for (int k = 0; k < most_moves; ++k) {
    const ClosestPoints closest = closestPoints(corners, b, n, nearA.vertex, nearB.vertex, shift);
    const Vector3 last = n;
    if (closest.apart) {
      nearA = {closest.pointA, closest.vertexA[0]}, nearB = {closest.pointB, closest.vertexB[0]};
      n = nearB.point + shift - nearA.point;
    }
    if (!(n.squaredNorm() > 0)) return true;
    n.normalize();
    const double separation = n.dot(b[b.support(-n, nearB.vertex)] - corners[corners.support(n, nearA.vertex)]);
    if (separation > reach) return false;
    if (closest.apart && (shift.isZero(0) || n.dot(last) > same_direction)) return true;
    shift = (moved_apart * size - std::min(0.0, separation)) * n;
  }
  return true;
}

int findEdge(const Polytope& polytope, int vertex0, int vertex1) {
  const auto [low, high] = std::minmax({vertex0, vertex1});
  const auto found =
      std::lower_bound(polytope.edges.begin(), polytope.edges.end(), std::pair{low, high}, [](const Polytope::Edge& e, const std::pair<int, int>& wanted) {
        return std::pair{e.v0, e.v1} < wanted;
      });
  STICTION_ASSERT(found != polytope.edges.end() && found->v0 == low && found->v1 == high);
  return static_cast<int>(found - polytope.edges.begin());
}

FaceAxis largestFaceSeparation(const PlacedPolytope& body, const PlacedPolytope& other, const NearPoint* near, double reach) {
  if (body.hasTree()) return largestOfFew(body, other, *near, reach);
  const VertexSet set = other.set();
  int best = -1, nearest = 0;
  double most = -std::numeric_limits<double>::infinity();
  int start = near != nullptr ? near->vertex : set.support(body.centre - other.centre);
  for (int f = 0; f < static_cast<int>(body.shape->faces.size()); ++f) {
    const Vector3& n = body.normal(f);
    const Vector3& p = body.vertex(body.face(f)[0]);
    // Any vertex bounds the separation from above: most faces end here.
    if (n.dot(other.vertex(start) - p) <= most) continue;
    start = set.support(-n, start);
    const double separation = n.dot(other.vertex(start) - p);
    if (separation > most) best = f, most = separation, nearest = start;
    if (separation > reach) break;
  }
  return {best, most, {other.vertex(nearest), nearest}};
}

EdgeAxis largestEdgeSeparation(const PlacedPolytope& a, const FaceAxis& faceA, const PlacedPolytope& b, const FaceAxis& faceB, double reach, double least) {
  static thread_local std::vector<Arc> arcsA, arcsB;
  const double nearby = std::max(std::abs(std::max(faceA.separation, faceB.separation)), reach);
  const Vector3 &nA = a.normal(faceA.face), &nB = b.normal(faceB.face);
  const double top = nA.dot(a.vertex(a.face(faceA.face)[0]));
  const double bottom = nB.dot(b.vertex(b.face(faceB.face)[0]));
  const HalfSpace spacesA[2] = {{nA, top + faceA.separation - nearby}, {-nB, -bottom - nearby}};
  const HalfSpace spacesB[2] = {{nB, bottom + faceB.separation - nearby}, {-nA, -top - nearby}};
  collectArcs(a, faceA.near.point, least, boundsOf(b, nearby), spacesA, 1.0, arcsA);
  collectArcs(b, faceB.near.point, least, boundsOf(a, nearby), spacesB, -1.0, arcsB);
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
