#include "solvers/VelocitySystem.hpp"

#include <Eigen/LU>
#include <cmath>

#include "base/Clock.hpp"
#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Segment = BlockColumns::Segment;

constexpr double adaptFrom = 1e6;  // multiplications of a factor from which analysing its pattern anew is cheap beside it
constexpr double shareFrom = 3e6;  // multiplications of a factor from which waking other threads is cheap beside it
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

}  // namespace

bool VelocitySystem::bind(const ContactProblem& problem, const BlockColumns* velocityColumns) {
  ++factored_;
  problem_ = &problem;
  velocity_ = velocityColumns != nullptr ? velocityColumns : &problem.H;
  if (!bindMass()) return false;
  free_ = problem.f;
  applyInverseMass(free_);
  bindContacts();
  bindStructure(nullptr);
  work_ = structure_.work();
  return free_.allFinite();
}

bool VelocitySystem::bindMass() {
  const BlockMass& M = problem_->M;
  sizes_.resize(at(M.blocks()));
  for (int k = 0; k < M.blocks(); ++k) sizes_[at(k)] = M.size(k);
  couplings_.clear();
  for (const auto& c : M.couplings) couplings_.push_back({c.row, c.column});
  massStructure_.analyse(sizes_, couplings_);
  mass_.bind(massStructure_);
  mass_.setZero();
  const auto store = [](const BlockStructure::Slot& slot, std::vector<double>& panels, const double* values, int rows, int columns) {
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) {
        const std::size_t to = slot.swapped ? slot.offset + at(j) + at(i) * at(slot.leading) : slot.offset + at(i) + at(j) * at(slot.leading);
        panels[to] = values[i + j * rows];
      }
  };
  inverseMassAt_.resize(at(M.blocks()));
  massDiagonal_.resize(M.size());
  inverseMass_.resize(M.values.size());
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k);
    const double* block = M.values.data() + M.offset[at(k)];
    store(massStructure_.slot(k, k), mass_.lower(), block, n, n);
    for (int i = 0; i < n; ++i) massDiagonal_[M.start[at(k)] + i] = block[i * (n + 1)];
    inverseMassAt_[at(k)] = at(M.offset[at(k)]);
    if (!M.couplings.empty()) continue;
    Eigen::Map<MatrixX> inverse{inverseMass_.data() + inverseMassAt_[at(k)], n, n};
    const Eigen::Map<const MatrixX> value{block, n, n};
    if (n == 6) {
      inverse.topLeftCorner<3, 3>() = Matrix3{value.topLeftCorner<3, 3>()}.inverse();
      if (value.topRightCorner<3, 3>().isZero(0) && value.bottomLeftCorner<3, 3>().isZero(0)) {
        inverse.bottomRightCorner<3, 3>() = Matrix3{value.bottomRightCorner<3, 3>()}.inverse();
        inverse.topRightCorner<3, 3>().setZero();
        inverse.bottomLeftCorner<3, 3>().setZero();
      } else {
        inverse = Matrix6{value}.inverse();
      }
    } else if (n == 3) {
      inverse = Matrix3{value}.inverse();
    } else if (n == 1) {
      inverse(0, 0) = 1.0 / value(0, 0);
    } else {
      inverse = value.inverse();
    }
  }
  for (const auto& c : M.couplings) store(massStructure_.slot(c.row, c.column), mass_.lower(), M.values.data() + c.offset, M.size(c.row), M.size(c.column));
  return mass_.factor();
}

