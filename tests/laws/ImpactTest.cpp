// Impacts with restitution at their true times; the ledger sees every loss; no law creates energy.
#include <random>

#include "Scenes.hpp"
#include "diagnostics/Account.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction::laws {
namespace {

ModelBuilder weightless() {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  return builder;
}

TEST(Impact, EqualSpheresSwap) {
  for (const double h : {1e-3, 4e-3, 0.02, 0.05}) {
    ModelBuilder builder = weightless();
    Part a = solid(Shape::sphere(0.5), 1, {{0, 0, 0}, Quaternion::Identity()}, 0.5, 1.0), b = a;
    a.body.velocity = {2, 0, 0};
    b.body.X_WB.position = {1.137, 0, 0};
    add(builder, a);
    add(builder, b);
    Simulation simulation{builder.build(), {}};
    const int n = static_cast<int>(std::lround(0.2 / h));
    advance(simulation, h, n);
    EXPECT_LE(simulation.state().velocity[1].norm(), 1e-12) << "h = " << h;
    EXPECT_LE((simulation.state().velocity[2] - Vector3{2, 0, 0}).norm(), 1e-12);
    EXPECT_LE(simulation.state().angularVelocity[1].norm() + simulation.state().angularVelocity[2].norm(), 1e-12);
    EXPECT_NEAR(simulation.state().position[1].x(), 0.137, 1e-11);
    EXPECT_NEAR(simulation.state().position[2].x(), 1.137 + 2 * 0.2 - 0.137, 1e-11);
  }
}

// What nothing touches flies the parabola of its loads, at any step.
TEST(Impact, WhatFliesFliesAParabola) {
  for (const double h : {1e-3, 1.0 / 60, 0.05}) {
    ModelBuilder builder;
    addPlane(builder, 0.5, Quaternion::Identity());
    Part box = solid(Shape::box({0.1, 0.2, 0.3}), 2, {{0, 0, 30}, turn(40, {1, 2, 3})}, 0.5);
    box.body.velocity = {3, 2, 5};
    box.body.angularVelocity = {4, 5, 6};
    box.body.force = {6, 0, 1};
    add(builder, box);
    Simulation simulation{builder.build(), {}};
    const int n = static_cast<int>(std::lround(2 / h));
    advance(simulation, h, n);
    const double t = n * h;
    const Vector3 a{3, 0, 0.5 - kG}, exact = Vector3{0, 0, 30} + t * box.body.velocity + 0.5 * t * t * a;
    EXPECT_LE((simulation.state().position[1] - exact).norm(), 1e-11) << "h = " << h;
    EXPECT_LE((simulation.state().velocity[1] - box.body.velocity - t * a).norm(), 1e-12);
  }
}

// A ball that is dropped rises to e² of its height each time; its energy is the same all the way up and down. With flights at the velocities that steps end with it lost g h v a bounce, 7 % of a
// metre at 1/60 s where nothing should be lost.
TEST(Impact, BallsRiseToESquaredOfTheirHeight) {
  for (const double e : {1.0, 0.8, 0.5})
    for (const double h : {1e-3, 4e-3, 1.0 / 60}) {
      ModelBuilder builder;
      addPlane(builder, 0.5, Quaternion::Identity(), e);
      add(builder, solid(Shape::sphere(0.1), 1, {{0, 0, 1.1}, Quaternion::Identity()}, 0.5, e));
      Simulation simulation{builder.build(), {}};
      int bounces = 0;
      while (bounces < 3) {
        const StepReport& report = simulation.step(h);
        ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
        bounces += report.impacts;
        const Vector3 v = simulation.state().velocity[1];
        EXPECT_NEAR(0.5 * v.squaredNorm() + kG * (simulation.state().position[1].z() - 0.1), kG * std::pow(e, 2 * bounces), 1e-8)
            << "e = " << e << ", h = " << h;
        EXPECT_NEAR(report.ledger.scheme, 0.0, 1e-12);
      }
      // Three times the way down, and twice up and down between: sqrt(2/g) (1 + 2 e + 2 e²).
      EXPECT_NEAR(simulation.state().time, std::sqrt(2 / kG) * (1 + 2 * e + 2 * e * e), h);
    }
}

/// A body of some round or angular shape, of 0.1 to 10 kg, without friction, that bounces without loss.
void addElastic(ModelBuilder& builder, std::mt19937& random, const Vector3& position, const Vector3& velocity, double spin) {
  const double a = uniform(random, 0.05, 0.15), b = uniform(random, 0.05, 0.15), c = uniform(random, 0.05, 0.15);
  const std::vector<Shape> shapes{Shape::sphere(a), Shape::box({a, b, c}), Shape::capsule(0.7 * a, b), Shape::cylinder(a, b), Shape::ellipsoid({a, b, c})};
  const Shape& shape = shapes[std::uniform_int_distribution<std::size_t>{0, shapes.size() - 1}(random)];
  Part part = solid(shape, std::pow(10.0, uniform(random, -1, 1)), {position, turn(uniform(random, 0, 360), inCube(random, 1))}, 0, 1);
  part.body.velocity = velocity;
  part.body.angularVelocity = inCube(random, spin);
  add(builder, part);
}

/// Six planes at ±1 m that take nothing from what bounces.
void addElasticWalls(ModelBuilder& builder, double friction) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) addWall(builder, side * Vector3::Unit(axis), friction, 1);
}

