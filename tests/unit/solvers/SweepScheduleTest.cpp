// Sweeps that overlap: every body is visited in the order of one thread, and the answer of Gauss–Seidel is the same bits on any number of them.
#include "solvers/SweepSchedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "solvers/GaussSeidel.hpp"
#include "unit/solvers/LayersProblem.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
