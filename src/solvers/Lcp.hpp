// Linear complementarity problems with A symmetric positive semidefinite, w = A λ − b. The one of frictionless contact, A = J M⁻¹ Jᵀ:
//
//   0 <= λ ⊥ w >= 0
//
// and the one of boxes, with a row at its lower bound where w >= 0, at its upper bound where w <= 0, and w = 0 between them:
//
//   low <= λ <= high ,   w = 0, or λ = low and w > 0, or λ = high and w < 0        bounds may be infinite: rows of joints have none, normal impulses no upper one
//
// Active set with principal pivots (Goldfarb and Idnani 1983, Keller 1973): the most violated row moves towards w = 0 while the free rows keep theirs; rows that reach a bound on the way
// stay there, and the row that moves becomes free, or stops at its own other bound. Every step lowers ½λᵀAλ − bᵀλ, which has one minimum a set of free rows and places of the
// others: finite. A singular A needs no care but this: a row that the free rows imply (nothing left on its diagonal beside them) has no minimum on its way and moves until
// a row reaches a bound; free rows are thus independent, and their factor exists, as far as round-off tells rows apart: where masses are 1e5 : 1 and more and rows nearly imply each
// other it may not, and "converged", which is judged beside λ, must not be the last word. Where no row has a bound to reach, no impulse satisfies the row: proof that there is no answer.
// Cost: O(k²) per change of the k free rows (Cholesky factor extended and shortened in place), O(n m) for w with m rows that push.
#pragma once
#include <vector>

#include "math/Types.hpp"

namespace stiction {

struct LcpAnswer {
  VectorX lambda;         // (n) within its bounds
  bool converged{false};  // all conditions hold to round-off
  int iterations{0};      // rows that became free or stopped being it
  int activeRows{0};      // free rows
  int impossibleRow{-1};  // row that the free ones contradict, -1 when there is none
};

/// Cholesky factor of A over a growing and shrinking set of rows.
class ActiveFactor {
 public:
  explicit ActiveFactor(const MatrixX& A) : A_{&A}, L_{MatrixX::Zero(A.rows(), A.rows())} {}

  const std::vector<Eigen::Index>& rows() const { return rows_; }
  Eigen::Index size() const { return static_cast<Eigen::Index>(rows_.size()); }
  /// A_SS⁻¹ x.
  VectorX solve(VectorX x) const;
  VectorX column(Eigen::Index p) const { return (*A_)(rows_, p); }
  void add(Eigen::Index p);
  /// Removes the j-th active row; rotations bring the rows below back to triangular form.
  void remove(Eigen::Index j);

 private:
  const MatrixX* A_;
  MatrixX L_;
  std::vector<Eigen::Index> rows_;
};

/// Boxes that change from one solve to the next: each starts from the rows that were free at the end of the last.
class BoxLcp {
 public:
  /// A (n × n), b (n): kept by reference.
  BoxLcp(const MatrixX& A, const VectorX& b);

  /// low <= high (n). `limit`: changes of the active set at most; 0: 100 n + 1000, never reached by healthy data.
  LcpAnswer solve(const VectorX& low, const VectorX& high, int limit = 0);
  /// Starts the next solve from λ: within its bounds a row is free.
  void startFrom(const VectorX& lambda) { lambda_ = lambda, guessed_ = true; }
  /// Where a row was left: −1 pressed against its lower bound, 1 against its upper one, 0 free or with nothing to press it.
  int side(Eigen::Index row) const { return side_[static_cast<std::size_t>(row)]; }
  const ActiveFactor& factor() const { return factor_; }

 private:
  bool isFree(Eigen::Index i) const { return free_[static_cast<std::size_t>(i)] != 0; }
  double diagonalLeft(Eigen::Index p, const VectorX& column, const VectorX& r) const { return (*A_)(p, p) - column.dot(r); }
  void release(Eigen::Index p);
  void fix(Eigen::Index k, double value);
  void adopt(const VectorX& low, const VectorX& high);
  void settle(const VectorX& low, const VectorX& high);
  Eigen::Index mostViolated(const VectorX& low, const VectorX& high);
  Eigen::Index furthest(const VectorX& low, const VectorX& high);
  bool move(Eigen::Index p, const VectorX& low, const VectorX& high, int limit, LcpAnswer& answer);
  bool refine(const VectorX& low, const VectorX& high);

  const MatrixX* A_;
  const VectorX* b_;
  MatrixX sizes_;  // |A|
  VectorX roots_;  // √A_ii
  ActiveFactor factor_;
  VectorX lambda_, w_, terms_;
  std::vector<char> free_, implied_;  // implied: by the free rows, to round-off
  std::vector<signed char> side_;
  bool guessed_{false};
};

/// The frictionless one: bounds 0 and infinity. A (n × n), b (n); `limit` as above.
LcpAnswer solveLcp(const MatrixX& A, const VectorX& b, int limit = 0);

}  // namespace stiction
