// Orders of elimination of a graph, by which a factor of its matrix fills in little.
#pragma once
#include <array>
#include <vector>

namespace stiction {

/// Nodes and their neighbours; each edge is there from both ends, none leads from a node to itself.
struct Graph {
  std::vector<int> start{0};  // node k has neighbours [start[k], start[k+1])
  std::vector<int> neighbours;

  /// Of pairs of nodes 0 … `nodes` − 1, each pair once.
  Graph(int nodes, const std::vector<std::array<int, 2>>& edges);

  int nodes() const { return static_cast<int>(start.size()) - 1; }
};

/// The node to eliminate at each turn, by approximate minimum degree (Amestoy, Davis & Duff 1996).
std::vector<int> minimumDegree(const Graph& graph);

/// Likewise by nested dissection (George 1973): for graphs of thousands of nodes in space, where minimum degree fills in up to two and a half times as much. Takes some 10 µs a node.
std::vector<int> nestedDissection(const Graph& graph);

}  // namespace stiction
