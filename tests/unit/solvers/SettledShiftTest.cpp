// Contacts that creep are held: a pile whose top box slides, and nothing else moves.
#include <gtest/gtest.h>

#include "PyramidProblem.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr double kMu = 0.6, kSpeed = 2.0;  // [-]; [m/s] of the top box

struct SlidingTop {
  SlidingTop() : problem{makePyramid({.rows = 8, .mu = kMu})} {
    top = static_cast<int>(problem.f.size()) - 6;
    problem.f[top] += kSpeed;  // of a box of 1 kg
    answer.setZero(problem.f.size());
    answer[top] = kSpeed - kMu * problem.scaleFloor;  // friction takes μ g h
  }

  /// The answer, but for speeds of `creep` [m/s] of all other boxes.
  Iterate startFrom(double creep) const {
    std::mt19937 random{7};
    std::uniform_real_distribution<double> uniform{-creep, creep};
    Iterate start;
    start.v = answer.unaryExpr([&](double x) { return x + uniform(random); });
    start.r.setZero(3 * problem.contacts());
    start.lambda.resize(0);
    return start;
  }

  ContactProblem problem;
  int top;
  VectorX answer;
};

TEST(SettledShift, LetsRestWhatCreeps) {
  const SlidingTop pile;
  VelocitySystem system;
  ASSERT_TRUE(system.bind(pile.problem));
  Iterate iterate = pile.startFrom(1e-4);
  const SolveReport report = makeSettledShiftMethod()->run(system, iterate, {});
  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_LE(report.residual, 1e-8);
  EXPECT_LT((iterate.v - pile.answer).lpNorm<Eigen::Infinity>(), 1e-8);
  EXPECT_LT(report.factorisations, 100);
}

TEST(SettledShift, HandsBackTheBestAnswerWhereShiftsAreWrong) {
  const SlidingTop pile;
  VelocitySystem system;
  ASSERT_TRUE(system.bind(pile.problem));
  Iterate iterate = pile.startFrom(1.0);  // nothing creeps
  BestIterate before;
  before.reset();
  const double residual = before.offer(system, iterate.r, iterate.lambda);
  const SolveReport report = makeSettledShiftMethod()->run(system, iterate, {});
  EXPECT_LE(report.residual, residual / system.scale());
  EXPECT_EQ(before.offer(system, iterate.r, iterate.lambda) / system.scale(), report.residual);
}

}  // namespace
}  // namespace stiction
