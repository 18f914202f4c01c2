// Stacks at rest: bit-identical, whatever the mass ratio and the time step.
#include "Cannonballs.hpp"
#include "Scenes.hpp"
#include "state/WorldState.hpp"

namespace stiction::laws {
namespace {

Simulation tower(int boxes, double topMass) {
  ModelBuilder builder;
  addPlane(builder, 0.5);
  for (int i = 0; i < boxes; ++i)
    addBody(builder, Shape::box({0.05, 0.05, 0.05}), i + 1 == boxes ? topMass : 1.0, {{0, 0, 0.05 + 0.1 * i}, Quaternion::Identity()}, 0.5);
  return {builder.build(), {}};
}

TEST(Rest, TowersStandForTenSeconds) {
  for (const double ratio : {1.0, 1e3, 1e6}) {
    Simulation simulation = tower(10, ratio);
    const WorldState start = simulation.state();
    advance(simulation, 5e-3, 1);
    const WorldState first = simulation.state();
    const StepReport& report = advance(simulation, 5e-3, 1999);
    EXPECT_STREQ(report.rungs.front().first, "rest");
    for (std::size_t i = 1; i < start.position.size(); ++i) {
      EXPECT_LE((simulation.state().position[i] - start.position[i]).norm(), 1e-6) << "ratio " << ratio;
      EXPECT_EQ(simulation.state().position[i], first.position[i]);
      EXPECT_EQ(simulation.state().rotation[i].coeffs(), first.rotation[i].coeffs());
      EXPECT_TRUE(simulation.state().velocity[i].isZero(0.0));
    }
  }
}

// Contacts see a seven hundredth of what the bodies of a high tower do: answers within 1e-8 had this one creep by a micrometre a second.
TEST(Rest, HighTowersOfUnequalBlocksStand) {
  for (const int blocks : {30, 60}) {
    auto chance = [n = 0]() mutable { return 2 * std::fmod(++n * std::numbers::phi, 1.0) - 1; };  // -1 … 1
    ModelBuilder builder;
    addPlane(builder, 0.3);
    double top = 0;
    for (int i = 0; i < blocks; ++i) {
      const double half = 0.1 + 0.05 * chance(), aside = 0.01 * chance(), mass = std::pow(10.0, chance()), angle = 180 * chance();
      addBody(builder, Shape::box({0.5, 0.5, half}), mass, {{aside, -aside, top + half}, turn(angle, {0, 0, 1})}, 0.3);
      top += 2 * half;
    }
    Simulation simulation{builder.build(), {}};
    const WorldState start = simulation.state();
    const StepReport& report = advance(simulation, 1.0 / 60, 300);
    EXPECT_STREQ(report.rungs.front().first, "rest") << blocks;
    for (std::size_t i = 1; i < start.position.size(); ++i) EXPECT_EQ(simulation.state().position[i], start.position[i]) << blocks << ": block " << i;
  }
}

TEST(Rest, StackHoldsFromTinyToLargeSteps) {
  for (const double h : {1e-4, 1e-3, 1e-2, 5e-2}) {
    Simulation simulation = tower(5, 1);
    advance(simulation, h, 200);
    for (std::size_t i = 1; i <= 5; ++i) EXPECT_NEAR(simulation.state().position[i].z(), 0.05 + 0.1 * static_cast<double>(i - 1), 1e-9) << "h = " << h;
  }
}

TEST(Rest, TiltedBoxLandsAndSettles) {
  ModelBuilder builder;
  addPlane(builder, 0.5);
  addBody(builder, Shape::box({0.1, 0.2, 0.15}), 2, {{0, 0, 0.6}, turn(35, {1, 0.3, 0.2})}, 0.5);
  Simulation simulation{builder.build(), {}};
  advance(simulation, 4e-3, 600, 1e-6);
  EXPECT_TRUE(simulation.state().velocity[1].isZero(0.0));
  EXPECT_TRUE(simulation.state().angularVelocity[1].isZero(0.0));
  const std::uint64_t settled = hash(simulation.state());
  advance(simulation, 4e-3, 100);
  EXPECT_EQ(hash(simulation.state()), settled);
}

// The loads on the light slab cancel to nanometres a second; the heavy one's own momentum is known seven digits better, and nothing brakes it. (Nanoradians of tilt change its speed by a few thousandths a step.)
TEST(Rest, AHeavySlabSlidesOnOverALightOne) {
  constexpr double h = 0.01, speed = 1e-9;
  ModelBuilder builder;
  addPlane(builder, 0);
  addBody(builder, Shape::box({1, 1, 0.05}), 0.1, {{0, 0, 0.05}, Quaternion::Identity()}, 0);
  const int heavy = addBody(builder, Shape::box({0.5, 0.5, 0.05}), 1e6, {{0, 0, 0.15}, Quaternion::Identity()}, 0);
  Simulation simulation{builder.build(), {}};
  WorldState start = simulation.state();
  start.velocity[static_cast<std::size_t>(heavy)].x() = speed;
  simulation.setState(start);
  advance(simulation, h, 100);
  EXPECT_NEAR(simulation.state().velocity[static_cast<std::size_t>(heavy)].x(), speed, 0.3 * speed);
  EXPECT_NEAR(simulation.state().position[static_cast<std::size_t>(heavy)].x(), 100 * h * speed, 30 * h * speed);
}

// What rests stays bit-identical in an island that moves elsewhere, though its loads change; and the ball, which nothing brakes, keeps its speed.
TEST(Rest, SlabsStayPutUnderARollingBall) {
  constexpr double h = 0.01, speed = 0.3, radius = 0.1;
  ModelBuilder builder;
  addPlane(builder, 0.5);
  for (const int layer : {0, 1}) addBody(builder, Shape::box({1, 0.3, 0.05}), 5, {{0, 0, 0.05 + 0.1 * layer}, Quaternion::Identity()}, 0.5);
  const int ball = addBody(builder, Shape::sphere(radius), 2, {{-0.5, 0.05, 0.2 + radius}, Quaternion::Identity()}, 0.5);
  Simulation simulation{builder.build(), {}};
  WorldState start = simulation.state();
  start.velocity[static_cast<std::size_t>(ball)] = {speed, 0, 0};
  start.angularVelocity[static_cast<std::size_t>(ball)] = {0, speed / radius, 0};
  simulation.setState(start);
  advance(simulation, h, 2);
  const WorldState before = simulation.state();
  for (int k = 0; k < 200; ++k) {
    const StepReport& report = advance(simulation, h, 1);
    EXPECT_EQ(report.islands, 1);
    for (const std::size_t slab : {1U, 2U}) {
      EXPECT_EQ(simulation.state().position[slab], before.position[slab]) << "step " << k;
      EXPECT_EQ(simulation.state().rotation[slab].coeffs(), before.rotation[slab].coeffs()) << "step " << k;
      EXPECT_TRUE(simulation.state().velocity[slab].isZero(0.0)) << "step " << k;
    }
  }
  EXPECT_NEAR(simulation.state().position[static_cast<std::size_t>(ball)].x(), -0.5 + speed * h * 202, 1e-9);
}

// A ball drops into the top of a box filled with spheres, lattice upon lattice (hyperstatic: impulses are not unique, many contacts touch and carry nothing). It comes to
// rest, and from then on nothing is solved, nothing projected and no bit changes.
TEST(Rest, AFilledBoxComesToRest) {
  constexpr double radius = 0.1;
  constexpr int across = 8, layers = 5;
  ModelBuilder builder;
  addBox(builder, across * radius, across * radius, 0.5);
  const auto place = [&](int i) { return (2 * i + 1 - across) * radius; };
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < across; ++j)
      for (int i = 0; i < across; ++i) addBody(builder, Shape::sphere(radius), 4, {{place(i), place(j), (2 * k + 1) * radius}, Quaternion::Identity()}, 0.5);
  addBody(builder, Shape::sphere(radius), 4, {{0.03, 0.01, 2 * layers * radius + 0.15}, Quaternion::Identity()}, 0.5);
  Simulation simulation{builder.build(), {}};
  advance(simulation, 1.0 / 60.0, 75, 1e-6);
  const WorldState before = simulation.state();
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(advance(simulation, 1.0 / 60.0, 1).factorisations, 0) << "step " << k;
    for (std::size_t body = 1; body < before.position.size(); ++body) {
      EXPECT_EQ(simulation.state().position[body], before.position[body]) << "step " << k;
      EXPECT_TRUE(simulation.state().velocity[body].isZero(0.0)) << "step " << k;
    }
  }
}

