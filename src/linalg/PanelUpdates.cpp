#include "linalg/PanelUpdates.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr int kLate = 3;  // strips of the same supernode just before: other threads may still be at work on these, so each is awaited and taken on its own

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

int highestPanel(const BlockStructure& structure) {
  int highest = 0;
  for (int k = 0; k < structure.columns(); ++k) highest = std::max(highest, structure.height(k));
  return packed(highest);
}

void PanelUpdates::bind(const BlockStructure& structure, const ColumnSchedule& schedule) {
  structure_ = &structure;
  schedule_ = &schedule;
  place_.assign(at(structure.columns()), 0);
  product_.resize(at(highestPanel(structure)) * at(BlockStructure::kStrip * std::max(1, structure.largestBlock())));
}

/// Updates from columns of one supernode go together.
void PanelUpdates::group(int strip) {
  const BlockStructure& s = *structure_;
  groups_.clear();
  const int begin = s.firstUpdate(strip), end = s.lastUpdate(strip), k = s.firstColumn(strip);
  for (int i = begin; i < end; ++i) {
    const int j = s.update(i).column;
    const bool late = s.stripOf(j) >= strip - kLate && j == s.firstColumn(s.stripOf(j)) && end - i == k - j;  // from here on all columns up to the strip
    if (i == begin || late || j != s.update(i - 1).column + 1 || !s.chained(j - 1)) groups_.push_back(i);
  }
  groups_.push_back(end);
}

void PanelUpdates::subtract(int strip, std::span<const PanelProduct> products) {
  const BlockStructure& s = *structure_;
  const int k = s.firstColumn(strip);
  place_[at(k)] = 0;
  for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
  group(strip);
  for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
    const std::span updates{&s.update(groups_[g]), at(groups_[g + 1] - groups_[g])};
    for (const Update& update : updates) schedule_->await(s.stripOf(update.column));
    for (const PanelProduct& product : products) apply(updates, s.lastColumn(strip), product);
  }
}

void PanelUpdates::subtractWithin(int k, std::span<const PanelProduct> products) {
  const BlockStructure& s = *structure_;
  within_.clear();
  for (int j = s.firstColumn(s.stripOf(k)); j < k; ++j) within_.push_back({j, s.firstRow(j) + k - j - 1});
  if (within_.empty()) return;
  for (const PanelProduct& product : products) apply(within_, k + 1, product);
}

/// To the columns before `end`, from columns of one supernode.
void PanelUpdates::apply(std::span<const Update> updates, int end, const PanelProduct& product) {
  const BlockStructure& s = *structure_;
  const auto [j, p] = updates.front();
  sources_.clear();
  for (const auto& [source, row] : updates) {
    const std::size_t from = s.panel(source) + at(s.rowOffset(row));
    sources_.push_back({product.a + from, s.height(source), product.b + from, s.height(source)});
  }
  const int top = s.rowOffset(p), rows = s.height(j) - top;
  int columns = 0;
  for (int q = p; q < s.lastRow(j) && s.row(q) < end; ++q) columns += s.size(s.row(q));
  panelProduct(sources_.data(), static_cast<int>(sources_.size()), product_.data(), rows, columns, s.size(j));
  runs_.clear();
  for (int q = p; q < s.lastRow(j); ++q) {
    const int to = place_[at(s.row(q))], size = s.size(s.row(q));
    if (!runs_.empty() && runs_.back().to + runs_.back().rows == to)
      runs_.back().rows += size;
    else
      runs_.push_back({s.rowOffset(q) - top, to, size});
  }
  std::size_t first = 0;
  for (int c = p; c < s.lastRow(j) && s.row(c) < end; ++c) {
    const int k = s.row(c), begin = s.rowOffset(c) - top;
    const int above = product.skip == 0 ? begin : begin + s.size(k);  // rows of the product that the column does not take
    while (first < runs_.size() && runs_[first].from + runs_[first].rows <= above) ++first;
    if (first == runs_.size()) break;
    if (const int cut = above - runs_[first].from; cut > 0) runs_[first] = {above, runs_[first].to + cut, runs_[first].rows - cut};
    panelSubtract(product_.data() + at(begin) * at(packed(rows)), packed(rows), product.target + (s.panel(k) - at(place_[at(k)])), s.height(k),
                  runs_.data() + first, static_cast<int>(runs_.size() - first), s.size(k));
  }
}

}  // namespace stiction
