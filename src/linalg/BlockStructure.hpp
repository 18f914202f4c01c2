// Symbolic side of the block factorisations: ordering, elimination tree and panels of a symmetric block pattern.
// Ordering: minimum degree on the block graph, or nested dissection where a factor is dear and it is cheaper by that. One panel a block column: the diagonal block on top, then the blocks
// below it in ascending order, one leading dimension, and a pack's room behind, which the kernels read and nobody writes. Cost: linear in the size of the factor's pattern.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

namespace stiction {

class BlockStructure {
 public:
  static constexpr int kStrip = 4;

  /// Where a coupling (a, b) of the matrix lives: at `values[offset + i + ld·j]`, row i of block `row`, column j of block `column`; `swapped` when row is b.
  struct Slot {
    std::size_t offset;
    int leading;
    bool swapped;
  };

  /// Sizes of the blocks and the couplings (pairs of different blocks, any order, duplicates allowed). Returns false, and does nothing, when both are as before.
  bool analyse(const std::vector<int>& sizes, std::vector<std::array<int, 2>>& couplings);

  /// Whether the factor's pattern has a place for the blocks a and b.
  bool couples(int a, int b) const;
  /// Slot of the blocks a and b, which must have one (a == b: the diagonal block).
  Slot slot(int a, int b) const;

  int columns() const { return static_cast<int>(sizes_.size()); }
  int position(int block) const { return position_[static_cast<std::size_t>(block)]; }  // permuted column of a block (caller's index)
  int size(int k) const { return size_[static_cast<std::size_t>(k)]; }                  // of permuted column k
  int start(int k) const { return start_[static_cast<std::size_t>(k)]; }                // first unknown of permuted column k, in the caller's order
  int height(int k) const { return height_[static_cast<std::size_t>(k)]; }              // rows of panel k
  std::size_t panel(int k) const { return panel_[static_cast<std::size_t>(k)]; }        // offset of panel k
  std::size_t values() const { return values_; }
  int unknowns() const { return unknowns_; }
  int largestBlock() const { return largest_; }
  /// Multiplications of one Cholesky factorisation, about: Σ size · height² / 2.
  double work() const;
  int firstRow(int k) const { return rowStart_[static_cast<std::size_t>(k)]; }  // range of panel k's blocks below the diagonal …
  int lastRow(int k) const { return rowStart_[static_cast<std::size_t>(k) + 1]; }
  int row(int p) const { return rows_[static_cast<std::size_t>(p)]; }              // … the permuted block
  int rowOffset(int p) const { return rowOffsets_[static_cast<std::size_t>(p)]; }  // … and its first row within the panel
  /// Whether column k + 1 has the size of column k and all its block rows below: columns of one supernode.
  bool chained(int k) const { return chained_[static_cast<std::size_t>(k)] != 0; }

  /// Strips: up to kStrip consecutive columns of one supernode, built together.
  int strips() const { return static_cast<int>(stripStart_.size()) - 1; }
  int firstColumn(int strip) const { return stripStart_[static_cast<std::size_t>(strip)]; }
  int lastColumn(int strip) const { return stripStart_[static_cast<std::size_t>(strip) + 1]; }
  int stripOf(int k) const { return strip_[static_cast<std::size_t>(k)]; }
  /// An earlier column that has block rows in the strip, and the index of the first of them: the strip takes an update from it.
  struct Update {
    int column, row;
  };
  int firstUpdate(int strip) const { return updateStart_[static_cast<std::size_t>(strip)]; }  // range of the strip's updates, by ascending columns …
  int lastUpdate(int strip) const { return updateStart_[static_cast<std::size_t>(strip) + 1]; }
  const Update& update(int i) const { return updates_[static_cast<std::size_t>(i)]; }  // … and one of them

 private:
  void layOut(std::vector<int> order);
  void cutStrips();
  void listUpdates();
  int find(int column, int row) const;  // index into rows_, -1 where the pattern has no such block

  std::vector<int> sizes_;                     // caller's order
  std::vector<std::array<int, 2>> couplings_;  // sorted, unique, first < second, caller's order
  std::vector<int> position_;                  // caller's block -> permuted column
  std::vector<int> original_;                  // permuted column -> caller's block
  std::vector<int> size_, start_, height_;
  std::vector<char> chained_;
  std::vector<std::size_t> panel_;
  std::vector<int> rowStart_, rows_, rowOffsets_;
  std::vector<int> stripStart_, strip_;
  std::vector<int> updateStart_;
  std::vector<Update> updates_;
  std::vector<std::vector<int>> below_;  // of each column while it is laid out: rows below the diagonal
  std::size_t values_{0};
  int unknowns_{0}, largest_{0};
};

}  // namespace stiction
