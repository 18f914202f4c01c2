#include "linalg/BlockFactor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "linalg/PanelKernel.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Panel = Eigen::Map<MatrixX, 0, Eigen::OuterStride<>>;

/// Room for the product of any panel's rows with any block, and for one column of rows.
std::size_t workSize(const BlockStructure& s) {
  int highest = 0;
  for (int k = 0; k < s.columns(); ++k) highest = std::max(highest, s.height(k));
  return at(packed(highest)) * at(std::max(1, s.largestBlock()));
}

/// work = the entries of x at the rows below panel k's diagonal block, zero up to the next pack.
void gatherRows(const BlockStructure& s, int k, const VectorX& x, std::vector<double>& work) {
  double* to = work.data();
  for (int p = s.firstRow(k); p < s.lastRow(k); ++p) to = std::copy_n(x.data() + s.start(s.row(p)), s.size(s.row(p)), to);
  std::fill(to, work.data() + packed(s.height(k) - s.size(k)), 0.0);
}

/// x −= A x_k for the rows A below the diagonal block of panel k.
void subtractBelow(const BlockStructure& s, int k, const double* panel, VectorX& x, std::vector<double>& work) {
  const int below = s.height(k) - s.size(k);
  if (below == 0) return;
  panelTimes(panel + s.size(k), s.height(k), x.data() + s.start(k), work.data(), below, s.size(k));
  const double* from = work.data();
  for (int p = s.firstRow(k); p < s.lastRow(k); ++p) {
    double* to = x.data() + s.start(s.row(p));
    const int rows = s.size(s.row(p));
    for (int r = 0; r < rows; ++r) to[r] -= from[r];
    from += rows;
  }
}

/// x_k −= Aᵀ x for the same rows.
void subtractTransposedBelow(const BlockStructure& s, int k, const double* panel, VectorX& x, std::vector<double>& work, std::vector<double>& sums) {
  const int below = s.height(k) - s.size(k);
  if (below == 0) return;
  gatherRows(s, k, x, work);
  panelDots(panel + s.size(k), s.height(k), work.data(), sums.data(), below, s.size(k));
  for (int c = 0; c < s.size(k); ++c) x[s.start(k) + c] -= sums[at(c)];
}

void copyDiagonal(const BlockStructure& s, const std::vector<double>& panels, std::vector<double>& diagonal) {
  diagonal.resize(at(s.unknowns()));
  for (int k = 0; k < s.columns(); ++k)
    for (int c = 0; c < s.size(k); ++c) diagonal[at(s.start(k) + c)] = panels[s.panel(k) + at(c) * at(s.height(k)) + at(c)];
}

}  // namespace

void PanelUpdates::bind(const BlockStructure& structure) {
  structure_ = &structure;
  place_.assign(at(structure.columns()), 0);
  product_.resize(workSize(structure));
}

void PanelUpdates::reset() {
  head_.assign(at(structure_->columns()), -1);
  next_.assign(at(structure_->columns()), -1);
  cursor_.assign(at(structure_->columns()), 0);
}

void PanelUpdates::push(int j, int p) {
  cursor_[at(j)] = p;
  if (p == structure_->lastRow(j)) return;
  next_[at(j)] = head_[at(structure_->row(p))];
  head_[at(structure_->row(p))] = j;
}

void PanelUpdates::begin(int k) {
  const BlockStructure& s = *structure_;
  place_[at(k)] = 0;
  for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
  columns_.clear();
  for (int j = head_[at(k)]; j >= 0; j = next_[at(j)]) columns_.push_back(j);
  std::sort(columns_.begin(), columns_.end());
  supernodes_.assign(1, 0);
  for (std::size_t i = 1; i < columns_.size(); ++i)
    if (columns_[i] != columns_[i - 1] + 1 || !s.chained(columns_[i - 1])) supernodes_.push_back(static_cast<int>(i));
  if (!columns_.empty()) supernodes_.push_back(static_cast<int>(columns_.size()));
}

