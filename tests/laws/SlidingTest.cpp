// One body on a plane: sticking, sliding, stopping, and pushes around the threshold, against the law of the scheme v⁺ = v⁻ + h a, x⁺ = x + h v⁺.
#include "Scenes.hpp"

namespace stiction::laws {
namespace {

Simulation blockOnIncline(double degrees, double mass, double friction, unsigned frameSeed = 0) {
  ModelBuilder builder;
  const Quaternion R = turn(degrees, Vector3::UnitY());
  addPlane(builder, friction, R);
  addBody(builder, Shape::box({0.5, 0.5, 0.5}), mass, {R * Vector3{0, 0, 0.5}, R}, friction);
  SimulationOptions options;
  options.frameSeed = frameSeed;
  return {builder.build(), options};
}

TEST(Incline, SticksAtEveryTimeStep) {
  for (const double h : {1e-4, 1e-3, 4e-3, 16.7e-3, 20e-3}) {
    Simulation simulation = blockOnIncline(20, 10, 0.6);
    const WorldState start = simulation.state();
    advance(simulation, h, static_cast<int>(std::lround(10 / h)));
    EXPECT_EQ(simulation.state().position[1], start.position[1]) << "h = " << h;
    EXPECT_EQ(simulation.state().rotation[1].coeffs(), start.rotation[1].coeffs());
    EXPECT_TRUE(simulation.state().velocity[1].isZero(0.0));
    const Vector3 normal = turn(20, Vector3::UnitY()) * Vector3::UnitZ();
    const Vector3 force = totalImpulse(simulation) / h;
    EXPECT_NEAR(force.dot(normal), 10 * kG * std::cos(20 * std::numbers::pi / 180), 1e-9);
    EXPECT_NEAR((force - normal * force.dot(normal)).norm(), 10 * kG * std::sin(20 * std::numbers::pi / 180), 1e-9);
  }
}

TEST(Incline, FrictionAngleDividesSticksFromSlides) {
  const double mu = 0.6, angle = std::atan(mu) * 180 / std::numbers::pi;
  for (const double h : {1e-4, 1e-3, 4e-3, 16.7e-3, 20e-3})
    for (const double off : {-1e-3, 1e-3}) {  // degrees
      Simulation simulation = blockOnIncline(angle + off, 10, mu);
      const int n = 200;
      advance(simulation, h, n);
      const double a = kG * (std::sin((angle + off) * std::numbers::pi / 180) - mu * std::cos((angle + off) * std::numbers::pi / 180));
      if (off < 0)
        EXPECT_TRUE(simulation.state().velocity[1].isZero(0.0)) << "h = " << h;
      else
        EXPECT_NEAR(simulation.state().velocity[1].norm(), n * h * a, 1e-10) << "h = " << h;
    }
}

TEST(Incline, SlidesWithTheCoulombAcceleration) {
  const double angle = 45 * std::numbers::pi / 180, mu = 0.3;
  const double a = kG * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(a, 4.856, 1e-3);
  for (const double h : {1e-3, 1.0 / 240, 20e-3}) {
    Simulation simulation = blockOnIncline(45, 10, mu);
    const Vector3 start = simulation.state().position[1], down = turn(45, Vector3::UnitY()) * Vector3::UnitX();
    const int n = 200;
    advance(simulation, h, n);
    EXPECT_LE((simulation.state().velocity[1] - n * h * a * down).norm(), 1e-10 * n * h * a);
    EXPECT_LE((simulation.state().position[1] - start - 0.5 * n * (n + 1) * h * h * a * down).norm(), 1e-10);
    EXPECT_LE(simulation.state().angularVelocity[1].norm(), 1e-10);
    const Vector3 normal = turn(45, Vector3::UnitY()) * Vector3::UnitZ();
    const Vector3 force = totalImpulse(simulation) / h;
    EXPECT_NEAR(force.dot(normal), 69.37, 5e-3);
    EXPECT_NEAR(force.dot(down), -20.81, 5e-3);
  }
}

TEST(Incline, MotionDoesNotDependOnTheTangentFrames) {
  Simulation usual = blockOnIncline(45, 10, 0.3), turned = blockOnIncline(45, 10, 0.3, 12345);
  advance(usual, 4e-3, 200);
  advance(turned, 4e-3, 200);
  EXPECT_LE((usual.state().position[1] - turned.state().position[1]).norm(), 1e-10);
  EXPECT_LE((usual.state().velocity[1] - turned.state().velocity[1]).norm(), 1e-10);
}

struct Stop {
  double distance;
  int steps;
};

/// Braking from v0 by μg in steps of h: v_k = v0 − k μ g h while positive, then exactly 0.
Stop discreteStop(double v0, double mu, double h) {
  Stop stop{0, 0};
  for (double v = v0 - mu * kG * h; v > 0; v -= mu * kG * h) stop.distance += h * v, ++stop.steps;
  return stop;
}

TEST(Flat, StopsWithoutReversingInEveryAzimuth) {
  const double mu = 0.5, v0 = 10, h = 1.0 / 240;
  const Stop expected = discreteStop(v0, mu, h);
  EXPECT_NEAR(expected.distance, 10.194, 0.03);
  for (const double azimuth : {0.0, 17.0, 45.0, 90.0, 133.0, 200.0, 301.0}) {
    const Vector3 direction = turn(azimuth, Vector3::UnitZ()) * Vector3::UnitX();
    ModelBuilder builder;
    addPlane(builder, mu);
    builder.body(addBody(builder, Shape::box({0.5, 0.5, 0.5}), 5, {{0, 0, 0.5}, Quaternion::Identity()}, mu)).velocity = v0 * direction;
    Simulation simulation{builder.build(), {}};
    for (int i = 0; i < expected.steps + 20; ++i) {
      advance(simulation, h, 1);
      EXPECT_GE(simulation.state().velocity[1].dot(direction), -1e-12);
    }
    EXPECT_LE((simulation.state().position[1] - Vector3{0, 0, 0.5} - expected.distance * direction).norm(), 1e-9) << "azimuth " << azimuth;
    EXPECT_TRUE(simulation.state().velocity[1].isZero(0.0));
  }
}

// A convex-cone engine lifts this cube by 318 mm.
TEST(Flat, FlyingCubeStaysOnTheGround) {
  const double mu = 0.5, h = 5e-3;
  ModelBuilder builder;
  addPlane(builder, mu);
  builder.body(addBody(builder, Shape::box({0.05, 0.05, 0.05}), 1, {{0, 0, 0.05}, Quaternion::Identity()}, mu)).velocity = {6, 0, 0};
  Simulation simulation{builder.build(), {}};
  const Stop expected = discreteStop(6, mu, h);
  double lift = 0;
  for (int i = 0; i < expected.steps + 20; ++i) {
    advance(simulation, h, 1);
    lift = std::max(lift, std::abs(simulation.state().position[1].z() - 0.05));
  }
  EXPECT_LT(lift, 1e-6);
  EXPECT_NEAR(simulation.state().position[1].x(), expected.distance, 1e-9);
  EXPECT_NEAR(simulation.state().position[1].x(), 3.67, 0.02);
}

// About the edge in front: friction μN at half a side below the centre against N half a side ahead of it, so a cube tips for μ > 1 only. Then N = m g / (2.5 − 1.5 μ) on that edge
// and the angular acceleration is 1.5 N (μ − 1) / (m a), 2a the side, I = 2 m a² / 3.
TEST(Flat, ASlidingCubeTipsOnlyAboveFrictionOne) {
  const double a = 0.5, h = 1e-3;
  for (const double mu : {0.5, 0.999, 1.001, 1.2}) {
    ModelBuilder builder;
    addPlane(builder, mu);
    builder.body(addBody(builder, Shape::box({a, a, a}), 3, {{0, 0, a}, Quaternion::Identity()}, mu)).velocity = {5, 0, 0};
    Simulation simulation{builder.build(), {}};
    advance(simulation, h, 1);
    const double load = mu > 1 ? kG / (2.5 - 1.5 * mu) : kG, turning = mu > 1 ? 1.5 * load * (mu - 1) / a : 0;
    EXPECT_LE((simulation.state().angularVelocity[1] - Vector3{0, h * turning, 0}).norm(), 1e-10) << "mu = " << mu;
    EXPECT_NEAR(simulation.state().velocity[1].x(), 5 - h * mu * load, 1e-10) << "mu = " << mu;
    if (mu > 1) continue;
    advance(simulation, h, 200);
    EXPECT_LE(simulation.state().angularVelocity[1].norm(), 1e-10) << "mu = " << mu;
    EXPECT_NEAR(simulation.state().position[1].z(), a, 1e-9) << "mu = " << mu;
  }
}

TEST(Flat, ObliqueSlideKeepsItsLine) {
  for (const double azimuth : {30.0, 45.0}) {
    const Vector3 direction = turn(azimuth, Vector3::UnitZ()) * Vector3::UnitX();
    ModelBuilder builder;
    addPlane(builder, 0.5);
    builder.body(addBody(builder, Shape::box({0.5, 0.5, 0.5}), 1, {{0, 0, 0.5}, Quaternion::Identity()}, 0.5)).velocity = 5 * direction;
    Simulation simulation{builder.build(), {}};
    for (int i = 0; i < 200; ++i) {
      advance(simulation, 5e-3, 1);
      EXPECT_LE(std::abs(simulation.state().velocity[1].z()), 1e-10);
      EXPECT_LE(simulation.state().angularVelocity[1].norm(), 1e-10);
      EXPECT_LE(simulation.state().velocity[1].cross(direction).norm(), 1e-10);
    }
  }
}

TEST(Flat, PushMovesAboveTheThresholdOnly) {
  const double mass = 8, mu = 0.3, h = 1e-2;
  for (const auto& [push, acceleration] : {std::pair{20.0, 0.0}, std::pair{23.5, 0.0}, std::pair{25.0, 0.1820}, std::pair{30.0, 0.8070}}) {
    ModelBuilder builder;
    addPlane(builder, mu);
    addBody(builder, Shape::box({0.5, 0.5, 0.5}), mass, {{0, 0, 0.5}, Quaternion::Identity()}, mu);
    Simulation simulation{builder.build(), {}};
    simulation.applyForce(1, {push, 0, 0}, Vector3::Zero());
    advance(simulation, h, 100);
    const double exact = std::max(0.0, push / mass - mu * kG);
    EXPECT_NEAR(exact, acceleration, 1e-3);
    EXPECT_NEAR(simulation.state().velocity[1].x(), exact, 1e-10);
    if (exact == 0) {
      EXPECT_EQ(simulation.state().position[1].x(), 0.0);
    }
  }
}

TEST(Flat, StackedPairMovesTogetherOnIce) {
  const double h = 5e-3;
  ModelBuilder builder;
  addPlane(builder, 0.5);
  addBody(builder, Shape::box({0.5, 0.5, 0.1}), 5, {{0, 0, 0.1}, Quaternion::Identity()}, 0.5);
  addBody(builder, Shape::box({0.3, 0.3, 0.1}), 3, {{0, 0, 0.3}, Quaternion::Identity()}, 0.5);
  builder.addPair({0, 1, 0.0, 0.0, 1});
  builder.body(2).force = {10, 0, 0};
  Simulation simulation{builder.build(), {}};
  const int n = 100;
  advance(simulation, h, n);
  for (const int body : {1, 2}) {
    EXPECT_NEAR(simulation.state().velocity[static_cast<std::size_t>(body)].x(), 1.25 * n * h, 1e-10);
    EXPECT_NEAR(simulation.state().position[static_cast<std::size_t>(body)].x(), 0.5 * 1.25 * h * h * n * (n + 1), 1e-10);
  }
  double friction = 0;
  for (const SolvedContact& contact : simulation.contacts())
    if (contact.contact.key.geomA == 1) friction += contact.impulse.x() / h;
  EXPECT_NEAR(std::abs(friction), 6.25, 1e-7);
}

TEST(Flat, ConveyorTakesTheBlockToItsSpeed) {
  const double h = 1e-2, mu = 0.4, belt = 1.5;
  ModelBuilder builder;
  Part plate = solid(Shape::box({20, 1, 0.1}), 1, {{0, 0, -0.1}, Quaternion::Identity()}, mu);
  plate.body.kind = BodyKind::Kinematic;
  plate.body.velocity = {belt, 0, 0};
  add(builder, plate);
  addBody(builder, Shape::box({0.1, 0.1, 0.1}), 2, {{0, 0, 0.1}, Quaternion::Identity()}, mu);
  Simulation simulation{builder.build(), {}};
  double work = 0;
  for (int k = 1; k <= 80; ++k) {
    work += advance(simulation, h, 1).ledger.externalWork;
    EXPECT_NEAR(simulation.state().velocity[2].x(), std::min(belt, k * h * mu * kG), 1e-10);
  }
  EXPECT_NEAR(simulation.state().position[1].x(), 80 * h * belt, 1e-12);
  EXPECT_NEAR(work, 2 * belt * belt, 1e-7);  // the belt's momentum transfer m V at its own speed V
}

}  // namespace
}  // namespace stiction::laws
