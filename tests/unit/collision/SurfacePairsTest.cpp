// Shapes on meshes and terrain: flat floors must act as planes whatever their triangles, closed meshes of convex solids as those solids, ridges and valleys as drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "collision/ConvexSeparation.hpp"
#include "collision/HeightFieldPairs.hpp"
#include "collision/MeshPairs.hpp"
#include "unit/collision/ClosedMesh.hpp"
#include "unit/collision/Ground.hpp"
#include "unit/collision/Random.hpp"

namespace stiction {
namespace {

std::vector<PairPoint> collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach) {
  std::vector<PairPoint> points;
  if (b.type == ShapeType::Mesh)
    collideConvexMesh(a, X_WA, b, X_WB, reach, points);
  else
    collideConvexHeightField(a, X_WA, b, X_WB, reach, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(points[i].feature, points[j].feature);
  return points;
}

std::vector<Shape> bodies() {
  Random random{77};
  std::vector<Vector3> cloud;
  for (int i = 0; i < 20; ++i) cloud.push_back(0.2 * random.vector().normalized());
  return {Shape::sphere(0.15),        Shape::box({0.2, 0.12, 0.1}),       Shape::capsule(0.08, 0.15),
          Shape::cylinder(0.15, 0.1), Shape::ellipsoid({0.2, 0.1, 0.15}), Shape::hull(cloud)};
}

double flatGround(double, double) { return 0; }

TEST(SurfacePairs, ballRollingOverFlatTrianglesSeesThePlaneOnly) {
  Random random{1};
  const Shape ball = Shape::sphere(0.1), field = terrain(17, flatGround);
  for (const Shape& ground : {field, meshOf(field)})
    for (const double overlap : {0.0, 1e-9, 1e-4, 0.02, -1e-3}) {
      const Vector3 from{-0.8, -0.75, 0.1 - overlap}, to{0.75, 0.8, 0.1 - overlap};  // close to the diagonals, over many edges and some grid points
      for (int i = 0; i <= 1000; ++i) {
        const Vector3 centre =
            i % 2 == 0 ? Vector3{from + (to - from) * (i / 1000.0)} : Vector3{-0.75 + 0.125 * (i % 12), -0.75 + 0.0625 * (i % 19), 0.1 - overlap};
        const std::vector<PairPoint> points = collide(ball, {centre, random.rotation()}, ground, Pose{}, 0.01);
        ASSERT_EQ(points.size(), 1u) << name(ground.type) << " " << centre.transpose();
        EXPECT_LT((points[0].normal + Vector3::UnitZ()).norm(), 1e-15);
        EXPECT_NEAR(points[0].gap, -overlap, 1e-15);
        EXPECT_LT((points[0].point - Vector3{centre.x(), centre.y(), -0.5 * overlap}).norm(), 1e-15);
      }
    }
}

TEST(SurfacePairs, flatMeshAtAnyPoseIsThePlane) {
  Random random{2};
  const Shape ground = meshOf(terrain(9, flatGround));
  for (const Shape& body : bodies())
    for (int trial = 0; trial < 200; ++trial) {
      const Pose X_WG{random.vector(), random.rotation()};
      Pose X_GB{{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 0}, random.rotation()};
      const double lowest = (X_GB.rotation * support(body, X_GB.rotation.conjugate() * -Vector3::UnitZ())).z();
      const double gap = trial % 2 == 0 ? 1e-3 : -1e-3;
      X_GB.position.z() = gap - lowest;
      const std::vector<PairPoint> points = collide(body, X_WG * X_GB, ground, X_WG, 2e-3);
      ASSERT_FALSE(points.empty()) << name(body.type);
      double least = 1;
      for (const PairPoint& point : points) {
        EXPECT_LT((point.normal + X_WG.rotation * Vector3::UnitZ()).norm(), 1e-13) << name(body.type);
        EXPECT_NEAR((X_WG.inverse() * point.point).z(), 0.5 * point.gap, 1e-14);
        least = std::min(least, point.gap);
      }
      EXPECT_NEAR(least, gap, 1e-14) << name(body.type);
    }
}

TEST(SurfacePairs, boxOnFlatTrianglesRestsOnItsFourCorners) {
  Random random{3};
  const Shape box = Shape::box({0.3, 0.2, 0.1}), field = terrain(21, flatGround);
  for (const Shape& ground : {field, meshOf(field)})
    for (int trial = 0; trial < 200; ++trial) {
      const Pose X{{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 0.1 - 1e-5}, Quaternion{Eigen::AngleAxisd{random.uniform(0, 7), Vector3::UnitZ()}}};
      const std::vector<PairPoint> points = collide(box, X, ground, Pose{}, 1e-3);
      ASSERT_EQ(points.size(), 4u);
      for (const PairPoint& point : points) {
        EXPECT_LT((point.normal + Vector3::UnitZ()).norm(), 1e-15);
        EXPECT_NEAR(point.gap, -1e-5, 1e-15);
        const Vector3 local = X.inverse() * point.point;
        EXPECT_NEAR(std::abs(local.x()), 0.3, 1e-14);
        EXPECT_NEAR(std::abs(local.y()), 0.2, 1e-14);
      }
    }
}

TEST(SurfacePairs, closedMeshOfAConvexSolidActsAsTheSolid) {
  Random random{4};
  const Shape solid = bodies()[5];
  for (const Shape& hull : {solid, Shape::hull(Shape::box({0.4, 0.3, 0.2}).polytope->vertices)}) {
    const Shape mesh = closedMesh(*hull.polytope);
    for (const Shape& body : bodies())
      for (int trial = 0; trial < 60; ++trial) {
        const Pose X_WM{random.vector(), random.rotation()};
        Pose X_WB{X_WM.position + 2 * random.vector().normalized(), random.rotation()};
        const Separation far = separate(ConvexShape{body, X_WB}, ConvexShape{hull, X_WM}, 10);
        const double gap = std::array{1e-2, 1e-5, 0.0, -1e-7}[static_cast<std::size_t>(trial % 4)];
        X_WB.position += (far.gap - gap) * far.normal;
        const std::vector<PairPoint> points = collide(body, X_WB, mesh, X_WM, std::max(gap, 0.0) + 1e-4);
        ASSERT_FALSE(points.empty()) << name(body.type) << " gap " << gap;
        double least = 1;
        for (const PairPoint& point : points) least = std::min(least, point.gap);
        EXPECT_NEAR(least, gap, 1e-12 + std::max(0.0, -gap)) << name(body.type) << " gap " << gap;
      }
  }
}

/// Long bodies that pass a solid, over one of its ends and under another: whatever of them lies behind a face's plane, nothing of them is in the solid.
TEST(SurfacePairs, whatPassesBesideAClosedMeshIsNotInIt) {
  Random random{11};
  const std::vector<Shape> passing{Shape::box({0.6, 0.06, 0.05}), Shape::capsule(0.04, 0.5), Shape::cylinder(0.05, 0.6), Shape::ellipsoid({0.7, 0.1, 0.08}),
                                   Shape::hull({{-0.7, 0, 0}, {0.6, 0.05, 0}, {0.6, -0.05, 0.02}, {0.5, 0, -0.06}, {-0.6, 0.05, 0.05}})};
  for (const Shape& solid : {bodies()[5], Shape::hull(Shape::box({0.15, 0.15, 0.1}).polytope->vertices)})
    for (const Shape& mesh : {closedMesh(*solid.polytope), closedMeshWithMiddles(*solid.polytope)})
      for (const Shape& body : passing)
        for (int trial = 0; trial < 400; ++trial) {
          const Pose X_WM{random.vector(), random.rotation()};
          Pose X_WB{X_WM.position + random.uniform(0.1, 0.7) * random.vector().normalized(), random.rotation()};
          const Separation far = separate(ConvexShape{body, X_WB}, ConvexShape{solid, X_WM}, 10);
          const double gap = std::array{2e-2, 7e-3, 1e-4}[static_cast<std::size_t>(trial % 3)];
          X_WB.position += (far.gap - gap) * far.normal;
          for (const PairPoint& point : collide(body, X_WB, mesh, X_WM, gap + 1e-2))
            ASSERT_GT(point.gap, 0.9 * gap) << name(body.type) << " gap " << gap << " trial " << trial << ", normal " << point.normal.transpose();
        }
}

TEST(SurfacePairs, ballOnRidgeAndInValley) {
  const Shape ball = Shape::sphere(0.1);
  const double slope = 0.5, cosine = 1 / std::sqrt(1 + slope * slope);
  for (const bool ridge : {true, false}) {
    const Shape field = terrain(21, [=](double x, double) { return (ridge ? -slope : slope) * std::abs(x); });
    for (const Shape& ground : {field, meshOf(field)})
      for (const double y : {0.0, 0.013, -0.31}) {
        if (ridge) {
          const std::vector<PairPoint> points = collide(ball, {{0.01, y, 0.1}, Quaternion::Identity()}, ground, Pose{}, 0.01);  // within the cone of the ridge
          ASSERT_EQ(points.size(), 1u);
          EXPECT_LT((points[0].normal + Vector3{0.01, 0, 0.1}.normalized()).norm(), 1e-14);
          EXPECT_NEAR(points[0].gap, std::hypot(0.01, 0.1) - 0.1, 1e-15);
        } else {
          const std::vector<PairPoint> points = collide(ball, {{0, y, 0.1 / cosine}, Quaternion::Identity()}, ground, Pose{}, 1e-3);
          ASSERT_EQ(points.size(), 2u);
          for (const PairPoint& point : points) {
            EXPECT_NEAR(point.gap, 0, 1e-15);
            EXPECT_NEAR(std::abs(point.normal.x()), slope * cosine, 1e-14);
            EXPECT_NEAR(point.normal.z(), -cosine, 1e-14);
          }
        }
      }
  }
}

// Seen along the normal of the other flank, much of what lies on one flank of a ridge steeper than a right angle is behind the other.
TEST(SurfacePairs, whatLiesOnOneFlankOfASteepRidgeIsNotUnderTheOther) {
  const double slope = 2, overlap = 1e-6;
  const Vector3 normal = Vector3{-slope, 0, 1}.normalized();
  const Shape field = terrain(21, [=](double x, double) { return slope * (1 - std::abs(x)); });
  std::vector<Shape> shapes = bodies();
  shapes.push_back(Shape::box({0.15, 0.1, 0.003}));
  Random random{5};
  for (const Shape& body : shapes)
    for (int trial = 0; trial < 200; ++trial) {
      Pose X_WB{Vector3::Zero(), random.rotation()};
      const ConvexShape placed{body, X_WB};
      const Vector3 lowest = placed.coreSupport(-normal) - placed.margin() * normal, onFlank{-0.015 * (trial % 20 + 1), 0.005 * trial - 0.5, 0};
      X_WB.position = onFlank + Vector3{0, 0, slope * (1 + onFlank.x())} - lowest - overlap * normal;
      const std::vector<PairPoint> points = collide(body, X_WB, field, Pose{}, 1e-3);
      ASSERT_FALSE(points.empty()) << name(body.type) << " trial " << trial;
      for (const PairPoint& point : points)
        ASSERT_GE(point.gap, -overlap - 1e-12) << name(body.type) << " trial " << trial << ", normal " << point.normal.transpose();
    }
}

TEST(SurfacePairs, boxOnAPeakTouchesThePeak) {
  const Shape box = Shape::box({0.3, 0.3, 0.1}), field = terrain(5, [](double x, double y) { return x == 0 && y == 0 ? 0.2 : 0.0; });
  for (const Shape& ground : {field, meshOf(field)}) {
    const std::vector<PairPoint> points = collide(box, {{0.1, 0.05, 0.3 - 1e-6}, Quaternion::Identity()}, ground, Pose{}, 0.01);
    ASSERT_EQ(points.size(), 1u) << name(ground.type);
    EXPECT_NEAR(points[0].gap, -1e-6, 1e-14);
    EXPECT_LT((points[0].normal + Vector3::UnitZ()).norm(), 1e-14);
    EXPECT_LT((points[0].point - Vector3{0, 0, 0.2 - 0.5e-6}).norm(), 1e-13);
  }
}

TEST(SurfacePairs, boxAtAWallIsNotLiftedOntoIt) {
  // A step of height 0.3 along x = 0, as a mesh: floor, wall, upper floor.
  const Shape step = Shape::triangles({{-1, -1, 0}, {0, -1, 0}, {0, 1, 0}, {-1, 1, 0}, {0, -1, 0.3}, {0, 1, 0.3}, {1, -1, 0.3}, {1, 1, 0.3}},
                                      {{0, 1, 2}, {0, 2, 3}, {2, 1, 4}, {2, 4, 5}, {4, 6, 7}, {4, 7, 5}});
  for (const double turn : {0.0, 1e-3, -1e-3, 0.7})
    for (const double overlap : {0.0, 1e-6, 1e-3}) {
      const Quaternion R{Eigen::AngleAxisd{turn, Vector3::UnitZ()}};
      const double width = 0.2 * (std::abs(std::cos(turn)) + std::abs(std::sin(turn)));
      const std::vector<PairPoint> points = collide(Shape::box({0.2, 0.2, 0.25}), {{-width + overlap, 0.1, 0.25}, R}, step, Pose{}, 1e-4);
      bool floor = false, wall = false;
      for (const PairPoint& point : points) {
        const bool down = (point.normal + Vector3::UnitZ()).norm()<1e-9, side = point.normal.x()> 0.99 && std::abs(point.normal.z()) < 1e-9;
        EXPECT_TRUE(down || side) << point.normal.transpose();
        EXPECT_GE(point.gap, -overlap - 1e-12);
        floor |= down;
        wall |= side;
      }
      EXPECT_TRUE(floor && wall) << turn << " " << overlap;
    }
}

TEST(SurfacePairs, whatIsUnderTheTerrainIsPushedUp) {
  const Shape field = terrain(21, [](double x, double y) { return 0.05 * std::sin(3 * x) * std::cos(2 * y); });
  for (const Shape& body : bodies()) {
    const std::vector<PairPoint> points = collide(body, {{0.23, -0.31, -0.1}, Quaternion::Identity()}, field, Pose{}, 0.01);
    ASSERT_FALSE(points.empty()) << name(body.type);
    for (const PairPoint& point : points) {
      EXPECT_LT(point.normal.z(), -0.9) << name(body.type);
      EXPECT_LT(point.gap, 0);
    }
  }
}

TEST(SurfacePairs, wavyTerrainContactsAreFiniteAndOnTheSurface) {
  Random random{5};
  const Shape field = terrain(25, [](double x, double y) { return 0.08 * std::sin(7 * x + 1) * std::cos(5 * y); }), mesh = meshOf(field);
  const std::vector<Shape> all = bodies();
  long found = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const Shape& body = all[static_cast<std::size_t>(trial) % all.size()];
    const Pose X{{random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), random.uniform(0.0, 0.35)}, random.rotation()};
    for (const Shape& ground : {field, mesh})
      for (const PairPoint& point : collide(body, X, ground, Pose{}, 0.03)) {
        ++found;
        ASSERT_TRUE(point.point.allFinite() && std::isfinite(point.gap));
        ASSERT_NEAR(point.normal.norm(), 1, 1e-12);
        ASSERT_LE(point.gap, 0.03);
        ASSERT_LT(point.normal.z(), 0);
        if (point.gap < -0.01) continue;  // deep: pushed out, from about there
        const Vector3 onGround = point.point + 0.5 * point.gap * point.normal;
        const double wave = 0.08 * std::sin(7 * onGround.x() + 1) * std::cos(5 * onGround.y());
        ASSERT_NEAR(onGround.z(), wave, 0.012);  // chords of the wave: h² z''/8
        const Vector3 m = X.rotation.conjugate() * point.normal;
        ASSERT_LE(
            point.normal.dot(onGround - X.position) - m.dot(support(body, m)),
            point.gap + 1e-9 +
                0.4 *
                    std::max(0.0, -point.gap));  // at most the gap beyond the body's support plane; overlapping corners may lie 4 gaps aside on a 0.1 rad slope
      }
  }
  EXPECT_GT(found, 5000);
}

