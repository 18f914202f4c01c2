#include "collision/ConvexShape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/Assert.hpp"
#include "collision/NearestOnTriangle.hpp"
#include "collision/SeparatingAxis.hpp"

namespace stiction {
namespace {

constexpr double standing_tilt = 1e-3;  // [rad] a cap tilted less than this stands on fixed rim points
constexpr double level_tilt = 1e-7;     // [rad] below this the lowest rim point is a matter of round-off
constexpr int rim_points = 8;
constexpr std::size_t many_faces = 64;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Length across z. Plain, not hypot: directions are nowhere near the ends of the number range.
double planar(const Vector3& d) { return std::sqrt(d.x() * d.x() + d.y() * d.y()); }

/// Follows edges within `slope` of perpendicular to m from the support vertex; calls visit(from, to) for each.
template <class Visit>
void walkLevelEdges(const Polytope& polytope, const Vector3& m, double slope, Visit visit) {
  std::array<int, 16> seen{};
  std::size_t count = 0;
  seen[count++] = supportVertex(polytope, m);
  for (std::size_t next = 0; next < count; ++next)
    for (const int other : polytope.neighbours[at(seen[next])]) {
      const Vector3 edge = polytope.vertices[at(other)] - polytope.vertices[at(seen[next])];
      if (std::abs(edge.dot(m)) > slope * edge.norm()) continue;
      if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(count), other) == seen.begin() + static_cast<std::ptrdiff_t>(count)) {
        if (count < seen.size()) seen[count++] = other;
        visit(seen[next], other);
      } else if (other > seen[next]) {
        visit(seen[next], other);
      }
    }
}

}  // namespace

void capRimPoints(const Vector3& dimensions, const Vector3& m, double sign, std::vector<PatchVertex>& points) {
  const double r = dimensions.x(), z = sign * dimensions.y();
  const double tilt = planar(m);
  const int cap = sign > 0 ? 0 : 1;
  if (tilt > level_tilt) {
    const double x = r * m.x() / tilt, y = r * m.y() / tilt;
    points.push_back({{x, y, z}, 1 + cap});
    if (tilt > standing_tilt && tilt < facing_angle) {
      const double c = -0.5, s = 0.5 * std::numbers::sqrt3;
      points.push_back({{c * x - s * y, s * x + c * y, z}, 4 + cap});
      points.push_back({{c * x + s * y, -s * x + c * y, z}, 6 + cap});
    }
  }
  if (tilt > standing_tilt) return;
  for (int k = 0; k < rim_points; ++k) {
    const double angle = 2 * std::numbers::pi * k / rim_points;
    points.push_back({{r * std::cos(angle), r * std::sin(angle), z}, 16 + 16 * cap + k});
  }
}

ConvexShape::ConvexShape(const Shape& shape, const Pose& X) : dimensions_{shape.size}, R_{X.rotation.toRotationMatrix()}, p_{X.position}, centre_{X.position} {
  size_ = boundingRadius(shape);
  switch (shape.type) {
    case ShapeType::Sphere:
      kind_ = Kind::Point;
      margin_ = shape.size.x();
      corners_[0] = p_;
      cornerCount_ = 1;
      break;
    case ShapeType::Capsule:
      kind_ = Kind::Segment;
      margin_ = shape.size.x();
      corners_[0] = placed({0, 0, -shape.size.y()});
      corners_[1] = placed({0, 0, shape.size.y()});
      cornerCount_ = 2;
      break;
    case ShapeType::Box:
    case ShapeType::Hull:
      kind_ = Kind::Polytope;
      polytope_ = shape.polytope.get();
      centre_ = placed(polytope_->centre);
      size_ += polytope_->centre.norm();
      break;
    case ShapeType::Cylinder: kind_ = Kind::Cylinder; break;
    case ShapeType::Ellipsoid: kind_ = Kind::Ellipsoid; break;
    default: STICTION_ASSERT(false);
  }
}

