#include "integrate/IslandStepper.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

constexpr double kShut =
    1e-6;  // [-] of the pair's size: gaps up to this may not close further within a step; what then carries load is closed by the projection,
constexpr double kFall = 1e-2;  // [-] of free fall in the step: but not gaps beyond this
constexpr double kFar =
    1e3;  // [-] of the fastest speed: a contact so far that only a greater one could close it enters as if that near, not to drown the others' digits
constexpr double kClear = 4;                                 // [-] of free fall in the step: a gap that no mean of velocities closes
constexpr int kBounceHalvings = 4, kMostBounceHalvings = 8;  // of a step in which bounces follow one another, and in which they would create energy
constexpr int kDear = 24;                                    // iterations of a trial that looks after contacts: a projection is cheaper
constexpr double kSlipCone = 1e-8;                           // [-] friction this near to its limit may slip
constexpr double kTurn = 0.03;                               // [rad] in the (sub)step: contacts of bodies that turn farther against each other have no anchor
constexpr double kSlipSpeed = 1e-9;                          // [-] of the certificate's scale: below this a contact does not slip,
constexpr double kSlipOff = 1e-2;                            // [-] nor below this of what it aims at, where trials look for its place

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Whether the bodies turn so far against each other in h that the contact rolls or pivots.
bool turnsFar(const WorldState& state, const Contact& contact, double h) {
  return h * (state.angularVelocity[at(contact.bodyB)] - state.angularVelocity[at(contact.bodyA)]).norm() > kTurn;
}

}  // namespace

IslandStepper::IslandStepper(const StepSetup& setup)
    : setup_{&setup},
      island_{setup},
      problem_{island_},
      rows_{island_, problem_},
      solver_{island_, problem_, rows_},
      rest_{island_, problem_, rows_, solver_},
      impacts_{island_, problem_, rows_, solver_},
      bounces_{island_, problem_, solver_},
      encounters_{island_, problem_, solver_},
      projection_{island_, rows_} {}

void IslandStepper::advance(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h, ThreadPool* team,
                            WorldState& next, IslandResult& result) {
  share(team);
  island_.callOff = nullptr;
  island_.result = &result;
  result.report.clear();
  result.times = {};
  const bool wasLost = std::exchange(result.lost, false);
  std::unique_ptr<Halves> halves = std::move(result.halves);
  island_.begin(islands, island, start, memory, h);
  problem_.assembly.setBodies(island_.bodies);
  rows_.begin(start);
  const auto trial = [this](double time) { return substep(time, 0); };
  const auto keep = [this] { return finish(); };
  if (impacts_.begin(h))
    impacts_.advance(h, std::cref(trial), std::cref(keep));
  else if (wasLost && !setup_->looksFirst)
    halve(h, 0, std::move(halves));
  else if (substep(h, 0))
    finish();
  island_.write(next);
  rows_.write(next);
}

void IslandStepper::share(ThreadPool* team) {
  island_.team = team;
  problem_.assembly.setTeam(team);
  solver_.setTeam(team);
  projection_.setTeam(team);
}

bool IslandStepper::substep(double h, int depth, int round) {
  Stopwatch watch;
  PhaseTimes& times = island_.result->times;
  unfinished_.reset();
  begin(round, watch);
  const bool aimed = std::exchange(aimsAgain_, false);
  if (aimed)
    aimAgain(h);
  else if (!assemble(h))
    return false;
  watch.lap(times.assemble);
  bool rests = false;
  if (!bound_)
    flyFreely();
  else if (const std::optional<bool> over = answer(h, depth, round, aimed, rests, watch))
    return *over;
  bounces_.judge();
  const int halvings = bounces_.createEnergy() ? kMostBounceHalvings : kBounceHalvings;
  if (depth < halvings && bounces_.followOneAnother()) return halve(h, depth, nullptr);
  if (bounces_.createEnergy() && bounces_.weaken()) return substep(h, depth, round + 1);
  ++island_.report().substeps;
  account(h);
  watch.lap(times.account);
  move(h, rests);
  rows_.accountMotion();
  island_.time += h;
  watch.lap(times.integrate);
  if (const std::optional<bool> over = lookBack(h, depth, round, rests, watch)) return *over;
  unfinished_ = {h, rests};
  return depth == 0 || finish();
}

/// Mends what the (sub)step has left, if it has not been.
bool IslandStepper::finish() {
  if (const std::optional<Unfinished> last = std::exchange(unfinished_, std::nullopt)) {
    Stopwatch watch;
    mend(last->h, last->rests);
    watch.lap(island_.result->times.project);
  }
  return endsFinite();
}

