// Sweeps that overlap: every body is visited in the order of one thread, and the answer of Gauss–Seidel is the same bits on any number of them.
#include "solvers/SweepSchedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "solvers/GaussSeidel.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Layers of eight by eight balls of 1 kg under a downward impulse: each touches its neighbours, the ball below and, at the rim, a wall; some are tied to the next. Bodies are numbered
/// layer by layer, or anyhow.
ContactProblem layers(int count, bool isShuffled) {
  constexpr int side = 8;
  const int balls = side * side * count;
  std::mt19937 generator{5};
  const auto random = [&generator] { return 2.0 * generator() / std::mt19937::max() - 1; };
  std::vector<int> number(at(balls));
  std::iota(number.begin(), number.end(), 0);
  if (isShuffled)
    for (int i = balls - 1; i > 0; --i) std::swap(number[at(i)], number[at(static_cast<int>(generator() % static_cast<unsigned>(i + 1)))]);
  ContactProblem problem;
  const Matrix3 mass = Matrix3::Identity();
  for (int i = 0; i < balls; ++i) problem.M.addBlock(mass.data(), 3);
  std::vector<double> mu;
  const auto touch = [&](const Vector3& normal, int a, int b) {  // b < 0: the world
    Matrix3 columns;
    columns.col(0) = normal.normalized();
    columns.col(1) = columns.col(0).cross(Vector3{0.3, 0.5, 0.8}).normalized();
    columns.col(2) = columns.col(0).cross(columns.col(1));
    problem.H.addSegment(a, 3 * a, 3, columns.data());
    columns *= -1;
    if (b >= 0) problem.H.addSegment(b, 3 * b, 3, columns.data());
    problem.H.endGroup();
    mu.push_back(0.3 + 0.2 * random());
  };
  const auto nudge = [&]() -> Vector3 { return 0.2 * Vector3{random(), random(), random()}; };
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const auto ball = [&](int x, int y, int z) { return number[at(x + side * (y + side * z))]; };
        if (i == 0) touch(Vector3::UnitX() + nudge(), ball(i, j, k), -1);
        if (j == 0) touch(Vector3::UnitY() + nudge(), ball(i, j, k), -1);
        if (i > 0) touch(Vector3::UnitX() + nudge(), ball(i, j, k), ball(i - 1, j, k));
        if (j > 0) touch(Vector3::UnitY() + nudge(), ball(i, j, k), ball(i, j - 1, k));
        touch(Vector3::UnitZ() + nudge(), ball(i, j, k), k > 0 ? ball(i, j, k - 1) : -1);
        if (i > 0 && (i + j) % 5 == 0) {
          const Vector3 along = Vector3::UnitX(), back = -along;
          problem.G.addSegment(ball(i, j, k), 3 * ball(i, j, k), 3, along.data());
          problem.G.addSegment(ball(i - 1, j, k), 3 * ball(i - 1, j, k), 3, back.data());
          problem.G.endGroup();
        }
      }
  problem.f = VectorX::NullaryExpr(3 * balls, [&](Eigen::Index i) { return (i % 3 == 2 ? -1.0 : 0.0) + 0.1 * random(); });
  problem.w = problem.wScale = VectorX::Zero(problem.H.columns());
  problem.b = VectorX::Zero(problem.rows());
  problem.mu = Eigen::Map<const VectorX>{mu.data(), static_cast<Eigen::Index>(mu.size())};
  return problem;
}

TEST(SweepSchedule, ManyContactsAndRowsTakeTheirTurnsByTheLastBody) {
  const ContactProblem problem = layers(5, true);
  SweepSchedule schedule;
  schedule.bind(problem, nullptr);
  const auto check = [](const BlockColumns& columns, std::vector<int> turns) {
    const auto key = [&](int i) {
      int last = 0;
      for (int s = columns.start[at(i)]; s < columns.start[at(i) + 1]; ++s) last = std::max(last, columns.segments[at(s)].block);
      return std::pair{last, i};
    };
    EXPECT_TRUE(std::is_sorted(turns.begin(), turns.end(), [&](int i, int j) { return key(i) < key(j); }));
    std::sort(turns.begin(), turns.end());
    std::vector<int> all(at(columns.groups()));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(turns, all);
  };
  ASSERT_GE(problem.contacts(), SweepSchedule::kManyContacts);
  check(problem.H, schedule.contacts());
  check(problem.G, schedule.rows());
}

/// Each row and contact by its own time, and each body by those of its visits.
TEST(SweepSchedule, EveryBodyIsVisitedInTheOrderOfOneThread) {
  for (const bool isShuffled : {false, true}) {
    const ContactProblem problem = layers(12, isShuffled);
    const auto visits = [&](int threads) {
      ThreadPool team{threads};
      SweepSchedule schedule;
      schedule.bind(problem, &team);
      std::vector<std::vector<int>> seen(at(problem.M.blocks()));
      const auto visit = [&](int k, const BlockColumns& columns, int group, int kind) {
        for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
          seen[at(columns.segments[at(s)].block)].push_back(100000 * k + 2 * group + kind);
      };
      schedule.run(SweepSchedule::kMostSweeps, [&](int k, const SweepSchedule::Part& part) {
        for (int turn = part.firstRow; turn < part.lastRow; ++turn) visit(k, problem.G, schedule.rows()[at(turn)], 0);
        for (int turn = part.firstContact; turn < part.lastContact; ++turn) visit(k, problem.H, schedule.contacts()[at(turn)], 1);
      });
      return seen;
    };
    const auto alone = visits(1);
    std::size_t all = 0;
    for (const auto& visit : alone) all += visit.size();
    EXPECT_EQ(all, SweepSchedule::kMostSweeps * (problem.H.segments.size() + problem.G.segments.size()));
    for (const int threads : {2, 3, 4})
      for (int repeat = 0; repeat < 10; ++repeat) EXPECT_EQ(visits(threads), alone) << threads << " threads";
  }
}

TEST(SweepSchedule, GaussSeidelHasTheSameBitsOnAnyNumberOfThreads) {
  for (const bool isShuffled : {false, true}) {
    const ContactProblem problem = layers(12, isShuffled);
    SolveOptions options;
    options.maxIterations = 100;
    options.relaxation = 1.4;
    const auto solve = [&](ThreadPool* team) {
      const auto solver = makeNsgs();
      solver->setTeam(team);
      Iterate iterate;
      solver->solve(problem, iterate, options);
      return iterate;
    };
    const Iterate alone = solve(nullptr);
    ASSERT_GT(alone.r.norm(), 1.0);
    for (const int threads : {2, 3, 4}) {
      ThreadPool team{threads};
      const Iterate together = solve(&team);
      EXPECT_EQ(together.r, alone.r) << threads << " threads";
      EXPECT_EQ(together.lambda, alone.lambda) << threads << " threads";
      EXPECT_EQ(together.v, alone.v) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace stiction
