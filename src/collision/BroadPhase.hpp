// Broad phase: which geoms can meet within the step.
//
// Each geom gets the axis-aligned bounds of its shape, grown by the distance it can travel. Bounded geoms of ordinary size are sorted along a Morton curve (Morton 1966)
// and carried by a balanced binary tree over that order (Lauterbach et al. 2009, with median splits); every leaf looks for the leaves after it. Unbounded or far larger geoms
// (planes, terrain, floors) stay outside the tree and are tested against it one by one, so they do not blow up its nodes. The answer is a set of pairs, sorted: it depends
// neither on the tree nor on the order of the geoms. Cost: n log n + pairs.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ThreadPool.hpp"
#include "math/Types.hpp"

namespace stiction {

struct Box3 {
  Vector3 low{Vector3::Zero()}, high{Vector3::Zero()};  // [m]

  bool overlaps(const Box3& other) const { return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all(); }
};

class BroadPhase {
 public:
  using IndexPair = std::pair<int, int>;  // first < second

  /// All pairs of boxes that overlap (closed intervals; infinite bounds allowed), sorted. Pairs of two boxes that are both `fixed` are left out.
  /// `team`: threads that share the work, idle; null: none.
  const std::vector<IndexPair>& overlappingPairs(const std::vector<Box3>& boxes, const std::vector<char>& fixed, ThreadPool* team = nullptr);
  /// Those of them with a box that has grown since the last call of `overlappingPairs`, `grown` naming all such boxes. Cost: log n + pairs for each.
  const std::vector<IndexPair>& pairsOfGrown(const std::vector<int>& grown, const std::vector<Box3>& boxes, const std::vector<char>& fixed,
                                             ThreadPool* team = nullptr);

 private:
  struct Node {
    Box3 box;
    bool allFixed{false};
  };

  void splitBySize(const std::vector<Box3>& boxes);
  void sortPairs(std::size_t count, ThreadPool* team = nullptr);
  void sortAlongCurve(const std::vector<Box3>& boxes);
  void buildNode(std::size_t node, int first, int count, const std::vector<Box3>& boxes, const std::vector<char>& fixed);
  /// The box of the leaf at `position` and of all nodes above it.
  void refit(std::size_t node, int first, int count, int position, const std::vector<Box3>& boxes);
  void joinChildren(std::size_t node);
  /// Reports two boxes that overlap.
  void pairUp(int a, int b, const std::vector<Box3>& boxes, const std::vector<char>& fixed);
  /// Leaves at positions >= from whose box meets `box` go to `found` as pairs with `id`.
  void query(std::size_t node, int first, int count, int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const;

  std::vector<int> large_;                            // outside the tree
  std::vector<std::pair<std::uint64_t, int>> order_;  // (Morton code, geom) of the leaves, sorted
  std::vector<double> extents_;
  std::vector<Node> nodes_;  // heap order: children of k are 2k + 1, 2k + 2
  std::vector<IndexPair> pairs_, sorted_;
  RangeLists<IndexPair> found_;
  std::vector<int> position_;               // of each geom among the leaves, or -1
  std::vector<std::size_t> starts_, ends_;  // ranges of `sorted_`, a first geom
};

}  // namespace stiction
