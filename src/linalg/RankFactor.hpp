// A ≈ P Qᵀ with as many columns as A has rank, for a sparse A of 3 × 3 blocks, positive semidefinite but for a small unsymmetric part: the Delassus operator of bodies that nobody
// names. Pivots are chosen by the numbers: of the block rows whose pivots are not small, the one with the fewest neighbours. Once the contacts of a body have taken all of its velocities
// nothing of it couples others any more, so that P becomes as sparse as the bodies' own Jacobian, which a graph of A's blocks alone cannot tell.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

class RankFactor {
 public:
  /// Pivots of one block row, in columns of their own. Columns of P and Q from `width` on are zero.
  struct Panel {
    int width;                 // 1 to 3
    int first, last;           // entries; the first is the block row with the pivots
    std::array<int, 3> pivot;  // by column, its row in the block: zero in the columns after it
    bool isSmall;              // pivots below a hundredth of their rows' diagonal entries; none but such panels follow
  };
  struct Entry {
    int row;
    Matrix3 P, Q;
  };

  /// A by compressed rows of blocks: row i has blocks [start[i], start[i+1]) in columns `column`. `symmetric` takes (A + Aᵀ)/2 for A, and so does an A that is symmetric up to
  /// rounding; then P = Q. Throws MemoryError where what is left of A on the way does not fit.
  void factor(const std::vector<int>& start, const std::vector<int>& column, const std::vector<Matrix3>& blocks, bool symmetric);

  const std::vector<Panel>& panels() const { return panels_; }
  const std::vector<Entry>& entries() const { return entries_; }
  bool isSymmetric() const { return isSymmetric_; }

 private:
  /// The blocks of what is left of A at (first, second) and (second, first).
  struct Pair {
    int first, second;
    bool isZero;
    Matrix3 forth, back;
  };
  struct Neighbour {
    int row, pair;
  };

  void take(const std::vector<int>& start, const std::vector<int>& column, const std::vector<Matrix3>& blocks, bool symmetric);
  void coarsen();
  int connect(int a, int b);
  void locate(int row);
  void forget(int row);
  void eliminate(int row, double leastPivot);
  Panel pivot(int row, double leastPivot, Entry& entry);
  void update(Pair& pair, const Entry& a, const Entry& b) const;
  bool isNegligible(const Pair& pair) const;
  void sweepOut(int row);
  void recycle();
  double largestPivot(int row) const;
  void offer(int row);

  int rows_{0};
  bool isSymmetric_{false};
  std::size_t level_{0};   // of the blocks that are zero
  double connections_{0};  // pairs there have been
  double fullAt_{0};       // at so many the next level holds
  std::vector<Pair> pairs_;
  std::vector<int> spare_, spent_;  // pairs whose blocks are zero; those of the elimination at hand
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<Matrix3> diagonal_;           // of what is left of A
  std::vector<Vector3> whole_;              // the diagonal of A
  std::vector<double> size_;                // by block row, the root of the largest entry of it
  std::vector<int> pairWith_;               // of the row located, by the other row; −1: none
  std::vector<std::pair<int, int>> queue_;  // a heap of (neighbours, row), with entries out of date
  std::vector<Panel> panels_;
  std::vector<Entry> entries_;
};

}  // namespace stiction
