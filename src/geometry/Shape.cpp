// Shape values: construction with checks, bounds and supports. Cost: constant, but for hulls (vertices) and the bounds of meshes and height fields (all points).
#include "geometry/Shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Assert.hpp"
#include "base/Error.hpp"
#include "geometry/Polyhedra.hpp"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t bruteForceVertices = 64;  // [-] up to here a straight loop beats hill climbing

void requireLength(const char* element, double value) {
  if (!std::isfinite(value) || value <= 0) throw InputError{element, number(value), "finite and > 0 [m]", "give a positive length"};
}

Shape sized(ShapeType type, const Vector3& size) {
  Shape shape;
  shape.type = type;
  shape.size = size;
  return shape;
}

Polytope boxPolytope(const Vector3& h) {
  std::vector<Vector3> vertices;
  vertices.reserve(8);
  for (int i = 0; i < 8; ++i) vertices.emplace_back((i & 1) != 0 ? h.x() : -h.x(), (i & 2) != 0 ? h.y() : -h.y(), (i & 4) != 0 ? h.z() : -h.z());
  return assemblePolytope(std::move(vertices), {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

/// Low and high corner of a mesh or height field in its own frame.
std::pair<Vector3, Vector3> extent(const Shape& shape) {
  if (shape.type == ShapeType::Mesh) return {shape.mesh->nodes[0].low, shape.mesh->nodes[0].high};
  const HeightField& field = *shape.heightField;
  return {Vector3{-field.rx, -field.ry, std::min(field.lowest, -field.bottom)}, Vector3{field.rx, field.ry, field.highest}};
}

/// Half width [m] of a shape symmetric about its centre along each world axis, at rotation R.
Vector3 halfWidths(const Shape& shape, const Matrix3& R) {
  const Vector3& s = shape.size;
  const Vector3 axis = R.col(2);
  switch (shape.type) {
    case ShapeType::Sphere: return Vector3::Constant(s.x());
    case ShapeType::Box: return R.cwiseAbs() * s;
    case ShapeType::Capsule: return s.y() * axis.cwiseAbs() + Vector3::Constant(s.x());
    case ShapeType::Cylinder: return s.y() * axis.cwiseAbs() + s.x() * (Vector3::Ones() - axis.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
    case ShapeType::Ellipsoid: return (R * s.asDiagonal()).rowwise().norm();
    default: STICTION_ASSERT(false); return Vector3::Zero();
  }
}

}  // namespace

Shape Shape::plane() { return sized(ShapeType::Plane, Vector3::Zero()); }

Shape Shape::sphere(double radius) {
  requireLength("sphere radius", radius);
  return sized(ShapeType::Sphere, {radius, 0, 0});
}

Shape Shape::box(const Vector3& halfSizes) {
  for (int i = 0; i < 3; ++i) requireLength("box half size", halfSizes[i]);
  Shape shape = sized(ShapeType::Box, halfSizes);
  shape.polytope = std::make_shared<const Polytope>(boxPolytope(halfSizes));
  return shape;
}

Shape Shape::capsule(double radius, double halfLength) {
  requireLength("capsule radius", radius);
  requireLength("capsule half length", halfLength);
  return sized(ShapeType::Capsule, {radius, halfLength, 0});
}

Shape Shape::cylinder(double radius, double halfLength) {
  requireLength("cylinder radius", radius);
  requireLength("cylinder half length", halfLength);
  return sized(ShapeType::Cylinder, {radius, halfLength, 0});
}

Shape Shape::ellipsoid(const Vector3& halfAxes) {
  for (int i = 0; i < 3; ++i) requireLength("ellipsoid half axis", halfAxes[i]);
  return sized(ShapeType::Ellipsoid, halfAxes);
}

Shape Shape::hull(const std::vector<Vector3>& points) {
  Shape shape = sized(ShapeType::Hull, Vector3::Zero());
  shape.polytope = std::make_shared<const Polytope>(makeHull(points));
  return shape;
}

Shape Shape::triangles(std::vector<Vector3> vertices, std::vector<std::array<int, 3>> triangles) {
  Shape shape = sized(ShapeType::Mesh, Vector3::Zero());
  shape.mesh = std::make_shared<const TriangleMesh>(makeMesh(std::move(vertices), std::move(triangles)));
  return shape;
}

Shape Shape::terrain(HeightField field) {
  const std::string grid = std::to_string(field.rows) + " x " + std::to_string(field.columns);
  if (field.rows < 2 || field.columns < 2) throw InputError{"height field grid", grid, "at least 2 x 2", "give two or more rows and columns"};
  const std::size_t count = static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns);
  if (field.heights.size() != count)
    throw InputError{"height field heights", std::to_string(field.heights.size()) + " values", grid, "give one height a grid point"};
  requireLength("height field half size x", field.rx);
  requireLength("height field half size y", field.ry);
  if (!std::isfinite(field.bottom) || field.bottom < 0)
    throw InputError{"height field bottom", std::to_string(field.bottom), "finite and >= 0 [m]", "give the thickness below z = 0"};
  for (const double z : field.heights)
    if (!std::isfinite(z)) throw InputError{"height field height", std::to_string(z), "finite [m]", "replace the missing heights"};
  const auto [lowest, highest] = std::minmax_element(field.heights.begin(), field.heights.end());
  field.lowest = *lowest;
  field.highest = *highest;
  Shape shape = sized(ShapeType::HeightField, Vector3::Zero());
  shape.heightField = std::make_shared<const HeightField>(std::move(field));
  return shape;
}

const char* name(ShapeType type) {
  switch (type) {
    case ShapeType::Plane: return "plane";
    case ShapeType::Sphere: return "sphere";
    case ShapeType::Box: return "box";
    case ShapeType::Capsule: return "capsule";
    case ShapeType::Cylinder: return "cylinder";
    case ShapeType::Ellipsoid: return "ellipsoid";
    case ShapeType::Hull: return "hull";
    case ShapeType::Mesh: return "mesh";
    case ShapeType::HeightField: return "height field";
  }
  return "unknown";
}

double boundingRadius(const Shape& shape) {
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Plane: return infinity;
    case ShapeType::Sphere: return s.x();
    case ShapeType::Box: return s.norm();
    case ShapeType::Capsule: return s.x() + s.y();
    case ShapeType::Cylinder: return std::hypot(s.x(), s.y());
    case ShapeType::Ellipsoid: return s.maxCoeff();
    case ShapeType::Hull: return shape.polytope->radius;
    case ShapeType::Mesh: return shape.mesh->radius;
    case ShapeType::HeightField: {
      const auto [low, high] = extent(shape);
      return low.cwiseAbs().cwiseMax(high.cwiseAbs()).norm();
    }
  }
  return infinity;
}

double leastHalfWidth(const Shape& shape) {
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule: return s.x();
    case ShapeType::Box:
    case ShapeType::Ellipsoid: return s.minCoeff();
    case ShapeType::Cylinder: return std::min(s.x(), s.y());
    case ShapeType::Hull: {
      const Polytope& polytope = *shape.polytope;
      double width = infinity;
      for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
        const Vector3& farthest = polytope.vertices[static_cast<std::size_t>(supportVertex(polytope, -polytope.normals[f]))];
        width = std::min(width, polytope.offsets[f] - polytope.normals[f].dot(farthest));
      }
      return 0.5 * width;
    }
    case ShapeType::Plane:
    case ShapeType::Mesh:
    case ShapeType::HeightField: return infinity;
  }
  return infinity;
}

