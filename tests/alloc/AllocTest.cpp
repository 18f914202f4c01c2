// No heap in a step after warm-up: every malloc is counted (operator new and Eigen both end there).
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include "integrate/Simulation.hpp"

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

#else

TEST(Alloc, CounterCounts) { GTEST_SKIP() << "malloc belongs to the sanitizer, or the C library is not glibc"; }

#endif

}  // namespace
}  // namespace stiction
