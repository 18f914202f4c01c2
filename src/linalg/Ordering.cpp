#include "linalg/Ordering.hpp"

#include <amd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/Assert.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Eliminates nodes of few neighbours, the ones of fewest first: chains, and what hangs on them. They go to `order`; what is left, with the edges that elimination adds, comes back
/// with the nodes' names.
std::pair<Graph, std::vector<int>> eliminateChains(const Graph& graph, std::vector<int>& order) {
  constexpr int few = 3;
  std::vector<std::set<int>> around(at(graph.nodes()));
  std::set<std::pair<int, int>> queue;  // neighbours, node
  const auto degree = [&around](int k) { return static_cast<int>(around[at(k)].size()); };
  for (int k = 0; k < graph.nodes(); ++k) {
    around[at(k)].insert(graph.neighbours.begin() + graph.start[at(k)], graph.neighbours.begin() + graph.start[at(k) + 1]);
    if (degree(k) <= few) queue.insert({degree(k), k});
  }
  std::vector<char> gone(at(graph.nodes()), 0);
  while (!queue.empty()) {
    const int node = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(node);
    gone[at(node)] = 1;
    for (const int a : around[at(node)]) {
      queue.erase({degree(a), a});
      around[at(a)].erase(node);
      for (const int b : around[at(node)])
        if (b != a) around[at(a)].insert(b);
      if (degree(a) <= few) queue.insert({degree(a), a});
    }
  }
  std::vector<int> names, number(at(graph.nodes()));
  for (int k = 0; k < graph.nodes(); ++k)
    if (!gone[at(k)]) number[at(k)] = static_cast<int>(names.size()), names.push_back(k);
  std::vector<std::array<int, 2>> edges;
  for (const int a : names)
    for (const int b : around[at(a)])
      if (a < b) edges.push_back({number[at(a)], number[at(b)]});
  return {Graph{static_cast<int>(names.size()), edges}, std::move(names)};
}

/// Splits a graph by separators, its parts likewise: parts first, separators last. A part is cut in half where a search in breadth from a far end is half through; then single nodes of the
/// separator move to a side, and their neighbours on the other side into the separator, as long as that makes it smaller (the moves of Kernighan & Lin 1970 and Fiduccia & Mattheyses 1982,
/// for separators of nodes as in Ashcraft & Liu 1997).
class Dissection {
 public:
  explicit Dissection(const Graph& graph)
      : graph_{graph},
        part_(at(graph.nodes()), 0),
        side_(at(graph.nodes()), kLeft),
        seen_(at(graph.nodes()), 0),
        moved_(at(graph.nodes()), 0),
        pulled_(at(graph.nodes())) {}

  std::vector<int> order() {
    std::vector<int> all(at(graph_.nodes()));
    std::iota(all.begin(), all.end(), 0);
    dissect(all);
    return std::move(order_);
  }

 private:
  static constexpr int kLeft = 0, kRight = 1, kSeparator = 2;
  static constexpr std::size_t kSmall = 200;  // nodes of a part: minimum degree is as good
  static constexpr int kStarts = 4;           // searches, the smallest separator of which is taken

  struct Move {
    int pulls, node, side;  // so many nodes of the other side into the separator
    bool operator<(const Move& other) const { return std::tie(pulls, node, side) < std::tie(other.pulls, other.node, other.side); }
  };

  template <class Visit>
  void eachNeighbour(int node, const Visit& visit) const {  // inside the part
    for (int k = graph_.start[at(node)]; k < graph_.start[at(node) + 1]; ++k)
      if (const int other = graph_.neighbours[at(k)]; part_[at(other)] == part_[at(node)]) visit(other);
  }

  /// The nodes of the part that can be reached, in breadth.
  std::vector<int> search(int from) {
    std::vector<int> found{from};
    seen_[at(from)] = ++searches_;
    for (std::size_t k = 0; k < found.size(); ++k)
      eachNeighbour(found[k], [&](int other) {
        if (seen_[at(other)] == searches_) return;
        seen_[at(other)] = searches_;
        found.push_back(other);
      });
    return found;
  }

  void name(const std::vector<int>& nodes, int part) {
    for (const int k : nodes) part_[at(k)] = part;
  }

