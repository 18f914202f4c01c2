// Hulls against what any hull must satisfy: every point inside every plane, Euler's formula, counts of known solids.
#include <gtest/gtest.h>

#include <numbers>
#include <random>
#include <set>

#include "base/Error.hpp"
#include "geometry/Shape.hpp"

namespace stiction {
namespace {

using Cloud = std::vector<Vector3>;

Quaternion randomRotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized();
}

double extent(const Cloud& points) {
  Vector3 low = points[0], high = points[0];
  for (const Vector3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

/// Everything a closed convex polytope with polygon faces obeys; `slack` relative to the size.
void expectPolytope(const Polytope& hull, const Cloud& points, double slack) {
  const double size = extent(points);
  EXPECT_EQ(static_cast<int>(hull.vertices.size()) - static_cast<int>(hull.edges.size()) + static_cast<int>(hull.faces.size()), 2);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    EXPECT_NEAR(hull.normals[f].norm(), 1.0, 1e-14);
    for (const Vector3& p : points) ASSERT_LE(hull.normals[f].dot(p) - hull.offsets[f], slack * size);
    for (const int v : hull.faces[f]) ASSERT_NEAR(hull.normals[f].dot(hull.vertices[static_cast<std::size_t>(v)]), hull.offsets[f], slack * size);
    EXPECT_LT(hull.normals[f].dot(hull.centre), hull.offsets[f]);
  }
  std::size_t corners = 0;
  for (const auto& face : hull.faces) corners += face.size();
  EXPECT_EQ(corners, 2 * hull.edges.size());
  std::size_t degrees = 0;
  for (const auto& neighbours : hull.neighbours) degrees += neighbours.size();
  EXPECT_EQ(degrees, 2 * hull.edges.size());
  for (const Polytope::Edge& edge : hull.edges) {
    EXPECT_LT(edge.v0, edge.v1);
    EXPECT_NE(edge.f0, edge.f1);
  }
}

Cloud cubeCorners() {
  Cloud points;
  for (int i = 0; i < 8; ++i) points.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, i & 4 ? 0.2 : -0.2});
  return points;
}

TEST(Hull, randomCloudsAreConvexAndClosed) {
  std::mt19937 random{1};
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 60; ++trial) {
    Cloud points;
    const int count = 4 + 7 * trial;
    const Vector3 centre{10.0 * normal(random), normal(random), 3.0};
    for (int i = 0; i < count; ++i) points.push_back(centre + Vector3{normal(random), 2 * normal(random), 0.3 * normal(random)});
    expectPolytope(makeHull(points), points, 2e-6);
  }
}

TEST(Hull, boxWithPointsOnFacesEdgesAndInsideHasSixFaces) {
  std::mt19937 random{2};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int trial = 0; trial < 40; ++trial) {
    const Quaternion R = randomRotation(random);
    const Vector3 half{0.5, 0.3, 0.2}, shift{uniform(random), 3 * uniform(random), uniform(random)};
    Cloud points = cubeCorners();
    for (int i = 0; i < 400; ++i) {
      Vector3 p = half.cwiseProduct(Vector3{uniform(random), uniform(random), uniform(random)});
      if (i % 4 != 0) p[i % 3] = std::copysign(half[i % 3], p[i % 3]);                    // on a face
      if (i % 5 == 0) p[(i + 1) % 3] = std::copysign(half[(i + 1) % 3], p[(i + 1) % 3]);  // on an edge
      points.push_back(p);
    }
    for (int i = 0; i < 8; ++i) points.push_back(points[static_cast<std::size_t>(i)]);  // duplicates
    for (Vector3& p : points) p = shift + R * p;
    const Polytope hull = makeHull(points);
    expectPolytope(hull, points, 1e-12);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.edges.size(), 12u);
    EXPECT_EQ(hull.faces.size(), 6u);
  }
}

/// Arch stones given to `digits` decimals, or in single precision.
Cloud voussoir(int i, int count, double digits, bool single) {
  Cloud points;
  for (const double radius : {1.0, 1.3})
    for (const double y : {-0.25, 0.25})
      for (const int k : {i, i + 1}) {
        const double angle = std::numbers::pi * k / count;
        Vector3 p{radius * std::cos(angle), y, radius * std::sin(angle)};
        for (int j = 0; j < 3; ++j) p[j] = single ? static_cast<double>(static_cast<float>(p[j])) : std::round(p[j] * digits) / digits;
        points.push_back(p);
      }
  return points;
}

TEST(Hull, voussoirsHaveSixFaces) {
  for (const int count : {7, 21, 61})
    for (int i = 0; i < count; ++i)
      for (const bool single : {false, true}) {
        const Cloud points = voussoir(i, count, 1e12, single);
        const Polytope hull = makeHull(points);
        EXPECT_EQ(hull.vertices.size(), 8u);
        EXPECT_EQ(hull.edges.size(), 12u);
        EXPECT_EQ(hull.faces.size(), 6u);
        expectPolytope(hull, points, single ? 2e-6 : 1e-11);
      }
}

