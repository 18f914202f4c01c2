// P A Pᵀ = L D Lᵀ of a sparse symmetric positive definite matrix, by rows of L (up-looking: T. Davis, "Direct Methods for Sparse Linear Systems", 2006, ch. 4), in the order of least degree.
// Analysed once for a pattern; factoring and solving take nothing from the heap. Cost: O(Σ nnz(L_j)²) to factor, O(nnz(L)) to solve.
#pragma once
#include <utility>
#include <vector>

#include "math/Types.hpp"

namespace stiction::certification {

class SparseLdlt {
 public:
  /// `entries`: (row, column) of the lower triangle of a matrix of n rows, in any order, each as often as it likes.
  void analyse(int n, const std::vector<std::pair<int, int>>& entries);
  /// Factors the matrix with these values of the entries; those of one place add up. False where a pivot is not positive.
  bool factor(const std::vector<double>& values);
  /// x ← A⁻¹ x.
  void solve(VectorX& x);

  int size() const { return static_cast<int>(pivot_.size()); }
  /// Where row i of A is in the factor.
  int placeOf(int i) const { return place_[static_cast<std::size_t>(i)]; }
  /// Parent in the elimination tree, or -1.
  int parentOf(int j) const { return parent_[static_cast<std::size_t>(j)]; }
  double pivotOf(int j) const { return pivot_[static_cast<std::size_t>(j)]; }
  /// visit(row, value) of column j of L below the diagonal, ascending.
  template <class Visit>
  void eachBelow(int j, const Visit& visit) const {
    const auto k = static_cast<std::size_t>(j);
    for (std::size_t p = first_[k]; p < first_[k] + filled_[k]; ++p) visit(row_[p], value_[p]);
  }

 private:
  void order(const std::vector<std::pair<int, int>>& entries);
  void placeEntries(const std::vector<std::pair<int, int>>& entries);
  void countColumns();
  template <class Visit>
  void eachOfRow(int k, const Visit& visit);

  std::vector<int> place_, parent_;
  std::vector<std::size_t> start_;             // of A's rows above the diagonal, in the order of the factor: column k has [start_[k], start_[k + 1])
  std::vector<int> above_;                     // their rows,
  std::vector<double> aboveValue_, diagonal_;  // values, and the diagonal
  std::vector<std::ptrdiff_t> slot_;           // of each entry among aboveValue_; of the diagonal −1 − k
  std::vector<std::size_t> first_, filled_;    // columns of L
  std::vector<int> row_;
  std::vector<double> value_, pivot_;
  std::vector<double> work_;         // zero between uses
  std::vector<int> mark_, pattern_;  // of a row of L, at the end of pattern_
};

}  // namespace stiction::certification
