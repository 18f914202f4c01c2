// Sweeps go where the last one over all contacts still moved bodies, and settle what spreads from there.
#include "solvers/SweepFocus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "solvers/GaussSeidel.hpp"
#include "solvers/VelocitySystem.hpp"
#include "unit/solvers/LayersByTurns.hpp"

namespace stiction {
namespace {

/// The contacts of a problem by turns, all of them loaded, with a focus.
struct Layers : LayersByTurns {
  SweepFocus focus;
  std::vector<LaneImpulse> impulses;

  Layers() : impulses(static_cast<std::size_t>(problem.contacts()), LaneImpulse{{1, 0, 0, 0}}) { focus.bind(problem.contacts(), root.packs()); }

  void choose(double largest) {
    for (const SweepSchedule::Part& part : schedule.parts()) focus.choose(columns, impulses, part, largest);
    focus.forget();
  }

  /// The turns chosen, part by part.
  std::vector<int> chosen() const {
    std::vector<int> turns;
    for (const SweepSchedule::Part& part : schedule.parts())
      for (int place = part.firstContact; place < part.lastContact && focus.chosen(place) != SweepFocus::kNone; ++place) turns.push_back(focus.chosen(place));
    return turns;
  }

  /// All turns with a body of those.
  std::vector<int> with(const std::set<int>& stirred) const {
    std::vector<int> turns;
    for (int k = 0; k < problem.contacts(); ++k) {
      const std::set<int> own = bodies(k);
      if (std::any_of(own.begin(), own.end(), [&](int body) { return stirred.count(body) > 0; })) turns.push_back(k);
    }
    return turns;
  }
};

TEST(SweepFocus, ChoosesTheContactsOfStirredBodies) {
  Layers layers;
  constexpr int first = 100, second = 700, faint = 400;
  layers.focus.note(layers.columns, first, 2.0);
  layers.focus.note(layers.columns, second, 0.1);
  layers.focus.note(layers.columns, second, 0.01);  // the larger one counts
  layers.focus.note(layers.columns, faint, 0.02);
  layers.choose(2.0);
  std::set<int> stirred = layers.bodies(first);
  stirred.merge(layers.bodies(second));
  EXPECT_EQ(layers.chosen(), layers.with(stirred));
  EXPECT_GT(layers.chosen().size(), 10u);
}

TEST(SweepFocus, LeavesOpenContactsOut) {
  Layers layers;
  constexpr int stirred = 100;
  layers.focus.note(layers.columns, stirred, 1.0);
  std::vector<int> loaded = layers.with(layers.bodies(stirred));
  const int open = loaded.back();
  ASSERT_NE(open, stirred);
  layers.impulses[static_cast<std::size_t>(open)] = {};
  loaded.pop_back();
  layers.choose(1.0);
  EXPECT_EQ(layers.chosen(), loaded);
}

TEST(SweepFocus, ForgetsWhatItHasChosenBy) {
  Layers layers;
  layers.focus.note(layers.columns, 5, 1.0);
  layers.choose(1.0);
  layers.focus.note(layers.columns, 300, 1e-3);
  layers.choose(1e-3);
  EXPECT_EQ(layers.chosen(), layers.with(layers.bodies(300)));
}

TEST(SweepFocus, AKickSpreadsFromWhereItHits) {
  // From the answer of a heap, one ball kicked down hard enough to change the loads below it: the sweeps have to leave the first focus.
  ContactProblem problem = layers(12, false);
  problem.mu.setConstant(0.5);
  SolveOptions options;
  options.tolerance = 1e-10;
  options.maxIterations = 4000;
  options.patience = options.maxIterations;
  const auto solver = makeNsgs();
  Iterate iterate;
  solver->solve(problem, iterate, options);
  const auto residual = [&] {
    VelocitySystem system;
    EXPECT_TRUE(system.bind(problem));
    VectorX v, u, rows;
    system.velocityFromImpulses(iterate.r, iterate.lambda, v);
    system.contactVelocity(v, iterate.r, u);
    system.rowVelocity(v, iterate.lambda, rows);
    return system.residual(u, iterate.r, rows) / system.scale();
  };
  ASSERT_LE(residual(), 1e-10);
  problem.f[3 * (problem.M.blocks() - 1) + 2] -= 50;
  ASSERT_GT(residual(), 0.5);
  options.warm = true;
  options.relaxation = 1.6;
  const VectorX before = iterate.r;
  EXPECT_EQ(solver->solve(problem, iterate, options).status, SolveStatus::Converged);
  EXPECT_LE(residual(), 1e-10);
  int changed = 0;
  for (int i = 0; i < problem.contacts(); ++i) changed += (iterate.r - before).segment<3>(3 * i).norm() > 1e-3 ? 1 : 0;
  EXPECT_GT(changed, problem.contacts() / 20);
}

}  // namespace
}  // namespace stiction
