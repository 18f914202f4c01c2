#include "linalg/RankFactor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "base/Memory.hpp"

namespace stiction {
namespace {

// Pivots, of the row's own diagonal, by descending levels: a small one makes rounding large, so that it has to wait until no larger one is left. Below the last level it is rounding itself;
// masses 1e6 apart leave true ones of 1e-6 and less.
constexpr double kLevels[] = {1e-2, 1e-4, 1e-6, 1e-9};
constexpr double kNullPivot = kLevels[std::size(kLevels) - 1];
// A block that is no larger, of the diagonals' roots, is zero. Between bodies hardly any block comes in that was not there before: where more do than a share of `kFill` it is rounding that is
// taken for couplings, of A's numbers or made large by pivots, and the next level holds. Too high a level costs digits of P Qᵀ.
constexpr double kNegligible[] = {1e-14, 1e-13, 1e-12};
constexpr double kFill = 0.03;
constexpr double kRounding = 1e-10;  // [-] likewise, of a block against its mirror image: no more than that is symmetric

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void RankFactor::factor(const std::vector<int>& start, const std::vector<int>& column, const std::vector<Matrix3>& blocks, bool symmetric) {
  take(start, column, blocks, symmetric);
  for (const double least : kLevels) {
    queue_.clear();
    for (int row = 0; row < rows_; ++row) offer(row);
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), std::greater<>{});
      const auto [count, row] = queue_.back();
      queue_.pop_back();
      if (count != static_cast<int>(neighbours_[at(row)].size()) || !(largestPivot(row) > least)) continue;
      eliminate(row, least);
      if (level_ + 1 < std::size(kNegligible) && connections_ > fullAt_) coarsen();
    }
  }
}

void RankFactor::take(const std::vector<int>& start, const std::vector<int>& column, const std::vector<Matrix3>& blocks, bool symmetric) {
  rows_ = static_cast<int>(start.size()) - 1;
  pairs_.clear(), spare_.clear(), panels_.clear(), entries_.clear();
  connections_ = 0;
  neighbours_.resize(at(rows_));
  for (auto& list : neighbours_) list.clear();
  diagonal_.assign(at(rows_), Matrix3::Zero());
  whole_.resize(at(rows_)), size_.resize(at(rows_));
  pairWith_.assign(at(rows_), -1);
  for (int i = 0; i < rows_; ++i) {
    locate(i);
    for (int k = start[at(i)]; k < start[at(i) + 1]; ++k) {
      const int j = column[at(k)];
      if (j == i) {
        diagonal_[at(i)] += blocks[at(k)];
        continue;
      }
      if (pairWith_[at(j)] < 0) pairWith_[at(j)] = connect(i, j);
      Pair& pair = pairs_[at(pairWith_[at(j)])];
      (pair.first == i ? pair.forth : pair.back) += blocks[at(k)];
    }
    forget(i);
    whole_[at(i)] = diagonal_[at(i)].diagonal();
    size_[at(i)] = std::sqrt(diagonal_[at(i)].cwiseAbs().maxCoeff());
  }
  double rounding = 0;
  const auto compare = [&rounding](const Matrix3& a, const Matrix3& b, double size) {
    const double difference = (a - b.transpose()).cwiseAbs().maxCoeff();
    if (difference > 0) rounding = std::max(rounding, difference / size);
  };
  for (int i = 0; i < rows_; ++i) compare(diagonal_[at(i)], diagonal_[at(i)], size_[at(i)] * size_[at(i)]);
  for (const Pair& p : pairs_) compare(p.forth, p.back, size_[at(p.first)] * size_[at(p.second)]);
  isSymmetric_ = symmetric || rounding <= kRounding;
  if (isSymmetric_) {
    for (Matrix3& block : diagonal_) block = (0.5 * (block + block.transpose())).eval();
    for (Pair& p : pairs_) {
      p.forth = 0.5 * (p.forth + p.back.transpose());
      p.back = p.forth.transpose();
    }
  }
  level_ = 0;
  while (rounding <= kRounding && level_ + 1 < std::size(kNegligible) && kNegligible[level_] <= rounding) ++level_;
  fullAt_ = (1 + kFill) * connections_;
  for (Pair& pair : pairs_) pair.isZero = isNegligible(pair);
  for (int i = 0; i < rows_; ++i) sweepOut(i);
  recycle();
}

/// The next level of blocks that are zero.
void RankFactor::coarsen() {
  ++level_;
  fullAt_ = (1 + kFill) * connections_;
  for (Pair& pair : pairs_) pair.isZero = pair.isZero || isNegligible(pair);
  for (int row = 0; row < rows_; ++row) {
    sweepOut(row);
    offer(row);
  }
  recycle();
}

int RankFactor::connect(int a, int b) {
  if (spare_.empty()) {
    if (pairs_.size() == pairs_.capacity()) requireMemory(2.0 * sizeof(Pair) * static_cast<double>(pairs_.size()), "what is left of W while it is factored");
    spare_.push_back(static_cast<int>(pairs_.size()));
    pairs_.emplace_back();
  }
  const int pair = spare_.back();
  spare_.pop_back();
  ++connections_;
  pairs_[at(pair)] = {a, b, false, Matrix3::Zero(), Matrix3::Zero()};
  neighbours_[at(a)].push_back({b, pair});
  neighbours_[at(b)].push_back({a, pair});
  return pair;
}

void RankFactor::locate(int row) {
  for (const Neighbour& n : neighbours_[at(row)]) pairWith_[at(n.row)] = n.pair;
}