/// Wherever its centre is inside of a solid's mesh, a body is pushed out through a face that is near, by no less than how deep its centre is.
TEST(SurfacePairs, whatIsInsideOfASolidMeshIsPushedOut) {
  Random random{12};
  const Shape solid = bodies()[5];  // a convex one tells depths
  for (const Shape& mesh : {closedMesh(*solid.polytope), closedMeshWithMiddles(*solid.polytope)})
    for (const Shape& body : bodies())
      for (int trial = 0; trial < 100; ++trial) {
        const Pose X_WM{random.vector(), random.rotation()};
        const Vector3 inside = random.uniform(0, 0.14) * random.vector().normalized();
        double depth = std::numeric_limits<double>::infinity();
        for (std::size_t f = 0; f < solid.polytope->normals.size(); ++f)
          depth = std::min(depth, solid.polytope->offsets[f] - solid.polytope->normals[f].dot(inside));
        if (!(depth > 0)) continue;
        const std::vector<PairPoint> points = collide(body, {X_WM * inside, random.rotation()}, mesh, X_WM, 1e-3);
        ASSERT_FALSE(points.empty()) << name(body.type) << " trial " << trial;
        double least = 1;
        for (const PairPoint& point : points) least = std::min(least, point.gap);
        EXPECT_LE(least, -depth) << name(body.type) << " trial " << trial;
        for (const PairPoint& point : points) {
          double along = -1;  // of a face's normal, to the inside
          for (const Vector3& normal : solid.polytope->normals) along = std::max(along, point.normal.dot(X_WM.rotation * -normal));
          EXPECT_GT(along, 1 - 1e-12) << name(body.type) << " trial " << trial;
        }
      }
}

