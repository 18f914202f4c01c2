// The ordinary (sub)step of one island.
#include "integrate/Island.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/Clock.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr double kTouch = 1e-9;   // [-] of the smaller geom's radius: gaps up to this count as touching
constexpr double kShut = 1e-6;    // [-] of the same: gaps up to this may not close further within a step; what then carries load is closed by the projection,
constexpr double kFall = 1e-2;    // [-] of free fall in the step: but not gaps beyond this
constexpr double kMissed = 1e-3;  // [-] of the pair's size: overlap at a new feature that makes the (sub)step be solved again with it
constexpr int kRounds = 3;        // such repetitions of a (sub)step
constexpr double kFar =
    1e3;  // [-] of the fastest speed: a contact so far that only a greater one could close it enters as if that near, not to drown the others' digits
constexpr double kSlipCone = 1e-8;   // [-] friction this near to its limit may slip
constexpr double kTurn = 0.03;       // [rad] in the (sub)step: contacts of bodies that turn farther against each other have no anchor
constexpr double kSlipSpeed = 1e-9;  // [-] of the certificate's scale: below this a contact does not slip

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Adds the CPU time since the last call to one of the phases.
class Stopwatch {
 public:
  Stopwatch() = default;
  ~Stopwatch() {
    if (only_) *only_ += threadCpuSeconds() - last_;
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void lap(double& phase) {
    if (only_) return;
    const double now = threadCpuSeconds();
    phase += now - last_;
    last_ = now;
  }
  /// All that is left goes to this phase: a body in free flight is moved in the time that a look at the clock takes.
  void only(double& phase) { only_ = &phase; }

 private:
  double last_{threadCpuSeconds()};
  double* only_{nullptr};
};

}  // namespace

void countRung(std::vector<std::pair<const char*, int>>& rungs, const char* rung, int islands) {
  for (auto& entry : rungs)
    if (std::strcmp(entry.first, rung) == 0) {
      entry.second += islands;
      return;
    }
  rungs.emplace_back(rung, islands);
}

void IslandReport::clear() {
  status = StepStatus::Certified;
  certificate = {};
  worstContact = squeezed = {-1, -1, 0};
  squeeze = 0;
  ledger = {};
  memory.clear();
  contacts.clear();
  rungs.clear();
  rowForces.clear();
  rowImpulses.clear();
  faulty = -1;
  offConstraints = impactRefused = outOfTime = false;
  penetration = constraintError = 0;
  substeps = impacts = byMoreau = inelastic = iterations = factorisations = 0;
  splitsExhausted = false;
}

IslandStepper::IslandStepper(const StepSetup& setup)
    : setup_{&setup},
      assembly_{*setup.model, setup.inertias, setup.options->frameSeed},
      certifier_{setup.options->law},
      portfolio_{setup.options->solver, setup.options->law},
      triesAll_{portfolio_.triesAll(setup.options->fallBack)},
      projector_{"auto"},
      projectionCertifier_{Law::Coulomb},
      local_{makeState(*setup.model)},
      rows_{*setup.model, setup.inertias, setup.bodySize} {}

void IslandStepper::advance(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h, ThreadPool* team,
                            WorldState& next, IslandResult& result) {
  share(team);
  calledOff_ = nullptr;
  result_ = &result;
  result.report.clear();
  result.times = {};
  const bool wasLost = std::exchange(result.lost, false);
  std::unique_ptr<Halves> halves = std::move(result.halves);
  begin(islands, island, start, memory, h);
  if (bounces())
    advanceThroughImpacts(h);
  else if (wasLost && !setup_->looksFirst)
    halve(h, 0, std::move(halves));
  else
    substep(h, 0);
  for (const int body : assembly_.bodies()) {
    next.position[at(body)] = local_.position[at(body)];
    next.rotation[at(body)] = local_.rotation[at(body)];
    next.velocity[at(body)] = local_.velocity[at(body)];
    next.angularVelocity[at(body)] = local_.angularVelocity[at(body)];
  }
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const HeldConstraint& held = setup_->held[at(held_[k])];
    for (int row = 0; row < held.dimension; ++row) next.rowForces[at(held.firstRow + row)] = result.report.rowForces[rowStart_[k] + at(row)];
  }
}

