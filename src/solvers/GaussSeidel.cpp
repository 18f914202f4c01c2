#include "solvers/GaussSeidel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Clock.hpp"
#include "solvers/FrictionCone.hpp"
#include "solvers/MassWeighted.hpp"
#include "solvers/OneContact.hpp"

namespace stiction {
namespace {

constexpr int kDefaultSweeps = 10000;
constexpr int kPatience = 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double weight(const Matrix3& delassus) { return delassus.trace() > 0 ? delassus.trace() / 3 : 1.0; }

/// The state of a global problem under sweeps: the mass-weighted velocity follows every change of r and λ.
class GlobalSystem {
 public:
  bool bind(const ContactProblem& problem) {
    problem_ = &problem;
    if (!problem.M.couplings.empty() || !root_.factor(problem.M)) return false;
    contacts_.build(problem.M, root_, problem.H);
    rows_.build(problem.M, root_, problem.G);
    free_ = problem.f;
    for (int k = 0; k < problem.M.blocks(); ++k) root_.forward(k, free_.data() + problem.M.start[at(k)]);
    bindDelassus();
    return free_.allFinite();
  }

  const ContactProblem& problem() const { return *problem_; }
  int contacts() const { return problem_->contacts(); }
  double mu(int i) const { return problem_->mu[i]; }
  double omega(int i) const { return omega_[i]; }
  const ContactBlock& diagonal(int i) const { return diagonal_[at(i)]; }

  double scale() const {
    double scale = problem_->scaleFloor;
    for (int i = 0; i < contacts(); ++i) scale = std::max(scale, (contacts_.read(i, free_) + problem_->wScale.segment<3>(3 * i)).norm());
    return scale;
  }

  void start(Iterate& iterate, bool warm) {
    if (!warm || iterate.r.size() != 3 * contacts() || !iterate.r.allFinite()) iterate.r.setZero(3 * contacts());
    if (!warm || iterate.lambda.size() != problem_->rows() || !iterate.lambda.allFinite()) iterate.lambda.setZero(problem_->rows());
    refresh(iterate);
  }

  /// y and v of r and λ, free of what the sweeps' updates have lost to round-off.
  void refresh(Iterate& iterate) {
    y_ = free_;
    for (int i = 0; i < contacts(); ++i) contacts_.apply(i, iterate.r.segment<3>(3 * i), y_);
    for (int k = 0; k < problem_->rows(); ++k) rows_.apply(k, iterate.lambda.segment<1>(k), y_);
    iterate.v = y_;
    for (int k = 0; k < problem_->M.blocks(); ++k) root_.backward(k, iterate.v.data() + problem_->M.start[at(k)]);
  }

  Vector3 velocity(int i, const Iterate& iterate) const {
    Vector3 u = contacts_.read(i, y_) + problem_->w.segment<3>(3 * i);
    if (problem_->R.size() != 0) u += problem_->R.segment<3>(3 * i).cwiseProduct(iterate.r.segment<3>(3 * i));
    return u;
  }

  /// Whether a contact without impulse keeps none. Bounds of users may hold one that opens.
  bool opens(int i) const { return problem_->axisBounds == nullptr && contacts_.readFirst(i, y_) + problem_->w[3 * i] >= 0; }

  void change(int i, const Vector3& difference, Iterate& iterate) {
    iterate.r.segment<3>(3 * i) += difference;
    contacts_.apply(i, difference, y_);
  }

  /// One Gauss–Seidel step over the equality rows. Returns the largest row velocity met.
  double sweepRows(Iterate& iterate) {
    double worst = 0;
    for (int k = 0; k < problem_->rows(); ++k) {
      const double velocity = rowVelocity(k, iterate);
      worst = std::max(worst, std::abs(velocity));
      if (!(rowDiagonal_[k] > 0)) continue;
      const double difference = -velocity / rowDiagonal_[k];
      iterate.lambda[k] += difference;
      rows_.apply(k, WeightedColumns<1>::Values{difference}, y_);
    }
    return worst;
  }

  double rowResidual(const Iterate& iterate) const {
    double worst = 0;
    for (int k = 0; k < problem_->rows(); ++k) worst = std::max(worst, std::abs(rowVelocity(k, iterate)));
    return worst;
  }

 private:
  double rowVelocity(int k, const Iterate& iterate) const {
    const double compliance = problem_->C.size() == 0 ? 0.0 : problem_->C[k];
    return problem_->b[k] + compliance * iterate.lambda[k] + rows_.read(k, y_)[0];
  }

  void bindDelassus() {
    diagonal_.clear();
    omega_.resize(contacts());
    for (int i = 0; i < contacts(); ++i) {
      Matrix3 W = contacts_.gram(i);
      omega_[i] = weight(W);
      if (problem_->R.size() != 0) W.diagonal() += problem_->R.segment<3>(3 * i);
      diagonal_.emplace_back(W);
    }
    rowDiagonal_.resize(problem_->rows());
    for (int k = 0; k < problem_->rows(); ++k) rowDiagonal_[k] = rows_.gram(k)(0, 0) + (problem_->C.size() == 0 ? 0.0 : problem_->C[k]);
  }

