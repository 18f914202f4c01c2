// Problems without the rows that hold bodies in trees, against the whole system of equations solved densely.
#include "portfolio/EliminatedRows.hpp"

#include <gtest/gtest.h>

#include <random>

#include <Eigen/LU>

#include "certify/Certificate.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction {
namespace {

class Builder {
 public:
  explicit Builder(unsigned seed) : random_{seed} {}

  MatrixX matrix(int rows, int columns) {
    std::normal_distribution<double> normal;
    MatrixX A(rows, columns);
    for (double& x : A.reshaped()) x = normal(random_);
    return A;
  }
  void addBody() {
    const MatrixX A = matrix(6, 6), M = A * A.transpose() + 0.1 * MatrixX::Identity(6, 6);
    problem.M.addBlock(M.data(), 6);
  }
  /// Rows between a and b, -1: what is fixed; with compliance C.
  void addRows(int a, int b, int count, double C) {
    for (int k = 0; k < count; ++k) {
      for (const int body : {std::min(a, b), std::max(a, b)})
        if (body >= 0) problem.G.addSegment(body, 6 * body, 6, matrix(6, 1).data());
      problem.G.endGroup();
      b_.push_back(matrix(1, 1)(0));
      C_.push_back(C);
    }
  }
  /// One rigid row between a and b, a < b, given with its target.
  void addRow(int a, int b, const VectorX& rates, double target) {
    problem.G.addSegment(a, 6 * a, 6, rates.data());
    problem.G.addSegment(b, 6 * b, 6, rates.data() + 6);
    problem.G.endGroup();
    b_.push_back(target);
    C_.push_back(0);
  }
  double target(int row) const { return b_[static_cast<std::size_t>(row)]; }
  void addContact(int a, int b, double friction) {
    for (const int body : {std::min(a, b), std::max(a, b)})
      if (body >= 0) problem.H.addSegment(body, 6 * body, 6, matrix(6, 3).data());
    problem.H.endGroup();
    mu_.push_back(friction);
  }
  const ContactProblem& finish() {
    problem.f = matrix(problem.dof(), 1);
    problem.w = problem.wScale = matrix(3 * problem.contacts(), 1);
    problem.b = Eigen::Map<VectorX>{b_.data(), static_cast<Eigen::Index>(b_.size())};
    problem.C = Eigen::Map<VectorX>{C_.data(), static_cast<Eigen::Index>(C_.size())};
    problem.mu = Eigen::Map<VectorX>{mu_.data(), static_cast<Eigen::Index>(mu_.size())};
    return problem;
  }

  ContactProblem problem;

 private:
  std::mt19937 random_;
  std::vector<double> b_, C_, mu_;
};

MatrixX dense(const BlockColumns& A, int rows) {
  MatrixX D = MatrixX::Zero(rows, A.columns());
  for (int i = 0; i < A.columns(); ++i) {
    VectorX x = VectorX::Unit(A.columns(), i), y = VectorX::Zero(rows);
    multiplyAdd(A, x, y);
    D.col(i) = y;
  }
  return D;
}

MatrixX dense(const BlockMass& M) {
  MatrixX D = MatrixX::Zero(M.size(), M.size());
  const auto block = [&M](int offset, int rows, int columns) { return Eigen::Map<const MatrixX>{M.values.data() + offset, rows, columns}; };
  for (int k = 0; k < M.blocks(); ++k)
    D.block(M.start[static_cast<std::size_t>(k)], M.start[static_cast<std::size_t>(k)], M.size(k), M.size(k)) =
        block(M.offset[static_cast<std::size_t>(k)], M.size(k), M.size(k));
  for (const BlockMass::Coupling& c : M.couplings) {
    const int i = M.start[static_cast<std::size_t>(c.row)], j = M.start[static_cast<std::size_t>(c.column)];
    D.block(i, j, M.size(c.row), M.size(c.column)) = block(c.offset, M.size(c.row), M.size(c.column));
    D.block(j, i, M.size(c.column), M.size(c.row)) = block(c.offset, M.size(c.row), M.size(c.column)).transpose();
  }
  return D;
}

/// v and λ of M v = f + H r + G λ, Gᵀ v + b + C λ = 0.
Iterate solveDensely(const ContactProblem& problem, const VectorX& r) {
  const int n = problem.dof(), m = problem.rows();
  MatrixX K = MatrixX::Zero(n + m, n + m);
  const MatrixX G = dense(problem.G, n), H = dense(problem.H, n);
  K.topLeftCorner(n, n) = dense(problem.M);
  K.topRightCorner(n, m) = -G;
  K.bottomLeftCorner(m, n) = G.transpose();
  K.bottomRightCorner(m, m) = problem.C.asDiagonal();
  VectorX right(n + m);
  right << problem.f + H * r, -problem.b;
  const VectorX x = K.fullPivLu().solve(right);
  return {x.head(n), r, x.tail(m)};
}

void expectSame(Builder& builder, int freedom, int left) {
  const ContactProblem& problem = builder.finish();
  EliminatedRows eliminated;
  ASSERT_TRUE(eliminated.eliminate(problem, 1.0));
  EXPECT_EQ(eliminated.rest().dof(), freedom);
  EXPECT_EQ(eliminated.rest().rows(), left);
  const VectorX r = builder.matrix(3 * problem.contacts(), 1);
  const Iterate wanted = solveDensely(problem, r);
  Iterate found, rest = solveDensely(eliminated.rest(), r);
  eliminated.leave(rest, found);
  EXPECT_LT((found.v - wanted.v).norm(), 1e-8 * wanted.v.norm());
  EXPECT_LT((found.lambda - wanted.lambda).norm(), 1e-7 * wanted.lambda.norm());
  // Contacts see the same velocities.
  VectorX u, uRest;
  multiplyTransposed(problem.H, wanted.v, u);
  multiplyTransposed(eliminated.rest().H, rest.v, uRest);
  EXPECT_LT((u + problem.w - uRest - eliminated.rest().w).norm(), 1e-8 * u.norm());
  // And the way in is the way out.
  Iterate again;
  eliminated.enter(found, again);
  EXPECT_LT((again.v - rest.v).norm(), 1e-8 * rest.v.norm());
}

/// By the portfolio, and by the certificate of the whole problem.
void expectCertified(const ContactProblem& problem, unsigned seed) {
  Iterate answer;
  EXPECT_TRUE((Portfolio{}.solve(problem, answer, {}).certified)) << seed;
  EXPECT_LE(certify(problem, answer).relative, 1e-8) << seed;
}

TEST(EliminatedRows, ChainsThatHangOnWhatIsFixed) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 6; ++k) builder.addBody();
    for (int k = 0; k < 6; ++k) builder.addRows(k, k - 1, 5, 0);
    for (int k = 0; k < 4; ++k) builder.addContact(k, k == 3 ? 5 : -1, 0.5);
    expectSame(builder, 6, 0);
  }
}

