#include "solvers/NewtonMatrix.hpp"

#include <algorithm>

#include "linalg/BodyKernel.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Segment = BlockColumns::Segment;

constexpr double adaptFrom = 1e6;  // multiplications of a factor from which analysing its pattern anew is cheap beside it
constexpr double keepFrom = 1e5;   // … from which looking for what has not changed is
constexpr double shareFrom = 3e6;  // … from which waking other threads is
constexpr double solveWork =
    8;  // multiplications of a factor that take as long as a value of it in a solve, there and back: it is read, used once and forgotten
constexpr double adaptRatio = 1.2;  // contacts in the pattern over contacts at work

void addProductOfSizes(const double* a, const double* b, const Matrix3& D, double* target, int leading, int m, int n) {
  const double *a1 = a + m, *a2 = a1 + m;
  for (int j = 0; j < n; ++j) {
    const Vector3 d = D * Vector3{b[j], b[j + n], b[j + 2 * n]};
    double* column = target + at(j) * at(leading);
    for (int i = 0; i < m; ++i) column[i] += a[i] * d[0] + a1[i] * d[1] + a2[i] * d[2];
  }
}

/// target (ld) += A D Bᵀ for segments A (m × 3), B (n × 3), column major.
void addProduct(const double* a, const double* b, const Matrix3& D, double* target, int leading, int m, int n) {
  if (m == 6 && n == 6)
    addBodyProduct(a, D.data(), b, target, leading);
  else
    addProductOfSizes(a, b, D, target, leading, m, n);
}

/// block (rows × columns, column major), or its transpose, is added to the target.
void addBlock(const double* block, int rows, int columns, bool transposed, double* target, int leading) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) target[transposed ? at(j) + at(i) * at(leading) : at(i) + at(j) * at(leading)] += block[i + j * rows];
}

}  // namespace

void NewtonMatrix::bind(const ContactProblem& problem, const BlockColumns& V) {
  problem_ = &problem;
  velocity_ = &V;
  sizes_.resize(at(problem.M.blocks()));
  for (int k = 0; k < problem.M.blocks(); ++k) sizes_[at(k)] = problem.M.size(k);
  bindStructure(nullptr);
  work_ = structure_.work();
}

void NewtonMatrix::place(const BlockColumns& columns, int group, std::vector<Target>& targets) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t <= s; ++t) {
      const Segment &a = columns.segments[at(s)], &b = columns.segments[at(t)];
      const BlockStructure::Slot slot = structure_.slot(a.block, b.block);
      const int row = slot.swapped ? t : s, column = slot.swapped ? s : t;
      const Segment &r = columns.segments[at(row)], &c = columns.segments[at(column)];
      const int i = r.row - problem_->M.start[at(r.block)], j = c.row - problem_->M.start[at(c.block)];
      const int strip = structure_.stripOf(structure_.position(c.block));
      targets.push_back({slot.offset + at(i) + at(j) * at(slot.leading), slot.leading, strip, row, column, a.block == b.block});
      if (a.block == b.block && s != t) targets.push_back({slot.offset + at(j) + at(i) * at(slot.leading), slot.leading, strip, column, row, true});
    }
}