  void dissect(const std::vector<int>& nodes) {
    if (nodes.size() <= kSmall) return orderSmall(nodes);
    if (search(nodes.front()).size() < nodes.size()) return dissectPieces(nodes);
    std::vector<int> best;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kStarts; ++k) {
      int start = nodes[at(k) * nodes.size() / at(kStarts)];
      for (int turn = 0; turn < 3; ++turn) start = search(start).back();  // towards an end
      cut(search(start));
      const double cost = refine(nodes);
      if (!(cost < least)) continue;
      least = cost;
      best.clear();
      for (const int node : nodes) best.push_back(side_[at(node)]);
    }
    std::array<std::vector<int>, 3> parts;
    for (std::size_t k = 0; k < nodes.size(); ++k) parts[at(best[k])].push_back(nodes[k]);
    if (parts[kLeft].empty() || parts[kRight].empty()) return orderSmall(nodes);
    for (const auto& part : parts) name(part, ++parts_);
    dissect(parts[kLeft]);
    dissect(parts[kRight]);
    order_.insert(order_.end(), parts[kSeparator].begin(), parts[kSeparator].end());
  }

  void dissectPieces(const std::vector<int>& nodes) {
    const int whole = part_[at(nodes.front())];
    for (const int node : nodes) {
      if (part_[at(node)] != whole) continue;
      std::vector<int> piece = search(node);
      std::sort(piece.begin(), piece.end());
      name(piece, ++parts_);
      dissect(piece);
    }
  }

  void orderSmall(const std::vector<int>& nodes) {
    std::vector<std::array<int, 2>> edges;
    for (const int node : nodes)
      eachNeighbour(node, [&](int other) {
        if (node >= other) return;
        const auto number = [&nodes](int k) { return static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), k) - nodes.begin()); };
        edges.push_back({number(node), number(other)});
      });
    for (const int k : minimumDegree(Graph{static_cast<int>(nodes.size()), edges})) order_.push_back(nodes[at(k)]);
  }

  void cut(const std::vector<int>& found) {
    for (std::size_t k = 0; k < found.size(); ++k) side_[at(found[k])] = k < found.size() / 2 ? kLeft : kRight;
    for (std::size_t k = 0; k < found.size() / 2; ++k) {
      int across = 0;
      eachNeighbour(found[k], [&](int other) { across += side_[at(other)] == kRight; });
      if (across > 0) side_[at(found[k])] = kSeparator;
    }
  }

  /// Returns what the separator costs: its size, and more where the sides differ.
  double refine(const std::vector<int>& nodes) {
    constexpr int passes = 12;
    size_ = static_cast<double>(nodes.size());
    count_ = {0, 0, 0};
    for (const int node : nodes) ++count_[at(side_[at(node)])];
    double least = cost();
    for (int k = 0; k < passes; ++k)
      if (const double before = std::exchange(least, pass(nodes)); !(least < before)) break;
    return least;
  }

  /// Moves each node once at most, the one that pulls the fewest into the separator first, downhill and some way uphill, and goes back to where the separator cost least.
  double pass(const std::vector<int>& nodes) {
    constexpr int patience = 60;
    double least = cost();
    moves_.clear(), done_.clear();
    std::size_t kept = 0;
    for (const int node : nodes) {
      moved_[at(node)] = 0;
      if (side_[at(node)] == kSeparator) offer(node);
    }
    for (int idle = 0; idle < patience && moveBest();) {
      ++idle;
      if (cost() < least) least = cost(), kept = done_.size(), idle = 0;
    }
    for (; done_.size() > kept; done_.pop_back()) put(done_.back()[0], done_.back()[1]);
    return least;
  }

  double cost() const { return count_[kSeparator] * (1 + 0.5 * std::abs(count_[kLeft] - count_[kRight]) / size_); }

  bool isBalanced(const Move& move) const {
    constexpr double smallest = 0.35;  // [-] of a side
    const int other = count_[at(1 - move.side)];
    return other - move.pulls >= smallest * size_ || other > count_[at(move.side)];
  }

  bool moveBest() {
    constexpr int look = 20;
    auto move = moves_.begin();
    for (int k = 0; k < look && move != moves_.end() && !isBalanced(*move); ++k) ++move;
    if (move == moves_.end() || !isBalanced(*move)) return false;
    const int node = move->node, side = move->side;
    forget(node);
    moved_[at(node)] = 1;
    change(node, side);
    std::vector<int> touched;
    eachNeighbour(node, [&](int other) {
      if (side_[at(other)] == 1 - side) {
        change(other, kSeparator);
        if (!moved_[at(other)]) offer(other);
      }
      if (side_[at(other)] == kSeparator) touched.push_back(other);
    });
    const auto refresh = [this](int other) {
      if (side_[at(other)] != kSeparator || moved_[at(other)]) return;
      forget(other);
      offer(other);
    };
    for (const int other : touched) {
      refresh(other);
      eachNeighbour(other, refresh);
    }
    return true;
  }

  void change(int node, int side) {
    done_.push_back({node, side_[at(node)]});
    put(node, side);
  }
  void put(int node, int side) {
    --count_[at(side_[at(node)])], ++count_[at(side)];
    side_[at(node)] = side;
  }

  void offer(int node) {
    auto& pulls = pulled_[at(node)];
    pulls = {0, 0};
    eachNeighbour(node, [&](int other) {
      if (side_[at(other)] != kSeparator) ++pulls[at(1 - side_[at(other)])];
    });
    for (const int side : {kLeft, kRight}) moves_.insert({pulls[at(side)], node, side});
  }
  void forget(int node) {
    for (const int side : {kLeft, kRight}) moves_.erase({pulled_[at(node)][at(side)], node, side});
  }

  const Graph& graph_;
  std::vector<int> part_, side_, seen_, order_;
  std::vector<char> moved_;
  std::vector<std::array<int, 2>> pulled_;  // by moves of a node to each side, as offered
  int searches_{0}, parts_{0};

  // of the part that is being refined
  double size_{0};              // nodes
  std::array<int, 3> count_{};  // … of them on each side and in the separator
  std::set<Move> moves_;
  std::vector<std::array<int, 2>> done_;  // node, and where it was before
};