void IslandStepper::share(ThreadPool* team) {
  team_ = team;
  portfolio_.setTeam(team);
  projector_.setTeam(team);
  assembly_.setTeam(team);
  certifier_.setTeam(team);
  projectionCertifier_.setTeam(team);
}

void IslandStepper::begin(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h) {
  step_ = h;
  time_ = start.time;
  const std::span<const CandidatePair> pairs = islands.pairsOf(island);
  const std::span<const Contact> contacts = islands.contactsOf(island);
  pairs_.assign(pairs.begin(), pairs.end());
  contacts_.assign(contacts.begin(), contacts.end());
  fresh_ = true;
  closing_.clear();
  const std::span<const int> bodies = islands.bodiesOf(island);
  bodies_.assign(bodies.begin(), bodies.end());
  assembly_.setBodies(bodies_);
  const auto copy = [&](int body) {
    local_.position[at(body)] = start.position[at(body)];
    local_.rotation[at(body)] = start.rotation[at(body)];
    local_.velocity[at(body)] = start.velocity[at(body)];
    local_.angularVelocity[at(body)] = start.angularVelocity[at(body)];
  };
  for (const int body : assembly_.bodies()) copy(body);
  kinematic_.clear();
  const auto know = [&](int body) {
    if (body < 0 || setup_->model->bodies[at(body)].kind != BodyKind::Kinematic || std::find(kinematic_.begin(), kinematic_.end(), body) != kinematic_.end())
      return;
    kinematic_.push_back(body);
    copy(body);
  };
  for (const Contact& contact : contacts_)
    for (const int body : {contact.bodyA, contact.bodyB}) know(body);
  const std::span<const int> held = islands.heldOf(island);
  held_.assign(held.begin(), held.end());
  for (const int id : held_)
    for (const int body : {setup_->held[at(id)].bodyA, setup_->held[at(id)].bodyB}) know(body);
  beginRows(start);
  selectMemory(memory, pairs_, result_->report.memory);
  motion_.resize(setup_->model->bodies.size());
}

