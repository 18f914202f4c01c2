// Mass-weighted velocities, for methods that touch one contact at a time. With M = L Lᵀ block by block and y = Lᵀv [√J], a group of columns A becomes B = L⁻¹A, and the same few
// numbers say what the group reads and what its impulse does:
//   Aᵀv = Bᵀy ,   v += M⁻¹A x  is  y += B x ,   AᵀM⁻¹A = BᵀB
// A mass matrix with couplings between blocks is not for this form.
#pragma once
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

/// L, block by block.
class MassRoot {
 public:
  /// False where a block is not positive definite, or not finite.
  bool factor(const BlockMass& M);
  /// x ← L_k⁻¹ x, x of the size of block k.
  void forward(int k, double* x) const;
  /// x ← L_k⁻ᵀ x
  void backward(int k, double* x) const;

 private:
  std::vector<int> size_, offset_;
  std::vector<double> values_;  // L column major, its diagonal inverted
};

/// B = L⁻¹A of groups of `Width` columns.
template <int Width>
class WeightedColumns {
 public:
  using Values = Eigen::Matrix<double, Width, 1>;

  void build(const BlockMass& M, const MassRoot& root, const BlockColumns& A);

  /// B_iᵀy
  Values read(int i, const VectorX& y) const;
  /// The first entry of it.
  double readFirst(int i, const VectorX& y) const;
  /// y += B_i x
  void apply(int i, const Values& x, VectorX& y) const;
  /// B_iᵀB_i
  Eigen::Matrix<double, Width, Width> gram(int i) const;

 private:
  struct Part {
    int row, size;  // a whole block of velocities
    int offset;     // size × Width, column major
  };
  static constexpr int kBody = 6;  // velocities of a free body, the usual size

  std::vector<int> start_;
  std::vector<Part> parts_;
  std::vector<double> values_;
  std::vector<int> blocks_;  // of the group being built
};

extern template class WeightedColumns<1>;
extern template class WeightedColumns<3>;

}  // namespace stiction
