// Polytope pairs against geometry worked out by hand and against brute force over all features.
#include "collision/PolytopePairs.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <set>

#include "collision/Features.hpp"
#include "collision/NarrowPhase.hpp"
#include "collision/RoundPolytopePairs.hpp"
#include "unit/collision/PolytopeOracle.hpp"
#include "unit/collision/Random.hpp"

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
  for (int i = 0; i < 52; ++i) {
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
  for (int trial = 0; trial < 600; ++trial) {
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

/// A rounded solid of many faces, with a flat piece.
Shape randomPebble(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const Vector3 axes = randomVector(random, 0.3).cwiseAbs() + Vector3::Constant(0.2);
  std::vector<Vector3> cloud;
  for (int i = 0; i < 60 + static_cast<int>(random() % 400); ++i) {
    Vector3 p = Vector3{normal(random), normal(random), normal(random)}.normalized().cwiseProduct(axes);
    p.z() = std::max(p.z(), -0.6 * axes.z());
    cloud.push_back(p);
  }
  return Shape::hull(cloud);
}

Shape withoutTree(Shape shape) {
  if (!shape.polytope) return shape;
  Polytope all = *shape.polytope;
  all.tree = FaceTree{};
  shape.polytope = std::make_shared<const Polytope>(all);
  return shape;
}

/// Moves B along a random direction from A until the least gap is about `wanted`.
void placeByGap(const Shape& a, const Pose& X_WA, const Shape& b, Pose& X_WB, double wanted, std::mt19937& random) {
  const Vector3 direction = randomVector(random, 1.0).normalized();
  const double far = boundingRadius(a) + boundingRadius(b);
  double low = 0, high = far;
  for (int i = 0; i < 30; ++i) {
    X_WB.position = X_WA.position + 0.5 * (low + high) * direction;
    double gap = far;
    for (const PairPoint& point : points(a, X_WA, b, X_WB, 2 * far)) gap = std::min(gap, point.gap);
    (gap < wanted ? low : high) = 0.5 * (low + high);
  }
}

/// Returns whether there are contacts; expects the same where all faces and edges are looked at.
bool expectSameWithoutTrees(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach) {
  const auto few = points(a, X_WA, b, X_WB, reach), all = points(withoutTree(a), X_WA, withoutTree(b), X_WB, reach);
  EXPECT_EQ(few.size(), all.size());
  for (std::size_t i = 0; i < std::min(few.size(), all.size()); ++i) {
    EXPECT_EQ(few[i].feature, all[i].feature);
    EXPECT_NEAR(few[i].gap, all[i].gap, 1e-12);
    EXPECT_LT((few[i].normal - all[i].normal).norm(), 1e-9);
    EXPECT_LT((few[i].point - all[i].point).norm(), 1e-9);
  }
  return !few.empty();
}

/// Bodies with many parallel edges and faces: boxes, a hexagonal prism, a wedge, a frustum.
std::vector<Shape> masonry() {
  std::vector<Vector3> prism, wedge, frustum;
  for (const double z : {-0.4, 0.4})
    for (int k = 0; k < 6; ++k) prism.emplace_back(0.5 * std::cos(k * std::acos(-1.0) / 3), 0.5 * std::sin(k * std::acos(-1.0) / 3), z);
  for (const double x : {-0.5, 0.5}) {
    wedge.insert(wedge.end(), {{x, -0.5, -0.3}, {x, 0.5, -0.3}, {x, 0.5, 0.3}});
    for (const double y : {-0.5, 0.5}) frustum.insert(frustum.end(), {{x, y, -0.3}, {0.7 * x, 0.7 * y, 0.3}});
  }
  return {Shape::box({0.5, 0.5, 0.5}), Shape::box({0.5, 0.25, 0.1}), Shape::box({0.2, 0.2, 0.8}), Shape::hull(prism), Shape::hull(wedge), Shape::hull(frustum)};
}

// Masonry that is falling apart: laid level or side by side, tilted and apart, or into each other, by next to nothing. No contact is deeper than two supporting planes tell that the bodies are, but for
// what a face is preferred by, whatever edges lie level with each other or corners pass.
TEST(PolytopePairs, MasonryHasNoContactDeeperThanItIs) {
  std::mt19937 random{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const auto tiny = [&](double most) { return std::pow(10, -8.0 + (most + 8.0) * 0.5 * (1 + uniform(random))); };
  const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const double quarter = std::acos(0.0), reach = 1e-3;
  const std::vector<Shape> shapes = masonry();
  int met = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const Shape &a = shapes[static_cast<std::size_t>(pick(6))], &b = shapes[static_cast<std::size_t>(pick(6))];
    const double tilt = tiny(-2), lag = tiny(-3);
    const Quaternion laid = turn(quarter * pick(4), Vector3::UnitZ()) * turn(quarter * pick(4), Vector3::UnitX());
    const Pose X_WA = at(0, 0, 0, turn(tilt, randomVector(random, 1)));
    Pose X_WB{Vector3::Zero(), turn(tilt, randomVector(random, 1)) * laid};
    const Vector3 n = (pick(2) == 0 ? 1 : -1) * Vector3::Unit(pick(3));
    const Vector3 side{0.25 * (pick(5) - 2), 0.25 * (pick(5) - 2), 0.1 * (pick(5) - 2)};
    const double apart = (pick(3) == 0 ? -1 : 1) * tiny(-3);
    X_WB.position = side - n * n.dot(side) + lag * randomVector(random, 1);
    X_WB.position += n * (apart - oracle::along(n, {a, X_WA}, {b, X_WB}));
    const double size = std::min(a.polytope->radius, b.polytope->radius);
    double least = 1;
    for (const PairPoint& c : points(a, X_WA, b, X_WB, reach)) least = std::min(least, c.gap);
    met += least < reach ? 1 : 0;
    ASSERT_GE(least, std::min(apart, 0.0) * 1.02 - 5e-5 * size) << "trial " << trial << ", supporting planes " << apart << " apart";
  }
  EXPECT_GT(met, 100000);
}

// What a tree of faces leaves out changes nothing, and least gaps are those of brute force.
/// Depth [m] of a segment in the solid, negative outside: along the normals of faces and of parallelograms that edges and the segment span.
double depthOf(const oracle::Solid& solid, const Vector3& p, const Vector3& q) {
  double most = -std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vector3& n) {
    double top = -std::numeric_limits<double>::infinity();
    for (const Vector3& v : solid.vertices) top = std::max(top, n.dot(v));
    most = std::max(most, std::min(n.dot(p), n.dot(q)) - top);
  };
  for (const Vector3& n : solid.normals) consider(n);
  for (const Polytope::Edge& edge : solid.edges) {
    const Vector3 n = (solid.vertex(edge.v1) - solid.vertex(edge.v0)).cross(q - p).normalized();
    consider(n);
    consider(-n);
  }
  return -most;
}

/// Distance [m] of a segment outside of the solid.
double distanceOf(const oracle::Solid& solid, const Vector3& p, const Vector3& q) {
  double least = std::min(oracle::distanceFromSurface(p, solid), oracle::distanceFromSurface(q, solid));
  for (const Polytope::Edge& edge : solid.edges) least = std::min(least, oracle::segmentSegment(p, q, solid.vertex(edge.v0), solid.vertex(edge.v1)));
  return least;
}

// Thin ones above all: a rod beside the corner of a plate is on the inner side of none of its faces, and yet apart.
TEST(PolytopePairs, CapsulesAgreeWithBruteForce) {
  Random random{44};
  const Shape shapes[] = {Shape::box({0.2, 0.15, 0.1}), Shape::box({0.2, 0.15, 0.002}), Shape::box({0.3, 0.01, 0.01}),
                          Shape::hull({{0, 0, 0.25}, {0, 0, -0.25}, {0.012, 0, 0}, {-0.012, 0.006, 0}, {0, 0.012, 0}, {0, -0.012, 0.012}}),
                          Shape::hull({{-0.1, -0.1, -0.1}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}})};
  const double radius = 0.01, half = 0.2, reach = 0.15;
  const Shape rod = Shape::capsule(radius, half);
  int apart = 0, inside = 0;
  for (const Shape& shape : shapes)
    for (int trial = 0; trial < 4000; ++trial) {
      const Pose X_WA{Vector3::Zero(), random.rotation()}, X_WB{0.15 * random.vector(), random.rotation()};
      const Vector3 along = half * (X_WB.rotation * Vector3::UnitZ()), p = X_WB.position - along, q = X_WB.position + along;
      const oracle::Solid solid{shape, X_WA};
      const double depth = depthOf(solid, p, q), expected = (depth >= 0 ? -depth : distanceOf(solid, p, q)) - radius;
      (depth >= 0 ? inside : apart) += expected < reach ? 1 : 0;
      std::vector<PairPoint> points;
      collidePolytopeCapsule(shape, X_WA, rod, X_WB, reach, points);
      double least = std::numeric_limits<double>::infinity();
      for (const PairPoint& point : points) least = std::min(least, point.gap);
      if (expected < reach)
        ASSERT_NEAR(least, expected, 1e-5 * shape.polytope->radius) << "trial " << trial << ", depth " << depth;
      else
        ASSERT_TRUE(points.empty()) << "trial " << trial << ", gap " << least << ", not " << expected;
    }
  EXPECT_GE(apart, 4000);
  EXPECT_GE(inside, 2000);
}

