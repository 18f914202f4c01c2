#include "solvers/GaussSeidel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/Clock.hpp"
#include "solvers/DiagonalContact.hpp"
#include "solvers/FrictionCone.hpp"
#include "solvers/OneContact.hpp"
#include "solvers/SweepState.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr int kDefaultSweeps = 10000;
constexpr int kPatience = 2;
constexpr int kWholeSweeps = 24;  // before any go only where something still moves
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

  /// r + ω (next − r), projected on the cone; where it slips, too: on contacts of full blocks that takes fewer sweeps. With a larger ω piles in motion go round in circles.
  Vector3 relax(const Vector3& r, const Vector3& next, double mu) const {
    constexpr double most = 1.4;
    return relaxation_ == 1 || !(next[0] > 0) ? next : projectCone(r + std::min(relaxation_, most) * (next - r), mu);
  }

  STICTION_INLINE Vector3 relaxDiagonal(const ContactBlock& block, const Vector3& r, const Vector3& u, double mu) const {
    const double old[3] = {r[0], r[1], r[2]};
    double next[3];
    followDiagonal(old, block.perNormal * u[0], block.perTangential * u[1], block.perTangential * u[2], mu, relaxation_, next);
    return {next[0], next[1], next[2]};
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
  static int together(const GlobalSweepState& system, int left) {
    if (system.contacts() < SweepSchedule::kManyContacts || left < 2) return 1;
    const int runs = (left + SweepSchedule::kMostSweeps - 1) / SweepSchedule::kMostSweeps;
    return (left + runs - 1) / runs;
  }
  static int together(const LocalSweepState&, int) { return 1; }

  /// What a sweep has changed so far, in velocity units.
  struct alignas(64) Change {
    double rows{0}, largest{0}, sum{0};  // [m/s], [m²/s²], [m²/s²]
    STICTION_INLINE void add(double change) { addSquare(change * change); }
    STICTION_INLINE void addSquare(double square) {
      largest = std::max(largest, square);
      sum += square;
    }
    void add(const Change& other) {
      rows = std::max(rows, other.rows);
      largest = std::max(largest, other.largest);
      sum += other.sum;
    }
    double worst() const { return std::isfinite(sum) ? std::max(rows, std::sqrt(largest)) : kInfinity; }
  };

  /// So many sweeps, after those done. Returns the largest change of the last one, in velocity units; infinity after a number that is none.
  double sweep(GlobalSweepState& system, int done, int sweeps) {
    std::array<Change, SweepSchedule::kMostParts> changes;  // of the last sweep
    const Visits early = sweeps > 1 && system.chooseFocus(noted_) ? Visits::Chosen : Visits::All;
    const Visits last = sweeps > 1 && done + sweeps >= kWholeSweeps ? Visits::Noted : Visits::All;
    system.schedule().run(sweeps, [&](int k, int p) {
      Change change;
      kernels_.sweep(*this, system, p, k < sweeps - 1 ? early : last, change);
      if (k == sweeps - 1) changes[at(p)] = change;
    });
    Change change;
    for (int p = 0; p < system.schedule().count(); ++p) change.add(changes[at(p)]);
    noted_ = last == Visits::Noted ? std::sqrt(change.largest) : 0;
    return change.worst();
  }
  double sweep(LocalSweepState& system, int, int) const {
    Change change;
    for (int k = 0; k < system.contacts(); ++k) change.add(visit(system, k));
    return change.worst();
  }
  /// The worst natural map [m/s], velocities computed anew.
  double worst(GlobalSweepState& system) const {
    SweepSchedule& schedule = system.schedule();
    system.release();
    schedule.run(1, [&](int, int p) { kernels_.apply(system, schedule.part(p)); });
    std::array<double, SweepSchedule::kMostParts> worst;
    schedule.run(1, [&](int, int p) { worst[at(p)] = kernels_.worst(*this, system, schedule.part(p)); });
    return *std::max_element(worst.begin(), worst.begin() + schedule.count());
  }
  double worst(LocalSweepState& system) const { return worstOf(system, 0, system.contacts()); }

  /// The contact's turn. Returns the change, in velocity units.
  template <typename System>
  STICTION_INLINE double visit(System& system, int k) const {
    const Vector3 r = system.impulse(k);
    if (r.isZero(0) && system.opens(k)) return 0;
    const ContactBlock& block = system.diagonal(k);
    if (system.pressesOnly(k, r) && info_.law != Law::Box) {
      double normal;
      pressDiagonal(r[0], block.perNormal * system.normalVelocity(k), relaxation_, normal);
      const double change = normal - r[0];
      system.press(k, change);
      return system.omega(k) * std::abs(change);
    }
    const Vector3 u = system.velocity(k);
    const Vector3 difference = (block.isDiagonal && info_.law != Law::Box ? relaxDiagonal(block, r, u, system.mu(k)) : solveContact(system, k, r, u)) - r;
    system.change(k, difference);
    return system.omega(k) * difference.norm();
  }

  /// Every row of a part once, and the contacts that are to be visited.
  STICTION_INLINE void sweepPart(GlobalSweepState& system, int p, Visits visits, Change& changed) const {
    const SweepSchedule::Part& part = system.schedule().part(p);
    changed.rows = std::max(changed.rows, system.sweepRows(part.firstRow, part.lastRow));
    const auto turn = [&](int k) __attribute__((always_inline)) {
      const double change = visit(system, k);
      changed.add(change);
      if (visits == Visits::Noted) system.note(k, change);
    };
    if (system.usesLanes()) {
      const int width = system.pressesOnly() ? 1 : 3;
      if (system.mirrored() < width)
        width == 1 ? sweepLanes<1, false>(system, p, visits, changed, turn) : sweepLanes<3, false>(system, p, visits, changed, turn);
      else
        width == 1 ? sweepLanes<1, true>(system, p, visits, changed, turn) : sweepLanes<3, true>(system, p, visits, changed, turn);
    } else if (visits == Visits::Chosen) {
      for (int place = part.firstContact; place < part.lastContact && system.chosen(place) != SweepFocus::kNone; ++place) turn(system.chosen(place));
    } else {
      for (int k = part.firstContact; k < part.lastContact; ++k) turn(k);
    }
  }

  template <int Width, bool IsMirrored>
  STICTION_INLINE void visit(GlobalSweepState& system, const SweepLanes& lanes, const SweepLanes::Group& group, SweepLanes::Work& work) const {
    lanes.read<Width, IsMirrored>(group, system.y(), system.impulses(), work);
    SweepLanes::follow<Width>(group, relaxation_, work);
    lanes.act<Width, IsMirrored>(group, work, system.y(), system.impulses());
  }

  template <int Width, bool IsMirrored, class Turn>
  STICTION_INLINE void sweepLanes(GlobalSweepState& system, int p, Visits visits, Change& changed, const Turn& turn) const {
    SweepLanes& lanes = system.lanes(visits == Visits::Chosen, p);
    SweepLanes::Work work;
    for (int k = 0; lanes.place(k) != SweepLanes::kEnd; ++k) {
      const int place = lanes.place(k);
      if (place < 0) {
        turn(~place);
        continue;
      }
      SweepLanes::Group& group = lanes.group(place);
      if (group.isOpen) group.isOpen = lanes.staysOpen<IsMirrored>(group, system.y(), system.impulses());
      if (group.isOpen) continue;
      visit<Width, IsMirrored>(system, lanes, group, work);
      for (int l = 0; l < group.count; ++l) changed.addSquare(work.changes[l]);
      if (visits != Visits::Noted) continue;
      for (int l = 0; l < group.count; ++l) system.note(lanes.lane(group, l).turn, std::sqrt(work.changes[l]));
    }
  }

  template <typename System>
  STICTION_INLINE double worstOf(const System& system, int first, int last) const {
    double worst = 0;
    for (int k = first; k < last; ++k) {
      const Vector3 r = system.impulse(k);
      if (r.isZero(0) && system.opens(k)) continue;
      const Vector3 u = system.velocity(k);
      worst = std::max(worst, info_.law == Law::Box ? boxMap(r, u, system.omega(k), axisInterval(system.problem(), system.contact(k), r[0])).norm()
                                                    : contactResidual(r, u, system.mu(k), system.omega(k), info_.law));
    }
    return worst;
  }

  // The same code for several instruction sets, with the same bits: what a pack holds is added up in one order.
  struct Kernels {
    void (*sweep)(const GaussSeidel&, GlobalSweepState&, int, Visits, Change&);
    void (*apply)(GlobalSweepState&, const SweepSchedule::Part&);
    double (*worst)(const GaussSeidel&, const GlobalSweepState&, const SweepSchedule::Part&);
  };
// NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none
#define STICTION_KERNELS(NAME, TARGET)                                                                                         \
  TARGET static void NAME##Sweep(const GaussSeidel& self, GlobalSweepState& system, int p, Visits visits, Change& change) {    \
    self.sweepPart(system, p, visits, change);                                                                                 \
  }                                                                                                                            \
  TARGET static void NAME##Apply(GlobalSweepState& system, const SweepSchedule::Part& part) { system.apply(part); }            \
  TARGET static double NAME##Worst(const GaussSeidel& self, const GlobalSweepState& system, const SweepSchedule::Part& part) { \
    return self.worstOf(system, part.firstContact, part.lastContact);                                                          \
  }                                                                                                                            \
  static Kernels NAME() { return {&NAME##Sweep, &NAME##Apply, &NAME##Worst}; }
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
  GlobalSweepState global_;
  LocalSweepState local_;
  bool isBound_{false}, looksOften_{false};
  Iterate best_;
  double bestResidual_{kInfinity}, relaxation_{1};
  Deadline deadline_;
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
