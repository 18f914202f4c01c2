#include "solvers/GaussSeidel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/Clock.hpp"
#include "solvers/FrictionCone.hpp"
#include "solvers/MassWeighted.hpp"
#include "solvers/OneContact.hpp"
#include "solvers/SweepFocus.hpp"
#include "solvers/SweepLanes.hpp"
#include "solvers/SweepSchedule.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr int kDefaultSweeps = 10000;
constexpr int kPatience = 2;
constexpr int kFewestInLanes = 32;  // contacts
constexpr int kWholeSweeps = 24;    // before any go only where something still moves
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double weight(const Matrix3& delassus) { return delassus.trace() > 0 ? delassus.trace() / 3 : 1.0; }

/// The state of a global problem under sweeps: the mass-weighted velocity follows every change of r and λ.
class GlobalSystem {
 public:
  /// `law`: of the sweeps to come.
  bool bind(const ContactProblem& problem, Law law, ThreadPool* team) {
    problem_ = &problem;
    schedule_.bind(problem, team);
    if (!problem.M.couplings.empty() || !root_.factor(problem.M)) return false;
    contacts_.build(problem.M, root_, problem.H, schedule_.contacts());
    rows_.build(problem.M, root_, problem.G, schedule_.rows());
    root_.weigh(problem.f, free_);
    focus_.bind(contacts(), root_.packs());
    free_.resize(free_.size() + SweepLanes::kSparePacks, Pack{});
    impulses_.resize(at(contacts()));
    bindDelassus();
    hasLanes_ = law == Law::Coulomb && contacts() >= kFewestInLanes && problem.R.size() == 0 && problem.axisBounds == nullptr && bindLanes();
    return problem.f.allFinite();
  }

  const ContactProblem& problem() const { return *problem_; }
  int contacts() const { return problem_->contacts(); }
  /// The contact, and the row, whose turn is the k-th. Below, k counts turns.
  int contact(int k) const { return schedule_.contacts()[at(k)]; }
  int row(int k) const { return schedule_.rows()[at(k)]; }
  double mu(int k) const { return problem_->mu[contact(k)]; }
  double omega(int k) const { return omega_[k]; }
  const ContactBlock& diagonal(int k) const { return diagonal_[at(k)]; }
  SweepSchedule& schedule() { return schedule_; }
  STICTION_INLINE int chosen(int place) const { return focus_.chosen(place); }
  STICTION_INLINE void note(int k, double change) { focus_.note(contacts_, k, change); }
  bool chooseFocus(double largest) {
    if (!focus_.choose(contacts_, schedule_.parts(), largest)) return false;
    if (!usesLanes_) return true;
    focusLanes_.clear();
    for (const SweepSchedule::Part& part : schedule_.parts()) focusLanes_.arrange(part, focus_.chosen(part), inLanes_, contacts_);
    return true;
  }

  /// Whether contacts are taken by lanes: then of all turns, or of the focus.
  bool usesLanes() const { return usesLanes_; }
  const SweepLanes& lanes(bool isFocus) const { return isFocus ? focusLanes_ : lanes_; }
  bool pressesOnly() const { return pressesOnly_; }
  Pack* y() { return y_.data(); }
  LaneImpulse* impulses() { return impulses_.data(); }

  double scale() const {
    double scale = problem_->scaleFloor;
    for (int k = 0; k < contacts(); ++k) scale = std::max(scale, (contacts_.read(k, free_) + problem_->wScale.segment<3>(3 * contact(k))).norm());
    return scale;
  }

  /// r and λ from the iterate, to it, and whether all are numbers.
  void take(const Iterate& iterate) {
    pressesOnly_ = canPress_;
    for (int k = 0; k < contacts(); ++k) {
      const Eigen::Index i = 3 * contact(k);
      impulses_[at(k)] = {{iterate.r[i], iterate.r[i + 1], iterate.r[i + 2], 0}};
      pressesOnly_ = pressesOnly_ && iterate.r[i + 1] == 0 && iterate.r[i + 2] == 0;
    }
    lambda_ = iterate.lambda;
    usesLanes_ = hasLanes_ && (allDiagonal_ || pressesOnly_);
  }
  void give(Iterate& iterate) const {
    iterate.r.resize(3 * contacts());
    for (int k = 0; k < contacts(); ++k) iterate.r.segment<3>(3 * contact(k)) = impulse(k);
    iterate.lambda = lambda_;
  }
  bool isFinite() const {
    double sum = 0;
    for (const LaneImpulse& r : impulses_) sum += std::abs(r.values[0]) + std::abs(r.values[1]) + std::abs(r.values[2]);
    return std::isfinite(sum);
  }
  STICTION_INLINE Vector3 impulse(int k) const { return impulses_[at(k)].vector(); }