// Vᵀ M⁻¹ H of one group of columns; V = H for rows and for symmetric problems. With couplings (L⁻¹V)ᵀ(L⁻¹H), along the group's paths of the elimination tree.
template <int Width>
Eigen::Matrix<double, Width, Width> VelocitySystem::delassusOf(const BlockColumns& H, const BlockColumns& V, int group) {
  const int first = H.start[at(group)], last = H.start[at(group) + 1];
  Eigen::Matrix<double, Width, Width> W = Eigen::Matrix<double, Width, Width>::Zero();
  if (!problem_->M.couplings.empty()) {
    path_.clear();
    for (int s = first; s < last; ++s) mass_.addPath(H.segments[at(s)].block, path_);
    const auto halves = [&](const BlockColumns& A, std::array<VectorX, 3>& Z) {
      for (int c = 0; c < Width; ++c) {
        VectorX& z = Z[at(c)];
        if (z.size() != problem_->dof()) z.setZero(problem_->dof());
        for (int s = first; s < last; ++s) {
          const Segment& g = A.segments[at(s)];
          for (int k = 0; k < g.size; ++k) z[g.row + k] += A.values[at(g.offset + c * g.size + k)];
        }
        mass_.solveLower(path_, z);
      }
    };
    const bool same = &H == &V;
    halves(H, halves_);
    if (!same) halves(V, otherHalves_);
    for (const int k : path_)
      for (int i = massStructure_.start(k); i < massStructure_.start(k) + massStructure_.size(k); ++i) {
        for (int d = 0; d < Width; ++d)
          for (int c = 0; c < Width; ++c) W(d, c) += (same ? halves_ : otherHalves_)[at(d)][i] * halves_[at(c)][i];
        for (int c = 0; c < Width; ++c) {
          halves_[at(c)][i] = 0;
          if (!same) otherHalves_[at(c)][i] = 0;
        }
      }
    return W;
  }
  for (int s = first; s < last; ++s)
    for (int t = first; t < last; ++t) {
      const Segment &a = H.segments[at(s)], &b = H.segments[at(t)];
      if (a.block != b.block) continue;
      const int n = problem_->M.size(a.block), base = problem_->M.start[at(a.block)];
      if (n == 6 && a.size == 6 && b.size == 6) {
        const Eigen::Map<const Eigen::Matrix<double, 6, Width>> left{V.values.data() + a.offset}, right{H.values.data() + b.offset};
        const Eigen::Matrix<double, 6, Width> moved = Eigen::Map<const Matrix6>{inverseMass_.data() + inverseMassAt_[at(a.block)]}.lazyProduct(right);
        W += left.transpose().lazyProduct(moved);
        continue;
      }
      const Eigen::Map<const MatrixX> inverse{inverseMass_.data() + inverseMassAt_[at(a.block)], n, n};
      for (int d = 0; d < Width; ++d)
        for (int c = 0; c < Width; ++c) {
          double sum = 0;
          for (int j = 0; j < b.size; ++j) {
            double inner = 0;
            for (int i = 0; i < a.size; ++i) inner += V.values[at(a.offset + d * a.size + i)] * inverse(a.row - base + i, b.row - base + j);
            sum += inner * H.values[at(b.offset + c * b.size + j)];
          }
          W(d, c) += sum;
        }
    }
  return W;
}

void VelocitySystem::bindContacts() {
  const ContactProblem& p = *problem_;
  const int n = p.contacts();
  delassus_.resize(at(n));
  omega_.resize(at(n));
  for (int i = 0; i < n; ++i) {
    delassus_[at(i)] = delassusOf<3>(p.H, *velocity_, i);
    const double omega = delassus_[at(i)].trace() / 3.0;
    omega_[at(i)] = omega > 0 ? omega : 1.0;
  }
  rowOmega_.resize(at(p.rows()));
  for (int k = 0; k < p.rows(); ++k) {
    const double sum = delassusOf<1>(p.G, p.G, k)(0, 0);
    rowOmega_[at(k)] = sum > 0 ? sum : 1.0;
  }
  VectorX& q = scratch_;
  contactRates(free_, q);
  double scale = p.scaleFloor;
  for (int i = 0; i < n; ++i) scale = std::max(scale, (q.segment<3>(3 * i) + p.wScale.segment<3>(3 * i)).norm());
  double floor = 0;
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) {
      double sum = 0;
      for (int s = p.H.start[at(i)]; s < p.H.start[at(i) + 1]; ++s) {
        const Segment& g = p.H.segments[at(s)];
        for (int k = 0; k < g.size; ++k) sum += std::abs(velocity_->values[at(g.offset + c * g.size + k)] * free_[g.row + k]);
      }
      floor = std::max(floor, sum);
    }
  scale = std::max(scale, 1e-6 * floor);
  scale_ = scale > 0 ? scale : 1.0;
  impulseUnit_ = massDiagonal_.size() > 0 ? scale_ * std::sqrt(massDiagonal_.minCoeff()) : scale_;
}

void VelocitySystem::place(const BlockColumns& columns, int group, std::vector<Target>& targets) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t <= s; ++t) {
      const Segment &a = columns.segments[at(s)], &b = columns.segments[at(t)];
      const BlockStructure::Slot slot = structure_.slot(a.block, b.block);
      const int row = slot.swapped ? t : s, column = slot.swapped ? s : t;
      const Segment &r = columns.segments[at(row)], &c = columns.segments[at(column)];
      const int i = r.row - problem_->M.start[at(r.block)], j = c.row - problem_->M.start[at(c.block)];
      targets.push_back({slot.offset + at(i) + at(j) * at(slot.leading), slot.leading, row, column, a.block == b.block});
      if (a.block == b.block && s != t) targets.push_back({slot.offset + at(j) + at(i) * at(slot.leading), slot.leading, column, row, true});
    }
}