/// The same fill, each subtree of the elimination tree in one piece: nodes whose columns are alike follow each other.
std::vector<int> postorder(const Graph& graph, const std::vector<int>& order) {
  const int n = graph.nodes();
  std::vector<int> turn(at(n)), parent(at(n), -1), ancestor(at(n), -1);
  for (int k = 0; k < n; ++k) turn[at(order[at(k)])] = k;
  for (int k = 0; k < n; ++k)  // the tree by Liu (1986)
    for (int e = graph.start[at(order[at(k)])]; e < graph.start[at(order[at(k)]) + 1]; ++e)
      for (int i = turn[at(graph.neighbours[at(e)])]; i >= 0 && i < k;) {
        const int next = std::exchange(ancestor[at(i)], k);
        if (next < 0) parent[at(i)] = k;
        i = next;
      }
  std::vector<std::vector<int>> children(at(n) + 1);
  for (int k = n - 1; k >= 0; --k) children[at(parent[at(k)] < 0 ? n : parent[at(k)])].push_back(k);
  std::vector<int> result, stack{n};
  while (!stack.empty()) {
    const int node = stack.back();
    if (children[at(node)].empty()) {
      if (node < n) result.push_back(order[at(node)]);
      stack.pop_back();
    } else {
      stack.push_back(children[at(node)].back());
      children[at(node)].pop_back();
    }
  }
  return result;
}

}  // namespace

Graph::Graph(int nodes, const std::vector<std::array<int, 2>>& edges) {
  start.assign(at(nodes) + 1, 0);
  for (const auto& [a, b] : edges) ++start[at(a) + 1], ++start[at(b) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> fill{start.begin(), start.end() - 1};
  neighbours.resize(at(start.back()));
  for (const auto& [a, b] : edges) neighbours[at(fill[at(a)]++)] = b, neighbours[at(fill[at(b)]++)] = a;
}

std::vector<int> minimumDegree(const Graph& graph) {
  std::vector<int> order(at(graph.nodes()));
  std::iota(order.begin(), order.end(), 0);
  if (graph.neighbours.empty()) return order;
  const int status = amd_order(graph.nodes(), graph.start.data(), graph.neighbours.data(), order.data(), nullptr, nullptr);
  STICTION_ASSERT(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
  return order;
}

std::vector<int> nestedDissection(const Graph& graph) {
  std::vector<int> order;
  const auto [core, names] = eliminateChains(graph, order);
  for (const int k : Dissection{core}.order()) order.push_back(names[at(k)]);
  return postorder(graph, order);
}

}  // namespace stiction