TEST(PolytopePairs, ManyFacesAgreeWithAllFaces) {
  std::mt19937 random{20261127};
  int touching = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE("seed 20261127, trial " + std::to_string(trial));
    const Shape a = trial % 3 == 0 ? randomSolid(random) : randomPebble(random), b = trial % 3 == 1 ? randomSolid(random) : randomPebble(random);
    const Pose X_WA{randomVector(random, 1.0), randomRotation(random)};
    Pose X_WB{Vector3::Zero(), randomRotation(random)};
    static constexpr double wanted[] = {0.3, 0.05, 1e-3, 1e-6, 0.0, -1e-6, -1e-3, -0.02};
    placeByGap(a, X_WA, b, X_WB, wanted[trial % 8], random);
    for (const double reach : {0.2, 0.01, 1e-5}) touching += expectSameWithoutTrees(a, X_WA, b, X_WB, reach) ? 1 : 0;
    if (trial % 200 != 2 || a.polytope->edges.size() * b.polytope->edges.size() > 400000) continue;
    const double d = oracle::signedDistance({a, X_WA}, {b, X_WB});
    const double size = std::min(a.polytope->radius, b.polytope->radius);
    double least = 0.2;
    for (const PairPoint& c : points(a, X_WA, b, X_WB, 0.2)) least = std::min(least, c.gap);
    EXPECT_LE(least, std::min(d, 0.2) + 2e-5 * size + (d > 0 ? 2e-3 * d : 0));
    EXPECT_GE(least, std::min(d, 0.2) - 2e-5 * size - 0.011 * std::abs(d));
  }
  EXPECT_GT(touching, 2000);
}

