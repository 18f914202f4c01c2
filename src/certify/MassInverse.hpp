// M⁻¹ for the judge: products M⁻¹x and the traces trace(A_iᵀ M⁻¹ A_i) of column groups.
//
// Without couplings every diagonal block is split into pieces: a leading m·1 (3 × 3, translations of a rigid body or a mesh node) needs one division, the rest a dense
// Cholesky factor. With couplings the whole of M goes through a sparse LDLᵀ, and a group's trace through a forward substitution along the elimination tree only.
// Cost: O(n³) a dense piece once, O(n²) a product; sparse: O(nnz(L)) a product, O(fill of the group's path to the root) a trace.
#pragma once
#include <vector>

#include "certify/SparseLdlt.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction::certification {

class MassInverse {
 public:
  /// Factors M; keeps its own copy. An M that is not positive definite makes usable() false.
  void factor(const BlockMass& M);
  bool usable() const { return usable_; }
  /// Whether it is, bit by bit, the M of the call before.
  bool kept() const { return kept_; }

  /// x ← M⁻¹ x. `team`: threads that share the work, idle; null: none.
  void solve(VectorX& x, ThreadPool* team = nullptr);

  /// trace(A_iᵀ M⁻¹ A_i) of column group i. Threads may call it side by side, unless M has couplings, each with another `range` < kMostRanges.
  double trace(const BlockColumns& A, int group, int range = 0);
  bool coupled() const { return !whole_.couplings.empty(); }

 private:
  struct Piece {
    int row, size;
    int offset;      // of the lower factor in factors_ (column major), -1 for a multiple of the identity
    double inverse;  // [1/kg] of that multiple
  };

  void addScalar(int row, int size, double mass);
  void addDense(int row, const Eigen::Ref<const MatrixX>& block);
  void factorBlocks();
  void factorWhole(bool isAlike);
  void analyse();
  double energy(int block, double* x) const;
  bool isFreeBody(int block) const;
  double bodyTrace(int block, const double* x) const;
  double blockTrace(const BlockColumns& A, int group, double* column) const;
  template <int Width>
  double wholeTrace(const BlockColumns& A, int group);

  BlockMass whole_;  // that all else is of
  bool isFactored_{false}, usable_{true}, kept_{false};
  std::vector<int> blockRow_;    // first row of block k
  std::vector<int> pieceStart_;  // block k has pieces [pieceStart_[k], pieceStart_[k+1])
  std::vector<Piece> pieces_;
  std::vector<double> factors_;
  std::vector<double> columns_;  // of each range, one block's rows of a column group
  int largest_{0};               // size of a block
  SparseLdlt factor_;            // of a coupled M
  std::vector<double> entries_;  // of its lower triangle
  std::vector<int> reach_;       // a group's columns of L
  std::vector<char> marked_;
  std::vector<double> work_;  // 3 × dof, zero between groups
};

}  // namespace stiction::certification
