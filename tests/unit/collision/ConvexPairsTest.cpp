// Contacts of convex shapes against certificates that need no oracle (a point of A and a point of B with b − a = gap n, and no point of either shape beyond its
// plane), a random search over all normals, closed forms, exchange of the shapes, touching and slightly overlapping poses.
#include "collision/ConvexPairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "collision/ConvexSeparation.hpp"
#include "unit/collision/Random.hpp"

namespace stiction {
namespace {

std::vector<Shape> shapes() {
  Random random{99};
  std::vector<Vector3> cloud;
  for (int i = 0; i < 40; ++i) cloud.push_back(random.vector().normalized().cwiseProduct(Vector3{0.5, 0.4, 0.3}));
  return {Shape::sphere(0.3),         Shape::box({0.5, 0.3, 0.2}),        Shape::capsule(0.15, 0.4),          Shape::cylinder(0.3, 0.4),
          Shape::cylinder(0.5, 0.05), Shape::ellipsoid({0.2, 0.5, 0.35}), Shape::ellipsoid({0.6, 0.5, 0.08}), Shape::hull(cloud)};
}

Vector3 supportAt(const Shape& shape, const Pose& X, const Vector3& n) { return X * support(shape, X.rotation.conjugate() * n); }

double separationAlong(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector3& n) {
  return n.dot(supportAt(b, X_WB, -n) - supportAt(a, X_WA, n));
}

/// Two polytopes have functions of their own.
bool polytopes(const Shape& a, const Shape& b) { return a.polytope && b.polytope; }

/// How far x is outside the shape, to first order [m]; negative inside.
double outside(const Shape& shape, const Pose& X, const Vector3& x) {
  const Vector3 p = X.inverse() * x;
  const Vector3& s = shape.size;
  switch (shape.type) {
    case ShapeType::Sphere: return p.norm() - s.x();
    case ShapeType::Capsule: return (p - Vector3{0, 0, std::clamp(p.z(), -s.y(), s.y())}).norm() - s.x();
    case ShapeType::Cylinder: return std::max(p.head<2>().norm() - s.x(), std::abs(p.z()) - s.y());
    case ShapeType::Ellipsoid: return (p.cwiseQuotient(s).squaredNorm() - 1) / (2 * p.cwiseQuotient(s.cwiseAbs2()).norm());
    default: {
      double most = -1e300;
      for (std::size_t f = 0; f < shape.polytope->faces.size(); ++f) most = std::max(most, shape.polytope->normals[f].dot(p) - shape.polytope->offsets[f]);
      return most;
    }
  }
}

/// Best separation over all normals by random search that narrows: a lower bound of the true maximum.
double searched(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, Random& random) {
  Vector3 best = (X_WB.position - X_WA.position).normalized();
  double most = separationAlong(a, X_WA, b, X_WB, best);
  for (double radius = 2; radius > 1e-9;) {
    bool improved = false;
    for (int k = 0; k < 30; ++k) {
      const Vector3 n = (best + radius * random.vector()).normalized();
      const double g = separationAlong(a, X_WA, b, X_WB, n);
      if (g > most) most = g, best = n, improved = true;
    }
    if (!improved) radius *= 0.6;
  }
  return most;
}

bool isTube(const Shape& shape) { return shape.polytope || shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder; }

/// Where tubes lie side by side their overlap has ends with normals of their own, of parts of both that are no nearer; cross-sections that lean are told apart to the second order.
void expectEnd(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const PairPoint& end, double gap, double slack) {
  const double leaning = 5e-4 * std::min(boundingRadius(a), boundingRadius(b)) + std::max(0.0, -gap);
  EXPECT_TRUE(isTube(a) && isTube(b)) << name(a.type) << " " << name(b.type);
  EXPECT_GE(end.gap, gap - slack);
  EXPECT_LE(outside(a, X_WA, end.point - 0.5 * end.gap * end.normal), leaning) << name(a.type) << " " << name(b.type);
  EXPECT_LE(outside(b, X_WB, end.point + 0.5 * end.gap * end.normal), leaning) << name(a.type) << " " << name(b.type);
}

/// Where corners overlap, a normal may exist that is a little better than the one they were pushed along, and the point across from a corner may lie beyond the
/// other shape by as much as the overlap; without overlap everything is exact.
void expectValid(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const std::vector<PairPoint>& points, double gap, double slack) {
  ASSERT_FALSE(points.empty());
  const double overlap = std::max(0.0, -gap);
  double least = 1e300;
  for (const PairPoint& point : points) {
    EXPECT_NEAR(point.normal.norm(), 1, 1e-14);
    const double along = separationAlong(a, X_WA, b, X_WB, point.normal);
    if (along < gap - slack) {
      expectEnd(a, X_WA, b, X_WB, point, gap, slack);
      continue;
    }
    EXPECT_LE(along, gap + slack + overlap);
    EXPECT_LE(outside(a, X_WA, point.point - 0.5 * point.gap * point.normal), slack + overlap) << name(a.type) << " " << name(b.type);
    EXPECT_LE(outside(b, X_WB, point.point + 0.5 * point.gap * point.normal), slack + overlap) << name(a.type) << " " << name(b.type);
    EXPECT_GE(point.gap, along - slack);
    least = std::min(least, point.gap);
  }
  EXPECT_LE(least, gap + 0.02) << name(a.type) << " " << name(b.type);
}

/// A pose of b at random whose gap to a is moved to `gap`; false where the pair is not apart at first.
bool place(const Shape& a, const Pose& X_WA, const Shape& b, Pose& X_WB, double gap, Random& random) {
  const Vector3 direction = random.vector().normalized();
  X_WB = {X_WA.position + 2.5 * direction, random.rotation()};
  const Separation first = separate(ConvexShape{a, X_WA}, ConvexShape{b, X_WB}, 10);
  if (!(first.gap > 0.05)) return false;
  X_WB.position -= (first.gap - gap) * first.normal;
  return true;
}

TEST(ConvexPairs, apartIsCertifiedByWitnesses) {
  Random random{1};
  const std::vector<Shape> all = shapes();
  for (const Shape& a : all)
    for (const Shape& b : all)
      for (int trial = 0; trial < 40; ++trial) {
        const Pose X_WA{random.vector(), random.rotation()};
        const Pose X_WB{X_WA.position + random.uniform(1.2, 3) * random.vector().normalized(), random.rotation()};
        const Separation near = separate(ConvexShape{a, X_WA}, ConvexShape{b, X_WB}, 10);
        EXPECT_NEAR(near.gap, separationAlong(a, X_WA, b, X_WB, near.normal), 1e-14);
        std::vector<PairPoint> points;
        collideConvexConvex(a, X_WA, b, X_WB, near.gap + 0.02, points);
        if (near.gap > 0) expectValid(a, X_WA, b, X_WB, points, near.gap, 1e-12);
        if (HasFailure()) {
          FAIL() << name(a.type) << " " << name(b.type) << " gap " << near.gap;
        }
      }
}

TEST(ConvexPairs, touchingAndShallowOverlapFindTheSameGap) {
  Random random{2};
  const std::vector<Shape> all = shapes();
  for (const double gap : {0.1, 1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3})
    for (const Shape& a : all)
      for (const Shape& b : all)
        for (int trial = 0; trial < 10; ++trial) {
          const Pose X_WA{random.vector(), random.rotation()};
          Pose X_WB;
          if (polytopes(a, b) || !place(a, X_WA, b, X_WB, gap, random)) continue;
          std::vector<PairPoint> points;
          collideConvexConvex(a, X_WA, b, X_WB, std::max(gap, 0.0) + 0.02, points);
          expectValid(a, X_WA, b, X_WB, points, gap, 2e-12);
          if (HasFailure()) FAIL() << name(a.type) << " " << name(b.type) << " gap " << gap << " trial " << trial;
        }
}

TEST(ConvexPairs, noNormalSeparatesBetter) {
  Random random{3};
  const std::vector<Shape> all = shapes();
  for (const Shape& a : all)
    for (const Shape& b : all)
      for (int trial = 0; trial < 4; ++trial) {
        const Pose X_WA{Vector3::Zero(), random.rotation()};
        Pose X_WB;
        if (polytopes(a, b) || !place(a, X_WA, b, X_WB, random.uniform(-0.02, 0.1), random)) continue;
        const Separation near = separate(ConvexShape{a, X_WA}, ConvexShape{b, X_WB}, 10);
        EXPECT_GE(near.gap, searched(a, X_WA, b, X_WB, random) - 1e-12) << name(a.type) << " " << name(b.type) << " " << trial;
      }
}

TEST(ConvexPairs, exchangeOfShapesMirrorsTheContact) {
  Random random{4};
  const std::vector<Shape> all = shapes();
  for (const Shape& a : all)
    for (const Shape& b : all)
      for (int trial = 0; trial < 10; ++trial) {
        const Pose X_WA{random.vector(), random.rotation()};
        Pose X_WB;
        if (!place(a, X_WA, b, X_WB, random.uniform(-1e-3, 1e-2), random)) continue;
        std::vector<PairPoint> there, back;
        collideConvexConvex(a, X_WA, b, X_WB, 0.03, there);
        collideConvexConvex(b, X_WB, a, X_WA, 0.03, back);
        ASSERT_EQ(there.size(), back.size()) << name(a.type) << " " << name(b.type);
        for (const PairPoint& point : there) {
          double nearest = 1e300;
          for (const PairPoint& other : back)
            nearest = std::min(nearest, (other.point - point.point).norm() + std::abs(other.gap - point.gap) + (other.normal + point.normal).norm());
          EXPECT_LT(nearest, 1e-9) << name(a.type) << " " << name(b.type);
        }
      }
}

TEST(ConvexPairs, randomPosesAreFinite) {
  Random random{5};
  const std::vector<Shape> all = shapes();
  std::vector<PairPoint> points;
  long found = 0;
  for (int trial = 0; trial < 100000; ++trial) {
    const Shape& a = all[static_cast<std::size_t>(trial) % all.size()];
    const Shape& b = all[static_cast<std::size_t>(trial / 8) % all.size()];
    const Pose X_WA{0.3 * random.vector(), random.rotation()}, X_WB{0.3 * random.vector(), trial % 7 == 0 ? X_WA.rotation : random.rotation()};
    points.clear();
    collideConvexConvex(a, X_WA, b, X_WB, 0.1, points);
    for (const PairPoint& point : points) {
      ASSERT_TRUE(point.point.allFinite() && std::isfinite(point.gap)) << trial;
      ASSERT_NEAR(point.normal.norm(), 1, 1e-12) << trial;
      ASSERT_LE(point.gap, 0.1);
    }
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) ASSERT_NE(points[i].feature, points[j].feature) << name(a.type) << " " << name(b.type) << " " << trial;
    found += static_cast<long>(points.size());
  }
  EXPECT_GT(found, 50000);
}

TEST(ConvexPairs, sphereOnCylinderSideCapAndRim) {
  const Shape sphere = Shape::sphere(0.25), cylinder = Shape::cylinder(0.5, 1);
  const auto contact = [&](const Vector3& centre) {
    std::vector<PairPoint> points;
    collideConvexConvex(sphere, {centre, Quaternion::Identity()}, cylinder, Pose{}, 1, points);
    EXPECT_EQ(points.size(), 1u);
    return points.at(0);
  };
  const PairPoint side = contact({0.75, 0, 0.3});
  EXPECT_NEAR(side.gap, 0, 1e-15);
  EXPECT_LT((side.normal + Vector3::UnitX()).norm(), 1e-14);
  EXPECT_LT((side.point - Vector3{0.5, 0, 0.3}).norm(), 1e-14);
  const PairPoint cap = contact({0.1, 0.2, 1.25 - 1e-3});
  EXPECT_NEAR(cap.gap, -1e-3, 1e-15);
  EXPECT_LT((cap.normal + Vector3::UnitZ()).norm(), 1e-14);
  const PairPoint rim = contact({0.8, 0, 1.4});  // 3-4-5 from the rim point (0.5, 0, 1)
  EXPECT_NEAR(rim.gap, 0.25, 1e-15);
  EXPECT_LT((rim.normal - Vector3{-0.6, 0, -0.8}).norm(), 1e-14);
}

TEST(ConvexPairs, cylinderStandsOnBoxOnItsWholeRim) {
  const Shape box = Shape::box({2, 2, 0.5}), cylinder = Shape::cylinder(0.5, 1);
  std::vector<PairPoint> points;
  collideConvexConvex(box, Pose{}, cylinder, {{0.3, -0.2, 1.5}, Quaternion::Identity()}, 0.01, points);
  ASSERT_EQ(points.size(), 8u);
  Vector3 mean = Vector3::Zero();
  for (const PairPoint& point : points) {
    EXPECT_NEAR(point.gap, 0, 1e-15);
    EXPECT_EQ(point.normal, Vector3::UnitZ());
    EXPECT_NEAR((point.point - Vector3{0.3, -0.2, 0.5}).norm(), 0.5, 1e-14);
    mean += point.point / 8;
  }
  EXPECT_LT((mean - Vector3{0.3, -0.2, 0.5}).norm(), 1e-14);
}

TEST(ConvexPairs, boxOverhangingACapRestsOnCornerAndRimCrossings) {
  // Box corner at the centre of the cap: one corner inside, two edges crossing the rim, the rest fixed rim points under the box.
  const Shape box = Shape::box({1, 1, 0.5}), cylinder = Shape::cylinder(0.5, 1);
  std::vector<PairPoint> points;
  collideConvexConvex(cylinder, Pose{}, box, {{1, 1, 1.5}, Quaternion::Identity()}, 0.01, points);
  ASSERT_EQ(points.size(), 4u);  // corner (0,0), rim at 0°, 45°, 90°
  double area = 0;
  for (const PairPoint& point : points) {
    EXPECT_GE(point.point.x(), -1e-12);
    EXPECT_GE(point.point.y(), -1e-12);
    EXPECT_LE(point.point.head<2>().norm(), 0.5 + 1e-12);
    area += point.point.head<2>().norm();
  }
  EXPECT_NEAR(area, 1.5, 1e-12);
}

TEST(ConvexPairs, lyingCylindersTouchAlongALine) {
  const Shape cylinder = Shape::cylinder(0.5, 1);
  std::vector<PairPoint> points;
  collideConvexConvex(cylinder, Pose{}, cylinder, {{1 + 1e-4, 0, 0.5}, Quaternion::Identity()}, 0.01, points);
  ASSERT_EQ(points.size(), 2u);
  for (const PairPoint& point : points) {
    EXPECT_NEAR(point.gap, 1e-4, 1e-14);
    EXPECT_LT((point.normal - Vector3::UnitX()).norm(), 1e-14);
  }
  EXPECT_NEAR(std::abs(points[0].point.z() - points[1].point.z()), 1.5, 1e-13);
}

TEST(ConvexPairs, crossedCylindersTouchAtOnePoint) {
  const Shape cylinder = Shape::cylinder(0.5, 1);
  std::vector<PairPoint> points;
  const Quaternion turn{Eigen::AngleAxisd{0.7, Vector3::UnitX()}};
  collideConvexConvex(cylinder, Pose{}, cylinder, {{0.999, 0, 0}, turn}, 0.01, points);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -1e-3, 1e-14);
  EXPECT_LT((points[0].point - Vector3{0.4995, 0, 0}).norm(), 1e-13);
}