TEST(PolytopePairs, RoundBodiesOnManyFacesAgreeWithAllFaces) {
  std::mt19937 random{17};
  int touching = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE("seed 17, trial " + std::to_string(trial));
    const Shape a = randomPebble(random);
    const double r = 0.01 + 0.3 * std::abs(randomVector(random, 1.0).x());
    const Shape b = trial % 2 == 0 ? Shape::sphere(r) : Shape::capsule(r, 0.5 * std::abs(randomVector(random, 1.0).x()) + 1e-3);
    const Pose X_WA{randomVector(random, 1.0), randomRotation(random)};
    Pose X_WB{Vector3::Zero(), randomRotation(random)};
    static constexpr double wanted[] = {0.3, 0.05, 1e-3, 0.0, -1e-6, -1e-3, -0.02, -0.3};
    placeByGap(a, X_WA, b, X_WB, wanted[trial % 8], random);
    for (const double reach : {0.2, 1e-5}) touching += expectSameWithoutTrees(a, X_WA, b, X_WB, reach) ? 1 : 0;
  }
  EXPECT_GT(touching, 4000);
}

// Exchanging A and B mirrors the contact; the set of gaps stays.
TEST(PolytopePairs, ExchangeMirrorsTheManifold) {
  std::mt19937 random{7};
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE("seed 7, trial " + std::to_string(trial));
    const Shape a = randomSolid(random), b = randomSolid(random);
    const Pose X_WA{randomVector(random, 1.0), randomRotation(random)};
    Pose X_WB{Vector3::Zero(), randomRotation(random)};
    const double d = place(a, X_WA, b, X_WB, randomVector(random, 1.0).normalized(), trial % 2 == 0 ? 1e-3 : -1e-3);
    if (d > 0.01) continue;  // the line of motion passes beside
    const auto there = points(a, X_WA, b, X_WB, 0.01), back = points(b, X_WB, a, X_WA, 0.01);
    ASSERT_FALSE(there.empty()) << d;
    ASSERT_FALSE(back.empty()) << d;
    const auto deepest = [](const std::vector<PairPoint>& set) {
      return *std::min_element(set.begin(), set.end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
    };
    EXPECT_NEAR(deepest(there).gap, deepest(back).gap, 2e-5);
    EXPECT_LT(deepest(there).normal.dot(deepest(back).normal), 0);
  }
}