/// Lowered from above the ground to far into it, a body never loses it, and no contact comes or goes while it is apart: the gap closes no faster than the body goes.
TEST(SurfacePairs, whatSinksIntoTheGroundIsNeverLost) {
  Random random{31};
  const Shape field = terrain(25, [](double x, double y) { return 0.05 * std::sin(9 * x + 1) * std::cos(7 * y); });
  Random points{640};
  std::vector<Vector3> cloud;
  for (int i = 0; i < 400; ++i) cloud.emplace_back(points.vector().normalized().cwiseProduct(Vector3{0.25, 0.2, 0.15}));
  std::vector<Shape> all = bodies();
  all.push_back(Shape::hull(cloud));
  constexpr double step = 5e-4;
  for (const Shape& body : all)
    for (int trial = 0; trial < 25; ++trial) {
      Pose X{{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 0.4}, random.rotation()};
      double last = std::numeric_limits<double>::infinity();
      for (; X.position.z() > -0.3; X.position.z() -= last > 0 ? step : 20 * step) {
        double least = std::numeric_limits<double>::infinity();
        for (const PairPoint& point : collide(body, X, field, Pose{}, 0.02)) least = std::min(least, point.gap);
        if (std::isinf(least) && std::isinf(last)) continue;
        ASSERT_TRUE(std::isfinite(least)) << name(body.type) << " trial " << trial << " at " << X.position.z() << ", gap before " << last;
        const bool appears = std::isinf(last), isApart = !appears && last > 0 && least > 0;
        ASSERT_TRUE(!appears || least > 0.02 - 1.001 * step) << name(body.type) << " trial " << trial << " at " << X.position.z() << ", gap " << least;
        ASSERT_TRUE(!isApart || std::abs(least - (last - 0.5 * step)) < 0.501 * step)
            << name(body.type) << " trial " << trial << ", gap " << last << ", " << least;
        last = least;
      }
    }
}

