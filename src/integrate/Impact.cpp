// Impacts with restitution: the island is advanced to the closing time, the impact is solved there without forces, and the rest of the step follows.
//
//   M (v⁺ − v⁻) = H r ,   u = Hᵀ v⁺ + w strictly Signorini–Coulomb over the touching contacts,   w_n = e u_n⁻ where u_n⁻ < −threshold      (Newton)
//   w = e u⁻ on normal and tangents there                                                                                                (Moreau)
//
// Newton's law can create energy in eccentric impacts with friction (Kane's paradox), and bodies pinched between others may have no room to bounce (no solution):
// then the impact is solved again by Moreau's, then with e = 0, and so it is where `auto` finds no answer; the report counts such impacts. A named method's failure is one.
// The closing time is a root of the true gap of the advanced island (Newton and secants in a bracket). Contacts that will bounce are left out while open: w_n = gap/h would
// eat their approach speed. Below the threshold 4 h‖g‖, and after the last split, e = 0. Source: Moreau 1988; Glocker 2001.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/Island.hpp"

namespace stiction {
namespace {

constexpr int kSplits = 8;               // impacts of an island in one step
constexpr int kAdvances = 4 * kSplits;   // closings sought in one step
constexpr double kClosed = 1e-12;        // [-] of the pair's size: the closing time is found when the gap is this small,
constexpr double kNearlyClosed = 5e-10;  // [-] or, after kSharpTrials, this small: an island that pushes on other contacts too moves by its solver's tolerance
constexpr int kSharpTrials = 6;
constexpr double kNoise = 1e-9;     // [-] of the fastest body's speed: slower approach is round-off
constexpr int kTrials = 30;         // steps tried for one closing time
constexpr double kBracket = 1e-8;   // [-] of the time to go: a closing bracketed this closely is taken (a feature of the pair appeared in it)
constexpr double kInstant = 1e-12;  // [-] of the step: a remainder this short is dropped

enum ImpactLaw : int { kNewton, kMoreau, kInelastic };

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool samePair(const FeatureKey& a, const FeatureKey& b) { return a.geomA == b.geomA && a.geomB == b.geomB; }

double normalVelocity(const WorldState& state, const Contact& c) {
  return c.normal.dot(state.velocityAt(c.bodyB, c.point) - state.velocityAt(c.bodyA, c.point));
}

}  // namespace

bool IslandStepper::bounces() const {
  return std::any_of(contacts_.begin(), contacts_.end(), [](const Contact& contact) { return contact.restitution > 0; });
}

bool IslandStepper::hasTouchingImpact() const {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [&](const Contact& c) { return c.restitution > 0 && touching(c) && normalVelocity(local_, c) < -threshold_; });
}

void IslandStepper::markClosing() {
  closing_.clear();
  alreadyTouching_.clear();
  for (const Contact& c : contacts_) {
    if (c.restitution <= 0) continue;
    if (touching(c))
      alreadyTouching_.push_back(c.key);
    else if (normalVelocity(local_, c) < -threshold_)
      closing_.push_back({c.key, c.bodyA, c.bodyB, c.normal, c.gap, -normalVelocity(local_, c), local_.pose(c.bodyA).inverse() * c.point,
                          local_.pose(c.bodyB).inverse() * c.point});
  }
}

/// Whether a contact waits for its impact and takes no part in the ordinary step.
bool IslandStepper::leftOut(const FeatureKey& key) const {
  return !closing_.empty() && std::any_of(closing_.begin(), closing_.end(), [&](const Closing& c) { return samePair(c.key, key); }) &&
         std::find(alreadyTouching_.begin(), alreadyTouching_.end(), key) == alreadyTouching_.end();
}

/// Least gap of the closing pairs over contacts that did not touch at the start, by the motion of the first contact points where a shape has gone through,
/// in units of the pairs' sizes; with the rate [1/s] of that contact.
IslandStepper::Approach IslandStepper::closingApproach() const {
  Approach least{std::numeric_limits<double>::infinity(), 0};
  const auto take = [&](double gap, double rate) {
    if (gap < least.gap) least = {gap, rate};
  };
  for (const Closing& c : closing_) {
    bool seen = false;
    const double size = pairSize(c.key);
    for (const Contact& contact : contacts_) {
      if (!samePair(contact.key, c.key) || contact.normal.dot(c.normal) <= 0 || !leftOut(contact.key)) continue;
      seen = true;
      take(contact.gap / size, normalVelocity(local_, contact) / size);
    }
    if (seen) continue;
    const Vector3 onA = local_.pose(c.bodyA) * c.onA, onB = local_.pose(c.bodyB) * c.onB;
    take((c.gap + c.normal.dot(onB - onA)) / size, c.normal.dot(local_.velocityAt(c.bodyB, onB) - local_.velocityAt(c.bodyA, onA)) / size);
  }
  return least;
}

/// Advances the island to the first closing of closing_, or by `remaining`. Returns the time advanced, negative when a substep failed.
/// Newton's method from the approach speeds, then secants, kept inside the bracket.
double IslandStepper::closingTime(double remaining) {
  save(saved_);
  double low = 0, high = remaining, lastTime = 0;
  bool bracketed = false;
  Approach last = closingApproach();
  double time = remaining;
  for (const Closing& c : closing_) time = std::min(time, c.gap / c.speed);
  for (int trial = 0; trial < kTrials && !(bracketed && high - low <= kBracket * remaining); ++trial) {
    if (trial > 0) takeBack(saved_);
    if (!substep(time, 0)) return -1;
    const Approach now = closingApproach();
    if (std::abs(now.gap) <= (trial < kSharpTrials ? kClosed : kNearlyClosed) || (time >= remaining && now.gap >= 0)) return time;
    const double slope = trial == 0 ? now.rate : (now.gap - last.gap) / (time - lastTime);
    (now.gap < 0 ? high : low) = time;
    bracketed = bracketed || now.gap < 0;
    lastTime = time;
    last = now;
    time -= now.gap / slope;
    if (trial % 6 == 5 || !(time > low && time < high)) time = bracketed ? 0.5 * (low + high) : remaining;
  }
  takeBack(saved_);
  return substep(high, 0) ? high : -1;
}

