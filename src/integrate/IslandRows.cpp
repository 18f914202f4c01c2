#include "integrate/IslandRows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

constexpr double kOff = 1e-10;    // [-] of the bodies' size: errors below this stay
constexpr double kReach = 4;      // [-] of what the fastest body goes in the (sub)step: a range whose end is farther off is left out
constexpr double kMiss = 1e-10;   // [-] of the certificate's scale: speed by which the end of the step may miss a constraint,
constexpr double kSlow = 1e-7;    // [-] or of what gravity adds to it in the step, where the way is one that stays
constexpr double kCreep = 1e-8;   // [-] likewise, of what dry friction holds, where trials come no nearer: round-off of links that weigh next to nothing
constexpr double kHeadway = 0.5;  // [-] of the least miss so far: what another trial is worth it for
constexpr double kNear = 1e-5;    // [-] of the certificate's scale: speed of a miss that is left to the projection when trials come no nearer,
constexpr double kFair = 1e-2;    // [-] or, when another trial finds no answer, since contacts that jam leave no room for one, this;
constexpr double kCrude = 1e-3;   // [-] of the bodies' size: or, in the shortest step, this miss
constexpr int kTrials = 12;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isClosed(const ConstraintRows::Row& row) { return row.value <= ConstraintRows::kTouches * row.size; }

/// [m] By how much a step may end off a row, and by how little the next one starts from there.
double mayStay(const ConstraintRows::Row& row, double slowWay) { return std::min(kOff * row.size, slowWay); }

/// [m] Where an equality row starts from, if that is so little that the step itself undoes it: more is left to the projection.
double startOf(const ConstraintRows::Row& row, double slowWay) { return !row.unilateral && std::abs(row.value) <= mayStay(row, slowWay) ? row.value : 0.0; }

double errorOf(const ConstraintRows::Row& row, double value) { return row.unilateral ? std::max(-value, 0.0) : std::abs(value); }

}  // namespace

IslandRows::IslandRows(Island& island, IslandProblem& problem)
    : island_{&island},
      problem_{&problem},
      rows_{*island.setup->model, island.setup->inertias, island.setup->bodySize},
      joints_{*island.setup->model, island.setup->inertias, island.setup->motions, island.setup->tendons},
      ends_{island, problem} {}

/// In the projection of the assembly's bodies: unilateral rows that may close within `reach` [m].
bool IslandRows::takesPart(const ConstraintRows::Row& row, const ContactAssembly& assembly, double reach) const {
  const auto moves = [&](const BodyRate& part) { return part.body >= 0 && assembly.blockOf(part.body) >= 0; };
  return std::ranges::any_of(rows_.ratesOf(row), moves) && (!row.unilateral || isClosed(row) || row.value <= reach);
}

/// Place of the row in report.rowForces.
std::size_t IslandRows::placeOf(const ConstraintRows::Row& row) const { return start_[at(row.held)] + at(row.index); }

void IslandRows::begin(const WorldState& start) {
  const std::vector<HeldConstraint>& all = island_->setup->held;
  rows_.choose(all, island_->held);
  IslandReport& report = island_->report();
  start_.resize(all.size());
  report.rowForces.clear();
  for (const int id : island_->held) {
    start_[at(id)] = report.rowForces.size();
    for (int k = 0; k < all[at(id)].dimension; ++k) {
      const std::size_t row = at(all[at(id)].firstRow + k);
      report.rowForces.push_back(row < start.rowForces.size() ? start.rowForces[row] : 0.0);
    }
  }
  report.rowImpulses.assign(report.rowForces.size(), 0.0);
  joints_.choose(island_->mobilizers, island_->acting);
  firstForce_ = report.rowForces.size();
  joints_.eachCoordinate([&](std::size_t coordinate) {
    for (int i = 0; i < 3; ++i) report.rowForces.push_back(start.jointForce[coordinate][i]);
  });
}

void IslandRows::write(WorldState& next) const {
  for (const int id : island_->held) {
    const HeldConstraint& held = island_->setup->held[at(id)];
    for (int row = 0; row < held.dimension; ++row) next.rowForces[at(held.firstRow + row)] = island_->report().rowForces[start_[at(id)] + at(row)];
  }
  std::size_t slot = firstForce_;
  joints_.eachCoordinate([&](std::size_t coordinate) {
    for (int i = 0; i < 3; ++i) next.jointForce[coordinate][i] = island_->report().rowForces[slot++];
  });
}