// Overlaps of both sides of a valley, by up to a tenth of the body's size: pushed out of one side alone it goes deeper into the other, and out of that in the next step.
TEST(SurfacePairs, whatIsPressedIntoAValleyIsPushedOutOfBothSides) {
  Random random{12};
  std::vector<Shape> all = bodies();
  all.push_back(Shape::hull({{-0.1, -0.1, -0.1}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}}));
  int both = 0;
  for (const double slope : {0.3, 1.5})
    for (const Shape& body : all) {
      const Shape ground = terrain(21, [=](double x, double) { return slope * std::abs(x); });
      for (int trial = 0; trial < 300; ++trial) {
        const double depth = std::array{1e-9, 1e-7, 1e-6, 1e-4, 1e-3, 0.02}[static_cast<std::size_t>(trial % 6)];
        Pose X_WB{Vector3::Zero(), random.rotation()};
        const ConvexShape turned{body, X_WB};
        const auto behind = [&](double side) {  // [m] that it reaches against the normal of the side at x > 0 or x < 0
          const Vector3 normal = Vector3{-side * slope, 0, 1}.normalized();
          return turned.margin() - normal.dot(turned.coreSupport(-normal)) - depth;
        };
        const double stretch = std::hypot(slope, 1.0), right = stretch * behind(1), left = stretch * behind(-1);  // of −slope x + z and of slope x + z
        X_WB.position = {0.5 * (left - right) / slope, random.uniform(-0.3, 0.3), 0.5 * (left + right)};
        const auto overlaps = [&](double side) {  // the side as one triangle, not what it would be beyond the bottom
          const Vector3 far{side, 0, slope};
          return separate(ConvexShape{body, X_WB}, ConvexShape{std::array<Vector3, 3>{Vector3{0, 3, 0}, 3 * far, Vector3{0, -3, 0}}}, 0.01).gap < -0.1 * depth;
        };
        if (!overlaps(1) || !overlaps(-1)) continue;
        ++both;
        bool isRight = false, isLeft = false;
        for (const PairPoint& point : collide(body, X_WB, ground, Pose{}, 1e-3)) {
          isRight = isRight || (point.normal.x() > 0 && point.gap < 0);
          isLeft = isLeft || (point.normal.x() < 0 && point.gap < 0);
        }
        ASSERT_TRUE(isRight && isLeft) << name(body.type) << " trial " << trial << ", depth " << depth << ", slope " << slope << ": " << isRight << isLeft;
      }
    }
  EXPECT_GE(both, 2000);
}

