// An island's bookkeeping: moments to come back to, contacts that wait for their impact, the report of contacts solved in several substeps.
#include "integrate/Island.hpp"

#include <gtest/gtest.h>

#include "SphereIsland.hpp"

namespace stiction {
namespace {

constexpr double kStep = 0.1;  // [s]

TEST(Island, ComesBackToAMoment) {
  SphereIsland spheres{{{1.0, {0, 0, 0.75}, {0, 0, -4}}}, true, 0.0, kStep};
  Island& island = spheres.island;
  ASSERT_EQ(island.contacts.size(), 1U);
  const Contact contact = island.contacts.front();
  island.report().memory = {{contact.key, contact.normal, {0, 0, 1}, kStep, {1e-3, 0, 0}, true, false}};
  Island::Moment moment;
  island.save(moment);
  const auto goOn = [&] {
    spheres.position(0).z() = 0.25;
    spheres.velocity(0).setZero();
    island.time += kStep;
    island.report().substeps = 7;
    island.report().memory.front().impulse.z() = 5;
    island.report().memory.front().anchor.x() = 0.5;
    island.leaveContacts();
  };
  goOn();
  island.restore(moment);
  EXPECT_EQ(spheres.position(0).z(), 0.75);
  EXPECT_EQ(spheres.velocity(0).z(), -4);
  EXPECT_EQ(island.time, 0);
  EXPECT_EQ(island.report().substeps, 0);
  EXPECT_EQ(island.report().memory.front().impulse.z(), 1);
  ASSERT_EQ(island.contacts.size(), 1U);
  EXPECT_TRUE(sameBits(island.contacts.front(), contact));

  goOn();
  island.takeBack(moment);
  EXPECT_EQ(spheres.position(0).z(), 0.75);
  EXPECT_EQ(island.report().memory.front().impulse.z(), 5) << "a trial's impulses are the next one's warm start";
  EXPECT_EQ(island.report().memory.front().anchor.x(), 1e-3);
}

TEST(Island, ACopyCountsFromThere) {
  SphereIsland spheres{{{1.0, {0, 0, 0.75}, {0, 0, -4}}}, true, 0.0, kStep};
  spheres.island.report().iterations = 12;
  spheres.position(0).x() = 3;
  Island other{spheres.setup};
  IslandResult result;
  other.copy(spheres.island, result);
  EXPECT_EQ(other.state.position[1], Vector3(3, 0, 0.75));
  EXPECT_EQ(other.contacts.size(), 1U);
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_EQ(spheres.island.report().iterations, 12);
}

TEST(Island, MeasuresByTheSmallerGeom) {
  SphereIsland spheres{{{1.0, {0, 0, 0.75}, {0, 0, -4}}}, true, 0.0, kStep};
  EXPECT_EQ(spheres.island.pairSize(spheres.island.contacts.front().key), SphereIsland::radius);
  EXPECT_NEAR(spheres.island.freeFall(2.0), 0.5 * 9.81 * 4, 1e-12);
  EXPECT_FALSE(spheres.island.touching(spheres.island.contacts.front()));
}

TEST(ClosingContacts, WaitForTheTimeOfTheirGap) {
  SphereIsland spheres{{{1.0, {0, 0, 0.75}, {0, 0, -4}}}, true, 0.5, kStep};
  Island& island = spheres.island;
  ASSERT_EQ(island.contacts.size(), 1U);
  const FeatureKey key = island.contacts.front().key;
  island.closing.mark(island, 5.0);
  EXPECT_TRUE(island.closing.empty()) << "slower than the threshold";
  island.closing.mark(island, 1.0);
  EXPECT_TRUE(island.closing.contains(key));
  EXPECT_NEAR(island.closing.earliest(1.0), 0.25 / 4, 1e-15);
  EXPECT_EQ(island.closing.earliest(0.01), 0.01);
  const ClosingContacts::Approach open = island.closing.approach(island);
  EXPECT_NEAR(open.gap, 0.25 / SphereIsland::radius, 1e-15);
  EXPECT_NEAR(open.rate, -4 / SphereIsland::radius, 1e-14);

  spheres.position(0).z() = 0.4;  // too far
  island.contacts.clear();        // and gone through: by the first contact points
  EXPECT_NEAR(island.closing.approach(island).gap, -0.1 / SphereIsland::radius, 1e-15);
}

TEST(ClosingContacts, LeaveOutWhatTouches) {
  SphereIsland spheres{{{1.0, {0, 0, SphereIsland::radius}, {0, 0, -4}}}, true, 0.5, kStep};
  spheres.island.closing.mark(spheres.island, 1.0);
  EXPECT_TRUE(spheres.island.closing.empty());
  EXPECT_FALSE(spheres.island.closing.contains(spheres.island.contacts.front().key));
}

TEST(IslandReport, AddsUpTheImpulsesOfAContact) {
  IslandReport report;
  const auto contact = [](std::uint64_t feature) {
    Contact made;
    made.key = {1, 2, feature};
    return made;
  };
  report.record(contact(5), {0, 0, 1}, {1, 0, 0}, 2);
  report.record(contact(3), {0, 0, 2}, Vector3::Zero(), 1);
  report.record(contact(5), {0, 0, 4}, Vector3::Zero(), 1);
  ASSERT_EQ(report.contacts.size(), 2U);
  EXPECT_EQ(report.contacts[0].contact.key.feature, 3U);
  EXPECT_EQ(report.contacts[1].impulse.z(), 5);
  EXPECT_EQ(report.contacts[1].state, 1);
  EXPECT_EQ(report.contacts[1].slip, Vector3::Zero());
}

TEST(IslandProblem, KnowsTheFastestPoint) {
  SphereIsland spheres{{{1.0, {0, 0, 0.75}, {0, 0, -4}}}, true, 0.0, kStep};
  spheres.island.state.angularVelocity[1] = {6, 0, 0};
  spheres.problem.takeBodies();
  spheres.problem.predict(kStep);
  EXPECT_NEAR(spheres.problem.fastest(spheres.problem.vBefore), 4 + 6 * SphereIsland::radius, 1e-12);
  EXPECT_NEAR(spheres.problem.fastestSpeed(), 4 + 9.81 * kStep + 6 * SphereIsland::radius, 1e-12);
}

}  // namespace
}  // namespace stiction
