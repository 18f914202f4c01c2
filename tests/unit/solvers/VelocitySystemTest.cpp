// Delassus blocks of a coupled mass matrix against dense algebra.
#include "solvers/VelocitySystem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "oracle/RandomProblems.hpp"
#include "unit/solvers/TangleProblem.hpp"

namespace stiction {
namespace {

MatrixX randomMatrix(testing_random::Random& random, Eigen::Index rows, Eigen::Index columns) {
  return MatrixX::NullaryExpr(rows, columns, [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
}

/// A base and two limbs that know nothing of one another, contacts at the limbs' ends and a row between them.
struct Tree {
  static constexpr int kSizes[] = {6, 4, 5}, kStart[] = {0, 6, 10}, kDof = 15;

  explicit Tree(std::uint64_t seed) : random{seed} {
    M = MatrixX::Zero(kDof, kDof);
    M.leftCols(6) = randomMatrix(random, kDof, 6);
    M.diagonal().setConstant(12);
    M = MatrixX{M.selfadjointView<Eigen::Lower>()};
    for (int k = 0; k < 3; ++k) problem.M.addBlock(MatrixX{M.block(kStart[k], kStart[k], kSizes[k], kSizes[k])}.data(), kSizes[k]);
    for (const int k : {2, 1}) problem.M.addCoupling(k, 0, MatrixX{M.block(kStart[k], 0, kSizes[k], 6)}.data());
    H = add(problem.H, {{0, 1}, {2, 0}});
    G = add(problem.G, {{1, 2}});
    problem.f = randomMatrix(random, kDof, 1);
    problem.w = problem.wScale = VectorX::Zero(6);
    problem.mu = VectorX::Ones(2);
    problem.b = VectorX::Zero(1);
  }

  MatrixX add(BlockColumns& columns, const std::vector<std::vector<int>>& groups) {
    MatrixX dense = MatrixX::Zero(kDof, columns.width * static_cast<Eigen::Index>(groups.size()));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const int k : groups[g]) {
        const MatrixX segment = randomMatrix(random, kSizes[k], columns.width);
        dense.block(kStart[k], columns.width * static_cast<Eigen::Index>(g), kSizes[k], columns.width) = segment;
        columns.addSegment(k, kStart[k], kSizes[k], segment.data());
      }
      columns.endGroup();
    }
    return dense;
  }

  testing_random::Random random;
  ContactProblem problem;
  MatrixX M, H, G;
};

TEST(VelocitySystem, DelassusBlocksOfCoupledMasses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Tree tree{seed};
    VelocitySystem system;
    for (int repeat = 0; repeat < 2; ++repeat) {  // what a bind leaves behind must not enter the next
      ASSERT_TRUE(system.bind(tree.problem));
      const MatrixX W = tree.H.transpose() * tree.M.ldlt().solve(tree.H), rows = tree.G.transpose() * tree.M.ldlt().solve(tree.G);
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