/// Distance of a point from a triangle: the plane where its foot is inside, else the nearest of the three edges.
double distanceToTriangle(const Vector3& p, const std::array<Vector3, 3>& t) {
  const Vector3 normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  bool inside = true;
  double edges = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 edge = t[(k + 1) % 3] - t[k], from = p - t[k];
    inside = inside && normal.cross(edge).dot(from) >= 0;
    edges = std::min(edges, (from - std::clamp(from.dot(edge) / edge.squaredNorm(), 0.0, 1.0) * edge).norm());
  }
  return inside ? std::abs(normal.dot(p - t[0])) : edges;
}

TEST(SurfacePairs, sphereMeetsBumpyTerrainAtItsNearestPoint) {
  Random random{20};
  const double radius = 0.3;
  for (int round = 0; round < 400; ++round) {
    std::vector<double> bumps;
    for (int k = 0; k < 36; ++k) bumps.push_back(random.uniform(0, 0.08));
    int next = 0;
    const Shape ground = terrain(6, [&](double, double) { return bumps[static_cast<std::size_t>(next++)]; });
    // Above a grid point as often as anywhere: there a strict minimum has its nearest points on faces, edges or the point itself.
    const int column = 1 + round % 4, row = 1 + round / 4 % 4;
    Vector3 centre{-1 + 0.4 * column, -1 + 0.4 * row, 0};
    if (round % 2 == 0) centre.head<2>() += Vector2{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
    const auto distance = [&] {
      double least = std::numeric_limits<double>::infinity();
      const auto corner = [&](int r, int c) { return Vector3{-1 + 0.4 * c, -1 + 0.4 * r, ground.heightField->heights[static_cast<std::size_t>(6 * r + c)]}; };
      for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c) {
          least = std::min(least, distanceToTriangle(centre, {corner(r, c), corner(r, c + 1), corner(r + 1, c + 1)}));
          least = std::min(least, distanceToTriangle(centre, {corner(r, c), corner(r + 1, c + 1), corner(r + 1, c)}));
        }
      return least;
    };
    double low = 0.1, high = 1;  // the height at which the sphere just touches
    for (int k = 0; k < 60; ++k) {
      centre.z() = 0.5 * (low + high);
      (distance() < radius ? low : high) = centre.z();
    }
    for (const double gap : {0.01, 1e-4, 0.0, -1e-3}) {
      Pose X{centre + Vector3{0, 0, gap}};
      double least = std::numeric_limits<double>::infinity();
      for (const PairPoint& point : collide(Shape::sphere(radius), X, ground, Pose{}, 0.05)) least = std::min(least, point.gap);
      std::swap(centre, X.position);
      // Overlapping at a ridge, the face beyond it may be met outside its triangle: deeper, by a small part of the overlap.
      EXPECT_LE(least, distance() - radius + 1e-9) << "round " << round << " gap " << gap;
      EXPECT_GE(least, distance() - radius - 1e-9 - 0.05 * std::max(-gap, 0.0)) << "round " << round << " gap " << gap;
      std::swap(centre, X.position);
    }
  }
}

}  // namespace
}  // namespace stiction
