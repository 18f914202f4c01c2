// Closed-form pairs against values worked out by hand.
#include "collision/Analytic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "collision/ManifoldReduction.hpp"
#include "collision/NarrowPhase.hpp"

namespace stiction {
namespace {

const double pi = std::acos(-1.0);

Pose at(double x, double y, double z, const Quaternion& q = Quaternion::Identity()) { return {{x, y, z}, q}; }
Quaternion turn(double angle, const Vector3& axis) { return Quaternion{Eigen::AngleAxisd{angle, axis.normalized()}}; }

std::vector<PairPoint> points(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach) {
  std::vector<PairPoint> out;
  collideShapes(a, X_WA, b, X_WB, reach, out);
  return out;
}

/// One contact with this gap, normal and point, the same with the shapes exchanged.
void expectOne(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double gap, const Vector3& normal, const Vector3& point) {
  for (const bool exchanged : {false, true}) {
    const auto contacts = exchanged ? points(b, X_WB, a, X_WA, 1.0) : points(a, X_WA, b, X_WB, 1.0);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-14);
    EXPECT_NEAR((contacts[0].normal - (exchanged ? -1.0 : 1.0) * normal).norm(), 0, 1e-14);
    EXPECT_NEAR((contacts[0].point - point).norm(), 0, 1e-14);
  }
}

TEST(Analytic, UnitBoxOnPlaneHasFourGapsExactlyZero) {
  const auto contacts = points(Shape::plane(), {}, Shape::box({0.5, 0.5, 0.5}), at(3, -2, 0.5), 1e-3);
  ASSERT_EQ(contacts.size(), 4u);
  for (const PairPoint& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_EQ(c.normal, Vector3(0, 0, 1));
  }
}

TEST(Analytic, BoxOnTiltedPlaneFarFromTheOrigin) {
  const Quaternion q = turn(0.4, Vector3(1, 2, 0));
  const Pose X_WP = at(100, 200, -50, q);
  const Pose X_WB{X_WP * Vector3(0.3, 0.2, 0.5), (q * turn(0.7, Vector3::UnitZ())).normalized()};
  const auto contacts = points(Shape::plane(), X_WP, Shape::box({0.5, 0.5, 0.5}), X_WB, 1e-3);
  ASSERT_EQ(contacts.size(), 4u);
  for (const PairPoint& c : contacts) EXPECT_NEAR(c.gap, 0, 1e-13);  // round-off of the position, 200 × 2.2e-16
}

TEST(Analytic, EveryCornerOfATiltedBoxHasItsOwnGap) {
  const double angle = 0.2;
  const auto contacts = points(Shape::plane(), {}, Shape::box({0.5, 0.4, 0.3}), at(0, 0, 0.5, turn(angle, Vector3::UnitY())), 10);
  ASSERT_EQ(contacts.size(), 8u);
  std::vector<double> gaps, expected;
  for (const PairPoint& c : contacts) gaps.push_back(c.gap);
  for (const double x : {-0.5, 0.5}) {
    for (const double z : {-0.3, 0.3}) expected.insert(expected.end(), 2, 0.5 - x * std::sin(angle) + z * std::cos(angle));
  }
  std::sort(gaps.begin(), gaps.end());
  std::sort(expected.begin(), expected.end());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(gaps[i], expected[i], 1e-15);
}

TEST(Analytic, SpherePairs) {
  const Shape small = Shape::sphere(0.1), large = Shape::sphere(0.3);
  expectOne(Shape::plane(), {}, small, at(1, 2, 0.15), 0.05, {0, 0, 1}, {1, 2, 0.025});
  expectOne(Shape::plane(), {}, small, at(1, 2, -0.5), -0.6, {0, 0, 1}, {1, 2, -0.3});
  expectOne(small, at(0, 0, 0), large, at(0, 0.6, 0.8), 0.6, {0, 0.6, 0.8}, 0.4 * Vector3(0, 0.6, 0.8));
  const auto same = points(small, at(1, 1, 1), large, at(1, 1, 1), 0);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].gap, -0.4);
  EXPECT_EQ(same[0].normal, Vector3(0, 0, 1));
}