void RankFactor::forget(int row) {
  for (const Neighbour& n : neighbours_[at(row)]) pairWith_[at(n.row)] = -1;
}

double RankFactor::largestPivot(int row) const {
  double largest = 0;
  for (int k = 0; k < 3; ++k)
    if (whole_[at(row)][k] > 0) largest = std::max(largest, diagonal_[at(row)](k, k) / whole_[at(row)][k]);
  return largest;
}

void RankFactor::offer(int row) {
  queue_.emplace_back(static_cast<int>(neighbours_[at(row)].size()), row);
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>{});
}

bool RankFactor::isNegligible(const Pair& pair) const {
  return std::max(pair.forth.cwiseAbs().maxCoeff(), pair.back.cwiseAbs().maxCoeff()) <= kNegligible[level_] * size_[at(pair.first)] * size_[at(pair.second)];
}

/// Leaves out the neighbours of a row whose blocks are zero. Their pairs are spare once the other row has been swept, too.
void RankFactor::sweepOut(int row) {
  std::erase_if(neighbours_[at(row)], [&](const Neighbour& n) {
    const Pair& pair = pairs_[at(n.pair)];
    if (pair.isZero && pair.first == row) spent_.push_back(n.pair);
    return pair.isZero;
  });
}

void RankFactor::recycle() {
  spare_.insert(spare_.end(), spent_.begin(), spent_.end());
  spent_.clear();
}

/// The columns of P and Q of the row's own block, the largest pivot first; takes them off the block.
RankFactor::Panel RankFactor::pivot(int row, double leastPivot, Entry& entry) {
  Panel panel{};
  panel.isSmall = leastPivot < kLevels[0];
  Matrix3& block = diagonal_[at(row)];
  entry = {row, Matrix3::Zero(), Matrix3::Zero()};
  for (;; ++panel.width) {
    int best = -1;
    double largest = leastPivot;
    for (int k = 0; k < 3; ++k)
      if (whole_[at(row)][k] > 0 && block(k, k) > largest * whole_[at(row)][k]) best = k, largest = block(k, k) / whole_[at(row)][k];
    if (best < 0) return panel;
    const int c = panel.width;
    panel.pivot[at(c)] = best;
    const double root = std::sqrt(block(best, best));
    entry.P.col(c) = block.col(best) / root;
    entry.Q.col(c) = block.row(best).transpose() / root;
    block -= entry.P.col(c) * entry.Q.col(c).transpose();
    block.row(best).setZero(), block.col(best).setZero();
  }
}

void RankFactor::update(Pair& pair, const Entry& a, const Entry& b) const {
  const bool isForth = pair.first == a.row;
  const Entry &first = isForth ? a : b, &second = isForth ? b : a;
  pair.forth.noalias() -= first.P * second.Q.transpose();
  if (isSymmetric_)
    pair.back = pair.forth.transpose();
  else
    pair.back.noalias() -= second.P * first.Q.transpose();
}

/// Takes the row's pivots, as far as they are not below `leastPivot`, and their columns off what is left of A.
void RankFactor::eliminate(int row, double leastPivot) {
  Entry own;
  Panel panel = pivot(row, leastPivot, own);
  const int first = panel.first = static_cast<int>(entries_.size());
  entries_.push_back(own);
  for (const Neighbour& n : neighbours_[at(row)]) {
    Pair& pair = pairs_[at(n.pair)];
    const bool isForth = pair.first == row;
    const Matrix3 &across = isForth ? pair.forth : pair.back, &down = isForth ? pair.back : pair.forth;  // A(row, other), A(other, row)
    Entry entry{n.row, Matrix3::Zero(), Matrix3::Zero()};
    for (int c = 0; c < panel.width; ++c) {
      const int pivot = panel.pivot[at(c)];
      Vector3 p = down.col(pivot), q = across.row(pivot).transpose();
      for (int e = 0; e < c; ++e) p -= own.Q(pivot, e) * entry.P.col(e), q -= own.P(pivot, e) * entry.Q.col(e);
      entry.P.col(c) = p / own.Q(pivot, c);
      entry.Q.col(c) = q / own.P(pivot, c);
    }
    diagonal_[at(n.row)] -= entry.P * entry.Q.transpose();
    update(pair, own, entry);
    entries_.push_back(entry);
  }
  const int last = panel.last = static_cast<int>(entries_.size());
  panels_.push_back(panel);
  for (int a = first + 1; a < last; ++a) {
    const Entry& ofA = entries_[at(a)];
    locate(ofA.row);
    for (int b = a + 1; b < last; ++b) {
      const Entry& ofB = entries_[at(b)];
      int pair = pairWith_[at(ofB.row)];
      if (pair < 0) pair = connect(ofA.row, ofB.row), pairWith_[at(ofB.row)] = pair;
      update(pairs_[at(pair)], ofA, ofB);
      pairs_[at(pair)].isZero = isNegligible(pairs_[at(pair)]);
    }
    forget(ofA.row);
  }
  const bool isExhausted = !(largestPivot(row) > kNullPivot);
  for (const Neighbour& n : neighbours_[at(row)]) pairs_[at(n.pair)].isZero = isExhausted || isNegligible(pairs_[at(n.pair)]);
  for (int k = first; k < last; ++k) {
    sweepOut(entries_[at(k)].row);
    offer(entries_[at(k)].row);
  }
  recycle();
}

}  // namespace stiction