TEST(ConvexPairs, slabAndSmallCylinderNearItsEdgeSeparateUpward) {
  const Shape slab = Shape::box({10, 10, 0.1}), cylinder = Shape::cylinder(0.1, 0.2);
  std::vector<PairPoint> points;
  collideConvexConvex(slab, Pose{}, cylinder, {{9.5, 9.5, 0.299}, Quaternion::Identity()}, 0.01, points);
  ASSERT_EQ(points.size(), 8u);
  for (const PairPoint& point : points) {
    EXPECT_EQ(point.normal, Vector3::UnitZ());
    EXPECT_NEAR(point.gap, -1e-3, 1e-14);
  }
}

TEST(PlanePairs, ellipsoidHeightIsItsSupportFunction) {
  Random random{6};
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3 s{0.2, 0.5, 0.9};
    const Pose plane{random.vector(), random.rotation()}, body{random.vector(), random.rotation()};
    const Vector3 n = plane.rotation * Vector3::UnitZ();
    std::vector<PairPoint> points;
    collidePlaneEllipsoid(Shape::plane(), plane, Shape::ellipsoid(s), body, 100, points);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].gap, n.dot(body.position - plane.position) - s.cwiseProduct(body.rotation.conjugate() * n).norm(), 1e-14);
  }
}

