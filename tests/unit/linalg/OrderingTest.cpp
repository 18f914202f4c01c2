// Orders of elimination: each node once, no fill where there need be none, less of it than by minimum degree in space.
#include "linalg/Ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "linalg/BlockFactor.hpp"

namespace stiction {
namespace {

using Edges = std::vector<std::array<int, 2>>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// side × side × side nodes, each coupled to its nearest neighbours.
Edges cube(int side) {
  Edges edges;
  const auto node = [side](int x, int y, int z) { return x + side * (y + side * z); };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        if (x > 0) edges.push_back({node(x - 1, y, z), node(x, y, z)});
        if (y > 0) edges.push_back({node(x, y - 1, z), node(x, y, z)});
        if (z > 0) edges.push_back({node(x, y, z - 1), node(x, y, z)});
      }
  return edges;
}

/// By elimination, node by node: how many entries the factor has below its diagonal, and Σ (entries of a column)².
struct Fill {
  double entries{0}, work{0};
};

Fill eliminate(const Graph& graph, const std::vector<int>& order) {
  std::vector<std::set<int>> around(at(graph.nodes()));
  for (int k = 0; k < graph.nodes(); ++k)
    around[at(k)].insert(graph.neighbours.begin() + graph.start[at(k)], graph.neighbours.begin() + graph.start[at(k) + 1]);
  Fill fill;
  for (const int node : order) {
    const auto& column = around[at(node)];
    fill.entries += static_cast<double>(column.size()), fill.work += static_cast<double>(column.size() * column.size());
    for (const int a : column) {
      around[at(a)].insert(column.begin(), column.end());
      around[at(a)].erase(a), around[at(a)].erase(node);
    }
  }
  return fill;
}

void expectEachNodeOnce(std::vector<int> order, int nodes) {
  std::sort(order.begin(), order.end());
  ASSERT_EQ(static_cast<int>(order.size()), nodes);
  for (int k = 0; k < nodes; ++k) ASSERT_EQ(order[at(k)], k);
}

TEST(Ordering, EliminatesEachNodeOnce) {
  std::mt19937 random{3};
  for (const int nodes : {0, 1, 2, 50, 700, 2000})
    for (const int degree : {0, 1, 2, 8}) {
      std::set<std::array<int, 2>> edges;
      for (int k = 0; k < degree * nodes / 2; ++k) {
        const int a = static_cast<int>(random() % static_cast<unsigned>(nodes)), b = static_cast<int>(random() % static_cast<unsigned>(nodes));
        if (a != b) edges.insert({std::min(a, b), std::max(a, b)});
      }
      const Graph graph{nodes, Edges{edges.begin(), edges.end()}};
      expectEachNodeOnce(nestedDissection(graph), nodes);
      expectEachNodeOnce(minimumDegree(graph), nodes);
    }
}

TEST(Ordering, TreesFillInNothing) {
  constexpr int nodes = 3000;
  std::mt19937 random{4};
  Edges chain, tree, star;
  for (int k = 1; k < nodes; ++k) {
    chain.push_back({k - 1, k});
    tree.push_back({static_cast<int>(random() % static_cast<unsigned>(k)), k});
    star.push_back({0, k});
  }
  for (const Edges& edges : {chain, tree, star}) {
    const Graph graph{nodes, edges};
    EXPECT_EQ(eliminate(graph, nestedDissection(graph)).entries, nodes - 1);
  }
}

TEST(Ordering, EveryNodeBesideEveryOther) {
  constexpr int nodes = 260;
  Edges edges;
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b) edges.push_back({a, b});
  const Graph graph{nodes, edges};
  EXPECT_EQ(eliminate(graph, nestedDissection(graph)).entries, nodes * (nodes - 1) / 2);
}

TEST(Ordering, DissectionFillsInLessThanMinimumDegreeInSpace) {
  const int side = 14;
  const Graph graph{side * side * side, cube(side)};
  const Fill dissected = eliminate(graph, nestedDissection(graph)), byDegree = eliminate(graph, minimumDegree(graph));
  EXPECT_LT(dissected.work, 0.8 * byDegree.work);
}

TEST(Ordering, DearFactorsAreDissected) {
  // Blocks of six on a cube: −1 for each coupling, 6.5 on the diagonal, which makes the matrix positive definite. A column takes 6 · 36/2 multiplications for each pair of its blocks.
  constexpr int side = 14, nodes = side * side * side;
  Edges edges = cube(side);
  BlockStructure structure;
  structure.analyse(std::vector<int>(nodes, 6), edges);
  const Graph graph{nodes, edges};
  EXPECT_LT(structure.work(), 0.8 * 108 * eliminate(graph, minimumDegree(graph)).work);
  BlockCholesky cholesky;
  cholesky.bind(structure);
  cholesky.setZero();
  const auto store = [&](int a, int b, double value) {
    const BlockStructure::Slot slot = structure.slot(a, b);
    for (int i = 0; i < 6; ++i) cholesky.lower()[slot.offset + at(i) + at(i) * at(slot.leading)] = value;
  };
  for (int k = 0; k < nodes; ++k) store(k, k, 6.5);
  for (const auto& [a, b] : edges) store(a, b, -1);
  ASSERT_TRUE(cholesky.factor());
  const VectorX x = VectorX::LinSpaced(6 * nodes, -1, 2);
  VectorX y = 6.5 * x;
  for (const auto& [a, b] : edges) y.segment<6>(6 * a) -= x.segment<6>(6 * b), y.segment<6>(6 * b) -= x.segment<6>(6 * a);
  cholesky.solve(y);
  EXPECT_LT((y - x).lpNorm<Eigen::Infinity>(), 1e-12);
}

}  // namespace
}  // namespace stiction
