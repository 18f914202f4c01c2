// The face of the simulation: what it refuses, what it reports, and what it keeps when a step fails.
#include "integrate/Simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "SphereBlock.hpp"
#include "base/Error.hpp"

namespace stiction {
namespace {

ModelBuilder ground(double friction) {
  ModelBuilder builder;
  Geom floor;
  floor.name = "floor";
  floor.shape = Shape::plane();
  floor.friction = friction;
  builder.addGeom(floor, Pose{});
  return builder;
}

Simulation boxOnGround(const SimulationOptions& options = {}) {
  ModelBuilder builder = ground(0.5);
  builder.addSolid("box", Shape::box({0.5, 0.5, 0.5}), 10, {{0, 0, 0.5}, Quaternion::Identity()}, 0.5);
  return {builder.build(), options};
}

/// A tolerance that nothing meets, and so many halvings before a step is taken all the same.
SimulationOptions hopeless(int maxHalvings) {
  SimulationOptions options;
  options.tolerance = 1e-300;
  options.maxHalvings = maxHalvings;
  options.keepGoing = true;
  return options;
}

Simulation slidingBox(const SimulationOptions& options) {
  ModelBuilder builder = ground(0.5);
  builder.body(builder.addSolid("box", Shape::box({0.5, 0.4, 0.3}), 10, {{0, 0, 0.3}, Quaternion{Eigen::AngleAxisd{0.3, Vector3::UnitZ()}}}, 0.5)).velocity = {
      3, 1, 0};
  return {builder.build(), options};
}

TEST(Simulation, RefusesBadInputByName) {
  Simulation simulation = boxOnGround();
  for (const double h : {0.0, -0.01, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(simulation.step(h), InputError);
  EXPECT_THROW(simulation.applyForce(5, Vector3::Zero(), Vector3::Zero()), InputError);
  EXPECT_THROW(simulation.applyForce(1, Vector3::Constant(NAN), Vector3::Zero()), InputError);
  EXPECT_THROW(simulation.setVelocity(0, Vector3::UnitX(), Vector3::Zero()), InputError);
  EXPECT_THROW(simulation.setState(WorldState{}), InputError);
  WorldState bent = simulation.state();
  bent.rotation[1].coeffs() *= 1.1;
  EXPECT_THROW(simulation.setState(bent), InputError);
  SimulationOptions options;
  options.solver = "no such solver";
  EXPECT_THROW(boxOnGround(options), InputError);
  options = {};
  options.tolerance = 0;
  EXPECT_THROW(boxOnGround(options), InputError);
}

TEST(Simulation, ReportsTheStep) {
  Simulation simulation = boxOnGround();
  const StepReport& report = simulation.step(0.01);
  EXPECT_EQ(report.status, StepStatus::Certified);
  EXPECT_TRUE(report.reason.empty());
  EXPECT_EQ(report.contacts, 4);
  EXPECT_EQ(report.islands, 1);
  EXPECT_EQ(report.substeps, 1);
  EXPECT_EQ(report.worstContact.geomB, 1);
  EXPECT_DOUBLE_EQ(report.certificate.scale, 0.01 * 9.81);
  EXPECT_EQ(simulation.state().time, 0.01);
  EXPECT_EQ(simulation.state().stepCount, 1);
  ASSERT_EQ(simulation.contacts().size(), 4u);
  Vector3 sum = Vector3::Zero();
  for (const SolvedContact& contact : simulation.contacts()) {
    EXPECT_EQ(contact.state, 1);
    sum += contact.impulse;
  }
  EXPECT_LE((sum - Vector3{0, 0, 10 * 9.81 * 0.01}).norm(), 1e-12);
  EXPECT_EQ(simulation.state().contacts.size(), 4u);
}

TEST(Simulation, RollsBackAStepThatIsNotFinite) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  Body body;
  body.mass = 1e-300;
  body.I_C = Matrix3::Identity();
  builder.addBody(body);
  Simulation simulation{builder.build(), {}};
  simulation.applyForce(1, {1e200, 0, 0}, Vector3::Zero());
  const std::uint64_t before = hash(simulation.state());
  const StepReport& report = simulation.step(0.01);
  EXPECT_EQ(report.status, StepStatus::NonFinite);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_EQ(hash(simulation.state()), before);
  EXPECT_EQ(simulation.state().time, 0.0);
}

TEST(Simulation, KeepsGoingWhenAsked) {
  Simulation simulation = slidingBox(hopeless(0));
  const StepReport& report = simulation.step(0.01);
  EXPECT_EQ(report.status, StepStatus::NotCertified);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_EQ(simulation.state().stepCount, 1);
  EXPECT_NEAR(simulation.state().velocity[1].norm(), std::sqrt(10.0) - 0.5 * 9.81 * 0.01, 1e-9);
}

TEST(Simulation, KeepsTheHardestProblem) {
  SimulationOptions options;
  EXPECT_EQ(boxOnGround(options).hardestProblem(), nullptr);
  options.keepHardest = true;
  ModelBuilder builder = ground(0.3);
  builder.body(builder.addSolid("box", Shape::box({0.5, 0.4, 0.3}), 10, {{0, 0, 0.3}, Quaternion::Identity()}, 0.3)).velocity = {3, 1, 0};
  Simulation simulation{builder.build(), options};
  double worst = -1;
  for (int i = 0; i < 50; ++i) worst = std::max(worst, simulation.step(0.01).certificate.relative);
  ASSERT_NE(simulation.hardestProblem(), nullptr);
  EXPECT_EQ(simulation.hardestCertificate(), worst);
  EXPECT_EQ(certify(*simulation.hardestProblem(), *simulation.hardestIterate()).relative, worst);
}

TEST(Simulation, SetVelocityDrivesAKinematicBody) {
  ModelBuilder builder;
  Body body;
  body.kind = BodyKind::Kinematic;
  builder.addBody(body);
  Simulation simulation{builder.build(), {}};
  simulation.setVelocity(1, {1, 0, 0}, {0, 0, 0.5});
  for (int i = 0; i < 10; ++i) simulation.step(0.1);
  EXPECT_NEAR(simulation.state().position[1].x(), 1.0, 1e-14);
  EXPECT_NEAR(simulation.state().rotation[1].angularDistance(Quaternion{Eigen::AngleAxisd{0.5, Vector3::UnitZ()}}), 0.0, 1e-14);
}

ModelBuilder ballBetweenJaws(double friction, double tilt, double restitution = 0) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  builder.addSolid("ball", Shape::sphere(0.1), 1000, {}, friction);
  for (const double side : {-1.0, 1.0}) {
    const Quaternion turn{Eigen::AngleAxisd{-side * tilt, Vector3::UnitY()}};
    Body jaw;
    jaw.kind = BodyKind::Kinematic;
    jaw.X_WB = {turn * Vector3{side * 0.2, 0, 0}, turn};
    jaw.velocity = {-side * 0.5, 0, 0};
    Geom geom;
    geom.name = side < 0 ? "left" : "right";
    geom.shape = Shape::box({0.1, 1, 1});
    geom.friction = friction;
    geom.restitution = restitution;
    geom.body = builder.addBody(jaw);
    builder.addGeom(geom, {});
  }
  return builder;
}

// Driven jaws that close on a ball leave it no motion: the step is refused at once, and says so.
TEST(Simulation, SaysThatDrivenBodiesSqueeze) {
  for (const auto& [friction, restitution] : {std::pair{0.0, 0.0}, {0.5, 0.0}, {2.0, 0.0}, {0.5, 0.8}}) {
    Simulation simulation{ballBetweenJaws(friction, 0, restitution).build(), {}};
    const StepReport& report = simulation.step(0.01);
    EXPECT_EQ(report.status, StepStatus::NotCertified);
    EXPECT_EQ(report.reason.find("no motion satisfies the contacts"), 0u) << report.reason;
    EXPECT_NE(report.reason.find("geom 'left'"), std::string::npos) << report.reason;
    EXPECT_EQ(report.reason.find("halvings"), std::string::npos) << report.reason;
    EXPECT_EQ(simulation.state().stepCount, 0);
  }
}

// The law multiplies what rounding leaves of a sliding speed by mu: at 1e9 no ball that is thrown askew can be certified to 1e-8, and at 1e3, which lets nothing slide either, it is.
TEST(Simulation, SaysWhereFrictionDrownsTheDigits) {
  const auto thrown = [](double friction) {
    ModelBuilder builder = ground(friction);
    Body& ball = builder.body(builder.addSolid("ball", Shape::sphere(0.1), 1000, {{0, 0, 0.1005}, Quaternion::Identity()}, friction));
    ball.velocity = {1.3, 0.7, -2.1};
    ball.angularVelocity = {0.4, 3.1, -1.7};
    Simulation simulation{builder.build(), {}};
    std::string reason;
    for (int i = 0; i < 20 && reason.empty(); ++i) reason = simulation.step(0.01).reason;
    return reason;
  };
  EXPECT_EQ(thrown(1e3), "");
  EXPECT_NE(thrown(1e9).find("; friction 1e+09 of geom "), std::string::npos) << thrown(1e9);
}

// Between jaws that open downwards a ball without friction escapes: u_n = 0 at both, so it leaves at 0.5 m/s / tan(tilt).
TEST(Simulation, AWedgeThrowsTheBallOut) {
  const double tilt = 0.2;
  Simulation simulation{ballBetweenJaws(0, tilt).build(), {}};
  EXPECT_EQ(simulation.step(1e-4).status, StepStatus::Certified);
  EXPECT_NEAR(simulation.state().velocity[1].norm(), 0.5 / std::tan(tilt), 1e-9);
}

/// A fast ball, `aside` [m] of the line through a resting one that it strikes, before a thin wall.
ModelBuilder strike(double aside) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  builder.addSolid("fast", Shape::sphere(0.1), 1000, {{-1, aside, 0}, Quaternion::Identity()}, 0.5);
  builder.addSolid("struck", Shape::sphere(0.1), 10, {{0, 0, 0}, Quaternion::Identity()}, 0.5);
  Geom wall;
  wall.shape = Shape::box({0.01, 1, 1});
  builder.addGeom(wall, {{0.5, 0, 0}, Quaternion::Identity()});
  builder.body(1).velocity = {100, 0, 0};
  return builder;
}

// The struck ball would pass through the wall within the same step: its reach follows from the speed it gets.
TEST(Simulation, StruckBodyDoesNotTunnel) {
  Simulation simulation{strike(0).build(), {}};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(simulation.step(0.02).status, StepStatus::Certified);
    EXPECT_LE(simulation.state().position[2].x(), 0.5 - 0.01 - 0.1 + 1e-6);
    EXPECT_LE(simulation.state().position[1].x(), simulation.state().position[2].x() - 0.2 + 1e-6);
  }
}