  /// y of r and λ, free of what the sweeps' updates have lost to round-off.
  STICTION_INLINE void refresh() {
    y_ = free_;
    for (int k = 0; k < contacts(); ++k)
      if (const Vector3 r = impulse(k); !r.isZero(0)) contacts_.apply(k, r, y_);
    for (int k = 0; k < problem_->rows(); ++k) rows_.apply(k, lambda_.segment<1>(row(k)), y_);
  }
  /// The iterate of r and λ, with its v.
  void conclude(Iterate& iterate) {
    take(iterate);
    refresh();
    root_.unweigh(y_, iterate.v);
  }

  STICTION_INLINE Vector3 velocity(int k) const { return velocity(k, contacts_.read(k, y_)); }
  /// The same, H_iᵀv known.
  STICTION_INLINE Vector3 velocity(int k, const Vector3& relative) const {
    const int i = contact(k);
    Vector3 u = relative + problem_->w.segment<3>(3 * i);
    if (problem_->R.size() != 0) u += problem_->R.segment<3>(3 * i).cwiseProduct(impulse(k));
    return u;
  }

  /// Whether the contact has a normal impulse alone, and keeps it so.
  STICTION_INLINE bool pressesOnly(int k, const Vector3& r) const { return mu(k) == 0 && diagonal_[at(k)].A(0, 0) > 0 && r[1] == 0 && r[2] == 0; }
  STICTION_INLINE double normalVelocity(int k) const {
    const int i = contact(k);
    const double u = contacts_.readFirst(k, y_) + problem_->w[3 * i];
    return problem_->R.size() != 0 ? u + problem_->R[3 * i] * impulses_[at(k)].values[0] : u;
  }
  STICTION_INLINE void press(int k, double difference) {
    impulses_[at(k)].values[0] += difference;
    contacts_.applyFirst(k, difference, y_);
  }

  /// Whether a contact without impulse keeps none. Bounds of users may hold one that opens.
  STICTION_INLINE bool opens(int k) const { return problem_->axisBounds == nullptr && contacts_.readFirst(k, y_) + problem_->w[3 * contact(k)] >= 0; }

  STICTION_INLINE void change(int k, const Vector3& difference) {
    for (int c = 0; c < 3; ++c) impulses_[at(k)].values[c] += difference[c];
    contacts_.apply(k, difference, y_);
  }

  /// One Gauss–Seidel step over equality rows. Returns the largest row velocity met.
  double sweepRows(int first, int last) {
    double worst = 0;
    for (int k = first; k < last; ++k) {
      const double velocity = rowVelocity(k);
      worst = std::max(worst, std::abs(velocity));
      if (!(rowDiagonal_[k] > 0)) continue;
      const double difference = -velocity / rowDiagonal_[k];
      lambda_[row(k)] += difference;
      rows_.apply(k, WeightedColumns<1>::Values{difference}, y_);
    }
    return worst;
  }

  double rowResidual() const {
    double worst = 0;
    for (int k = 0; k < problem_->rows(); ++k) worst = std::max(worst, std::abs(rowVelocity(k)));
    return worst;
  }

 private:
  double rowVelocity(int k) const {
    const int i = row(k);
    const double compliance = problem_->C.size() == 0 ? 0.0 : problem_->C[i];
    return problem_->b[i] + compliance * lambda_[i] + rows_.read(k, y_)[0];
  }

  void bindDelassus() {
    diagonal_.clear();
    omega_.resize(contacts());
    for (int k = 0; k < contacts(); ++k) {
      Matrix3 W = contacts_.gram(k);
      omega_[k] = weight(W);
      if (problem_->R.size() != 0) W.diagonal() += problem_->R.segment<3>(3 * contact(k));
      diagonal_.emplace_back(W);
    }
    rowDiagonal_.resize(problem_->rows());
    for (int k = 0; k < problem_->rows(); ++k) rowDiagonal_[k] = rows_.gram(k)(0, 0) + (problem_->C.size() == 0 ? 0.0 : problem_->C[row(k)]);
  }

