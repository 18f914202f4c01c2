#include "collision/BroadPhase.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
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
  buildTree(boxes, fixed);
  gatherInRanges(team, static_cast<int>(order_.size()), few_queries, found_, pairs_, [&](int first, int last, std::vector<IndexPair>& found) {
    for (int i = first; i < last; ++i) {
      const int id = order_[static_cast<std::size_t>(i)].second;
      query(i + 1, id, boxes[static_cast<std::size_t>(id)], fixed[static_cast<std::size_t>(id)] != 0, found);
    }
  });
  for (std::size_t i = 0; i < large_.size(); ++i) {
    const std::size_t id = static_cast<std::size_t>(large_[i]);
    query(0, large_[i], boxes[id], fixed[id] != 0, pairs_);
    for (std::size_t j = i + 1; j < large_.size(); ++j) pairUp(large_[i], large_[j], boxes, fixed);
  }
  sortPairs(boxes.size());
  return pairs_;
}

const std::vector<BroadPhase::IndexPair>& BroadPhase::pairsOfGrown(const std::vector<int>& grown, const std::vector<Box3>& boxes,
                                                                   const std::vector<char>& fixed, ThreadPool* team) {
  pairs_.clear();
  position_.assign(boxes.size(), -1);
  for (std::size_t i = 0; i < order_.size(); ++i) position_[static_cast<std::size_t>(order_[i].second)] = static_cast<int>(i);
  for (const int id : grown)
    if (const int position = position_[static_cast<std::size_t>(id)]; position >= 0)
      refit(static_cast<std::size_t>(position), boxes[static_cast<std::size_t>(id)]);
  gatherInRanges(team, static_cast<int>(grown.size()), few_queries, found_, pairs_, [&](int first, int last, std::vector<IndexPair>& found) {
    for (int k = first; k < last; ++k) {
      const int id = grown[static_cast<std::size_t>(k)];
      query(0, id, boxes[static_cast<std::size_t>(id)], fixed[static_cast<std::size_t>(id)] != 0, found);
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

void BroadPhase::sortPairs(std::size_t count) {
  sortBy(&IndexPair::second, count);
  sortBy(&IndexPair::first, count);
}

/// A counting sort; those of one geom stay in order.
void BroadPhase::sortBy(int IndexPair::*geom, std::size_t count) {
  starts_.assign(count + 1, 0);
  for (const IndexPair& pair : pairs_) ++starts_[static_cast<std::size_t>(pair.*geom) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  sorted_.resize(pairs_.size());
  for (const IndexPair& pair : pairs_) sorted_[starts_[static_cast<std::size_t>(pair.*geom)]++] = pair;
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

template <class Add>
void BroadPhase::addLevel(std::size_t count, const Add& add) {
  if (levels_.size() == depth_) levels_.emplace_back();
  std::vector<Group>& groups = levels_[depth_];
  groups.assign((count + kWidth - 1) / kWidth, Group{});
  for (std::size_t i = 0; i < count; ++i) add(groups[i / kWidth], i);
  ++depth_;
}

void BroadPhase::buildTree(const std::vector<Box3>& boxes, const std::vector<char>& fixed) {
  depth_ = 0;
  addLevel(order_.size(), [&](Group& group, std::size_t i) {
    const auto id = static_cast<std::size_t>(order_[i].second);
    group.add(boxes[id], fixed[id] != 0);
  });
  while (levels_[depth_ - 1].size() > 1)
    addLevel(levels_[depth_ - 1].size(), [this](Group& group, std::size_t i) {
      const Group& below = levels_[depth_ - 1][i];
      group.add(below.bounds(), below.allFixed());
    });
}

void BroadPhase::refit(std::size_t position, const Box3& box) {
  levels_[0][position / kWidth].set(static_cast<int>(position % kWidth), box);
  for (std::size_t level = 1; level < depth_; ++level) {
    position /= kWidth;
    levels_[level][position / kWidth].set(static_cast<int>(position % kWidth), levels_[level - 1][position].bounds());
  }
}

void BroadPhase::query(int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const {
  if (!order_.empty()) query(static_cast<int>(depth_) - 1, 0, from, id, box, boxFixed, found);
}

void BroadPhase::query(int level, int group, int from, int id, const Box3& box, bool boxFixed, std::vector<IndexPair>& found) const {
  const Group& boxes = levels_[static_cast<std::size_t>(level)][static_cast<std::size_t>(group)];
  Members members = boxes.overlapping(box);
  if (boxFixed) members &= ~boxes.fixed;
  const int first = kWidth * group;
  if (const int before = (from >> kLogWidth * level) - first; before > 0) members &= before < kWidth ? ~Members{0} << before : 0;
  for (; members != 0; members &= members - 1) {
    const int member = first + std::countr_zero(members);
    if (level == 0)
      found.emplace_back(std::minmax(id, order_[static_cast<std::size_t>(member)].second));
    else
      query(level - 1, member, from, id, box, boxFixed, found);
  }
}

void BroadPhase::Group::add(const Box3& box, bool isFixed) {
  set(count, box);
  fixed |= Members{isFixed} << count;
  ++count;
}

void BroadPhase::Group::set(int member, const Box3& box) {
  for (int k = 0; k < 3; ++k) low[k][member] = box.low[k], high[k][member] = box.high[k];
}

Box3 BroadPhase::Group::bounds() const {
  Box3 box;
  for (int k = 0; k < 3; ++k) box.low[k] = *std::min_element(low[k], low[k] + count), box.high[k] = *std::max_element(high[k], high[k] + count);
  return box;
}

BroadPhase::Members BroadPhase::Group::overlapping(const Box3& box) const {
  Members members = 0;
#if defined(__SSE2__)
  for (int m = 0; m < kWidth; m += 2) {
    __m128d meets = _mm_cmpeq_pd(_mm_setzero_pd(), _mm_setzero_pd());
    for (int k = 0; k < 3; ++k) {
      meets = _mm_and_pd(meets, _mm_cmple_pd(_mm_load_pd(low[k] + m), _mm_set1_pd(box.high[k])));
      meets = _mm_and_pd(meets, _mm_cmpge_pd(_mm_load_pd(high[k] + m), _mm_set1_pd(box.low[k])));
    }
    members |= static_cast<Members>(_mm_movemask_pd(meets)) << m;
  }
#else
  for (int m = 0; m < kWidth; ++m) {
    bool meets = true;
    for (int k = 0; k < 3; ++k) meets = meets && low[k][m] <= box.high[k] && high[k][m] >= box.low[k];
    members |= Members{meets} << m;
  }
#endif
  return members & ((Members{1} << count) - 1);
}

}  // namespace stiction
