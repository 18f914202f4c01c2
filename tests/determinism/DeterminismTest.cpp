// The same bits for repeats, for any number of threads, and from a snapshot taken mid-run.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>
#include <utility>

#include "SphereBlock.hpp"
#include "base/Hash.hpp"
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

std::vector<std::uint64_t> collapse(int threads, int layers, int steps, int& factorisations, int& contacts) {
  SimulationOptions options;
  options.threads = threads;
  Simulation simulation{sphereBlock(layers), options};
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = simulation.step(1.0 / 60);
    EXPECT_EQ(report.status, StepStatus::Certified);
    factorisations += report.factorisations;
    contacts = std::max(contacts, report.contacts);
    hashes.push_back(hash(simulation.state()));
  }
  return hashes;
}

TEST(Determinism, ThreadsShareALargeIsland) {
  int factorisations = 0, contacts = 0;
  const std::vector<std::uint64_t> reference = collapse(1, 6, 12, factorisations, contacts);
  EXPECT_GT(factorisations, 20);
  for (const int threads : {2, 4}) EXPECT_EQ(collapse(threads, 6, 12, factorisations, contacts), reference) << threads << " threads";
}

TEST(Determinism, ThreadsSweepZonesOfALargeIsland) {
  int factorisations = 0, contacts = 0;
  const std::vector<std::uint64_t> reference = collapse(1, 16, 4, factorisations, contacts);
  EXPECT_GT(contacts, 2000);  // enough for several zones
  for (const int threads : {2, 3, 4}) EXPECT_EQ(collapse(threads, 16, 4, factorisations, contacts), reference) << threads << " threads";
}

/// A wall of boxes, rows of 12 to 1, and a ball of ten times their mass that is shot into it.
Simulation struckWall(double speed, int threads, bool keepGoing) {
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = 0.6;
  builder.addGeom(floor, Pose{});
  constexpr int rows = 12;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < rows - row; ++i)
      builder.addSolid("", Shape::box({0.5, 0.5, 0.5}), 100, {{1.1 * (i - 0.5 * (rows - row - 1)), 0, 0.5 + row}, Quaternion::Identity()}, 0.6);
  const int ball = builder.addSolid("ball", Shape::sphere(0.5), 6000 / std::numbers::pi, {{0.3, -4, 5.2}, Quaternion::Identity()}, 0.6);
  SimulationOptions options;
  options.threads = threads;
  options.keepGoing = keepGoing;
  Simulation simulation{builder.build(), options};
  WorldState state = simulation.state();
  state.velocity[static_cast<std::size_t>(ball)] = {0, speed, 0};
  simulation.setState(state);
  return simulation;
}

// Whether a step of a struck pile is halved is a matter of chance: of these some are, once or down to the least. On two threads uncertified steps may stand, too: what is called off must end all the same.
TEST(Determinism, HalvesComputedAheadAreTheSame) {
  int halved = 0;
  for (const auto& [speed, teams] : {std::pair{21.0, std::vector{2, 4}}, std::pair{20.5, std::vector{2}}}) {
    const auto hashes = [&halved, speed = speed](int threads, bool keepGoing) {
      Simulation simulation = struckWall(speed, threads, keepGoing);
      std::vector<std::uint64_t> all;
      for (int i = 0; i < 10; ++i) {
        const StepReport& report = simulation.step(1.0 / 60);
        EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
        halved += report.substeps > report.islands ? 1 : 0;
        all.push_back(hash(simulation.state()));
        all.push_back(static_cast<std::uint64_t>(report.factorisations));
        all.push_back(static_cast<std::uint64_t>(report.iterations));
      }
      return all;
    };
    const std::vector<std::uint64_t> reference = hashes(1, false);
    for (const int threads : teams) EXPECT_EQ(hashes(threads, threads == 2), reference) << speed << " m/s, " << threads << " threads";
  }
  EXPECT_GE(halved, 2) << "no step was halved: look for other speeds";
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

/// Two walls of nine bricks, a slab on a moving floor beside a stop, and a ball that waits until it is thrown.
struct Yard {
  Model model;
  int brick{0}, belt{0}, ball{0};
};

Yard yard() {
  Yard yard;
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = 0.6;
  builder.addGeom(floor, Pose{});
  for (const double y : {0.0, 3.0})
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < 3; ++k)
        yard.brick = builder.addSolid("", Shape::box({0.2, 0.1, 0.1}), 1000, {{0.41 * k + 0.2 * (row % 2), y, 0.1 + 0.2 * row}, Quaternion::Identity()}, 0.6);
  Body belt;
  belt.kind = BodyKind::Kinematic;
  belt.X_WB.position = {0, 6, 0.05};
  floor.shape = Shape::box({0.5, 0.5, 0.05});
  floor.body = yard.belt = builder.addBody(belt);
  builder.addGeom(floor, Pose{});
  builder.addSolid("", Shape::box({0.1, 0.1, 0.1}), 1000, {{0, 6, 0.2}, Quaternion::Identity()}, 0.6);
  yard.ball = builder.addSolid("", Shape::sphere(0.15), 3000, {{-1.5, 3, 0.15}, Quaternion::Identity()}, 0.6);
  yard.model = builder.build();
  return yard;
}