/// Analyses the couplings of the rows and of the contacts that carry something in D (null: all of them), and finds the place of every product that fits into that pattern.
void VelocitySystem::bindStructure(const std::vector<Matrix3>* D) {
  const ContactProblem& p = *problem_;
  const auto couple = [this](const BlockColumns& columns, int group) {
    for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
      for (int t = columns.start[at(group)]; t < s; ++t)
        if (columns.segments[at(s)].block != columns.segments[at(t)].block)
          couplings_.push_back({columns.segments[at(s)].block, columns.segments[at(t)].block});
  };
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
    massTargets_.push_back({slot.offset, slot.leading, k, k, true});
  }
  for (const auto& c : p.M.couplings) {
    const BlockStructure::Slot slot = structure_.slot(c.row, c.column);
    massTargets_.push_back({slot.offset, slot.leading, slot.swapped ? c.column : c.row, slot.swapped ? c.row : c.column, false});
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

bool VelocitySystem::fits(const BlockColumns& columns, int group) const {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s)
    for (int t = columns.start[at(group)]; t < s; ++t)
      if (!structure_.couples(columns.segments[at(s)].block, columns.segments[at(t)].block)) return false;
  return true;
}

/// Open contacts couple nothing: where factors are dear, the pattern follows the contacts at work.
void VelocitySystem::adaptStructure(const std::vector<Matrix3>& D) {
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

void VelocitySystem::multiplyMass(const VectorX& x, VectorX& y) const {
  const BlockMass& M = problem_->M;
  y.resize(M.size());
  for (int k = 0; k < M.blocks(); ++k) {
    const int n = M.size(k), first = M.start[at(k)];
    const double* block = M.values.data() + M.offset[at(k)];
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += block[i + j * n] * x[first + j];
      y[first + i] = sum;
    }
  }
  for (const auto& c : M.couplings) {
    const Eigen::Map<const MatrixX> block{M.values.data() + c.offset, M.size(c.row), M.size(c.column)};
    y.segment(M.start[at(c.row)], M.size(c.row)) += block * x.segment(M.start[at(c.column)], M.size(c.column));
    y.segment(M.start[at(c.column)], M.size(c.column)) += block.transpose() * x.segment(M.start[at(c.row)], M.size(c.row));
  }
}

void VelocitySystem::velocityFromImpulses(const VectorX& r, const VectorX& lambda, VectorX& v) {
  v.setZero(problem_->dof());
  multiplyAdd(problem_->H, r, v);
  multiplyAdd(problem_->G, lambda, v);
  applyInverseMass(v);
  v += free_;
}

void VelocitySystem::contactVelocity(const VectorX& v, const VectorX& r, VectorX& u) const {
  contactRates(v, u);
  u += problem_->w;
  if (problem_->R.size() != 0) u += problem_->R.cwiseProduct(r);
}

void VelocitySystem::rowVelocity(const VectorX& v, const VectorX& lambda, VectorX& g) const {
  multiplyTransposed(problem_->G, v, g);
  g += problem_->b;
  if (problem_->C.size() != 0) g += problem_->C.cwiseProduct(lambda);
}

double VelocitySystem::residual(const VectorX& u, const VectorX& r, const VectorX& rowResidual, Law law) const {
  double worst = 0;
  for (int i = 0; i < problem_->contacts(); ++i) {
    const Vector3 ri = r.segment<3>(3 * i), ui = u.segment<3>(3 * i);
    const double omega = omega_[at(i)];
    const double e = law == Law::Box ? boxMap(ri, ui, omega, axisInterval(*problem_, i, ri[0])).norm() : contactResidual(ri, ui, problem_->mu[i], omega, law);
    if (!(e <= worst)) worst = e;
  }
  for (Eigen::Index k = 0; k < rowResidual.size(); ++k)
    if (!(std::abs(rowResidual[k]) <= worst)) worst = std::abs(rowResidual[k]);
  return worst;
}

void VelocitySystem::addMass() {
  const BlockMass& M = problem_->M;
  std::vector<double>& lower = general_ ? lu_.lower() : cholesky_.lower();
  for (int k = 0; k < M.blocks(); ++k) {
    const Target& target = massTargets_[at(k)];
    const double* block = M.values.data() + M.offset[at(k)];
    for (int j = 0; j < M.size(k); ++j)
      for (int i = 0; i < M.size(k); ++i) lower[target.offset + at(i) + at(j) * at(target.leading)] += block[i + j * M.size(k)];
  }
  for (std::size_t c = 0; c < M.couplings.size(); ++c) {
    const Target& target = massTargets_[at(M.blocks()) + c];
    const BlockMass::Coupling& coupling = M.couplings[c];
    const bool swapped = target.row != coupling.row;
    const int rows = M.size(coupling.row);
    for (int j = 0; j < M.size(coupling.column); ++j)
      for (int i = 0; i < rows; ++i) {
        const double value = M.values[at(coupling.offset + i + j * rows)];
        const std::size_t to = target.offset + at(swapped ? j : i) + at(swapped ? i : j) * at(target.leading);
        lower[to] += value;
        if (general_) lu_.upper()[to] += value;
      }
  }
}

