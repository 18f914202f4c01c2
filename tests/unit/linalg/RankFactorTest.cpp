// Factors of semidefinite matrices whose rank and structure are known: operators between the contacts of bodies.
#include "linalg/RankFactor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Blocks {
  std::vector<int> start{0}, column;
  std::vector<Matrix3> blocks;
};

/// The blocks of A, which are not zero, with rows and columns in the order given.
Blocks blocksOf(const MatrixX& A, const std::vector<int>& order) {
  Blocks result;
  for (const int i : order) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      const Matrix3 block = A.block(3 * i, 3 * order[j], 3, 3);
      if (block.isZero(0)) continue;
      result.column.push_back(static_cast<int>(j));
      result.blocks.push_back(block);
    }
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

std::vector<int> inOrder(Eigen::Index rows) {
  std::vector<int> order(static_cast<std::size_t>(rows / 3));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

RankFactor factorOf(const MatrixX& A, bool symmetric = false) {
  const Blocks blocks = blocksOf(A, inOrder(A.rows()));
  RankFactor factor;
  factor.factor(blocks.start, blocks.column, blocks.blocks, symmetric);
  return factor;
}

int rankOf(const RankFactor& factor) {
  int rank = 0;
  for (const RankFactor::Panel& panel : factor.panels()) rank += panel.width;
  return rank;
}

MatrixX productOf(const RankFactor& factor, Eigen::Index rows) {
  MatrixX product = MatrixX::Zero(rows, rows);
  for (const RankFactor::Panel& panel : factor.panels())
    for (int a = panel.first; a < panel.last; ++a)
      for (int b = panel.first; b < panel.last; ++b) {
        const RankFactor::Entry &p = factor.entries()[at(a)], &q = factor.entries()[at(b)];
        product.block(3 * p.row, 3 * q.row, 3, 3) += p.P * q.Q.transpose();
      }
  return product;
}

/// Columns of P that a block row has entries in, on average.
double columnsOf(const RankFactor& factor, Eigen::Index rows) {
  double columns = 0;
  for (const RankFactor::Panel& panel : factor.panels()) columns += panel.width * (panel.last - panel.first);
  return 3 * columns / static_cast<double>(rows);
}

/// A wall: bodies in rows of `columns`, each on the two below it, the lowest on the ground, four contacts a pair; velocities of three and three, H by chance in what belongs to a pair.
struct Wall {
  MatrixX H, M;
  int bodies;

  Wall(int rows, int columns, double heaviest, unsigned seed) : bodies{rows * columns} {
    std::mt19937 random{seed};
    std::normal_distribution<double> normal;
    std::vector<std::array<int, 2>> pairs;  // −1: the ground
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const int body = r * columns + c;
        pairs.push_back({body, r == 0 ? -1 : body - columns});
        if (r > 0 && c > 0) pairs.push_back({body, body - columns - 1});
      }
    H = MatrixX::Zero(6 * bodies, 12 * static_cast<int>(pairs.size()));
    for (std::size_t k = 0; k < pairs.size(); ++k)
      for (const int body : pairs[k])
        for (int column = 0; column < 12 && body >= 0; ++column)
          for (int row = 0; row < 6; ++row) H(6 * body + row, 12 * static_cast<int>(k) + column) = normal(random);
    M = MatrixX::Identity(6 * bodies, 6 * bodies);
    for (int b = 0; b < bodies; ++b) M.block(6 * b, 6 * b, 6, 6) *= b % 3 == 0 ? heaviest : 1.0;
  }
  MatrixX W() const { return H.transpose() * M.llt().solve(H); }
};

TEST(RankFactor, FindsTheRankOfADenseMatrix) {
  std::mt19937 random{3};
  std::normal_distribution<double> normal;
  MatrixX B{9, 4};
  for (Eigen::Index i = 0; i < B.size(); ++i) B.data()[i] = normal(random);
  const MatrixX A = B * B.transpose();
  const RankFactor factor = factorOf(A);
  EXPECT_EQ(rankOf(factor), 4);
  EXPECT_TRUE(factor.isSymmetric());
  EXPECT_LT((productOf(factor, 9) - A).norm(), 1e-12 * A.norm());
}

