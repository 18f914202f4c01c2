#include "linalg/ColumnSchedule.hpp"

#include <algorithm>
#include <numeric>

#include "base/Spin.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void ColumnSchedule::bind(const BlockStructure& structure) {
  structure_ = &structure;
  order_.clear();
}

void ColumnSchedule::prepare() {
  const BlockStructure& s = *structure_;
  const std::size_t n = at(s.strips());
  if (n > room_) finished_ = std::make_unique<std::atomic<char>[]>(room_ = n);
  for (std::size_t k = 0; k < n; ++k) finished_[k].store(0, std::memory_order_relaxed);
  next_ = 0, failed_ = false;
  if (order_.size() == n) return;
  std::vector<int> level(n, 0);
  for (int strip = 0; strip < s.strips(); ++strip)
    for (int i = s.firstUpdate(strip); i < s.lastUpdate(strip); ++i)
      level[at(strip)] = std::max(level[at(strip)], level[at(s.stripOf(s.update(i).column))] + 1);
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int i, int j) { return level[at(i)] < level[at(j)]; });
}

void ColumnSchedule::wait(int strip) const {
  awaitSoon([&] { return finished_[at(strip)].load(std::memory_order_acquire) != 0 || failed_; });
}

}  // namespace stiction
