#include "collision/BroadPhase.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction {
namespace {

constexpr int few_queries{48};       // of a thread
constexpr double large_ratio{16.0};  // a geom this many times the median extent stays outside the tree

/// Spreads the low 21 bits of x to every third bit.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffULL;
  x = (x | x << 16) & 0x1f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

}  // namespace

const std::vector<BroadPhase::IndexPair>& BroadPhase::overlappingPairs(const std::vector<Box3>& boxes, const std::vector<char>& fixed, ThreadPool* team) {
  pairs_.clear();
  splitBySize(boxes);
  sortAlongCurve(boxes);
  const int leaves = static_cast<int>(order_.size());
  if (leaves > 0) {
    nodes_.resize(std::max(nodes_.size(), static_cast<std::size_t>(4 * leaves)));
    buildNode(0, 0, leaves, boxes, fixed);
    gatherInRanges(team, leaves, few_queries, found_, pairs_, [&](int first, int last, std::vector<IndexPair>& found) {
      for (int i = first; i < last; ++i) {
        const int id = order_[static_cast<std::size_t>(i)].second;
        query(0, 0, leaves, i + 1, id, boxes[static_cast<std::size_t>(id)], fixed[static_cast<std::size_t>(id)] != 0, found);
      }
    });
  }
  for (std::size_t i = 0; i < large_.size(); ++i) {
    const std::size_t id = static_cast<std::size_t>(large_[i]);
    if (leaves > 0) query(0, 0, leaves, 0, large_[i], boxes[id], fixed[id] != 0, pairs_);
    for (std::size_t j = i + 1; j < large_.size(); ++j) pairUp(large_[i], large_[j], boxes, fixed);
  }
  sortPairs(boxes.size(), team);
  return pairs_;
}

const std::vector<BroadPhase::IndexPair>& BroadPhase::pairsOfGrown(const std::vector<int>& grown, const std::vector<Box3>& boxes,
                                                                   const std::vector<char>& fixed, ThreadPool* team) {
  pairs_.clear();
  const int leaves = static_cast<int>(order_.size());
  position_.assign(boxes.size(), -1);
  for (int i = 0; i < leaves; ++i) position_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)].second)] = i;
  for (const int id : grown)
    if (const int position = position_[static_cast<std::size_t>(id)]; position >= 0) refit(0, 0, leaves, position, boxes);
  if (leaves > 0)
    gatherInRanges(team, static_cast<int>(grown.size()), few_queries, found_, pairs_, [&](int first, int last, std::vector<IndexPair>& found) {
      for (int k = first; k < last; ++k) {
        const int id = grown[static_cast<std::size_t>(k)];
        query(0, 0, leaves, 0, id, boxes[static_cast<std::size_t>(id)], fixed[static_cast<std::size_t>(id)] != 0, found);
      }
    });
  for (const int id : grown)
    for (const int other : large_) pairUp(id, other, boxes, fixed);
  sortPairs(boxes.size());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());  // of two that have grown
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), [](const IndexPair& pair) { return pair.first == pair.second; }), pairs_.end());
  return pairs_;
}

void BroadPhase::pairUp(int a, int b, const std::vector<Box3>& boxes, const std::vector<char>& fixed) {
  const std::size_t i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  if ((fixed[i] == 0 || fixed[j] == 0) && boxes[i].overlaps(boxes[j])) pairs_.emplace_back(std::minmax(a, b));
}

/// Counting sort by the first geom, then each geom's few partners.
void BroadPhase::sortPairs(std::size_t count, ThreadPool* team) {
  constexpr int few = 256;  // geoms of a thread
  starts_.assign(count + 1, 0);
  for (const IndexPair& pair : pairs_) ++starts_[static_cast<std::size_t>(pair.first) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  sorted_.resize(pairs_.size());
  ends_ = starts_;
  for (const IndexPair& pair : pairs_) sorted_[ends_[static_cast<std::size_t>(pair.first)]++] = pair;
  inRanges(team, static_cast<int>(count), few, [&](int, int first, int last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(starts_[i]), sorted_.begin() + static_cast<std::ptrdiff_t>(ends_[i]));
  });
  pairs_.swap(sorted_);
}

