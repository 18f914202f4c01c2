#include "solvers/MassWeighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Pair [[gnu::vector_size(16)]] = double;
struct [[gnu::packed, gnu::may_alias]] LoosePair {  // at any address
  Pair value;
};
Pair load(const double* p) { return reinterpret_cast<const LoosePair*>(p)->value; }
void add(double* p, Pair x) { reinterpret_cast<LoosePair*>(p)->value += x; }

}  // namespace

bool MassRoot::factor(const BlockMass& M) {
  size_.clear();
  offset_ = M.offset;
  values_ = M.values;
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k);
    size_.push_back(n);
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

void MassRoot::forward(int k, double* x) const {
  const int n = size_[at(k)];
  const double* column = values_.data() + offset_[at(k)];
  for (int j = 0; j < n; ++j, column += n) {
    x[j] *= column[j];
    for (int i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
  }
}

void MassRoot::backward(int k, double* x) const {
  const int n = size_[at(k)];
  for (int j = n - 1; j >= 0; --j) {
    const double* column = values_.data() + offset_[at(k)] + j * n;
    for (int i = j + 1; i < n; ++i) x[j] -= column[i] * x[i];
    x[j] *= column[j];
  }
}

template <int Width>
void WeightedColumns<Width>::build(const BlockMass& M, const MassRoot& root, const BlockColumns& A) {
  start_.assign(1, 0);
  parts_.clear();
  values_.clear();
  for (int i = 0; i < A.groups(); ++i) {
    const int first = start_.back();
    blocks_.clear();
    for (int s = A.start[at(i)]; s < A.start[at(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[at(s)];
      const std::size_t known = static_cast<std::size_t>(std::find(blocks_.begin(), blocks_.end(), segment.block) - blocks_.begin());
      if (known == blocks_.size()) {
        blocks_.push_back(segment.block);
        parts_.push_back({M.start[at(segment.block)], M.size(segment.block), static_cast<int>(values_.size())});
        values_.resize(values_.size() + at(M.size(segment.block) * Width), 0.0);
      }
      const Part& part = parts_[at(first) + known];
      for (int c = 0; c < Width; ++c)
        for (int k = 0; k < segment.size; ++k)
          values_[at(part.offset + c * part.size + segment.row - part.row + k)] += A.values[at(segment.offset + c * segment.size + k)];
    }
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      const Part& part = parts_[at(first) + p];
      for (int c = 0; c < Width; ++c) root.forward(blocks_[p], values_.data() + part.offset + c * part.size);
    }
    start_.push_back(static_cast<int>(parts_.size()));
  }
}

template <int Width>
typename WeightedColumns<Width>::Values WeightedColumns<Width>::read(int i, const VectorX& y) const {
  Pair sum[Width] = {};
  Values rest = Values::Zero();
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    const double *B = values_.data() + part.offset, *in = y.data() + part.row;
    if (part.size == kBody) {
      const Pair a = load(in), b = load(in + 2), d = load(in + 4);
      for (int c = 0; c < Width; ++c, B += kBody) sum[c] += load(B) * a + load(B + 2) * b + load(B + 4) * d;
    } else {
      for (int c = 0; c < Width; ++c, B += part.size)
        for (int k = 0; k < part.size; ++k) rest[c] += B[k] * in[k];
    }
  }
  for (int c = 0; c < Width; ++c) rest[c] += sum[c][0] + sum[c][1];
  return rest;
}

template <int Width>
double WeightedColumns<Width>::readFirst(int i, const VectorX& y) const {
  Pair sum{};
  double rest = 0;
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    const double *B = values_.data() + part.offset, *in = y.data() + part.row;
    if (part.size == kBody)
      sum += load(B) * load(in) + load(B + 2) * load(in + 2) + load(B + 4) * load(in + 4);
    else
      for (int k = 0; k < part.size; ++k) rest += B[k] * in[k];
  }
  return rest + sum[0] + sum[1];
}

template <int Width>
void WeightedColumns<Width>::apply(int i, const Values& x, VectorX& y) const {
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    const double* B = values_.data() + part.offset;
    double* out = y.data() + part.row;
    if (part.size == kBody) {
      Pair sum[3] = {};
      for (int c = 0; c < Width; ++c, B += kBody)
        for (int k = 0; k < 3; ++k) sum[k] += load(B + 2 * k) * x[c];
      for (int k = 0; k < 3; ++k) add(out + 2 * k, sum[k]);
    } else {
      for (int c = 0; c < Width; ++c, B += part.size)
        for (int k = 0; k < part.size; ++k) out[k] += B[k] * x[c];
    }
  }
}

template <int Width>
Eigen::Matrix<double, Width, Width> WeightedColumns<Width>::gram(int i) const {
  Eigen::Matrix<double, Width, Width> sum = Eigen::Matrix<double, Width, Width>::Zero();
  for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
    const Part& part = parts_[at(p)];
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Width>> B{values_.data() + part.offset, part.size, Width};
    for (int a = 0; a < Width; ++a)
      for (int c = 0; c < Width; ++c) sum(a, c) += B.col(a).dot(B.col(c));
  }
  return sum;
}

template class WeightedColumns<1>;
template class WeightedColumns<3>;

}  // namespace stiction
