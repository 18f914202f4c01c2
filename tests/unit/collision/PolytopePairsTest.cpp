// Polytope pairs against geometry worked out by hand and against brute force over all features.
#include "collision/PolytopePairs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "collision/Features.hpp"
#include "collision/NarrowPhase.hpp"
#include "unit/collision/PolytopeOracle.hpp"

namespace stiction {
namespace {

Pose at(double x, double y, double z, const Quaternion& q = Quaternion::Identity()) { return {{x, y, z}, q}; }
Quaternion turn(double angle, const Vector3& axis) { return Quaternion{Eigen::AngleAxisd{angle, axis.normalized()}}; }

std::vector<PairPoint> points(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach) {
  std::vector<PairPoint> out;
  collideShapes(a, X_WA, b, X_WB, reach, out);
  return out;
}

TEST(PolytopePairs, UnitBoxOnUnitBoxTouchesAtFourCornersExactly) {
  const Shape box = Shape::box({0.5, 0.5, 0.5});
  const auto contacts = points(box, at(0, 0, 0.5), box, at(0, 0, 1.5), 1e-3);
  ASSERT_EQ(contacts.size(), 4u);
  for (const PairPoint& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_EQ(c.normal, Vector3(0, 0, 1));
    EXPECT_EQ(c.point.z(), 1.0);
    EXPECT_EQ(c.point.head<2>().cwiseAbs(), Vector2(0.5, 0.5));
  }
}

TEST(PolytopePairs, BoxTurnedBy45DegreesOnABoxTouchesInAnOctagon) {
  const Shape box = Shape::box({0.5, 0.5, 0.5});
  const auto contacts = points(box, at(0, 0, 0.5), box, at(0, 0, 1.5, turn(std::atan(1.0), Vector3::UnitZ())), 1e-3);
  ASSERT_EQ(contacts.size(), 8u);
  // The side x = 1/2 of one square and the side x + y = 1/√2 of the other meet at (1/2, 1/√2 - 1/2).
  for (const PairPoint& c : contacts) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR(c.point.cwiseAbs().head<2>().maxCoeff(), 0.5, 1e-15);
    EXPECT_NEAR(c.point.cwiseAbs().head<2>().minCoeff(), std::sqrt(0.5) - 0.5, 1e-15);
  }
}

TEST(PolytopePairs, CardRidgeHasTheBisectorAsNormalAndTwoEnds) {
  const double a = 70 * std::acos(-1.0) / 180, L = 1, T = 0.02;
  const Shape card = Shape::box({T / 2, 0.35, L / 2});
  const double half = L * std::cos(a) / 2 + T * std::sin(a) / 2;
  const double lean = std::acos(-1.0) / 2 - a;
  const double z = (L * std::sin(a) + T * std::cos(a)) / 2;
  const auto contacts = points(card, at(-half, 0, z, turn(lean, Vector3::UnitY())), card, at(half, 0, z, turn(-lean, Vector3::UnitY())), 1e-3);
  ASSERT_EQ(contacts.size(), 2u);
  for (const PairPoint& c : contacts) {
    EXPECT_NEAR((c.normal - Vector3::UnitX()).norm(), 0, 1e-9);
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR(std::abs(c.point.y()), 0.35, 1e-15);
    EXPECT_NEAR(c.point.x(), 0, 1e-15);
    EXPECT_NEAR(c.point.z(), z + L / 2 * std::cos(lean) - T / 2 * std::sin(lean), 1e-15);
  }
  EXPECT_NE(contacts[0].feature, contacts[1].feature);
}

TEST(PolytopePairs, CrossedEdgesTouchAtOnePoint) {
  // Two bars with an edge up and an edge down, at right angles.
  const Shape bar = Shape::box({1, 0.1, 0.1});
  const double top = 0.1 * std::sqrt(2.0);
  const Quaternion onEdge = turn(std::atan(1.0), Vector3::UnitX());
  const Quaternion across = turn(std::acos(-1.0) / 2, Vector3::UnitZ()) * onEdge;
  for (const double gap : {0.0, 1e-9, -1e-9, 1e-3, -1e-3}) {
    const auto contacts = points(bar, at(0.2, 0, 0, onEdge), bar, at(0, 0.3, 2 * top + gap, across), 0.01);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-15);
    EXPECT_NEAR((contacts[0].normal - Vector3::UnitZ()).norm(), 0, 1e-15);
    EXPECT_NEAR((contacts[0].point - Vector3(0, 0, top + gap / 2)).norm(), 0, 1e-15);
  }
}