void BroadPhase::splitBySize(const std::vector<Box3>& boxes) {
  extents_.clear();
  for (const Box3& box : boxes) {
    const double extent = (box.high - box.low).maxCoeff();
    if (std::isfinite(extent)) extents_.push_back(extent);
  }
  double limit = 0;
  if (!extents_.empty()) {
    const auto middle = extents_.begin() + static_cast<std::ptrdiff_t>(extents_.size() / 2);
    std::nth_element(extents_.begin(), middle, extents_.end());
    limit = large_ratio * *middle;
  }
  large_.clear();
  order_.clear();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if ((boxes[i].high - boxes[i].low).maxCoeff() <= limit) {
      order_.emplace_back(0, static_cast<int>(i));
    } else {
      large_.push_back(static_cast<int>(i));
    }
  }
}

void BroadPhase::sortAlongCurve(const std::vector<Box3>& boxes) {
  if (order_.empty()) return;
  const auto centre = [&](int id) -> Vector3 { return 0.5 * (boxes[static_cast<std::size_t>(id)].low + boxes[static_cast<std::size_t>(id)].high); };
  Vector3 low = centre(order_.front().second);
  Vector3 high = low;
  for (const auto& leaf : order_) {
    low = low.cwiseMin(centre(leaf.second));
    high = high.cwiseMax(centre(leaf.second));
  }
  const double extent = (high - low).maxCoeff();
  const double scale = extent > 0 ? 2097151.0 / extent : 0.0;
  for (auto& leaf : order_) {
    const Vector3 cell = scale * (centre(leaf.second) - low);
    leaf.first =
        spread(static_cast<std::uint64_t>(cell.x())) | spread(static_cast<std::uint64_t>(cell.y())) << 1 | spread(static_cast<std::uint64_t>(cell.z())) << 2;
  }
  std::sort(order_.begin(), order_.end());
}

void BroadPhase::buildNode(std::size_t node, int first, int count, const std::vector<Box3>& boxes, const std::vector<char>& fixed) {
  if (count == 1) {
    const std::size_t id = static_cast<std::size_t>(order_[static_cast<std::size_t>(first)].second);
    nodes_[node] = {boxes[id], fixed[id] != 0};
    return;
  }
  const int half = count / 2;
  buildNode(2 * node + 1, first, half, boxes, fixed);
  buildNode(2 * node + 2, first + half, count - half, boxes, fixed);
  joinChildren(node);
}

void BroadPhase::joinChildren(std::size_t node) {
  const Node& left = nodes_[2 * node + 1];
  const Node& right = nodes_[2 * node + 2];
  nodes_[node] = {{left.box.low.cwiseMin(right.box.low), left.box.high.cwiseMax(right.box.high)}, left.allFixed && right.allFixed};
}

void BroadPhase::refit(std::size_t node, int first, int count, int position, const std::vector<Box3>& boxes) {
  if (count == 1) {
    nodes_[node].box = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(first)].second)];
    return;
  }
  const int half = count / 2;
  if (position < first + half)
    refit(2 * node + 1, first, half, position, boxes);
  else
    refit(2 * node + 2, first + half, count - half, position, boxes);
  joinChildren(node);
}

void BroadPhase::query(std::size_t node, int first, int count, int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const {
  if (first + count <= from || (boxFixed && nodes_[node].allFixed) || !nodes_[node].box.overlaps(box)) return;
  if (count == 1) {
    found.emplace_back(std::minmax(id, order_[static_cast<std::size_t>(first)].second));
    return;
  }
  const int half = count / 2;
  query(2 * node + 1, first, half, from, id, box, boxFixed, found);
  query(2 * node + 2, first + half, count - half, from, id, box, boxFixed, found);
}

}  // namespace stiction
