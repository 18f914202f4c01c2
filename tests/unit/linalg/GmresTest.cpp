// GMRES against dense elimination.
#include "linalg/Gmres.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracle/RandomProblems.hpp"

namespace stiction {
namespace {

constexpr int size = 30;

struct System {
  explicit System(std::uint64_t seed) {
    testing_random::Random random{seed};
    const auto draw = [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); };
    A = MatrixX::NullaryExpr(size, size, draw) + 8 * MatrixX::Identity(size, size);
    b = VectorX::NullaryExpr(size, [&random](Eigen::Index) { return random.uniform(-1, 1); });
    weight = VectorX::NullaryExpr(size, [&random](Eigen::Index) { return random.uniform(0.1, 10); });
  }
  bool solve(const MatrixX& P, double accuracy, int limit, VectorX& x) {
    const Eigen::PartialPivLU<MatrixX> factor{P};
    return Gmres{}.solve([this](const VectorX& in, VectorX& out) { out = A * in; }, [&factor](VectorX& z) { z = factor.solve(z).eval(); }, weight, accuracy,
                         limit, x);
  }
  double norm(const VectorX& x) const { return std::sqrt(weight.dot(x.cwiseAbs2())); }

  MatrixX A;
  VectorX b, weight;
};

TEST(Gmres, MeetsItsAccuracyInItsNorm) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    System system{seed};
    VectorX x = system.b;
    ASSERT_TRUE(system.solve(MatrixX::Identity(size, size), 1e-9, size, x)) << "seed " << seed;
    EXPECT_LE(system.norm(system.b - system.A * x), 2e-9 * system.norm(system.b));
  }
}

TEST(Gmres, TakesAStepForEachRankThatThePreconditionerMisses) {
  System system{30};
  constexpr int rank = 3;
  const MatrixX P = system.A + 0.1 * system.A.leftCols(rank) * system.A.rightCols(rank).transpose();
  VectorX x = system.b;
  ASSERT_TRUE(system.solve(P, 1e-8, rank + 1, x));
  EXPECT_LE((system.A.partialPivLu().solve(system.b) - x).norm(), 1e-6 * x.norm());
  VectorX y = system.b;
  EXPECT_FALSE(system.solve(P, 1e-8, rank - 1, y));
  EXPECT_EQ(y, system.b);
}

TEST(Gmres, NothingGivesNothing) {
  System system{40};
  VectorX x = VectorX::Zero(size);
  ASSERT_TRUE(system.solve(system.A, 1e-9, 5, x));
  EXPECT_EQ(x.norm(), 0);
}

}  // namespace
}  // namespace stiction