ConvexShape::ConvexShape(const std::array<Vector3, 3>& corners) : kind_{Kind::Triangle}, corners_{corners}, cornerCount_{3} {
  centre_ = (corners[0] + corners[1] + corners[2]) / 3.0;
  for (const Vector3& corner : corners) size_ = std::max(size_, (corner - centre_).norm());
}

std::optional<VertexSet> ConvexShape::corners() const {
  if (polytope_ != nullptr) return VertexSet{polytope_->vertices, &polytope_->neighbours, &R_, &p_};
  if (cornerCount_ > 0) return VertexSet{{corners_.data(), cornerCount_}};
  return std::nullopt;
}

Vector3 ConvexShape::coreSupport(const Vector3& m) const {
  if (kind_ == Kind::Point) return p_;
  if (kind_ == Kind::Triangle) {
    const double a = m.dot(corners_[0]), b = m.dot(corners_[1]), c = m.dot(corners_[2]);
    return corners_[a >= b ? (a >= c ? 0 : 2) : (b >= c ? 1 : 2)];
  }
  const Vector3 d = R_.transpose() * m;
  switch (kind_) {
    case Kind::Segment: return corners_[std::signbit(d.z()) ? 0 : 1];
    case Kind::Polytope: last_ = supportVertex(*polytope_, d, last_); return placed(polytope_->vertices[at(last_)]);
    case Kind::Cylinder: {
      const double radial = planar(d);
      const double scale = radial > 0 ? dimensions_.x() / radial : 0.0;
      return placed({scale * d.x(), scale * d.y(), std::copysign(dimensions_.y(), d.z())});
    }
    case Kind::Ellipsoid: {
      const Vector3 stretched = dimensions_.cwiseProduct(d);
      return placed(dimensions_.cwiseProduct(stretched) / stretched.norm());
    }
    default: STICTION_ASSERT(false); return p_;
  }
}

Matrix3 ConvexShape::curvature(const Vector3& m) const {
  const Vector3 d = R_.transpose() * m;
  if (kind_ == Kind::Ellipsoid) {
    const Vector3 squares = dimensions_.cwiseAbs2();
    const double norm = dimensions_.cwiseProduct(d).norm();
    const Vector3 s = squares.cwiseProduct(d) / norm;
    const Matrix3 local = (Matrix3{squares.asDiagonal()} - s * s.transpose()) / norm;
    return R_ * local * R_.transpose();
  }
  if (kind_ == Kind::Cylinder) {
    const double radial = planar(d);
    if (radial == 0) return Matrix3::Zero();
    const Vector3 along = turned({-d.y() / radial, d.x() / radial, 0});
    return dimensions_.x() / radial * along * along.transpose();
  }
  return Matrix3::Zero();
}

int ConvexShape::bestFace(const Vector3& local) const {
  if (!polytope_->tree.empty()) return polytope_->tree.facing(local);
  int best = 0;
  double value = -2;
  for (std::size_t f = 0; f < polytope_->normals.size(); ++f) {
    const double candidate = local.dot(polytope_->normals[f]);
    if (candidate > value) best = static_cast<int>(f), value = candidate;
  }
  return best;
}

/// Of the faces at a corner.
int ConvexShape::bestFaceAt(int corner, const Vector3& local) const {
  int best = -1;
  double value = -2;
  for (const int other : polytope_->neighbours[at(corner)]) {
    const Polytope::Edge& edge = polytope_->edges[at(findEdge(*polytope_, corner, other))];
    for (const int f : {edge.f0, edge.f1}) {
      const double candidate = local.dot(polytope_->normals[at(f)]);
      if (candidate > value || (candidate == value && f < best)) best = f, value = candidate;
    }
  }
  return best;
}

Vector3 ConvexShape::faceNormalAt(int corner, const Vector3& m) const { return turned(polytope_->normals[at(bestFaceAt(corner, R_.transpose() * m))]); }

