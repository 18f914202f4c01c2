// The ledger's lines close for any impulses, strict or not: the identities hold before any law does.
#include "diagnostics/Account.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stiction {
namespace {

Model oneBody() {
  ModelBuilder builder;
  Body body;
  body.mass = 3;
  body.I_C = Vector3{0.1, 0.2, 0.25}.asDiagonal();
  builder.addBody(body);
  return builder.build();
}

TEST(Account, LinesOfAVelocitySolveClose) {
  const Model model = oneBody();
  const std::vector<BodyInertia> inertias = bodyInertias(model);
  std::mt19937 random{5};
  std::normal_distribution<double> normal;
  const auto vector = [&](int n) { return VectorX{VectorX::NullaryExpr(n, [&] { return normal(random); })}; };
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Quaternion R = Quaternion{normal(random), normal(random), normal(random), normal(random)}.normalized();
    const double h = 0.01;
    BlockColumns H{3};
    const VectorX values = vector(36);
    for (int c = 0; c < 2; ++c) {
      H.addSegment(0, 0, 6, values.data() + 18 * c);
      H.endGroup();
    }
    const VectorX before = vector(6), r = vector(6), surface = vector(6);
    const Vector3 travel = vector(3);
    const Loads loads{{Vector3::Zero(), vector(3)}, {Vector3::Zero(), vector(3)}, {}};
    VectorX impulse = VectorX::Zero(6);
    multiplyAdd(H, r, impulse);
    impulse.head<3>() += h * (inertias[1].mass * model.gravity + loads.force[1]);
    impulse.tail<3>() += h * loads.torque[1];
    VectorX after = before;
    after.head<3>() += inertias[1].inverseMass * impulse.head<3>();
    after.tail<3>() += toWorld(inertias[1].inverse, R) * impulse.tail<3>();

    EnergyLedger ledger;
    AccountScratch scratch;
    accountContacts(H, surface, r, before, after, scratch, ledger);
    accountForces(model, inertias[1], loads, 1, {before.head<3>(), before.tail<3>()}, {after.head<3>(), after.tail<3>()}, travel, h, ledger);
    ledger.potentialChange = potentialChange(model, inertias[1], 1, h * travel);
    ledger.kineticStart = kineticEnergy(inertias[1], R, before.head<3>(), before.tail<3>());
    ledger.kineticEnd = kineticEnergy(inertias[1], R, after.head<3>(), after.tail<3>());
    setScale(model, inertias, ledger);
    EXPECT_LE(std::abs(ledger.closureRelative()), 1e-14);
    EXPECT_GE(ledger.scale, 3 * 9.81);

    const double loss = impactLoss(H, surface, r, before, after, scratch);
    EXPECT_NEAR(
        loss,
        ledger.friction + ledger.impact +
            [&] {
              double scheme = 0;
              for (int i = 0; i < 6; i += 3)
                scheme += -0.5 * r[i] * std::max(scratch.before[i], 0.0) +
                          0.5 * r.segment<2>(i + 1).dot(scratch.after.segment<2>(i + 1) - scratch.before.segment<2>(i + 1));
              return scheme;
            }(),
        1e-12 * ledger.scale);
  }
}

TEST(Account, MomentumOfAMovingBody) {
  const Model model = oneBody();
  WorldState state = makeState(model);
  state.position[1] = {1, 0, 0};
  state.velocity[1] = {0, 2, 0};
  state.angularVelocity[1] = {0, 0, 4};
  const Momentum m = momentum(model, bodyInertias(model), state);
  EXPECT_DOUBLE_EQ(m.kinetic, 0.5 * 3 * 4 + 0.5 * 0.25 * 16);
  EXPECT_EQ(m.linear, Vector3(0, 6, 0));
  EXPECT_LE((m.angular - Vector3{0, 0, 6 + 1}).norm(), 1e-15);
}

TEST(Account, LinesAdd) {
  EnergyLedger a, sum;
  a.friction = 1;
  a.stabilisation = 2;
  a.kineticStart = 5;
  addLines(a, sum);
  addLines(a, sum);
  EXPECT_EQ(sum.friction, 2);
  EXPECT_EQ(sum.stabilisation, 4);
  EXPECT_EQ(sum.kineticStart, 0);
}

}  // namespace
}  // namespace stiction