void PanelUpdates::subtract(int k, int skip, const double* a, const double* b, double* target) {
  const BlockStructure& s = *structure_;
  for (std::size_t g = 0; g + 1 < supernodes_.size(); ++g) {
    const int j = columns_[at(supernodes_[g])], p = cursor_[at(j)] + skip;
    if (p == s.lastRow(j)) continue;
    sources_.clear();
    for (int i = supernodes_[g]; i < supernodes_[g + 1]; ++i) {
      const int source = columns_[at(i)], q = cursor_[at(source)];
      sources_.push_back({a + s.panel(source) + s.rowOffset(q + skip), s.height(source), b + s.panel(source) + s.rowOffset(q), s.height(source)});
    }
    runs_.clear();
    for (int q = p; q < s.lastRow(j); ++q) {
      const int to = place_[at(s.row(q))], size = s.size(s.row(q));
      if (!runs_.empty() && runs_.back().to + runs_.back().rows == to)
        runs_.back().rows += size;
      else
        runs_.push_back({s.rowOffset(q) - s.rowOffset(p), to, size});
    }
    const int rows = s.height(j) - s.rowOffset(p), columns = s.size(k);
    panelProduct(sources_.data(), static_cast<int>(sources_.size()), product_.data(), rows, columns, s.size(j));
    panelSubtract(product_.data(), packed(rows), target, s.height(k), runs_.data(), static_cast<int>(runs_.size()), columns);
  }
}

void PanelUpdates::finish(int k) {
  for (const int j : columns_) push(j, cursor_[at(j)] + 1);
  push(k, structure_->firstRow(k));
}

void BlockCholesky::bind(const BlockStructure& structure) {
  structure_ = &structure;
  lower_.assign(structure.values() + kPack, 0.0);
  work_.resize(workSize(structure)), sums_.resize(at(structure.largestBlock()));
  updates_.bind(structure);
}

// Dense Cholesky of panel k: its diagonal block and the rows below it.
bool BlockCholesky::factorPanel(int k) {
  const int size = structure_->size(k), height = structure_->height(k);
  double* panel = lower_.data() + structure_->panel(k);
  for (int c = 0; c < size; ++c) {
    double* target = panel + at(c) * at(height);
    for (int i = 0; i < c; ++i) {
      const double* from = panel + at(i) * at(height);
      const double factor = from[c];
      for (int r = c; r < height; ++r) target[r] -= factor * from[r];
    }
    const double pivot = target[c];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    target[c] = std::sqrt(pivot);
    const double inverse = 1.0 / target[c];
    for (int r = c + 1; r < height; ++r) target[r] *= inverse;
  }
  return true;
}

bool BlockCholesky::factor() {
  updates_.reset();
  for (int k = 0; k < structure_->columns(); ++k) {
    updates_.begin(k);
    updates_.subtract(k, 0, lower_.data(), lower_.data(), lower_.data() + structure_->panel(k));
    if (!factorPanel(k)) return false;
    updates_.finish(k);
  }
  return true;
}

void BlockCholesky::solve(VectorX& x) {
  const BlockStructure& s = *structure_;
  for (int k = 0; k < s.columns(); ++k) {
    const double* panel = lower_.data() + s.panel(k);
    const int size = s.size(k), height = s.height(k);
    double* xk = x.data() + s.start(k);
    for (int c = 0; c < size; ++c) {
      const double* column = panel + at(c) * at(height);
      xk[c] /= column[c];
      for (int r = c + 1; r < size; ++r) xk[r] -= column[r] * xk[c];
    }
    subtractBelow(s, k, panel, x, work_);
  }
  for (int k = s.columns() - 1; k >= 0; --k) {
    const double* panel = lower_.data() + s.panel(k);
    const int size = s.size(k), height = s.height(k);
    double* xk = x.data() + s.start(k);
    subtractTransposedBelow(s, k, panel, x, work_, sums_);
    for (int c = size - 1; c >= 0; --c) {
      const double* column = panel + at(c) * at(height);
      for (int r = c + 1; r < size; ++r) xk[c] -= column[r] * xk[r];
      xk[c] /= column[c];
    }
  }
}

void BlockLU::bind(const BlockStructure& structure) {
  structure_ = &structure;
  lower_.assign(structure.values() + kPack, 0.0);
  upper_.assign(structure.values() + kPack, 0.0);
  updates_.bind(structure);
  work_.resize(workSize(structure)), sums_.resize(at(structure.largestBlock()));
  inverseAt_.resize(at(structure.columns()));
  std::size_t total = 0;
  for (int k = 0; k < structure.columns(); ++k) {
    inverseAt_[at(k)] = total;
    total += at(structure.size(k)) * at(structure.size(k));
  }
  inverse_.assign(total, 0.0);
}