bool IslandStepper::substep(double h, int depth, int round) {
  Stopwatch watch;
  PhaseTimes& times = result_->times;
  IslandReport& report = result_->report;
  detect();
  if (contacts_.empty() && rows_.empty())
    watch.only(times.integrate);
  else
    save(before_);
  if (round == 0) {
    beginTrials();
    missedRounds_ = 0;
  }
  watch.lap(times.collide);
  predict(h);
  bool rests = false;
  if (!assemble(h)) return false;
  watch.lap(times.assemble);
  if (!bound_) {
    iterate_.v = vFree_;
    iterate_.r.resize(0);
    iterate_.lambda.resize(0);
  } else {
    certifier_.prepare(assembly_.problem);
    rests = restsAsBefore(h);
    watch.lap(times.certify);
    const bool last = depth >= setup_->options->maxHalvings;
    std::unique_ptr<Halves> ahead;
    const auto lookAhead = [&] { ahead = halvesAhead(h, depth, round); };
    const std::function<void()> beforeSearch = std::ref(lookAhead);  // a copy of it would take from the heap
    const bool certified = rests || solve(h, last && round == 0, last ? nullptr : &beforeSearch);
    const bool lost = !certified && !report.outOfTime;
    watch.lap(times.solve);
    if (lost && retreat()) return substep(h, depth, round + 1);
    if (lost && !findSqueeze(setup_->options->maxHalvings - depth) && !last) {
      if (depth > 0 || !setup_->looksFirst || bounces()) return halve(h, depth, std::move(ahead));
      leave(h);
      result_->halves = std::move(ahead);
      watch.lap(times.integrate);
      return true;
    }
    rests = rests || (certified && comesToRest());
    accept(rung_, solved_);
    if (!certified && !acceptUncertified()) return false;
    watch.lap(times.certify);
  }
  ++report.substeps;
  account(h);
  watch.lap(times.account);
  assembly_.scatterVelocities(iterate_.v, local_);
  remember(h, rests);
  if (rests)
    clearMotion();
  else
    integrate(h);
  time_ += h;
  watch.lap(times.integrate);
  detect();
  const bool missed = !rests && !startContacts_.empty() && missedRounds_ < kRounds && findMissed();
  const Ending ending = rests ? Ending::Accepted : rowsEnd(h, round, depth >= setup_->options->maxHalvings);
  if (missed || ending == Ending::Repeated) {
    takeBack(before_);
    if (missed) {
      mergeMissed();
      ++missedRounds_;
    }
    watch.lap(times.collide);
    return substep(h, depth, round + 1);
  }
  if (ending == Ending::Lost) {
    if (depth < setup_->options->maxHalvings) {
      restore(before_);
      return halve(h, depth, nullptr);
    }
    report.offConstraints = true;
    if (!acceptUncertified()) return false;
  }
  watch.lap(times.collide);
  if (!rests) followAnchors(h);
  if (!rests || strays(h)) project(h);
  report.penetration = deepest();
  report.constraintError = constraintError();
  watch.lap(times.project);
  if (report.faulty < 0 && isFinite()) return true;
  report.status = StepStatus::NonFinite;
  return false;
}

bool IslandStepper::halve(double h, int depth, std::unique_ptr<Halves> ahead) {
  if (ahead != nullptr)
    if (const std::optional<bool> ended = ahead->finish(*this)) return *ended;
  ahead.reset();
  return substep(0.5 * h, depth + 1) && substep(0.5 * h, depth + 1);
}

