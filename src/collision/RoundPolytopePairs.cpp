#include "collision/RoundPolytopePairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collision/ClosestPoints.hpp"
#include "collision/Features.hpp"
#include "collision/ManyFaces.hpp"
#include "collision/SegmentDistance.hpp"
#include "collision/SeparatingAxis.hpp"
#include "collision/SideBySide.hpp"

namespace stiction {
namespace {

constexpr double along_face{1e-8};     // [-] 1 - cosine: nearest directions this near a face normal count as the face's
constexpr double parallel_sine{1e-6};  // [-] axis and edge nearer to parallel have no common normal
constexpr double flat_sine{0.1};       // [-] a core tilted no farther against a face lies on it
constexpr double core_contact{1e-9};   // [radius] the axis this near the surface counts as on it
constexpr double same_corner{1e-13};   // [radius] edges whose distances from the axis differ by less are nearest at the corner that they share

/// Segment p + s u, s in [0, 1], in the polytope's frame; u = 0 for a sphere.
struct Core {
  Vector3 p, u;

  Vector3 at(double s) const { return p + s * u; }
};

/// A point of the core, and the direction from the polytope to it.
struct Candidate {
  double distance{std::numeric_limits<double>::infinity()};  // [m] of the core from the polytope, negative inside
  Vector3 normal{Vector3::Zero()};
  int face{-1}, edge{-1};
  double s{0};
};

Candidate bestFace(const Polytope& polytope, const Core& core) {
  Candidate best;
  best.distance = -std::numeric_limits<double>::infinity();
  const auto consider = [&](int face) {
    const std::size_t f = static_cast<std::size_t>(face);
    const Vector3& n = polytope.normals[f];
    const double first = n.dot(core.p - polytope.vertices[static_cast<std::size_t>(polytope.faces[f][0])]);
    const double rise = n.dot(core.u);
    const double distance = first + std::min(0.0, rise);
    if (distance > best.distance) best = {distance, n, face, -1, rise < 0 ? 1.0 : 0.0};
  };
  if (polytope.tree.empty()) {
    for (int f = 0; f < static_cast<int>(polytope.faces.size()); ++f) consider(f);
    return best;
  }
  static thread_local std::vector<int> faces;
  const Vector3 middle = core.at(0.5);
  const int vertex = supportVertex(polytope, middle - polytope.centre);
  consider(climbFaces(polytope, polytope.vertexFace[static_cast<std::size_t>(vertex)], middle));
  facesUnder(polytope, middle, best.distance, faces);  // no face is farther from the core than from its middle
  for (const int f : faces) consider(f);
  return best;
}

/// Part [low, high] of the core over a face, empty when low > high, and the sides of the face that it crosses there; -1 where the core ends.
struct Overlap {
  double low{0}, high{1};
  int lowSide{-1}, highSide{-1};
};

Overlap overFace(const Polytope& polytope, int face, const Core& core, double tolerance) {
  const std::vector<int>& loop = polytope.faces[static_cast<std::size_t>(face)];
  const Vector3& n = polytope.normals[static_cast<std::size_t>(face)];
  Overlap overlap;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3& p = polytope.vertices[static_cast<std::size_t>(loop[k])];
    const Vector3& q = polytope.vertices[static_cast<std::size_t>(loop[(k + 1) % loop.size()])];
    const Vector3 side = (q - p).cross(n).normalized();
    const double first = side.dot(core.p - p);
    const double last = first + side.dot(core.u);
    if (first <= tolerance && last <= tolerance) continue;
    if (first > tolerance && last > tolerance) return {1, 0, -1, -1};
    const double s = std::clamp(first / (first - last), 0.0, 1.0);
    if (first > last && s > overlap.low) overlap.low = s, overlap.lowSide = static_cast<int>(k);
    if (first <= last && s < overlap.high) overlap.high = s, overlap.highSide = static_cast<int>(k);
  }
  return overlap;
}

/// Calls take(edge) for the edges that may be nearest to a core outside, ascending: of many, those at the corners of the nearest feature.
template <class Take>
void eachNearEdge(const Polytope& polytope, const Core& core, const Take& take) {
  const Vector3 ends[] = {core.p, core.at(1)};
  const VertexSet coreSet{{ends, core.u.isZero(0) ? 1u : 2u}}, corners{polytope.vertices, &polytope.neighbours};
  const ClosestPoints near = polytope.tree.empty() ? ClosestPoints{} : closestPoints(coreSet, corners, polytope.centre - core.at(0.5));
  if (!near.apart) {
    for (int e = 0; e < static_cast<int>(polytope.edges.size()); ++e) take(e);
    return;
  }
  static thread_local std::vector<int> edges;
  edges.clear();
  for (const int v : near.vertexB)
    if (v >= 0)
      for (const int other : polytope.neighbours[static_cast<std::size_t>(v)]) edges.push_back(findEdge(polytope, v, other));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const int e : edges) take(e);
}

