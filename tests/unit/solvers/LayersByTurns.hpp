// The heap in layers as sweeps hold it: its contacts by turns.
#pragma once
#include <gtest/gtest.h>

#include <set>

#include "solvers/MassWeighted.hpp"
#include "solvers/SweepSchedule.hpp"
#include "unit/solvers/LayersProblem.hpp"

namespace stiction {

struct LayersByTurns {
  ContactProblem problem{layers(6, false)};
  MassRoot root;
  SweepSchedule schedule;
  WeightedColumns<3> columns;

  LayersByTurns() {
    EXPECT_TRUE(root.factor(problem.M));
    schedule.bind(problem, nullptr);
    columns.build(problem.M, root, problem.H, schedule.contacts());
  }

  int contact(int turn) const { return schedule.contacts()[static_cast<std::size_t>(turn)]; }

  std::set<int> bodies(int turn) const {
    std::set<int> touched;
    const auto i = static_cast<std::size_t>(contact(turn));
    for (int s = problem.H.start[i]; s < problem.H.start[i + 1]; ++s) touched.insert(problem.H.segments[static_cast<std::size_t>(s)].block);
    return touched;
  }
};

}  // namespace stiction
