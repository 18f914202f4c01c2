// Tubes that lie side by side, nearly or exactly parallel: gaps by the distance of a point from a line, and motions of which the contacts must give notice.
#include "collision/SideBySide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "collision/NarrowPhase.hpp"
#include "unit/collision/Random.hpp"

namespace stiction {
namespace {

constexpr double kRadius = 0.1, kHalf = 0.5;  // [m]

Quaternion turn(double angle, const Vector3& axis) { return Quaternion{Eigen::AngleAxisd{angle, axis}}; }

/// With an edge along z at y = -kRadius.
Shape wedge() {
  std::vector<Vector3> points;
  for (const double z : {-kHalf, kHalf})
    for (const double x : {-0.2, 0.2}) points.push_back({x, 0.2, z});
  for (const double z : {-kHalf, kHalf}) points.push_back({0, -kRadius, z});
  return Shape::hull(points);
}

/// All but two wedges.
std::vector<std::pair<Shape, Shape>> pairsOfLogs() {
  const Shape logs[] = {Shape::capsule(kRadius, kHalf), Shape::cylinder(kRadius, kHalf), wedge()};
  std::vector<std::pair<Shape, Shape>> pairs;
  for (const Shape& a : logs)
    for (const Shape& b : logs)
      if (!a.polytope || !b.polytope) pairs.emplace_back(a, b);
  return pairs;
}

/// B above A by `gap` along y, yawed about y by `angle` and shifted along z.
Pose above(double gap, double angle, double shift) { return {{0, 2 * kRadius + gap, shift}, turn(angle, Vector3::UnitY())}; }

/// A wedge points its edge up when it is below.
Pose below(const Shape& a) { return {Vector3::Zero(), a.polytope ? turn(std::numbers::pi, Vector3::UnitZ()) : Quaternion::Identity()}; }

/// [m] To what round-off tells where two axes cross that are nearer there than elsewhere by θ²s²/2D only.
double placeOfCrossing(double angle) { return 1e-12 + 1e-15 * kRadius / (angle * angle); }

double distanceFromLine(const Vector3& x, const Vector3& p, const Vector3& axis) { return (x - p).cross(axis).norm(); }

std::vector<PairPoint> points(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  std::vector<PairPoint> out;
  collideShapes(a, X_WA, b, X_WB, 1.0, out);
  return out;
}

double least(const std::vector<PairPoint>& contacts) {
  return std::min_element(contacts.begin(), contacts.end(), [](const PairPoint& x, const PairPoint& y) { return x.gap < y.gap; })->gap;
}

TEST(SideBySide, EndsOfCapsulesAreAsFarAsTheAxesAreThere) {
  const Tube a{Vector3::Zero(), Vector3::UnitZ(), kHalf, kRadius};
  for (const double angle : {1e-4, 0.01, 0.2}) {
    const Vector3 axis{std::sin(angle), 0, std::cos(angle)};
    const Tube b{{0.1 * std::sin(angle), 0.25, 0.1 * std::cos(angle)}, axis, kHalf, kRadius};  // crosses A at its centre
    const TubeContacts contacts{a, b, nearestPoints(a, b), Vector3::UnitY(), 0.05};
    ASSERT_EQ(contacts.items().size(), 3u) << angle;
    const TubeContact &lower = contacts.items()[0], &upper = contacts.items()[1], &near = contacts.items()[2];
    EXPECT_EQ(near.gap, 0.05);
    EXPECT_NEAR((near.point - Vector3{0, 0.125, 0}).norm(), 0, placeOfCrossing(angle));
    const Vector3 top = a.at(kHalf), bottom = b.at(-kHalf);  // the overlap ends where A ends above and B below
    EXPECT_NEAR(upper.gap, distanceFromLine(top, b.centre, axis) - 2 * kRadius, 1e-15);
    EXPECT_NEAR(lower.gap, distanceFromLine(bottom, Vector3::Zero(), Vector3::UnitZ()) - 2 * kRadius, 1e-15);
    EXPECT_NEAR((upper.point - (top + (kRadius + 0.5 * upper.gap) * upper.normal)).norm(), 0, 1e-15);
    EXPECT_NEAR((lower.point - (bottom - (kRadius + 0.5 * lower.gap) * lower.normal)).norm(), 0, 1e-15);
    EXPECT_NEAR(upper.normal.dot(axis), 0, 1e-14);
    EXPECT_NEAR(lower.normal.z(), 0, 1e-14);
  }
}

TEST(SideBySide, ParallelTubesHaveTheTwoEndsOnly) {
  for (const auto& [a, b] : pairsOfLogs()) {
    const std::vector<PairPoint> contacts = points(a, below(a), b, above(0.01, 0, 0.3));
    ASSERT_EQ(contacts.size(), 2u) << name(a.type) << " " << name(b.type);
    for (const PairPoint& contact : contacts) {
      EXPECT_NEAR(contact.gap, 0.01, 1e-14);
      EXPECT_NEAR((contact.normal - Vector3::UnitY()).norm(), 0, 1e-14);
    }
    EXPECT_NEAR(std::min(contacts[0].point.z(), contacts[1].point.z()), 0.3 - kHalf, 1e-14);
    EXPECT_NEAR(std::max(contacts[0].point.z(), contacts[1].point.z()), kHalf, 1e-14);
  }
}

TEST(SideBySide, ANearestPointAtAnEndStandsForIt) {
  const Tube a{Vector3::Zero(), Vector3::UnitZ(), kHalf, kRadius};
  const Vector3 axis{std::sin(0.01), 0, std::cos(0.01)};
  const Tube b{{-0.495 * std::sin(0.01), 0.25, 0}, axis, kHalf, kRadius};  // crosses A 5 mm below its upper end
  const TubeContacts contacts{a, b, nearestPoints(a, b), Vector3::UnitY(), 0.05};
  ASSERT_EQ(contacts.items().size(), 2u);
  EXPECT_EQ(contacts.items()[0].place, 0);
  EXPECT_EQ(contacts.items()[1].place, 1);
  EXPECT_EQ(contacts.items()[1].gap, 0.05);
}

TEST(SideBySide, TubesThatCrossTouchThere) {
  for (const auto& [a, b] : pairsOfLogs()) {
    const std::vector<PairPoint> contacts = points(a, below(a), b, above(0.01, 0.5, 0));
    ASSERT_EQ(contacts.size(), 1u) << name(a.type) << " " << name(b.type);
    EXPECT_NEAR(contacts[0].gap, 0.01, 1e-14);
  }
}

// A rod across a plate, tilted a little: it is nearest at one edge, and the least rotation brings it down at the other, or with its end on the plate.
TEST(SideBySide, ARodAcrossAFaceTouchesAtBothEnds) {
  const double half = 0.1, radius = 0.01;
  const Shape box = Shape::box({half, half, half}), rod = Shape::capsule(radius, 0.15);
  for (const double tilt : {1e-3, 0.01, 0.05})
    for (const double height : {0.02, 0.011, 0.003, -1e-3})  // of the axis over the face, at its lower end
      for (const bool ends : {false, true}) {
        const double middle = ends ? -0.12 : 0.0, far = ends ? middle + 0.15 * std::cos(tilt) : half;
        const double over = height + std::tan(tilt) * (middle + half);  // of the axis, in its middle
        const Pose X_WR{{middle, 0.02, half + over}, turn(0.5 * std::numbers::pi - tilt, Vector3::UnitY())};
        const std::vector<PairPoint> contacts = points(box, {}, rod, X_WR);
        ASSERT_EQ(contacts.size(), 2u) << tilt << " " << height << " " << ends;
        const Vector3 acrossEdge{-std::sin(tilt), 0, std::cos(tilt)};
        for (const PairPoint& contact : contacts) {
          const bool isFar = contact.point.x() > 0;
          const double rise = height + std::tan(tilt) * (isFar ? far + half : 0.0);
          EXPECT_NEAR(contact.gap, (isFar && ends ? rise : rise * std::cos(tilt)) - radius, 1e-13) << tilt << " " << height << " " << isFar;
          EXPECT_LT((contact.normal - (isFar && ends ? Vector3::UnitZ() : acrossEdge)).norm(), 1e-9);
        }
      }
}

// An edge is struck at its ends only where the normal is one of the edge: a tube that overhangs a face touches the face.
TEST(SideBySide, NormalsStayBetweenTheFacesOfAnEdge) {
  const Shape box = Shape::box({0.5, 0.5, 0.5}), capsule = Shape::capsule(kRadius, 0.4);
  // Over the edge x = y = 0.5 at the height of the face y = 0.5 at one end, beyond the corner at the other.
  const Pose X_WB{{0.5, 0.62, 0}, turn(0.02, Vector3::UnitY())};
  for (const PairPoint& contact : points(box, {}, capsule, X_WB)) {
    EXPECT_GE(contact.normal.x(), -1e-9);
    EXPECT_GE(contact.normal.y(), -1e-9);
  }
}

// Small motions of one tube. Tilted by δ, of tubes that enclose θ, it is nearer by the least of θ²s²/2D − δ s over the overlap of length b. Contacts at s = 0 and b have notice of all of it but δ b / 4
// where that least is halfway, and never lack more than a quarter of the arc's height θ²b²/2D; the nearest points alone lack δ b.
TEST(SideBySide, ContactsGiveNoticeOfWhatComesNear) {
  Random random{17};
  constexpr double kMotion = 1e-4;  // [rad], [m]
  for (const auto& [a, b] : pairsOfLogs()) {
    for (int trial = 0; trial < 2000; ++trial) {
      const double angle = std::pow(10.0, random.uniform(-7, -1)) * (random.uniform(-1, 1) < 0 ? -1 : 1);
      const Pose X_WB = above(random.uniform(0, 1e-3), angle, random.uniform(-0.4, 0.4));
      const std::vector<PairPoint> before = points(a, below(a), b, X_WB);
      const Vector3 shift = kMotion * random.vector().normalized(), rotation = kMotion * random.vector().normalized();
      const Pose moved{X_WB.position + shift, (turn(rotation.norm(), rotation.normalized()) * X_WB.rotation).normalized()};
      double foreseen = 1e300;
      for (const PairPoint& contact : before)
        foreseen =
            std::min(foreseen, contact.gap + contact.normal.dot(shift + rotation.cross(contact.point + 0.5 * contact.gap * contact.normal - X_WB.position)));
      const double come = least(points(a, below(a), b, moved));
      const double halfway = std::min(0.25 * kMotion * 2 * kHalf, 0.125 * std::pow(angle * 2 * kHalf, 2) / kRadius);
      EXPECT_GE(come, foreseen - halfway - 20 * kMotion * kMotion) << name(a.type) << " " << name(b.type) << ", seed 17, trial " << trial << ", yaw " << angle;
    }
  }
}

TEST(SideBySide, ExchangedTubesTouchAtTheSamePlaces) {
  Random random{18};
  for (const auto& [a, b] : pairsOfLogs()) {
    for (int trial = 0; trial < 200; ++trial) {
      const double angle = std::pow(10.0, random.uniform(-7, -1));
      const Pose X_WB = above(random.uniform(-1e-4, 1e-3), angle, random.uniform(-0.4, 0.4));
      std::vector<PairPoint> one = points(a, below(a), b, X_WB), other = points(b, X_WB, a, below(a));
      ASSERT_EQ(one.size(), other.size());
      const auto sort = [](std::vector<PairPoint>& contacts) {
        std::sort(contacts.begin(), contacts.end(), [](const PairPoint& x, const PairPoint& y) { return x.point.z() < y.point.z(); });
      };
      sort(one), sort(other);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(one[i].gap, other[i].gap, 1e-12);
        EXPECT_NEAR((one[i].normal + other[i].normal).norm(), 0, 1e-8);
        EXPECT_NEAR((one[i].point - other[i].point).norm(), 0, placeOfCrossing(angle));
      }
    }
  }
}

}  // namespace
}  // namespace stiction
