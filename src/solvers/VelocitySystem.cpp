#include "solvers/VelocitySystem.hpp"

#include <Eigen/LU>
#include <cmath>

#include "base/Clock.hpp"
#include "base/ThreadPool.hpp"
#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

constexpr int kFewContacts = 512;  // of a thread

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Segment = BlockColumns::Segment;

/// W += LᵀAR; A is N × N, L and R have as many columns as W.
template <int N, int Width>
void addProduct(const double* A, const double* L, const double* R, Eigen::Matrix<double, Width, Width>& W) {
  using Columns = Eigen::Matrix<double, N, Width>;
  const Columns moved = Eigen::Map<const Eigen::Matrix<double, N, N>>{A}.lazyProduct(Eigen::Map<const Columns>{R});
  W += Eigen::Map<const Columns>{L}.transpose().lazyProduct(moved);
}

/// The same for an A of any size.
template <class Matrix, int Width>
void addProduct(const Matrix& A, const double* L, const double* R, Eigen::Matrix<double, Width, Width>& W) {
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Width>;
  const Eigen::Map<const Columns> left{L, A.rows(), Width}, right{R, A.cols(), Width};
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (int d = 0; d < Width; ++d) W.row(d) += left.col(d).dot(A.col(j)) * right.row(j);
}

}  // namespace

bool VelocitySystem::bind(const ContactProblem& problem, const BlockColumns* velocityColumns) {
  ++factored_;
  problem_ = &problem;
  velocity_ = velocityColumns != nullptr ? velocityColumns : &problem.H;
  if (!isKnown()) {
    known_.is = false;
    if (!bindMass()) return false;
    bindContacts();
    known_.is = !problem.M.couplings.empty() && velocity_ == &problem.H;
    if (known_.is) known_.M = problem.M, known_.H = problem.H, known_.G = problem.G;
  }
  matrix_.bind(problem, *velocity_);
  return findFreeMotion();
}

bool VelocitySystem::bindAgain(const ContactProblem& problem) {
  problem_ = &problem;
  velocity_ = &problem.H;
  if (!isKnown()) return bind(problem);
  matrix_.retake(problem, *velocity_);
  return findFreeMotion();
}

bool VelocitySystem::findFreeMotion() {
  free_ = problem_->f;
  applyInverseMass(free_);
  findScale();
  return free_.allFinite();
}

bool VelocitySystem::isKnown() const {
  return known_.is && velocity_ == &problem_->H && known_.M == problem_->M && known_.H == problem_->H && known_.G == problem_->G;
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
        bool isZero = true;  // tangents of contacts that stand for ends of ranges
        for (int s = first; s < last; ++s) {
          const Segment& g = A.segments[at(s)];
          for (int k = 0; k < g.size; ++k) {
            const double value = A.values[at(g.offset + c * g.size + k)];
            z[g.row + k] += value;
            isZero = isZero && value == 0;
          }
        }
        if (!isZero) mass_.solveLower(path_, z);
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
      const double *inverse = inverseMass_.data() + inverseMassAt_[at(a.block)], *left = V.values.data() + a.offset, *right = H.values.data() + b.offset;
      if (a.size == n && b.size == n && (n == 6 || n == 3))
        n == 6 ? addProduct<6>(inverse, left, right, W) : addProduct<3>(inverse, left, right, W);
      else
        addProduct(Eigen::Map<const MatrixX>{inverse, n, n}.block(a.row - base, b.row - base, a.size, b.size), left, right, W);
    }
  return W;
}

void VelocitySystem::bindContacts() {
  const ContactProblem& p = *problem_;
  const int n = p.contacts();
  delassus_.resize(at(n));
  omega_.resize(at(n));
  inRanges(p.M.couplings.empty() ? team_ : nullptr, n, kFewContacts, [&](int, int first, int last) {
    for (int i = first; i < last; ++i) {
      delassus_[at(i)] = delassusOf<3>(p.H, *velocity_, i);
      const double omega = delassus_[at(i)].trace() / 3.0;
      omega_[at(i)] = omega > 0 ? omega : 1.0;
    }
  });
  rowOmega_.resize(at(p.rows()));
  for (int k = 0; k < p.rows(); ++k) {
    const double sum = delassusOf<1>(p.G, p.G, k)(0, 0);
    rowOmega_[at(k)] = sum > 0 ? sum : 1.0;
  }
}

void VelocitySystem::findScale() {
  const ContactProblem& p = *problem_;
  const int n = p.contacts();
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
    y.segment(M.start[at(c.row)], M.size(c.row)).noalias() += block * x.segment(M.start[at(c.column)], M.size(c.column));
    y.segment(M.start[at(c.column)], M.size(c.column)).noalias() += block.transpose() * x.segment(M.start[at(c.row)], M.size(c.row));
  }
}

void VelocitySystem::velocityFromImpulses(const VectorX& r, const VectorX& lambda, VectorX& v) {
  v.setZero(problem_->dof());
  multiplyAdd(problem_->H, r, v);
  multiplyAdd(problem_->G, lambda, v);
  applyInverseMass(v);
  v += free_;
}

double VelocitySystem::stoppingImpulse(double speed) const {
  const int n = problem_->contacts();
  double own = 0;  // of the bodies at the contacts, where nothing stands on them
  for (int i = 0; i < n; ++i) own += speed / omega(i) / n;
  return std::max(own, problem_->f.dot(free_) / (n * speed));
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
  double worst = largestInRanges(team_, problem_->contacts(), kFewContacts, [&](int first, int last) {
    double largest = 0;
    for (int i = first; i < last; ++i) {
      const Vector3 ri = r.segment<3>(3 * i), ui = u.segment<3>(3 * i);
      const double omega = omega_[at(i)];
      const double e = law == Law::Box ? boxMap(ri, ui, omega, axisInterval(*problem_, i, ri[0])).norm() : contactResidual(ri, ui, problem_->mu[i], omega, law);
      if (!(e <= largest)) largest = e;
    }
    return largest;
  });
  for (Eigen::Index k = 0; k < rowResidual.size(); ++k)
    if (!(std::abs(rowResidual[k]) <= worst)) worst = std::abs(rowResidual[k]);
  return worst;
}

bool VelocitySystem::factorSymmetric(const std::vector<Matrix3>& D, const VectorX& rho) {
  if (isPast(deadline_)) return false;
  ++factored_;
  return matrix_.factorSymmetric(D, rho, team_);
}

bool VelocitySystem::factorGeneral(const std::vector<Matrix3>& D, const VectorX& rho) {
  if (isPast(deadline_)) return false;
  ++factored_;
  return matrix_.factorGeneral(D, rho, team_);
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