/// Looks at the contacts; `round` > 0 repeats a (sub)step.
void IslandStepper::begin(int round, Stopwatch& watch) {
  PhaseTimes& times = island_.result->times;
  island_.detect();
  if (island_.contacts.empty() && rows_.empty())
    watch.only(times.integrate);
  else
    island_.save(before_);
  if (round == 0) {
    rows_.beginTrials();
    encounters_.begin();
  }
  watch.lap(times.collide);
}

/// The answer where nothing but forces acts.
void IslandStepper::flyFreely() {
  problem_.iterate.v = problem_.vFree;
  problem_.iterate.r.resize(0);
  problem_.iterate.lambda.resize(0);
}

/// Answers the problem: by rest, or a method, or else by smaller steps. Returns what the (sub)step returns where that is over with it, or nothing where the answer stands.
/// `aimed`: the problem is the last one, but for what its rows aim at.
std::optional<bool> IslandStepper::answer(double h, int depth, int round, bool aimed, bool& rests, Stopwatch& watch) {
  PhaseTimes& times = island_.result->times;
  const bool last = isLastResort(depth);
  solver_.prepare();
  rests = rest_.staysAtRest(h);
  watch.lap(times.certify);
  std::unique_ptr<Halves> ahead;
  const auto lookAhead = [&] { ahead = halvesAhead(h, depth, round); };
  const std::function<void()> beforeSearch = std::ref(lookAhead);  // a copy of it would take from the heap
  const auto mayRest = [&] { return rest_.mayRest() || rest_.mayRestInPart(); };
  const std::function<bool()> rest = std::ref(mayRest);
  const IslandSolver::Trial trial{aimed, round == 0 && !rows_.empty()};
  bool certified = rests || solver_.solve(h, trial, last && !aimed, last ? nullptr : &beforeSearch, &rest);
  if (aimed && !rests && solver_.iterations() > kDear) rows_.findEndsDear();
  rests = rests || (certified && rest_.comesToRest());
  const bool late = island_.report().outOfTime;
  if (!rests && !late && (!certified || rest_.beginsToMove()) && rest_.mayRest()) rests = certified = true;
  if (!rests && !late && certified && rest_.manyBeginToMove()) rest_.mayRestInPart();
  const bool lost = !certified && !late;
  if (!lost) ahead.reset();  // what its end takes is a part of the search
  watch.lap(times.solve);
  if (lost && (rows_.retreat() || (last && bounces_.weaken()))) return substep(h, depth, round + 1);
  if (lost && !solver_.findSqueeze(setup_->options->maxHalvings - depth) && !last) {
    if (depth > 0 || !setup_->looksFirst || impacts_.arePossible()) return halve(h, depth, std::move(ahead));
    leave(h);
    island_.result->halves = std::move(ahead);
    watch.lap(times.integrate);
    return true;
  }
  solver_.accept();
  if (!certified && !solver_.acceptUncertified()) return false;
  watch.lap(times.certify);
  return std::nullopt;
}

/// Whether the end of the (sub)step is where it should be; where bodies met others than its contacts said, or constraints are off, it is repeated, or halved. Returns likewise.
std::optional<bool> IslandStepper::lookBack(double h, int depth, int round, bool rests, Stopwatch& watch) {
  using Ending = IslandRows::Ending;
  using Finding = Encounters::Finding;
  const bool last = isLastResort(depth);
  island_.detect();
  if (island_.report().outOfTime && !rows_.empty()) {  // there is no time for more of them
    watch.lap(island_.result->times.collide);
    return std::nullopt;
  }
  const bool mayStand = last || solver_.passes();
  const Finding finding = rests ? Finding::Agree : encounters_.compare(before_, h, last);
  const Ending ending = !rests                  ? rows_.end({h, round, last, mayStand, solver_.certificate().scale, &scratch_.after})
                        : rows_.forcesSwitch(h) ? Ending::Repeated
                                                : Ending::Accepted;
  if (finding == Finding::Repeat || ending == Ending::Repeated || ending == Ending::Missed) {
    aimsAgain_ = finding != Finding::Repeat && ending == Ending::Missed;
    island_.takeBack(before_);
    encounters_.addMissed();
    watch.lap(island_.result->times.collide);
    return substep(h, depth, round + 1);
  }
  if (finding == Finding::TooLong || (ending == Ending::Lost && !last)) {
    island_.restore(before_);
    return halve(h, depth, nullptr);
  }
  if (ending == Ending::Lost) {
    island_.report().offConstraints = true;
    if (!solver_.acceptUncertified()) return false;
  }
  watch.lap(island_.result->times.collide);
  return std::nullopt;
}

