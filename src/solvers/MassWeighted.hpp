// Mass-weighted velocities, for methods that touch one contact at a time. With M = L Lᵀ block by block and y = Lᵀv [√J], a group of columns A becomes B = L⁻¹A, and the same few
// numbers say what the group reads and what its impulse does:
//   Aᵀv = Bᵀy ,   v += M⁻¹A x  is  y += B x ,   AᵀM⁻¹A = BᵀB
// y and the columns of B come in packs of eight numbers, each block of M in packs of its own with zeros after it: a body is one pack, whatever the processor does at a time. Sums are
// taken in the same order on all of them. A mass matrix with couplings between blocks is not for this form.
#pragma once
#include <span>
#include <vector>

#include "base/ThreadPool.hpp"
#include "problem/ContactProblem.hpp"
#include "solvers/Lanes.hpp"

namespace stiction {

struct alignas(64) Pack {
  Four low, high;

  /// += a b
  STICTION_INLINE void add(const Pack& a, const Pack& b) {
    low += a.low * b.low;
    high += a.high * b.high;
  }
  STICTION_INLINE void add(const Pack& a, double b) {
    low += a.low * b;
    high += a.high * b;
  }
  /// The sum of its numbers.
  STICTION_INLINE double total() const {
    const Four sum = low + high;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
};
using Packs = std::vector<Pack>;

/// L, block by block.
class MassRoot {
 public:
  /// False where a block is not positive definite, or not finite. `team`, here and below: threads that share the work; null: none.
  bool factor(const BlockMass& M, ThreadPool* team = nullptr);
  /// y = L⁻¹ f
  void weigh(const VectorX& f, Packs& y) const;
  /// v = L⁻ᵀ y
  void unweigh(const Packs& y, VectorX& v) const;

  int firstPack(int block) const { return firstPack_[static_cast<std::size_t>(block)]; }
  int packs() const { return firstPack_.back(); }
  int packs(int block) const { return firstPack(block + 1) - firstPack(block); }
  int size(int block) const { return start_[static_cast<std::size_t>(block) + 1] - start_[static_cast<std::size_t>(block)]; }
  /// x ← L_k⁻¹ x, x of the size of block k.
  void forward(int k, double* x) const;

 private:
  void backward(int k, double* x) const;

  std::vector<int> start_, offset_, firstPack_;
  std::vector<double> values_;  // L column major, its diagonal inverted
};

/// B = L⁻¹A of groups of `Width` columns.
template <int Width>
class WeightedColumns {
 public:
  using Values = Eigen::Matrix<double, Width, 1>;
  struct Part {
    int block, pack, packs;  // a whole block of velocities
    int offset;              // its columns, one after the other
  };

  /// `order`: which of A's groups are the first, the second, …
  void build(const BlockMass& M, const MassRoot& root, const BlockColumns& A, const std::vector<int>& order, ThreadPool* team = nullptr);

  /// B_iᵀy
  STICTION_INLINE Values read(int i, const Packs& y) const {
    Pack sum[Width] = {};
    for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
      const Pack *B = values_.data() + parts_[at(p)].offset, *in = y.data() + parts_[at(p)].pack;
      for (int c = 0; c < Width; ++c)
        for (int k = 0; k < parts_[at(p)].packs; ++k, ++B) sum[c].add(*B, in[k]);
    }
    Values totals;
    for (int c = 0; c < Width; ++c) totals[c] = sum[c].total();
    return totals;
  }
  /// The first entry of it.
  STICTION_INLINE double readFirst(int i, const Packs& y) const {
    Pack sum{};
    for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
      const Pack *B = values_.data() + parts_[at(p)].offset, *in = y.data() + parts_[at(p)].pack;
      for (int k = 0; k < parts_[at(p)].packs; ++k) sum.add(B[k], in[k]);
    }
    return sum.total();
  }
  /// y += B_i (x, 0, …)
  STICTION_INLINE void applyFirst(int i, double x, Packs& y) const {
    for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
      const Pack* B = values_.data() + parts_[at(p)].offset;
      Pack* out = y.data() + parts_[at(p)].pack;
      for (int k = 0; k < parts_[at(p)].packs; ++k) out[k].add(B[k], x);
    }
  }
  /// y += B_i x
  STICTION_INLINE void apply(int i, const Values& x, Packs& y) const {
    for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) {
      const int packs = parts_[at(p)].packs;
      const Pack* B = values_.data() + parts_[at(p)].offset;
      Pack* out = y.data() + parts_[at(p)].pack;
      for (int k = 0; k < packs; ++k, ++B) {
        Pack sum = out[k];
        for (int c = 0; c < Width; ++c) sum.add(B[c * packs], x[c]);
        out[k] = sum;
      }
    }
  }
  /// Calls take(p) for the first pack p of each block that the group touches.
  template <class Take>
  STICTION_INLINE void eachBlock(int i, const Take& take) const {
    for (int p = start_[at(i)]; p < start_[at(i) + 1]; ++p) take(parts_[at(p)].pack);
  }
  /// The blocks that the group touches.
  std::span<const Part> parts(int i) const { return {parts_.data() + start_[at(i)], parts_.data() + start_[at(i) + 1]}; }
  const Pack* columns(const Part& part) const { return values_.data() + part.offset; }
  /// B_iᵀB_i
  Eigen::Matrix<double, Width, Width> gram(int i) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void findParts(const MassRoot& root, const BlockColumns& A, const std::vector<int>& order);
  void fill(int i, const BlockMass& M, const MassRoot& root, const BlockColumns& A, int group);

  std::vector<int> start_;
  std::vector<Part> parts_;
  Packs values_;
};

extern template class WeightedColumns<1>;
extern template class WeightedColumns<3>;

}  // namespace stiction
