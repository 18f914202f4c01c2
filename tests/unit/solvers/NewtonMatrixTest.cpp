// The Newton matrix against dense algebra, and what it keeps of a factor against factors made anew.
#include "solvers/NewtonMatrix.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/solvers/LayersProblem.hpp"
#include "unit/solvers/TreeProblem.hpp"

namespace stiction {
namespace {

std::vector<Matrix3> weights(const ContactProblem& problem, testing_random::Random& random) {
  std::vector<Matrix3> D(static_cast<std::size_t>(problem.contacts()));
  for (Matrix3& block : D) {
    const MatrixX root = randomMatrix(random, 3, 3);
    block = root * root.transpose();
  }
  return D;
}

/// A⁻¹ of a load by a matrix that has never been factored before.
VectorX answerAnew(const ContactProblem& problem, const std::vector<Matrix3>& D, const VectorX& rho, bool general, const VectorX& load) {
  NewtonMatrix matrix;
  matrix.bind(problem, problem.H);
  EXPECT_TRUE(general ? matrix.factorGeneral(D, rho, nullptr) : matrix.factorSymmetric(D, rho, nullptr));
  EXPECT_EQ(matrix.built(), matrix.strips());
  VectorX x = load;
  matrix.solve(x);
  return x;
}

TEST(NewtonMatrix, AgreesWithDenseAlgebra) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Tree tree{seed};
    BlockColumns velocityColumns{3};
    const MatrixX V = tree.add(velocityColumns, {{0, 1}, {2, 0}});
    std::vector<Matrix3> D = weights(tree.problem, tree.random);
    const VectorX rho = VectorX::Constant(1, 0.7), load = randomMatrix(tree.random, Tree::kDof, 1);
    NewtonMatrix matrix;
    for (const bool isSymmetric : {true, false}) {
      matrix.bind(tree.problem, isSymmetric ? tree.problem.H : velocityColumns);
      if (!isSymmetric) D[0](0, 1) += 0.3;
      MatrixX A = tree.M + rho[0] * tree.G * tree.G.transpose();
      for (int i = 0; i < 2; ++i)
        A += tree.H.middleCols<3>(3 * i) * D[static_cast<std::size_t>(i)] * (isSymmetric ? tree.H : V).middleCols<3>(3 * i).transpose();
      ASSERT_TRUE(isSymmetric ? matrix.factorSymmetric(D, rho, nullptr) : matrix.factorGeneral(D, rho, nullptr));
      VectorX x = load;
      matrix.solve(x);
      EXPECT_LT((A * x - load).norm(), 1e-12 * load.norm()) << "seed " << seed;
    }
  }
}

TEST(NewtonMatrix, BuildsAnewWhatHasChangedAndNoMore) {
  testing_random::Random random{3};
  const ContactProblem problem = layers(5, true);
  VectorX rho = VectorX::Ones(problem.rows());
  const VectorX load = randomMatrix(random, problem.dof(), 1);
  std::vector<Matrix3> D = weights(problem, random);
  ThreadPool team{3};
  for (const bool general : {false, true}) {
    NewtonMatrix matrix;
    matrix.bind(problem, problem.H);
    const auto factor = [&](ThreadPool* threads) { return general ? matrix.factorGeneral(D, rho, threads) : matrix.factorSymmetric(D, rho, threads); };
    const auto agrees = [&] {
      VectorX x = load;
      matrix.solve(x);
      return x == answerAnew(problem, D, rho, general, load);
    };
    ASSERT_TRUE(factor(nullptr));
    EXPECT_EQ(matrix.built(), matrix.strips());
    ASSERT_TRUE(factor(nullptr));
    EXPECT_EQ(matrix.built(), 0);
    EXPECT_TRUE(agrees());
    for (const std::size_t i : {std::size_t{5}, D.size() / 2, D.size() - 1}) {
      D[i] *= 1.5;
      ASSERT_TRUE(factor(i == 5 ? nullptr : &team));
      EXPECT_GT(matrix.built(), 0);
      EXPECT_LT(matrix.built(), matrix.strips()) << "contact " << i;
      EXPECT_TRUE(agrees()) << "contact " << i;
    }
    rho[rho.size() / 2] *= 3;
    ASSERT_TRUE(factor(nullptr));
    EXPECT_GT(matrix.built(), 0);
    EXPECT_LT(matrix.built(), matrix.strips());
    EXPECT_TRUE(agrees());
    const Matrix3 kept = D[7];  // a factorisation that fails leaves nothing to keep
    D[7].setConstant(std::numeric_limits<double>::quiet_NaN());
    EXPECT_FALSE(factor(nullptr));
    D[7] = kept;
    ASSERT_TRUE(factor(nullptr));
    EXPECT_EQ(matrix.built(), matrix.strips());
    EXPECT_TRUE(agrees());
  }
}

}  // namespace
}  // namespace stiction
