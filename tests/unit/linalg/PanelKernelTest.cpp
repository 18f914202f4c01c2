// The dense kernels against Eigen's products, for all sizes up to a few registers: what lies beyond the last row, and next to the target, must not matter.
#include "linalg/PanelKernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "linalg/BodyKernel.hpp"
#include "oracle/RandomProblems.hpp"

namespace stiction {
namespace {

constexpr double kRoundOff = 1e-14;  // [-] of sums of some twenty products of numbers below 1
constexpr int kMostRows = 41;

/// Columns of `rows` numbers, packed; beyond the last row numbers that must count for nothing.
struct Panel {
  Panel(testing_random::Random& random, int rows_, int columns) : rows{rows_}, values{MatrixX::Constant(packed(rows_), columns, 1e3)} {
    values.topRows(rows) = MatrixX::NullaryExpr(rows, columns, [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
  }
  auto top() const { return values.topRows(rows); }
  int leading() const { return static_cast<int>(values.rows()); }

  int rows;
  MatrixX values;
};

double worst(const MatrixX& x) { return x.cwiseAbs().maxCoeff(); }

TEST(PanelKernel, SumsTheProductsOfItsSources) {
  testing_random::Random random{1};
  for (const int k : {6, 3, 5, 1})
    for (const int n : {6, 12, 24, 3, 9, 5})
      for (int m = 1; m <= kMostRows; ++m) {
        std::vector<Panel> left, right;
        for (int s = 0; s < 3; ++s) left.emplace_back(random, m, k), right.emplace_back(random, n, k);
        std::vector<PanelSource> sources;
        MatrixX expected = MatrixX::Zero(m, n);
        for (int s = 0; s < 3; ++s) {
          const Panel &a = left[static_cast<std::size_t>(s)], &b = right[static_cast<std::size_t>(s)];
          sources.push_back({a.values.data(), a.leading(), b.values.data(), b.leading()});
          expected += a.top() * b.top().transpose();
        }
        MatrixX work = MatrixX::Zero(packed(m), n);
        panelProduct(sources.data(), 3, work.data(), m, n, k);
        ASSERT_LE(worst(work.topRows(m) - expected), kRoundOff) << m << " x " << n << " from " << k << " columns";
      }
}

TEST(PanelKernel, MultipliesColumnsEitherWay) {
  testing_random::Random random{2};
  for (const int k : {6, 3, 5, 1})
    for (int m = 1; m <= kMostRows; ++m) {
      const Panel A{random, m, k}, x{random, k, 1};
      VectorX y = VectorX::Zero(packed(m)), sums = VectorX::Zero(k);
      panelTimes(A.values.data(), A.leading(), x.values.data(), y.data(), m, k);
      ASSERT_LE(worst(y.head(m) - A.top() * x.top()), kRoundOff) << m << " rows, " << k << " columns";
      y.tail(packed(m) - m).setZero();
      panelDots(A.values.data(), A.leading(), y.data(), sums.data(), m, k);
      ASSERT_LE(worst(sums - A.top().transpose() * y.head(m)), kMostRows * kRoundOff) << m << " rows, " << k << " columns";
    }
}

TEST(PanelKernel, SubtractsRunsOfRowsAndNothingElse) {
  testing_random::Random random{3};
  constexpr int columns = 6, gap = 3;
  for (int rows = 1; rows <= 20; ++rows) {
    const Panel work{random, 2 * rows, columns};
    const Panel before{random, 2 * rows + 2 * gap, columns};
    MatrixX target = before.values, expected = before.values;
    const RowRun runs[] = {{0, 1, rows}, {rows, rows + gap, rows}};
    for (const RowRun& run : runs) expected.middleRows(run.to, rows) -= work.values.middleRows(run.from, rows);
    panelSubtract(work.values.data(), work.leading(), target.data(), before.leading(), runs, 2, columns);
    ASSERT_EQ(target, expected) << rows << " rows";
  }
}

TEST(PanelKernel, InvertsWhateverTheOrderOfItsPivots) {
  testing_random::Random random{4};
  for (int n = 1; n <= kMostInverted; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      MatrixX A = MatrixX::NullaryExpr(n + 2, n, [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
      if (trial % 2 == 0)
        for (int k = 0; k + 1 < n; ++k) A(k, k) = 0;  // no pivot where one is looked for first
      const MatrixX block = A.topRows(n);
      const Eigen::FullPivLU<MatrixX> lu{block};
      if (!lu.isInvertible()) continue;
      MatrixX inverse = MatrixX::Zero(n, n);
      const bool isNegative = panelInverse(A.data(), n + 2, inverse.data(), n);
      const double growth = worst(inverse) * n * n;
      ASSERT_LE(worst(block * inverse - MatrixX::Identity(n, n)), kRoundOff * growth) << n << " rows, trial " << trial;
      ASSERT_LE(worst(inverse * block - MatrixX::Identity(n, n)), kRoundOff * growth) << n << " rows, trial " << trial;
      ASSERT_EQ(isNegative, lu.determinant() < 0) << n << " rows, trial " << trial;
    }
}

TEST(PanelKernel, HasNoInverseOfASingularBlock) {
  for (const int n : {1, 3, 8, 9, 16}) {
    MatrixX A = MatrixX::Identity(n, n), inverse = MatrixX::Zero(n, n);
    A.row(n - 1).setZero();
    panelInverse(A.data(), n, inverse.data(), n);
    EXPECT_FALSE(inverse.allFinite()) << n << " rows";
  }
}

// To the bits of plain sums from left to right, on every processor.
TEST(BodyKernel, AddsTheProductAsPlainSumsDo) {
  testing_random::Random random{4};
  const auto draw = [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); };
  for (int trial = 0; trial < 100; ++trial) {
    const MatrixX A = MatrixX::NullaryExpr(6, 3, draw), D = MatrixX::NullaryExpr(3, 3, draw), B = MatrixX::NullaryExpr(6, 3, draw);
    MatrixX target = MatrixX::NullaryExpr(9, 7, draw), expected = target;
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) {
        double ad[3];
        for (int k = 0; k < 3; ++k) ad[k] = A(i, 0) * D(0, k) + A(i, 1) * D(1, k) + A(i, 2) * D(2, k);
        expected(i + 2, j + 1) += ad[0] * B(j, 0) + ad[1] * B(j, 1) + ad[2] * B(j, 2);
      }
    addBodyProduct(A.data(), D.data(), B.data(), &target(2, 1), 9);
    ASSERT_EQ(target, expected) << "trial " << trial;
  }
}

}  // namespace
}  // namespace stiction
