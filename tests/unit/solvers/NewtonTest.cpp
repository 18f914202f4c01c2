// Newton's first step from the answer under another load.
#include <gtest/gtest.h>

#include "solvers/Solver.hpp"

namespace stiction {
namespace {

TEST(Newton, LeavesContactsWithoutFrictionFreeUnderANewLoad) {
  // A point that is heavier along z, on a slope whose normal is (0.6, 0, 0.8): what holds it along the slope would change the normal impulse.
  const Vector3 mass{1, 1, 4}, normal{0.6, 0, 0.8}, load{0, 0, -1};
  ContactProblem problem;
  const Matrix3 M = mass.asDiagonal();
  problem.M.addBlock(M.data(), 3);
  Matrix3 frame;
  frame << normal, Vector3{-0.8, 0, 0.6}, Vector3{0, 1, 0};
  problem.H.addSegment(0, 0, 3, frame.data());
  problem.H.endGroup();
  problem.f = load;
  problem.w = problem.wScale = VectorX::Zero(3);
  problem.mu = VectorX::Zero(1);
  const double impulse = -normal.dot(load.cwiseQuotient(mass)) / normal.dot(normal.cwiseQuotient(mass));
  Iterate iterate;
  iterate.v = VectorX::Zero(3), iterate.r = Vector3{0.5 * impulse, 0, 0}, iterate.lambda = VectorX::Zero(0);
  SolveOptions options;
  options.warm = true;
  options.maxIterations = 1;
  makeSolver("newton")->solve(problem, iterate, options);
  EXPECT_NEAR(iterate.r[0], impulse, 1e-3 * impulse);
}

/// A point of 1 kg that was pressed by 1 N s and pulled along by 0.5, which its friction took; now pressed by a hundredth more. The old impulses let it sink faster than it slides with `speed` [m/s].
struct Slider {
  explicit Slider(double speed) {
    const Matrix3 M = Matrix3::Identity();
    problem.M.addBlock(M.data(), 3);
    problem.H.addSegment(0, 0, 3, M.data());
    problem.H.endGroup();
    problem.f = Vector3{-1.01, speed + 0.5, 0};
    problem.w = problem.wScale = VectorX::Zero(3);
    problem.mu = VectorX::Constant(1, 0.5);
    iterate.v = VectorX::Zero(3), iterate.r = Vector3{1, -0.5, 0}, iterate.lambda = VectorX::Zero(0);
    options.warm = true;
    options.states = &states;
  }
  ContactProblem problem;
  Iterate iterate;
  std::vector<ContactState> states{ContactState::Slip};
  SolveOptions options;
};

TEST(Newton, GoesOnSlippingAsTheLastAnswerDid) {
  Slider slider{0.006};
  slider.options.maxIterations = 1;
  makeSolver("newton")->solve(slider.problem, slider.iterate, slider.options);
  EXPECT_LT((slider.iterate.r - Vector3{1.01, -0.505, 0}).norm(), 1e-4);
  EXPECT_NEAR(slider.iterate.v[1], 0.001, 1e-4);
}

TEST(Newton, LooksAgainWhereWhatSlippedStops) {
  for (const double speed : {0.004, -0.003}) {
    Slider slider{speed};
    slider.options.maxIterations = 12;
    slider.options.patience = 3;
    EXPECT_EQ(makeSolver("newton")->solve(slider.problem, slider.iterate, slider.options).status, SolveStatus::Converged) << speed;
    EXPECT_LT((slider.iterate.r - Vector3{1.01, -0.5 - speed, 0}).norm(), 1e-9) << speed;
    EXPECT_LT(slider.iterate.v.norm(), 1e-9) << speed;
  }
}

TEST(Newton, LeavesTheStartWhereEveryResidualOverflows) {
  ContactProblem problem;
  const Matrix3 M = Matrix3::Identity();
  problem.M.addBlock(M.data(), 3);
  Matrix3 frame = Matrix3::Identity();
  frame(1, 1) = 1e159;
  problem.H.addSegment(0, 0, 3, frame.data());
  problem.H.endGroup();
  problem.f = Vector3{-1, 0, 0};
  problem.w = problem.wScale = VectorX::Zero(3);
  problem.mu = VectorX::Ones(1);
  const std::unique_ptr<Solver> newton = makeSolver("newton");
  Iterate iterate;
  const SolveReport report = newton->solve(problem, iterate, {});
  EXPECT_NE(report.status, SolveStatus::Converged);
  EXPECT_TRUE(iterate.r.isZero(0));
  EXPECT_TRUE(iterate.v.isZero(0));
}

TEST(Newton, EndsWithOneFactorWhereNoContactChangesItsState) {
  // A column of points, one on the other: the load at the top is borne by all contacts, a direction that contracts by a tenth a step at most.
  constexpr int points = 12;
  const Matrix3 mass = Matrix3::Identity(), up = Matrix3::Identity(), down = -up;
  ContactProblem problem;
  for (int i = 0; i < points; ++i) {
    problem.M.addBlock(mass.data(), 3);
    if (i > 0) problem.H.addSegment(i - 1, 3 * (i - 1), 3, down.data());
    problem.H.addSegment(i, 3 * i, 3, up.data());
    problem.H.endGroup();
  }
  problem.f = VectorX::Zero(3 * points);
  for (int i = 0; i < points; ++i) problem.f[3 * i] = -1;
  problem.w = problem.wScale = VectorX::Zero(3 * points);
  problem.mu = VectorX::Zero(points);
  Iterate iterate;
  iterate.r = VectorX::Zero(3 * points), iterate.v = VectorX::Zero(3 * points), iterate.lambda = VectorX::Zero(0);
  for (int i = 0; i < points; ++i) iterate.r[3 * i] = points - i - 1e-5;  // of a load less by that much at the top
  SolveOptions options;
  options.warm = true;
  const SolveReport report = makeSolver("newton")->solve(problem, iterate, options);
  EXPECT_LE(report.residual, options.polish);
  EXPECT_EQ(report.factorisations, 1) << report.iterations << " steps";
  for (int i = 0; i < points; ++i) EXPECT_NEAR(iterate.r[3 * i], points - i, 1e-10);
}

}  // namespace
}  // namespace stiction