TEST(EliminatedRows, TreesOfAllKindsOfJointsInAnyOrder) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 8; ++k) builder.addBody();
    builder.addRows(3, 7, 5, 0);  // 7 carries 3, 0, 5; 0 carries 1, 2; 5 carries 4; 6 is alone
    builder.addRows(0, 7, 4, 0);
    builder.addRows(5, 7, 3, 0);
    builder.addRows(1, 0, 6, 0);
    builder.addRows(2, 0, 5, 0);
    builder.addRows(4, 5, 5, 0);
    builder.addContact(1, 4, 0.5);
    builder.addContact(6, 2, 0.5);
    builder.addContact(3, -1, 0.5);
    expectSame(builder, 8 * 6 - 28, 0);
  }
}

TEST(EliminatedRows, LoopsAndSingleRowsStay) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 4; ++k) builder.addBody();
    for (int k = 0; k < 4; ++k) builder.addRows(k, (k + 1) % 4, 5, 0);  // the last closes the loop
    builder.addRows(0, 2, 1, 0);
    builder.addContact(0, -1, 0.5);
    expectSame(builder, 24 - 15, 6);
  }
}

/// A row that those of the joint say already moves nothing that is left: round-off would be all that it asks for.
TEST(EliminatedRows, RowsThatFollowFromJointsAreLeftOut) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 3; ++k) builder.addBody();
    builder.addRows(0, -1, 5, 0);
    builder.addRows(1, 0, 5, 0);
    builder.addRows(2, 1, 5, 0);
    const VectorX row = Eigen::Map<const VectorX>{builder.problem.G.values.data() + 30, 12} * 0.3 -
                        Eigen::Map<const VectorX>{builder.problem.G.values.data() + 42, 12} * 2;  // of the second joint
    const double target = 0.3 * builder.target(5) - 2 * builder.target(6);
    builder.addRow(0, 1, row, target);
    builder.addContact(2, -1, 0.5);
    const ContactProblem& problem = builder.finish();
    EliminatedRows eliminated;
    ASSERT_TRUE(eliminated.eliminate(problem, 1.0));
    EXPECT_EQ(eliminated.rest().dof(), 3);
    EXPECT_EQ(eliminated.rest().rows(), 0) << seed;
    expectCertified(problem, seed);
  }
}

