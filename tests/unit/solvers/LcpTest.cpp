// The LCP against brute force: every set of active rows tried.
#include "solvers/Lcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace stiction {
namespace {

/// Whether the conditions hold to 1e-12 of the terms of each row.
void expectComplementary(const MatrixX& A, const VectorX& b, const VectorX& lambda) {
  const VectorX w = A * lambda - b, terms = A.cwiseAbs() * lambda.cwiseAbs() + b.cwiseAbs();
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    ASSERT_GE(lambda[i], 0.0);
    ASSERT_GE(w[i], -1e-12 * terms[i]);
    ASSERT_LE(lambda[i] > 0 ? std::abs(w[i]) : 0.0, 1e-12 * terms[i]);
  }
}

/// A λ of some answer, by trying every active set; empty when none works. A λ is the same for all answers.
std::optional<VectorX> enumerate(const MatrixX& A, const VectorX& b) {
  const auto n = static_cast<int>(b.size());
  const double size = std::max(b.cwiseAbs().maxCoeff(), 1e-300);
  for (int set = 0; set < (1 << n); ++set) {
    MatrixX chosen(n, std::popcount(static_cast<unsigned>(set)));
    for (int i = 0, column = 0; i < n; ++i)
      if ((set >> i & 1) != 0) chosen.col(column++) = VectorX::Unit(n, i);
    VectorX lambda = VectorX::Zero(n);
    if (chosen.cols() > 0) lambda = chosen * Eigen::CompleteOrthogonalDecomposition<MatrixX>{chosen.transpose() * A * chosen}.solve(chosen.transpose() * b);
    const VectorX w = A * lambda - b;
    if (lambda.minCoeff() < -1e-9 * std::max(lambda.cwiseAbs().maxCoeff(), 1e-300) || w.minCoeff() < -1e-9 * size) continue;
    if ((w.cwiseProduct(lambda)).cwiseAbs().maxCoeff() > 1e-9 * size * std::max(lambda.cwiseAbs().maxCoeff(), 1e-300)) continue;
    return A * lambda;
  }
  return std::nullopt;
}

/// Random contacts between bodies of masses up to 1000 : 1; some rows repeated, some parallel, some dependent.
struct Case {
  MatrixX A;
  VectorX b;
};

Case randomCase(std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> even{0, 1};
  const int n = 1 + static_cast<int>(random() % 8), bodies = 1 + static_cast<int>(random() % 4), dof = 6 * bodies;
  MatrixX J = MatrixX::Zero(n, dof);
  for (int i = 0; i < n; ++i) {
    if (i > 0 && even(random) < 0.25) {
      const auto other = static_cast<Eigen::Index>(random() % static_cast<unsigned>(i));
      J.row(i) = (even(random) < 0.5 ? 1.0 : 2.0) * J.row(other);
      if (i > 1 && even(random) < 0.5) J.row(i) += J.row(i - 1);
      continue;
    }
    const auto a = static_cast<Eigen::Index>(random() % static_cast<unsigned>(bodies)), c = static_cast<Eigen::Index>(random() % static_cast<unsigned>(bodies));
    for (int k = 0; k < 6; ++k) J(i, 6 * a + k) += normal(random);
    if (c != a)
      for (int k = 0; k < 6; ++k) J(i, 6 * c + k) -= normal(random);
  }
  VectorX inverse(dof);
  for (int k = 0; k < bodies; ++k) inverse.segment(6 * k, 6).setConstant(std::pow(10.0, 3 * even(random)));
  VectorX v(dof);
  for (double& x : v) x = normal(random);
  if (even(random) < 0.2) v.setZero();
  return {J * inverse.asDiagonal() * J.transpose(), -J * v};
}

TEST(Lcp, AgreesWithBruteForceOnTenThousandRandomCases) {
  std::mt19937 random{20};
  for (int k = 0; k < 10000; ++k) {
    const Case c = randomCase(random);
    const LcpAnswer answer = solveLcp(c.A, c.b);
    ASSERT_TRUE(answer.converged) << "case " << k;
    expectComplementary(c.A, c.b, answer.lambda);
    if (HasFatalFailure()) FAIL() << "case " << k;
    const std::optional<VectorX> expected = enumerate(c.A, c.b);
    ASSERT_TRUE(expected.has_value()) << "case " << k;
    ASSERT_LE((c.A * answer.lambda - *expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected->cwiseAbs().maxCoeff())) << "case " << k;
  }
}