bool IslandRows::move() const {
  return std::any_of(rows().begin(), rows().end(), [](const ConstraintRows::Row& row) { return row.moving != 0; });
}

bool IslandRows::refuse() {
  island_->report().faulty = rows_.faulty();
  island_->report().status = StepStatus::NonFinite;
  return false;
}

double* IslandRows::keptForces() { return island_->report().rowForces.data() + firstForce_; }

void IslandRows::push(double h) {
  if (joints_.empty()) return;
  h_ = h;
  joints_.evaluate(island_->state, island_->setup->loads, keptForces(), h);
  joints_.push(problem_->assembly, h, problem_->vFree);
  elastic_ = joints_.elasticEnergy(island_->state);
}

bool IslandRows::evaluate(double h) {
  isOffKnown_ = endsOn_ = false;
  if (rows_.empty()) return true;
  if (!rows_.evaluate(island_->state, island_->time)) return refuse();
  if (h > 0) rows_.leaveOut(kReach * h * problem_->fastestSpeed(), needed_);
  return rows_.evaluateRates(island_->state, island_->time) || refuse();
}

int IslandRows::oneSided() const {
  return static_cast<int>(std::count_if(rows().begin(), rows().end(), [](const ConstraintRows::Row& row) { return row.unilateral; }));
}

int IslandRows::closed() const {
  return static_cast<int>(std::count_if(rows().begin(), rows().end(), [](const ConstraintRows::Row& row) { return row.unilateral && isClosed(row); }));
}

int IslandRows::within(const ContactAssembly& assembly, double reach) const {
  return static_cast<int>(
      std::count_if(rows().begin(), rows().end(), [&](const ConstraintRows::Row& row) { return row.unilateral && takesPart(row, assembly, reach); }));
}

/// b and C are left by the problem before.
void IslandRows::enterNothing() {
  ContactProblem& problem = problem_->assembly.problem;
  for (VectorX* x : {&problem.b, &problem.C}) x->resize(0);
}

void IslandRows::enter(double h) {
  if (rows_.empty()) return enterNothing();
  const bool sameContacts = ends_.enter(h);
  const Eigen::Index count = static_cast<Eigen::Index>(rows().size()) + ends_.size();
  if (missedBy_.size() != count || !sameContacts) {
    missedBy_.setZero(count);
    mixing_.reset();
    leastMiss_ = std::numeric_limits<double>::infinity();
  }
  moving_.clear();
  ContactAssembly& assembly = problem_->assembly;
  for (const ConstraintRows::Row& row : rows()) {
    if (row.unilateral) {
      assembly.addOneSided(rows_.ratesOf(row), row.moving);
      continue;
    }
    assembly.addRow(rows_.ratesOf(row));
    moving_.push_back(row.moving);
  }
  joints_.moving(moving_);
  joints_.enter(assembly, problem_->fastestSpeed());
  aim(h);
}

void IslandRows::aim(double h) {
  ContactProblem& problem = problem_->assembly.problem;
  targets_.clear();
  const double slow = slowWay(h);
  const bool leaves = straight_ || problem_->vBefore.isZero(0.0);  // rows where they start: bodies at rest go no farther off, and need no push
  auto n = static_cast<Eigen::Index>(3 * firstOneSided());
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const ConstraintRows::Row& row = rows()[k];
    const double start = leaves ? 0.0 : startOf(row, slow);
    const double target = row.moving + bendOf(row, h) + missedBy_[static_cast<Eigen::Index>(k)] + start / h;
    if (!row.unilateral) {
      targets_.push_back(target);
      continue;
    }
    problem.wScale[n] = target;
    problem.w[n] = target + (isClosed(row) ? 0.0 : row.value / h);
    n += 3;
  }
  ends_.aim(missedBy_.tail(ends_.size()));
  joints_.aim(h, keptForces());
  joints_.targets(targets_);
  problem.b = Eigen::Map<const VectorX>{targets_.data(), static_cast<Eigen::Index>(targets_.size())};
}

