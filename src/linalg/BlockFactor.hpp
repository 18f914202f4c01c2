// Block Cholesky A = L Lᵀ and block LU A = L U (same pattern above and below the diagonal, pivoting inside the diagonal blocks) on a BlockStructure.
// Left-looking by block columns; dense kernels of fixed size for blocks of 6 and 3. Reduction order fixed by the structure: the same bits every time, on any number of threads.
#pragma once
#include <vector>

#include "linalg/PanelUpdates.hpp"
#include "math/Types.hpp"

namespace stiction {

/// Symmetric positive definite. Usage: bind, setZero, add to lower(), factor, solve.
class BlockCholesky {
 public:
  void bind(const BlockStructure& structure);
  std::vector<double>& lower() { return lower_; }  // panels, to be filled with the matrix (entries above the diagonal of a diagonal block are not read)
  void setZero() { std::fill(lower_.begin(), lower_.end(), 0.0); }
  /// False when a pivot block is not positive definite. `team`, when given, must be idle. `kept`, when given, by strips: those that hold the last factor's values in place of the
  /// matrix's, which have not changed, and neither have those of any strip that updates them.
  bool factor(ThreadPool* team = nullptr, const std::vector<char>* kept = nullptr);
  /// x := A⁻¹ x, caller's order.
  void solve(VectorX& x);
  /// The columns of L that L⁻¹ x takes for an x that is zero outside one block (caller's index), ascending: the block's own and its ancestors in the elimination tree. Adds them to
  /// `columns`, which stays sorted and without duplicates.
  void addPath(int block, std::vector<int>& columns) const;
  /// x := L⁻¹ x for an x whose nonzero blocks have their paths in `columns`.
  void solveLower(const std::vector<int>& columns, VectorX& x);

 private:
  bool factorPanel(int k);
  void eliminate(int k, VectorX& x);

  const BlockStructure* structure_{nullptr};
  std::vector<double> lower_;
  ColumnSchedule schedule_;
  std::vector<PanelUpdates> updates_;  // by worker
  std::vector<double> work_, sums_;
};

/// General matrix with a symmetric pattern. lower(): panels as in Cholesky with whole diagonal blocks, bound and filled likewise; upper(): the transposes of the blocks above the diagonal.
class BlockLU {
 public:
  void bind(const BlockStructure& structure);
  std::vector<double>& lower() { return lower_; }
  std::vector<double>& upper() { return upper_; }
  void setZero() {
    std::fill(lower_.begin(), lower_.end(), 0.0);
    std::fill(upper_.begin(), upper_.end(), 0.0);
  }
  /// False when a pivot block is singular to working precision. `team` and `kept` as above.
  bool factor(ThreadPool* team = nullptr, const std::vector<char>* kept = nullptr);
  /// Sign of the determinant of the matrix last factored.
  int determinantSign() const { return determinantSign_; }
  void solve(VectorX& x);

 private:
  struct Worker {
    PanelUpdates updates;
    std::vector<double> work;
  };
  void bindWorker(Worker& worker);
  bool factorPanel(int k, std::vector<double>& work);

  const BlockStructure* structure_{nullptr};
  std::vector<double> lower_, upper_;
  std::vector<double> inverse_;  // inverses of the diagonal blocks, size² each at inverseAt_
  std::vector<std::size_t> inverseAt_;
  ColumnSchedule schedule_;
  std::vector<Worker> workers_;
  std::vector<char> negative_;  // signs of the pivot blocks' determinants
  std::vector<double> work_, sums_;
  int determinantSign_{1};
};

}  // namespace stiction