TEST(Lcp, OneRow) {
  const LcpAnswer pressed = solveLcp(MatrixX::Constant(1, 1, 0.5), VectorX::Constant(1, 2.0));
  EXPECT_TRUE(pressed.converged);
  EXPECT_EQ(pressed.lambda[0], 4.0);
  EXPECT_EQ(pressed.activeRows, 1);
  const LcpAnswer parting = solveLcp(MatrixX::Constant(1, 1, 0.5), VectorX::Constant(1, -2.0));
  EXPECT_TRUE(parting.converged);
  EXPECT_EQ(parting.lambda[0], 0.0);
  EXPECT_EQ(parting.iterations, 0);
}

TEST(Lcp, EmptyAndTouchingAreConverged) {
  EXPECT_TRUE(solveLcp(MatrixX(0, 0), VectorX(0)).converged);
  const LcpAnswer touching = solveLcp(MatrixX::Ones(2, 2), VectorX::Zero(2));
  EXPECT_TRUE(touching.converged);
  EXPECT_EQ(touching.lambda, VectorX::Zero(2));
}

TEST(Lcp, SaysWhichRowNoImpulseCanSatisfy) {
  // A body driven from both sides: v >= 1 and −v >= 1.
  const MatrixX J = (MatrixX(2, 1) << 1, -1).finished();
  const LcpAnswer answer = solveLcp(J * J.transpose(), VectorX::Ones(2));
  EXPECT_FALSE(answer.converged);
  EXPECT_GE(answer.impossibleRow, 0);
  const LcpAnswer fixed = solveLcp(MatrixX::Zero(1, 1), VectorX::Ones(1));  // two fixed bodies that approach
  EXPECT_FALSE(fixed.converged);
  EXPECT_EQ(fixed.impossibleRow, 0);
}

TEST(Lcp, AManyPointPlateOnTheGroundSharesItsWeight) {
  // 400 points of one plate: rank 3, the rest redundant. The velocity is exactly stopped.
  std::mt19937 random{21};
  std::uniform_real_distribution<double> even{-1, 1};
  MatrixX J = MatrixX::Zero(400, 6);
  for (int i = 0; i < 400; ++i) {
    const double x = even(random), y = even(random);
    J.row(i) << 0, 0, 1, y, -x, 0;
  }
  const VectorX v = (VectorX(6) << 0, 0, -1, 0.1, 0.2, 0).finished();
  const LcpAnswer answer = solveLcp(J * J.transpose(), -J * v);
  ASSERT_TRUE(answer.converged);
  expectComplementary(J * J.transpose(), -J * v, answer.lambda);
  EXPECT_LE(answer.activeRows, 3);
}

TEST(Lcp, TheLimitIsHonest) {
  const MatrixX A = MatrixX::Identity(5, 5);
  const LcpAnswer answer = solveLcp(A, VectorX::Ones(5), 2);
  EXPECT_FALSE(answer.converged);
  EXPECT_EQ(answer.impossibleRow, -1);
}

/// Rows at their bounds only where they are pressed there, w = 0 elsewhere, to 1e-11 of the terms of each row.
void expectBoxed(const MatrixX& A, const VectorX& b, const VectorX& low, const VectorX& high, const VectorX& lambda) {
  const VectorX w = A * lambda - b, terms = A.cwiseAbs() * lambda.cwiseAbs() + b.cwiseAbs();
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    ASSERT_GE(lambda[i], low[i]);
    ASSERT_LE(lambda[i], high[i]);
    ASSERT_TRUE(lambda[i] == low[i] || w[i] <= 1e-11 * terms[i]) << "row " << i << ": " << w[i];
    ASSERT_TRUE(lambda[i] == high[i] || w[i] >= -1e-11 * terms[i]) << "row " << i << ": " << w[i];
  }
}