void IslandRows::enterImpact() {
  if (rows_.empty()) return enterNothing();
  h_ = 0;
  joints_.evaluate(island_->state, island_->setup->loads, keptForces(), h_);
  moving_.clear();
  ContactAssembly& assembly = problem_->assembly;
  for (const ConstraintRows::Row& row : rows()) {
    if (row.unilateral) {
      if (isClosed(row)) assembly.addOneSided(rows_.ratesOf(row), row.moving);
      continue;
    }
    assembly.addRow(rows_.ratesOf(row));
    moving_.push_back(row.moving);
  }
  joints_.moving(moving_);
  joints_.enter(assembly, 0.0);
  multiplyTransposed(assembly.problem.G, problem_->vBefore, assembly.problem.b);
  assembly.problem.b = -assembly.problem.b;
}

IslandRows::Ways IslandRows::enterProjection(ContactAssembly& assembly, double h, double reach, std::vector<double>& targets) const {
  Ways ways;
  for (const ConstraintRows::Row& row : rows()) {
    if (!takesPart(row, assembly, reach)) continue;
    const double limit = farthestCorrection(row.size, h);
    ways.longest = std::max(ways.longest, std::min(errorOf(row, row.value), limit));
    if (!row.unilateral) {
      ways.haveLoops = ways.haveLoops || island_->setup->held[at(row.held)].mobilizer < 0;
      assembly.addRow(rows_.ratesOf(row));
      targets.push_back(std::clamp(row.value, -limit, limit));
    } else {
      assembly.addOneSided(rows_.ratesOf(row), 0.0);
      assembly.problem.w[3 * (assembly.problem.contacts() - 1)] = std::max(row.value, -limit);
    }
  }
  return ways;
}

bool IslandRows::warmStart(double h) {
  Iterate& iterate = problem_->iterate;
  iterate.lambda.resize(problem_->assembly.problem.rows());
  Eigen::Index equality = 0;
  std::size_t contact = firstOneSided();
  bool warm = false;
  for (const ConstraintRows::Row& row : rows()) {
    const double impulse = h * island_->report().rowForces[placeOf(row)];
    warm = warm || impulse != 0;
    if (row.unilateral)
      problem_->impulseOf(contact++) << std::max(impulse, 0.0), 0, 0;
    else
      iterate.lambda[equality++] = impulse;
  }
  auto forces = iterate.lambda.tail(joints_.rows());
  joints_.recall(h, keptForces(), forces);
  return warm || !forces.isZero(0.0);
}

void IslandRows::beginTrials() {
  ends_.beginTrials();
  needed_.clear();
  lastTrial_ = straight_ = flat_ = false;
  lastSlip_ = std::numeric_limits<double>::infinity();
  joints_.beginTrials();
}

IslandRows::Ending IslandRows::end(const Trial& trial) {
  if (rows_.empty()) return Ending::Accepted;
  const Ending ending = endOf(trial);
  return ending == Ending::Accepted && !trial.mayStand && trial.round == 0 ? Ending::Missed : ending;
}

IslandRows::Ending IslandRows::endOf(const Trial& trial) {
  if (forcesSwitch(trial.h) || rows_.findViolated(island_->state, trial.h, needed_)) return trial.round < 2 * kTrials ? Ending::Repeated : Ending::Lost;
  if (trial.round < kTrials && slips(trial.scale)) return Ending::Missed;
  if (!findOff()) {
    refuse();
    return Ending::Accepted;
  }
  endsOn_ = !isOff();
  const Miss miss = findMisses(trial);
  const bool contactsMiss = ends_.find(*trial.rates, misses_.tail(ends_.size())), mayGoOn = trial.round < kTrials && !lastTrial_;
  if (miss.stays || miss.worst <= kMiss * trial.scale) return contactsMiss && mayGoOn ? again() : Ending::Accepted;
  if (lastTrial_) return miss.fair ? Ending::Accepted : Ending::Lost;
  const bool headway = miss.worst <= kHeadway * leastMiss_, least = miss.worst < leastMiss_;
  if (least) {
    leastMiss_ = miss.worst;
    leastMissedBy_ = missedBy_;
    leastIsNear_ = miss.near;
    leastIsFair_ = miss.fair;
  }
  if (mayGoOn && (headway || contactsMiss)) return again();
  if (!leastIsNear_) return Ending::Lost;
  if (least) return Ending::Accepted;
  return retreat() ? Ending::Repeated : Ending::Lost;
}

