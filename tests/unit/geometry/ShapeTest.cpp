// Bounds and supports against each other and against the shapes' implicit equations; meshes and height fields as built.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "base/Error.hpp"
#include "geometry/Shape.hpp"

namespace stiction {
namespace {

std::vector<Shape> convexShapes() {
  return {Shape::sphere(0.7),        Shape::box({0.3, 0.5, 0.2}),       Shape::capsule(0.2, 0.6),
          Shape::cylinder(0.4, 0.3), Shape::ellipsoid({0.2, 0.5, 0.9}), Shape::hull({{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0}, {0.1, 0.3, 1}, {0.4, 0.4, -0.5}})};
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_{seed} {}
  Vector3 vector() { return {normal_(engine_), normal_(engine_), normal_(engine_)}; }
  Pose pose() { return {vector(), Quaternion{normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_)}.normalized()}; }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

TEST(Shape, boundsAreTightAlongEveryWorldAxis) {
  Random random{1};
  for (const Shape& shape : convexShapes())
    for (int trial = 0; trial < 50; ++trial) {
      const Pose X = random.pose();
      const auto [low, high] = bounds(shape, X);
      for (int i = 0; i < 3; ++i) {
        const Vector3 local = X.rotation.conjugate() * Vector3::Unit(i);
        EXPECT_NEAR((X * support(shape, local))[i], high[i], 1e-12);
        EXPECT_NEAR((X * support(shape, -local))[i], low[i], 1e-12);
      }
      EXPECT_LE((support(shape, random.vector())).norm(), boundingRadius(shape) * (1 + 1e-14));
    }
}

TEST(Shape, leastHalfWidthIsThatOfTheThinnestSide) {
  EXPECT_EQ(leastHalfWidth(Shape::sphere(0.3)), 0.3);
  EXPECT_EQ(leastHalfWidth(Shape::capsule(0.2, 0.9)), 0.2);
  EXPECT_EQ(leastHalfWidth(Shape::cylinder(0.2, 0.1)), 0.1);
  EXPECT_EQ(leastHalfWidth(Shape::cylinder(0.2, 0.5)), 0.2);
  EXPECT_EQ(leastHalfWidth(Shape::ellipsoid({0.4, 0.1, 0.3})), 0.1);
  EXPECT_EQ(leastHalfWidth(Shape::box({0.4, 0.2, 0.3})), 0.2);
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i) corners.push_back({(i & 1) * 0.8, (i & 2) * 0.2, (i & 4) * 0.15});
  EXPECT_NEAR(leastHalfWidth(Shape::hull(corners)), 0.2, 1e-15);
  EXPECT_NEAR(leastHalfWidth(Shape::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})), 0.5 / std::numbers::sqrt3,
              1e-15);  // the corner at the origin, before the face across
  EXPECT_TRUE(std::isinf(leastHalfWidth(Shape::plane())));
}

TEST(Shape, supportLiesOnTheSurfaceWithTheDirectionAsNormal) {
  Random random{2};
  const Vector3 s{0.2, 0.5, 0.9};
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 d = random.vector();
    const Vector3 e = support(Shape::ellipsoid(s), d);
    EXPECT_NEAR(e.cwiseQuotient(s).squaredNorm(), 1, 1e-13);
    EXPECT_LT(e.cwiseQuotient(s.cwiseAbs2()).normalized().cross(d.normalized()).norm(), 1e-13);
    const Vector3 c = support(Shape::cylinder(0.4, 0.3), d);
    EXPECT_NEAR(c.head<2>().norm(), 0.4, 1e-15);
    EXPECT_EQ(c.z(), std::copysign(0.3, d.z()));
    EXPECT_NEAR((support(Shape::capsule(0.2, 0.6), d) - Vector3{0, 0, std::copysign(0.6, d.z())}).norm(), 0.2, 1e-15);
  }
  EXPECT_TRUE(support(Shape::cylinder(0.4, 0.3), {0, 0, -2}).allFinite());
}

TEST(Shape, badSizesAreNamed) {
  EXPECT_THROW(Shape::sphere(0), InputError);
  EXPECT_THROW(Shape::sphere(std::nan("")), InputError);
  EXPECT_THROW(Shape::box({1, -1, 1}), InputError);
  EXPECT_THROW(Shape::cylinder(1, std::numeric_limits<double>::infinity()), InputError);
  EXPECT_THROW(Shape::terrain({2, 2, 1, 1, 0.1, {0, 0, 0}}), InputError);
  EXPECT_THROW(Shape::terrain({1, 2, 1, 1, 0.1, {0, 0}}), InputError);
  EXPECT_THROW(Shape::terrain({2, 2, 1, 1, 0.1, {0, 0, 0, std::nan("")}}), InputError);
}

TEST(Mesh, treeHoldsEveryTriangleOnceInsideItsBoxes) {
  Random random{3};
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 300; ++i) {
    const Vector3 p = 5 * random.vector();
    for (int k = 0; k < 3; ++k) vertices.push_back(p + random.vector());
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const TriangleMesh mesh = makeMesh(vertices, triangles);
  std::vector<int> seen(triangles.size(), 0);
  for (const TriangleMesh::Node& node : mesh.nodes) {
    for (int i = node.first; i < node.first + node.count; ++i)
      for (const int v : mesh.triangles[static_cast<std::size_t>(mesh.order[static_cast<std::size_t>(i)])]) {
        const Vector3& p = mesh.vertices[static_cast<std::size_t>(v)];
        EXPECT_TRUE((p.array() >= node.low.array()).all() && (p.array() <= node.high.array()).all());
      }
    if (node.left < 0)
      for (int i = node.first; i < node.first + node.count; ++i) ++seen[static_cast<std::size_t>(mesh.order[static_cast<std::size_t>(i)])];
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(Mesh, adjacencySeesRepeatedCornersAndBorders) {
  // Two triangles of a square, the second with corners of its own.
  const TriangleMesh mesh = makeMesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {3, 4, 5}});
  EXPECT_EQ(mesh.adjacent[0], (std::array<int, 3>{-1, -1, 1}));
  EXPECT_EQ(mesh.adjacent[1], (std::array<int, 3>{0, -1, -1}));
}

TEST(Mesh, badTrianglesAreNamed) {
  EXPECT_THROW(makeMesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}), InputError);
  EXPECT_THROW(makeMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}), InputError);
  EXPECT_THROW(makeMesh({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}}, {{0, 1, 2}}), InputError);
  EXPECT_THROW(makeMesh({{0, 0, 0}}, {}), InputError);
}

}  // namespace
}  // namespace stiction