// Nor where the step is not certified, and halved.
TEST(Simulation, StruckBodyDoesNotTunnelUncertified) {
  Simulation simulation{strike(0.01).build(), hopeless(8)};
  int certified = 0;
  for (int i = 0; i < 20; ++i) {
    certified += simulation.step(0.02).status == StepStatus::Certified ? 1 : 0;
    EXPECT_LE(simulation.state().position[1].x(), 0.5 - 0.01 - 0.1 + 1e-6);
    EXPECT_LE(simulation.state().position[2].x(), 0.5 - 0.01 - 0.1 + 1e-6);
    EXPECT_GE((simulation.state().position[2] - simulation.state().position[1]).norm(), 0.2 - 1e-6);
  }
  EXPECT_LT(certified, 20);
}

// A step that is not certified is halved, and halved again, with all of it in the report of the last trial and none of the ones before.
TEST(Simulation, HalvesWhatItCannotCertify) {
  Simulation simulation = slidingBox(hopeless(2));
  const StepReport& report = simulation.step(0.01);
  EXPECT_EQ(report.status, StepStatus::NotCertified);
  EXPECT_EQ(report.substeps, 4);
  EXPECT_NE(report.reason.find("after 2 halvings"), std::string::npos) << report.reason;
  // Implicit Euler in four parts: the speed falls by μ g h/4 in each, and the place follows the speed after it.
  const double start = std::sqrt(10.0), fall = 0.5 * 9.81 * 0.01 / 4;
  EXPECT_NEAR(simulation.state().velocity[1].norm(), start - 4 * fall, 1e-9);
  EXPECT_NEAR(simulation.state().position[1].head<2>().norm(), 0.0025 * (4 * start - 10 * fall), 1e-9);
}

