// Rolling and spinning spheres; floors of tiles; torque-free bodies through the whole step.
#include "Scenes.hpp"
#include "diagnostics/Account.hpp"

namespace stiction::laws {
namespace {

TEST(Sphere, RollsUnderAPush) {
  for (const double h : {1e-3, 5e-3, 20e-3}) {
    ModelBuilder builder;
    addPlane(builder, 0.5);
    addBody(builder, Shape::sphere(0.25), 1, {{0, 0, 0.25}, Quaternion::Identity()}, 0.5);
    builder.body(1).force = {2, 0, 0};
    Simulation simulation{builder.build(), {}};
    const int n = static_cast<int>(std::lround(0.3 / h));
    advance(simulation, h, n);
    EXPECT_NEAR(simulation.state().velocity[1].x(), 5 * 2.0 / 7 * 0.3, 1e-10);
    EXPECT_NEAR(simulation.state().angularVelocity[1].y(), 5 * 2.0 / 7 * 0.3 / 0.25, 1e-9);
    EXPECT_NEAR(totalImpulse(simulation).x() / h, -2.0 * 2 / 7, 1e-9);
  }
}

TEST(Sphere, ThrownOnToAFloorThatNeverSlipsRollsAtOnce) {
  // angular momentum about the point of touch: 7/5 v' = v; the whole slip stops within the first step however high the friction
  for (const double mu : {1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
    ModelBuilder builder;
    addPlane(builder, mu);
    builder.body(addBody(builder, Shape::sphere(0.1), 1, {{0, 0, 0.1}, Quaternion::Identity()}, mu)).velocity = {3, 0, 0};
    Simulation simulation{builder.build(), {}};
    advance(simulation, 4e-3, 250);
    EXPECT_NEAR(simulation.state().velocity[1].x(), 5.0 / 7 * 3, 1e-10) << mu;
    EXPECT_NEAR(simulation.state().position[1].z(), 0.1, 1e-9) << mu;
  }
}

// Tiles that lie flush are a plane: no seam slows what rolls or slides over it, whatever the step; a disc would stop dead at an edge of no height.
TEST(Tiles, AreAPlane) {
  const Quaternion lying = turn(90, {1, 0, 0});
  const std::vector<std::pair<Shape, Pose>> things{{Shape::sphere(0.25), {{0, 0, 0.25}, Quaternion::Identity()}},
                                                   {Shape::capsule(0.25, 0.2), {{0, 0, 0.25}, lying}},
                                                   {Shape::cylinder(0.25, 0.2), {{0, 0, 0.25}, lying}},
                                                   {Shape::cylinder(0.25, 0.1), {{0, 0, 0.1}, Quaternion::Identity()}},
                                                   {Shape::box({0.25, 0.3, 0.2}), {{0, 0, 0.2}, turn(45, {0, 0, 1})}}};
  for (const auto& [shape, start] : things)
    for (const double h : {1.0 / 60, 2e-3}) {
      std::vector<WorldState> ends;
      for (const bool isTiled : {false, true}) {
        ModelBuilder builder;
        for (int k = 0; isTiled && k < 15; ++k)
          addFixed(builder, Shape::box({0.4, 0.4, 0.5}), {{0.8 * (k % 5) - 0.67, 0.8 * (k / 5) - 0.73, -0.5}, Quaternion::Identity()}, 0.3);
        if (!isTiled) addPlane(builder, 0.3);
        builder.body(addBody(builder, shape, 1, start, 0.3)).velocity = {2, 0, 0};
        Simulation simulation{builder.build(), {}};
        advance(simulation, h, static_cast<int>(std::lround(0.6 / h)));
        ends.push_back(simulation.state());
      }
      EXPECT_NEAR((ends[0].velocity[1] - ends[1].velocity[1]).norm(), 0, 1e-10) << name(shape.type) << " at " << h;
      EXPECT_NEAR((ends[0].position[1] - ends[1].position[1]).norm(), 0, 1e-10) << name(shape.type) << " at " << h;
    }
}

TEST(Sphere, BackspinComesBack) {
  ModelBuilder builder;
  addPlane(builder, 0.5);
  Body& ball = builder.body(addBody(builder, Shape::sphere(0.25), 1, {{0, 0, 0.25}, Quaternion::Identity()}, 0.5));
  ball.velocity = {4, 0, 0};
  ball.angularVelocity = {0, -200, 0};
  Simulation simulation{builder.build(), {}};
  advance(simulation, 5e-3, 800);
  const double exact = 5.0 / 7 * 4 - 2.0 / 7 * 200 * 0.25;
  EXPECT_NEAR(exact, -11.4286, 1e-4);
  EXPECT_NEAR(simulation.state().velocity[1].x(), exact, 1e-9);
  EXPECT_NEAR(simulation.state().angularVelocity[1].y(), exact / 0.25, 1e-8);
  EXPECT_NEAR(simulation.state().position[1].z(), 0.25, 1e-9);
}

/// Cosine of the angle from the top, against that of the start, at which a ball last presses on a fixed sphere.
double leaves(double friction, double h) {
  constexpr double kFixed = 1, kBall = 0.25;
  ModelBuilder builder;
  addFixed(builder, Shape::sphere(kFixed), Pose{}, friction);
  const Vector3 start = turn(20, {1, 2, 0}) * Vector3{0, 0, kFixed + kBall};
  addBody(builder, Shape::sphere(kBall), 1, {start, Quaternion::Identity()}, friction);
  Simulation simulation{builder.build(), {}};
  const double level = 0.8 * start.z();
  double last = start.z();
  while (simulation.state().position[1].z() > 0.3 * start.z()) {
    advance(simulation, h, 1);
    if (totalImpulse(simulation).norm() == 0) continue;
    last = simulation.state().position[1].z();
    const double touching = last > level ? 2e-9 : 1e-2;  // [-] of the radius
    EXPECT_NEAR(simulation.state().position[1].norm(), kFixed + kBall, touching * kBall) << "at t = " << simulation.state().time;
  }
  return last / start.z();
}

// Centripetal acceleration takes all of gravity's component: cos θ / cos θ₀ = 2/3 sliding without friction, 10/17 rolling (a little earlier: it slips just before).
// Well before, where the load suffices to follow the curvature, every step ends closed.
TEST(Sphere, LeavesASphere) {
  for (const auto& [friction, exact] : {std::pair{0.0, 2.0 / 3}, {100.0, 10.0 / 17}}) {
    EXPECT_NEAR(leaves(friction, 1.0 / 60), exact, 5e-2);
    EXPECT_NEAR(leaves(friction, 1e-3), exact, 3e-3);
    EXPECT_NEAR(leaves(friction, 1e-4), exact, 5e-4);
  }
}

Simulation freeBody(const Vector3& spin) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  Part part = solid(Shape::box({0.1, 0.2, 0.4}), 2, {{1, 2, 3}, turn(40, {1, -2, 0.5})}, 0.5);
  part.body.angularVelocity = part.body.X_WB.rotation * spin;
  part.body.velocity = {0.3, -0.1, 0.2};
  add(builder, part);
  return {builder.build(), {}};
}

TEST(FreeBody, KeepsMomentumAndEnergyForAMinute) {
  for (const Vector3& spin : {Vector3{0.05, 8, 0.02}, Vector3{3, -5, 7}}) {
    Simulation simulation = freeBody(spin);
    const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
    const Momentum start = momentum(simulation.model(), inertias, simulation.state());
    advance(simulation, 1.0 / 60, 3600);
    const Momentum end = momentum(simulation.model(), inertias, simulation.state());
    EXPECT_NEAR(end.kinetic, start.kinetic, 1e-12 * start.kinetic);
    EXPECT_LE((end.linear - start.linear).norm(), 1e-12 * start.linear.norm());
    EXPECT_LE((angularMomentum(inertias[1], simulation.state().rotation[1], simulation.state().angularVelocity[1]) -
               angularMomentum(inertias[1], freeBody(spin).state().rotation[1], freeBody(spin).state().angularVelocity[1]))
                  .norm(),
              1e-12 * start.angular.norm());
  }
}

TEST(FreeBody, RacketFlips) {
  Simulation simulation = freeBody({0.02, 8, 0.02});  // y has the middle moment
  double least = 8;
  for (int i = 0; i < 600; ++i) {
    advance(simulation, 1.0 / 120, 1);
    least = std::min(least, (simulation.state().rotation[1].conjugate() * simulation.state().angularVelocity[1]).y());
  }
  EXPECT_LT(least, -7.9);
}

TEST(FreeBody, SpinDoesNotDecay) {
  Simulation simulation = freeBody({0, 0, 10});
  advance(simulation, 1.0 / 240, 240);
  EXPECT_NEAR(simulation.state().angularVelocity[1].norm(), 10, 1e-12);
}

}  // namespace
}  // namespace stiction::laws