/// The halves of the (sub)step that is about to be solved, on another thread; null where none is left, or where they would not start from here: a first look starts anew from the contacts of
/// its first round.
std::unique_ptr<Halves> IslandStepper::halvesAhead(double h, int depth, int round) const {
  const bool startHere = round == 0 || depth > 0 || !setup_->looksFirst;
  if (setup_->pool->threads() == 1 || !startHere || !rows_.empty() || bounces()) return nullptr;
  try {
    return std::make_unique<Halves>(*setup_, *this, h, depth);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void IslandStepper::copy(const IslandStepper& other, IslandResult& result, const std::atomic<bool>* calledOff) {
  share(nullptr);
  calledOff_ = calledOff;
  result_ = &result;
  step_ = other.step_;
  pairs_ = other.pairs_;
  bodies_ = other.bodies_;
  assembly_.setBodies(bodies_);
  kinematic_ = other.kinematic_;
  held_.clear();
  beginRows(local_);
  closing_.clear();
  motion_.resize(setup_->model->bodies.size());
  other.save(before_);
  restore(before_);
  result.report.iterations = result.report.factorisations = 0;
}

void IslandStepper::adopt(const IslandStepper& other, IslandResult& result) {
  const int iterations = result_->report.iterations, factorisations = result_->report.factorisations;  // of the search that failed, and before
  other.save(before_);
  restore(before_);
  result_->report.iterations += iterations;
  result_->report.factorisations += factorisations;
  result_->times += result.times;
  if (result.hardest && (!result_->hardest || result.hardest->relative > result_->hardest->relative)) result_->hardest = std::move(result.hardest);
}

/// Ends the step at the best answer there is, which shows where the bodies are thrown, and from which the next trial starts.
void IslandStepper::leave(double h) {
  result_->lost = true;
  account(h);
  assembly_.scatterVelocities(iterate_.v, local_);
  remember(h, false);
  integrate(h);
}

void IslandStepper::detect() {
  if (fresh_ || pairs_.empty()) return;
  setup_->detector->narrowPhase(local_, pairs_, contacts_, team_);
  fresh_ = true;
}

void IslandStepper::predict(double h) {
  assembly_.buildMass(local_);
  assembly_.gatherVelocities(local_, vBefore_);
  vFree_.resize(vBefore_.size());
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const int body = assembly_.bodies()[k];
    const BodyInertia& inertia = setup_->inertias[at(body)];
    const Twist twist = freeVelocity(*setup_->model, inertia, setup_->loads, local_, body, h);
    const int row = assembly_.rowOf(static_cast<int>(k));
    vFree_.segment<3>(row) = twist.linear;
    if (!inertia.locked) vFree_.segment<3>(row + 3) = twist.angular;
  }
  used_.clear();
}

double IslandStepper::pairSize(const FeatureKey& key) const { return std::min(setup_->geomSize[at(key.geomA)], setup_->geomSize[at(key.geomB)]); }

bool IslandStepper::touching(const Contact& contact) const { return contact.gap <= kTouch * pairSize(contact.key); }

/// Distance [m] that a body falls from rest in h.
double IslandStepper::freeFall(double h) const { return 0.5 * h * h * setup_->model->gravity.norm(); }

double IslandStepper::deepest() const {
  double depth = 0;
  for (const Contact& contact : contacts_) depth = std::max(depth, -contact.gap);
  return depth;
}

/// False when a constraint is at fault.
bool IslandStepper::assemble(double h) {
  bound_ = false;
  if (contacts_.empty() && rows_.empty()) return true;
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (!leftOut(contacts_[k].key)) used_.push_back(static_cast<int>(k));
  assembly_.buildContacts(local_, contacts_, used_);
  assembly_.setMomentum(vFree_);
  ContactProblem& problem = assembly_.problem;
  const double fastest = kFar * fastestSpeed(), fall = kFall * freeFall(h);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const Contact& contact = contacts_[at(used_[k])];
    if (contact.gap > std::max(kTouch * pairSize(contact.key), std::min(kShut * pairSize(contact.key), fall)))
      problem.w[static_cast<Eigen::Index>(3 * k)] += fastest > 0 ? std::min(contact.gap / h, fastest) : contact.gap / h;
  }
  problem.scaleFloor = h * setup_->model->gravity.norm();
  if (!enterRows(h)) return false;
  bound_ = problem.contacts() > 0 || problem.rows() > 0;
  return true;
}

/// Largest speed [m/s] of a point of the island's bodies and moving surfaces, before the (sub)step and without contacts.
double IslandStepper::fastestSpeed() const {
  double speed = std::max(fastest(vBefore_), fastest(vFree_));
  for (const int body : kinematic_)
    speed = std::max(speed, local_.velocity[at(body)].norm() +
                                local_.angularVelocity[at(body)].norm() * (std::isfinite(setup_->bodySize[at(body)]) ? setup_->bodySize[at(body)] : 0.0));
  return speed;
}

bool IslandStepper::warmStart(double h) {
  const auto count = static_cast<Eigen::Index>(used_.size());
  iterate_.r.resize(3 * assembly_.problem.contacts());
  bool warm = warmStartRows(h);
  for (Eigen::Index k = 0; k < count; ++k) {
    const ContactMemory* memory = memoryOf(contacts_[at(used_[static_cast<std::size_t>(k)])].key);
    iterate_.r.segment<3>(3 * k) = memory ? warmImpulse(*memory, assembly_.frames[static_cast<std::size_t>(k)], h) : Vector3{Vector3::Zero()};
    warm = warm || memory;
  }
  return warm;
}

void IslandStepper::count(const PortfolioReport& report) {
  result_->report.iterations += report.iterations;
  result_->report.factorisations += report.factorisations;
}