// At rest, where the best answer ends on the bits that it started from: it is no step that could be repeated.
TEST(Simulation, HalvesWhatItCannotCertifyAtRest) {
  ModelBuilder builder = ground(0.5);
  const Quaternion turn{Eigen::AngleAxisd{0.3, Vector3::UnitZ()}};
  for (int i = 0; i < 3; ++i) builder.addSolid("box" + std::to_string(i), Shape::box({0.5, 0.4, 0.3}), 10, {{0.1 * i, 0, 0.3 + 0.6 * i}, turn}, 0.5);
  Simulation simulation{builder.build(), hopeless(2)};
  int uncertified = 0;
  for (int i = 0; i < 5; ++i) uncertified += simulation.step(0.01).status == StepStatus::NotCertified ? 1 : 0;
  EXPECT_GT(uncertified, 0);
  EXPECT_EQ(simulation.state().stepCount, 5);
  EXPECT_NEAR(simulation.state().position[3].z(), 1.5, 1e-9);
}

// Without time for anything a step that may stand uncertified ends on what sweeps come to, not on no impulses at all: three boxes that fall by a centimetre land, and stand. Whatever the method.
TEST(Simulation, GivesUpOnAnAnswerThatHoldsBodies) {
  ModelBuilder builder = ground(0.5);
  for (int i = 0; i < 3; ++i)
    builder.addSolid("box" + std::to_string(i), Shape::box({0.5, 0.4, 0.3}), 10, {{0.1 * i, 0, 0.31 + 0.6 * i}, Quaternion::Identity()}, 0.5);
  const Model model = builder.build();
  SimulationOptions options;
  options.keepGoing = true;
  options.stepLimit = 1e-9;
  for (const auto& [solver, law] : {std::pair{"auto", Law::Coulomb}, {"newton", Law::Coulomb}, {"auto", Law::Box}, {"auto", Law::Convex}}) {
    SCOPED_TRACE(std::string{solver} + ", " + name(law));
    options.solver = solver;
    options.law = law;
    Simulation simulation{model, options};
    int givenUp = 0;
    for (int i = 0; i < 60; ++i) {
      const StepReport& report = simulation.step(1.0 / 60);
      givenUp += report.reason.starts_with("given up") ? 1 : 0;
      EXPECT_LT(report.penetration, 1e-3);
    }
    EXPECT_GT(givenUp, 0);
    for (int i = 0; i < 3; ++i) {
      const auto body = static_cast<std::size_t>(i + 1);
      EXPECT_LT((simulation.state().position[body] - Vector3{0.1 * i, 0, 0.3 + 0.6 * i}).norm(), 1e-3);
      EXPECT_LT(simulation.state().velocity[body].norm(), 1e-3);
    }
  }
}

