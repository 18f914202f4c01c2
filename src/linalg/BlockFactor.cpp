#include "linalg/BlockFactor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "linalg/PanelKernel.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Panel = Eigen::Map<MatrixX, 0, Eigen::OuterStride<>>;

/// Subtracts from panel k (its rows at `place`) the product of panel j's rows from block row p0 on with the transposed block rowK: target −= A Bᵀ.
void subtractPanel(const BlockStructure& s, int j, int k, int p0, int p1, const double* a, const double* b, double* target, const std::vector<int>& place,
                   std::vector<double>& work, std::vector<RowRun>& runs) {
  if (p1 == s.lastRow(j)) return;
  const int heightJ = s.height(j), columns = s.size(k), rows = heightJ - s.rowOffset(p1);
  panelProduct(a + s.rowOffset(p1), heightJ, b + s.rowOffset(p0), heightJ, work.data(), rows, columns, s.size(j));
  runs.clear();
  for (int p = p1; p < s.lastRow(j); ++p) {
    const int to = place[at(s.row(p))], size = s.size(s.row(p));
    if (!runs.empty() && runs.back().to + runs.back().rows == to)
      runs.back().rows += size;
    else
      runs.push_back({s.rowOffset(p) - s.rowOffset(p1), to, size});
  }
  panelSubtract(work.data(), packed(rows), target, s.height(k), runs.data(), static_cast<int>(runs.size()), columns);
}

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

/// Lists, for the column being built, the finished columns whose next block row it is (linked lists through next, one head a column).
struct Updates {
  std::vector<int>&head, &next, &cursor;

  void reset(int columns) {
    head.assign(at(columns), -1);
    next.assign(at(columns), -1);
    cursor.assign(at(columns), 0);
  }
  /// Column j's next block row is at p (or past its end).
  void push(const BlockStructure& s, int j, int p) {
    cursor[at(j)] = p;
    if (p == s.lastRow(j)) return;
    next[at(j)] = head[at(s.row(p))];
    head[at(s.row(p))] = j;
  }
};

void copyDiagonal(const BlockStructure& s, const std::vector<double>& panels, std::vector<double>& diagonal) {
  diagonal.resize(at(s.unknowns()));
  for (int k = 0; k < s.columns(); ++k)
    for (int c = 0; c < s.size(k); ++c) diagonal[at(s.start(k) + c)] = panels[s.panel(k) + at(c) * at(s.height(k)) + at(c)];
}

}  // namespace

void BlockCholesky::bind(const BlockStructure& structure) {
  structure_ = &structure;
  lower_.assign(structure.values() + kPack, 0.0);
  work_.resize(workSize(structure)), sums_.resize(at(structure.largestBlock()));
  place_.assign(at(structure.columns()), 0);
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
  const BlockStructure& s = *structure_;
  Updates updates{head_, next_, cursor_};
  updates.reset(s.columns());
  for (int k = 0; k < s.columns(); ++k) {
    double* panel = lower_.data() + s.panel(k);
    place_[at(k)] = 0;
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
    for (int j = head_[at(k)], following; j >= 0; j = following) {
      following = next_[at(j)];
      const double* source = lower_.data() + s.panel(j);
      const int p0 = cursor_[at(j)];
      subtractPanel(s, j, k, p0, p0, source, source, panel, place_, work_, runs_);
      updates.push(s, j, p0 + 1);
    }
    if (!factorPanel(k)) return false;
    updates.push(s, k, s.firstRow(k));
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
  place_.assign(at(structure.columns()), 0);
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
  panelProduct(panelQ + size, height, inverse.data(), size, work_.data(), rows, size, size);  // Q := Q · D⁻ᵀ
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
  Updates updates{head_, next_, cursor_};
  updates.reset(s.columns());
  determinantSign_ = 1;
  if (nullPivot >= 0) copyDiagonal(s, lower_, diagonal_);
  for (int k = 0; k < s.columns(); ++k) {
    double* panelP = lower_.data() + s.panel(k);
    double* panelQ = upper_.data() + s.panel(k);
    place_[at(k)] = 0;
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
    for (int j = head_[at(k)], following; j >= 0; j = following) {
      following = next_[at(j)];
      const double* P = lower_.data() + s.panel(j);
      const double* Q = upper_.data() + s.panel(j);
      const int p0 = cursor_[at(j)];
      subtractPanel(s, j, k, p0, p0, P, Q, panelP, place_, work_, runs_);
      subtractPanel(s, j, k, p0, p0 + 1, Q, P, panelQ, place_, work_, runs_);
      updates.push(s, j, p0 + 1);
    }
    if (nullPivot >= 0)
      factorSemidefinitePanel(k, nullPivot);
    else if (!factorPanel(k))
      return false;
    updates.push(s, k, s.firstRow(k));
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