void IslandStepper::spend(const PortfolioReport& report, const Certificate& certificate) {
  count(report);
  const double known = result_->hardest ? result_->hardest->relative : -1;
  if (!setup_->options->keepHardest || certificate.relative <= std::max(setup_->hardest, known)) return;
  if (!result_->hardest) result_->hardest = std::make_unique<HardProblem>();
  *result_->hardest = {assembly_.problem, iterate_, certificate.relative};
}

void IslandStepper::accept(const char* rung, const Certificate& certificate) {
  IslandReport& island = result_->report;
  countRung(island.rungs, rung, 1);
  if (certificate.relative <= island.certificate.relative && island.worstContact.geomA >= 0) return;
  island.certificate = certificate;
  if (certificate.worstContact >= 0 && at(certificate.worstContact) < used_.size())
    island.worstContact = contacts_[at(used_[at(certificate.worstContact)])].key;
}

bool IslandStepper::solve(double h, bool last, const std::function<void()>* beforeSearch) {
  SolveOptions options;
  options.beforeSearch = beforeSearch;
  options.thorough = last;  // before that, a smaller step is the better resort
  options.tolerance = setup_->options->tolerance;
  options.fallBack = setup_->options->fallBack;
  options.warm = warmStart(h);
  options.scale = certifier_.scale();
  assembly_.velocityFromImpulses(vFree_, iterate_.r, iterate_.lambda, iterate_.v);
  options.deadline = {setup_->deadline, calledOff_};
  return solveBy(options);
}

/// Solves and certifies the assembled problem from iterate_. An answer beyond the deadline does not count: it may be one that polishing would have changed.
bool IslandStepper::solveBy(const SolveOptions& options) {
  const PortfolioReport report = portfolio_.solve(assembly_.problem, iterate_, options, certifier_);
  assembly_.velocityFromImpulses(vFree_, iterate_.r, iterate_.lambda, iterate_.v);
  solved_ = certifier_.judge(assembly_.problem, iterate_);
  rung_ = report.rung;
  spend(report, solved_);
  result_->report.outOfTime = isPast(options.deadline);
  return solved_.passes(options.tolerance) && !result_->report.outOfTime;
}

/// Whether it is proved that no motion satisfies the contacts of `problem`.
bool IslandStepper::admitsNoMotion(const ContactProblem& problem, InfeasibilityProof& proof) {
  constexpr double violent = 1e4;  // [-] times the fastest speed: beyond, nothing is called a motion
  proof = portfolio_.findInfeasibility(problem);
  double mass = 0;
  for (const int body : assembly_.bodies()) mass += setup_->inertias[at(body)].mass;
  return proof.kineticEnergy >= 0.5 * mass * std::pow(violent * fastestSpeed(), 2);
}

/// Looks for a proof that the moving surfaces leave the bodies no way out, not in a step halved `halvings` times either; the report then says where. Returns whether there is one.
bool IslandStepper::findSqueeze(int halvings) {
  if (!surfacesMove()) return false;
  ContactProblem smallest = assembly_.problem;
  smallest.w = assembly_.surface + std::ldexp(1.0, halvings) * (smallest.w - assembly_.surface);
  InfeasibilityProof proof;
  if (!admitsNoMotion(smallest, proof)) return false;
  result_->report.squeeze = proof.closing;
  result_->report.squeezed = contacts_[at(used_[at(proof.worstContact)])].key;
  return true;
}

bool IslandStepper::acceptUncertified() {
  result_->report.status = StepStatus::NotCertified;
  return setup_->options->keepGoing && iterate_.v.allFinite() && iterate_.r.allFinite();
}

/// What v says of the body in block k; a locked body does not turn.
Twist IslandStepper::twistOf(int block, const VectorX& v) const {
  const int row = assembly_.rowOf(block);
  const bool locked = setup_->inertias[at(assembly_.bodies()[at(block)])].locked;
  return {v.segment<3>(row), locked ? Vector3{Vector3::Zero()} : Vector3{v.segment<3>(row + 3)}};
}