/// Puts bodies back on what the (sub)step has left.
void IslandStepper::mend(double h, bool rests) {
  if (!rests) projection_.followAnchors(h);
  const bool mended = (!rests || projection_.strays(h)) && projection_.project(h);
  if (!rests) rows_.rememberEnds(mended);
  rows_.accountMending();
  island_.report().penetration = island_.deepest();
  island_.report().constraintError = rows_.error();
}

bool IslandStepper::endsFinite() const {
  IslandReport& report = island_.report();
  if (report.faulty < 0 && island_.isFinite()) return true;
  report.status = StepStatus::NonFinite;
  return false;
}

/// False when a constraint is at fault.
bool IslandStepper::assemble(double h) {
  problem_.takeBodies();
  problem_.predict(h);
  rows_.push(h);
  encounters_.foresee(h);
  bound_ = false;
  bounces_.clear();
  if (island_.contacts.empty() && rows_.empty()) return true;
  for (std::size_t k = 0; k < island_.contacts.size(); ++k)
    if (!island_.closing.contains(island_.contacts[k].key) && !encounters_.isFree(island_.contacts[k].key)) problem_.used.push_back(static_cast<int>(k));
  if (!rows_.evaluate(h)) return false;
  problem_.takeContacts(rows_.oneSided());
  ContactProblem& problem = problem_.assembly.problem;
  problem.scaleFloor = h * setup_->model->gravity.norm();
  const double fastest = kFar * problem_.fastestSpeed(), fall = kFall * island_.freeFall(h);
  bounces_.enter(h);
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const Contact& contact = problem_.contactOf(k);
    if (bounces_.has(k)) continue;
    const double size = island_.pairSize(contact.key);
    if (contact.gap > std::max(Island::kTouch * size, std::min(kShut * size, fall)))
      problem.w[static_cast<Eigen::Index>(3 * k)] += fastest > 0 ? std::min(contact.gap / h, fastest) : contact.gap / h;
  }
  rows_.enter(h);
  bound_ = problem.contacts() > 0 || problem.rows() > 0;
  return true;
}

