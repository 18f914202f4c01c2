#include "linalg/BlockFactor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <int Rows, int Columns>
using Panel = Eigen::Map<Eigen::Matrix<double, Rows, Columns>, 0, Eigen::OuterStride<>>;
template <int Rows, int Columns>
using ConstPanel = Eigen::Map<const Eigen::Matrix<double, Rows, Columns>, 0, Eigen::OuterStride<>>;

/// C −= A Bᵀ with A (m × k), B (n × k), C (m × n); fixed sizes where the common blocks have them.
template <int M, int N, int K>
void subtractProduct(const double* a, int lda, const double* b, int ldb, double* c, int ldc, int m, int n, int k) {
  const ConstPanel<M, K> A{a, m, k, Eigen::OuterStride<>{lda}};
  const ConstPanel<N, K> B{b, n, k, Eigen::OuterStride<>{ldb}};
  Panel<M, N> C{c, m, n, Eigen::OuterStride<>{ldc}};
  if constexpr (M > 0 && N > 0 && K > 0)
    C.noalias() -= A.lazyProduct(B.transpose());
  else
    C.noalias() -= A * B.transpose();
}

void subtractBlock(const double* a, int lda, const double* b, int ldb, double* c, int ldc, int m, int n, int k) {
  if (m == 6 && n == 6 && k == 6)
    subtractProduct<6, 6, 6>(a, lda, b, ldb, c, ldc, m, n, k);
  else if (m == 3 && n == 3 && k == 3)
    subtractProduct<3, 3, 3>(a, lda, b, ldb, c, ldc, m, n, k);
  else
    subtractProduct<Eigen::Dynamic, Eigen::Dynamic, Eigen::Dynamic>(a, lda, b, ldb, c, ldc, m, n, k);
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
  lower_.assign(structure.values(), 0.0);
  place_.assign(at(structure.columns()), 0);
}

// Dense Cholesky of panel k: its diagonal block and the rows below it.
bool BlockCholesky::factorPanel(int k, double nullPivot) {
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
    if (nullPivot >= 0 && !(pivot > nullPivot * diagonal_[at(structure_->start(k) + c)])) {
      for (int r = c; r < height; ++r) target[r] = 0;
      continue;
    }
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    target[c] = std::sqrt(pivot);
    const double inverse = 1.0 / target[c];
    for (int r = c + 1; r < height; ++r) target[r] *= inverse;
  }
  return true;
}

bool BlockCholesky::factor(double nullPivot) {
  const BlockStructure& s = *structure_;
  Updates updates{head_, next_, cursor_};
  updates.reset(s.columns());
  if (nullPivot >= 0) copyDiagonal(s, lower_, diagonal_);
  for (int k = 0; k < s.columns(); ++k) {
    double* panel = lower_.data() + s.panel(k);
    const int size = s.size(k), height = s.height(k);
    place_[at(k)] = 0;
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
    for (int j = head_[at(k)], following; j >= 0; j = following) {
      following = next_[at(j)];
      const double* source = lower_.data() + s.panel(j);
      const int p0 = cursor_[at(j)], heightJ = s.height(j), sizeJ = s.size(j);
      const double* rowK = source + s.rowOffset(p0);
      for (int p = p0; p < s.lastRow(j); ++p)
        subtractBlock(source + s.rowOffset(p), heightJ, rowK, heightJ, panel + place_[at(s.row(p))], height, s.size(s.row(p)), size, sizeJ);
      updates.push(s, j, p0 + 1);
    }
    if (!factorPanel(k, nullPivot)) return false;
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
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) {
      double* xi = x.data() + s.start(s.row(p));
      const int rows = s.size(s.row(p));
      for (int c = 0; c < size; ++c) {
        const double* column = panel + at(c) * at(height) + s.rowOffset(p);
        for (int r = 0; r < rows; ++r) xi[r] -= column[r] * xk[c];
      }
    }
  }
  for (int k = s.columns() - 1; k >= 0; --k) {
    const double* panel = lower_.data() + s.panel(k);
    const int size = s.size(k), height = s.height(k);
    double* xk = x.data() + s.start(k);
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) {
      const double* xi = x.data() + s.start(s.row(p));
      const int rows = s.size(s.row(p));
      for (int c = 0; c < size; ++c) {
        const double* column = panel + at(c) * at(height) + s.rowOffset(p);
        double sum = 0;
        for (int r = 0; r < rows; ++r) sum += column[r] * xi[r];
        xk[c] -= sum;
      }
    }
    for (int c = size - 1; c >= 0; --c) {
      const double* column = panel + at(c) * at(height);
      for (int r = c + 1; r < size; ++r) xk[c] -= column[r] * xk[r];
      xk[c] /= column[c];
    }
  }
}

