#include "collision/NarrowPhase.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "collision/Analytic.hpp"
#include "collision/ConvexPairs.hpp"
#include "collision/HeightFieldPairs.hpp"
#include "collision/ManifoldReduction.hpp"
#include "collision/MeshPairs.hpp"
#include "collision/PolytopePairs.hpp"
#include "collision/RoundPolytopePairs.hpp"

namespace stiction {
namespace {

constexpr std::size_t shape_types{9};
using PairFunction = void (*)(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out);
using Row = std::array<PairFunction, shape_types>;

/// The pair function with its two shapes exchanged.
template <PairFunction function>
void exchanged(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const std::size_t first = out.size();
  function(b, X_WB, a, X_WA, reach, out);
  for (std::size_t i = first; i < out.size(); ++i) out[i].normal = -out[i].normal;
}

class Table {
 public:
  Table() {
    using enum ShapeType;
    set<collidePlaneSphere>(Plane, Sphere);
    set<collidePlaneBox>(Plane, Box);
    set<collidePlaneCapsule>(Plane, Capsule);
    set<collidePlaneHull>(Plane, Hull);
    set<collideSphereSphere>(Sphere, Sphere);
    set<collideSphereBox>(Sphere, Box);
    set<collideSphereCapsule>(Sphere, Capsule);
    set<collideSpherePolytope>(Sphere, Hull);
    set<collidePolytopes>(Box, Box);
    set<collidePolytopeCapsule>(Box, Capsule);
    set<collidePolytopes>(Box, Hull);
    set<collideCapsuleCapsule>(Capsule, Capsule);
    set<collidePolytopeCapsule>(Hull, Capsule);
    set<collidePolytopes>(Hull, Hull);
    set<collidePlaneCylinder>(Plane, Cylinder);
    set<collidePlaneEllipsoid>(Plane, Ellipsoid);
    for (const ShapeType type : {Sphere, Box, Capsule, Cylinder, Ellipsoid, Hull}) {
      if (type != Ellipsoid) set<collideConvexConvex>(type, Cylinder);
      set<collideConvexConvex>(type, Ellipsoid);
      set<collideConvexMesh>(type, Mesh);
      set<collideConvexHeightField>(type, HeightField);
    }
  }

  PairFunction find(ShapeType a, ShapeType b) const { return rows_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; }

 private:
  template <PairFunction function>
  void set(ShapeType a, ShapeType b) {
    rows_[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = exchanged<function>;
    rows_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = function;
  }

  std::array<Row, shape_types> rows_{};
};

/// Distance [m] of a sphere's surface above the plane z = 0 of X_WP.
double aboveThePlane(const Pose& X_WP, const Vector3& centre, double radius) {
  return (X_WP.rotation.toRotationMatrix().col(2)).dot(centre - X_WP.position) - radius;
}

/// Length scale [m] of a shape; terrain has none of its own.
double sizeOf(const Shape& shape) { return shape.type == ShapeType::HeightField ? std::numeric_limits<double>::infinity() : boundingRadius(shape); }

}  // namespace

void collideShapes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& points) {
  static const Table table;
  points.clear();
  const PairFunction function = table.find(a.type, b.type);
  if (function == nullptr) return;
  function(a, X_WA, b, X_WB, reach, points);
  if (points.size() < 2) return;
  reduceManifold(std::min(sizeOf(a), sizeOf(b)), points);
}

bool boundsMeet(const Shape& a, double radiusA, const Pose& X_WA, const Shape& b, double radiusB, const Pose& X_WB, double reach) {
  if (a.type == ShapeType::Plane) return b.type != ShapeType::Plane && aboveThePlane(X_WA, X_WB.position, radiusB) <= reach;
  if (b.type == ShapeType::Plane) return aboveThePlane(X_WB, X_WA.position, radiusA) <= reach;
  const double limit = radiusA + radiusB + reach;
  return (X_WA.position - X_WB.position).squaredNorm() <= limit * limit;
}

}  // namespace stiction
