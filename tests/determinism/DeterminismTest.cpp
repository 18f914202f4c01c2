// The same bits for repeats, for any number of threads, and from a snapshot taken mid-run.
#include <gtest/gtest.h>

#include <numbers>

#include "SphereBlock.hpp"
#include "integrate/Simulation.hpp"

namespace stiction {
namespace {

/// Four separate piles of mixed shapes that fall, collide, roll and settle; one corner bounces.
Model scene() {
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = 0.6;
  builder.addGeom(floor, Pose{});
  int k = 0;
  for (int pile = 0; pile < 4; ++pile)
    for (int i = 0; i < 4; ++i, ++k) {
      const Shape shapes[] = {Shape::box({0.1, 0.08, 0.06}), Shape::sphere(0.09), Shape::capsule(0.05, 0.08)};
      const Quaternion R{Eigen::AngleAxisd{0.3 * k, Vector3{1, 0.5 * pile, 0.2}.normalized()}};
      builder.addSolid("", shapes[k % 3], 500, {{2.0 * (pile % 2) + 0.03 * i, 2.0 * (pile / 2) - 0.02 * i, 0.15 + 0.25 * i}, R}, 0.6);
      if (pile == 3) builder.geom(k + 1).restitution = 0.5;
    }
  return builder.build();
}

std::vector<std::uint64_t> run(Simulation& simulation, int steps) {
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(simulation.step(1.0 / 240).status, StepStatus::Certified);
    hashes.push_back(hash(simulation.state()));
  }
  return hashes;
}

std::vector<std::uint64_t> runWithThreads(int threads, int steps) {
  SimulationOptions options;
  options.threads = threads;
  Simulation simulation{scene(), options};
  return run(simulation, steps);
}

constexpr int kSteps = 160;

TEST(Determinism, RepeatsAndThreadsGiveTheSameBits) {
  const std::vector<std::uint64_t> reference = runWithThreads(1, kSteps);
  EXPECT_NE(reference[10], reference[11]);
  for (const int threads : {1, 2, 4}) EXPECT_EQ(runWithThreads(threads, kSteps), reference) << threads << " threads";
}

std::vector<std::uint64_t> collapse(int threads, int& factorisations) {
  SimulationOptions options;
  options.threads = threads;
  Simulation simulation{sphereBlock(), options};
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 6; ++i) {
    const StepReport& report = simulation.step(1.0 / 60);
    EXPECT_EQ(report.status, StepStatus::Certified);
    factorisations += report.factorisations;
    hashes.push_back(hash(simulation.state()));
  }
  return hashes;
}

TEST(Determinism, ThreadsShareALargeIsland) {
  int factorisations = 0;
  const std::vector<std::uint64_t> reference = collapse(1, factorisations);
  EXPECT_GT(factorisations, 20);
  for (const int threads : {2, 4}) EXPECT_EQ(collapse(threads, factorisations), reference) << threads << " threads";
}

TEST(Determinism, SnapshotContinuesBitByBit) {
  Simulation simulation{scene(), {}};
  run(simulation, kSteps / 2);
  const WorldState snapshot = simulation.state();
  const std::vector<std::uint64_t> rest = run(simulation, kSteps / 2);
  simulation.setState(snapshot);
  EXPECT_EQ(run(simulation, kSteps / 2), rest);
  Simulation fresh{scene(), {}};
  fresh.setState(snapshot);
  EXPECT_EQ(run(fresh, kSteps / 2), rest);
  EXPECT_EQ(fresh.state().time, simulation.state().time);
}

TEST(Determinism, RefusedStepLeavesTheStateAlone) {
  SimulationOptions options;
  options.tolerance = 1e-300;  // nothing but exact zeros passes
  options.maxHalvings = 1;
  Simulation simulation{scene(), options};
  StepStatus status = StepStatus::Certified;
  std::uint64_t before = 0;
  for (int i = 0; i < 200 && status == StepStatus::Certified; ++i) {
    before = hash(simulation.state());
    const StepReport& report = simulation.step(1.0 / 240);
    status = report.status;
    EXPECT_EQ(report.reason.empty(), status == StepStatus::Certified);
  }
  EXPECT_EQ(status, StepStatus::NotCertified);
  EXPECT_EQ(hash(simulation.state()), before);
}

}  // namespace
}  // namespace stiction
