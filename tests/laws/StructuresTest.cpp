// Structures that friction alone holds up, and one that it does not.
#include "Scenes.hpp"

namespace stiction::laws {
namespace {

constexpr double kStep = 1.0 / 60.0;

double largestShift(const Simulation& simulation, const WorldState& start) {
  double shift = 0;
  for (std::size_t i = 1; i < start.position.size(); ++i) shift = std::max(shift, (simulation.state().position[i] - start.position[i]).norm());
  return shift;
}

TEST(Structures, PyramidStands) {
  constexpr int kRows = 20;
  ModelBuilder builder;
  addPlane(builder, 0.6);
  for (int row = 0; row < kRows; ++row)
    for (int i = 0; i < kRows - row; ++i)
      addBody(builder, Shape::box({0.5, 0.5, 0.5}), 100, {{1.1 * (i - 0.5 * (kRows - row - 1)), 0, 0.5 + row}, Quaternion::Identity()}, 0.6);
  Simulation simulation{builder.build(), {}};
  const WorldState start = simulation.state();
  EXPECT_EQ(start.position.size(), 211u);
  advance(simulation, kStep, 300);
  EXPECT_LE(largestShift(simulation, start), 1e-6);
}

/// A semicircle of equal wedges; `thickness` relative to the mean radius of 5 m.
Simulation arch(double thickness) {
  constexpr int kStones = 25;
  constexpr double kRadius = 5, kDepth = 1, kPi = std::numbers::pi;
  ModelBuilder builder;
  addPlane(builder, 0.7);
  for (int i = 0; i < kStones; ++i) {
    const double middle = kPi * (i + 0.5) / kStones;
    const Vector3 centre{kRadius * std::cos(middle), 0, kRadius * std::sin(middle)};
    std::vector<Vector3> corners;
    for (const double angle : {kPi * i / kStones, kPi * (i + 1) / kStones})
      for (const double radius : {kRadius * (1 - 0.5 * thickness), kRadius * (1 + 0.5 * thickness)})
        for (const double y : {-0.5 * kDepth, 0.5 * kDepth}) corners.push_back(Vector3{radius * std::cos(angle), y, radius * std::sin(angle)} - centre);
    builder.addSolid("", Shape::hull(corners), 2400, {centre, Quaternion::Identity()}, 0.7);
  }
  return {builder.build(), {}};
}

// The least thickness of a semicircular arch that stands is 0.107 (Milankovitch 1907); wedges turn at their edges only, so 25 of them need a little less.
TEST(Structures, ArchesStandAboveTheLeastThickness) {
  constexpr std::size_t kCrown = 13;
  for (const double thickness : {0.20, 0.14, 0.12}) {
    Simulation simulation = arch(thickness);
    const WorldState start = simulation.state();
    advance(simulation, kStep, 600, 1e-8);
    EXPECT_LE((simulation.state().position[kCrown] - start.position[kCrown]).norm(), 1e-5) << "thickness " << thickness;
  }
}

TEST(Structures, ThinArchFalls) {
  constexpr std::size_t kCrown = 13;
  Simulation simulation = arch(0.10);
  const double height = simulation.state().position[kCrown].z();
  double lowest = height;
  for (int i = 0; i < 600 && lowest > height - 1; ++i) {
    ASSERT_EQ(simulation.step(kStep).status, StepStatus::Certified);
    lowest = std::min(lowest, simulation.state().position[kCrown].z());
  }
  EXPECT_LT(lowest, height - 1);
}

TEST(Structures, CardHouseStands) {
  constexpr int kLevels = 3;
  constexpr double kLength = 1, kDepth = 0.7, kThickness = 0.02, kLean = 70;
  const double angle = kLean * std::numbers::pi / 180;
  const double height = kLength * std::sin(angle) + kThickness * std::cos(angle), reach = 0.5 * (kLength * std::cos(angle) + kThickness * std::sin(angle));
  ModelBuilder builder;
  addPlane(builder, 0.6);
  double z = 0;
  for (int level = 0; level < kLevels; ++level) {
    const int tents = kLevels - level;
    const auto ridge = [&](int i) { return 4 * reach * (i - 0.5 * (tents - 1)); };
    for (int i = 0; i < tents; ++i)
      for (const int side : {-1, 1})
        addBody(builder, Shape::box({0.5 * kThickness, 0.5 * kDepth, 0.5 * kLength}), 0.1,
                {{ridge(i) + side * reach, 0, z + 0.5 * height}, turn(-side * (90 - kLean), Vector3::UnitY())}, 0.6);
    z += height;
    for (int i = 0; i + 1 < tents; ++i)
      addBody(builder, Shape::box({2 * reach * 0.999, 0.5 * kDepth, 0.5 * kThickness}), 0.1,
              {{0.5 * (ridge(i) + ridge(i + 1)), 0, z + 0.5 * kThickness}, Quaternion::Identity()}, 0.6);
    z += kThickness;
  }
  Simulation simulation{builder.build(), {}};
  const WorldState start = simulation.state();
  advance(simulation, kStep, 300, 1e-6);
  EXPECT_LE(largestShift(simulation, start), 5e-3);
}

constexpr double kBallRadius = 0.1, kBoxHalf = 0.4;

/// 36 balls above the floor of a box.
Simulation ballsAboveABox(const SimulationOptions& options = {}) {
  ModelBuilder builder;
  addBox(builder, kBoxHalf, kBoxHalf, 0.5);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        builder.addSolid("", Shape::sphere(kBallRadius), 1000,
                         {{0.25 * (i - 1) + 0.01 * ((3 * j + k) % 4), 0.25 * (j - 1) - 0.01 * ((2 * i + k) % 3), 0.15 + 0.25 * k}, Quaternion::Identity()},
                         0.5);
  return {builder.build(), options};
}

// A box of spheres: whatever the shuffle, they stay in and do not overlap.
TEST(Structures, SpheresFallIntoABox) {
  Simulation simulation = ballsAboveABox();
  advance(simulation, kStep, 120, 1e-6);
  for (std::size_t i = 1; i < simulation.state().position.size(); ++i) {
    const Vector3& x = simulation.state().position[i];
    EXPECT_LE(std::max(std::abs(x.x()), std::abs(x.y())), kBoxHalf - kBallRadius + 1e-6);
    EXPECT_GE(x.z(), kBallRadius - 1e-6);
  }
}

// What overlaps after a step is a hundredth of the tolerance at most, of the size of the bodies, and 1e-10 where the tolerance is finer.
TEST(Structures, OverlapsFollowTheTolerance) {
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
    SimulationOptions options;
    options.tolerance = tolerance;
    Simulation simulation = ballsAboveABox(options);
    for (int i = 0; i < 60; ++i) {
      const StepReport& report = simulation.step(kStep);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      ASSERT_LE(report.penetration, std::max(1e-2 * tolerance, 1e-10) * kBallRadius) << "at t = " << simulation.state().time << ", tolerance " << tolerance;
    }
  }
}

}  // namespace
}  // namespace stiction::laws