TEST(Hull, regularSolidsKeepTheirFaces) {
  const double phi = std::numbers::phi;
  Cloud dodecahedron;
  for (int i = 0; i < 8; ++i) dodecahedron.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
  for (int i = 0; i < 4; ++i) {
    const double a = (i & 1 ? 1 : -1) / phi, b = (i & 2 ? 1 : -1) * phi;
    dodecahedron.push_back({0, a, b});
    dodecahedron.push_back({a, b, 0});
    dodecahedron.push_back({b, 0, a});
  }
  const Polytope hull = makeHull(dodecahedron);
  EXPECT_EQ(hull.vertices.size(), 20u);
  EXPECT_EQ(hull.edges.size(), 30u);
  EXPECT_EQ(hull.faces.size(), 12u);
  expectPolytope(hull, dodecahedron, 1e-14);
}

TEST(Hull, thousandsOfPointsOnASphereAreAllVertices) {
  Cloud points;
  const int count = 5000;
  for (int i = 0; i < count; ++i) {  // Fibonacci sphere
    const double z = 1 - (2.0 * i + 1) / count, angle = 2 * std::numbers::pi * i / std::numbers::phi;
    points.push_back({std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z});
  }
  const Polytope hull = makeHull(points);
  EXPECT_EQ(hull.vertices.size(), points.size());
  expectPolytope(hull, points, 1e-6);
}

TEST(Hull, prismOfManySidesHasTwoCaps) {
  Cloud points;
  for (int i = 0; i < 200; ++i)
    for (const double z : {-0.1, 0.0, 0.1}) points.push_back({std::cos(2 * std::numbers::pi * i / 200), std::sin(2 * std::numbers::pi * i / 200), z});
  const Polytope hull = makeHull(points);
  EXPECT_EQ(hull.vertices.size(), 400u);
  EXPECT_EQ(hull.faces.size(), 202u);
  expectPolytope(hull, points, 1e-12);
}

TEST(Hull, supportAgreesWithAllVertices) {
  std::mt19937 random{3};
  std::normal_distribution<double> normal;
  for (const int count : {10, 60, 500, 3000}) {
    Cloud points;
    for (int i = 0; i < count; ++i) points.push_back(Vector3{normal(random), normal(random), normal(random)}.normalized().cwiseProduct(Vector3{1, 2, 0.5}));
    const Shape shape = Shape::hull(points);
    for (int i = 0; i < 2000; ++i) {
      const Vector3 d{normal(random), normal(random), normal(random)};
      double best = -1e300;
      for (const Vector3& p : points) best = std::max(best, d.dot(p));
      EXPECT_NEAR(d.dot(support(shape, d)), best, 1e-12 * d.norm());
    }
  }
}

TEST(Hull, treeOfFacesFindsWhatAllFacesTell) {
  std::mt19937 random{5};
  std::normal_distribution<double> normal;
  for (const int count : {40, 300, 2000}) {
    Cloud points;
    for (int i = 0; i < count; ++i) points.push_back(Vector3{normal(random), normal(random), normal(random)}.normalized().cwiseProduct(Vector3{1, 2, 0.5}));
    const Shape shape = Shape::hull(points);
    const Polytope& hull = *shape.polytope;
    ASSERT_FALSE(hull.tree.empty());
    std::vector<int> found;
    for (int i = 0; i < 500; ++i) {
      const Vector3 x = Vector3{normal(random), normal(random), normal(random)}.normalized().cwiseProduct(Vector3{1, 2, 0.5} * (0.8 + 0.1 * (i % 10)));
      const Vector3 d{normal(random), normal(random), normal(random)};
      const double least = 0.05 * (i % 7 - 4);
      std::vector<int> expected;
      int facing = 0;
      for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        if (hull.normals[f].dot(x - hull.vertices[static_cast<std::size_t>(hull.faces[f][0])]) >= least) expected.push_back(static_cast<int>(f));
        if (hull.normals[f].dot(d) > hull.normals[static_cast<std::size_t>(facing)].dot(d)) facing = static_cast<int>(f);
      }
      hull.tree.collect(x, least, found);
      EXPECT_EQ(found, expected);
      EXPECT_EQ(hull.tree.facing(d), facing);
    }
  }
}

TEST(Hull, flatOrBrokenInputIsNamed) {
  EXPECT_THROW(makeHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), InputError);
  EXPECT_THROW(makeHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}}), InputError);
  EXPECT_THROW(makeHull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}), InputError);
  EXPECT_THROW(makeHull(Cloud(9, Vector3{1, 2, 3})), InputError);
  EXPECT_THROW(makeHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}}), InputError);
}

TEST(Hull, boxShapeCarriesItsPolytope) {
  const Shape box = Shape::box({0.5, 0.3, 0.2});
  expectPolytope(*box.polytope, cubeCorners(), 1e-15);
  EXPECT_EQ(box.polytope->vertices.size(), 8u);
  EXPECT_EQ(box.polytope->edges.size(), 12u);
  EXPECT_EQ(box.polytope->faces.size(), 6u);
}

}  // namespace
}  // namespace stiction
