#include "solvers/MassWeighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stiction {
namespace {

constexpr int kPack = 8;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double* numbers(Pack& pack) { return reinterpret_cast<double*>(&pack); }
const double* numbers(const Pack& pack) { return reinterpret_cast<const double*>(&pack); }

}  // namespace

bool MassRoot::factor(const BlockMass& M) {
  start_ = M.start;
  offset_ = M.offset;
  values_ = M.values;
  firstPack_.assign(1, 0);
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k);
    firstPack_.push_back(firstPack_.back() + (n + kPack - 1) / kPack);
    double* L = values_.data() + offset_[at(k)];
    for (int j = 0; j < n; ++j) {
      double* column = L + j * n;
      for (int c = 0; c < j; ++c)
        for (int i = j; i < n; ++i) column[i] -= L[c * n + j] * L[c * n + i];
      const double root = std::sqrt(column[j]);
      if (!(root > 0 && root < std::numeric_limits<double>::infinity())) return false;
      column[j] = 1 / root;
      for (int i = j + 1; i < n; ++i) column[i] *= column[j];
    }
  }
  return true;
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
void WeightedColumns<Width>::build(const BlockMass& M, const MassRoot& root, const BlockColumns& A, const std::vector<int>& order) {
  start_.assign(1, 0);
  parts_.clear();
  values_.clear();
  for (const int i : order) {
    const int first = start_.back();
    blocks_.clear();
    for (int s = A.start[at(i)]; s < A.start[at(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[at(s)];
      const std::size_t known = static_cast<std::size_t>(std::find(blocks_.begin(), blocks_.end(), segment.block) - blocks_.begin());
      if (known == blocks_.size()) {
        blocks_.push_back(segment.block);
        parts_.push_back({root.firstPack(segment.block), root.packs(segment.block), static_cast<int>(values_.size())});
        values_.resize(values_.size() + at(root.packs(segment.block) * Width), Pack{});
      }
      const Part& part = parts_[at(first) + known];
      for (int c = 0; c < Width; ++c) {
        double* column = numbers(values_[at(part.offset + c * part.packs)]) + segment.row - M.start[at(segment.block)];
        for (int row = 0; row < segment.size; ++row) column[row] += A.values[at(segment.offset + c * segment.size + row)];
      }
    }
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      const Part& part = parts_[at(first) + p];
      for (int c = 0; c < Width; ++c) root.forward(blocks_[p], numbers(values_[at(part.offset + c * part.packs)]));
    }
    start_.push_back(static_cast<int>(parts_.size()));
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