// A resting manifold keeps its ids, and its gaps follow, under motions of 1e-6.
TEST(PolytopePairs, FeatureIdsPersistUnderSmallMotion) {
  std::mt19937 random{11};
  const Shape lower = Shape::box({0.5, 0.4, 0.1}), upper = Shape::box({0.3, 0.6, 0.2});
  std::set<std::uint64_t> first;
  for (int trial = 0; trial < 300; ++trial) {
    const Pose X_WA{1e-6 * randomVector(random, 1), turn(1e-6, randomVector(random, 1))};
    const Pose X_WB{Vector3{0.07, 0.05, 0.3} + 1e-6 * randomVector(random, 1), turn(0.2, Vector3::UnitZ()) * turn(1e-6, randomVector(random, 1))};
    std::set<std::uint64_t> ids;
    for (const PairPoint& c : points(lower, X_WA, upper, X_WB, 1e-3)) {
      EXPECT_LT(std::abs(c.gap), 5e-6);
      EXPECT_TRUE(ids.insert(c.feature).second);
    }
    if (first.empty()) first = ids;
    ASSERT_EQ(ids, first) << trial;
  }
  EXPECT_GE(first.size(), 4u);
}

// Equal footprints, moved by round-off only: always the same four corners.
TEST(PolytopePairs, EqualFootprintsKeepTheirCornersUnderRoundOff) {
  std::mt19937 random{13};
  const Shape box = Shape::box({0.5, 0.5, 0.5});
  const Quaternion q = turn(0.3, Vector3(1, 2, 3));
  std::set<std::uint64_t> first;
  for (int trial = 0; trial < 300; ++trial) {
    const Pose X_WA{Vector3(10, 20, 30), q};
    const Pose X_WB{X_WA * Vector3(0, 0, 1) + 1e-13 * randomVector(random, 1), (q * turn(1e-13, randomVector(random, 1))).normalized()};
    std::set<std::uint64_t> ids;
    for (const PairPoint& c : points(box, X_WA, box, X_WB, 1e-3)) {
      EXPECT_NEAR(c.gap, 0, 1e-12);
      ids.insert(c.feature);
    }
    if (first.empty()) first = ids;
    ASSERT_EQ(ids, first) << trial;
    ASSERT_EQ(ids.size(), 4u);
  }
}

// Wedges with vertices given to twelve digits, as in an arch: face on face at zero depth, four points, gaps within the digits given.
TEST(PolytopePairs, VoussoirsTouchFaceToFace) {
  const int n = 25;
  const double R = 5, t = 0.13, pi = std::acos(-1.0);
  const auto digits = [](double x) {
    return std::stod([&] {
      char text[40];
      std::snprintf(text, sizeof text, "%.12g", x);
      return std::string{text};
    }());
  };
  std::vector<Shape> stones;
  std::vector<Pose> poses;
  for (int i = 0; i < n; ++i) {
    const double middle = pi * (i + 0.5) / n;
    const Vector3 centre{R * std::cos(middle), 0, R * std::sin(middle)};
    std::vector<Vector3> corners;
    for (const double angle : {pi * i / n, pi * (i + 1) / n}) {
      for (const double r : {R * (1 - t / 2), R * (1 + t / 2)}) {
        for (const double y : {-0.5, 0.5}) corners.emplace_back(digits(r * std::cos(angle) - centre.x()), y, digits(r * std::sin(angle) - centre.z()));
      }
    }
    stones.push_back(Shape::hull(corners));
    poses.push_back(at(digits(centre.x()), 0, digits(centre.z())));
  }
  for (std::size_t i = 0; i + 1 < stones.size(); ++i) {
    const auto contacts = points(stones[i], poses[i], stones[i + 1], poses[i + 1], 1e-3);
    ASSERT_EQ(contacts.size(), 4u) << i;
    const double angle = pi * static_cast<double>(i + 1) / n;
    for (const PairPoint& c : contacts) {
      EXPECT_NEAR(c.gap, 0, 2e-11);
      EXPECT_NEAR((c.normal - Vector3(-std::sin(angle), 0, std::cos(angle))).norm(), 0, 1e-10);
    }
  }
  for (const auto& [stone, pose] : {std::pair{stones.front(), poses.front()}, std::pair{stones.back(), poses.back()}}) {
    const auto contacts = points(Shape::plane(), {}, stone, pose, 1e-3);
    ASSERT_EQ(contacts.size(), 4u);
    for (const PairPoint& c : contacts) EXPECT_NEAR(c.gap, 0, 1e-11);
  }
}

