// What flies past is not stopped, what it hits stops it, and nothing goes through, whatever the step: contacts are linear in the motion, and the motion is not.
#include <random>

#include "Scenes.hpp"
#include "unit/collision/ClosedMesh.hpp"

namespace stiction::laws {
namespace {

Shape meshOfBox(const Vector3& half) { return closedMesh(*Shape::box(half).polytope); }

/// A ball of 5 cm that flies along x at `speed`, and an obstacle whose top, at y = 0.1 of its own frame, is `clearance` below the ball's way.
struct Flight {
  Shape obstacle;
  double speed, clearance, distance, restitution;
  bool moves;

  Simulation start() const {
    ModelBuilder builder;
    builder.setGravity(Vector3::Zero());
    Part ball = solid(Shape::sphere(0.05), 1, Pose{}, 0.5, restitution);
    ball.body.velocity = {speed, 0, 0};
    add(builder, ball);
    const Pose place{{distance, -0.15 - clearance, 0}, Quaternion::Identity()};
    if (moves) {
      addBody(builder, obstacle, 5, place, 0.5);
    } else {
      addFixed(builder, obstacle, place, 0.5);
    }
    return {builder.build(), {}};
  }
};

std::vector<Shape> obstacles() {
  return {Shape::sphere(0.1),
          Shape::box({0.1, 0.1, 0.3}),
          Shape::capsule(0.1, 0.3),
          Shape::cylinder(0.1, 0.3),
          Shape::ellipsoid({0.2, 0.1, 0.3}),
          Shape::hull({{-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}, {0, 0.1, -0.1}, {0, 0.1, 0.1}, {-0.1, -0.1, 0.1}, {0.1, -0.1, 0.1}}),
          meshOfBox({0.1, 0.1, 0.3})};
}

// A plane between two bodies goes on where the obstacle ends. Without a look back 1239 of these 2100 flights lose speed to it, some at a distance of 0.3 m.
TEST(Passing, WhatFliesPastIsNotStopped) {
  std::mt19937 random{1};
  for (int trial = 0; trial < 300; ++trial)
    for (const Shape& shape : obstacles()) {
      const double speed = std::pow(10.0, uniform(random, 0, 2)), clearance = std::pow(10.0, uniform(random, -3.5, -0.5));
      Flight flight{shape, speed, clearance, 0, 0, trial % 2 == 0 && shape.type != ShapeType::Mesh};
      const double h = trial % 3 == 0 ? 0.004 : 1.0 / 60;
      flight.distance = 0.35 + uniform(random, 0.5, 2) * flight.speed * h;
      Simulation simulation = flight.start();
      const int steps = static_cast<int>(2 * flight.distance / (flight.speed * h)) + 1;
      for (int i = 0; i < steps; ++i) ASSERT_EQ(simulation.step(h).status, StepStatus::Certified);
      ASSERT_EQ(simulation.state().velocity[1], (Vector3{flight.speed, 0, 0}))
          << name(shape.type) << " at " << flight.clearance << " m, " << flight.speed << " m/s, from " << flight.distance << " m, step " << h;
    }
}

/// Direction from the obstacle to the ball where they touch, of obstacles of one cross-section all along z; the ball's way is at `height` over the obstacle's middle.
Vector3 normalAtTouch(const Shape& obstacle, double height) {
  if (obstacle.type == ShapeType::Box || obstacle.type == ShapeType::Mesh) {
    const double over = std::max(height - 0.1, 0.0) / 0.05;
    return {-std::sqrt(1 - over * over), over, 0};
  }
  return {-std::sqrt(1 - std::pow(height / 0.15, 2)), height / 0.15, 0};
}

// The others are, where and when they touch: what is left of the speed is along the tangent there, less friction, and with restitution a part of it back. So it is at any step where few bodies meet.
TEST(Passing, WhatItHitsTurnsIt) {
  std::mt19937 random{2};
  for (int trial = 0; trial < 200; ++trial)
    for (const Shape& shape :
         {Shape::sphere(0.1), Shape::capsule(0.1, 0.3), Shape::cylinder(0.1, 0.3), Shape::box({0.1, 0.1, 0.3}), meshOfBox({0.1, 0.1, 0.3})}) {
      Flight flight{shape, std::pow(10.0, uniform(random, 0, 2)), -std::pow(10.0, uniform(random, -4, -1)), 0, trial % 4 == 0 ? 0.5 : 0.0, false};
      const double h = trial % 3 == 0 ? 0.004 : 1.0 / 60;
      flight.distance = 0.35 + uniform(random, 0.5, 2) * flight.speed * h;
      Simulation simulation = flight.start();
      const int steps = static_cast<int>(flight.distance / (flight.speed * h)) + 1;
      for (int i = 0; i < steps; ++i) {
        const StepReport& report = simulation.step(h);
        ASSERT_EQ(report.status, StepStatus::Certified);
        ASSERT_LE(report.penetration, 1e-6);
      }
      const Vector3 n = normalAtTouch(shape, 0.15 + flight.clearance), before{flight.speed, 0, 0};
      const double approach = -before.dot(n);
      const Vector3 along = before + approach * n;
      const double push = (1 + flight.restitution) * approach,
                   drag = std::min(0.5 * push, 2.0 / 7.0 * along.norm());  // of a solid ball that does not spin: to rolling, at most
      const Vector3 after =
          along.norm() > 0 ? Vector3{along * (1 - drag / along.norm()) + flight.restitution * approach * n} : Vector3{flight.restitution * approach * n};
      ASSERT_LE((simulation.state().velocity[1] - after).norm(), 1e-6 * flight.speed)
          << name(shape.type) << " at " << flight.clearance << " m, " << flight.speed << " m/s, from " << flight.distance << " m, step " << h
          << ", e = " << flight.restitution << ": " << simulation.state().velocity[1].transpose() << ", not " << after.transpose();
    }
}

// A blow on its end sets a body turning by a radian and more in a step, which takes it half its length past contacts that are linear in the motion.
TEST(Passing, NothingThatTurnsGoesThroughAWall) {
  const Shape shots[] = {Shape::box({0.05, 0.05, 0.05}), Shape::capsule(0.02, 0.1), Shape::cylinder(0.05, 0.05), Shape::ellipsoid({0.05, 0.03, 0.02}),
                         Shape::hull({{-0.05, -0.05, -0.05}, {0.05, 0, 0}, {0, 0.05, 0}, {0, 0, 0.05}})};
  HeightField flat{3, 3, 3, 3, 0.01, std::vector<double>(9, 0.0)};
  const Quaternion facing = turn(-90, {0, 1, 0});
  const std::vector<std::pair<Shape, Quaternion>> walls = {{Shape::plane(), facing},
                                                           {Shape::terrain(flat), facing},
                                                           {Shape::box({0.005, 3, 3}), Quaternion::Identity()},
                                                           {meshOfBox({0.005, 3, 3}), Quaternion::Identity()},
                                                           {Shape::cylinder(3, 0.005), facing},
                                                           {Shape::ellipsoid({0.02, 3, 3}), Quaternion::Identity()}};
  std::mt19937 random{3};
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 24; ++trial)
    for (const Shape& shape : shots)
      for (const auto& [wall, rotation] : walls)
        for (const bool moves : {false, true}) {
          if (moves && (wall.type == ShapeType::Plane || wall.type == ShapeType::HeightField || wall.type == ShapeType::Mesh)) continue;
          const double speed = trial % 2 == 0 ? 60 : 15, restitution = trial % 4 == 3 ? 0.7 : 0.0, h = trial % 3 == 0 ? 0.002 : 1.0 / 60;
          ModelBuilder builder;
          builder.setGravity(Vector3::Zero());
          Part shot =
              solid(shape, 1, {Vector3::Zero(), Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized()}, 0.5, restitution);
          shot.body.velocity = {speed, 0.05 * speed * normal(random), 0.05 * speed * normal(random)};
          shot.body.angularVelocity = 0.5 * speed * Vector3{normal(random), normal(random), normal(random)};
          add(builder, shot);
          if (moves) {
            addBody(builder, wall, 1e6, {{1, 0, 0}, rotation}, 0.5);
          } else {
            addFixed(builder, wall, {{1, 0, 0}, rotation}, 0.5);
          }
          Simulation simulation{builder.build(), {}};
          const int steps = std::max(4, static_cast<int>(1.5 / (speed * h)));
          for (int i = 0; i < steps; ++i) {
            ASSERT_EQ(simulation.step(h).status, StepStatus::Certified);
            ASSERT_LT(simulation.state().position[1].x(), 1.0)
                << name(shape.type) << " against " << name(wall.type) << ", step " << i << " of " << h << ", trial " << trial;
          }
        }
}

// A driven blade sweeps over balls that lie about, half a radian in a step: each is hit, none is left behind it or inside.
TEST(Passing, ABladeHitsWhatItSweepsOver) {
  for (const double spin : {3.0, 12.0, 30.0, 60.0})
    for (const double angle : {0.2, 0.55, 1.1, 2.0})
      for (const double radius : {0.3, 0.6, 0.9}) {
        ModelBuilder builder;
        builder.setGravity(Vector3::Zero());
        Part blade = solid(Shape::box({1, 0.02, 0.2}), 1, Pose{}, 0);
        blade.body.kind = BodyKind::Kinematic;
        blade.body.angularVelocity = {0, 0, spin};
        add(builder, blade);
        add(builder, solid(Shape::sphere(0.05), 1, {radius * Vector3{std::cos(angle), std::sin(angle), 0}, Quaternion::Identity()}, 0));
        Simulation simulation{builder.build(), {}};
        const double h = 1.0 / 60;
        const int steps = static_cast<int>((angle + 0.5) / (spin * h)) + 1;
        for (int i = 0; i < steps; ++i) {
          const StepReport& report = simulation.step(h);
          ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
          ASSERT_LE(report.penetration, 2e-3);
        }
        EXPECT_GE(simulation.state().velocity[2].norm(), 0.5 * spin * radius) << spin << " rad/s, at " << angle << " rad, " << radius << " m";
      }
}

// Sticks that whirl, a third of a radian and more in a step, get from one side of another to the other within it. Stopped by contacts on both sides they clamped each other, and a thousand times
// the impulse of any blow went round between the two.
TEST(Passing, SticksThatWhirlDoNotClampEachOther) {
  std::mt19937 random{6};
  std::normal_distribution<double> normal;
  const auto any = [&] { return Vector3{normal(random), normal(random), normal(random)}; };
  for (int trial = 0; trial < 160; ++trial) {
    ModelBuilder builder;
    builder.setGravity(Vector3::Zero());
    for (int k = 0; k < 2; ++k) {
      const Quaternion rotation = Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized();
      Part stick = solid(Shape::box({0.006, 0.008, 0.12}), 0.05, {Vector3{0.06 * k, 0, 0} + 0.01 * any(), rotation}, 1.0);
      stick.body.velocity = any();
      stick.body.angularVelocity = 80 * any().normalized();
      add(builder, stick);
    }
    Simulation simulation{builder.build(), {}};
    double start = 0, lost = 0;
    for (int i = 0; i < 12; ++i) {
      const StepReport& report = simulation.step(0.005);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      if (i == 0) start = report.ledger.kineticStart;
      lost += report.ledger.impact;
    }
    EXPECT_LE(lost, start) << "trial " << trial;
  }
}

// A pile of logs that comes down: they roll, yaw and rock on each other, and the place where two are nearest runs along them within a step. With contacts there alone they came to overlap by
// hundredths of their thickness and more, and what parted them again put a third of the pile's energy in.
TEST(Passing, LogsThatRollOffEachOtherDoNotSinkIn) {
  constexpr double kRadius = 0.1, kHalf = 0.5, kFriction = 0.2;
  constexpr int kRows = 5;
  for (const Shape& log : {Shape::cylinder(kRadius, kHalf), Shape::capsule(kRadius, kHalf)}) {
    std::mt19937 random{3};
    ModelBuilder builder;
    addPlane(builder, kFriction);
    for (int row = 0; row < kRows; ++row)
      for (int i = 0; i < kRows - row; ++i) {
        const Vector3 place{(2 * i + row) * kRadius, uniform(random, -0.05, 0.05), (1 + row * std::numbers::sqrt3) * kRadius};
        addBody(builder, log, 20, {place, turn(90, Vector3::UnitX())}, kFriction);
      }
    Simulation simulation{builder.build(), {}};
    double height = 0, parted = 0;
    for (const Vector3& position : simulation.state().position) height += position.z() - kRadius;
    for (int i = 0; i < 90; ++i) parted += advance(simulation, 1.0 / 60, 1, 1e-3 * kRadius).ledger.stabilisation;
    EXPECT_LE(parted, 1e-3 * 20 * kG * height) << name(log.type);
  }
}

}  // namespace
}  // namespace stiction::laws