// What spins after a hit comes back with another end within the step, from where none of its points had been closing when the step began. Such hits once took energy, up to half of it.
TEST(Impact, WhatSpinsBouncesToo) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random{seed};
    const double h = seed % 2 == 0 ? 0.004 : 1.0 / 60, speed = std::pow(10.0, uniform(random, -1, 1.5));
    ModelBuilder builder = weightless();
    addElastic(builder, random, Vector3::Zero(), Vector3::Zero(), seed % 3 == 0 ? 0 : 20);
    addElastic(builder, random, {0.55 + uniform(random, 0, speed * h), uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1)}, {-speed, 0, 0},
               seed % 3 == 0 ? 0 : 20);
    Simulation simulation{builder.build(), {}};
    const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
    const Momentum start = momentum(simulation.model(), inertias, simulation.state());
    const int steps = static_cast<int>(0.7 / (speed * h)) + 8;
    for (int i = 0; i < steps; ++i) ASSERT_EQ(simulation.step(h).status, StepStatus::Certified);
    const Momentum end = momentum(simulation.model(), inertias, simulation.state());
    EXPECT_NEAR(end.kinetic, start.kinetic, 1e-10 * start.kinetic) << "seed " << seed;
    EXPECT_LE((end.linear - start.linear).norm(), 1e-12 * start.linear.norm()) << "seed " << seed;
    EXPECT_LE((end.angular - start.angular).norm(), 1e-9 * (start.angular.norm() + 0.1 * start.linear.norm())) << "seed " << seed;
  }
}

TEST(Impact, BodiesInABoxKeepTheirEnergy) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random{seed};
    const double h = seed % 2 == 0 ? 0.004 : 1.0 / 60;
    std::normal_distribution<double> velocity{0, seed % 4 < 2 ? 2.0 : 8.0};
    ModelBuilder builder = weightless();
    addElasticWalls(builder, 0);
    for (int k = 0; k < 8; ++k)
      addElastic(builder, random, 0.45 * Vector3{k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k / 4 == 0 ? -1.0 : 1.0},
                 {velocity(random), velocity(random), velocity(random)}, 3);
    Simulation simulation{builder.build(), {}};
    const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
    const double energy = kineticEnergy(simulation.model(), inertias, simulation.state());
    int impacts = 0;
    for (int i = 0; i < 100; ++i) {
      const StepReport& report = simulation.step(h);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      ASSERT_FALSE(report.splitsExhausted);
      impacts += report.impacts;
    }
    EXPECT_NEAR(kineticEnergy(simulation.model(), inertias, simulation.state()), energy, 1e-10 * energy) << "seed " << seed;
    EXPECT_GE(impacts, 5);
    for (int k = 1; k <= 8; ++k) EXPECT_LE(simulation.state().position[static_cast<std::size_t>(k)].lpNorm<Eigen::Infinity>(), 1);
  }
}