void BlockLU::bind(const BlockStructure& structure) {
  structure_ = &structure;
  lower_.assign(structure.values(), 0.0);
  upper_.assign(structure.values(), 0.0);
  place_.assign(at(structure.columns()), 0);
  work_.assign(at(structure.largestBlock()), 0.0);
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
  const Panel<Eigen::Dynamic, Eigen::Dynamic> diagonal{lower_.data() + s.panel(k), size, size, Eigen::OuterStride<>{height}};
  Eigen::Map<MatrixX> inverse{inverse_.data() + inverseAt_[at(k)], size, size};
  if (size == 6)
    inverse = Eigen::PartialPivLU<Matrix6>{diagonal}.inverse();
  else if (size == 3)
    inverse = Eigen::PartialPivLU<Matrix3>{diagonal}.inverse();
  else
    inverse = Eigen::PartialPivLU<MatrixX>{diagonal}.inverse();
  if (!inverse.allFinite()) return false;
  for (int r = size; r < height; ++r) {  // row r of Q := row r · D⁻ᵀ
    for (int c = 0; c < size; ++c) work_[at(c)] = panelQ[at(r) + at(c) * at(height)];
    for (int c = 0; c < size; ++c) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += inverse(c, i) * work_[at(i)];
      panelQ[at(r) + at(c) * at(height)] = sum;
    }
  }
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
  if (nullPivot >= 0) copyDiagonal(s, lower_, diagonal_);
  for (int k = 0; k < s.columns(); ++k) {
    double* panelP = lower_.data() + s.panel(k);
    double* panelQ = upper_.data() + s.panel(k);
    const int size = s.size(k), height = s.height(k);
    place_[at(k)] = 0;
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) place_[at(s.row(p))] = s.rowOffset(p);
    for (int j = head_[at(k)], following; j >= 0; j = following) {
      following = next_[at(j)];
      const double* P = lower_.data() + s.panel(j);
      const double* Q = upper_.data() + s.panel(j);
      const int p0 = cursor_[at(j)], heightJ = s.height(j), sizeJ = s.size(j), rowK = s.rowOffset(p0);
      for (int p = p0; p < s.lastRow(j); ++p) {
        const int target = place_[at(s.row(p))], rows = s.size(s.row(p)), from = s.rowOffset(p);
        subtractBlock(P + from, heightJ, Q + rowK, heightJ, panelP + target, height, rows, size, sizeJ);
        if (p > p0) subtractBlock(Q + from, heightJ, P + rowK, heightJ, panelQ + target, height, rows, size, sizeJ);
      }
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
    const int size = s.size(k), height = s.height(k);
    double* xk = x.data() + s.start(k);
    const Eigen::Map<const MatrixX> inverse{inverse_.data() + inverseAt_[at(k)], size, size};
    for (int c = 0; c < size; ++c) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += inverse(c, i) * xk[i];
      work_[at(c)] = sum;
    }
    for (int c = 0; c < size; ++c) xk[c] = work_[at(c)];
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) {
      double* xi = x.data() + s.start(s.row(p));
      const int rows = s.size(s.row(p));
      for (int c = 0; c < size; ++c) {
        const double* column = lower_.data() + s.panel(k) + at(c) * at(height) + s.rowOffset(p);
        for (int r = 0; r < rows; ++r) xi[r] -= column[r] * xk[c];
      }
    }
  }
  for (int k = s.columns() - 1; k >= 0; --k) {
    const int size = s.size(k), height = s.height(k);
    double* xk = x.data() + s.start(k);
    for (int p = s.firstRow(k); p < s.lastRow(k); ++p) {
      const double* xi = x.data() + s.start(s.row(p));
      const int rows = s.size(s.row(p));
      for (int c = 0; c < size; ++c) {
        const double* column = upper_.data() + s.panel(k) + at(c) * at(height) + s.rowOffset(p);
        double sum = 0;
        for (int r = 0; r < rows; ++r) sum += column[r] * xi[r];
        xk[c] -= sum;
      }
    }
  }
}

}  // namespace stiction