TEST(Analytic, SphereAndBox) {
  const Shape ball = Shape::sphere(0.1), box = Shape::box({0.5, 0.6, 0.7});
  expectOne(ball, at(0.1, 0.2, 1), box, {}, 0.2, {0, 0, -1}, {0.1, 0.2, 0.8});                                 // face
  expectOne(ball, at(0.8, 1.0, 0.1), box, {}, 0.4, {-0.6, -0.8, 0}, {0.5 + 0.2 * 0.6, 0.6 + 0.2 * 0.8, 0.1});  // edge
  expectOne(ball, at(0.5 + 0.1, 0.6 + 0.2, 0.7 + 0.2), box, {}, 0.2, Vector3(-1, -2, -2) / 3, Vector3(0.5, 0.6, 0.7) + 0.1 * Vector3(1, 2, 2) / 3);
  expectOne(ball, at(0.4, 0.1, 0), box, {}, -0.2, {-1, 0, 0}, {0.4, 0.1, 0});   // centre inside, 0.1 below the face x = 0.5
  expectOne(ball, at(0.5, 0.1, 0), box, {}, -0.1, {-1, 0, 0}, {0.45, 0.1, 0});  // centre on the face
}

TEST(Analytic, SphereAndHullAgreeWithSphereAndBox) {
  const Shape ball = Shape::sphere(0.1), box = Shape::box({0.5, 0.6, 0.7});
  const Shape hull = Shape::hull(box.polytope->vertices);
  std::mt19937 random{5};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int trial = 0; trial < 2000; ++trial) {
    const Pose X_WB{{uniform(random), uniform(random), uniform(random)}, Quaternion{uniform(random), uniform(random), uniform(random), 1.1}.normalized()};
    const Pose X_WA = at(uniform(random), uniform(random), uniform(random));
    const auto one = points(ball, X_WA, box, X_WB, 0.3), other = points(ball, X_WA, hull, X_WB, 0.3);
    ASSERT_EQ(one.size(), other.size()) << "seed 5, trial " << trial;
    if (one.empty()) continue;
    EXPECT_NEAR(one[0].gap, other[0].gap, 1e-14);
    EXPECT_NEAR((one[0].normal - other[0].normal).norm(), 0, 1e-12);
    EXPECT_NEAR((one[0].point - other[0].point).norm(), 0, 1e-12);
  }
}

TEST(Analytic, CapsuleOnPlaneHasTwoEnds) {
  const Shape capsule = Shape::capsule(0.1, 0.4);
  const auto lying = points(Shape::plane(), {}, capsule, at(0, 0, 0.1, turn(pi / 2, Vector3::UnitY())), 1e-3);
  ASSERT_EQ(lying.size(), 2u);
  for (const PairPoint& c : lying) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR(std::abs(c.point.x()), 0.4, 1e-15);
  }
  EXPECT_EQ(points(Shape::plane(), {}, capsule, at(0, 0, 0.5), 1e-3).size(), 1u);
}

TEST(Analytic, CapsuleAndSphere) {
  const Shape capsule = Shape::capsule(0.1, 0.4), ball = Shape::sphere(0.2);
  expectOne(ball, at(0, 0, 0.3), capsule, at(0.5, 0, 0), 0.2, {1, 0, 0}, {0.3, 0, 0.3});                                          // side
  expectOne(ball, at(0.3, 0, 0.8), capsule, at(0, 0, 0), 0.2, {-0.6, 0, -0.8}, Vector3(0, 0, 0.4) + 0.2 * Vector3(0.6, 0, 0.8));  // end
}

TEST(Analytic, CapsulePairs) {
  const Shape capsule = Shape::capsule(0.1, 0.4);
  const Quaternion alongX = turn(pi / 2, Vector3::UnitY());
  expectOne(capsule, at(0, 0, 0), capsule, at(0.1, 0.5, 0.2, alongX), 0.3, {0, 1, 0}, {0, 0.25, 0.2});  // crossing
  const auto parallel = points(capsule, at(0, 0, 0), capsule, at(0.25, 0, 0.3, turn(pi, Vector3::UnitX())), 0.1);
  ASSERT_EQ(parallel.size(), 2u);  // overlap of [-0.4, 0.4] and [-0.1, 0.7]
  for (const PairPoint& c : parallel) {
    EXPECT_NEAR(c.gap, 0.05, 1e-15);
    EXPECT_NEAR((c.normal - Vector3::UnitX()).norm(), 0, 1e-14);
  }
  EXPECT_NEAR(std::min(parallel[0].point.z(), parallel[1].point.z()), -0.1, 1e-15);
  EXPECT_NEAR(std::max(parallel[0].point.z(), parallel[1].point.z()), 0.4, 1e-15);
  expectOne(capsule, at(0, 0, 0), capsule, at(0, 0, 1.5), 0.5, {0, 0, 1}, {0, 0, 0.75});  // in line
}