  /// Returns whether any contact has a lane.
  bool bindLanes() {
    const auto isBlock = [](const ContactBlock& block) { return block.A(0, 0) > 0; };
    bool any = false;
    canPress_ = problem_->mu.isZero(0) && std::all_of(diagonal_.begin(), diagonal_.end(), isBlock);
    allDiagonal_ = true;
    inLanes_.assign(at(contacts()), {});
    for (int k = 0; k < contacts(); ++k) {
      const auto parts = contacts_.parts(k);
      const ContactBlock& block = diagonal_[at(k)];
      if (parts.empty() || parts.size() > 2 || parts.front().packs > 1 || parts.back().packs > 1 || !(block.isDiagonal || canPress_)) continue;
      SweepContact& own = inLanes_[at(k)];
      own.w = problem_->w.segment<3>(3 * contact(k));
      own.mu = mu(k);
      own.perNormal = block.perNormal, own.perTangential = block.perTangential;
      own.weight = omega(k);
      for (std::size_t p = 0; p < parts.size(); ++p) own.packs[p] = parts[p].pack, own.columns[p] = contacts_.columns(parts[p]);
      allDiagonal_ = allDiagonal_ && block.isDiagonal;
      any = true;
    }
    if (!any) return false;
    lanes_.bind(contacts(), root_.packs());
    focusLanes_.bind(contacts(), root_.packs());
    turns_.resize(at(contacts()));
    std::iota(turns_.begin(), turns_.end(), 0);
    for (const SweepSchedule::Part& part : schedule_.parts())
      lanes_.arrange(part, std::span{turns_}.subspan(at(part.firstContact), at(part.lastContact - part.firstContact)), inLanes_, contacts_);
    return true;
  }

  const ContactProblem* problem_{nullptr};
  MassRoot root_;
  WeightedColumns<3> contacts_;
  WeightedColumns<1> rows_;
  Packs free_, y_;                      // [√J] L⁻¹f; Lᵀv
  VectorX omega_;                       // [1/kg] trace(W_ii)/3
  std::vector<ContactBlock> diagonal_;  // [1/kg] W_ii + R_i
  VectorX rowDiagonal_;                 // [1/kg] G_kᵀM⁻¹G_k + C_k
  std::vector<LaneImpulse> impulses_;   // [N s] r by turns
  VectorX lambda_;                      // [N s]
  SweepSchedule schedule_;
  SweepFocus focus_;
  std::vector<SweepContact> inLanes_;  // by turns
  std::vector<int> turns_;             // 0, 1, …
  SweepLanes lanes_, focusLanes_;
  bool hasLanes_{false}, allDiagonal_{false}, usesLanes_{false};
  bool canPress_{false}, pressesOnly_{false};  // no contact has friction; nor, now, a tangential impulse
};

/// The same for a local problem: u_i comes from the rows of W.
class LocalSystem {
 public:
  bool bind(const LocalContactProblem& problem, Law, ThreadPool*) {
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
  static int contact(int k) { return k; }
  double mu(int i) const { return problem_->mu[i]; }
  double omega(int i) const { return omega_[i]; }
  const ContactBlock& diagonal(int i) const { return diagonal_[at(i)]; }

  double scale() const {
    double scale = 0;
    for (int i = 0; i < contacts(); ++i) scale = std::max(scale, problem_->q.segment<3>(3 * i).norm());
    return scale;
  }

  void take(const Iterate& iterate) { r_ = iterate.r; }
  void give(Iterate& iterate) const { iterate.r = r_; }
  bool isFinite() const { return r_.allFinite(); }
  Vector3 impulse(int i) const { return r_.segment<3>(3 * i); }

  Vector3 velocity(int i) const {
    Vector3 u = problem_->q.segment<3>(3 * i);
    for (int k = problem_->start[at(i)]; k < problem_->start[at(i) + 1]; ++k)
      u.noalias() += problem_->blocks[at(k)] * r_.segment<3>(3 * problem_->column[at(k)]);
    return u;
  }

  // W's rows are read as a whole.
  bool opens(int) const { return false; }
  bool pressesOnly(int, const Vector3&) const { return false; }
  double normalVelocity(int i) const { return velocity(i)[0]; }
  void press(int i, double difference) { r_[3 * i] += difference; }
  void change(int i, const Vector3& difference) { r_.segment<3>(3 * i) += difference; }
  void refresh() const {}
  void conclude(Iterate&) const {}
  double rowResidual() const { return 0; }

 private:
  const LocalContactProblem* problem_{nullptr};
  VectorX omega_, r_;
  std::vector<ContactBlock> diagonal_;
};

/// Watches the change per sweep over windows of growing length and foretells whether the limit of sweeps can be met.
class Contraction {
 public:
  void reset(int patience) {
    *this = Contraction{};
    patience_ = patience;
  }