  const ContactProblem* problem_{nullptr};
  MassRoot root_;
  WeightedColumns<3> contacts_;
  WeightedColumns<1> rows_;
  VectorX free_, y_;                    // [√J] L⁻¹f; Lᵀv
  VectorX omega_;                       // [1/kg] trace(W_ii)/3
  std::vector<ContactBlock> diagonal_;  // [1/kg] W_ii + R_i
  VectorX rowDiagonal_;                 // [1/kg] G_kᵀM⁻¹G_k + C_k
};

/// The same for a local problem: u_i comes from the rows of W.
class LocalSystem {
 public:
  bool bind(const LocalContactProblem& problem) {
    problem_ = &problem;
    diagonal_.clear();
    omega_.resize(problem.contacts());
    for (int i = 0; i < problem.contacts(); ++i) {
      Matrix3 W = Matrix3::Zero();
      for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k)
        if (problem.column[at(k)] == i) W += problem.blocks[at(k)];
      omega_[i] = weight(W);
      diagonal_.emplace_back(W);
    }
    return problem.q.allFinite();
  }

  const LocalContactProblem& problem() const { return *problem_; }
  int contacts() const { return problem_->contacts(); }
  double mu(int i) const { return problem_->mu[i]; }
  double omega(int i) const { return omega_[i]; }
  const ContactBlock& diagonal(int i) const { return diagonal_[at(i)]; }

  double scale() const {
    double scale = 0;
    for (int i = 0; i < contacts(); ++i) scale = std::max(scale, problem_->q.segment<3>(3 * i).norm());
    return scale;
  }

  void start(Iterate& iterate, bool warm) const {
    if (!warm || iterate.r.size() != 3 * contacts() || !iterate.r.allFinite()) iterate.r.setZero(3 * contacts());
  }

  Vector3 velocity(int i, const Iterate& iterate) const {
    Vector3 u = problem_->q.segment<3>(3 * i);
    for (int k = problem_->start[at(i)]; k < problem_->start[at(i) + 1]; ++k)
      u.noalias() += problem_->blocks[at(k)] * iterate.r.segment<3>(3 * problem_->column[at(k)]);
    return u;
  }

  bool opens(int) const { return false; }  // W's rows are read as a whole
  void change(int i, const Vector3& difference, Iterate& iterate) const { iterate.r.segment<3>(3 * i) += difference; }
  void refresh(Iterate&) const {}
  double sweepRows(Iterate&) const { return 0; }
  double rowResidual(const Iterate&) const { return 0; }

 private:
  const LocalContactProblem* problem_{nullptr};
  VectorX omega_;
  std::vector<ContactBlock> diagonal_;
};

/// Watches the change per sweep over windows of growing length and foretells whether the limit of sweeps can be met.
class Contraction {
 public:
  void reset(int patience) {
    *this = Contraction{};
    patience_ = patience;
  }

  /// True when as many windows in a row as there is patience say that reaching `target` takes more sweeps than are left.
  bool hopeless(int sweep, double change, double target, int sweepsLeft) {
    if (sweep < next_) return false;
    const double rate = last_ > 0 ? std::pow(change / last_, 1.0 / (sweep - previous_)) : 0;
    last_ = change;
    previous_ = sweep;
    next_ = sweep + sweep / 2;
    const double needed = rate >= 1 ? kInfinity : rate > 0 ? std::log(target / change) / std::log(rate) : 0;
    doubts_ = needed > 2.0 * sweepsLeft ? doubts_ + 1 : 0;
    return doubts_ >= patience_;
  }

 private:
  int previous_{0}, next_{16}, doubts_{0}, patience_{2};
  double last_{0};
};

/// Per-axis bounds: the normal impulse, then each tangential one within the bounds that it allows, one after the other. `b`: contact velocity without r.
template <typename Bounds>
Vector3 projectAxes(const Matrix3& A, const Vector3& b, Vector3 r, const Bounds& bounds) {
  const auto free = [&](int k) { return A(k, k) > 0 ? -(b[k] + A.row(k).dot(r) - A(k, k) * r[k]) / A(k, k) : r[k]; };
  r[0] = std::max(free(0), 0.0);
  const AxisInterval interval = bounds(r[0]);
  for (int k = 1; k < 3; ++k) r[k] = std::clamp(free(k), interval.low, interval.high);
  return r;
}

class GaussSeidel : public Solver {
 public:
  explicit GaussSeidel(SolverInfo info) : info_{std::move(info)} {}
  const SolverInfo& info() const override { return info_; }

  SolveReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) override { return run(global_, problem, iterate, options); }
  SolveReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) override {
    return run(local_, problem, iterate, options);
  }

 private:
  template <typename System, typename Problem>
  SolveReport run(System& system, const Problem& problem, Iterate& iterate, const SolveOptions& options) {
    SolveReport report;
    report.status = SolveStatus::NumericalFailure;
    report.residual = kInfinity;
    if (!system.bind(problem)) return report;
    system.start(iterate, options.warm);
    const double scale = std::max(options.scale > 0 ? options.scale : system.scale(), std::numeric_limits<double>::min());
    const double target = 0.9 * options.tolerance * scale;
    bestResidual_ = kInfinity;
    contraction_.reset(options.patience > 0 ? options.patience : kPatience);
    deadline_ = options.deadline;
    relaxation_ = info_.law == Law::Box ? 1.0 : options.relaxation;
    report.status = sweepUntil(system, iterate, target, options.maxIterations > 0 ? options.maxIterations : kDefaultSweeps, report.iterations);
    iterate.r = best_.r;
    iterate.lambda = best_.lambda;
    system.refresh(iterate);
    report.residual = bestResidual_ / scale;
    return report;
  }

  template <typename System>
  SolveStatus sweepUntil(System& system, Iterate& iterate, double target, int limit, int& sweeps) {
    int nextCheck = 8;
    if (check(system, iterate) <= target) return SolveStatus::Converged;
    for (sweeps = 0; sweeps < limit;) {
      const double change = sweep(system, iterate);
      ++sweeps;
      if (!std::isfinite(change)) return SolveStatus::NumericalFailure;
      if (isPast(deadline_)) break;
      const bool due = sweeps >= nextCheck || sweeps == limit;
      if (change > 3 * target && !due) continue;
      if (due) nextCheck += nextCheck / 2;
      if (check(system, iterate) <= target) return SolveStatus::Converged;
      if (contraction_.hopeless(sweeps, change, target, limit - sweeps)) return SolveStatus::Stalled;
    }
    return SolveStatus::IterationLimit;
  }

  /// Every row and contact once. Returns the largest change, in velocity units.
  template <typename System>
  double sweep(System& system, Iterate& iterate) const {
    double largest = system.sweepRows(iterate);
    for (int i = 0; i < system.contacts(); ++i) {
      const Vector3 r = iterate.r.segment<3>(3 * i);
      if (r.isZero(0) && system.opens(i)) continue;
      const Vector3 u = system.velocity(i, iterate);
      const ContactBlock& block = system.diagonal(i);
      const Vector3 b = u - block.A * r;
      const auto bounds = [&](double rn) { return axisInterval(system.problem(), i, rn); };
      Vector3 difference = (info_.law == Law::Box ? projectAxes(block.A, b, r, bounds) : solveOneContact(block, b, system.mu(i), r)) - r;
      if (difference.isZero(0)) continue;
      if (relaxation_ != 1 && r[0] + difference[0] > 0) difference = projectCone(r + relaxation_ * difference, system.mu(i)) - r;
      const double change = system.omega(i) * difference.norm();
      if (!std::isfinite(change)) return kInfinity;
      largest = std::max(largest, change);
      system.change(i, difference, iterate);
    }
    return largest;
  }

  /// The worst natural map and row residual [m/s]; keeps the iterate if it is the best so far.
  template <typename System>
  double check(System& system, Iterate& iterate) {
    system.refresh(iterate);
    double residual = system.rowResidual(iterate);
    for (int i = 0; i < system.contacts(); ++i) {
      const Vector3 r = iterate.r.segment<3>(3 * i), u = system.velocity(i, iterate);
      residual = std::max(residual, info_.law == Law::Box ? boxMap(r, u, system.omega(i), axisInterval(system.problem(), i, r[0])).norm()
                                                          : contactResidual(r, u, system.mu(i), system.omega(i), info_.law));
    }
    if (!iterate.r.allFinite() || !std::isfinite(residual)) residual = kInfinity;
    if (residual < bestResidual_ || bestResidual_ == kInfinity) {
      bestResidual_ = residual;
      best_.r = iterate.r;
      best_.lambda = iterate.lambda;
    }
    return residual;
  }

  SolverInfo info_;
  GlobalSystem global_;
  LocalSystem local_;
  Iterate best_;
  double bestResidual_{kInfinity}, deadline_{kInfinity}, relaxation_{1};
  Contraction contraction_;
};

}  // namespace

std::unique_ptr<Solver> makeNsgs() {
  return std::make_unique<GaussSeidel>(SolverInfo{"nsgs", Law::Coulomb, true, true,
                                                  "block Gauss-Seidel, exact contact by contact: small, well-conditioned or very large sphere-like sets", false,
                                                  "global at mu = 0"});
}

std::unique_ptr<Solver> makePgs() {
  return std::make_unique<GaussSeidel>(
      SolverInfo{"pgs", Law::Box, true, true, "comparison with real-time engines: projected Gauss-Seidel axis by axis on the law of box, run to convergence",
                 false, "global at fixed bounds"});
}

}  // namespace stiction