TEST(PlanePairs, cylinderOnEndSideAndRim) {
  const Shape cylinder = Shape::cylinder(0.5, 1);
  std::vector<PairPoint> points;
  collidePlaneCylinder(Shape::plane(), Pose{}, cylinder, {{0, 0, 1}, Quaternion::Identity()}, 0.01, points);
  EXPECT_EQ(points.size(), 8u);
  for (const PairPoint& point : points) EXPECT_NEAR(point.gap, 0, 1e-15);
  points.clear();
  collidePlaneCylinder(Shape::plane(), Pose{}, cylinder, {{0, 0, 0.5}, Quaternion{Eigen::AngleAxisd{std::numbers::pi / 2, Vector3::UnitY()}}}, 0.01, points);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR(points[0].gap, 0, 1e-15);
  EXPECT_NEAR((points[0].point - points[1].point).norm(), 2, 1e-14);
  points.clear();
  const double tilt = 0.4;
  collidePlaneCylinder(Shape::plane(), Pose{}, cylinder, {{0, 0, std::cos(tilt) + 0.5 * std::sin(tilt)}, Quaternion{Eigen::AngleAxisd{tilt, Vector3::UnitY()}}},
                       0.01, points);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, 0, 1e-15);
}

}  // namespace
}  // namespace stiction
