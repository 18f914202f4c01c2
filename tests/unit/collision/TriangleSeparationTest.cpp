// Separation from a triangle against the general search and against all directions of a fine net.
#include "collision/TriangleSeparation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/collision/Random.hpp"

namespace stiction {
namespace {

std::vector<Shape> bodies() {
  Random random{7};
  std::vector<Vector3> few, many;
  for (int i = 0; i < 20; ++i) few.emplace_back(0.3 * random.vector().normalized());
  for (int i = 0; i < 300; ++i) many.emplace_back(random.vector().normalized().cwiseProduct(Vector3{0.4, 0.3, 0.2}));
  return {Shape::sphere(0.2), Shape::capsule(0.1, 0.3),   Shape::box({0.3, 0.2, 0.1}),      Shape::hull(few),
          Shape::hull(many),  Shape::cylinder(0.2, 0.15), Shape::ellipsoid({0.3, 0.2, 0.1})};
}

double along(const ConvexShape& a, const ConvexShape& b, const Vector3& n) { return n.dot(b.coreSupport(-n) - a.coreSupport(n)) - a.margin() - b.margin(); }

/// The largest separation over a net of directions, refined about the best of them: never more than the true one.
double searched(const ConvexShape& a, const ConvexShape& b) {
  constexpr int net = 4000;
  Vector3 best = Vector3::UnitZ();
  double most = along(a, b, best);
  const auto consider = [&](const Vector3& n) {
    if (const double separation = along(a, b, n); separation > most) most = separation, best = n;
  };
  for (int i = 0; i < net; ++i) {
    const double z = 1 - (2 * i + 1.0) / net, angle = i * 2.399963229728653, r = std::sqrt(1 - z * z);
    consider({r * std::cos(angle), r * std::sin(angle), z});
  }
  Random random{1};
  for (double width = 0.05; width > 1e-9; width *= 0.7)
    for (int k = 0; k < 12; ++k) consider((best + width * random.vector()).normalized());
  return most;
}

TEST(TriangleSeparation, isTheLargestOverAllDirections) {
  Random random{2};
  int found = 0;
  for (const Shape& body : bodies())
    for (int trial = 0; trial < 120; ++trial) {
      const std::array<Vector3, 3> corners{random.vector(), random.vector(), random.vector()};
      const ConvexShape triangle{corners};
      Pose X{3 * random.vector().normalized(), random.rotation()};
      const Separation far = separate(ConvexShape{body, X}, triangle, 10);
      const double wanted = std::array{0.3, 1e-2, 1e-4, 1e-7, -1e-7, -1e-4}[static_cast<std::size_t>(trial % 6)];
      X.position += (far.gap - wanted) * far.normal;
      const ConvexShape placed{body, X};
      const Separation near = separate(placed, triangle, 10);
      const double least = wanted - 1e-11,
                   most = wanted > 0 ? wanted + 1e-11 : 0.0;  // what is moved along the nearest direction keeps it; where corners overlap, another may be less
      EXPECT_TRUE(near.gap >= least && near.gap <= most) << name(body.type) << " trial " << trial << " wanted " << wanted << ": " << near.gap;
      EXPECT_NEAR(along(placed, triangle, near.normal), near.gap, 1e-14) << name(body.type);
      const double best = searched(placed, triangle);
      EXPECT_TRUE(wanted < 0 || best <= near.gap + 1e-13)
          << name(body.type) << " trial " << trial << " wanted " << wanted;  // of overlaps the general search takes one of the least
      const std::optional<Separation> direct = separateTriangle(placed, triangle, triangle.centre() - placed.centre(), 10);
      if (!direct) continue;
      ++found;
      EXPECT_TRUE(direct->gap >= least && direct->gap <= most) << name(body.type) << " trial " << trial << " wanted " << wanted << ": " << direct->gap;
      EXPECT_NEAR(along(placed, triangle, direct->normal), direct->gap, 1e-14) << name(body.type);
      EXPECT_TRUE((wanted < 0 && !placed.polytope()) || best <= direct->gap + 1e-13) << name(body.type) << " trial " << trial << " wanted " << wanted;
      EXPECT_NEAR((direct->witnessB - direct->witnessA).dot(direct->normal), direct->gap, 1e-12) << name(body.type);
    }
  EXPECT_GT(found, 800);  // of 840 placings
}

/// Whatever the direction that it starts along, edges and nothing among them, it is the same separation, or none.
TEST(TriangleSeparation, doesNotDependOnWhereItStarts) {
  Random random{5};
  for (const Shape& body : bodies())
    for (int trial = 0; trial < 60; ++trial) {
      const std::array<Vector3, 3> corners{random.vector(), random.vector(), random.vector()};
      const ConvexShape triangle{corners}, placed{body, {4 * random.vector().normalized(), random.rotation()}};
      const Separation whole = separate(placed, triangle, 10);
      if (!(whole.gap > 0)) continue;
      for (const Vector3& direction : {Vector3{corners[1] - corners[0]}, Vector3{corners[0] - corners[2]}, Vector3{placed.centre() - triangle.centre()},
                                       Vector3{Vector3::Zero()}, random.vector()})
        if (const std::optional<Separation> direct = separateTriangle(placed, triangle, direction, 10)) {
          EXPECT_NEAR(direct->gap, whole.gap, 1e-11) << name(body.type) << " trial " << trial;
          EXPECT_NEAR(direct->normal.norm(), 1, 1e-14) << name(body.type) << " trial " << trial;
        }
    }
}

TEST(TriangleSeparation, ofDeepPolytopesIsTheLeastOverlap) {
  Random random{3};
  for (const Shape& body : {bodies()[2], bodies()[3], bodies()[4]})
    for (int trial = 0; trial < 150; ++trial) {
      const ConvexShape triangle{std::array<Vector3, 3>{0.3 * random.vector(), 0.3 * random.vector(), 0.3 * random.vector()}};
      const ConvexShape placed{body, {triangle.centre() + 0.1 * random.vector(), random.rotation()}};
      const std::optional<Separation> direct = separateTriangle(placed, triangle, triangle.centre() - placed.centre(), 10);
      ASSERT_TRUE(direct.has_value());
      const double most = searched(placed, triangle);
      EXPECT_NEAR(along(placed, triangle, direct->normal), direct->gap, 1e-14);
      EXPECT_LE(most, direct->gap + 1e-13) << name(body.type) << " trial " << trial;
      EXPECT_GE(direct->gap, separate(placed, triangle, 10).gap - 1e-13) << name(body.type) << " trial " << trial;
    }
}

TEST(TriangleSeparation, beyondReachIsABound) {
  Random random{4};
  for (const Shape& body : bodies())
    for (int trial = 0; trial < 100; ++trial) {
      const ConvexShape triangle{std::array<Vector3, 3>{random.vector(), random.vector(), random.vector()}};
      const ConvexShape placed{body, {3 * random.vector().normalized(), random.rotation()}};
      const Separation whole = separate(placed, triangle, 10);
      const std::optional<Separation> direct = separateTriangle(placed, triangle, triangle.centre() - placed.centre(), 0.1);
      if (!direct) continue;
      EXPECT_EQ(direct->gap > 0.1, whole.gap > 0.1) << name(body.type);
      EXPECT_LE(std::min(direct->gap, 0.1), whole.gap + 1e-12) << name(body.type);
      EXPECT_LE(direct->gap, std::max(whole.gap, 0.1) + 1e-12) << name(body.type);
    }
}

}  // namespace
}  // namespace stiction
