#include "collision/TriangleSeparation.hpp"

#include <algorithm>
#include <cmath>

#include "collision/NearestOnTriangle.hpp"
#include "collision/SeparatingAxis.hpp"

namespace stiction {
namespace {

constexpr double meets = 1e-9;  // [-] of the smaller size: nearer than this, nearest points do not tell a direction
constexpr double agrees = 1 - 1e-9,
                 exact = 1e-12;  // [-] of the nearest points' distance, and of the size: a separation that is less by more shows that they were not the nearest
constexpr double parallel_sine = 1e-6;  // [-] edges nearer to parallel have no normal across them
constexpr double feature_angle = 1e-2;  // [rad] faces this near the direction of the nearest points may be what is nearest
constexpr double rounding = 1e-14;      // [-] of the sizes and distance: separations that differ by less are equal

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A triangle as a polytope: its front and back, and sides of no height.
class Prism {
 public:
  Prism() {
    shape_.faces = {{0, 1, 2}, {0, 2, 1}, {0, 1}, {1, 2}, {2, 0}};
    shape_.edges = {{0, 1, 0, 2}, {0, 1, 1, 2}, {0, 2, 0, 4}, {0, 2, 1, 4}, {1, 2, 0, 3}, {1, 2, 1, 3}};
    shape_.neighbours = {{1, 2}, {0, 2}, {0, 1}};
    shape_.vertices.resize(3);
    shape_.normals.resize(5);
  }

  PlacedPolytope place(const std::array<Vector3, 3>& corners) {
    std::copy(corners.begin(), corners.end(), shape_.vertices.begin());
    const Vector3 normal = triangleNormal(corners[0], corners[1], corners[2]);
    shape_.normals[0] = normal;
    shape_.normals[1] = -normal;
    for (int k = 0; k < 3; ++k) shape_.normals[at(2 + k)] = (corners[at((k + 1) % 3)] - corners[at(k)]).cross(normal).normalized();
    return {&shape_, shape_.vertices, shape_.normals, (corners[0] + corners[1] + corners[2]) / 3.0};
  }

 private:
  Polytope shape_;
};

class TrianglePair {
 public:
  TrianglePair(const ConvexShape& body, const VertexSet& corners, const ConvexShape& triangle)
      : body_{body}, triangle_{triangle}, corners_{corners}, flat_{*triangle.corners()} {
    size_ = std::min(body.size(), triangle.size());
    noise_ = rounding * (body.size() + triangle.size() + (body.centre() - triangle.centre()).norm());
  }

  std::optional<Separation> separate(const Vector3& direction, double reach) {
    const ClosestPoints near = closestPoints(corners_, flat_, direction, body_.lastCorner(), 0, Vector3::Zero(), reach + body_.margin());
    const bool areApart = near.apart && !near.beyond && near.distance > meets * size_;
    if (near.beyond)
      take(near.direction.normalized());
    else if (areApart)
      chooseAmongFeatures(near);
    else if (body_.polytope() != nullptr)
      chooseAmongAxes(reach);
    else
      return std::nullopt;
    if (areApart && !(most_ >= agrees * near.distance - exact * size_)) return std::nullopt;
    Separation result = separationAlong(body_, triangle_, normal_, most_);
    if (areApart) result.witnessA = near.pointA + body_.margin() * normal_, result.witnessB = near.pointB;
    return result;
  }

 private:
  double along(const Vector3& n) const { return n.dot(triangle_.coreSupport(-n) - body_.coreSupport(n)); }
  void take(const Vector3& n) {
    normal_ = n;
    most_ = along(n);
  }
  void consider(const Vector3& n) {
    const double separation = along(n);
    if (separation > most_ + noise_) normal_ = n, most_ = separation;
  }

  /// Where several normals are as good, that of a face: the triangle's, the body's.
  void chooseAmongFeatures(const ClosestPoints& near) {
    const Vector3 d = near.direction / near.distance;
    take(d);
    most_ -= 2 * noise_;  // it loses every tie
    DirectionList faces;
    triangle_.faceNormals(-d, feature_angle, faces);
    for (std::size_t i = 0; i < faces.count; ++i) faces.items[i] = -faces.items[i];
    if (body_.polytope() != nullptr) {
      const Vector3 normal = body_.faceNormalAt(near.vertexA[0], d);
      if ((normal - d).norm() < feature_angle) faces.add(normal);
    }
    for (std::size_t i = 0; i < faces.count; ++i) consider(faces.items[i]);
    consider(normalOf(near, d));
    most_ = along(normal_);
  }