/// A λ of some answer, by trying low, high and free for every row; the same for all answers.
std::optional<VectorX> enumerateBoxes(const MatrixX& A, const VectorX& b, const VectorX& low, const VectorX& high) {
  const auto n = static_cast<int>(b.size());
  int sets = 1;
  for (int i = 0; i < n; ++i) sets *= 3;
  for (int set = 0; set < sets; ++set) {
    VectorX lambda = VectorX::Zero(n);
    std::vector<Eigen::Index> free;
    bool possible = true;
    for (int i = 0, code = set; i < n; ++i, code /= 3) {
      if (code % 3 == 2) free.push_back(i);
      if (code % 3 != 2) lambda[i] = code % 3 == 0 ? low[i] : high[i];
      possible = possible && std::isfinite(lambda[i]);
    }
    if (!possible) continue;
    if (!free.empty()) {
      const VectorX rest = b - A * lambda, found = Eigen::CompleteOrthogonalDecomposition<MatrixX>{A(free, free)}.solve(VectorX{rest(free)});
      lambda(free) = found;
    }
    const VectorX w = A * lambda - b, terms = A.cwiseAbs() * lambda.cwiseAbs() + b.cwiseAbs();
    bool answers = true;
    for (int i = 0; i < n; ++i) {
      const double room = 1e-9 * std::max(lambda.cwiseAbs().maxCoeff(), 1e-300), speed = 1e-9 * terms[i];
      answers = answers && lambda[i] >= low[i] - room && lambda[i] <= high[i] + room && (lambda[i] <= low[i] + room || w[i] <= speed) &&
                (lambda[i] >= high[i] - room || w[i] >= -speed);
    }
    if (answers) return A * lambda;
  }
  return std::nullopt;
}

// Boxes open on either side, closed on both, empty of room, without bounds; A regular, with rows repeated and implied. Bounds then change three times: each start is the last end.
TEST(BoxLcp, AgreesWithBruteForceOnRandomBoxesThatChange) {
  std::mt19937 random{21};
  std::uniform_real_distribution<double> even{0, 1};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  int solved = 0, impossible = 0;
  for (int k = 0; k < 3000; ++k) {
    Case c = randomCase(random);
    const auto n = std::min<Eigen::Index>(c.b.size(), 5);
    c = {MatrixX{c.A.topLeftCorner(n, n)}, VectorX{c.b.head(n)}};
    VectorX low(n), high(n), kind(n);
    for (double& x : kind) x = even(random);
    BoxLcp lcp{c.A, c.b};
    for (int change = 0; change < 4; ++change) {
      for (Eigen::Index i = 0; i < n; ++i) {
        const double size = even(random) / std::max(c.A(i, i), 1e-12);
        low[i] = kind[i] < 0.4 ? 0 : kind[i] < 0.5 ? -infinity : kind[i] < 0.6 ? 0 : -size;
        high[i] = kind[i] < 0.5 ? infinity : kind[i] < 0.6 ? 0 : size;
      }
      const LcpAnswer answer = lcp.solve(low, high);
      const std::optional<VectorX> expected = enumerateBoxes(c.A, c.b, low, high);
      ASSERT_EQ(answer.converged, expected.has_value()) << "case " << k << ", change " << change;
      if (!expected) {
        EXPECT_GE(answer.impossibleRow, 0);
        ++impossible;
        break;
      }
      ++solved;
      expectBoxed(c.A, c.b, low, high, answer.lambda);
      if (HasFatalFailure()) FAIL() << "case " << k << ", change " << change;
      ASSERT_LE((c.A * answer.lambda - *expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected->cwiseAbs().maxCoeff())) << "case " << k << ", change " << change;
    }
  }
  EXPECT_GT(solved, 10000);
}

TEST(BoxLcp, StartsFromAGuess) {
  const MatrixX A = (MatrixX(3, 3) << 2, 1, 0, 1, 2, 1, 0, 1, 2).finished();
  const VectorX b = (VectorX(3) << 1, 1, 1).finished(), low = VectorX::Constant(3, -1.0), high = VectorX::Constant(3, 1.0);
  BoxLcp lcp{A, b};
  lcp.startFrom(VectorX::Constant(3, 0.5));
  const LcpAnswer answer = lcp.solve(low, high);
  EXPECT_TRUE(answer.converged);
  EXPECT_EQ(answer.iterations, 0) << "all rows free, as guessed";
  EXPECT_LE((answer.lambda - (VectorX(3) << 0.5, 0, 0.5).finished()).cwiseAbs().maxCoeff(), 1e-15);
}

}  // namespace
}  // namespace stiction
