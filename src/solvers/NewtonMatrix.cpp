#include "solvers/NewtonMatrix.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Segment = BlockColumns::Segment;

constexpr double adaptFrom = 1e6;  // multiplications of a factor from which analysing its pattern anew is cheap beside it
constexpr double keepFrom = 1e5;   // … from which looking for what has not changed is
constexpr double shareFrom = 3e5;  // … from which waking other threads is
constexpr double solveWork =
    8;  // multiplications of a factor that take as long as a value of it in a solve, there and back: it is read, used once and forgotten
constexpr double adaptRatio = 1.2;  // contacts in the pattern over contacts at work

void addProductOfBodies(const double* a, const double* b, const Matrix3& D, double* target, int leading) {
  const Eigen::Map<const Eigen::Matrix<double, 6, 3>> A{a}, B{b};
  Eigen::Map<Matrix6, 0, Eigen::OuterStride<>> T{target, Eigen::OuterStride<>{leading}};
  const Eigen::Matrix<double, 6, 3> AD = A.lazyProduct(D);
  T.noalias() += AD.lazyProduct(B.transpose());
}

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
    addProductOfBodies(a, b, D, target, leading);
  else
    addProductOfSizes(a, b, D, target, leading, m, n);
}

/// block (rows × columns, column major), or its transpose, is added to the target.
void addBlock(const double* block, int rows, int columns, bool transposed, double* target, int leading) {
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) target[transposed ? at(j) + at(i) * at(leading) : at(i) + at(j) * at(leading)] += block[i + j * rows];
}

}  // namespace

void NewtonMatrix::Targets::sort(int strips) {
  start_.assign(at(strips) + 1, 0);
  for (const int strip : stripOf_) ++start_[at(strip) + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  fill_.assign(start_.begin(), start_.end() - 1);
  sorted_.resize(unsorted_.size());
  for (std::size_t i = 0; i < unsorted_.size(); ++i) sorted_[at(fill_[at(stripOf_[i])]++)] = unsorted_[i];
}

void NewtonMatrix::bind(const ContactProblem& problem, const BlockColumns& V) {
  problem_ = &problem;
  velocity_ = &V;
  sizes_.resize(at(problem.M.blocks()));
  for (int k = 0; k < problem.M.blocks(); ++k) sizes_[at(k)] = problem.M.size(k);
  bindStructure(nullptr);
  work_ = structure_.work();
}

void NewtonMatrix::place(const BlockColumns& columns, int group, Targets& targets) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t <= s; ++t) {
      const Segment &a = columns.segments[at(s)], &b = columns.segments[at(t)];
      const BlockStructure::Slot slot = structure_.slot(a.block, b.block);
      const int row = slot.swapped ? t : s, column = slot.swapped ? s : t;
      const Segment &r = columns.segments[at(row)], &c = columns.segments[at(column)];
      const int i = r.row - problem_->M.start[at(r.block)], j = c.row - problem_->M.start[at(c.block)];
      const int strip = structure_.stripOf(structure_.position(c.block));
      targets.add(strip, {slot.offset + at(i) + at(j) * at(slot.leading), slot.leading, group, row, column, a.block == b.block});
      if (a.block == b.block && s != t) targets.add(strip, {slot.offset + at(j) + at(i) * at(slot.leading), slot.leading, group, column, row, true});
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
  couplingTargets_.clear();
  for (int k = 0; k < static_cast<int>(p.M.couplings.size()); ++k) {
    const auto& c = p.M.couplings[at(k)];
    const BlockStructure::Slot slot = structure_.slot(c.row, c.column);
    const int row = slot.swapped ? c.column : c.row, column = slot.swapped ? c.row : c.column;
    couplingTargets_.add(structure_.stripOf(structure_.position(column)), {slot.offset, slot.leading, k, row, column, false});
  }
  contactTargets_.clear();
  placed_.resize(at(p.contacts()));
  for (int i = 0; i < p.contacts(); ++i) {
    placed_[at(i)] = fits(p.H, i);
    if (placed_[at(i)]) place(p.H, i, contactTargets_);
  }
  rowTargets_.clear();
  for (int k = 0; k < p.rows(); ++k) place(p.G, k, rowTargets_);
  for (Targets* targets : {&couplingTargets_, &contactTargets_, &rowTargets_}) targets->sort(structure_.strips());
}

bool NewtonMatrix::fits(const BlockColumns& columns, int group) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t < s; ++t)
      if (!structure_.couples(columns.segments[at(s)].block, columns.segments[at(t)].block)) return false;
  return true;
}

/// Which contacts carry something. Open contacts couple nothing: where factors are dear, the pattern follows the contacts at work.
void NewtonMatrix::adaptStructure(const std::vector<Matrix3>& D) {
  const int n = problem_->contacts();
  active_.resize(at(n));
  int needed = 0;
  bool missing = false;
  for (int i = 0; i < n; ++i) {
    active_[at(i)] = !D[at(i)].isZero(0);
    if (!active_[at(i)]) continue;
    ++needed;
    missing = missing || !placed_[at(i)];
  }
  if (work_ >= adaptFrom && (missing || adaptRatio * needed < analysed_)) bindStructure(&D);
}