Quaternion randomRotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
  return Quaternion{w, x, y, z}.normalized();
}

Vector3 randomVector(std::mt19937& random, double scale) {
  std::uniform_real_distribution<double> uniform{-scale, scale};
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, z};
}

Shape randomSolid(std::mt19937& random) {
  if (random() % 2 == 0) return Shape::box(randomVector(random, 0.45).cwiseAbs() + Vector3::Constant(0.05));
  std::vector<Vector3> cloud;
  const int count = 6 + static_cast<int>(random() % 20);
  for (int i = 0; i < count; ++i) cloud.push_back(randomVector(random, 0.5));
  return Shape::hull(cloud);
}

/// Moves B along the line of centres so that the oracle's signed distance becomes `wanted`.
double place(const Shape& a, const Pose& X_WA, const Shape& b, Pose& X_WB, const Vector3& direction, double wanted) {
  double low = -3, high = 3;
  const Vector3 start = X_WA.position;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    X_WB.position = start + middle * direction;
    const double d = oracle::signedDistance({a, X_WA}, {b, X_WB});
    if (middle < 0 || d < wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  X_WB.position = start + high * direction;
  return oracle::signedDistance({a, X_WA}, {b, X_WB});
}

// The least gap is the signed distance: within the stated preference for faces (1 % or 1e-5 of the size) where the bodies overlap, and every point that is apart lies
// midway between points of the two surfaces.
TEST(PolytopePairs, RandomPosesAgreeWithBruteForce) {
  std::mt19937 random{20240501};
  for (int trial = 0; trial < 1500; ++trial) {
    SCOPED_TRACE("seed 20240501, trial " + std::to_string(trial));
    const Shape a = randomSolid(random), b = randomSolid(random);
    const Pose X_WA{randomVector(random, 1.0), randomRotation(random)};
    Pose X_WB{Vector3::Zero(), randomRotation(random)};
    static constexpr double wanted[] = {0.3, 0.05, 1e-3, 1e-6, 0.0, -1e-6, -1e-3, -0.02};
    const double reach = 0.2;
    const double d = place(a, X_WA, b, X_WB, randomVector(random, 1.0).normalized(), wanted[trial % 8]);
    const auto contacts = points(a, X_WA, b, X_WB, reach);
    if (d > reach) {
      EXPECT_TRUE(contacts.empty());
      continue;
    }
    ASSERT_FALSE(contacts.empty()) << "distance " << d;
    double least = 1;
    std::set<std::uint64_t> ids;
    const oracle::Solid solidA{a, X_WA}, solidB{b, X_WB};
    for (const PairPoint& c : contacts) {
      least = std::min(least, c.gap);
      ids.insert(c.feature);
      EXPECT_NEAR(c.normal.norm(), 1, 1e-14);
      EXPECT_LE(c.gap, reach);
      if (c.gap > 0) {
        EXPECT_LT(oracle::distanceFromSurface(c.point - 0.5 * c.gap * c.normal, solidA), 2e-5) << c.gap;
        EXPECT_LT(oracle::distanceFromSurface(c.point + 0.5 * c.gap * c.normal, solidB), 2e-5) << c.gap;
      }
    }
    EXPECT_EQ(ids.size(), contacts.size());
    EXPECT_LE(contacts.size(), 9u);
    const double size = std::min(a.polytope->radius, b.polytope->radius);
    EXPECT_LE(least, d + 2e-5 * size + (d > 0 ? 2e-3 * d : 0));
    EXPECT_GE(least, d - 2e-5 * size - 0.011 * std::abs(d));
  }
}

}  // namespace
}  // namespace stiction