bool IslandStepper::advanceThroughImpacts(double h) {
  double fastest = 0;
  for (const int body : assembly_.bodies())
    fastest = std::max(fastest, local_.velocity[at(body)].norm() + setup_->bodySize[at(body)] * local_.angularVelocity[at(body)].norm());
  for (const int body : kinematic_) fastest = std::max(fastest, local_.velocity[at(body)].norm());
  threshold_ = std::max(4.0 * h * setup_->model->gravity.norm(), kNoise * fastest);
  double remaining = h;
  IslandReport& report = result_->report;
  for (int advances = 0; advances < kAdvances && remaining > kInstant * h; ++advances) {
    closing_.clear();
    detect();
    const bool now = hasTouchingImpact();
    if (!now) markClosing();
    if (!now && closing_.empty()) break;
    if (report.impacts >= kSplits) {
      report.splitsExhausted = true;
      break;
    }
    if (now) {
      if (!impact()) return false;
      continue;
    }
    const double time = closingTime(remaining);
    if (time < 0) return false;
    remaining -= time;
  }
  closing_.clear();
  return remaining <= kInstant * h || substep(remaining, 0);
}

bool IslandStepper::impact() {
  ++result_->report.impacts;
  const bool moreau = setup_->options->restitution == Restitution::Moreau;
  for (const int law : {kNewton, kMoreau, kInelastic}) {
    if (law == kNewton && moreau) continue;
    if (!solveImpact(law)) {
      if (result_->report.faulty >= 0) return false;
      InfeasibilityProof pinched;  // a pinched body has no room to bounce; one method's failure alone says nothing about the law
      if (law != kInelastic && (triesAll_ || admitsNoMotion(assembly_.problem, pinched))) continue;
      findSqueeze(0);
      result_->report.status = StepStatus::NotCertified;
      result_->report.impactRefused = true;
      accept(rung_, solved_);
      if (!setup_->options->keepGoing || !iterate_.v.allFinite()) return false;
    }
    const double loss = impactLoss(assembly_.problem.H, assembly_.surface, iterate_.r, vBefore_, iterate_.v, scratch_);
    double energy = 0, impulses = 0;
    for (const int body : assembly_.bodies())
      energy += kineticEnergy(setup_->inertias[at(body)], local_.rotation[at(body)], local_.velocity[at(body)], local_.angularVelocity[at(body)]);
    for (std::size_t k = 0; k < used_.size(); ++k) impulses += iterate_.r.segment<3>(static_cast<Eigen::Index>(3 * k)).norm();
    if (law != kInelastic && loss < -1e-14 * energy - 2.0 * impulses * solved_.metersPerSecond) continue;
    accept(rung_, solved_);
    result_->report.byMoreau += law == kMoreau && !moreau ? 1 : 0;
    result_->report.inelastic += law == kInelastic ? 1 : 0;
    result_->report.ledger.impact += loss;
    result_->report.ledger.externalWork -= iterate_.r.dot(assembly_.surface);
    accountRows();
    rememberRows(0, false);
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const Vector3 r = iterate_.r.segment<3>(static_cast<Eigen::Index>(3 * k)), u = scratch_.after.segment<3>(static_cast<Eigen::Index>(3 * k));
      if (r[0] > 0) record(contacts_[at(used_[k])], assembly_.frames[k] * r, assembly_.frames[k].rightCols<2>() * u.tail<2>(), 2);
    }
    assembly_.scatterVelocities(iterate_.v, local_);
    break;
  }
  return true;
}

/// The impact of the touching contacts at the present moment. False when it is not certified.
bool IslandStepper::solveImpact(int law) {
  assembly_.buildMass(local_);
  assembly_.gatherVelocities(local_, vBefore_);
  vFree_ = vBefore_;
  used_.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (touching(contacts_[k])) used_.push_back(static_cast<int>(k));
  assembly_.buildContacts(local_, contacts_, used_);
  assembly_.setMomentum(vFree_);
  if (!enterImpactRows()) return false;
  ContactProblem& problem = assembly_.problem;
  multiplyTransposed(problem.H, vBefore_, scratch_.before);
  scratch_.before += assembly_.surface;
  for (std::size_t k = 0; k < used_.size() && law != kInelastic; ++k) {
    const auto row = static_cast<Eigen::Index>(3 * k);
    const double e = contacts_[at(used_[k])].restitution;
    if (e <= 0 || scratch_.before[row] >= -threshold_) continue;
    problem.w.segment(row, law == kNewton ? 1 : 3) += e * scratch_.before.segment(row, law == kNewton ? 1 : 3);
  }
  problem.wScale = problem.w;
  problem.scaleFloor = step_ * setup_->model->gravity.norm();
  iterate_.r.setZero(problem.w.size());
  iterate_.lambda.setZero(problem.rows());
  iterate_.v = vFree_;
  certifier_.prepare(problem);
  SolveOptions options;
  options.tolerance = setup_->options->tolerance;
  options.fallBack = setup_->options->fallBack;
  options.scale = certifier_.scale();
  options.deadline = {setup_->deadline, calledOff_};
  return solveBy(options);
}

}  // namespace stiction