  bool givesUpWithin(int sweeps) const { return patience_ < sweeps; }

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
  void setTeam(ThreadPool* team) override { team_ = team; }

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
    if (!options.again) {
      isBound_ = system.bind(problem, info_.law, team_);
      noted_ = 0;
    }
    if (!isBound_) return report;
    fitIterate(problem, iterate, options.warm);
    const double scale = std::max(options.scale > 0 ? options.scale : system.scale(), std::numeric_limits<double>::min());
    const double target = 0.9 * options.tolerance * scale;
    bestResidual_ = kInfinity;
    contraction_.reset(options.patience > 0 ? options.patience : kPatience);
    deadline_ = options.deadline;
    looksOften_ = options.looksOften;
    relaxation_ = info_.law == Law::Box ? 1.0 : options.relaxation;
    system.take(iterate);
    best_.r = iterate.r;
    best_.lambda = iterate.lambda;
    report.status = sweepUntil(system, target, options.maxIterations > 0 ? options.maxIterations : kDefaultSweeps, report.iterations);
    iterate.r = best_.r;
    iterate.lambda = best_.lambda;
    system.conclude(iterate);
    report.residual = bestResidual_ / scale;
    return report;
  }

  template <typename System>
  SolveStatus sweepUntil(System& system, double target, int limit, int& sweeps) {
    int nextCheck = contraction_.givesUpWithin(limit) ? 8 : std::max(8, limit / (looksOften_ ? 4 : 2));
    if (check(system) <= target) return SolveStatus::Converged;
    for (sweeps = 0; sweeps < limit;) {
      const int count = together(system, std::min(nextCheck, limit) - sweeps);
      const double change = sweep(system, sweeps, count);
      sweeps += count;
      if (!std::isfinite(change)) return SolveStatus::NumericalFailure;
      if (isPast(deadline_)) break;
      const bool due = sweeps >= nextCheck || sweeps == limit;
      if (change > 3 * target && !due) continue;
      if (due) nextCheck += looksOften_ ? nextCheck / 2 : nextCheck;
      if (check(system) <= target) return SolveStatus::Converged;
      if (contraction_.hopeless(sweeps, change, target, limit - sweeps)) return SolveStatus::Stalled;
    }
    return SolveStatus::IterationLimit;
  }

  /// r + ω (next − r), projected on the cone; where it slips, too: on contacts of full blocks that takes fewer sweeps.
  Vector3 relax(const Vector3& r, const Vector3& next, double mu) const {
    return relaxation_ == 1 || !(next[0] > 0) ? next : projectCone(r + relaxation_ * (next - r), mu);
  }

  /// The impulse of a contact with A = diag(a, t, t): as far as its own law asks where it slips, ω times as far where it sticks, each part cut off at its bound: friction that follows
  /// a load that overshoots goes round in circles. Without a branch that the processor could guess wrong.
  STICTION_INLINE Vector3 relaxDiagonal(const ContactBlock& block, const Vector3& r, const Vector3& u, double mu) const {
    const double a = block.perNormal * u[0], s = block.perTangential * u[1], t = block.perTangential * u[2];
    const double bound = mu * std::max(0.0, r[0] - a);
    const double relaxation = (r[1] - s) * (r[1] - s) + (r[2] - t) * (r[2] - t) > bound * bound ? 1.0 : relaxation_;
    const double normal = std::max(0.0, r[0] - relaxation * a), x = r[1] - relaxation * s, y = r[2] - relaxation * t;
    const double part = std::min(1.0, mu * normal / std::max(std::sqrt(x * x + y * y), std::numeric_limits<double>::min()));
    return {normal, part * x, part * y};
  }

  template <typename System>
  Vector3 solveContact(const System& system, int k, const Vector3& r, const Vector3& u) const {
    const ContactBlock& block = system.diagonal(k);
    const Vector3 b = u - block.A * r;
    if (info_.law != Law::Box) return relax(r, solveOneContact(block, b, system.mu(k), r), system.mu(k));
    return projectAxes(block.A, b, r, [&](double rn) { return axisInterval(system.problem(), system.contact(k), rn); });
  }

