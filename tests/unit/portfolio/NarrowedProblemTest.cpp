// A heap without its open contacts: what is left is the same problem, and what it closes of the rest is found.
#include "portfolio/NarrowedProblem.hpp"

#include <gtest/gtest.h>

#include "portfolio/Portfolio.hpp"
#include "unit/solvers/LayersProblem.hpp"

namespace stiction {
namespace {

constexpr int kFirst = 7, kSecond = 200;  // contacts that stand for those left out

/// At rest under no load: every contact would open but two, of which one bears load and the other closes.
struct Heap {
  ContactProblem problem{layers(6, false)};
  Iterate iterate;

  Heap() {
    problem.w.setConstant(1);
    problem.w[3 * kSecond] = -1;
    problem.R = VectorX::LinSpaced(3 * problem.contacts(), 1, 2);
    iterate.v.setZero(problem.dof());
    iterate.r.setZero(3 * problem.contacts());
    iterate.r[3 * kFirst + 2] = 0.5;
    iterate.lambda = VectorX::LinSpaced(problem.rows(), 0, 1);
  }
};

VectorX dense(const BlockColumns& columns, int group) {
  VectorX all = VectorX::Zero(6 * 8 * 8 * 3 * 3);
  for (int s = columns.start[static_cast<std::size_t>(group)]; s < columns.start[static_cast<std::size_t>(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = columns.segments[static_cast<std::size_t>(s)];
    for (int k = 0; k < segment.size * columns.width; ++k) all[3 * segment.row + k] = columns.values[static_cast<std::size_t>(segment.offset + k)];
  }
  return all;
}

TEST(NarrowedProblem, KeepsWhatBearsLoadOrCloses) {
  Heap heap;
  NarrowedProblem narrowed;
  ASSERT_TRUE(narrowed.narrow(heap.problem, heap.iterate, 3.0));
  const ContactProblem& part = narrowed.part();
  ASSERT_EQ(part.contacts(), 2);
  EXPECT_EQ(part.scaleFloor, 3.0);
  EXPECT_EQ(part.rows(), heap.problem.rows());
  EXPECT_EQ(part.M.values, heap.problem.M.values);
  EXPECT_EQ(part.f, heap.problem.f);
  for (const auto& [own, whole] : {std::pair{0, kFirst}, std::pair{1, kSecond}}) {
    EXPECT_EQ(dense(part.H, own), dense(heap.problem.H, whole));
    EXPECT_EQ(part.mu[own], heap.problem.mu[whole]);
    EXPECT_EQ(part.w.segment<3>(3 * own), heap.problem.w.segment<3>(3 * whole));
    EXPECT_EQ(part.wScale.segment<3>(3 * own), heap.problem.wScale.segment<3>(3 * whole));
    EXPECT_EQ(part.R.segment<3>(3 * own), heap.problem.R.segment<3>(3 * whole));
  }
  EXPECT_FALSE(narrowed.narrow(heap.problem, heap.iterate, 3.0));
  narrowed.reset();
  EXPECT_TRUE(narrowed.narrow(heap.problem, heap.iterate, 3.0));
}

TEST(NarrowedProblem, MayKeepNoContact) {
  Heap heap;
  NarrowedProblem narrowed;
  narrowed.narrow(heap.problem, heap.iterate, 3.0);
  heap.problem.f.setConstant(2);
  heap.problem.w.setConstant(1);
  heap.iterate.r.setZero();
  narrowed.reset();
  ASSERT_TRUE(narrowed.narrow(heap.problem, heap.iterate, 3.0));
  EXPECT_EQ(narrowed.part().contacts(), 0);
  EXPECT_EQ(narrowed.part().f, heap.problem.f);
}

TEST(NarrowedProblem, AnswersGoInAndComeBack) {
  Heap heap;
  NarrowedProblem narrowed;
  narrowed.narrow(heap.problem, heap.iterate, 3.0);
  Iterate part, back = heap.iterate;
  narrowed.enter(heap.iterate, part);
  EXPECT_EQ(part.r.size(), 6);
  EXPECT_EQ(part.r[2], 0.5);
  narrowed.leave(part, back);
  EXPECT_EQ(back.r, heap.iterate.r);
  EXPECT_EQ(back.v, heap.iterate.v);
  EXPECT_EQ(back.lambda, heap.iterate.lambda);
}

TEST(NarrowedProblem, TakesInWhatCloses) {
  Heap heap;
  NarrowedProblem narrowed;
  narrowed.narrow(heap.problem, heap.iterate, 3.0);
  EXPECT_FALSE(narrowed.widen(heap.problem, heap.iterate));
  heap.problem.w[0] = -1e-12;
  ASSERT_TRUE(narrowed.widen(heap.problem, heap.iterate));
  ASSERT_EQ(narrowed.part().contacts(), 3);
  EXPECT_EQ(dense(narrowed.part().H, 0), dense(heap.problem.H, 0));
  EXPECT_EQ(dense(narrowed.part().H, 2), dense(heap.problem.H, kSecond));
}

TEST(NarrowedProblem, TheLadderTakesInWhatItHadLeftOut) {
  // A warm start that carries two thirds of the load on two thirds of the contacts, with the velocity of its own answer: the others are open there, and most of them close.
  ContactProblem problem = layers(10, false);
  ContactProblem lifted = problem;
  for (int i = 0; i < problem.contacts(); i += 3) lifted.w[3 * i] = 10;
  Portfolio portfolio;
  Iterate x;
  ASSERT_TRUE(portfolio.solve(lifted, x, {}).certified);
  SolveOptions options;
  options.warm = true;
  const PortfolioReport report = portfolio.solve(problem, x, options);
  EXPECT_TRUE(report.certified) << report.certificate.relative;
}

}  // namespace
}  // namespace stiction