/// Of edges that meet at the nearest corner, the one that is most along the core.
Candidate nearestEdge(const Polytope& polytope, const Core& core) {
  Candidate best;
  double alongBest = 0;
  eachNearEdge(polytope, core, [&](int e) {
    const Polytope::Edge& edge = polytope.edges[static_cast<std::size_t>(e)];
    const Vector3& p = polytope.vertices[static_cast<std::size_t>(edge.v0)];
    const Vector3& q = polytope.vertices[static_cast<std::size_t>(edge.v1)];
    const SegmentPoints near = nearestPoints(core.p, core.u, p, q - p);
    const Vector3 d = near.pointA - near.pointB;
    const double distance = d.norm(), alike = same_corner * polytope.radius;
    if (!(distance < best.distance + alike)) return;
    const double along = std::abs(core.u.dot(q - p)) / (q - p).norm();
    if (distance < best.distance - alike || along > alongBest) {
      best = {distance, distance > 0 ? Vector3{d / distance} : Vector3::Zero(), -1, e, near.s};
      alongBest = along;
    }
  });
  return best;
}

/// Core inside: the edge axis of least depth, if less than through the face. At such an edge there is a face that no point of the core is deeper under than along the axis.
Candidate deepEdge(const Polytope& polytope, const Core& core, const Candidate& face) {
  Candidate best = face;
  eachEdgeUnder(polytope, core.p, face.distance, [&](int e) {
    const Polytope::Edge& edge = polytope.edges[static_cast<std::size_t>(e)];
    const Vector3& n0 = polytope.normals[static_cast<std::size_t>(edge.f0)];
    const Vector3& n1 = polytope.normals[static_cast<std::size_t>(edge.f1)];
    if (core.u.dot(n0) * core.u.dot(n1) >= 0) return;
    const Vector3& p = polytope.vertices[static_cast<std::size_t>(edge.v0)];
    const Vector3 d = polytope.vertices[static_cast<std::size_t>(edge.v1)] - p;
    Vector3 n = d.cross(core.u);
    const double length = n.norm();
    if (length < parallel_sine * d.norm() * core.u.norm()) return;
    n /= n.dot(n0 + n1) < 0 ? -length : length;
    const double distance = n.dot(core.p - p);
    if (distance > best.distance + 1e-5 * polytope.radius) best = {distance, n, -1, e, nearestPoints(core.p, core.u, p, d).s};
  });
  return best;
}

/// Where a core that is nearest at an edge lies flat over a face beside it, the other end of that, too, which the least rotation makes the nearer one.
template <class Add>
void addFarEnd(const Polytope& polytope, const Core& core, int face, const Candidate& nearest, double tolerance, const Add& add) {
  const Vector3& n = polytope.normals[static_cast<std::size_t>(face)];
  if (std::abs(n.dot(core.u)) > flat_sine * core.u.norm()) return;
  const Overlap over = overFace(polytope, face, core, tolerance);
  if (over.low >= over.high) return;
  const bool isHigh = over.high - nearest.s > nearest.s - over.low;
  const int side = isHigh ? over.highSide : over.lowSide;
  double s = isHigh ? over.high : over.low;
  const std::vector<int>& loop = polytope.faces[static_cast<std::size_t>(face)];
  const int v0 = loop[static_cast<std::size_t>(std::max(side, 0))], v1 = loop[static_cast<std::size_t>(side + 1) % loop.size()];
  const Vector3& p = polytope.vertices[static_cast<std::size_t>(v0)];
  const Vector3 d = polytope.vertices[static_cast<std::size_t>(v1)] - p, across = core.u.cross(d);
  const double length = across.norm();
  Vector3 normal = n;
  std::uint64_t id = feature(FeatureKind::Point, isHigh ? 1 : 0, face + 1);
  if (side >= 0 && length > parallel_sine * core.u.norm() * d.norm()) {
    const int number = findEdge(polytope, v0, v1);
    if (number == nearest.edge) return;
    normal = across / std::copysign(length, across.dot(n));
    s = nearestPoints(core.p, core.u, p, d).s;
    id = feature(FeatureKind::Point, 4, polytope.edges[static_cast<std::size_t>(number)].v0, polytope.edges[static_cast<std::size_t>(number)].v1);
  }
  if (const double distance = normal.dot(core.at(s) - p); distance >= nearest.distance) add(s, normal, distance, id);
}

