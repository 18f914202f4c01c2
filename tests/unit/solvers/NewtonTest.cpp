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

}  // namespace
}  // namespace stiction