/// Marks the strips to build: those whose part of the matrix is another than in the factor that `last` tells of, and all above them in the elimination tree.
void NewtonMatrix::findChanges(const std::vector<Matrix3>& D, const VectorX& rho, Contents& last) {
  const bool keeps = last.known && structure_.work() >= keepFrom;
  changedStrips_.assign(at(structure_.strips()), !keeps);
  built_ = structure_.strips();
  if (!keeps) return;
  changed_.resize(D.size()), changedRows_.resize(at(problem_->rows()));
  for (std::size_t i = 0; i < D.size(); ++i) changed_[i] = D[i] != last.D[i];
  for (Eigen::Index k = 0; k < rho.size(); ++k) changedRows_[static_cast<std::size_t>(k)] = rho[k] != last.rho[k];
  const auto holdsAny = [](const Targets& targets, int strip, const std::vector<char>& changed) {
    return std::any_of(targets.begin(strip), targets.end(strip), [&](const Target& target) { return changed[at(target.group)] != 0; });
  };
  built_ = 0;
  for (int strip = 0; strip < structure_.strips(); ++strip) {
    char& isChanged = changedStrips_[at(strip)];
    isChanged = isChanged || holdsAny(contactTargets_, strip, changed_) || holdsAny(rowTargets_, strip, changedRows_);
    if (!isChanged) continue;
    ++built_;
    const int top = structure_.lastColumn(strip) - 1;
    if (structure_.firstRow(top) < structure_.lastRow(top)) changedStrips_[at(structure_.stripOf(structure_.row(structure_.firstRow(top))))] = 1;
  }
}

template <bool General>
void NewtonMatrix::addMass(int strip) {
  const BlockMass& M = problem_->M;
  double* lower = General ? lu_.lower().data() : cholesky_.lower().data();
  for (int k = structure_.firstColumn(strip); k < structure_.lastColumn(strip); ++k) {
    const int block = structure_.block(k);
    addBlock(M.values.data() + M.offset[at(block)], M.size(block), M.size(block), false, lower + structure_.panel(k), structure_.height(k));
  }
  for (const Target* target = couplingTargets_.begin(strip); target != couplingTargets_.end(strip); ++target) {
    const BlockMass::Coupling& coupling = M.couplings[at(target->group)];
    const auto add = [&](double* panels) {
      addBlock(M.values.data() + coupling.offset, M.size(coupling.row), M.size(coupling.column), target->row != coupling.row, panels + target->offset,
               target->leading);
    };
    add(lower);
    if (General) add(lu_.upper().data());
  }
}

template <bool General>
void NewtonMatrix::addContacts(int strip, const std::vector<Matrix3>& D) {
  const BlockColumns& H = problem_->H;
  double* lower = General ? lu_.lower().data() : cholesky_.lower().data();
  double* upper = General ? lu_.upper().data() : nullptr;
  const double *values = H.values.data(), *velocities = velocity_->values.data();
  for (const Target* target = contactTargets_.begin(strip); target != contactTargets_.end(strip); ++target) {
    if (!active_[at(target->group)]) continue;
    const Matrix3& weight = D[at(target->group)];
    const Segment &row = H.segments[at(target->row)], &column = H.segments[at(target->column)];
    addProduct(values + row.offset, velocities + column.offset, weight, lower + target->offset, target->leading, row.size, column.size);
    if (General && !target->diagonal)
      addProduct(velocities + row.offset, values + column.offset, weight.transpose(), upper + target->offset, target->leading, row.size, column.size);
  }
}

template <bool General>
void NewtonMatrix::addRows(int strip, const VectorX& rho) {
  const BlockColumns& G = problem_->G;
  double* lower = General ? lu_.lower().data() : cholesky_.lower().data();
  double* upper = General ? lu_.upper().data() : nullptr;
  for (const Target* target = rowTargets_.begin(strip); target != rowTargets_.end(strip); ++target) {
    const Segment &row = G.segments[at(target->row)], &column = G.segments[at(target->column)];
    for (int j = 0; j < column.size; ++j)
      for (int i = 0; i < row.size; ++i) {
        const double value = rho[target->group] * G.values[at(row.offset + i)] * G.values[at(column.offset + j)];
        lower[target->offset + at(i) + at(j) * at(target->leading)] += value;
        if (General && !target->diagonal) upper[target->offset + at(i) + at(j) * at(target->leading)] += value;
      }
  }
}

/// Puts the strip's part of the matrix into the panels. Returns false where the strip can stay as it is.
template <bool General>
bool NewtonMatrix::fill(int strip, const std::vector<Matrix3>& D, const VectorX& rho) {
  if (!changedStrips_[at(strip)]) return false;
  const auto clear = [&](std::vector<double>& panels) {
    const int end = structure_.lastColumn(strip);
    const std::size_t last = end < structure_.columns() ? structure_.panel(end) : panels.size();
    std::fill(panels.data() + structure_.panel(structure_.firstColumn(strip)), panels.data() + last, 0.0);
  };
  if constexpr (General)
    clear(lu_.lower()), clear(lu_.upper());
  else
    clear(cholesky_.lower());
  addMass<General>(strip);
  addContacts<General>(strip, D);
  addRows<General>(strip, rho);
  return true;
}

template <bool General, class Factor>
bool NewtonMatrix::factor(Factor& factor, Contents& last, const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team) {
  general_ = General;
  adaptStructure(D);
  bool& isBound = General ? boundLu_ : boundCholesky_;
  if (!isBound) factor.bind(structure_), isBound = true, last.known = false;
  findChanges(D, rho, last);
  const auto fillStrip = [&](int strip) { return fill<General>(strip, D, rho); };
  last.known = factor.factor(structure_.work() >= shareFrom ? team : nullptr, std::cref(fillStrip));
  last.D = D, last.rho = rho;
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