TEST(Rest, DeepOverlapComesOutWithoutKineticEnergy) {
  ModelBuilder builder;
  addPlane(builder, 0.5);
  addBody(builder, Shape::box({0.5, 0.5, 0.5}), 10, {{0, 0, 0.2}, Quaternion::Identity()}, 0.5);
  Simulation simulation{builder.build(), {}};
  for (int i = 0; i < 200; ++i) {
    advance(simulation, 4e-3, 1, 0.31);
    EXPECT_LE(simulation.state().velocity[1].norm(), 1e-9);
  }
  EXPECT_NEAR(simulation.state().position[1].z(), 0.5, 1e-9);
}

// Contacts see neither a common fall nor pure rolling: rest must be judged on the bodies themselves.
TEST(Rest, TouchingBodiesFallTogether) {
  ModelBuilder builder;
  for (const double z : {5.0, 6.0}) addBody(builder, Shape::box({0.5, 0.5, 0.5}), 1, {{0, 0, z}, Quaternion::Identity()}, 0.5);
  Simulation simulation{builder.build(), {}};
  advance(simulation, 0.01, 10);
  for (const std::size_t body : {1U, 2U}) EXPECT_NEAR(simulation.state().velocity[body].z(), -0.1 * kG, 1e-12);
}

TEST(Rest, SphereRollsDownTheSlightestSlope) {
  constexpr double slope = 1e-8;  // [rad]
  ModelBuilder builder;
  addPlane(builder, 0.5);
  addBody(builder, Shape::sphere(0.1), 1, {{0, 0, 0.1}, Quaternion::Identity()}, 0.5);
  builder.setGravity({kG * slope, 0, -kG});
  Simulation simulation{builder.build(), {}};
  advance(simulation, 0.01, 10);
  EXPECT_NEAR(simulation.state().velocity[1].x(), 5.0 / 7.0 * kG * slope * 0.1, 1e-14);
}

