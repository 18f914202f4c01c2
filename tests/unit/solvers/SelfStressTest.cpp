// Three balls in a row on the floor, which push each other sideways: five contacts that stick ask for velocities that no motion gives, and impulses that move nothing shift without end.
#include "solvers/SelfStress.hpp"

#include <gtest/gtest.h>

#include "solvers/Solver.hpp"
#include "unit/solvers/ContactSide.hpp"

namespace stiction {
namespace {

constexpr double friction = 0.5;
constexpr int floors = 3;  // contacts 0, 1, 2 on the floor, 3 and 4 between balls

/// Balls of 1 kg and 1 m, centres at x = 0, 2, 4 m; a step's weight of 0.1 N s, the outer ones pushed inwards by 0.02 N s; neighbours are to part at `parting` [m/s].
ContactProblem ballsInARow(double parting) {
  ContactProblem p;
  Eigen::Matrix<double, 6, 6> mass = Eigen::Matrix<double, 6, 6>::Identity();
  mass.bottomRightCorner<3, 3>() *= 0.4;
  p.f.setZero(18);
  for (int b = 0; b < 3; ++b) {
    p.M.addBlock(mass.data(), 6);
    p.f[6 * b + 2] = -0.1;
  }
  p.f[0] = 0.02, p.f[12] = -0.02;
  Matrix3 up, along;
  up << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  along << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  for (int b = 0; b < floors; ++b) {
    addContactSide(p.H, b, {0, 0, -1}, up, 1);
    p.H.endGroup();
  }
  for (int b = 0; b < 2; ++b) {
    addContactSide(p.H, b, {1, 0, 0}, along, -1);
    addContactSide(p.H, b + 1, {-1, 0, 0}, along, 1);
    p.H.endGroup();
  }
  p.mu.setConstant(5, friction);
  p.w.setZero(15);
  p.w[9] = p.w[12] = -parting;
  p.wScale.setZero(15);
  return p;
}

/// What balances weight and push: every contact sticks.
VectorX stuckImpulses() {
  VectorX r = VectorX::Zero(15);
  for (int i = 0; i < 5; ++i) r[3 * i] = i < floors ? 0.1 : 0.02;
  return r;
}

/// The one state of self-stress, by the balance of forces and torques: the balls press each other and rise on each other's sides, the middle one is held down.
VectorX selfStress() {
  VectorX r = VectorX::Zero(15);
  r[0] = 1, r[1] = 1;
  r[3] = -2;
  r[6] = 1, r[7] = -1;
  r[9] = 1, r[11] = 1;
  r[12] = 1, r[14] = -1;
  return r;
}

TEST(SelfStress, ShiftsImpulsesThatMoveNothingToTheFirstBorder) {
  const ContactProblem problem = ballsInARow(1e-6);
  VelocitySystem system;
  ASSERT_TRUE(system.bind(problem));
  VectorX nothing = VectorX::Zero(18);
  multiplyAdd(problem.H, selfStress(), nothing);
  ASSERT_EQ(nothing.norm(), 0);
  VectorX r = stuckImpulses();
  ASSERT_EQ(SelfStress{}.release(system, -1e-6 * selfStress(), 0, r), 1);
  // between balls s = μ (0.02 + s) at s = 0.02; the middle one opens at 0.05, the floor's rims are reached at 0.1
  EXPECT_LT((r - stuckImpulses() - 0.02 * selfStress()).norm(), 1e-9);
}

TEST(SelfStress, LeavesWhatFitsAlone) {
  const ContactProblem problem = ballsInARow(0);
  VelocitySystem system;
  ASSERT_TRUE(system.bind(problem));
  VectorX r = stuckImpulses(), u = VectorX::Zero(15);
  const VectorX before = r;
  EXPECT_EQ(SelfStress{}.release(system, u, 0, r), 0);
  // all balls rise: a misfit that impulses on the floor answer
  for (int i = 0; i < floors; ++i) u[3 * i] = 1e-6;
  EXPECT_EQ(SelfStress{}.release(system, u, 0, r), 0);
  EXPECT_EQ(r, before);
}

TEST(SelfStress, NewtonGoesThereAtOnce) {
  const ContactProblem problem = ballsInARow(1e-7);  // so little that impulses would shift for a long time
  const std::unique_ptr<Solver> newton = makeSolver("newton");
  Iterate iterate;
  iterate.v = VectorX::Zero(18), iterate.r = stuckImpulses(), iterate.lambda = VectorX::Zero(0);
  SolveOptions options;
  options.warm = true;
  const SolveReport report = newton->solve(problem, iterate, options);
  EXPECT_LE(report.factorisations, 6);
  EXPECT_LT(report.residual, 1e-10);
}

}  // namespace
}  // namespace stiction