  /// Which contacts a sweep visits: all, all and notes how far it stirs the bodies, or the focus that was chosen by it.
  enum class Visits : std::uint8_t { All, Noted, Chosen };

  /// How many sweeps to the next look at what they change, `left` before one is due.
  static int together(const GlobalSystem& system, int left) {
    if (system.contacts() < SweepSchedule::kManyContacts || left < 2) return 1;
    const int runs = (left + SweepSchedule::kMostSweeps - 1) / SweepSchedule::kMostSweeps;
    return (left + runs - 1) / runs;
  }
  static int together(const LocalSystem&, int) { return 1; }

  /// What a sweep has changed so far, in velocity units.
  struct alignas(64) Change {
    double rows{0}, largest{0}, sum{0};  // [m/s], [m²/s²], [m²/s²]
    STICTION_INLINE void add(double change) { addSquare(change * change); }
    STICTION_INLINE void addSquare(double square) {
      largest = std::max(largest, square);
      sum += square;
    }
    double worst() const { return std::isfinite(sum) ? std::max(rows, std::sqrt(largest)) : kInfinity; }
  };

  /// So many sweeps, after those done. Returns the largest change of the last one, in velocity units; infinity after a number that is none.
  double sweep(GlobalSystem& system, int done, int sweeps) {
    std::array<Change, SweepSchedule::kMostSweeps> changes;
    const Visits early = sweeps > 1 && system.chooseFocus(noted_) ? Visits::Chosen : Visits::All;
    const Visits last = sweeps > 1 && done + sweeps >= kWholeSweeps ? Visits::Noted : Visits::All;
    system.schedule().run(sweeps,
                          [&](int k, const SweepSchedule::Part& part) { kernels_.sweep(*this, system, part, k < sweeps - 1 ? early : last, changes[at(k)]); });
    const Change& change = changes[at(sweeps) - 1];
    noted_ = last == Visits::Noted ? std::sqrt(change.largest) : 0;
    return change.worst();
  }
  double sweep(LocalSystem& system, int, int) const {
    Change change;
    for (int k = 0; k < system.contacts(); ++k) change.add(visit(system, k));
    return change.worst();
  }
  double worst(GlobalSystem& system) { return kernels_.worst(*this, system); }
  double worst(LocalSystem& system) const { return worstOfAll(system); }

  /// The contact's turn. Returns the change, in velocity units.
  template <typename System>
  STICTION_INLINE double visit(System& system, int k) const {
    const Vector3 r = system.impulse(k);
    if (r.isZero(0) && system.opens(k)) return 0;
    const ContactBlock& block = system.diagonal(k);
    if (system.pressesOnly(k, r) && info_.law != Law::Box) {
      const double change = std::max(0.0, r[0] - relaxation_ * block.perNormal * system.normalVelocity(k)) - r[0];
      system.press(k, change);
      return system.omega(k) * std::abs(change);
    }
    const Vector3 difference = lawOf(system, k, r, system.velocity(k)) - r;
    system.change(k, difference);
    return system.omega(k) * difference.norm();
  }

  template <typename System>
  STICTION_INLINE Vector3 lawOf(const System& system, int k, const Vector3& r, const Vector3& u) const {
    const ContactBlock& block = system.diagonal(k);
    return block.isDiagonal && info_.law != Law::Box ? relaxDiagonal(block, r, u, system.mu(k)) : solveContact(system, k, r, u);
  }

  /// Every row of a part once, and the contacts that are to be visited.
  STICTION_INLINE void sweepPart(GlobalSystem& system, const SweepSchedule::Part& part, Visits visits, Change& changed) const {
    changed.rows = std::max(changed.rows, system.sweepRows(part.firstRow, part.lastRow));
    const auto turn = [&](int k) __attribute__((always_inline)) {
      const double change = visit(system, k);
      changed.add(change);
      if (visits == Visits::Noted) system.note(k, change);
    };
    if (system.usesLanes()) {
      sweepLanes(system, part, visits, changed, turn);
    } else if (visits == Visits::Chosen) {
      for (int place = part.firstContact; place < part.lastContact && system.chosen(place) != SweepFocus::kNone; ++place) turn(system.chosen(place));
    } else {
      for (int k = part.firstContact; k < part.lastContact; ++k) turn(k);
    }
  }