TEST(Analytic, CapsuleOnBox) {
  const Shape box = Shape::box({0.5, 0.5, 0.5}), capsule = Shape::capsule(0.1, 0.4);
  const Quaternion alongX = turn(pi / 2, Vector3::UnitY());
  const auto on = points(box, {}, capsule, at(0.3, 0, 0.6, alongX), 1e-3);
  ASSERT_EQ(on.size(), 2u);  // axis over the face for x in [-0.1, 0.5]
  for (const PairPoint& c : on) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR((c.normal - Vector3::UnitZ()).norm(), 0, 1e-15);
  }
  EXPECT_NEAR(std::min(on[0].point.x(), on[1].point.x()), -0.1, 1e-15);
  EXPECT_NEAR(std::max(on[0].point.x(), on[1].point.x()), 0.5, 1e-15);
  const auto along = points(box, {}, capsule, at(0.2, 0.8, 0.9, alongX), 1.0);  // parallel to the edge y = z = 0.5
  ASSERT_EQ(along.size(), 2u);
  for (const PairPoint& c : along) {
    EXPECT_NEAR(c.gap, 0.4, 1e-15);
    EXPECT_NEAR((c.normal - Vector3(0, 0.6, 0.8)).norm(), 0, 1e-14);
  }
  // Axis across the edge, in the plane at 45° to both faces.
  const double gap = 0.3 * std::sqrt(2.0) - 0.1;
  const Vector3 outward = Vector3(0, 1, 1).normalized();
  expectOne(box, {}, capsule, at(0, 0.8, 0.8, turn(pi / 4, Vector3::UnitX())), gap, outward, Vector3(0, 0.5, 0.5) + 0.5 * gap * outward);
}

TEST(ManifoldReduction, DependsOnTheSetOnlyAndKeepsTheDeepest) {
  std::mt19937 random{23};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<PairPoint> set;
    for (int i = 0; i < 40; ++i) set.push_back({{uniform(random), uniform(random), 0}, Vector3::UnitZ(), uniform(random), static_cast<std::uint64_t>(i + 1)});
    set[17].gap = -2;
    std::vector<PairPoint> twice = set;
    for (PairPoint p : set) {
      p.feature += 1000;
      twice.push_back(p);
    }
    std::vector<PairPoint> reference = set;
    reduceManifold(1.0, reference);
    EXPECT_LE(reference.size(), max_manifold_points);
    EXPECT_TRUE(std::any_of(reference.begin(), reference.end(), [](const PairPoint& p) { return p.feature == 18; }));
    for (std::vector<PairPoint> shuffled : {set, twice}) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      reduceManifold(1.0, shuffled);
      ASSERT_EQ(shuffled.size(), reference.size());
      for (std::size_t i = 0; i < shuffled.size(); ++i) EXPECT_EQ(shuffled[i].feature, reference[i].feature);
    }
  }
}

// The rim of a mesh in single precision: whichever point happens to be lowest by 1e-8, the same ones are kept, so that a can at rest does not change its feet.
TEST(ManifoldReduction, RoundOffOfARimDoesNotChoose) {
  std::mt19937 random{5};
  std::uniform_real_distribution<double> noise{-1e-8, 1e-8};
  std::vector<std::uint64_t> first;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<PairPoint> rim;
    for (int i = 0; i < 24; ++i)
      rim.push_back({{std::cos(2 * M_PI * i / 24), std::sin(2 * M_PI * i / 24), 0}, Vector3::UnitZ(), noise(random), static_cast<std::uint64_t>(i + 1)});
    reduceManifold(1.0, rim);
    std::vector<std::uint64_t> kept;
    for (const PairPoint& p : rim) kept.push_back(p.feature);
    EXPECT_EQ(kept.size(), max_manifold_points);
    if (trial == 0) first = kept;
    EXPECT_EQ(kept, first);
  }
}

TEST(ManifoldReduction, KeepsEveryDirectionOfAMixedSet) {
  std::vector<PairPoint> set;
  for (int i = 0; i < 20; ++i)
    set.push_back({{std::cos(0.3 * i), std::sin(0.3 * i), 0}, i % 10 == 0 ? Vector3::UnitX() : Vector3::UnitZ(), 0, static_cast<std::uint64_t>(i + 1)});
  reduceManifold(1.0, set);
  EXPECT_EQ(set.size(), 10u);
  EXPECT_EQ(std::count_if(set.begin(), set.end(), [](const PairPoint& p) { return p.normal == Vector3::UnitX(); }), 2);
}

}  // namespace
}  // namespace stiction
