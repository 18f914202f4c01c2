#include "linalg/BlockStructure.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/Assert.hpp"
#include "linalg/Ordering.hpp"
#include "linalg/PanelKernel.hpp"

namespace stiction {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr double kDissectionFrom = 1e9;  // [multiplications] of a factorisation: then a better order is worth ten times the price
}  // namespace

bool BlockStructure::analyse(const std::vector<int>& sizes, std::vector<std::array<int, 2>>& couplings) {
  for (auto& pair : couplings)
    if (pair[0] > pair[1]) std::swap(pair[0], pair[1]);
  std::sort(couplings.begin(), couplings.end());
  couplings.erase(std::unique(couplings.begin(), couplings.end()), couplings.end());
  if (sizes == sizes_ && couplings == couplings_) return false;
  sizes_ = sizes;
  couplings_ = couplings;
  const Graph graph{columns(), couplings_};
  layOut(minimumDegree(graph));
  if (const double byDegree = work(); byDegree > kDissectionFrom) {
    std::vector<int> order = original_;
    layOut(nestedDissection(graph));
    if (work() > byDegree) layOut(std::move(order));
  }
  return true;
}

void BlockStructure::layOut(std::vector<int> order) {
  const int n = columns();
  original_ = std::move(order);
  position_.resize(at(n));
  for (int k = 0; k < n; ++k) position_[at(original_[at(k)])] = k;
  std::vector<int> firstUnknown(at(n) + 1, 0);
  std::partial_sum(sizes_.begin(), sizes_.end(), firstUnknown.begin() + 1);
  unknowns_ = firstUnknown.back();
  largest_ = sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end());
  // Column structures, bottom up: what the matrix has below the diagonal, plus what the children of the elimination tree bring.
  if (below_.size() < at(n)) below_.resize(at(n));
  for (int k = 0; k < n; ++k) below_[at(k)].clear();
  for (const auto& [a, b] : couplings_) {
    const int i = position_[at(a)], j = position_[at(b)];
    below_[at(std::min(i, j))].push_back(std::max(i, j));
  }
  for (int k = 0; k < n; ++k) {
    auto& rows = below_[at(k)];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.size() > 1) {
      auto& parent = below_[at(rows.front())];
      parent.insert(parent.end(), rows.begin() + 1, rows.end());
    }
  }
  size_.resize(at(n)), start_.resize(at(n)), height_.resize(at(n)), panel_.resize(at(n)), chained_.assign(at(n), 0);
  rowStart_.assign(1, 0), rows_.clear(), rowOffsets_.clear();
  values_ = 0;
  for (int k = 0; k < n; ++k) {
    size_[at(k)] = sizes_[at(original_[at(k)])];
    start_[at(k)] = firstUnknown[at(original_[at(k)])];
  }
  for (int k = 0; k < n; ++k) {
    int height = size_[at(k)];
    for (const int i : below_[at(k)]) {
      rows_.push_back(i);
      rowOffsets_.push_back(height);
      height += size_[at(i)];
    }
    rowStart_.push_back(static_cast<int>(rows_.size()));
    height_[at(k)] = height;
    panel_[at(k)] = values_;
    values_ += at(height) * at(size_[at(k)]) + at(kPack);
    const auto& rows = below_[at(k)];
    chained_[at(k)] = !rows.empty() && rows.front() == k + 1 && rows.size() == below_[at(k) + 1].size() + 1 && size_[at(k)] == size_[at(k) + 1];
  }
  cutStrips();
  listUpdates();
}

void BlockStructure::cutStrips() {
  stripStart_.clear(), strip_.resize(at(columns()));
  for (int k = 0; k < columns(); ++k) {
    if (k == 0 || !chained(k - 1) || k == stripStart_.back() + kStrip) stripStart_.push_back(k);
    strip_[at(k)] = static_cast<int>(stripStart_.size()) - 1;
  }
  stripStart_.push_back(columns());
}

void BlockStructure::listUpdates() {
  const auto each = [this](const auto& visit) {  // strips that columns reach into, besides their own
    for (int j = 0; j < columns(); ++j)
      for (int p = firstRow(j), last = stripOf(j); p < lastRow(j); last = stripOf(row(p++)))
        if (stripOf(row(p)) != last) visit(stripOf(row(p)), Update{j, p});
  };
  updateStart_.assign(at(strips()) + 1, 0);
  each([this](int strip, const Update&) { ++updateStart_[at(strip) + 1]; });
  std::partial_sum(updateStart_.begin(), updateStart_.end(), updateStart_.begin());
  updates_.resize(at(updateStart_.back()));
  std::vector<int> fill{updateStart_.begin(), updateStart_.end() - 1};
  each([&](int strip, const Update& update) { updates_[at(fill[at(strip)]++)] = update; });
}

double BlockStructure::work() const {
  double sum = 0;
  for (int k = 0; k < columns(); ++k) sum += 0.5 * size(k) * static_cast<double>(height(k)) * height(k);
  return sum;
}

int BlockStructure::find(int column, int row) const {
  const auto first = rows_.begin() + firstRow(column), last = rows_.begin() + lastRow(column);
  const auto found = std::lower_bound(first, last, row);
  return found != last && *found == row ? static_cast<int>(found - rows_.begin()) : -1;
}

bool BlockStructure::couples(int a, int b) const {
  const int i = position_[at(a)], j = position_[at(b)];
  return i == j || find(std::min(i, j), std::max(i, j)) >= 0;
}

BlockStructure::Slot BlockStructure::slot(int a, int b) const {
  const int i = position_[at(a)], j = position_[at(b)];
  if (i == j) return {panel(i), height(i), false};
  const int column = std::min(i, j), found = find(column, std::max(i, j));
  STICTION_ASSERT(found >= 0);
  return {panel(column) + at(rowOffset(found)), height(column), column == i};
}

}  // namespace stiction