/// By how much the rows end off what they aimed at: misses_, over h.
IslandRows::Miss IslandRows::findMisses(const Trial& trial) {
  misses_.resize(missedBy_.size());
  const double slow = slowWay(trial.h);
  Miss found;
  std::size_t contact = firstOneSided();
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const ConstraintRows::Row& row = rows()[k];
    double miss = off_[static_cast<Eigen::Index>(k)];
    if (!row.unilateral) {
      miss -= row.value - startOf(row, slow);
    } else {
      miss -= std::min(row.value, 0.0);
      if (problem_->impulseOf(contact++)[0] == 0) miss = std::min(miss, 0.0);
    }
    misses_[static_cast<Eigen::Index>(k)] = miss / trial.h;
    found.worst = std::max(found.worst, std::abs(miss) / trial.h);
    found.stays = found.stays && std::abs(miss) <= mayStay(row, slow);
    const bool crude = (trial.last || flat_) && std::abs(miss) <= kCrude * row.size;
    found.near = found.near && (crude || std::abs(miss) <= trial.h * kNear * trial.scale);
    found.fair = found.fair && (crude || std::abs(miss) <= trial.h * kFair * trial.scale);
  }
  return found;
}

/// Another trial aims at what this one has missed, too.
IslandRows::Ending IslandRows::again() {
  missedBy_ += misses_;
  mixing_.mix(misses_, {&missedBy_});
  return Ending::Missed;
}

/// Whether what dry friction holds moves, and another trial may change that.
bool IslandRows::slips(double scale) {
  const double slip = joints_.slip(problem_->assembly, problem_->iterate.v);
  const bool headway = slip <= kHeadway * std::exchange(lastSlip_, slip);
  return slip > (headway ? kMiss : kCreep) * scale;
}

bool IslandRows::forcesSwitch(double h) {
  const Iterate& iterate = problem_->iterate;
  return !joints_.empty() && joints_.switches(problem_->assembly, island_->setup->loads, h, iterate.v, iterate.lambda.tail(joints_.rows()));
}

bool IslandRows::retreat() {
  const bool some = std::isfinite(leastMiss_);
  if (rows().empty() || flat_ || (straight_ && !some)) return false;
  if (some) flat_ = std::exchange(lastTrial_, true) || !leastIsFair_;
  straight_ = straight_ || flat_ || !some;
  if (some && !flat_)
    missedBy_ = leastMissedBy_;
  else
    missedBy_.setZero();
  return true;
}

/// [m] The way in h by kSlow of gravity.
double IslandRows::slowWay(double h) const { return kSlow * h * h * island_->setup->model->gravity.norm(); }

/// [m/s] (h/2) γ
double IslandRows::bendOf(const ConstraintRows::Row& row, double h) const { return straight_ ? 0.0 : 0.5 * h * row.bend; }

void IslandRows::account(AccountScratch& scratch) {
  if (rows_.empty()) return;
  const Eigen::Map<const VectorX> moving{moving_.data(), static_cast<Eigen::Index>(moving_.size())};
  const Iterate& iterate = problem_->iterate;
  EnergyLedger& ledger = island_->report().ledger;
  accountEqualityRows(problem_->assembly.problem.G, moving, iterate.lambda, problem_->vBefore, iterate.v, scratch, ledger);
  if (joints_.empty()) return;
  const JointForces::Work work = joints_.work(problem_->assembly, problem_->vBefore, iterate.v, h_);
  ledger.actuatorWork += work.actuators;
  ledger.damping += work.damping;
  ledger.friction += work.friction;
  ledger.externalWork += work.external;
  ledger.scheme += work.actuators - work.damping - work.friction - work.rotors - work.pushed;
  joints_.turnRotors(problem_->assembly, problem_->vBefore, iterate.v, h_, island_->state);
}

double IslandRows::takeElasticChange() {
  if (joints_.empty()) return 0;
  const double now = joints_.elasticEnergy(island_->state);
  return now - std::exchange(elastic_, now);
}

void IslandRows::accountMotion() {
  const double change = takeElasticChange();
  island_->report().ledger.elasticChange += change;
  island_->report().ledger.scheme -= change;
}

void IslandRows::accountMending() {
  const double change = takeElasticChange();
  island_->report().ledger.elasticChange += change;
  island_->report().ledger.stabilisation += change;
}

