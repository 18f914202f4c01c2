// The LCP against brute force: every set of active rows tried.
#include "solvers/Lcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
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

}  // namespace
}  // namespace stiction