/// Cannonballs in square layers on a floor, `digits` of their coordinates given.
ModelBuilder cannonballs(int layers, double friction, int digits) {
  constexpr double radius = 0.1;
  const double unit = std::pow(10, -digits);
  const auto written = [unit](double x) { return unit * std::round(x / unit); };
  ModelBuilder builder;
  addPlane(builder, friction);
  for (const Vector3& centre : cannonballCentres(layers, radius))
    addBody(builder, Shape::sphere(radius), 4, {centre.unaryExpr(written), Quaternion::Identity()}, friction);
  return builder;
}

// At 0.8 friction could bear the weight of a pile of any of these heights, and there are motions that satisfy the law, too.
TEST(Rest, PilesOfCannonballsStand) {
  for (const int digits : {15, 6})
    for (const double h : {1.0 / 60, 1e-3}) {
      Simulation simulation{cannonballs(5, 0.8, digits).build(), {}};
      const WorldState start = simulation.state();
      advance(simulation, h, 30);
      const std::uint64_t settled = hash(simulation.state());
      advance(simulation, h, 30);
      EXPECT_EQ(hash(simulation.state()), settled) << digits << " digits, h = " << h;
      for (std::size_t i = 1; i < start.position.size(); ++i) {
        EXPECT_TRUE(simulation.state().velocity[i].isZero(0)) << digits << " digits, h = " << h;
        EXPECT_LE((simulation.state().position[i] - start.position[i]).norm(), std::max(1e-9, 20 * std::pow(10, -digits))) << digits << " digits, h = " << h;
      }
    }
}

