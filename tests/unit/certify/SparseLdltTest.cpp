// The judge's sparse factor against a dense one.
#include "certify/SparseLdlt.hpp"

#include <gtest/gtest.h>

#include <random>

#include <Eigen/Cholesky>

namespace stiction::certification {
namespace {

struct Sparse {
  int n;
  std::vector<std::pair<int, int>> entries;
  std::vector<double> values;

  MatrixX dense() const {
    MatrixX A = MatrixX::Zero(n, n);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto [row, column] = entries[k];
      A(row, column) += values[k];
      if (row != column) A(column, row) += values[k];
    }
    return A;
  }
};

/// Positive definite by its diagonal; some entries come in two parts.
Sparse randomMatrix(unsigned seed, int n, int links) {
  std::mt19937 random{seed};
  std::uniform_int_distribution<int> index{0, n - 1};
  std::uniform_real_distribution<double> value{-1, 1};
  Sparse A{n, {}, {}};
  for (int k = 0; k < links; ++k) {
    const auto [low, high] = std::minmax({index(random), index(random)});
    A.entries.emplace_back(high, low);
    A.values.push_back(value(random));
  }
  for (int i = 0; i < n; ++i) {
    A.entries.emplace_back(i, i);
    A.values.push_back(3.0 * links / n + 1);
  }
  return A;
}

TEST(SparseLdlt, SolvesAsADenseFactorDoes) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const int n = 1 + static_cast<int>(seed * 7 % 60);
    Sparse A = randomMatrix(seed, n, 2 * n);
    SparseLdlt factor;
    factor.analyse(n, A.entries);
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(factor.factor(A.values));
      VectorX x = VectorX::LinSpaced(n, -1, 2);
      const VectorX wanted = A.dense().ldlt().solve(x);
      factor.solve(x);
      EXPECT_LT((x - wanted).norm(), 1e-12 * wanted.norm()) << seed;
      for (double& value : A.values) value *= 1.5;
    }
  }
}

TEST(SparseLdlt, ColumnsPivotsAndTreeAreOfOneFactor) {
  const int n = 30;
  const Sparse A = randomMatrix(7, n, 50);
  SparseLdlt factor;
  factor.analyse(n, A.entries);
  ASSERT_TRUE(factor.factor(A.values));
  MatrixX L = MatrixX::Identity(n, n), D = MatrixX::Zero(n, n), P = MatrixX::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    D(j, j) = factor.pivotOf(j);
    P(factor.placeOf(j), j) = 1;
    int first = -1;
    factor.eachBelow(j, [&](int row, double value) {
      if (first < 0) first = row;
      L(row, j) = value;
    });
    EXPECT_EQ(factor.parentOf(j), first);
  }
  EXPECT_LT((P * A.dense() * P.transpose() - L * D * L.transpose()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SparseLdlt, RefusesWhatIsNotPositiveDefinite) {
  SparseLdlt factor;
  factor.analyse(2, {{0, 0}, {1, 0}, {1, 1}});
  EXPECT_TRUE(factor.factor({2, 1, 2}));
  EXPECT_FALSE(factor.factor({1, 2, 1}));
  EXPECT_FALSE(factor.factor({0, 0, 1}));
  EXPECT_FALSE(factor.factor({2, std::numeric_limits<double>::quiet_NaN(), 2}));
  EXPECT_TRUE(factor.factor({2, 1, 2}));
}

/// In the order given, with the hub first, all would be filled.
TEST(SparseLdlt, AHubIsEliminatedLast) {
  const int n = 40;
  std::vector<std::pair<int, int>> entries;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i);
    values.push_back(i == 0 ? n : 3);
    if (i == 0) continue;
    entries.emplace_back(i, 0);
    values.push_back(-1);
  }
  SparseLdlt factor;
  factor.analyse(n, entries);
  ASSERT_TRUE(factor.factor(values));
  int below = 0;
  for (int j = 0; j < n; ++j) factor.eachBelow(j, [&](int, double) { ++below; });
  EXPECT_EQ(below, n - 1);
}

}  // namespace
}  // namespace stiction::certification
