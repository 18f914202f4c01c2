// No result depends on the tangent frames: random ones give the same motion.
#include "Scenes.hpp"

namespace stiction::laws {
namespace {

constexpr unsigned kSeeds[] = {1, 2, 3};

/// Steps `build(seed)` for the usual frames and for random ones, and compares poses and velocities after every step.
template <class Build>
void expectSameMotion(const char* name, const Build& build, double h, int steps) {
  for (const unsigned seed : kSeeds) {
    Simulation usual = build(0u), turned = build(seed);
    for (int k = 0; k < steps; ++k) {
      advance(usual, h, 1, 1e-6);
      advance(turned, h, 1, 1e-6);
      for (std::size_t i = 1; i < usual.state().position.size(); ++i) {
        ASSERT_LE((usual.state().position[i] - turned.state().position[i]).norm(), 1e-10) << name << ", seed " << seed << ", step " << k;
        ASSERT_LE((usual.state().velocity[i] - turned.state().velocity[i]).norm(), 1e-9) << name << ", seed " << seed << ", step " << k;
        ASSERT_LE((usual.state().angularVelocity[i] - turned.state().angularVelocity[i]).norm(), 1e-9) << name << ", seed " << seed << ", step " << k;
      }
    }
  }
}

SimulationOptions framed(unsigned seed) {
  SimulationOptions options;
  options.frameSeed = seed;
  return options;
}

TEST(Frames, SlidingAtAnyAzimuth) {
  for (const double azimuth : {0.0, 37.0, 90.0, 135.0, 251.0})
    expectSameMotion(
        "slide",
        [&](unsigned seed) {
          ModelBuilder builder;
          addPlane(builder, 0.5);
          Part block = solid(Shape::box({0.5, 0.5, 0.5}), 5, {{0, 0, 0.5}, Quaternion::Identity()}, 0.5);
          block.body.velocity = turn(azimuth, Vector3::UnitZ()) * Vector3{4, 0, 0};
          add(builder, block);
          return Simulation{builder.build(), framed(seed)};
        },
        4e-3, 250);
}

TEST(Frames, SpinningBall) {
  expectSameMotion(
      "backspin",
      [](unsigned seed) {
        ModelBuilder builder;
        addPlane(builder, 0.3);
        Part ball = solid(Shape::sphere(0.25), 1, {{0, 0, 0.25}, Quaternion::Identity()}, 0.3);
        ball.body.velocity = {4, 1, 0};
        ball.body.angularVelocity = {30, -200, 20};
        add(builder, ball);
        return Simulation{builder.build(), framed(seed)};
      },
      4e-3, 300);
}

TEST(Frames, GlancingImpact) {
  expectSameMotion(
      "glance",
      [](unsigned seed) {
        ModelBuilder builder;
        Part block = solid(Shape::box({0.5, 0.5, 0.5}), 10, {{0, 0, -0.5}, Quaternion::Identity()}, 0.4, 1.0);
        Part ball = solid(Shape::sphere(0.1), 2, {{-0.05, 0, 0.18}, Quaternion::Identity()}, 0.4, 1.0);
        ball.body.velocity = {2.5, 0.7, -4.33};
        add(builder, block);
        add(builder, ball);
        builder.setGravity(Vector3::Zero());
        return Simulation{builder.build(), framed(seed)};
      },
      5e-3, 40);
}

TEST(Frames, PushedStack) {
  expectSameMotion(
      "pushed",
      [](unsigned seed) {
        ModelBuilder builder;
        addPlane(builder, 0.2);
        addBody(builder, Shape::box({0.5, 0.5, 0.2}), 5, {{0, 0, 0.2}, Quaternion::Identity()}, 0.2);
        addBody(builder, Shape::box({0.3, 0.3, 0.2}), 3, {{0, 0, 0.6}, Quaternion::Identity()}, 0.5);
        Simulation simulation{builder.build(), framed(seed)};
        simulation.applyForce(2, {20, 11, 0}, Vector3::Zero());
        return simulation;
      },
      4e-3, 100);
}

}  // namespace
}  // namespace stiction::laws
