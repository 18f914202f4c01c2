#include "linalg/ColumnSchedule.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace stiction {
namespace {

constexpr int kLate = 4;  // columns of panel k's own supernode just before k: other threads may still be at work on these, so the others do not wait for them
constexpr int kSpins = 4000;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

std::size_t productRoom(const BlockStructure& structure) {
  int highest = 0;
  for (int k = 0; k < structure.columns(); ++k) highest = std::max(highest, structure.height(k));
  return at(packed(highest)) * at(std::max(1, structure.largestBlock()));
}

void ColumnSchedule::bind(const BlockStructure& structure) {
  structure_ = &structure;
  order_.clear();
}

void ColumnSchedule::prepare() {
  const BlockStructure& s = *structure_;
  const std::size_t n = at(s.columns());
  if (n > room_) finished_ = std::make_unique<std::atomic<char>[]>(room_ = n);
  for (std::size_t k = 0; k < n; ++k) finished_[k].store(0, std::memory_order_relaxed);
  next_ = 0, failed_ = false;
  if (order_.size() == n) return;
  std::vector<int> level(n, 0);
  for (int k = 0; k < s.columns(); ++k)
    if (s.firstRow(k) < s.lastRow(k)) {
      int& parent = level[at(s.row(s.firstRow(k)))];
      parent = std::max(parent, level[at(k)] + 1);
    }
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int i, int j) { return level[at(i)] < level[at(j)]; });
}

void ColumnSchedule::wait(int j) const {
  for (int spins = 0; finished_[at(j)].load(std::memory_order_acquire) == 0 && !failed_; ++spins)
    if (spins > kSpins) std::this_thread::yield();
}

void PanelUpdates::bind(const BlockStructure& structure, const ColumnSchedule& schedule) {
  structure_ = &structure;
  schedule_ = &schedule;
  place_.assign(at(structure.columns()), 0);
  product_.resize(productRoom(structure));
}

/// Updates from columns of one supernode go together.
void PanelUpdates::group(int k) {
  const BlockStructure& s = *structure_;
  groups_.clear();
  for (int i = s.firstUpdate(k); i < s.lastUpdate(k); ++i) {
    const int j = s.update(i).column;
    if (i == s.firstUpdate(k) || j != s.update(i - 1).column + 1 || !s.chained(j - 1)) groups_.push_back(i);
  }
  if (groups_.empty()) return;
  const int end = s.lastUpdate(k);
  if (s.update(end - 1).column == k - 1 && s.chained(k - 1) && end - groups_.back() > kLate) groups_.push_back(end - kLate);
  groups_.push_back(end);
}

void PanelUpdates::subtract(int k, std::span<const PanelProduct> products) {
  const BlockStructure& s = *structure_;
  place_[at(k)] = 0;
  for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
  group(k);
  for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
    for (int i = groups_[g]; i < groups_[g + 1]; ++i) schedule_->await(s.update(i).column);
    for (const PanelProduct& product : products) subtractGroup(k, groups_[g], groups_[g + 1], product);
  }
}

void PanelUpdates::subtractGroup(int k, int first, int last, const PanelProduct& product) {
  const BlockStructure& s = *structure_;
  const int j = s.update(first).column, p = s.update(first).row + product.skip;
  if (p == s.lastRow(j)) return;
  sources_.clear();
  for (int i = first; i < last; ++i) {
    const auto [source, q] = s.update(i);
    sources_.push_back(
        {product.a + s.panel(source) + s.rowOffset(q + product.skip), s.height(source), product.b + s.panel(source) + s.rowOffset(q), s.height(source)});
  }
  runs_.clear();
  for (int q = p; q < s.lastRow(j); ++q) {
    const int to = place_[at(s.row(q))], size = s.size(s.row(q));
    if (!runs_.empty() && runs_.back().to + runs_.back().rows == to)
      runs_.back().rows += size;
    else
      runs_.push_back({s.rowOffset(q) - s.rowOffset(p), to, size});
  }
  const int rows = s.height(j) - s.rowOffset(p), columns = s.size(k);
  panelProduct(sources_.data(), static_cast<int>(sources_.size()), product_.data(), rows, columns, s.size(j));
  panelSubtract(product_.data(), packed(rows), product.target, s.height(k), runs_.data(), static_cast<int>(runs_.size()), columns);
}

}  // namespace stiction