void ConvexShape::faceNormals(const Vector3& m, double angle, DirectionList& normals) const {
  if (kind_ == Kind::Polytope) {
    const Vector3 normal = turned(polytope_->normals[at(bestFace(R_.transpose() * m))]);
    if ((normal - m).norm() < angle) normals.add(normal);
  } else if (kind_ == Kind::Triangle) {
    const Vector3 normal = triangleNormal(corners_[0], corners_[1], corners_[2]);
    const double side = std::copysign(1.0, normal.dot(m));
    if ((side * normal - m).norm() < angle) normals.add(side * normal);
  } else if (kind_ == Kind::Cylinder) {
    const Vector3 axis = std::copysign(1.0, m.dot(R_.col(2))) * R_.col(2);
    if ((axis - m).norm() < angle) normals.add(axis);
  }
}

void ConvexShape::edgeDirections(const Vector3& m, double angle, DirectionList& directions) const {
  if (kind_ == Kind::Polytope) {
    walkLevelEdges(*polytope_, R_.transpose() * m, angle,
                   [&](int from, int to) { directions.add(turned((polytope_->vertices[at(to)] - polytope_->vertices[at(from)]).normalized())); });
  } else if (kind_ == Kind::Triangle) {
    for (int k = 0; k < 3; ++k) {
      const Vector3 edge = (corners_[at((k + 1) % 3)] - corners_[at(k)]).normalized();
      if (std::abs(edge.dot(m)) < angle) directions.add(edge);
    }
  } else if ((kind_ == Kind::Cylinder || kind_ == Kind::Segment) && std::abs(m.dot(R_.col(2))) < angle) {
    directions.add(R_.col(2));
  }
}

void ConvexShape::startNormals(const Vector3& other, std::vector<Vector3>& normals) const {
  const Vector3 d = R_.transpose() * (other - p_);
  switch (kind_) {
    case Kind::Polytope:
      if (polytope_->normals.size() > many_faces) {
        normals.push_back(turned(polytope_->normals[at(bestFace(R_.transpose() * (other - centre_)))]));
      } else {
        for (const Vector3& normal : polytope_->normals) normals.push_back(turned(normal));
      }
      break;
    case Kind::Triangle: {
      const Vector3 normal = triangleNormal(corners_[0], corners_[1], corners_[2]);
      normals.push_back(normal);
      normals.emplace_back(-normal);
      break;
    }
    case Kind::Cylinder:
    case Kind::Segment: {
      const Vector3 radial{d.x(), d.y(), 0};
      if (radial.norm() > 1e-12 * size_) normals.push_back(turned(radial.normalized()));
      normals.emplace_back(std::copysign(1.0, d.z()) * R_.col(2));
      break;
    }
    case Kind::Ellipsoid: {
      const Vector3 gradient = d.cwiseQuotient(dimensions_.cwiseAbs2());
      if (gradient.norm() > 0) normals.push_back(turned(gradient.normalized()));
      int shortest = 0;
      dimensions_.minCoeff(&shortest);
      normals.emplace_back(std::copysign(1.0, d[shortest]) * R_.col(shortest));
      break;
    }
    case Kind::Point: break;
  }
}

void ConvexShape::polytopePatch(const Vector3& m, Patch& patch) const {
  const Vector3 d = R_.transpose() * m;
  const auto add = [&](int v) { patch.vertices.push_back({placed(polytope_->vertices[at(v)]), v}); };
  const int top = supportVertex(*polytope_, d, last_);
  const int face = bestFaceAt(top, d);  // the nearest in direction of all need not be one of those at the support vertex
  if (d.dot(polytope_->normals[at(face)]) > 1 - 0.5 * facing_angle * facing_angle) {
    patch.kind = Patch::Kind::Polygon;
    patch.normal = turned(polytope_->normals[at(face)]);
    for (const int v : polytope_->faces[at(face)]) add(v);
    return;
  }
  int best = -1;
  double least = facing_angle;
  for (const int other : polytope_->neighbours[at(top)]) {
    const Vector3 edge = polytope_->vertices[at(top)] - polytope_->vertices[at(other)];
    const double slope = edge.dot(d) / edge.norm();
    if (slope < least) least = slope, best = other;
  }
  patch.kind = best < 0 ? Patch::Kind::Point : Patch::Kind::Segment;
  add(best < 0 ? top : std::min(top, best));
  if (best >= 0) add(std::max(top, best));
}