// Sixty-four balls that reach the floor within one step, each at its own time, side by side so that they are one island: too many for splits of the step. Each leaves at e times its speed, and is
// where it would be had it been alone.
TEST(Impact, ManyBounceInOneStep) {
  const double e = 0.7, speed = 3, h = 1.0 / 60;
  ModelBuilder builder = weightless();
  addPlane(builder, 0.0, Quaternion::Identity(), e);
  std::vector<double> heights;
  for (int k = 0; k < 64; ++k) {
    heights.push_back(0.05 + speed * h * (2 + (37 * k % 64) / 64.0));
    Part ball = solid(Shape::sphere(0.05), 1, {{0.101 * (k % 8), 0.101 * (k / 8), heights.back()}, Quaternion::Identity()}, 0.0, e);
    ball.body.velocity = {0, 0, -speed};
    add(builder, ball);
  }
  Simulation simulation{builder.build(), {}};
  int together = 0, impacts = 0;
  for (int i = 0; i < 5; ++i) {
    const StepReport& report = advance(simulation, h, 1);
    together += report.splitsExhausted ? 1 : 0;
    impacts += report.impacts;
  }
  EXPECT_EQ(together, 1);
  EXPECT_EQ(impacts, 64);
  for (std::size_t k = 0; k < heights.size(); ++k) {
    EXPECT_NEAR(simulation.state().velocity[k + 1].z(), e * speed, 1e-10);
    EXPECT_NEAR(simulation.state().position[k + 1].z(), 0.05 + e * (5 * h * speed - (heights[k] - 0.05)), 1e-10);
  }
}

// Likewise sixty-four that each hit a ball of its own off centre, three quarters of their way through the step: along the normal of the place where they meet, not of where they were.
TEST(Impact, ManyBounceWhereTheyMeet) {
  const double e = 0.7, h = 1.0 / 60, off = 0.03, up = std::sqrt(0.01 - off * off);
  for (const double speed : {1.0, 3.0}) {
    ModelBuilder builder = weightless();
    for (int k = 0; k < 64; ++k) {
      const Vector3 place{0.11 * (k % 8), 0.11 * (k / 8), 0};
      addFixed(builder, Shape::sphere(0.05), {place, Quaternion::Identity()}, 0.0, e);
      Part ball = solid(Shape::sphere(0.05), 1, {place + Vector3{off, 0, up + 1.75 * speed * h}, Quaternion::Identity()}, 0.0, e);
      ball.body.velocity = {0, 0, -speed};
      add(builder, ball);
    }
    Simulation simulation{builder.build(), {}};
    advance(simulation, h, 1);
    const StepReport& report = advance(simulation, h, 1);
    EXPECT_TRUE(report.splitsExhausted);
    EXPECT_EQ(report.impacts, 64);
    const Vector3 n = Vector3{off, 0, up} / 0.1, after = Vector3{0, 0, -speed} + (1 + e) * speed * n.z() * n;
    for (std::size_t k = 1; k <= 64; ++k) EXPECT_LE((simulation.state().velocity[k] - after).norm(), 1e-6 * speed) << "at " << speed << " m/s";
  }
}

// Balls that meet three and four at a time in steps that take them farther than they are wide: an impact that follows on another within the step may be resolved too late, but never with a gain.
TEST(Impact, WhatBouncesTogetherGainsNothing) {
  for (const double friction : {0.0, 0.4}) {
    std::mt19937 random{7};
    std::normal_distribution<double> velocity{0, 8};
    ModelBuilder builder = weightless();
    addElasticWalls(builder, friction);
    std::vector<int> balls;
    for (int k = 0; k < 64; ++k) {
      Part ball = solid(Shape::sphere(0.08), 1, {0.42 * Vector3{k % 4 - 1.5, k / 4 % 4 - 1.5, k / 16 - 1.5}, Quaternion::Identity()}, friction, 1);
      ball.body.velocity = {velocity(random), velocity(random), velocity(random)};
      balls.push_back(add(builder, ball));
    }
    Simulation simulation{builder.build(), {}};
    int together = 0;
    double energy = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 15; ++i) {
      const StepReport& report = simulation.step(1.0 / 60);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LE(report.ledger.kineticEnd, energy * (1 + 1e-9));
      EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
      energy = report.ledger.kineticEnd;
      together += report.splitsExhausted ? 1 : 0;
    }
    EXPECT_GE(together, 5);
    for (const int ball : balls) EXPECT_LE(simulation.state().position[static_cast<std::size_t>(ball)].lpNorm<Eigen::Infinity>(), 0.93);
  }
}

