// Where the energy goes: sticking does no work, slip takes −μ r_n ‖u_T‖, nothing is made in a closed system.
#include <random>

#include "Scenes.hpp"
#include "diagnostics/Account.hpp"

namespace stiction::laws {
namespace {

double energyOf(const Simulation& simulation) { return kineticEnergy(simulation.model(), bodyInertias(simulation.model()), simulation.state()); }

TEST(Energy, StickingDoesNoWork) {
  ModelBuilder builder;
  const Quaternion R = turn(20, Vector3::UnitY());
  addPlane(builder, 0.6, R);
  addBody(builder, Shape::box({0.5, 0.5, 0.5}), 10, {R * Vector3{0, 0, 0.5}, R}, 0.6);
  Simulation simulation{builder.build(), {}};
  for (int k = 0; k < 100; ++k) {
    const StepReport& report = advance(simulation, 4e-3, 1);
    EXPECT_EQ(report.ledger.friction, 0.0);
    ASSERT_EQ(simulation.contacts().size(), 4U);
    for (const SolvedContact& solved : simulation.contacts()) {
      EXPECT_EQ(solved.state, 1);
      EXPECT_GT((solved.impulse - solved.contact.normal * solved.contact.normal.dot(solved.impulse)).norm(), 0.0);
      EXPECT_EQ(solved.impulse.dot(solved.slip), 0.0);
    }
  }
}

TEST(Energy, SlipTakesTheNormalImpulseTimesMuTimesTheSpeedAtTheEndOfTheStep) {
  std::mt19937 random{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int scene = 0; scene < 20; ++scene) {
    ModelBuilder builder;
    addPlane(builder, 0.4);
    Part part = solid(Shape::box({0.3, 0.4, 0.1}), 3, {{0, 0, 0.1}, turn(180 * uniform(random), Vector3::UnitZ())}, 0.4);
    part.body.velocity = {3 * uniform(random), 3 * uniform(random), 0};
    part.body.angularVelocity = {0, 0, 4 * uniform(random)};
    add(builder, part);
    SimulationOptions options;
    options.tolerance = 1e-12;
    Simulation simulation{builder.build(), options};
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = advance(simulation, 4e-3, 1);
      double power = 0;
      for (const SolvedContact& solved : simulation.contacts()) {
        const double normal = solved.contact.normal.dot(solved.impulse), taken = -solved.impulse.dot(solved.slip);
        EXPECT_NEAR(taken, solved.contact.friction * normal * solved.slip.norm(), 1e-11) << "scene " << scene << ", step " << k;
        power += taken;
      }
      EXPECT_NEAR(report.ledger.friction, power, 1e-12 * report.ledger.scale);
      EXPECT_GE(power, 0.0);
    }
  }
}

TEST(Energy, AClosedSystemNeverGainsInAHundredThousandSteps) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  addBox(builder, 0.5, 0.5, 0.3);
  Geom lid;
  lid.shape = Shape::plane();
  lid.friction = 0.3;
  lid.restitution = 1;
  builder.addGeom(lid, {Vector3{0, 0, 1}, turn(180, Vector3::UnitX())});
  for (int i = 0; i < 3; ++i) {
    Part part = i < 2 ? solid(Shape::sphere(0.1), 1 + i, {{0.4 * i - 0.2, 0, 0.3}, Quaternion::Identity()}, 0.3, 1)
                      : solid(Shape::box({0.05, 0.1, 0.15}), 2, {{0, 0.2, 0.7}, Quaternion::Identity()}, 0.3, 1);
    part.body.velocity = {1.0 - i, 0.5 * i, -0.7};
    part.body.angularVelocity = {3.0 * i, 1, -2};
    add(builder, part);
  }
  Simulation simulation{builder.build(), {}};
  const double start = energyOf(simulation);
  double energy = start, friction = 0;
  int impacts = 0;
  for (int k = 0; k < 100000; ++k) {
    const StepReport& report = simulation.step(1e-3);
    ASSERT_EQ(report.status, StepStatus::Certified) << report.reason << ", step " << k;
    const double now = energyOf(simulation);
    ASSERT_LE(now, energy + 1e-14 * start) << "step " << k;  // free flight keeps it to round-off
    energy = now;
    impacts += report.impacts;
    friction += report.ledger.friction;
  }
  EXPECT_GT(impacts, 100);
  EXPECT_LT(energy, start);
}

}  // namespace
}  // namespace stiction::laws