void IslandStepper::account(double h) {
  EnergyLedger& ledger = result_->report.ledger;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const int body = assembly_.bodies()[k];
    const BodyInertia& inertia = setup_->inertias[at(body)];
    const int block = static_cast<int>(k);
    accountForces(*setup_->model, inertia, setup_->loads, body, twistOf(block, vBefore_), twistOf(block, iterate_.v), h, ledger);
  }
  if (!bound_) return;
  accountContacts(assembly_.problem.H, assembly_.surface, iterate_.r, vBefore_, iterate_.v, scratch_, ledger);
  accountBends(h);
  accountRows();
}

/// Whether the bodies turn so far against each other in h that the contact rolls or pivots.
bool IslandStepper::turnsFar(const Contact& contact, double h) const {
  return h * (local_.angularVelocity[at(contact.bodyB)] - local_.angularVelocity[at(contact.bodyA)]).norm() > kTurn;
}

void IslandStepper::remember(double h, bool rests) {
  IslandReport& report = result_->report;
  memory_.clear();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const Contact& contact = contacts_[at(used_[k])];
    const auto i = static_cast<Eigen::Index>(k);
    const Vector3 r = iterate_.r.segment<3>(3 * i), u = scratch_.after.segment<3>(3 * i);
    const Matrix3& F = assembly_.frames[k];
    const ContactMemory* old = memoryOf(contact.key);
    const double friction = r.tail<2>().norm(), slip = u.tail<2>().norm();
    const bool slips = friction >= (1.0 - kSlipCone) * contact.friction * r[0] && slip > kSlipSpeed * solved_.scale;
    const bool loaded = certifier_.omega()[i] * r[0] > solved_.metersPerSecond;  // interior points leave an impulse of that size where contacts are open
    const bool sticks = contact.friction > 0 && !slips;
    ContactMemory entry{contact.key, contact.normal, F * r, h, Vector3::Zero(), loaded && sticks && !turnsFar(contact, h), old && old->mended};
    if (rests && old && old->step == h && restedBefore_) entry.impulse = old->impulse;
    if (entry.anchored && old && old->anchored)
      entry.anchor = sameBits(old->normal, contact.normal) ? old->anchor : old->anchor - contact.normal * contact.normal.dot(old->anchor);
    record(contact, entry.impulse, F.rightCols<2>() * u.tail<2>(), loaded ? (sticks ? 1 : 2) : 0);
    if (r[0] > 0 || entry.anchored || entry.mended) memory_.push_back(entry);
  }
  report.memory.swap(memory_);
  rememberRows(h, rests);
}

void IslandStepper::record(const Contact& contact, const Vector3& impulse, const Vector3& slip, int state) {
  std::vector<SolvedContact>& all = result_->report.contacts;
  auto found = all.end();
  if (!all.empty() && !(all.back().contact.key < contact.key))
    found = std::lower_bound(all.begin(), all.end(), contact.key, [](const SolvedContact& s, const FeatureKey& key) { return s.contact.key < key; });
  if (found == all.end() || found->contact.key != contact.key) {
    all.insert(found, {contact, impulse, slip, state});
    return;
  }
  found->contact = contact;
  found->impulse += impulse;
  found->slip = slip;
  found->state = state;
}

void IslandStepper::integrate(double h) {
  EnergyLedger& ledger = result_->report.ledger;
  startContacts_.swap(contacts_);
  contacts_.clear();
  fresh_ = false;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const int body = assembly_.bodies()[k];
    const BodyInertia& inertia = setup_->inertias[at(body)];
    const Vector3 start = local_.position[at(body)];
    const RotationStep rotation = movePose(inertia, local_, body, h);
    motion_[at(body)] = {local_.position[at(body)] - start, rotation.angle};
    ledger.scheme -= rotation.work;
    ledger.potentialChange += potentialChange(*setup_->model, inertia, body, motion_[at(body)].shift);
  }
  for (const int body : kinematic_) moveKinematic(local_, body, h);
}

