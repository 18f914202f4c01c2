// Block Cholesky A = L Lᵀ and block LU A = L U (same pattern above and below the diagonal, pivoting inside the diagonal blocks) on a BlockStructure.
// Left-looking by block columns; dense kernels of fixed size for blocks of 6 and 3. Reduction order fixed by the structure: the same bits every time.
#pragma once
#include <vector>

#include "linalg/BlockStructure.hpp"
#include "linalg/PanelKernel.hpp"
#include "math/Types.hpp"

namespace stiction {

/// What finished columns take from the one being built, supernode by supernode. Usage for each column k: begin, subtract, finish.
class PanelUpdates {
 public:
  void bind(const BlockStructure& structure);
  void reset();
  /// Finds the columns that have a block row k.
  void begin(int k);
  /// target (panel k) −= Σ_j A_j B_jᵀ, with A_j the rows of panel j of `a` from its block row k on (`skip` = 1: from the next on), B_j row k of panel j of `b`.
  void subtract(int k, int skip, const double* a, const double* b, double* target);
  /// Column k is finished: it takes part from its first block row on.
  void finish(int k);

 private:
  void push(int j, int p);

  const BlockStructure* structure_{nullptr};
  std::vector<int> head_, next_, cursor_;  // lists of columns by their next block row, and that row's index
  std::vector<int> columns_, supernodes_;  // columns that have a block row k, ascending, and where their supernodes start
  std::vector<int> place_;                 // row of each block in panel k
  std::vector<double> product_;
  std::vector<PanelSource> sources_;
  std::vector<RowRun> runs_;
};

/// Symmetric positive definite. Usage: bind, fill lower(), factor, solve.
class BlockCholesky {
 public:
  void bind(const BlockStructure& structure);
  std::vector<double>& lower() { return lower_; }  // panels, to be filled with the matrix (entries above the diagonal of a diagonal block are not read)
  void setZero() { std::fill(lower_.begin(), lower_.end(), 0.0); }
  /// False when a pivot block is not positive definite.
  bool factor();
  /// x := A⁻¹ x, caller's order.
  void solve(VectorX& x);

 private:
  bool factorPanel(int k);

  const BlockStructure* structure_{nullptr};
  std::vector<double> lower_;
  PanelUpdates updates_;
  std::vector<double> work_, sums_;
};

/// General matrix with a symmetric pattern. lower(): panels as in Cholesky with whole diagonal blocks; upper(): the transposes of the blocks above the diagonal.
class BlockLU {
 public:
  void bind(const BlockStructure& structure);
  std::vector<double>& lower() { return lower_; }
  std::vector<double>& upper() { return upper_; }
  void setZero() {
    std::fill(lower_.begin(), lower_.end(), 0.0);
    std::fill(upper_.begin(), upper_.end(), 0.0);
  }
  /// False when a pivot block is singular to working precision.
  bool factor() { return factor(-1.0); }
  /// Sign of the determinant of the matrix last factored.
  int determinantSign() const { return determinantSign_; }
  /// A = P Qᵀ for a nearly symmetric A of positive semidefinite symmetric part: scalar pivots in order, one at or below `nullPivot` times its row's own diagonal gives zero
  /// columns. P is left in lower(), Q in upper(), both with their diagonal blocks; solve() is not to be used then.
  void factorSemidefinite(double nullPivot) { factor(nullPivot); }
  void solve(VectorX& x);

 private:
  bool factor(double nullPivot);
  bool factorPanel(int k);
  void factorSemidefinitePanel(int k, double nullPivot);

  const BlockStructure* structure_{nullptr};
  std::vector<double> lower_, upper_;
  std::vector<double> diagonal_;  // of the matrix, for the null-pivot test
  std::vector<double> inverse_;   // inverses of the diagonal blocks, size² each at inverseAt_
  std::vector<std::size_t> inverseAt_;
  PanelUpdates updates_;
  std::vector<double> work_, sums_;
  int determinantSign_{1};
};

}  // namespace stiction
