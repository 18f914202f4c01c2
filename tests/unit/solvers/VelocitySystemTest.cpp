// Delassus blocks of a coupled mass matrix against dense algebra.
#include "solvers/VelocitySystem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

#include "unit/solvers/TangleProblem.hpp"
#include "unit/solvers/TreeProblem.hpp"

namespace stiction {
namespace {

TEST(VelocitySystem, DelassusBlocksOfCoupledMasses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Tree tree{seed};
    VelocitySystem system;
    BlockColumns& columns = tree.problem.H;
    MatrixX H = tree.H;
    for (int repeat = 0; repeat < 4; ++repeat) {  // what a bind leaves behind must not enter the next: the same again, another entry, no tangents
      if (repeat == 2) {
        columns.values[0] += 1;
        H(columns.segments[0].row, 0) += 1;
      } else if (repeat == 3) {
        for (const auto& segment : columns.segments) std::fill_n(columns.values.begin() + segment.offset + segment.size, 2 * segment.size, 0.0);
        for (const int tangent : {1, 2, 4, 5}) H.col(tangent).setZero();
      }
      ASSERT_TRUE(system.bind(tree.problem));
      const MatrixX W = H.transpose() * tree.M.ldlt().solve(H), rows = tree.G.transpose() * tree.M.ldlt().solve(tree.G);
      for (int i = 0; i < 2; ++i) {
        const Matrix3 own = W.block<3, 3>(3 * i, 3 * i);
        EXPECT_LT((system.delassus(i) - own).norm(), 1e-13 * W.norm()) << "seed " << seed;
        EXPECT_NEAR(system.omega(i), own.trace() / 3, 1e-13 * W.norm());
      }
      EXPECT_NEAR(system.rowOmega(0), rows(0, 0), 1e-13 * rows.norm());
    }
  }
}

TEST(VelocitySystem, DelassusBlocksOfCoupledMassesWithColumnsOfTheirOwn) {
  for (std::uint64_t seed = 21; seed <= 40; ++seed) {
    Tree tree{seed};
    BlockColumns velocityColumns{3};
    const MatrixX V = tree.add(velocityColumns, {{0, 1}, {2, 0}}), W = V.transpose() * tree.M.ldlt().solve(tree.H);
    VelocitySystem system;
    ASSERT_TRUE(system.bind(tree.problem, &velocityColumns));
    for (int i = 0; i < 2; ++i) EXPECT_LT((system.delassus(i) - W.block<3, 3>(3 * i, 3 * i)).norm(), 1e-13 * W.norm()) << "seed " << seed;
  }
}

TEST(VelocitySystem, SolvesNearAFactorAsWithAFactorOfItsOwn) {
  constexpr int changed = 4;
  testing_random::Random random{7};
  const ContactProblem problem = tangle();
  VelocitySystem system;
  ASSERT_TRUE(system.bind(problem));
  std::vector<Matrix3> D(static_cast<std::size_t>(problem.contacts()));
  for (Matrix3& block : D) {
    const MatrixX root = randomMatrix(random, 3, 3);
    block = root * root.transpose();
  }
  const VectorX rho(0), load = randomMatrix(random, problem.dof(), 1);
  ASSERT_TRUE(system.factorSymmetric(D, rho));
  std::vector<Matrix3> near = D, far = D;
  for (int i = 0; i < changed; ++i) near[static_cast<std::size_t>(i * 700)].setZero();
  near[1](0, 1) += 0.2;  // as slipping makes it
  VectorX x = load, exact = load, kept = load;
  const long factored = system.factored();
  ASSERT_TRUE(system.solveNear(near, rho, x, 1e-7, 0.25));
  for (std::size_t i = 0; i < far.size(); ++i) far[i] *= i % 2 == 0 ? 1e4 : 1e-4;
  EXPECT_FALSE(system.solveNear(far, rho, kept, 1e-7, 0.25));
  EXPECT_EQ(kept, load);
  EXPECT_EQ(system.factored(), factored);
  ASSERT_TRUE(system.factorGeneral(near, rho));
  system.solve(exact);
  EXPECT_LT((x - exact).norm(), 1e-6 * exact.norm());
}

}  // namespace
}  // namespace stiction