// A ball falls on the top, a little beside the middle, or lies there and is pushed, and rolls down over the pile's balls, eight times as heavy. Friction could bear more than that.
TEST(Rest, APileGoesOnStandingWhileABallRollsDownIt) {
  for (const int layers : {4, 6})
    for (const bool falls : {true, false}) {
      ModelBuilder builder = cannonballs(layers, 0.8, 15);
      const double top = 0.1 * (2 + (layers - 1) * std::numbers::sqrt2);
      const Vector3 centre = falls ? Vector3{0.02, 0.01, top + 0.09} : Vector3{0, 0, top + 0.05};
      const int mover = addBody(builder, Shape::sphere(0.05), 0.5, {centre, Quaternion::Identity()}, 0.8);
      Simulation simulation{builder.build(), {}};
      if (!falls) simulation.setVelocity(mover, {0.3, 0, 0}, Vector3::Zero());
      const WorldState start = simulation.state();
      advance(simulation, 1.0 / 60, 36);
      for (std::size_t i = 1; i < start.position.size(); ++i) {
        if (static_cast<int>(i) == mover) continue;
        EXPECT_LE((simulation.state().position[i] - start.position[i]).norm(), 1e-9) << layers << " layers, ball " << i << (falls ? ", falls" : ", pushed");
      }
      EXPECT_LT(simulation.state().position[static_cast<std::size_t>(mover)].z(), top - 0.1) << layers << " layers";
    }
}

// tan(π/8) is what one ball on four needs.
TEST(Rest, OneBallOnFourStandsFromItsCriticalFrictionOn) {
  const double critical = std::tan(std::numbers::pi / 8);
  for (const double part : {0.99, 1.01}) {
    Simulation simulation{cannonballs(2, part * critical, 15).build(), {}};
    const double height = simulation.state().position[5].z();
    advance(simulation, 0.01, 10);
    if (part > 1)
      EXPECT_TRUE(simulation.state().velocity[5].isZero(0));
    else
      EXPECT_LT(simulation.state().position[5].z(), height - 1e-5);
  }
}

// Impulses that nothing but themselves asks for would hold it: touching walls on both sides, it falls all the same.
TEST(Rest, NothingHangsBetweenWallsThatItMerelyTouches) {
  constexpr double h = 0.01;
  ModelBuilder builder;
  for (const double side : {1.0, -1.0}) {
    Geom wall;
    wall.shape = Shape::box({0.5, 0.5, 2});
    wall.friction = 0.9;
    builder.addGeom(wall, {{0.6 * side, 0, 0}, Quaternion::Identity()});
  }
  addBody(builder, Shape::box({0.1, 0.1, 0.1}), 1, {{0, 0, 0}, Quaternion::Identity()}, 0.9);
  Simulation simulation{builder.build(), {}};
  advance(simulation, h, 10);
  EXPECT_NEAR(simulation.state().velocity[1].z(), -10 * h * kG, 1e-9);
}

TEST(Rest, EmptyAndWeightlessScenesStep) {
  Simulation empty{ModelBuilder{}.build(), {}};
  EXPECT_EQ(empty.step(0.01).status, StepStatus::Certified);
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  addBody(builder, Shape::box({0.5, 0.5, 0.5}), 1, {{0, 0, 0}, Quaternion::Identity()}, 0.5);
  addBody(builder, Shape::box({0.5, 0.5, 0.5}), 1, {{1, 0, 0}, Quaternion::Identity()}, 0.5);
  Simulation still{builder.build(), {}};
  const std::uint64_t before = hash(still.state());
  advance(still, 0.01, 10);
  EXPECT_EQ(hash(still.state()), before);
}

}  // namespace
}  // namespace stiction::laws
