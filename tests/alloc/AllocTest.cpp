// No heap in a step after warm-up: every malloc is counted (operator new and Eigen both end there).
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

#include "collision/NarrowPhase.hpp"
#include "integrate/Simulation.hpp"
#include "unit/collision/Ground.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define STICTION_COUNTS_MALLOC 1
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
}
#endif

namespace stiction {
namespace {

#ifdef STICTION_COUNTS_MALLOC

Simulation boxOnPlane(double mu, const Vector3& velocity) {
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = mu;
  builder.addGeom(floor, Pose{});
  builder.body(builder.addSolid("box", Shape::box({0.5, 0.5, 0.5}), 10, {{0, 0, 0.5}, Quaternion::Identity()}, mu)).velocity = velocity;
  return {builder.build(), {}};
}

long allocationsOf(Simulation& simulation, int warmUp, int steps) {
  for (int i = 0; i < warmUp; ++i) simulation.step(4e-3);
  const long before = allocations;
  for (int i = 0; i < steps; ++i) simulation.step(4e-3);
  return allocations - before;
}

TEST(Alloc, CounterCounts) {
  const long before = allocations;
  const std::vector<double> some(100);
  const VectorX other = VectorX::Zero(100);
  EXPECT_EQ(static_cast<long>(some.size()), other.size());
  EXPECT_GE(allocations - before, 2);
}

TEST(Alloc, RestingBox) {
  Simulation simulation = boxOnPlane(0.5, Vector3::Zero());
  EXPECT_EQ(allocationsOf(simulation, 10, 100), 0);
}

TEST(Alloc, SlidingBox) {
  Simulation simulation = boxOnPlane(0.1, {10, 3, 0});
  EXPECT_EQ(allocationsOf(simulation, 10, 100), 0);
}

TEST(Alloc, RestingTower) {
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  builder.addGeom(floor, Pose{});
  for (int i = 0; i < 5; ++i) builder.addSolid("", Shape::box({0.1, 0.1, 0.1}), 1000, {{0, 0, 0.1 + 0.2 * i}, Quaternion::Identity()}, 0.5);
  Simulation simulation{builder.build(), {}};
  EXPECT_EQ(allocationsOf(simulation, 10, 100), 0);
}

/// A base on four legs of two links, whose hinges have ranges, springs, rotors, servos and, standing, dry friction, two hips geared together, a cord over two knees, and a jet; `swing` [rad/s]
/// of the servos' targets.
long allocationsOfQuadruped(const Vector3& gravity, double height, double swing) {
  ModelBuilder builder;
  builder.setGravity(gravity);
  Geom floor;
  floor.shape = Shape::plane();
  builder.addGeom(floor, Pose{});
  const int base = builder.addSolid("base", Shape::box({0.2, 0.15, 0.05}), 1000, {{0, 0, height}, Quaternion::Identity()}, 0.8);
  for (int leg = 0; leg < 4; ++leg) {
    int parent = base;
    const double x = leg % 2 == 0 ? 0.18 : -0.18, y = leg < 2 ? 0.2 : -0.2;
    for (int link = 0; link < 2; ++link) {
      const double top = height - 0.2 * link;
      const int child = builder.addSolid("", Shape::capsule(0.02, 0.08), 1000, {{x, y, top - 0.1}, Quaternion::Identity()}, 0.8);
      Joint joint;
      joint.axis = Vector3::UnitY();
      joint.limited = true;
      joint.low = -1;
      joint.high = 1;
      joint.armature = 0.01;
      joint.damping = 0.1;
      joint.stiffness = link == 0 ? 2 : 0;
      joint.friction = swing == 0 && link == 1 ? 0.05 : 0;  // where it slides and holds by turns the problem changes in size
      builder.addJoints(parent, child, {0, 0, 0.1}, {joint});
      Actuator servo;
      servo.joint = 2 * leg + link;
      servo.gain = 40;
      servo.bias = {0, -40, -1};
      builder.addActuator(servo);
      parent = child;
    }
  }
  builder.addCoupling({"", {{0, 1}}, {{2, 1}}});
  Tendon cord;
  cord.terms = {{1, 1}, {3, -1}};
  cord.stiffness = 3;
  cord.armature = 0.01;
  builder.addTendon(cord);
  builder.addThruster({"", base, {0.1, 0, 0}, Vector3::UnitZ(), Vector3::Zero()});
  Actuator jet;
  jet.thruster = 0;
  jet.activation = Activation::Filter;
  jet.timeConstant = 0.1;
  builder.addActuator(jet);
  Simulation simulation{builder.build(), {}};
  simulation.setControl(8, 0.01);
  const auto run = [&](int steps) {
    const long before = allocations;
    for (int i = 0; i < steps; ++i) {
      for (int servo = 0; servo < 8; ++servo) simulation.setControl(servo, swing == 0 ? 0.0 : 0.3 * std::sin(swing * simulation.state().time + servo));
      EXPECT_EQ(simulation.step(4e-3).status, StepStatus::Certified);
    }
    return allocations - before;
  };
  run(300);
  return run(100);
}

std::vector<Shape> kindsOfShapes() {
  const std::vector<Vector3> corners{{0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}, {0.05, 0.05, 0.1}, {0, 0, -0.1}};
  return {Shape::sphere(0.1),         Shape::capsule(0.08, 0.1),           Shape::box({0.15, 0.1, 0.05}),
          Shape::cylinder(0.1, 0.08), Shape::ellipsoid({0.15, 0.1, 0.08}), Shape::hull(corners)};
}

/// Of the contacts of each kind of shape with `other`, at many places, from apart to deep.
long allocationsOfContacts(const Shape& other) {
  std::vector<PairPoint> points;
  const std::vector<Shape> shapes = kindsOfShapes();
  const auto run = [&] {
    const long before = allocations;
    for (const Shape& shape : shapes)
      for (int k = 0; k < 1000; ++k) {
        const Pose X{{0.3 * std::sin(0.7 * k), 0.3 * std::sin(1.1 * k), 0.15 + 0.15 * std::sin(0.3 * k)},
                     Quaternion{Eigen::AngleAxisd{0.9 * k, Vector3{1, 2, 3}.normalized()}}};
        collideShapes(shape, X, other, Pose{}, 0.02, points);
      }
    return allocations - before;
  };
  run();
  return run();
}

Shape waves() {
  return terrain(17, [](double x, double y) { return 0.1 * std::sin(4 * x) * std::cos(3 * y); });
}

TEST(Alloc, ContactsOfShapes) {
  for (const Shape& other : kindsOfShapes()) EXPECT_EQ(allocationsOfContacts(other), 0) << name(other.type);
}

TEST(Alloc, ContactsOnHeightFields) { EXPECT_EQ(allocationsOfContacts(waves()), 0); }
TEST(Alloc, ContactsOnMeshes) { EXPECT_EQ(allocationsOfContacts(meshOf(waves())), 0); }

TEST(Alloc, JointsAfloat) { EXPECT_EQ(allocationsOfQuadruped(Vector3::Zero(), 10, 3), 0); }
TEST(Alloc, StandingOnJoints) { EXPECT_EQ(allocationsOfQuadruped({0, 0, -9.81}, 0.42, 0), 0); }

#else

TEST(Alloc, CounterCounts) { GTEST_SKIP() << "malloc belongs to the sanitizer, or the C library is not glibc"; }

#endif

}  // namespace
}  // namespace stiction
