// The block factorisations against Eigen's dense ones, on random block graphs with blocks of mixed sizes.
#include "linalg/BlockFactor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <type_traits>

namespace stiction {
namespace {

struct Case {
  std::vector<int> sizes, start{0};
  std::vector<std::array<int, 2>> couplings;
  MatrixX A;
};

/// Random pattern of `blocks` blocks; A diagonally heavy, symmetric or not.
Case makeCase(unsigned seed, int blocks, bool symmetric) {
  std::mt19937 random{seed};
  std::normal_distribution<double> normal;
  Case c;
  const int choices[] = {6, 3, 6, 1, 2, 6};
  for (int k = 0; k < blocks; ++k) {
    c.sizes.push_back(choices[random() % 6]);
    c.start.push_back(c.start.back() + c.sizes.back());
  }
  for (int k = 0; k < 2 * blocks && blocks > 1; ++k) {
    const int a = static_cast<int>(random() % static_cast<unsigned>(blocks)), b = static_cast<int>(random() % static_cast<unsigned>(blocks));
    if (a != b) c.couplings.push_back({a, b});
  }
  const int n = c.start.back();
  c.A = MatrixX::Zero(n, n);
  const auto fill = [&](int a, int b) {
    for (int i = c.start[static_cast<std::size_t>(a)]; i < c.start[static_cast<std::size_t>(a) + 1]; ++i)
      for (int j = c.start[static_cast<std::size_t>(b)]; j < c.start[static_cast<std::size_t>(b) + 1]; ++j) c.A(i, j) = normal(random);
  };
  for (const auto& [a, b] : c.couplings) fill(a, b), fill(b, a);
  for (int k = 0; k < blocks; ++k) fill(k, k);
  if (symmetric) c.A = (c.A + c.A.transpose()).eval() / 2;
  c.A.diagonal().array() += 6.0 * std::sqrt(static_cast<double>(n));
  return c;
}

void store(const Case& c, const BlockStructure& s, std::vector<double>& lower, std::vector<double>* upper) {
  const auto put = [&](int a, int b) {
    const BlockStructure::Slot slot = s.slot(a, b);
    std::vector<double>* panels = slot.swapped ? upper : &lower;
    if (panels == nullptr) return;
    for (int i = 0; i < c.sizes[static_cast<std::size_t>(a)]; ++i)
      for (int j = 0; j < c.sizes[static_cast<std::size_t>(b)]; ++j) {
        const std::size_t row = static_cast<std::size_t>(slot.swapped ? j : i), column = static_cast<std::size_t>(slot.swapped ? i : j);
        (*panels)[slot.offset + row + column * static_cast<std::size_t>(slot.leading)] =
            c.A(c.start[static_cast<std::size_t>(a)] + i, c.start[static_cast<std::size_t>(b)] + j);
      }
  };
  for (std::size_t k = 0; k < c.sizes.size(); ++k) put(static_cast<int>(k), static_cast<int>(k));
  for (const auto& [a, b] : c.couplings) put(a, b), put(b, a);
}

TEST(BlockFactor, CholeskyAgreesWithDense) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Case c = makeCase(seed, 1 + static_cast<int>(seed % 17), true);
    BlockStructure s;
    EXPECT_TRUE(s.analyse(c.sizes, c.couplings));
    EXPECT_FALSE(s.analyse(c.sizes, c.couplings)) << "the same pattern is analysed once";
    BlockCholesky cholesky;
    cholesky.bind(s);
    cholesky.setZero();
    store(c, s, cholesky.lower(), nullptr);
    ASSERT_TRUE(cholesky.factor());
    const VectorX b = VectorX::LinSpaced(c.A.rows(), -1, 2);
    VectorX x = b;
    cholesky.solve(x);
    EXPECT_LT((c.A * x - b).norm(), 1e-12 * b.norm() * c.A.norm() / 6) << "seed " << seed;
  }
}

TEST(BlockFactor, HalfSolvesAlongPathsGiveInnerProducts) {
  for (unsigned seed = 300; seed < 360; ++seed) {
    const int blocks = 1 + static_cast<int>(seed % 17);
    Case c = makeCase(seed, blocks, true);
    BlockStructure s;
    s.analyse(c.sizes, c.couplings);
    BlockCholesky cholesky;
    cholesky.bind(s);
    cholesky.setZero();
    store(c, s, cholesky.lower(), nullptr);
    ASSERT_TRUE(cholesky.factor());
    VectorX b = VectorX::Zero(c.A.rows());
    std::vector<int> path;
    for (const int block : {static_cast<int>(seed) % blocks, static_cast<int>(seed / 3) % blocks}) {
      b.segment(c.start[static_cast<std::size_t>(block)], c.sizes[static_cast<std::size_t>(block)]).setConstant(1.0 + block);
      cholesky.addPath(block, path);
    }
    EXPECT_TRUE(std::is_sorted(path.begin(), path.end()) && std::adjacent_find(path.begin(), path.end()) == path.end());
    VectorX half = b;
    cholesky.solveLower(path, half);
    EXPECT_NEAR(half.squaredNorm() / b.dot(c.A.ldlt().solve(b)), 1, 1e-12) << "seed " << seed;
    double elsewhere = half.squaredNorm();
    for (const int k : path) elsewhere -= half.segment(s.start(k), s.size(k)).squaredNorm();
    EXPECT_NEAR(elsewhere, 0, 1e-14 * half.squaredNorm()) << "seed " << seed;
  }
}