/// Analyses the couplings of the rows and of the contacts that carry something in D (null: all of them), and finds the place of every product that fits into that pattern.
void NewtonMatrix::bindStructure(const std::vector<Matrix3>* D) {
  const ContactProblem& p = *problem_;
  const auto couple = [this](const BlockColumns& columns, int group) {
    for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
      for (int t = columns.start[at(group)]; t < s; ++t)
        if (columns.segments[at(s)].block != columns.segments[at(t)].block)
          couplings_.push_back({columns.segments[at(s)].block, columns.segments[at(t)].block});
  };
  inCholesky_.known = inLu_.known = false;
  couplings_.clear();
  for (const auto& c : p.M.couplings) couplings_.push_back({c.row, c.column});
  analysed_ = 0;
  for (int i = 0; i < p.contacts(); ++i)
    if (D == nullptr || !(*D)[at(i)].isZero(0)) couple(p.H, i), ++analysed_;
  for (int k = 0; k < p.rows(); ++k) couple(p.G, k);
  if (structure_.analyse(sizes_, couplings_)) boundCholesky_ = boundLu_ = false;
  massTargets_.clear();
  for (int k = 0; k < p.M.blocks(); ++k) {
    const BlockStructure::Slot slot = structure_.slot(k, k);
    massTargets_.push_back({slot.offset, slot.leading, structure_.stripOf(structure_.position(k)), k, k, true});
  }
  for (const auto& c : p.M.couplings) {
    const BlockStructure::Slot slot = structure_.slot(c.row, c.column);
    const int row = slot.swapped ? c.column : c.row, column = slot.swapped ? c.row : c.column;
    massTargets_.push_back({slot.offset, slot.leading, structure_.stripOf(structure_.position(column)), row, column, false});
  }
  contactTargets_.clear();
  contactTargetStart_.assign(1, 0);
  placed_.resize(at(p.contacts()));
  for (int i = 0; i < p.contacts(); ++i) {
    placed_[at(i)] = fits(p.H, i);
    if (placed_[at(i)]) place(p.H, i, contactTargets_);
    contactTargetStart_.push_back(static_cast<int>(contactTargets_.size()));
  }
  rowTargets_.clear();
  rowTargetStart_.assign(1, 0);
  for (int k = 0; k < p.rows(); ++k) {
    place(p.G, k, rowTargets_);
    rowTargetStart_.push_back(static_cast<int>(rowTargets_.size()));
  }
}

bool NewtonMatrix::fits(const BlockColumns& columns, int group) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t < s; ++t)
      if (!structure_.couples(columns.segments[at(s)].block, columns.segments[at(t)].block)) return false;
  return true;
}

/// Open contacts couple nothing: where factors are dear, the pattern follows the contacts at work.
void NewtonMatrix::adaptStructure(const std::vector<Matrix3>& D) {
  if (work_ < adaptFrom) return;
  int needed = 0;
  bool missing = false;
  for (int i = 0; i < problem_->contacts(); ++i) {
    if (D[at(i)].isZero(0)) continue;
    ++needed;
    missing = missing || !placed_[at(i)];
  }
  if (missing || adaptRatio * needed < analysed_) bindStructure(&D);
}

/// Marks the strips that stay: those whose part of the matrix is what it is in the factor that `last` tells of, up to the first in the elimination tree that is not. `last` then tells of
/// the factor to be made.
void NewtonMatrix::findKept(const std::vector<Matrix3>& D, const VectorX& rho, Contents& last) {
  built_ = structure_.strips();
  const bool looks = structure_.work() >= keepFrom, keeps = last.known && looks;
  kept_.assign(at(built_), keeps);
  if (!looks) return;
  if (keeps) {
    const auto build = [this](const std::vector<Target>& targets, const std::vector<int>& start, std::size_t group) {
      for (int k = start[group]; k < start[group + 1]; ++k) kept_[at(targets[at(k)].strip)] = 0;
    };
    for (std::size_t i = 0; i < D.size(); ++i)
      if (!std::equal(D[i].data(), D[i].data() + D[i].size(), last.D[i].data())) build(contactTargets_, contactTargetStart_, i);
    for (Eigen::Index k = 0; k < rho.size(); ++k)
      if (rho[k] != last.rho[k]) build(rowTargets_, rowTargetStart_, static_cast<std::size_t>(k));
    for (int strip = 0; strip < structure_.strips(); ++strip) {
      const int top = structure_.lastColumn(strip) - 1;
      if (!kept_[at(strip)] && structure_.firstRow(top) < structure_.lastRow(top)) kept_[at(structure_.stripOf(structure_.row(structure_.firstRow(top))))] = 0;
      built_ -= kept_[at(strip)];
    }
  }
  last.D = D, last.rho = rho;
}

void NewtonMatrix::clear(std::vector<double>& panels) const {
  for (int strip = 0; strip < structure_.strips(); ++strip) {
    if (kept_[at(strip)]) continue;
    const std::size_t first = structure_.panel(structure_.firstColumn(strip));
    for (; strip + 1 < structure_.strips() && !kept_[at(strip + 1)]; ++strip) continue;
    const int end = structure_.lastColumn(strip);
    std::fill(panels.data() + first, panels.data() + (end < structure_.columns() ? structure_.panel(end) : panels.size()), 0.0);
  }
}