std::pair<Vector3, Vector3> bounds(const Shape& shape, const Pose& X_WS) {
  const Vector3& p = X_WS.position;
  const Matrix3 R = X_WS.rotation.toRotationMatrix();
  switch (shape.type) {
    case ShapeType::Plane: return {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
    case ShapeType::Mesh:
    case ShapeType::HeightField: {
      const auto [low, high] = extent(shape);
      const Vector3 centre = p + R * (0.5 * (low + high));
      const Vector3 half = R.cwiseAbs() * (0.5 * (high - low));
      return {centre - half, centre + half};
    }
    case ShapeType::Hull: {
      Vector3 low = Vector3::Constant(infinity), high = Vector3::Constant(-infinity);
      for (const Vector3& vertex : shape.polytope->vertices) {
        const Vector3 x = p + R * vertex;
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
      }
      return {low, high};
    }
    default: {
      const Vector3 half = halfWidths(shape, R);
      return {p - half, p + half};
    }
  }
}

int supportVertex(const Polytope& polytope, const Vector3& direction, int start) {
  const std::vector<Vector3>& vertices = polytope.vertices;
  const bool climbs = vertices.size() > bruteForceVertices;
  std::size_t best = climbs ? static_cast<std::size_t>(start) : 0;
  double value = direction.dot(vertices[best]);
  if (!climbs) {
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double candidate = direction.dot(vertices[i]);
      if (candidate > value) best = i, value = candidate;
    }
    return static_cast<int>(best);
  }
  for (bool climbing = true; climbing;) {
    climbing = false;
    for (const int next : polytope.neighbours[best]) {
      const double candidate = direction.dot(vertices[static_cast<std::size_t>(next)]);
      if (candidate > value) best = static_cast<std::size_t>(next), value = candidate, climbing = true;
    }
  }
  return static_cast<int>(best);
}

Vector3 support(const Shape& shape, const Vector3& direction) {
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere: return s.x() * direction.normalized();
    case ShapeType::Box: return {std::copysign(s.x(), direction.x()), std::copysign(s.y(), direction.y()), std::copysign(s.z(), direction.z())};
    case ShapeType::Capsule: return s.x() * direction.normalized() + Vector3{0, 0, std::copysign(s.y(), direction.z())};
    case ShapeType::Cylinder: {
      const double radial = std::hypot(direction.x(), direction.y());
      const double scale = radial > 0 ? s.x() / radial : 0.0;
      return {scale * direction.x(), scale * direction.y(), std::copysign(s.y(), direction.z())};
    }
    case ShapeType::Ellipsoid: {
      const Vector3 stretched = s.cwiseProduct(direction);
      return s.cwiseProduct(stretched) / stretched.norm();
    }
    case ShapeType::Hull: return shape.polytope->vertices[static_cast<std::size_t>(supportVertex(*shape.polytope, direction))];
    default: STICTION_ASSERT(false); return Vector3::Zero();
  }
}

}  // namespace stiction