void IslandRows::accountBends(double h) {
  if (rows_.empty()) return;
  EnergyLedger& ledger = island_->report().ledger;
  ends_.account(ledger);
  std::size_t contact = firstOneSided();
  for (std::size_t k = 0; k < rows().size(); ++k) {
    if (!rows()[k].unilateral) continue;
    const double work = 0.5 * problem_->impulseOf(contact++)[0] * (bendOf(rows()[k], h) + missedBy_[static_cast<Eigen::Index>(k)]);
    ledger.impact -= work;
    ledger.scheme += work;
  }
}

void IslandRows::remember(double h, bool same) {
  IslandReport& report = island_->report();
  if (h > 0 && !same) std::fill(report.rowForces.begin(), report.rowForces.end(), 0.0);
  Eigen::Index equality = 0;
  std::size_t contact = firstOneSided();
  for (const ConstraintRows::Row& row : rows()) {
    if (h == 0 && row.unilateral && !isClosed(row)) continue;
    const double impulse = row.unilateral ? problem_->impulseOf(contact++)[0] : problem_->iterate.lambda[equality++];
    if (h > 0 && !same) report.rowForces[placeOf(row)] = impulse / h;
    report.rowImpulses[placeOf(row)] += impulse / row.length;
  }
  if (h > 0 && !same) joints_.keep(h, problem_->iterate.lambda.tail(joints_.rows()), keptForces());
}

/// C/n of the rows where the island is.
bool IslandRows::findOff() { return isOffKnown_ = rows_.evaluateValues(island_->state, island_->time, off_); }

/// Whether one of them is off there.
bool IslandRows::isOff() const {
  for (std::size_t k = 0; k < rows().size(); ++k)
    if (errorOf(rows()[k], off_[static_cast<Eigen::Index>(k)]) > kOff * rows()[k].size) return true;
  return false;
}

Faults IslandRows::choose(double h, std::vector<int>& region, bool mended) {
  Faults faults;
  if (rows_.empty() || (std::exchange(endsOn_, false) && region.empty())) return faults;
  if (mended && findOff() && !isOff()) return faults;
  isOffKnown_ = false;
  if (!rows_.evaluate(island_->state, island_->time)) {
    refuse();
    return faults;
  }
  for (const ConstraintRows::Row& row : rows()) {
    const double error = errorOf(row, row.value);
    if (error <= kOff * row.size) continue;
    faults.hasRows = faults.hasRows || !row.unilateral;
    faults.way = std::max(faults.way, std::min(error, farthestCorrection(row.size, h)));
    faults.overlap = std::max(faults.overlap, error / row.size);
    for (const BodyRate& part : rows_.ratesOf(row))
      if (moves(part.body)) region.push_back(part.body);
  }
  return faults;
}

bool IslandRows::moves(int body) const { return body >= 0 && island_->inertia(body).dynamic; }

void IslandRows::addHeld(std::vector<int>& bodies) {
  joined_.assign(island_->setup->inertias.size(), 0);
  for (const int body : bodies) joined_[at(body)] = 1;
  const std::size_t before = bodies.size();
  const auto isJoined = [&](const BodyRate& part) { return moves(part.body) && joined_[at(part.body)] != 0; };
  const auto join = [&](const ConstraintRows::Row& row) {
    if (row.unilateral || std::ranges::none_of(rows_.ratesOf(row), isJoined)) return;
    for (const BodyRate& part : rows_.ratesOf(row))
      if (moves(part.body) && std::exchange(joined_[at(part.body)], 1) == 0) bodies.push_back(part.body);
  };
  for (std::size_t last = 0; last != bodies.size();) {  // there and back: trees are numbered from their roots
    last = bodies.size();
    std::for_each(rows().begin(), rows().end(), join);
    std::for_each(rows().rbegin(), rows().rend(), join);
  }
  if (bodies.size() > before) std::sort(bodies.begin(), bodies.end());
}

double IslandRows::error() {
  if (rows().empty() || (!isOffKnown_ && !findOff())) return 0.0;
  isOffKnown_ = false;
  double worst = 0;
  for (std::size_t k = 0; k < rows().size(); ++k) worst = std::max(worst, errorOf(rows()[k], off_[static_cast<Eigen::Index>(k)]));
  return worst;
}

}  // namespace stiction