// Bodies that begin deep in one another and turn touch by other features from step to step: overlaps of old, which no impact explains. Sought as impacts they took 160 trials a step.
TEST(Impact, OverlapsThatWereThereAreNoImpacts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random{seed};
    ModelBuilder builder;
    for (int k = 0; k < 2; ++k) {
      const double a = uniform(random, 0.2, 0.5), b = uniform(random, 0.2, 0.5), c = uniform(random, 0.2, 0.5);
      Part part = solid(k == 0 || seed % 2 == 0 ? Shape::box({a, b, c}) : Shape::capsule(a, b), 1,
                        {k * inCube(random, 0.3), turn(uniform(random, 0, 360), inCube(random, 1))}, 0.5);
      part.body.angularVelocity = inCube(random, 8);
      add(builder, part);
    }
    Simulation simulation{builder.build(), {}};
    for (int i = 0; i < 6; ++i) {
      const StepReport& report = simulation.step(1.0 / 60);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LE(report.substeps, 20) << "seed " << seed << ", step " << i;
    }
  }
}

TEST(Impact, BallLeavesAWallAtETimesItsSpeed) {
  const double e = 0.7;
  for (const double h : {1e-3, 7e-3, 0.05}) {
    ModelBuilder builder = weightless();
    addPlane(builder, 0.0, Quaternion::Identity(), e);
    Part ball = solid(Shape::sphere(0.1), 3, {{0, 0, 0.5}, Quaternion::Identity()}, 0.0, 0);
    ball.body.velocity = {0.4, 0, -3};
    add(builder, ball);
    Simulation simulation{builder.build(), {}};
    const int n = static_cast<int>(std::lround(0.35 / h));
    double lost = 0;
    for (int i = 0; i < n; ++i) lost += advance(simulation, h, 1).ledger.impact;
    EXPECT_LE((simulation.state().velocity[1] - Vector3{0.4, 0, 3 * e}).norm(), 1e-12);
    EXPECT_NEAR(simulation.state().position[1].z(), 0.1 + 3 * e * (n * h - 0.4 / 3), 1e-10);
    EXPECT_NEAR(lost, 0.5 * 3 * 9 * (1 - e * e), 1e-10);
  }
}

// 2 kg sphere, 5 m/s at 30° from the normal, on a 10 kg block that may move but not turn; e = 1 on the normal only, μ = 0.4: sticks.
TEST(Impact, GlancingSphere) {
  const double m = 2, M = 10, r = 0.1, v = 5, angle = std::numbers::pi / 6;
  const double jn = 2 * v * std::cos(angle) / (1 / m + 1 / M);
  const double jt = v * std::sin(angle) / (1 / m + 1 / M + r * r / (0.4 * m * r * r));
  EXPECT_NEAR(jn, 14.43, 0.01);
  EXPECT_NEAR(jt, 1.351, 0.001);
  ASSERT_LT(jt, 0.4 * jn);
  for (const double h : {1e-3, 5e-3, 0.02}) {
    ModelBuilder builder = weightless();
    Part block = solid(Shape::box({0.5, 0.5, 0.5}), M, {{0, 0, -0.5}, Quaternion::Identity()}, 0.4, 1.0);
    block.body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
    Part ball = solid(Shape::sphere(r), m, {{-0.05, 0, r + 0.08}, Quaternion::Identity()}, 0.4, 1.0);
    ball.body.velocity = v * Vector3{std::sin(angle), 0, -std::cos(angle)};
    add(builder, block);
    add(builder, ball);
    Simulation simulation{builder.build(), {}};
    advance(simulation, h, static_cast<int>(std::lround(0.06 / h)));
    const WorldState& state = simulation.state();
    EXPECT_LE((state.velocity[2] - Vector3{v * std::sin(angle) - jt / m, 0, -v * std::cos(angle) + jn / m}).norm(), 1e-10) << "h = " << h;
    EXPECT_LE((state.velocity[1] - Vector3{jt / M, 0, -jn / M}).norm(), 1e-10);
    EXPECT_NEAR(state.angularVelocity[2].y(), r * jt / (0.4 * m * r * r), 1e-9);
    EXPECT_NEAR(state.angularVelocity[2].y(), 16.9, 0.05);
  }
}

