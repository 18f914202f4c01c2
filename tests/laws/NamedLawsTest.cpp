// The laws that are not Coulomb's, run on purpose (SimulationOptions::law): what they do to a sliding block, against their own discrete laws.
#include "Scenes.hpp"

namespace stiction::laws {
namespace {

/// A block that cannot turn, on level ground, at `velocity`.
Simulation slidingBlock(Law law, double friction, const Vector3& velocity) {
  ModelBuilder builder;
  addPlane(builder, friction);
  Part block = solid(Shape::box({0.2, 0.2, 0.2}), 3, {{0, 0, 0.2}, Quaternion::Identity()}, friction);
  block.body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
  block.body.velocity = velocity;
  add(builder, block);
  SimulationOptions options;
  options.law = law;
  options.tolerance = 1e-12;
  return {builder.build(), options};
}

TEST(NamedLaws, TheRelaxationThrowsASlidingBlockUpAtMuTimesItsSpeed) {
  constexpr double mu = 0.5, h = 1.0 / 240;
  Simulation strict = slidingBlock(Law::Coulomb, mu, {5, 0, 0}), relaxed = slidingBlock(Law::Convex, mu, {5, 0, 0});
  double v = 5, gap = 0, rise = 0, highest = 0, made = 0;
  for (int k = 0; k < 240; ++k) {
    advance(strict, h, 1);
    EXPECT_NEAR(strict.state().position[1].z(), 0.2, 1e-12);
    const StepReport& report = relaxed.step(h);  // its normal impulses do work: the ledger's lines have the wrong sign, and still close
    EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
    EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
    made += std::max(-report.ledger.impact, 0.0);
    // In contact u_n + gap/h = μ v⁺ ,  m (v⁺ − v) = −μ r_n ,  m (u_n − rise) = r_n − m g h;  in flight r_n = 0.
    const double touching = (v + mu * (gap / h + rise - kG * h)) / (1 + mu * mu), push = mu * touching - gap / h - rise + kG * h;
    v -= mu * std::max(push, 0.0);
    const double before = rise;
    rise += std::max(push, 0.0) - kG * h;
    const bool flies = push <= 0 && gap + h * rise > 2 * kG * h * h;  // clear of the ground: a parabola
    gap += h * (flies ? 0.5 * (before + rise) : rise);
    highest = std::max(highest, gap);
    // The throw is right to the tolerance, 5e-12 m/s; a hundred steps of flight later that is a gap of 100 h times as much, and gap / h enters the landing.
    EXPECT_NEAR(relaxed.state().velocity[1].x(), v, 100 * 5e-12) << k;
    EXPECT_NEAR(relaxed.state().position[1].z() - 0.2, gap, 1e-10) << k;
  }
  EXPECT_NEAR(highest, 4 / (2 * kG) + 2 * h, 0.003);  // (μ v)² / 2g with v = 5/(1 + μ²), after the step that throws, at the velocity it ends with
  EXPECT_GT(made, 5.0);                               // ½ m (μ v)² = 6 J
}

TEST(NamedLaws, BoxesStopASlidingBlockByTheirBoundOnEachAxis) {
  constexpr double mu = 0.5, h = 1.0 / 240;
  const double bound = mu * kG * h / std::numbers::sqrt2;  // [m/s] a step and an axis
  Simulation simulation = slidingBlock(Law::Box, mu, {0.3, 0.1, 0});
  Vector2 v{0.3, 0.1};
  for (int k = 0; k < 30; ++k) {
    advance(simulation, h, 1);
    for (int axis = 0; axis < 2; ++axis) v[axis] -= std::clamp(v[axis], -bound, bound);
    EXPECT_LE((simulation.state().velocity[1].head<2>() - v).norm(), 1e-10) << k;
  }
  EXPECT_TRUE(v.isZero(0.0));
}

}  // namespace
}  // namespace stiction::laws
