// The position projection on spheres whose corrections are known: overlaps are shared by mass, velocities stay.
#include "integrate/Projection.hpp"

#include <gtest/gtest.h>

#include "SphereIsland.hpp"

namespace stiction {
namespace {

constexpr double kStep = 1e-2;  // [s]

void project(SphereIsland& spheres, double h) {
  IslandRows rows{spheres.island, spheres.problem};
  rows.begin(spheres.island.state);
  Projection projection{spheres.island, rows};
  projection.project(h);
}

TEST(Projection, SharesAnOverlapByMass) {
  constexpr double overlap = 1e-4;
  SphereIsland spheres{{{1.0, Vector3::Zero(), {0.1, 0.2, 0.3}}, {3.0, {1.0 - overlap, 0, 0}, {-0.1, 0, 0}}}, false, 0.0, kStep};
  project(spheres, kStep);
  const double first = spheres.position(0).x(), second = spheres.position(1).x() - (1.0 - overlap);
  EXPECT_NEAR(first + 3.0 * second, 0, 1e-15) << "the centre of mass stays";
  EXPECT_NEAR(second - first, overlap, 1e-10 * SphereIsland::radius) << "but for what may stay";
  EXPECT_EQ(spheres.position(0).tail<2>(), Vector2::Zero());
  EXPECT_EQ(spheres.velocity(0), Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(spheres.velocity(1), Vector3(-0.1, 0, 0));
  EXPECT_EQ(spheres.result.report.ledger.stabilisation, 0.0);
}

TEST(Projection, BooksTheWorkThatLiftsABody) {
  constexpr double overlap = 1e-4, mass = 2.0;
  SphereIsland spheres{{{mass, {0, 0, SphereIsland::radius - overlap}}}, true, 0.0, kStep};
  project(spheres, kStep);
  EXPECT_NEAR(spheres.position(0).z(), SphereIsland::radius, 1e-12);
  EXPECT_NEAR(spheres.result.report.ledger.stabilisation, mass * 9.81 * overlap, 1e-9);
  EXPECT_EQ(spheres.result.report.ledger.stabilisation, spheres.result.report.ledger.potentialChange);
}

TEST(Projection, LeavesWhatTouches) {
  SphereIsland spheres{{{1.0, Vector3::Zero()}, {3.0, {1.0, 0, 0}}}, false, 0.0, kStep};
  project(spheres, kStep);
  EXPECT_EQ(spheres.position(0), Vector3::Zero());
  EXPECT_EQ(spheres.position(1), Vector3(1.0, 0, 0));
}

TEST(Projection, TakesDeepOverlapsOutAtABoundedSpeed) {
  constexpr double overlap = 0.4, h = 1e-3;
  SphereIsland spheres{{{1.0, {0, 0, SphereIsland::radius - overlap}}}, true, 0.0, h};
  project(spheres, h);
  const double way = spheres.position(0).z() - (SphereIsland::radius - overlap);
  const double onePass = 10.0 * h * SphereIsland::radius;  // ten radii a second
  EXPECT_GE(way, onePass * (1 - 1e-6));
  EXPECT_LE(way, 5 * onePass * (1 + 1e-6));
}

TEST(Projection, BringsAnAnchoredContactBack) {
  constexpr double slipped = 1e-5;
  SphereIsland spheres{{{1.0, {0, 0, SphereIsland::radius}}}, true, 0.0, kStep};
  const Contact contact = spheres.island.contacts.front();
  spheres.result.report.memory = {{contact.key, contact.normal, 9.81 * kStep * contact.normal, kStep, {slipped, 0, 0}, true, false}};
  project(spheres, kStep);
  // The contact point goes back by what it was out of place: the sphere by 2/7 of it, and turns by the rest (I = 2/5 m r², r m δ = I θ, δ + r θ = the way).
  EXPECT_NEAR(std::abs(spheres.position(0).x()), 2.0 / 7.0 * slipped, 2e-3 * slipped);
  EXPECT_NEAR(spheres.position(0).z(), SphereIsland::radius, 1e-9);
  EXPECT_LT(spheres.result.report.memory.front().anchor.norm(), 2e-3 * slipped);
}

}  // namespace
}  // namespace stiction
