// Mass properties against textbook formulas, against each other under rigid motions, and against refined polyhedra.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "base/Error.hpp"
#include "geometry/Shape.hpp"

namespace stiction {
namespace {

using std::numbers::pi;

void expectClose(const MassProperties& a, const MassProperties& b, double slack) {
  EXPECT_NEAR(a.volume, b.volume, slack * b.volume);
  EXPECT_LT((a.centre - b.centre).norm(), slack * (1 + b.centre.norm()));
  EXPECT_LT((a.inertia - b.inertia).norm(), slack * b.inertia.norm());
}

std::vector<Vector3> corners(const Vector3& h) {
  std::vector<Vector3> points;
  for (int i = 0; i < 8; ++i) points.push_back({i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z()});
  return points;
}

TEST(MassProperties, textbookValues) {
  const MassProperties sphere = massProperties(Shape::sphere(2));
  EXPECT_NEAR(sphere.volume, 32 * pi / 3, 1e-13);
  EXPECT_NEAR(sphere.inertia(1, 1), 0.4 * sphere.volume * 4, 1e-12);
  const MassProperties box = massProperties(Shape::box({0.5, 1, 1.5}));  // sides 1, 2, 3
  EXPECT_NEAR(box.volume, 6, 1e-14);
  EXPECT_NEAR(box.inertia(0, 0), 6 * (4 + 9) / 12.0, 1e-13);
  EXPECT_NEAR(box.inertia(1, 1), 6 * (1 + 9) / 12.0, 1e-13);
  EXPECT_NEAR(box.inertia(2, 2), 6 * (1 + 4) / 12.0, 1e-13);
  const MassProperties cylinder = massProperties(Shape::cylinder(0.5, 1));  // radius 1/2, height 2
  EXPECT_NEAR(cylinder.volume, pi / 2, 1e-14);
  EXPECT_NEAR(cylinder.inertia(2, 2), cylinder.volume * 0.25 / 2, 1e-14);
  EXPECT_NEAR(cylinder.inertia(0, 0), cylinder.volume * (3 * 0.25 + 4) / 12, 1e-14);
  const MassProperties ellipsoid = massProperties(Shape::ellipsoid({1, 2, 3}));
  EXPECT_NEAR(ellipsoid.volume, 8 * pi, 1e-13);
  EXPECT_NEAR(ellipsoid.inertia(0, 0), ellipsoid.volume * 13 / 5, 1e-12);
}

TEST(MassProperties, capsuleByQuadratureAlongItsAxis) {
  const double r = 0.3, l = 0.7;
  double volume = 0, axial = 0, across = 0;  // discs; polynomials of degree <= 4 in z on each piece: three Gauss points are exact
  for (const auto& [from, to] : {std::pair{-l - r, -l}, std::pair{-l, l}, std::pair{l, l + r}})
    for (const auto& [node, weight] : {std::pair{-std::sqrt(0.6), 5.0 / 18}, std::pair{0.0, 8.0 / 18}, std::pair{std::sqrt(0.6), 5.0 / 18}}) {
      const double z = 0.5 * (from + to) + 0.5 * (to - from) * node, over = std::max(0.0, std::abs(z) - l), square = r * r - over * over;
      const double dm = pi * square * (to - from) * weight;
      volume += dm;
      axial += dm * square / 2;
      across += dm * (square / 4 + z * z);
    }
  const MassProperties capsule = massProperties(Shape::capsule(r, l));
  EXPECT_NEAR(capsule.volume / volume, 1, 1e-14);
  EXPECT_NEAR(capsule.inertia(2, 2) / axial, 1, 1e-14);
  EXPECT_NEAR(capsule.inertia(0, 0) / across, 1, 1e-14);
}

TEST(MassProperties, boxAsHullEqualsBoxUnderRigidMotion) {
  std::mt19937 random{1};
  std::normal_distribution<double> normal;
  const Vector3 half{0.4, 0.25, 0.1};
  const MassProperties box = massProperties(Shape::box(half));
  for (int trial = 0; trial < 20; ++trial) {
    const Quaternion R = Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized();
    const Vector3 shift = 5.0 * Vector3{normal(random), normal(random), normal(random)};
    std::vector<Vector3> points = corners(half);
    for (Vector3& p : points) p = shift + R * p;
    const Matrix3 Q = R.toRotationMatrix();
    expectClose(massProperties(Shape::hull(points)), {box.volume, shift, Q * box.inertia * Q.transpose()}, 1e-12);
  }
}

TEST(MassProperties, tetrahedronOfTheUnitSimplex) {
  // ∫ over the simplex: V = 1/6, centre 1/4, ∫x² = 1/60, ∫xy = 1/120.
  const MassProperties mass = massProperties(Shape::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_NEAR(mass.volume, 1.0 / 6, 1e-16);
  EXPECT_LT((mass.centre - Vector3::Constant(0.25)).norm(), 1e-15);
  EXPECT_NEAR(mass.inertia(0, 0), 2.0 / 60 - 2.0 / 96, 1e-16);
  EXPECT_NEAR(mass.inertia(0, 1), -(1.0 / 120 - 1.0 / 96), 1e-16);
}

TEST(MassProperties, additiveOverTwoHalvesOfABox) {
  const auto half = [](double x0, double x1) {
    std::vector<Vector3> points;
    for (const double x : {x0, x1})
      for (const double y : {-0.2, 0.3})
        for (const double z : {0.0, 0.7}) points.push_back({x, y, z});
    return massProperties(Shape::hull(points));
  };
  const MassProperties a = half(-1, 0.25), b = half(0.25, 2), whole = half(-1, 2);
  EXPECT_NEAR(a.volume + b.volume, whole.volume, 1e-14);
  Matrix3 sum = Matrix3::Zero();
  for (const MassProperties& part : {a, b}) {
    const Vector3 d = part.centre - whole.centre;
    sum += part.inertia + part.volume * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  EXPECT_LT((sum - whole.inertia).norm(), 1e-14);
}

TEST(MassProperties, closedMeshOfATorusMatchesPappus) {
  const double R = 1.0, r = 0.3;
  const auto torus = [&](int n, int m) {
    std::vector<Vector3> vertices;
    std::vector<std::array<int, 3>> triangles;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) {
        const double u = 2 * pi * i / n, v = 2 * pi * j / m;
        vertices.push_back({5 + (R + r * std::cos(v)) * std::cos(u), (R + r * std::cos(v)) * std::sin(u), r * std::sin(v)});
        const int a = i * m + j, b = ((i + 1) % n) * m + j, c = ((i + 1) % n) * m + (j + 1) % m, d = i * m + (j + 1) % m;
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
      }
    return massProperties(Shape::triangles(vertices, triangles));
  };
  const double volume = 2 * pi * pi * R * r * r;
  const MassProperties coarse = torus(60, 40), fine = torus(120, 80);
  EXPECT_LT((fine.centre - Vector3{5, 0, 0}).norm(), 1e-12);
  EXPECT_NEAR((4 * fine.volume - coarse.volume) / 3 / volume, 1, 1e-4);  // second order in the cell: Richardson
  EXPECT_NEAR((4 * fine.inertia(2, 2) - coarse.inertia(2, 2)) / 3 / (volume * (R * R + 0.75 * r * r)), 1, 1e-4);
}

TEST(MassProperties, shapesWithoutVolumeAreRefused) {
  EXPECT_THROW(massProperties(Shape::plane()), InputError);
  EXPECT_THROW(massProperties(Shape::terrain({2, 2, 1, 1, 0.1, {0, 0, 0, 0}})), InputError);
  EXPECT_THROW(massProperties(Shape::triangles({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}})), InputError);             // open
  EXPECT_THROW(massProperties(Shape::triangles({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}})), InputError);  // a sheet
  EXPECT_THROW(massProperties(Shape::triangles({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}})),
               InputError);  // inside out
}

}  // namespace
}  // namespace stiction