// Two bodies a contact, six columns a body: hardly more, whatever the order of the contacts.
TEST(RankFactor, IsAboutAsSparseAsTheBodiesOfAWall) {
  for (const double heaviest : {1.0, 1e3}) {
    const Wall wall{8, 6, heaviest, 1};
    const MatrixX A = wall.W();
    std::vector<int> order = inOrder(A.rows());
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Blocks blocks = blocksOf(A, order);
      RankFactor factor;
      factor.factor(blocks.start, blocks.column, blocks.blocks, false);
      EXPECT_GE(rankOf(factor), 6 * wall.bodies);
      EXPECT_LE(rankOf(factor), 6 * wall.bodies + 1) << "rounding, at most, for one";
      EXPECT_LE(columnsOf(factor, A.rows()), 13) << "masses " << heaviest << ", order " << seed;
      std::shuffle(order.begin(), order.end(), std::mt19937{seed});
    }
    EXPECT_LT((productOf(factorOf(A), A.rows()) - A).norm(), 1e-11 * A.norm());
  }
}

TEST(RankFactor, KeepsWhatIsNotSymmetric) {
  Wall wall{3, 3, 10, 2};
  for (int b = 0; b < wall.bodies; ++b) wall.M(6 * b + 3, 6 * b + 4) += 0.05, wall.M(6 * b + 4, 6 * b + 3) -= 0.05;  // a body that spins
  const MatrixX A = wall.H.transpose() * wall.M.partialPivLu().solve(wall.H);
  const RankFactor factor = factorOf(A), half = factorOf(A, true);
  EXPECT_FALSE(factor.isSymmetric());
  EXPECT_EQ(rankOf(factor), 6 * wall.bodies);
  EXPECT_LT((productOf(factor, A.rows()) - A).norm(), 1e-11 * A.norm());
  EXPECT_TRUE(half.isSymmetric());
  EXPECT_LT((productOf(half, A.rows()) - (A + A.transpose()) / 2).norm(), 1e-11 * A.norm());
}

// Numbers that are good to so many digits, alike on both sides of the diagonal or not: what is left where bodies have no more velocities is no coupling.
TEST(RankFactor, TakesRoundingForNone) {
  const Wall wall{8, 6, 10, 3};
  const MatrixX exact = wall.W();
  for (const double digits : {1e-16, 1e-14, 1e-13})
    for (const bool isAlike : {false, true}) {
      MatrixX A = exact;
      std::mt19937 random{3};
      std::uniform_real_distribution<double> rounding{-digits, digits};
      for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] *= 1 + rounding(random);
      if (isAlike) A.triangularView<Eigen::StrictlyUpper>() = A.transpose().triangularView<Eigen::StrictlyUpper>();
      const RankFactor factor = factorOf(A);
      EXPECT_TRUE(factor.isSymmetric()) << digits;
      EXPECT_GE(rankOf(factor), 6 * wall.bodies) << digits << ", alike " << isAlike;
      EXPECT_LE(rankOf(factor), 6 * wall.bodies + 1) << digits << ", alike " << isAlike;
      EXPECT_LE(columnsOf(factor, A.rows()), 15) << digits << ", alike " << isAlike;
    }
}

TEST(RankFactor, TakesNoPivotThatIsNotPositive) {
  EXPECT_TRUE(factorOf(MatrixX{0, 0}).panels().empty());
  EXPECT_TRUE(factorOf(MatrixX::Zero(6, 6)).panels().empty());
  MatrixX A = MatrixX::Identity(3, 3);
  A(1, 1) = -1e20;
  EXPECT_EQ(rankOf(factorOf(A)), 2);
}

}  // namespace
}  // namespace stiction
