// Constraints that users hold the island by, beside its contacts: rows of the step, of impacts and of the projection.
//
//   J v⁺ + ∂C/∂t + (h/2) γ + e = 0      bilateral
//   0 <= λ ⊥ C/h + J v⁺ + ∂C/∂t + (h/2) γ + e >= 0      unilateral: C enters where it is open, what is violated already is the projection's business
//
// e starts at 0; where the step ends off C(q⁺, t + h) = C(q, t) the (sub)step is solved again with e += that, over h. With x⁺ = x + h v⁺ this is SHAKE (Ryckaert, Ciccotti and
// Berendsen 1977): impulses along J(q) that put the end of the step on the constraint, so that energy does not drift.
// Impacts leave the rates of bilateral rows as they are. Work: −λ·∂C/∂t is that of whatever moves the constraint, −½ λ·(u⁺ + u⁻) of its rates u is the scheme's, first order in h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/Island.hpp"

namespace stiction {
namespace {

constexpr double kOpen = 1e-9;    // [-] of the bodies' size: a unilateral row this near touches
constexpr double kOff = 1e-10;    // [-] of the same: errors below this stay
constexpr double kMiss = 1e-10;   // [-] of the certificate's scale: speed by which the end of the step may miss a constraint
constexpr double kHeadway = 0.5;  // [-] of the least miss so far: what another trial is worth it for
constexpr double kNear = 1e-5;    // [-] of the certificate's scale: speed of a miss that is left to the projection when trials come no nearer,
constexpr double kCrude = 1e-3;   // [-] of the bodies' size: or, in the shortest step, this miss
constexpr int kTrials = 12;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double errorOf(const ConstraintRows::Row& row, double value) { return row.unilateral ? std::max(-value, 0.0) : std::abs(value); }

}  // namespace

/// Place of the row in report.rowForces.
std::size_t IslandStepper::rowPlace(const ConstraintRows::Row& row) const {
  const auto slot = std::lower_bound(held_.begin(), held_.end(), row.held) - held_.begin();
  return rowStart_[static_cast<std::size_t>(slot)] + at(row.index);
}

void IslandStepper::beginRows(const WorldState& start) {
  rows_.choose(setup_->held, held_);
  IslandReport& report = result_->report;
  rowStart_.clear();
  report.rowForces.clear();
  for (const int id : held_) {
    const HeldConstraint& held = setup_->held[at(id)];
    rowStart_.push_back(report.rowForces.size());
    for (int k = 0; k < held.dimension; ++k)
      report.rowForces.push_back(at(held.firstRow + k) < start.rowForces.size() ? start.rowForces[at(held.firstRow + k)] : 0.0);
  }
  report.rowImpulses.assign(report.rowForces.size(), 0.0);
}

bool IslandStepper::refuseRows() {
  result_->report.faulty = rows_.faulty();
  result_->report.status = StepStatus::NonFinite;
  return false;
}

/// Adds the rows to the problem of the (sub)step. False when a constraint is at fault.
bool IslandStepper::enterRows(double h) {
  if (rows_.empty()) return true;
  if (!rows_.evaluate(local_, time_) || !rows_.evaluateRates(local_, time_)) return refuseRows();
  const auto count = static_cast<Eigen::Index>(rows_.rows().size());
  if (missedBy_.size() != count) missedBy_.setZero(count);
  rowMoving_.clear();
  rowTargets_.clear();
  ContactProblem& problem = assembly_.problem;
  for (Eigen::Index k = 0; k < count; ++k) {
    const ConstraintRows::Row& row = rows_.rows()[static_cast<std::size_t>(k)];
    const double bend = bendOf(row, h) + missedBy_[k];
    if (!row.unilateral) {
      assembly_.addRow(row.bodyA, row.bodyB, row.rates);
      rowMoving_.push_back(row.moving);
      rowTargets_.push_back(row.moving + bend);
      continue;
    }
    assembly_.addOneSided(row.bodyA, row.bodyB, row.rates, row.moving);
    const Eigen::Index n = problem.w.size() - 3;
    problem.wScale[n] += bend;
    problem.w[n] += bend + (row.value > kOpen * row.size ? row.value / h : 0.0);
  }
  problem.b = Eigen::Map<const VectorX>{rowTargets_.data(), static_cast<Eigen::Index>(rowTargets_.size())};
  return true;
}

bool IslandStepper::rowsMove() const {
  return std::any_of(rows_.rows().begin(), rows_.rows().end(), [](const ConstraintRows::Row& row) { return row.moving != 0; });
}

/// Multipliers of the last step. Returns whether there are any.
bool IslandStepper::warmStartRows(double h) {
  iterate_.lambda.resize(assembly_.problem.rows());
  Eigen::Index equality = 0, contact = 3 * static_cast<Eigen::Index>(used_.size());
  bool warm = false;
  for (const ConstraintRows::Row& row : rows_.rows()) {
    const double impulse = h * result_->report.rowForces[rowPlace(row)];
    warm = warm || impulse != 0;
    if (!row.unilateral) {
      iterate_.lambda[equality++] = impulse;
      continue;
    }
    iterate_.r.segment<3>(contact) << std::max(impulse, 0.0), 0, 0;
    contact += 3;
  }
  return warm;
}

void IslandStepper::beginTrials() {
  missedBy_.resize(0);
  leastMiss_ = std::numeric_limits<double>::infinity();
  lastTrial_ = flat_ = false;
}

/// Whether the (sub)step ends on its constraints, or is worth another trial with what this one missed by, as long as trials come nearer. Then the best of them stands, if it is
/// near enough for the projection to mend the rest: contacts may leave no room for more.
IslandStepper::Ending IslandStepper::rowsEnd(double h, int round, bool last) {
  if (rows_.rows().empty()) return Ending::Accepted;
  if (!rows_.evaluateValues(local_, time_, rowsEnd_)) {
    refuseRows();
    return Ending::Accepted;
  }
  double worst = 0;
  bool near = true;
  Eigen::Index contact = 3 * static_cast<Eigen::Index>(used_.size());
  for (std::size_t k = 0; k < rows_.rows().size(); ++k) {
    const ConstraintRows::Row& row = rows_.rows()[k];
    double& miss = rowsEnd_[static_cast<Eigen::Index>(k)];
    if (!row.unilateral) {
      miss -= row.value;
    } else {
      miss -= std::min(row.value, 0.0);
      if (iterate_.r[contact] == 0) miss = std::min(miss, 0.0);
      contact += 3;
    }
    worst = std::max(worst, std::abs(miss) / h);
    near = near && std::abs(miss) <= (last || flat_ ? kCrude * row.size : h * kNear * solved_.scale);
  }
  if (worst <= kMiss * solved_.scale) return Ending::Accepted;
  if (lastTrial_) return near ? Ending::Accepted : Ending::Lost;
  const bool headway = worst <= kHeadway * leastMiss_, least = worst < leastMiss_;
  if (least) {
    leastMiss_ = worst;
    leastMissedBy_ = missedBy_;
    leastIsNear_ = near;
  }
  if (headway && round < kTrials) {
    missedBy_ += rowsEnd_ / h;
    return Ending::Repeated;
  }
  if (!leastIsNear_) return Ending::Lost;
  if (least) return Ending::Accepted;
  return retreat() ? Ending::Repeated : Ending::Lost;
}

/// Back to the best trial so far, for good; where there is none, to rows that leave curves to the projection, as contacts do: closed ones may leave no room for more.
/// False when that is done already.
bool IslandStepper::retreat() {
  if (lastTrial_ || rows_.rows().empty()) return false;
  lastTrial_ = true;
  flat_ = !std::isfinite(leastMiss_);
  if (flat_)
    missedBy_.setZero();
  else
    missedBy_ = leastMissedBy_;
  return true;
}

/// [m/s] (h/2) γ
double IslandStepper::bendOf(const ConstraintRows::Row& row, double h) const { return flat_ ? 0.0 : 0.5 * h * row.bend; }

void IslandStepper::accountRows() {
  if (rows_.rows().empty()) return;
  EnergyLedger& ledger = result_->report.ledger;
  const Eigen::Map<const VectorX> moving{rowMoving_.data(), static_cast<Eigen::Index>(rowMoving_.size())};
  accountEqualityRows(assembly_.problem.G, moving, iterate_.lambda, vBefore_, iterate_.v, scratch_, ledger);
}

/// A unilateral row's rate at the end of the step has a part that only straightens its curve: no impact.
void IslandStepper::accountBends(double h) {
  EnergyLedger& ledger = result_->report.ledger;
  Eigen::Index contact = 3 * static_cast<Eigen::Index>(used_.size());
  for (std::size_t k = 0; k < rows_.rows().size(); ++k) {
    if (!rows_.rows()[k].unilateral) continue;
    const double work = 0.5 * iterate_.r[contact] * (bendOf(rows_.rows()[k], h) + missedBy_[static_cast<Eigen::Index>(k)]);
    ledger.impact -= work;
    ledger.scheme += work;
    contact += 3;
  }
}

/// Sums the impulses; `h` > 0: and keeps the forces for the next warm start.
void IslandStepper::rememberRows(double h, bool rests) {
  IslandReport& report = result_->report;
  const bool same = rests && restedBefore_;
  if (h > 0 && !same) std::fill(report.rowForces.begin(), report.rowForces.end(), 0.0);
  Eigen::Index equality = 0, contact = 3 * static_cast<Eigen::Index>(used_.size());
  for (const ConstraintRows::Row& row : rows_.rows()) {
    if (h == 0 && row.unilateral && row.value > kOpen * row.size) continue;
    const double impulse = row.unilateral ? iterate_.r[contact] : iterate_.lambda[equality++];
    if (row.unilateral) contact += 3;
    if (h > 0 && !same) report.rowForces[rowPlace(row)] = impulse / h;
    report.rowImpulses[rowPlace(row)] += impulse / row.length;
  }
}

/// Adds the rows to the problem of an impact. False when a constraint is at fault.
bool IslandStepper::enterImpactRows() {
  if (rows_.empty()) return true;
  if (!rows_.evaluate(local_, time_) || !rows_.evaluateRates(local_, time_)) return refuseRows();
  rowMoving_.clear();
  for (const ConstraintRows::Row& row : rows_.rows()) {
    if (row.unilateral) {
      if (row.value <= kOpen * row.size) assembly_.addOneSided(row.bodyA, row.bodyB, row.rates, row.moving);
      continue;
    }
    assembly_.addRow(row.bodyA, row.bodyB, row.rates);
    rowMoving_.push_back(row.moving);
  }
  multiplyTransposed(assembly_.problem.G, vBefore_, assembly_.problem.b);
  assembly_.problem.b = -assembly_.problem.b;
  return true;
}

/// Evaluates the rows where the island is now, and adds to region_ the bodies of those that are off. Returns what is wrong with them.
IslandStepper::Faults IslandStepper::chooseRows(double h) {
  Faults faults;
  if (rows_.empty()) return faults;
  if (!rows_.evaluate(local_, time_)) {
    refuseRows();
    return faults;
  }
  for (const ConstraintRows::Row& row : rows_.rows()) {
    const double error = errorOf(row, row.value);
    if (error <= kOff * row.size) continue;
    faults.way = std::max(faults.way, std::min(error, farthest(row.size, h)));
    faults.overlap = std::max(faults.overlap, error / row.size);
    for (const int body : {row.bodyA, row.bodyB})
      if (body >= 0 && setup_->inertias[at(body)].dynamic) region_.push_back(body);
  }
  return faults;
}

/// Adds the rows of the region's bodies to the projection, targets to rowTargets_. Returns the longest way [m] that one of them has to go.
double IslandStepper::enterProjectionRows(double h, double reach) {
  double longest = 0;
  ContactProblem& problem = assembly_.problem;
  for (const ConstraintRows::Row& row : rows_.rows()) {
    const auto takesPart = [&](int body) { return body >= 0 && assembly_.blockOf(body) >= 0; };
    if (!takesPart(row.bodyA) && !takesPart(row.bodyB)) continue;
    const double limit = farthest(row.size, h);
    longest = std::max(longest, std::min(errorOf(row, row.value), limit));
    if (!row.unilateral) {
      assembly_.addRow(row.bodyA, row.bodyB, row.rates);
      rowTargets_.push_back(std::clamp(row.value, -limit, limit));
    } else if (row.value <= std::max(reach, kOpen * row.size)) {
      assembly_.addOneSided(row.bodyA, row.bodyB, row.rates, 0.0);
      problem.w[problem.w.size() - 3] = std::max(row.value, -limit);
    }
  }
  return longest;
}

/// [m] by which the island's poses are off their constraints at most.
double IslandStepper::constraintError() {
  if (rows_.rows().empty() || !rows_.evaluateValues(local_, time_, rowsEnd_)) return 0.0;
  double worst = 0;
  for (std::size_t k = 0; k < rows_.rows().size(); ++k) worst = std::max(worst, errorOf(rows_.rows()[k], rowsEnd_[static_cast<Eigen::Index>(k)]));
  return worst;
}

}  // namespace stiction