void ConvexShape::trianglePatch(const Vector3& m, Patch& patch) const {
  const Vector3 normal = triangleNormal(corners_[0], corners_[1], corners_[2]);
  const auto add = [&](int k) { patch.vertices.push_back({corners_[at(k)], k}); };
  if (std::abs(normal.dot(m)) > 1 - 0.5 * facing_angle * facing_angle) {
    patch.kind = Patch::Kind::Polygon;
    patch.normal = std::copysign(1.0, normal.dot(m)) * normal;
    for (int k = 0; k < 3; ++k) add(k);
    return;
  }
  int top = 0;
  for (int k = 1; k < 3; ++k)
    if (m.dot(corners_[at(k)]) > m.dot(corners_[at(top)])) top = k;
  int best = -1;
  double least = facing_angle;
  for (int k = 0; k < 3; ++k) {
    if (k == top) continue;
    const Vector3 edge = corners_[at(top)] - corners_[at(k)];
    const double slope = edge.dot(m) / edge.norm();
    if (slope < least) least = slope, best = k;
  }
  patch.kind = best < 0 ? Patch::Kind::Point : Patch::Kind::Segment;
  add(best < 0 ? top : std::min(top, best));
  if (best >= 0) add(std::max(top, best));
}

void ConvexShape::cylinderPatch(const Vector3& m, Patch& patch) const {
  const Vector3 d = R_.transpose() * m;
  const double radial = planar(d);
  const double sign = std::copysign(1.0, d.z());
  const auto rim = [&](double end) { return placed({dimensions_.x() * d.x() / radial, dimensions_.x() * d.y() / radial, end * dimensions_.y()}); };
  if (radial < facing_angle) {
    patch.kind = Patch::Kind::Disc;
    patch.normal = sign * R_.col(2);
    patch.centre = placed({0, 0, sign * dimensions_.y()});
    patch.radius = dimensions_.x();
    capRimPoints(dimensions_, d, sign, patch.vertices);
    for (PatchVertex& vertex : patch.vertices) vertex.point = placed(vertex.point);
  } else if (std::abs(d.z()) < facing_angle) {
    patch.kind = Patch::Kind::Segment;
    patch.vertices.push_back({rim(1), 1});
    patch.vertices.push_back({rim(-1), 2});
  } else {
    patch.kind = Patch::Kind::Point;
    patch.vertices.push_back({rim(sign), sign > 0 ? 1 : 2});
  }
}

void ConvexShape::patch(const Vector3& m, Patch& patch) const {
  patch.vertices.clear();
  switch (kind_) {
    case Kind::Polytope: polytopePatch(m, patch); break;
    case Kind::Triangle: trianglePatch(m, patch); break;
    case Kind::Cylinder: cylinderPatch(m, patch); break;
    case Kind::Segment:
      if (std::abs(m.dot(R_.col(2))) < facing_angle) {
        patch.kind = Patch::Kind::Segment;
        patch.vertices.push_back({corners_[0] + margin_ * m, 0});
        patch.vertices.push_back({corners_[1] + margin_ * m, 1});
      } else {
        patch.kind = Patch::Kind::Point;
        patch.vertices.push_back({coreSupport(m) + margin_ * m, m.dot(R_.col(2)) > 0 ? 1 : 0});
      }
      break;
    case Kind::Point:
    case Kind::Ellipsoid:
      patch.kind = Patch::Kind::Point;
      patch.vertices.push_back({coreSupport(m) + margin_ * m, 0});
      break;
  }
}

}  // namespace stiction
