// Broad phase: which geoms can meet within the step.
//
// Each geom gets the axis-aligned bounds of its shape, grown by the distance it can travel. Bounded geoms of ordinary size are sorted along a Morton curve (Morton 1966) and carried by
// a tree of eights over that order: eight boxes in a row make a group, eight groups in a row one of the level above, and a box is compared with the eight of a group at once. Every geom
// looks for those after it. Unbounded or far larger geoms (planes, terrain, floors) stay outside the tree and are tested against it one by one, so they do not blow up its groups. The
// answer is a set of pairs, sorted: it depends neither on the tree nor on the order of the geoms. Cost: n log n + pairs.
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
  static constexpr int kLogWidth = 3, kWidth = 1 << kLogWidth;
  using Members = unsigned;  // of a group, a bit each

  /// Boxes in a row along the curve: of geoms, or each around a group of the level below.
  struct alignas(64) Group {
    double low[3][kWidth], high[3][kWidth];  // [m]
    int count;
    Members fixed;  // all of whose geoms are

    void add(const Box3& box, bool isFixed);
    void set(int member, const Box3& box);
    Box3 bounds() const;
    bool allFixed() const { return fixed == (Members{1} << count) - 1; }
    Members overlapping(const Box3& box) const;
  };

  void splitBySize(const std::vector<Box3>& boxes);
  /// `count`: geoms.
  void sortPairs(std::size_t count);
  void sortBy(int IndexPair::*geom, std::size_t count);
  void sortAlongCurve(const std::vector<Box3>& boxes);
  void buildTree(const std::vector<Box3>& boxes, const std::vector<char>& fixed);
  /// add(group, i) puts the i-th of `count` boxes into its group.
  template <class Add>
  void addLevel(std::size_t count, const Add& add);
  /// The box at `position` along the curve has become another: it and those around it.
  void refit(std::size_t position, const Box3& box);
  /// Reports two boxes that overlap.
  void pairUp(int a, int b, const std::vector<Box3>& boxes, const std::vector<char>& fixed);
  /// Geoms at positions >= from of the tree whose box meets `box` go to `found` as pairs with `id`.
  void query(int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const;
  void query(int level, int group, int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const;

  std::vector<int> large_;                            // outside the tree
  std::vector<std::pair<std::uint64_t, int>> order_;  // (Morton code, geom) of those in the tree, sorted
  std::vector<double> extents_;
  std::vector<std::vector<Group>> levels_;  // the first `depth_` are in use, the last of these has one group at most
  std::size_t depth_{0};
  std::vector<IndexPair> pairs_, sorted_;
  RangeLists<IndexPair> found_;
  std::vector<int> position_;        // of each geom along the curve, or -1
  std::vector<std::size_t> starts_;  // where the next pair of each geom goes
};

}  // namespace stiction