TEST(Impact, OffCentreCubes) {
  for (const double h : {1e-3, 4e-3, 0.01}) {
    ModelBuilder builder = weightless();
    Part a = solid(Shape::box({0.5, 0.5, 0.5}), 1, {{-0.05, 0, 0}, Quaternion::Identity()}, 0.5, 1.0), b = a;
    a.body.velocity = {2, 0, 0};
    b.body.X_WB.position = {1, 0, 0.3};
    add(builder, a);
    add(builder, b);
    Simulation simulation{builder.build(), {}};
    advance(simulation, h, static_cast<int>(std::lround(0.04 / h)));
    const WorldState& state = simulation.state();
    // Normal impulse J, tangential S, both spins ω: v_A = 2 − J, v_B = J, v_z = ±S; no slip: 2 S = ω; moments (I = 1/6) add up to ω/3 = −0.3 J − ω/2; u_n⁺ = 2 J − 2 − 0.3 ω = 2.
    const double J = 4 / 2.108, spin = -0.36 * J;
    EXPECT_LE((state.velocity[1] - Vector3{2 - J, 0, 0.5 * spin}).norm(), 1e-10) << "h = " << h;
    EXPECT_LE((state.velocity[2] - Vector3{J, 0, -0.5 * spin}).norm(), 1e-10);
    EXPECT_LE((state.angularVelocity[1] - Vector3{0, spin, 0}).norm(), 1e-10);
    EXPECT_LE((state.angularVelocity[2] - Vector3{0, spin, 0}).norm(), 1e-10);
    EXPECT_NEAR(2 - J, 0.1025, 5e-5);
    EXPECT_NEAR(0.5 * spin, -0.3416, 5e-5);
    const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
    EXPECT_NEAR(kineticEnergy(simulation.model(), inertias, state), 2.0, 1e-12);
  }
}

TEST(Impact, BouncingBallLosesESquaredOfItsHeight) {
  const double e = 0.8;
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const double h = 2e-3 / (1 << k);
    ModelBuilder builder;
    addPlane(builder, 0.5, Quaternion::Identity(), e);
    add(builder, solid(Shape::sphere(0.1), 1, {{0, 0, 1.1}, Quaternion::Identity()}, 0.5, 0));
    Simulation simulation{builder.build(), {}};
    const double fall = std::sqrt(2 / kG);
    double apex = 0;
    while (simulation.state().time < fall * (1 + 2 * e) - 2 * h) {
      advance(simulation, h, 1);
      if (simulation.state().time > fall * 1.02) apex = std::max(apex, simulation.state().position[1].z() - 0.1);
    }
    errors[k] = std::abs(apex - e * e);
  }
  EXPECT_LT(errors[0], 2e-2);
  EXPECT_LT(errors[1], 0.6 * errors[0]);  // first order
}

TEST(Impact, RestingBallDoesNotBounce) {
  ModelBuilder builder;
  addPlane(builder, 0.5, Quaternion::Identity(), 0.9);
  add(builder, solid(Shape::box({0.1, 0.1, 0.1}), 1, {{0, 0, 0.1}, Quaternion::Identity()}, 0.5, 0.9));
  Simulation simulation{builder.build(), {}};
  const StepReport& report = advance(simulation, 4e-3, 500);
  EXPECT_EQ(report.impacts, 0);
  EXPECT_EQ(simulation.state().position[1], Vector3(0, 0, 0.1));
}

// Random eccentric impacts of several boxes with friction: neither law may create energy.
TEST(Impact, EnergyNeverGrows) {
  for (const Restitution law : {Restitution::Newton, Restitution::Moreau})
    for (unsigned seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::mt19937 random{seed};
      std::uniform_real_distribution<double> uniform{-1, 1};
      const auto vector = [&] { return Vector3{uniform(random), uniform(random), uniform(random)}; };
      ModelBuilder builder = weightless();
      addPlane(builder, 0.8, Quaternion::Identity(), 0.9);
      for (int i = 0; i < 4; ++i) {
        Part part = solid(Shape::box({0.3, 0.2, 0.1}), 1 + i, {{0.75 * (i % 2), 0.75 * (i / 2), 0.45}, turn(180 * uniform(random), vector())}, 0.8, 0.9);
        part.body.velocity = vector() - Vector3{2.0 * (i % 2), 2.0 * (i / 2), 3};
        part.body.angularVelocity = 5 * vector();
        add(builder, part);
      }
      SimulationOptions options;
      options.restitution = law;
      Simulation simulation{builder.build(), options};
      const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
      double energy = kineticEnergy(simulation.model(), inertias, simulation.state());
      int impacts = 0;
      for (int i = 0; i < 60; ++i) {
        const StepReport& report = advance(simulation, 5e-3, 1, 1e-3);
        impacts += report.impacts;
        const double now = kineticEnergy(simulation.model(), inertias, simulation.state());
        EXPECT_LE(now, energy * (1 + 1e-8) + std::abs(report.ledger.stabilisation) + std::max(0.0, -report.ledger.scheme));
        energy = now;
        if (HasFailure()) return;
      }
      EXPECT_GT(impacts, 0);
    }
}