bool factorLu(Case& c, BlockStructure& s, BlockLU& lu) {
  s.analyse(c.sizes, c.couplings);
  lu.bind(s);
  lu.setZero();
  store(c, s, lu.lower(), &lu.upper());
  return lu.factor();
}

TEST(BlockFactor, LuAgreesWithDense) {
  for (unsigned seed = 100; seed < 160; ++seed) {
    Case c = makeCase(seed, 1 + static_cast<int>(seed % 17), false);
    BlockStructure s;
    BlockLU lu;
    ASSERT_TRUE(factorLu(c, s, lu));
    const VectorX b = VectorX::LinSpaced(c.A.rows(), -1, 2);
    VectorX x = b;
    lu.solve(x);
    EXPECT_LT((c.A * x - b).norm(), 1e-12 * b.norm() * c.A.norm() / 6) << "seed " << seed;
  }
}

/// The factor's answer to one right-hand side, on `threads` threads.
template <class Factor>
VectorX answerOn(int threads, Case& c, BlockStructure& s, Factor& factor) {
  ThreadPool team{threads};
  for (int repeat = 0; repeat < 3; ++repeat) {  // finished columns of the last run must not count in the next
    factor.setZero();
    if constexpr (std::is_same_v<Factor, BlockLU>)
      store(c, s, factor.lower(), &factor.upper());
    else
      store(c, s, factor.lower(), nullptr);
    EXPECT_TRUE(factor.factor(threads == 1 ? nullptr : &team));
  }
  VectorX x = VectorX::LinSpaced(c.A.rows(), -1, 2);
  factor.solve(x);
  return x;
}

TEST(BlockFactor, ThreadsDoNotChangeABit) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Case c = makeCase(seed, 60, true);
    BlockStructure s;
    s.analyse(c.sizes, c.couplings);
    BlockLU lu;
    BlockCholesky cholesky;
    lu.bind(s), cholesky.bind(s);
    lu.setZero(), cholesky.setZero();
    const VectorX byLu = answerOn(1, c, s, lu), byCholesky = answerOn(1, c, s, cholesky);
    for (const int threads : {2, 3, 8}) {
      EXPECT_EQ(answerOn(threads, c, s, lu), byLu) << "seed " << seed << ", " << threads << " threads";
      EXPECT_EQ(answerOn(threads, c, s, cholesky), byCholesky) << "seed " << seed << ", " << threads << " threads";
    }
  }
}

TEST(BlockFactor, AFailureOnOneThreadStopsTheOthers) {
  Case c = makeCase(7, 60, true);
  c.A(5, 5) = -1;
  BlockStructure s;
  s.analyse(c.sizes, c.couplings);
  BlockCholesky cholesky;
  cholesky.bind(s);
  cholesky.setZero();
  store(c, s, cholesky.lower(), nullptr);
  ThreadPool team{4};
  EXPECT_FALSE(cholesky.factor(&team));
}

TEST(BlockFactor, LUKnowsTheSignOfTheDeterminant) {
  int negative = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Case c = makeCase(seed, 1 + static_cast<int>(seed % 17), false);
    for (std::size_t k = 0; k < c.sizes.size(); ++k)  // mirror some of the unknowns
      if ((seed + k) % 3 == 0) c.A.col(c.start[k]) *= -1;
    BlockStructure s;
    BlockLU lu;
    ASSERT_TRUE(factorLu(c, s, lu));
    const int expected = Eigen::FullPivLU<MatrixX>{c.A}.determinant() < 0 ? -1 : 1;
    EXPECT_EQ(lu.determinantSign(), expected) << "seed " << seed;
    negative += expected < 0;
  }
  EXPECT_GT(negative, 5);
  EXPECT_LT(negative, 35);
}

TEST(BlockFactor, CholeskyRefusesAnIndefiniteMatrix) {
  Case c = makeCase(7, 5, true);
  c.A(c.A.rows() - 1, c.A.rows() - 1) = -1;
  BlockStructure s;
  s.analyse(c.sizes, c.couplings);
  BlockCholesky cholesky;
  cholesky.bind(s);
  cholesky.setZero();
  store(c, s, cholesky.lower(), nullptr);
  EXPECT_FALSE(cholesky.factor());
}

}  // namespace
}  // namespace stiction