/// The problem of the last trial, whose end was off constraints by what the rows now aim at in addition.
void IslandStepper::aimAgain(double h) {
  encounters_.foresee(h);  // the contacts that the problem has
  rows_.aim(h);
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
  if (setup_->pool->threads() == 1 || !startHere || !rows_.empty() || impacts_.arePossible()) return nullptr;
  try {
    return std::make_unique<Halves>(*setup_, *this, h, depth);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void IslandStepper::copy(const IslandStepper& other, IslandResult& result, const CallOff& callOff) {
  share(nullptr);
  island_.callOff = &callOff;
  island_.copy(other.island_, result);
  problem_.assembly.setBodies(island_.bodies);
  rows_.begin(island_.state);
}

void IslandStepper::adopt(const IslandStepper& other, IslandResult& result) {
  IslandReport& report = island_.report();
  const int iterations = report.iterations, factorisations = report.factorisations;  // of the search that failed, and before
  other.island_.save(before_);
  island_.restore(before_);
  report.iterations += iterations;
  report.factorisations += factorisations;
  island_.result->times += result.times;
  std::unique_ptr<HardProblem>& hardest = island_.result->hardest;
  if (result.hardest && (!hardest || result.hardest->relative > hardest->relative)) hardest = std::move(result.hardest);
}

/// Ends the step at the best answer there is, which shows where the bodies are thrown, and from which the next trial starts.
void IslandStepper::leave(double h) {
  island_.result->lost = true;
  account(h);
  move(h, false);
}

/// Takes the bodies along with the answer, and remembers it.
void IslandStepper::move(double h, bool rests) {
  problem_.assembly.scatterVelocities(problem_.iterate.v, island_.state);
  remember(h, rests);
  if (rests)
    island_.clearMotion();
  else
    integrate(h);
}

void IslandStepper::account(double h) {
  EnergyLedger& ledger = island_.report().ledger;
  const VectorX &before = problem_.vBefore, &after = problem_.iterate.v;
  if (bound_) accountContacts(problem_.assembly.problem.H, problem_.assembly.surface, problem_.iterate.r, before, after, scratch_, ledger);
  bounces_.account();
  findTravel(h);
  for (std::size_t k = 0; k < island_.bodies.size(); ++k) {
    const int body = island_.bodies[k], block = static_cast<int>(k);
    accountForces(*setup_->model, island_.inertia(body), setup_->loads, body, problem_.twistOf(block, before), problem_.twistOf(block, after), travel_[k], h,
                  ledger);
  }
  if (bound_) rows_.accountBends(h);
  rows_.account(scratch_);
}

/// Bodies go at the velocity that they end with, which is what contacts speak of; those that only forces act on, and that end clear of all others by more than the difference, at the mean of
/// both; those that bounce and are else as free at the velocity before until they do first: no other contact would close by that.
void IslandStepper::findTravel(double h) {
  const double clear = kClear * island_.freeFall(h);
  courses_.assign(island_.bodies.size(), {});
  const auto update = [&](int body, const auto& change) {
    if (const int block = problem_.assembly.blockOf(body); block >= 0) change(courses_[at(block)]);
  };
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const Contact& contact = problem_.contactOf(k);
    const auto n = static_cast<Eigen::Index>(3 * k);
    const bool loaded = solver_.isLoaded(k), bounces = loaded && bounces_.has(k);
    const bool near = loaded || contact.gap + h * scratch_.after[n] <= clear, closes = contact.gap + h * scratch_.before[n] < 0;
    for (const int body : {contact.bodyA, contact.bodyB})
      update(body, [&](Course& course) {
        course.near = course.near || near;
        course.held = course.held || (!bounces && (loaded || closes));
        if (bounces) course.bounce = std::min(course.bounce, bounces_.timeOf(k));
      });
  }
  for (const int id : island_.held) setup_->held[at(id)].eachBody([&](int body) { update(body, [](Course& course) { course.near = course.held = true; }); });
  travel_.resize(island_.bodies.size());
  for (std::size_t k = 0; k < travel_.size(); ++k) {
    const auto block = static_cast<int>(k);
    const Vector3 before = problem_.twistOf(block, problem_.vBefore).linear, after = problem_.twistOf(block, problem_.iterate.v).linear;
    const Course& course = courses_[k];
    const bool bounces = !course.held && std::isfinite(course.bounce);
    const double share = bounces ? course.bounce / h : course.near ? 0.0 : 0.5;  // of the velocity before
    travel_[k] = share * before + (1 - share) * after;
  }
}

/// Keeps the impulses for the next warm start, and the anchors of contacts that stick.
void IslandStepper::remember(double h, bool rests) {
  IslandReport& report = island_.report();
  const bool same = rests && rest_.stayedAtRest();
  memory_.clear();
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const Contact& contact = problem_.contactOf(k);
    const auto i = static_cast<Eigen::Index>(k);
    const Vector3 r = problem_.impulseOf(k), aim = rows_.aimOf(k), u = scratch_.after.segment<3>(3 * i) + aim;
    const Matrix3& F = problem_.assembly.frames[k];
    const ContactMemory* old = island_.memoryOf(contact.key);
    const double friction = r.tail<2>().norm(), slip = u.tail<2>().norm();
    const bool slips =
        friction >= (1.0 - kSlipCone) * contact.friction * r[0] && slip > std::max(kSlipSpeed * solver_.certificate().scale, kSlipOff * aim.tail<2>().norm());
    const bool loaded = solver_.isLoaded(k);
    const bool sticks = contact.friction > 0 && !slips;
    const bool anchored = loaded && sticks && !turnsFar(island_.state, contact, h);
    ContactMemory entry{contact.key, contact.normal, F * r, h, Vector3::Zero(), anchored, loaded && slips, old && old->mended, old && old->yields};
    if (old) entry.strays = old->strays;
    if (same && old && old->step == h) entry.impulse = old->impulse;
    if (entry.anchored && old && old->anchored)
      entry.anchor = sameBits(old->normal, contact.normal) ? old->anchor : old->anchor - contact.normal * contact.normal.dot(old->anchor);
    report.record(contact, entry.impulse, F.rightCols<2>() * u.tail<2>(), loaded ? (sticks ? 1 : 2) : 0);
    if (r[0] > 0 || entry.anchored || entry.mended || entry.yields) memory_.push_back(entry);
  }
  report.memory.swap(memory_);
  rows_.remember(h, same);
}

void IslandStepper::integrate(double h) {
  EnergyLedger& ledger = island_.report().ledger;
  island_.leaveContacts();
  for (std::size_t k = 0; k < island_.bodies.size(); ++k) {
    const int body = island_.bodies[k];
    const BodyInertia& inertia = island_.inertia(body);
    const Vector3 start = island_.state.position[at(body)];
    const RotationStep rotation = movePose(inertia, island_.state, body, travel_[k], h);
    Island::Motion& motion = island_.motion[at(body)];
    motion = {island_.state.position[at(body)] - start, rotation.angle};
    ledger.scheme -= rotation.work;
    ledger.potentialChange += potentialChange(*setup_->model, inertia, body, motion.shift);
  }
  for (const int body : island_.kinematic) moveKinematic(island_.state, body, h);
}

}  // namespace stiction