// Boxes that share only an edge line while offset along the faces pass by each other; a box beyond a corner is not seen above a face.
TEST(PolytopePairs, NoGhostsBesideABody) {
  const Shape box = Shape::box({0.5, 0.5, 0.5});
  EXPECT_TRUE(points(box, at(0, 0, 0), box, at(1.1, 0, 1), 0.2).empty());
  const auto corner = points(box, at(0, 0, 0), box, at(1.1, 0, 1.1), 0.2);
  ASSERT_EQ(corner.size(), 2u);
  for (const PairPoint& c : corner) {
    EXPECT_NEAR(c.gap, 0.1 * std::sqrt(2.0), 1e-6);
    EXPECT_NEAR((c.normal - Vector3(1, 0, 1).normalized()).norm(), 0, 1e-12);
  }
  EXPECT_TRUE(points(box, at(0, 0, 0), box, at(1.1, 0, 1.1), 0.141).empty());
}

TEST(PolytopePairs, FiniteForAnyPose) {
  std::mt19937 random{17};
  std::vector<Shape> solids;
  for (int i = 0; i < 12; ++i) solids.push_back(randomSolid(random));
  solids.push_back(Shape::sphere(0.3));
  solids.push_back(Shape::capsule(0.2, 0.3));
  solids.push_back(Shape::plane());
  for (int trial = 0; trial < 100000; ++trial) {
    const Shape& a = solids[random() % solids.size()];
    const Shape& b = solids[random() % solids.size()];
    // Now and then exactly aligned or coincident.
    const Pose X_WA{trial % 7 == 0 ? Vector3{Vector3::Zero()} : randomVector(random, 0.5), trial % 3 == 0 ? Quaternion::Identity() : randomRotation(random)};
    const Pose X_WB{trial % 5 == 0 ? Vector3{Vector3::Zero()} : randomVector(random, 0.5), trial % 2 == 0 ? Quaternion::Identity() : randomRotation(random)};
    for (const PairPoint& c : points(a, X_WA, b, X_WB, 0.1)) {
      ASSERT_TRUE(c.point.allFinite() && c.normal.allFinite() && std::isfinite(c.gap)) << trial;
      ASSERT_NEAR(c.normal.norm(), 1, 1e-12) << trial;
    }
  }
}

TEST(PolytopePairs, ManifoldOfARoundBaseKeepsAtMostEightPointsOfLargeArea) {
  std::vector<Vector3> rim;
  const double pi = std::acos(-1.0);
  for (int i = 0; i < 30; ++i) {
    for (const double z : {-0.2, 0.2}) rim.emplace_back(0.1 * std::cos(2 * pi * i / 30), 0.1 * std::sin(2 * pi * i / 30), z);
  }
  const Shape can = Shape::hull(rim);
  for (const Shape& ground : {Shape::plane(), Shape::box({1, 1, 0.1})}) {
    const double top = ground.type == ShapeType::Plane ? 0.0 : 0.1;
    const auto contacts = points(ground, {}, can, at(0, 0, top + 0.2), 1e-3);
    ASSERT_EQ(contacts.size(), 8u);
    std::vector<double> angles;
    for (const PairPoint& c : contacts) {
      EXPECT_NEAR(c.gap, 0, 1e-15);
      EXPECT_NEAR(c.point.head<2>().norm(), 0.1, 1e-15);
      angles.push_back(std::atan2(c.point.y(), c.point.x()));
    }
    std::sort(angles.begin(), angles.end());
    // No gap between neighbours above two of the eight even parts: the support polygon is all but kept.
    for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(i + 1 < 8 ? angles[i + 1] - angles[i] : angles[0] + 2 * pi - angles[7], 2 * pi / 4 + 1e-9);
  }
}

}  // namespace
}  // namespace stiction