// D_k⁻¹ by pivoting inside the block, and Q_ik = Z_ik D_k⁻ᵀ below it.
bool BlockLU::factorPanel(int k) {
  const BlockStructure& s = *structure_;
  const int size = s.size(k), height = s.height(k);
  double* panelQ = upper_.data() + s.panel(k);
  const Panel diagonal{lower_.data() + s.panel(k), size, size, Eigen::OuterStride<>{height}};
  Eigen::Map<MatrixX> inverse{inverse_.data() + inverseAt_[at(k)], size, size};
  const auto invert = [&](const auto& lu) {
    inverse = lu.inverse();
    if (lu.determinant() < 0) determinantSign_ = -determinantSign_;
  };
  if (size == 6)
    invert(Eigen::PartialPivLU<Matrix6>{diagonal});
  else if (size == 3)
    invert(Eigen::PartialPivLU<Matrix3>{diagonal});
  else
    invert(Eigen::PartialPivLU<MatrixX>{diagonal});
  if (!inverse.allFinite()) return false;
  const int rows = height - size;
  if (rows == 0) return true;
  const PanelSource whole{panelQ + size, height, inverse.data(), size};
  panelProduct(&whole, 1, work_.data(), rows, size, size);  // Q := Q · D⁻ᵀ
  for (int c = 0; c < size; ++c) std::copy_n(work_.data() + at(c) * at(packed(rows)), rows, panelQ + at(size) + at(c) * at(height));
  return true;
}

// Scalar columns of panel k: P holds A's columns divided by the root of the pivot, Q its rows likewise.
void BlockLU::factorSemidefinitePanel(int k, double nullPivot) {
  const int size = structure_->size(k), height = structure_->height(k);
  double* P = lower_.data() + structure_->panel(k);
  double* Q = upper_.data() + structure_->panel(k);
  for (int c = 0; c < size; ++c)  // the diagonal block stands whole in P: its transpose goes to Q
    for (int r = 0; r < size; ++r) Q[at(c) + at(r) * at(height)] = P[at(r) + at(c) * at(height)];
  for (int c = 0; c < size; ++c) {
    double *p = P + at(c) * at(height), *q = Q + at(c) * at(height);
    for (int i = 0; i < c; ++i) {
      const double *fromP = P + at(i) * at(height), *fromQ = Q + at(i) * at(height);
      const double factorP = fromQ[c], factorQ = fromP[c];
      for (int r = c; r < height; ++r) p[r] -= factorP * fromP[r], q[r] -= factorQ * fromQ[r];
    }
    for (int r = 0; r < c; ++r) p[r] = q[r] = 0;
    const double pivot = p[c];
    const bool live = pivot > nullPivot * diagonal_[at(structure_->start(k) + c)];
    const double inverse = live ? 1.0 / std::sqrt(pivot) : 0.0;
    for (int r = c; r < height; ++r) p[r] *= inverse, q[r] *= inverse;
  }
}

// A = P Qᵀ by block columns: P_ik = A_ik − Σ_j P_ij Q_kjᵀ below and on the diagonal (D_k = P_kk), Q_ik = (A_kiᵀ − Σ_j Q_ij P_kjᵀ) D_k⁻ᵀ.
bool BlockLU::factor(double nullPivot) {
  const BlockStructure& s = *structure_;
  updates_.reset();
  determinantSign_ = 1;
  if (nullPivot >= 0) copyDiagonal(s, lower_, diagonal_);
  for (int k = 0; k < s.columns(); ++k) {
    updates_.begin(k);
    updates_.subtract(k, 0, lower_.data(), upper_.data(), lower_.data() + s.panel(k));
    updates_.subtract(k, 1, upper_.data(), lower_.data(), upper_.data() + s.panel(k));
    if (nullPivot >= 0)
      factorSemidefinitePanel(k, nullPivot);
    else if (!factorPanel(k))
      return false;
    updates_.finish(k);
  }
  return true;
}

void BlockLU::solve(VectorX& x) {
  const BlockStructure& s = *structure_;
  for (int k = 0; k < s.columns(); ++k) {
    const int size = s.size(k);
    double* xk = x.data() + s.start(k);
    const Eigen::Map<const MatrixX> inverse{inverse_.data() + inverseAt_[at(k)], size, size};
    for (int c = 0; c < size; ++c) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += inverse(c, i) * xk[i];
      sums_[at(c)] = sum;
    }
    for (int c = 0; c < size; ++c) xk[c] = sums_[at(c)];
    subtractBelow(s, k, lower_.data() + s.panel(k), x, work_);
  }
  for (int k = s.columns() - 1; k >= 0; --k) subtractTransposedBelow(s, k, upper_.data() + s.panel(k), x, work_, sums_);
}

}  // namespace stiction
