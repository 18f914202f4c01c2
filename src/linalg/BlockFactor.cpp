#include "linalg/BlockFactor.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>

#include "base/Memory.hpp"
#include "linalg/PanelKernel.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Panel = Eigen::Map<MatrixX, 0, Eigen::OuterStride<>>;

/// Room for the product of any panel's rows with any block.
std::size_t panelRoom(const BlockStructure& s) { return at(highestPanel(s)) * at(std::max(1, s.largestBlock())); }

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

/// inverse = D⁻¹ with row pivoting (Eigen's own inverse calls its kernels for large matrices). Returns whether det D < 0.
template <int N>
bool invert(const Panel& D, Eigen::Map<MatrixX>& inverse) {
  using Matrix = Eigen::Matrix<double, N, N>;
  const Eigen::PartialPivLU<Matrix> lu{D};
  const auto& factors = lu.matrixLU();
  const Eigen::Index n = D.rows();
  Eigen::Matrix<double, N, N, Eigen::RowMajor> rows = lu.permutationP() * Matrix::Identity(n, n);
  for (Eigen::Index c = 0; c < n; ++c)
    for (Eigen::Index r = c + 1; r < n; ++r) rows.row(r) -= factors(r, c) * rows.row(c);
  for (Eigen::Index c = n - 1; c >= 0; --c) {
    rows.row(c) /= factors(c, c);
    for (Eigen::Index r = 0; r < c; ++r) rows.row(r) -= factors(r, c) * rows.row(c);
  }
  inverse = rows;
  return lu.determinant() < 0;
}

/// Throws MemoryError where `factors` of the structure's size do not fit; `present`: what one of them has already.
void requireRoom(const BlockStructure& s, const std::vector<double>& present, int factors) {
  if (s.values() > present.capacity())
    requireMemory(static_cast<double>(sizeof(double)) * factors * static_cast<double>(s.values()),
                  "the sparse factor of a step with " + std::to_string(s.unknowns()) + " velocities in one island");
}

}  // namespace

void BlockCholesky::bind(const BlockStructure& structure) {
  structure_ = &structure;
  requireRoom(structure, lower_, 1);
  lower_.resize(structure.values());
  work_.resize(panelRoom(structure)), sums_.resize(at(structure.largestBlock()));
  schedule_.bind(structure);
  for (PanelUpdates& updates : updates_) updates.bind(structure, schedule_);
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

bool BlockCholesky::factor(ThreadPool* team, const std::vector<char>* kept) {
  while (updates_.size() < at(ColumnSchedule::workers(team))) updates_.emplace_back().bind(*structure_, schedule_);
  const PanelProduct products[] = {{0, lower_.data(), lower_.data(), lower_.data()}};
  return schedule_.run(team, [&](int strip, int worker) {
    if (kept != nullptr && (*kept)[at(strip)]) return true;
    PanelUpdates& updates = updates_[at(worker)];
    updates.subtract(strip, products);
    for (int k = structure_->firstColumn(strip); k < structure_->lastColumn(strip); ++k) {
      updates.subtractWithin(k, products);
      if (!factorPanel(k)) return false;
    }
    return true;
  });
}

/// Block k of the forward substitution.
void BlockCholesky::eliminate(int k, VectorX& x) {
  const BlockStructure& s = *structure_;
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

void BlockCholesky::addPath(int block, std::vector<int>& columns) const {
  const BlockStructure& s = *structure_;
  for (int k = s.position(block);; k = s.row(s.firstRow(k))) {
    const auto place = std::lower_bound(columns.begin(), columns.end(), k);
    if (place != columns.end() && *place == k) break;
    columns.insert(place, k);
    if (s.firstRow(k) == s.lastRow(k)) break;
  }
}

void BlockCholesky::solveLower(const std::vector<int>& columns, VectorX& x) {
  for (const int k : columns) eliminate(k, x);
}

void BlockCholesky::solve(VectorX& x) {
  const BlockStructure& s = *structure_;
  for (int k = 0; k < s.columns(); ++k) eliminate(k, x);
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
  requireRoom(structure, lower_, 2);
  lower_.resize(structure.values());
  upper_.resize(structure.values());
  schedule_.bind(structure);
  for (Worker& worker : workers_) bindWorker(worker);
  work_.resize(panelRoom(structure)), sums_.resize(at(structure.largestBlock()));
  negative_.assign(at(structure.columns()), 0);
  inverseAt_.resize(at(structure.columns()));
  std::size_t total = 0;
  for (int k = 0; k < structure.columns(); ++k) {
    inverseAt_[at(k)] = total;
    total += at(structure.size(k)) * at(structure.size(k));
  }
  inverse_.resize(total);
}

void BlockLU::bindWorker(Worker& worker) {
  worker.updates.bind(*structure_, schedule_);
  worker.work.resize(panelRoom(*structure_));
}

// D_k⁻¹ by pivoting inside the block, and Q_ik = Z_ik D_k⁻ᵀ below it.
bool BlockLU::factorPanel(int k, std::vector<double>& work) {
  const BlockStructure& s = *structure_;
  const int size = s.size(k), height = s.height(k);
  double* panelQ = upper_.data() + s.panel(k);
  const Panel diagonal{lower_.data() + s.panel(k), size, size, Eigen::OuterStride<>{height}};
  Eigen::Map<MatrixX> inverse{inverse_.data() + inverseAt_[at(k)], size, size};
  if (size == 6)
    negative_[at(k)] = invert<6>(diagonal, inverse);
  else if (size == 3)
    negative_[at(k)] = invert<3>(diagonal, inverse);
  else if (size <= kMostInverted)
    negative_[at(k)] = panelInverse(diagonal.data(), height, inverse.data(), size);
  else
    negative_[at(k)] = invert<Eigen::Dynamic>(diagonal, inverse);
  if (!inverse.allFinite()) return false;
  const int rows = height - size;
  if (rows == 0) return true;
  const PanelSource whole{panelQ + size, height, inverse.data(), size};
  panelProduct(&whole, 1, work.data(), rows, size, size);  // Q := Q · D⁻ᵀ
  for (int c = 0; c < size; ++c) std::copy_n(work.data() + at(c) * at(packed(rows)), rows, panelQ + at(size) + at(c) * at(height));
  return true;
}

// A = P Qᵀ by block columns: P_ik = A_ik − Σ_j P_ij Q_kjᵀ below and on the diagonal (D_k = P_kk), Q_ik = (A_kiᵀ − Σ_j Q_ij P_kjᵀ) D_k⁻ᵀ.
bool BlockLU::factor(ThreadPool* team, const std::vector<char>* kept) {
  const BlockStructure& s = *structure_;
  while (workers_.size() < at(ColumnSchedule::workers(team))) bindWorker(workers_.emplace_back());
  const PanelProduct products[] = {{0, lower_.data(), upper_.data(), lower_.data()}, {1, upper_.data(), lower_.data(), upper_.data()}};
  const bool done = schedule_.run(team, [&](int strip, int worker) {
    if (kept != nullptr && (*kept)[at(strip)]) return true;
    auto& [updates, work] = workers_[at(worker)];
    updates.subtract(strip, products);
    for (int k = s.firstColumn(strip); k < s.lastColumn(strip); ++k) {
      updates.subtractWithin(k, products);
      if (!factorPanel(k, work)) return false;
    }
    return true;
  });
  determinantSign_ = std::count(negative_.begin(), negative_.end(), 1) % 2 == 0 ? 1 : -1;
  return done;
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