// A pushed body that leaves its start velocity far behind within one step.
TEST(Simulation, PushedBodyDoesNotTunnel) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  builder.addSolid("ball", Shape::sphere(0.1), 10, Pose{}, 0.5);
  Geom wall;
  wall.shape = Shape::box({0.01, 1, 1});
  builder.addGeom(wall, {{0.5, 0, 0}, Quaternion::Identity()});
  Simulation simulation{builder.build(), {}};
  simulation.applyForce(1, {1e4, 0, 0}, Vector3::Zero());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(simulation.step(0.02).status, StepStatus::Certified);
    EXPECT_LE(simulation.state().position[1].x(), 0.39 + 1e-6);
  }
}

// The hardest step of a heap in motion: what `auto` leaves when it may only look near a warm start, the central path certifies alone and cold.
TEST(Simulation, TheHardestStepOfAHeapIsSolvedByTheCentralPathAlone) {
  SimulationOptions options;
  options.keepHardest = true;
  Simulation simulation{sphereBlock(), options};
  for (int k = 0; k < 4; ++k) ASSERT_EQ(simulation.step(1.0 / 60).status, StepStatus::Certified);
  ASSERT_NE(simulation.hardestProblem(), nullptr);
  SolveOptions near;
  near.effort = Effort::Near;
  Iterate answer;
  EXPECT_FALSE(Portfolio{}.solve(*simulation.hardestProblem(), answer, near).certified);
  answer = {};
  EXPECT_TRUE(Portfolio{"centralpath"}.solve(*simulation.hardestProblem(), answer, {}).certified);
}

}  // namespace
}  // namespace stiction