template <bool General>
void VelocitySystem::addContacts(const std::vector<Matrix3>& D) {
  const BlockColumns& H = problem_->H;
  double* lower = General ? lu_.lower().data() : cholesky_.lower().data();
  double* upper = General ? lu_.upper().data() : nullptr;
  const double *values = H.values.data(), *velocities = velocity_->values.data();
  for (int i = 0; i < problem_->contacts(); ++i) {
    if (D[at(i)].isZero(0)) continue;
    for (int k = contactTargetStart_[at(i)]; k < contactTargetStart_[at(i) + 1]; ++k) {
      const Target& target = contactTargets_[at(k)];
      const Segment &row = H.segments[at(target.row)], &column = H.segments[at(target.column)];
      addProduct(values + row.offset, velocities + column.offset, D[at(i)], lower + target.offset, target.leading, row.size, column.size);
      if (General && !target.diagonal)
        addProduct(velocities + row.offset, values + column.offset, D[at(i)].transpose(), upper + target.offset, target.leading, row.size, column.size);
    }
  }
}

template <bool General>
void VelocitySystem::addRows(const VectorX& rho) {
  const BlockColumns& G = problem_->G;
  double* lower = General ? lu_.lower().data() : cholesky_.lower().data();
  double* upper = General ? lu_.upper().data() : nullptr;
  for (int g = 0; g < problem_->rows(); ++g)
    for (int k = rowTargetStart_[at(g)]; k < rowTargetStart_[at(g) + 1]; ++k) {
      const Target& target = rowTargets_[at(k)];
      const Segment &row = G.segments[at(target.row)], &column = G.segments[at(target.column)];
      for (int j = 0; j < column.size; ++j)
        for (int i = 0; i < row.size; ++i) {
          const double value = rho[g] * G.values[at(row.offset + i)] * G.values[at(column.offset + j)];
          lower[target.offset + at(i) + at(j) * at(target.leading)] += value;
          if (General && !target.diagonal) upper[target.offset + at(i) + at(j) * at(target.leading)] += value;
        }
    }
}

/// The team, where the factor at hand is worth waking it.
ThreadPool* VelocitySystem::helpers() const { return team_ != nullptr && structure_.work() >= shareFrom ? team_ : nullptr; }

bool VelocitySystem::factorSymmetric(const std::vector<Matrix3>& D, const VectorX& rho) {
  if (isPast(deadline_)) return false;
  general_ = false;
  ++factored_;
  adaptStructure(D);
  if (!boundCholesky_) cholesky_.bind(structure_), boundCholesky_ = true;
  cholesky_.setZero();
  addMass();
  addContacts<false>(D);
  addRows<false>(rho);
  return cholesky_.factor(helpers());
}

bool VelocitySystem::factorGeneral(const std::vector<Matrix3>& D, const VectorX& rho) {
  if (isPast(deadline_)) return false;
  general_ = true;
  ++factored_;
  adaptStructure(D);
  if (!boundLu_) lu_.bind(structure_), boundLu_ = true;
  lu_.setZero();
  addMass();
  addContacts<true>(D);
  addRows<true>(rho);
  return lu_.factor(helpers());
}

void VelocitySystem::solve(VectorX& x) {
  if (general_)
    lu_.solve(x);
  else
    cholesky_.solve(x);
}

double VelocitySystem::solvesPerFactor() const {
  return structure_.values() > 0 ? structure_.work() / (solveWork * static_cast<double>(structure_.values())) : 0;
}

/// y = (M + H D Vᵀ + G ρ Gᵀ) x.
void VelocitySystem::multiply(const std::vector<Matrix3>& D, const VectorX& rho, const VectorX& x, VectorX& y) {
  multiplyMass(x, y);
  contactRates(x, product_);
  for (int i = 0; i < problem_->contacts(); ++i) product_.segment<3>(3 * i) = D[at(i)] * Vector3{product_.segment<3>(3 * i)};
  multiplyAdd(problem_->H, product_, y);
  if (problem_->rows() == 0) return;
  multiplyTransposed(problem_->G, x, product_);
  product_ = product_.cwiseProduct(rho);
  multiplyAdd(problem_->G, product_, y);
}

bool VelocitySystem::solveNear(const std::vector<Matrix3>& D, const VectorX& rho, VectorX& x, double accuracy, double worth) {
  constexpr int most = 60;  // vectors kept
  if (isPast(deadline_)) return false;
  weight_ = massDiagonal_.cwiseInverse();
  const int limit = std::min(most, static_cast<int>(worth * solvesPerFactor()));
  return gmres_.solve([&](const VectorX& in, VectorX& out) { multiply(D, rho, in, out); }, [this](VectorX& z) { solve(z); }, weight_, accuracy, limit, x);
}

}  // namespace stiction