/// Of the lower panels, or of the upper ones, which have no diagonal blocks.
template <bool Upper>
void NewtonMatrix::addMass(double* panels) const {
  const BlockMass& M = problem_->M;
  for (int k = 0; k < M.blocks() && !Upper; ++k) {
    const Target& target = massTargets_[at(k)];
    if (!kept_[at(target.strip)]) addBlock(M.values.data() + M.offset[at(k)], M.size(k), M.size(k), false, panels + target.offset, target.leading);
  }
  for (std::size_t c = 0; c < M.couplings.size(); ++c) {
    const Target& target = massTargets_[at(M.blocks()) + c];
    if (kept_[at(target.strip)]) continue;
    const BlockMass::Coupling& coupling = M.couplings[c];
    addBlock(M.values.data() + coupling.offset, M.size(coupling.row), M.size(coupling.column), target.row != coupling.row, panels + target.offset,
             target.leading);
  }
}

template <bool Upper>
void NewtonMatrix::addContacts(const std::vector<Matrix3>& D, double* panels) const {
  const BlockColumns& H = problem_->H;
  const double* rows = Upper ? velocity_->values.data() : H.values.data();
  const double* columns = Upper ? H.values.data() : velocity_->values.data();
  for (int i = 0; i < problem_->contacts(); ++i) {
    if (D[at(i)].isZero(0)) continue;
    const Matrix3 between = Upper ? Matrix3{D[at(i)].transpose()} : D[at(i)];
    for (int k = contactTargetStart_[at(i)]; k < contactTargetStart_[at(i) + 1]; ++k) {
      const Target& target = contactTargets_[at(k)];
      if (kept_[at(target.strip)] || (Upper && target.diagonal)) continue;
      const Segment &row = H.segments[at(target.row)], &column = H.segments[at(target.column)];
      addProduct(rows + row.offset, columns + column.offset, between, panels + target.offset, target.leading, row.size, column.size);
    }
  }
}

template <bool Upper>
void NewtonMatrix::addRows(const VectorX& rho, double* panels) const {
  const BlockColumns& G = problem_->G;
  for (int g = 0; g < problem_->rows(); ++g)
    for (int k = rowTargetStart_[at(g)]; k < rowTargetStart_[at(g) + 1]; ++k) {
      const Target& target = rowTargets_[at(k)];
      if (kept_[at(target.strip)] || (Upper && target.diagonal)) continue;
      const Segment &row = G.segments[at(target.row)], &column = G.segments[at(target.column)];
      for (int j = 0; j < column.size; ++j)
        for (int i = 0; i < row.size; ++i)
          panels[target.offset + at(i) + at(j) * at(target.leading)] += rho[g] * G.values[at(row.offset + i)] * G.values[at(column.offset + j)];
    }
}

/// The matrix in the lower panels, or in the upper ones.
template <bool Upper>
void NewtonMatrix::fill(const std::vector<Matrix3>& D, const VectorX& rho, std::vector<double>& panels) const {
  clear(panels);
  addMass<Upper>(panels.data());
  addContacts<Upper>(D, panels.data());
  addRows<Upper>(rho, panels.data());
}

template <bool General, class Factor>
bool NewtonMatrix::factor(Factor& factor, Contents& last, const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team) {
  general_ = General;
  adaptStructure(D);
  bool& isBound = General ? boundLu_ : boundCholesky_;
  if (!isBound) factor.bind(structure_), isBound = true, last.known = false;
  findKept(D, rho, last);
  ThreadPool* sharing = structure_.work() >= shareFrom ? team : nullptr;
  if constexpr (General) {
    const auto fillSide = [&](int side) { side == 0 ? fill<false>(D, rho, factor.lower()) : fill<true>(D, rho, factor.upper()); };
    if (sharing)
      sharing->parallelFor(2, fillSide);
    else
      fillSide(0), fillSide(1);
  } else {
    fill<false>(D, rho, factor.lower());
  }
  last.known = factor.factor(sharing, &kept_);
  return last.known;
}

bool NewtonMatrix::factorSymmetric(const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team) {
  return factor<false>(cholesky_, inCholesky_, D, rho, team);
}

bool NewtonMatrix::factorGeneral(const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team) { return factor<true>(lu_, inLu_, D, rho, team); }

void NewtonMatrix::solve(VectorX& x) {
  if (general_)
    lu_.solve(x);
  else
    cholesky_.solve(x);
}

double NewtonMatrix::solvesPerFactor() const {
  return structure_.values() > 0 ? structure_.work() / (solveWork * static_cast<double>(structure_.values())) : 0;
}

}  // namespace stiction
