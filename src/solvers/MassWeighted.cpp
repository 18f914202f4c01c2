#include "solvers/MassWeighted.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stiction {
namespace {

constexpr int kPack = 8;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int kFewBlocks = 192, kFewGroups = 96;  // of a thread

/// Cholesky's factor of an n × n block in place, its diagonal inverted.
bool factorBlock(double* L, int n) {
  for (int j = 0; j < n; ++j) {
    double* column = L + j * n;
    for (int c = 0; c < j; ++c)
      for (int i = j; i < n; ++i) column[i] -= L[c * n + j] * L[c * n + i];
    const double root = std::sqrt(column[j]);
    if (!(root > 0 && root < std::numeric_limits<double>::infinity())) return false;
    column[j] = 1 / root;
    for (int i = j + 1; i < n; ++i) column[i] *= column[j];
  }
  return true;
}

double* numbers(Pack& pack) { return reinterpret_cast<double*>(&pack); }
const double* numbers(const Pack& pack) { return reinterpret_cast<const double*>(&pack); }

}  // namespace

bool MassRoot::factor(const BlockMass& M, ThreadPool* team) {
  start_ = M.start;
  offset_ = M.offset;
  values_.resize(M.values.size());
  firstPack_.assign(1, 0);
  for (int k = 0; k < M.blocks(); ++k) firstPack_.push_back(firstPack_.back() + (M.size(k) + kPack - 1) / kPack);
  std::atomic<bool> fails{false};
  inRanges(team, M.blocks(), kFewBlocks, [&](int, int first, int last) {
    for (int k = first; k < last; ++k) {
      const int n = M.size(k);
      double* L = values_.data() + offset_[at(k)];
      std::copy_n(M.values.data() + offset_[at(k)], n * n, L);
      if (!factorBlock(L, n)) fails = true;
    }
  });
  return !fails;
}

void MassRoot::weigh(const VectorX& f, Packs& y) const {
  y.assign(at(firstPack_.back()), Pack{});
  for (int k = 0; k + 1 < static_cast<int>(start_.size()); ++k) {
    double* block = numbers(y[at(firstPack(k))]);
    std::copy(f.data() + start_[at(k)], f.data() + start_[at(k) + 1], block);
    forward(k, block);
  }
}

void MassRoot::unweigh(const Packs& y, VectorX& v) const {
  v.resize(start_.back());
  for (int k = 0; k + 1 < static_cast<int>(start_.size()); ++k) {
    std::copy_n(numbers(y[at(firstPack(k))]), size(k), v.data() + start_[at(k)]);
    backward(k, v.data() + start_[at(k)]);
  }
}

void MassRoot::forward(int k, double* x) const {
  const int n = size(k);
  const double* column = values_.data() + offset_[at(k)];
  for (int j = 0; j < n; ++j, column += n) {
    x[j] *= column[j];
    for (int i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
  }
}

void MassRoot::backward(int k, double* x) const {
  const int n = size(k);
  for (int j = n - 1; j >= 0; --j) {
    const double* column = values_.data() + offset_[at(k)] + j * n;
    for (int i = j + 1; i < n; ++i) x[j] -= column[i] * x[i];
    x[j] *= column[j];
  }
}

template <int Width>
void WeightedColumns<Width>::build(const BlockMass& M, const MassRoot& root, const BlockColumns& A, const std::vector<int>& order, ThreadPool* team) {
  findParts(root, A, order);
  inRanges(team, static_cast<int>(order.size()), kFewGroups, [&](int, int first, int last) {
    for (int i = first; i < last; ++i) fill(i, M, root, A, order[at(i)]);
  });
}

template <int Width>
void WeightedColumns<Width>::findParts(const MassRoot& root, const BlockColumns& A, const std::vector<int>& order) {
  start_.assign(1, 0);
  parts_.clear();
  int offset = 0;
  for (const int group : order) {
    for (int s = A.start[at(group)]; s < A.start[at(group) + 1]; ++s) {
      const int block = A.segments[at(s)].block;
      if (std::any_of(parts_.begin() + start_.back(), parts_.end(), [&](const Part& part) { return part.block == block; })) continue;
      parts_.push_back({block, root.firstPack(block), root.packs(block), offset});
      offset += root.packs(block) * Width;
    }
    start_.push_back(static_cast<int>(parts_.size()));
  }
  values_.resize(at(offset));
}

template <int Width>
void WeightedColumns<Width>::fill(int i, const BlockMass& M, const MassRoot& root, const BlockColumns& A, int group) {
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    std::fill_n(values_.begin() + part.offset, part.packs * Width, Pack{});
    for (int s = A.start[at(group)]; s < A.start[at(group) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[at(s)];
      if (segment.block != part.block) continue;
      for (int c = 0; c < Width; ++c) {
        double* column = numbers(values_[at(part.offset + c * part.packs)]) + segment.row - M.start[at(segment.block)];
        for (int row = 0; row < segment.size; ++row) column[row] += A.values[at(segment.offset + c * segment.size + row)];
      }
    }
    for (int c = 0; c < Width; ++c) root.forward(part.block, numbers(values_[at(part.offset + c * part.packs)]));
  }
}

template <int Width>
Eigen::Matrix<double, Width, Width> WeightedColumns<Width>::gram(int i) const {
  Eigen::Matrix<double, Width, Width> sum = Eigen::Matrix<double, Width, Width>::Zero();
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Width>> B{numbers(values_[at(part.offset)]), part.packs * kPack, Width};
    for (int a = 0; a < Width; ++a)
      for (int c = 0; c < Width; ++c) sum(a, c) += B.col(a).dot(B.col(c));
  }
  return sum;
}

template class WeightedColumns<1>;
template class WeightedColumns<3>;

}  // namespace stiction