  /// The normal that the features of the nearest points have, exactly.
  Vector3 normalOf(const ClosestPoints& near, const Vector3& d) const {
    const auto edgeOf = [](const VertexSet& set, const std::array<int, 3>& ids) -> Vector3 {
      return ids[1] < 0 ? Vector3::Zero() : Vector3{set[ids[1]] - set[ids[0]]};
    };
    const Vector3 edge = edgeOf(corners_, near.vertexA), other = edgeOf(flat_, near.vertexB);
    const auto towards = [&](const Vector3& n) -> Vector3 { return std::copysign(1.0 / n.norm(), n.dot(d)) * n; };
    if (near.vertexA[2] >= 0) {
      const Vector3 across = edge.cross(corners_[near.vertexA[2]] - corners_[near.vertexA[0]]);
      if (across.norm() > parallel_sine * edge.squaredNorm()) return towards(across);
    }
    const Vector3 across = edge.cross(other);
    if (across.norm() > parallel_sine * edge.norm() * other.norm()) return towards(across);
    const Vector3& along = edge.isZero(0) ? other : edge;
    return along.isZero(0) ? d : Vector3{d - along * (along.dot(d) / along.squaredNorm())}.normalized();
  }

  /// Along the normals of faces and across edges, in the body's frame; where several are as good, the triangle's, the body's.
  void chooseAmongAxes(double reach) {
    static thread_local Prism prism;
    const Polytope& polytope = *body_.polytope();
    const Matrix3 R_BS = body_.rotation().transpose();
    std::array<Vector3, 3> corners;
    for (int k = 0; k < 3; ++k) corners[at(k)] = R_BS * (flat_[k] - body_.origin());
    const PlacedPolytope a{&polytope, polytope.vertices, polytope.normals, polytope.centre}, b = prism.place(corners);
    NearPoint nearA, nearB;
    if (a.hasTree()) findNearPoints(a, b.set(), b.centre, size_, reach, nearA, nearB);
    const FaceAxis ofTriangle = largestFaceSeparation(b, a, a.hasTree() ? &nearA : nullptr, reach);
    take(body_.rotation() * -b.normal(ofTriangle.face));
    if (most_ > reach) return;
    const FaceAxis ofBody = largestFaceSeparation(a, b, a.hasTree() ? &nearB : nullptr, reach);
    consider(body_.rotation() * a.normal(ofBody.face));
    if (most_ > reach) return;
    const EdgeAxis across = largestEdgeSeparation(a, ofBody, b, ofTriangle, reach, most_ - noise_);
    if (across.edgeA >= 0) consider(body_.rotation() * across.normal);
  }

  const ConvexShape& body_;
  const ConvexShape& triangle_;
  VertexSet corners_, flat_;
  double size_{0}, noise_{0};  // [m]
  Vector3 normal_{Vector3::Zero()};
  double most_{0};  // [m] separation of the cores along it
};

/// Of a ball: towards the nearest point; where the face's normal is as good, along that.
std::optional<Separation> separateBall(const ConvexShape& ball, const ConvexShape& triangle) {
  const VertexSet corners = *triangle.corners();
  const Vector3& centre = ball.centre();
  const auto [weights, way] = nearestOnTriangle(centre, corners[0], corners[1], corners[2]);
  const double distance = way.norm();
  if (!(distance > meets * std::min(ball.size(), triangle.size()))) return std::nullopt;
  const Vector3 across = triangleNormal(corners[0], corners[1], corners[2]), face = std::copysign(1.0, across.dot(way)) * across;
  const bool isFace = (weights.array() > 0).all() || face.dot(way) >= distance - rounding * (ball.size() + triangle.size() + distance);
  const Vector3 n = isFace ? face : Vector3{way / distance};
  return Separation{n, n.dot(way) - ball.margin(), centre + ball.margin() * n, centre + way};
}

}  // namespace

std::optional<Separation> separateTriangle(const ConvexShape& body, const ConvexShape& triangle, const Vector3& direction, double reach) {
  const std::optional<VertexSet> corners = body.corners();
  if (!corners) return separateRound(body, triangle, direction, reach);
  return corners->vertices.size() == 1 ? separateBall(body, triangle) : TrianglePair{body, *corners, triangle}.separate(direction, reach);
}

}  // namespace stiction