/// The same matrices with other targets, then other ones: as if each were the first.
TEST(EliminatedRows, WhatMatricesSayIsKeptWithThem) {
  EliminatedRows again;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed / 3};
    for (int k = 0; k < 5; ++k) builder.addBody();
    for (int k = 1; k < 5; ++k) builder.addRows(k, (k - 1) / 2, 5, 0);
    builder.addRows(2, 0, 1, 0.3);
    builder.addRows(0, 4, 1, 0);
    for (int k = 3; k < 5; ++k) builder.addContact(k, -1, 0.6);
    ContactProblem problem = builder.finish();
    problem.f *= 1.0 + seed;
    problem.b *= 2.0 - seed;
    problem.w *= 0.5 * seed;
    EliminatedRows first;
    ASSERT_TRUE(first.eliminate(problem, 1.0) && again.eliminate(problem, 1.0));
    EXPECT_EQ(first.rest().M, again.rest().M);
    EXPECT_EQ(first.rest().H, again.rest().H);
    EXPECT_EQ(first.rest().G, again.rest().G);
    EXPECT_EQ(first.rest().f, again.rest().f);
    EXPECT_EQ(first.rest().w, again.rest().w);
    EXPECT_EQ(first.rest().b, again.rest().b);
    const Iterate rest = solveDensely(first.rest(), builder.matrix(6, 1));
    Iterate one, other;
    first.leave(rest, one);
    again.leave(rest, other);
    EXPECT_EQ(one.v, other.v);
    EXPECT_EQ(one.lambda, other.lambda);
  }
}

/// Compliance along the joints themselves goes into the masses, of other rows it stays.
TEST(EliminatedRows, SoftRowsOfJointsAreMasses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 3; ++k) builder.addBody();
    builder.addRows(0, -1, 5, 0);
    builder.addRows(1, 0, 5, 0);
    builder.addRows(2, 1, 4, 0);
    builder.addRows(1, 0, 1, 0.3);
    builder.addRows(2, 1, 2, 0.7);
    builder.addRows(2, 0, 1, 0.2);  // of no joint
    builder.addContact(2, -1, 0.5);
    expectSame(builder, 4, 1);
  }
}

TEST(EliminatedRows, NothingToEliminate) {
  Builder free{1}, rod{2}, chain{3};
  free.addBody();
  EliminatedRows eliminated;
  EXPECT_FALSE(eliminated.eliminate(free.finish(), 1.0));
  for (int k = 0; k < 2; ++k) rod.addBody();
  rod.addRows(0, 1, 1, 0);
  EXPECT_FALSE(eliminated.eliminate(rod.finish(), 1.0));
  Builder glued{4};
  glued.addBody();
  glued.addRows(0, -1, 6, 0);
  EXPECT_FALSE(eliminated.eliminate(glued.finish(), 1.0));
  for (int k = 0; k < 400; ++k) chain.addBody();  // so long that minimal coordinates are more work
  for (int k = 1; k < 400; ++k) chain.addRows(k, k - 1, 5, 0);
  EXPECT_FALSE(eliminated.eliminate(chain.finish(), 1.0));
}

/// The certificate of the whole problem judges what comes back.
TEST(EliminatedRows, ThePortfolioCertifiesTreesInContact) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 7; ++k) builder.addBody();
    for (int k = 1; k < 7; ++k) builder.addRows(k, (k - 1) / 2, 5, 0);
    for (int k = 3; k < 7; ++k) builder.addContact(k, -1, 0.6);
    expectCertified(builder.finish(), seed);
  }
}

/// Joints that move bodies give contacts velocities that the whole problem's scale, of the free motion, knows nothing of: what is left must be solved that much better.
TEST(EliminatedRows, WhatIsLeftIsSolvedByTheScaleOfTheWhole) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Builder builder{seed};
    for (int k = 0; k < 6; ++k) builder.addBody();
    for (int k = 0; k < 5; ++k) builder.addRows(k, k + 1, 5, 0);
    for (int k = 0; k < 4; ++k) builder.addContact(k + 2, -1, 0.5);
    ContactProblem problem = builder.finish();
    problem.b *= 30;
    SolveOptions options;
    options.polish = options.tolerance;
    options.effort = Effort::Usual;
    Iterate answer;
    EXPECT_TRUE((Portfolio{}.solve(problem, answer, options).certified)) << seed;
    EXPECT_LE(certify(problem, answer).relative, options.tolerance) << seed;
  }
}

/// Where no method can begin, as numbers of all sizes meet, nothing is read of an answer that is not there.
TEST(EliminatedRows, FailuresAreReported) {
  Builder builder{5};
  for (int k = 0; k < 3; ++k) builder.addBody();
  for (int k = 1; k < 3; ++k) builder.addRows(k, k - 1, 5, 0);
  builder.addContact(2, -1, 0.6);
  builder.finish();
  for (double& x : builder.problem.M.values) x = -x;
  Iterate answer;
  EXPECT_FALSE(Portfolio{}.solve(builder.problem, answer, {}).certified);
}

}  // namespace
}  // namespace stiction