/// What a step leaves behind and reports, apart from times.
std::uint64_t everything(const Simulation& simulation, const StepReport& report) {
  StateHash all;
  all.add(hash(simulation.state()));
  for (const double x : {report.certificate.relative, report.certificate.metersPerSecond, report.penetration, report.ledger.kineticEnd,
                         report.ledger.externalWork, report.ledger.friction, report.ledger.scheme, simulation.state().time})
    all.add(x);
  for (const int count : {report.contacts, report.islands, report.substeps, report.iterations, report.worstContact.geomA})
    all.add(static_cast<std::uint64_t>(count));
  for (const SolvedContact& contact : simulation.contacts()) all.add(contact.impulse.data(), 3);
  return all.value();
}

using Steps = std::function<void(int count, double h)>;

/// That a script of steps and of what can end a rest leaves the same behind whether repetitions are computed or not; so many steps repeat whole, and in part.
void expectRepetitions(const Model& model, const std::function<void(Simulation&, const Steps&)>& script, int whole, int partly) {
  struct Run {
    std::vector<std::uint64_t> hashes;
    int repeated{0}, whole{0}, partly{0};
  };
  const auto run = [&](bool repeat) {
    SimulationOptions options;
    options.repeat = repeat;
    Simulation simulation{model, options};
    Run out;
    script(simulation, [&](int count, double h) {
      for (int i = 0; i < count; ++i) {
        const StepReport& report = simulation.step(h);
        EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
        out.hashes.push_back(everything(simulation, report));
        out.repeated += report.repeated;
        out.whole += report.repeated == report.islands ? 1 : 0;
        out.partly += report.repeated > 0 && report.repeated < report.islands ? 1 : 0;
      }
    });
    return out;
  };
  const Run lazy = run(true), diligent = run(false);
  EXPECT_EQ(lazy.hashes, diligent.hashes);
  EXPECT_EQ(diligent.repeated, 0);
  EXPECT_GT(lazy.whole, whole);
  EXPECT_GT(lazy.partly, partly);
}

// Whatever can end a rest: other forces, another step, a snapshot, a moving surface, a body that comes.
TEST(Determinism, WhatRepeatsIsTheSameAsWhatIsComputed) {
  const Yard yard = stiction::yard();
  const auto script = [&](Simulation& simulation, const Steps& steps) {
    steps(30, 0.01);
    const WorldState rest = simulation.state();
    steps(5, 0.005);
    simulation.applyForce(yard.brick, {30, 0, 0}, Vector3::Zero());
    steps(10, 0.005);
    simulation.applyForce(yard.brick, {5000, 0, 0}, Vector3::Zero());
    steps(10, 0.005);
    simulation.applyForce(yard.brick, Vector3::Zero(), Vector3::Zero());
    simulation.setState(rest);
    steps(10, 0.01);
    simulation.setVelocity(yard.belt, {0.3, 0, 0}, {0, 0, 0.2});
    steps(20, 0.01);
    simulation.setVelocity(yard.belt, Vector3::Zero(), Vector3::Zero());
    steps(20, 0.01);
    simulation.setVelocity(yard.ball, {4, 0, 0}, Vector3::Zero());
    steps(120, 0.01);
  };
  expectRepetitions(yard.model, script, 30, 100);
}

/// Two robots: a stand with a servo, and an arm on a carriage that moves as it is told.
TEST(Determinism, JointsThatRestRepeat) {
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = 0.8;
  builder.addGeom(floor, Pose{});
  Joint joint;
  joint.axis = Vector3::UnitY();
  joint.damping = 2;
  joint.armature = 0.1;
  joint.friction = 0.01;
  joint.limited = true;
  joint.low = -1;
  joint.high = 1;
  const int foot = builder.addSolid("foot", Shape::box({0.3, 0.3, 0.05}), 1000, {{0, 0, 0.05}, Quaternion::Identity()}, 0.8);
  const int mast = builder.addSolid("mast", Shape::box({0.05, 0.05, 0.3}), 1000, {{0, 0, 0.42}, Quaternion::Identity()}, 0.8);
  builder.addJoints(foot, mast, {0, 0, -0.3}, {joint});
  Body carriage;
  carriage.kind = BodyKind::Kinematic;
  carriage.X_WB.position = {0, 5, 2};
  const int base = builder.addBody(carriage);
  const int arm = builder.addSolid("arm", Shape::box({0.05, 0.05, 0.3}), 1000, {{0, 5, 1.65}, Quaternion::Identity()}, 0.8);
  builder.addJoints(base, arm, {0, 0, 0.35}, {joint});
  Actuator servo;
  servo.gain = 500;
  servo.bias = {0, -500, -20};
  builder.addActuator(servo);
  const auto script = [&](Simulation& simulation, const Steps& steps) {
    steps(300, 0.01);
    const WorldState rest = simulation.state();
    simulation.setControl(0, 0.1);
    steps(300, 0.01);
    simulation.applyForce(arm, {1, 0, 0}, Vector3::Zero());
    steps(300, 0.01);
    simulation.applyForce(arm, Vector3::Zero(), Vector3::Zero());
    steps(300, 0.005);
    simulation.setVelocity(base, {0.3, 0, 0}, Vector3::Zero());
    steps(20, 0.01);
    simulation.setVelocity(base, Vector3::Zero(), Vector3::Zero());
    steps(300, 0.01);
    simulation.setState(rest);
    steps(20, 0.01);
  };
  expectRepetitions(builder.build(), script, 100, 100);
}

}  // namespace
}  // namespace stiction
