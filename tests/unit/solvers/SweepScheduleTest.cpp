// Sweeps by zones: every body is visited in the order of one thread, and the answer of Gauss–Seidel is the same bits on any number of them.
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

TEST(SweepSchedule, ManyMoreAreDividedWhereBodiesAreNumberedThroughSpace) {
  const auto partsOf = [](int count, bool isShuffled) {
    const ContactProblem problem = layers(count, isShuffled);
    SweepSchedule schedule;
    schedule.bind(problem, nullptr);
    for (auto turns : {schedule.contacts(), schedule.rows()}) {
      std::sort(turns.begin(), turns.end());
      for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i], static_cast<int>(i));
    }
    int row = 0, contact = 0;
    for (const SweepSchedule::Part& part : schedule.parts()) {
      EXPECT_EQ(part.firstRow, row);
      EXPECT_EQ(part.firstContact, contact);
      row = part.lastRow, contact = part.lastContact;
    }
    EXPECT_EQ(row, problem.rows());
    EXPECT_EQ(contact, problem.contacts());
    return schedule.count();
  };
  EXPECT_EQ(partsOf(5, false), 1);
  EXPECT_EQ(partsOf(12, false), 5);   // two zones of two parts, and what lies between
  EXPECT_EQ(partsOf(70, false), 11);  // four, three times something between
  EXPECT_EQ(partsOf(12, true), 1);
}

TEST(SweepSchedule, ZonesShareNoBody) {
  const ContactProblem problem = layers(12, false);
  SweepSchedule schedule;
  schedule.bind(problem, nullptr);
  ASSERT_EQ(schedule.count(), 5);
  std::vector<int> zone(at(problem.M.blocks()), -1);
  for (const int p : {0, 1, 2, 3}) {
    const auto visit = [&](const BlockColumns& columns, int group) {
      for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) {
        int& own = zone[at(columns.segments[at(s)].block)];
        if (own < 0) own = p / 2;
        EXPECT_EQ(own, p / 2);
      }
    };
    for (int turn = schedule.part(p).firstRow; turn < schedule.part(p).lastRow; ++turn) visit(problem.G, schedule.rows()[at(turn)]);
    for (int turn = schedule.part(p).firstContact; turn < schedule.part(p).lastContact; ++turn) visit(problem.H, schedule.contacts()[at(turn)]);
  }
  const auto contactsOf = [&](int p) { return schedule.part(p).lastContact - schedule.part(p).firstContact; };
  EXPECT_GT(contactsOf(0) + contactsOf(1), problem.contacts() / 3);
  EXPECT_GT(contactsOf(2) + contactsOf(3), problem.contacts() / 3);
}

/// Each row and contact by its own time, and each body by those of its visits.
TEST(SweepSchedule, EveryBodyIsVisitedInTheOrderOfOneThread) {
  for (const auto& [count, isShuffled] : {std::pair{12, false}, std::pair{12, true}, std::pair{70, false}}) {
    const ContactProblem problem = layers(count, isShuffled);
    const auto visits = [&](int threads) {
      ThreadPool team{threads};
      SweepSchedule schedule;
      schedule.bind(problem, &team);
      std::vector<std::vector<int>> seen(at(problem.M.blocks()));
      const auto visit = [&](int k, const BlockColumns& columns, int group, int kind) {
        for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
          seen[at(columns.segments[at(s)].block)].push_back(100000 * k + 2 * group + kind);
      };
      schedule.run(SweepSchedule::kMostSweeps, [&](int k, int p) {
        const SweepSchedule::Part& part = schedule.part(p);
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
  for (const auto& [count, isShuffled] : {std::pair{12, false}, std::pair{12, true}, std::pair{70, false}}) {
    const ContactProblem problem = layers(count, isShuffled);
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