  template <int Width>
  STICTION_INLINE void visit(GlobalSystem& system, const SweepLanes& lanes, const SweepLanes::Group& group, SweepLanes::Work& work) const {
    lanes.read<Width>(group, system.y(), system.impulses(), work);
    SweepLanes::follow<Width>(group, relaxation_, work);
    lanes.act<Width>(group, work, system.y(), system.impulses());
  }

  template <class Turn>
  STICTION_INLINE void sweepLanes(GlobalSystem& system, const SweepSchedule::Part& part, Visits visits, Change& changed, const Turn& turn) const {
    const SweepLanes& lanes = system.lanes(visits == Visits::Chosen);
    SweepLanes::Work work;
    for (int k = part.firstContact; k < part.lastContact; ++k) {
      const int place = lanes.place(k);
      if (place == SweepLanes::kEnd) break;
      if (place < 0) {
        turn(~place);
        continue;
      }
      const SweepLanes::Group& group = lanes.group(place);
      if (system.pressesOnly())
        visit<1>(system, lanes, group, work);
      else
        visit<3>(system, lanes, group, work);
      for (int l = 0; l < group.count; ++l) changed.addSquare(work.changes[l]);
      if (visits != Visits::Noted) continue;
      for (int l = 0; l < group.count; ++l) system.note(lanes.lane(group, l).turn, std::sqrt(work.changes[l]));
    }
  }

  /// The worst natural map [m/s], velocities computed anew.
  template <typename System>
  STICTION_INLINE double worstOfAll(System& system) const {
    system.refresh();
    double worst = 0;
    for (int k = 0; k < system.contacts(); ++k) {
      const Vector3 r = system.impulse(k), u = system.velocity(k);
      worst = std::max(worst, info_.law == Law::Box ? boxMap(r, u, system.omega(k), axisInterval(system.problem(), system.contact(k), r[0])).norm()
                                                    : contactResidual(r, u, system.mu(k), system.omega(k), info_.law));
    }
    return worst;
  }

  // The same code for several instruction sets, with the same bits: what a pack holds is added up in one order.
  struct Kernels {
    void (*sweep)(const GaussSeidel&, GlobalSystem&, const SweepSchedule::Part&, Visits, Change&);
    double (*worst)(const GaussSeidel&, GlobalSystem&);
  };
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none
#define STICTION_KERNELS(NAME, TARGET)                                                                                                            \
  TARGET static void NAME##Sweep(const GaussSeidel& self, GlobalSystem& system, const SweepSchedule::Part& part, Visits visits, Change& change) { \
    self.sweepPart(system, part, visits, change);                                                                                                 \
  }                                                                                                                                               \
  TARGET static double NAME##Worst(const GaussSeidel& self, GlobalSystem& system) { return self.worstOfAll(system); }                             \
  static Kernels NAME() { return {&NAME##Sweep, &NAME##Worst}; }
  // NOLINTEND(bugprone-macro-parentheses)
  STICTION_KERNELS(baseline, )
#if defined(__x86_64__)
  STICTION_KERNELS(avx2, [[gnu::target("avx2")]])
  STICTION_KERNELS(avx512, [[gnu::target("avx512f,avx512vl,avx512dq")]])
#endif
  static Kernels choose() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return avx512();
    if (__builtin_cpu_supports("avx2")) return avx2();
#endif
    return baseline();
  }

  /// The worst natural map and row residual [m/s]; keeps the impulses if they are the best so far.
  template <typename System>
  double check(System& system) {
    double residual = worst(system);  // with velocities computed anew
    residual = std::max(residual, system.rowResidual());
    if (!system.isFinite() || !std::isfinite(residual)) residual = kInfinity;
    if (residual < bestResidual_ || bestResidual_ == kInfinity) {
      bestResidual_ = residual;
      system.give(best_);
    }
    return residual;
  }

  const Kernels kernels_{choose()};
  SolverInfo info_;
  ThreadPool* team_{nullptr};
  GlobalSystem global_;
  LocalSystem local_;
  bool isBound_{false}, looksOften_{false};
  Iterate best_;
  double bestResidual_{kInfinity}, deadline_{kInfinity}, relaxation_{1};
  double noted_{0};  // [m/s] the largest change of a contact in the last sweep, where it was noted
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