/// Contacts of a core of the given radius with the polytope, in the polytope's frame; `add(s, normal, distance, id)`.
template <class Add>
void collideCore(const Polytope& polytope, const Core& core, double radius, double reach, const Add& add) {
  const Candidate face = bestFace(polytope, core);
  if (face.distance > reach + radius) return;
  const double size = std::min(polytope.radius, radius + core.u.norm());
  const bool segment = core.u.squaredNorm() > 0;
  Candidate best = face;
  if (face.distance <= core_contact * size) {
    if (segment) best = deepEdge(polytope, core, face);
    if (best.distance > core_contact * size) best = nearestEdge(polytope, core);  // no face lies between them, but an edge or a corner
  } else {
    const Overlap over = overFace(polytope, face.face, core, 0);
    const bool faceIsNearest = over.low <= over.high && face.s >= over.low && face.s <= over.high;
    if (!faceIsNearest) {
      const Candidate edge = nearestEdge(polytope, core);
      const bool lies = over.low <= over.high && edge.normal.dot(face.normal) > 1 - along_face;
      if (!lies) best = edge;
    }
  }
  if (best.face >= 0) {
    const double rise = best.normal.dot(core.u);
    const double start = best.distance - std::min(0.0, rise);
    const Overlap over = overFace(polytope, best.face, core, core_contact * size);
    const double low = over.low, high = over.high;
    if (low > high || !segment) {
      add(best.s, best.normal, best.distance, feature(FeatureKind::Point, 0, best.face + 1));
      return;
    }
    add(low, best.normal, start + low * rise, feature(FeatureKind::Point, 0, best.face + 1));
    if (high > low) add(high, best.normal, start + high * rise, feature(FeatureKind::Point, 1, best.face + 1));
    return;
  }
  const Polytope::Edge& edge = polytope.edges[static_cast<std::size_t>(best.edge)];
  const auto idOf = [&](int place) { return feature(FeatureKind::Point, 2 + place, edge.v0, edge.v1); };
  if (!segment) {
    add(best.s, best.normal, best.distance, idOf(2));
    return;
  }
  const double length = core.u.norm();
  const Tube capsule{core.at(0.5), core.u / length, 0.5 * length, radius}, line = edgeTube(polytope, edge);
  for (const TubeContact& contact : TubeContacts{capsule, line, nearestPoints(capsule, line), -best.normal, best.distance - radius}.items())
    add(0.5 + contact.along / length, -contact.normal, contact.gap + radius, idOf(contact.place));
  for (const int side : {edge.f0, edge.f1}) addFarEnd(polytope, core, side, best, core_contact * size, add);
}

/// Runs collideCore and hands the points to `out`; sign -1 when the round body is A.
void collideRound(const Shape& polytope, const Pose& X_WP, const Core& core, double radius, double reach, double sign, std::vector<PairPoint>& out) {
  const Matrix3 R = X_WP.rotation.toRotationMatrix();
  collideCore(*polytope.polytope, core, radius, reach, [&](double s, const Vector3& n, double distance, std::uint64_t id) {
    const double gap = distance - radius;
    if (!(gap <= reach)) return;
    out.push_back({X_WP.position + R * (core.at(s) - (radius + 0.5 * gap) * n), sign * (R * n), gap, id});
  });
}

}  // namespace

void collideSpherePolytope(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Matrix3 R_BW = X_WB.rotation.toRotationMatrix().transpose();
  collideRound(b, X_WB, {R_BW * (X_WA.position - X_WB.position), Vector3::Zero()}, a.size[0], reach, -1.0, out);
}

void collidePolytopeCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Matrix3 R_AW = X_WA.rotation.toRotationMatrix().transpose();
  const Vector3 axis = R_AW * X_WB.rotation.toRotationMatrix().col(2);
  const Vector3 centre = R_AW * (X_WB.position - X_WA.position);
  collideRound(a, X_WA, {centre - b.size[1] * axis, 2 * b.size[1] * axis}, b.size[0], reach, 1.0, out);
}

}  // namespace stiction