// Between two surfaces it touches, a ball can only stop: with e = 1 no velocity leaves one of them without entering the other.
TEST(Impact, PinchedBallStops) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  addPlane(builder, 0, Quaternion::Identity(), 1);
  Part ceiling = solid(Shape::box({1, 1, 0.5}), 1, {{0, 0, 0.7}, Quaternion::Identity()}, 0);
  ceiling.body.kind = BodyKind::Static;
  add(builder, ceiling);
  Part ball = solid(Shape::sphere(0.1), 2, {{0, 0, 0.1}, Quaternion::Identity()}, 0);
  ball.body.velocity = {0.5, 0, -3};
  const int id = add(builder, ball);
  Simulation simulation{builder.build(), {}};
  const StepReport& report = advance(simulation, 0.01, 1);
  const Vector3& v = simulation.state().velocity[static_cast<std::size_t>(id)];
  EXPECT_NEAR(v.x(), 0.5, 1e-12);
  EXPECT_NEAR(v.z(), 0, 1e-12);
  EXPECT_NEAR(report.ledger.impact, 9, 1e-10);
  EXPECT_EQ(report.inelastic, 1);  // and it says so
  EXPECT_EQ(report.byMoreau, 0);
}

// A method that cannot solve the impact of Newton's law leaves it uncertified: another law's answer would pass for it.
TEST(Impact, AMethodsFailureDoesNotChangeTheLaw) {
  const double m = 2, M = 10, v = 5, r = 0.1, angle = std::numbers::pi / 6;
  const double bounce = -v * std::cos(angle) + 2 * v * std::cos(angle) / (1 / m + 1 / M) / m;
  int certified = 0, refused = 0;
  for (const SolverInfo& info : portfolioInfos()) {
    if (info.law != Law::Coulomb) continue;
    for (double spin = -150; spin <= 150; spin += 10) {
      ModelBuilder builder = weightless();
      Part block = solid(Shape::box({0.5, 0.5, 0.5}), M, {{0, 0, -0.5}, Quaternion::Identity()}, 0.4, 1.0);
      block.body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
      Part ball = solid(Shape::sphere(r), m, {{-0.05, 0, r + 0.08}, Quaternion::Identity()}, 0.4, 1.0);
      ball.body.velocity = v * Vector3{std::sin(angle), 0, -std::cos(angle)};
      ball.body.angularVelocity = {0, spin, 0};
      add(builder, block);
      add(builder, ball);
      SimulationOptions options;
      options.solver = info.name;
      options.fallBack = false;
      Simulation simulation{builder.build(), options};
      bool good = true;
      int changed = 0;
      for (int k = 0; k < 15 && good; ++k) {
        const StepReport& report = simulation.step(4e-3);
        good = report.status == StepStatus::Certified;
        if (!good) {
          EXPECT_NE(report.reason.find("in an impact"), std::string::npos) << report.reason;
          EXPECT_EQ(report.reason.find("halvings"), std::string::npos) << report.reason;
        }
        changed += report.byMoreau + report.inelastic;
      }
      (good ? certified : refused) += 1;
      EXPECT_EQ(changed, 0) << info.name << ", spin " << spin;
      if (!good) continue;
      EXPECT_NEAR(simulation.state().velocity[2].z(), bounce, 1e-6) << info.name << ", spin " << spin;
    }
  }
  EXPECT_GE(certified, 250);
  EXPECT_GE(refused, 1);  // newton alone, from a cold start
}

}  // namespace
}  // namespace stiction::laws