void IslandStepper::save(Saved& saved) const {
  saved.bodies.clear();
  const auto keep = [&](int body) { saved.bodies.push_back({body, local_.pose(body), local_.velocity[at(body)], local_.angularVelocity[at(body)]}); };
  for (const int body : assembly_.bodies()) keep(body);
  for (const int body : kinematic_) keep(body);
  saved.contacts = contacts_;
  saved.report = result_->report;
  saved.time = time_;
}

void IslandStepper::restore(const Saved& saved) {
  for (const Saved::Entry& entry : saved.bodies) {
    local_.position[at(entry.body)] = entry.pose.position;
    local_.rotation[at(entry.body)] = entry.pose.rotation;
    local_.velocity[at(entry.body)] = entry.velocity;
    local_.angularVelocity[at(entry.body)] = entry.angularVelocity;
  }
  contacts_ = saved.contacts;
  fresh_ = true;
  result_->report = saved.report;
  time_ = saved.time;
}

/// Takes a trial back, but keeps its impulses as the warm start of the next one.
void IslandStepper::takeBack(const Saved& saved) {
  result_->report.memory.swap(trialMemory_);
  result_->report.rowForces.swap(trialForces_);
  restore(saved);
  takeAnchors(saved.report.memory, trialMemory_);
  result_->report.memory.swap(trialMemory_);
  result_->report.rowForces.swap(trialForces_);
}

/// Turning bodies can meet at features that were not the near ones at the start of the (sub)step: such contacts of the end, seen from the start, go to missed_.
bool IslandStepper::findMissed() {
  missed_.clear();
  for (const Contact& end : contacts_) {
    if (end.gap > -kMissed * pairSize(end.key) || leftOut(end.key)) continue;
    if (findContact(startContacts_, end.key) != nullptr) continue;
    const Vector3 half = 0.5 * end.gap * end.normal;
    const auto atStart = [&](int body, const Vector3& point) {
      const auto entry = std::find_if(before_.bodies.begin(), before_.bodies.end(), [&](const Saved::Entry& e) { return e.body == body; });
      return entry == before_.bodies.end() ? point : entry->pose * (local_.pose(body).inverse() * point);
    };
    const Vector3 onA = atStart(end.bodyA, end.point - half), onB = atStart(end.bodyB, end.point + half);
    missed_.push_back(end);
    missed_.back().point = 0.5 * (onA + onB);
    missed_.back().gap = end.normal.dot(onB - onA);
  }
  return !missed_.empty();
}

void IslandStepper::mergeMissed() {
  for (const Contact& contact : missed_) {
    const auto place = std::lower_bound(contacts_.begin(), contacts_.end(), contact.key, [](const Contact& c, const FeatureKey& key) { return c.key < key; });
    contacts_.insert(place, contact);
  }
}

bool IslandStepper::isFinite() const {
  return std::all_of(assembly_.bodies().begin(), assembly_.bodies().end(), [&](int body) {
    return local_.position[at(body)].allFinite() && local_.rotation[at(body)].coeffs().allFinite() && local_.velocity[at(body)].allFinite() &&
           local_.angularVelocity[at(body)].allFinite();
  });
}

std::unique_ptr<IslandStepper> StepperPool::take(const StepSetup& setup) {
  {
    const std::lock_guard lock{mutex_};
    if (!steppers_.empty()) {
      std::unique_ptr<IslandStepper> stepper = std::move(steppers_.back());
      steppers_.pop_back();
      return stepper;
    }
  }
  return std::make_unique<IslandStepper>(setup);
}

void StepperPool::give(std::unique_ptr<IslandStepper> stepper) {
  const std::lock_guard lock{mutex_};
  steppers_.push_back(std::move(stepper));
}

}  // namespace stiction
