#include "certify/SparseLdlt.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace stiction::certification {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void SparseLdlt::analyse(int n, const std::vector<std::pair<int, int>>& entries) {
  place_.resize(at(n));
  for (std::vector<double>* numbers : {&diagonal_, &pivot_, &work_}) numbers->assign(at(n), 0.0);
  for (std::vector<int>* indices : {&parent_, &mark_}) indices->assign(at(n), -1);
  pattern_.resize(at(n));
  order(entries);
  placeEntries(entries);
  countColumns();
}

void SparseLdlt::order(const std::vector<std::pair<int, int>>& entries) {
  const int n = size();
  std::vector<Eigen::Triplet<double>> both;
  for (const auto& [row, column] : entries) {
    both.emplace_back(row, column, 1.0);
    both.emplace_back(column, row, 1.0);
  }
  Eigen::SparseMatrix<double> pattern(n, n);
  pattern.setFromTriplets(both.begin(), both.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> back;
  Eigen::AMDOrdering<int>{}(pattern, back);
  for (int k = 0; k < n; ++k) place_[at(back.indices()[k])] = k;
}

/// Each entry above the diagonal, in the order of the factor.
void SparseLdlt::placeEntries(const std::vector<std::pair<int, int>>& entries) {
  std::vector<std::pair<int, int>> places;  // (column, row)
  for (const auto& [row, column] : entries) {
    const auto [low, high] = std::minmax(place_[at(row)], place_[at(column)]);
    if (low != high) places.emplace_back(high, low);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  start_.assign(at(size()) + 1, 0);
  above_.clear();
  for (const auto& [column, row] : places) {
    ++start_[at(column) + 1];
    above_.push_back(row);
  }
  for (int k = 0; k < size(); ++k) start_[at(k) + 1] += start_[at(k)];
  aboveValue_.assign(above_.size(), 0.0);
  slot_.clear();
  for (const auto& [row, column] : entries) {
    const auto [low, high] = std::minmax(place_[at(row)], place_[at(column)]);
    slot_.push_back(low == high ? -1 - low : std::lower_bound(places.begin(), places.end(), std::pair{high, low}) - places.begin());
  }
}

/// The elimination tree, and how many entries each column of L has.
void SparseLdlt::countColumns() {
  filled_.assign(at(size()), 0);
  for (int k = 0; k < size(); ++k) {
    mark_[at(k)] = k;
    for (std::size_t p = start_[at(k)]; p < start_[at(k) + 1]; ++p)
      for (int i = above_[p]; mark_[at(i)] != k; i = parent_[at(i)]) {
        if (parent_[at(i)] < 0) parent_[at(i)] = k;
        ++filled_[at(i)];
        mark_[at(i)] = k;
      }
  }
  first_.assign(at(size()) + 1, 0);
  for (int k = 0; k < size(); ++k) first_[at(k) + 1] = first_[at(k)] + filled_[at(k)];
  row_.assign(first_.back(), 0);
  value_.assign(first_.back(), 0.0);
}

/// visit(i) of the columns of L that row k has entries in, each after those that it depends on.
template <class Visit>
void SparseLdlt::eachOfRow(int k, const Visit& visit) {
  std::size_t top = pattern_.size();
  mark_[at(k)] = k;
  for (std::size_t p = start_[at(k)]; p < start_[at(k) + 1]; ++p) {
    std::size_t length = 0;
    for (int i = above_[p]; mark_[at(i)] != k; i = parent_[at(i)]) {
      pattern_[length++] = i;
      mark_[at(i)] = k;
    }
    while (length > 0) pattern_[--top] = pattern_[--length];
  }
  for (; top < pattern_.size(); ++top) visit(pattern_[top]);
}

bool SparseLdlt::factor(const std::vector<double>& values) {
  std::fill(aboveValue_.begin(), aboveValue_.end(), 0.0);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k)
    (slot_[k] < 0 ? diagonal_[static_cast<std::size_t>(-1 - slot_[k])] : aboveValue_[static_cast<std::size_t>(slot_[k])]) += values[k];
  std::fill(filled_.begin(), filled_.end(), 0);
  std::fill(mark_.begin(), mark_.end(), -1);
  bool positive = true;
  for (int k = 0; k < size(); ++k) {
    double pivot = diagonal_[at(k)];
    for (std::size_t p = start_[at(k)]; p < start_[at(k) + 1]; ++p) work_[at(above_[p])] = aboveValue_[p];
    eachOfRow(k, [&](int i) {
      const double x = std::exchange(work_[at(i)], 0.0), l = x / pivot_[at(i)];
      eachBelow(i, [&](int row, double value) { work_[at(row)] -= value * x; });
      pivot -= l * x;
      const std::size_t next = first_[at(i)] + filled_[at(i)]++;
      row_[next] = k;
      value_[next] = l;
    });
    work_[at(k)] = 0.0;
    pivot_[at(k)] = pivot;
    positive = positive && pivot > 0 && std::isfinite(pivot);
  }
  return positive;
}

void SparseLdlt::solve(VectorX& x) {
  for (int i = 0; i < size(); ++i) work_[at(placeOf(i))] = x[i];
  for (int j = 0; j < size(); ++j) eachBelow(j, [&, y = work_[at(j)]](int row, double value) { work_[at(row)] -= value * y; });
  for (int j = size(); j-- > 0;) {
    double y = work_[at(j)] / pivot_[at(j)];
    eachBelow(j, [&](int row, double value) { y -= value * work_[at(row)]; });
    work_[at(j)] = y;
  }
  for (int i = 0; i < size(); ++i) x[i] = work_[at(placeOf(i))];
  std::fill(work_.begin(), work_.end(), 0.0);
}

}  // namespace stiction::certification
