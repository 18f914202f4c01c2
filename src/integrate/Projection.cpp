#include "integrate/Projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr double kCompliance = 1e-3;  // [-] of the row's inverse mass: an anchor gives way to the gaps, and what is left of it goes by this factor a step;
constexpr double kJointed = 1e-5;     // [-] where joints hold bodies, which go less far for the same impulse
constexpr double kSoft = 1e-6;        // [-] of its bodies' inverse masses: what a gap gives way by to find out of which little can be mended beside all else;
constexpr double kGentle = 1;         // [-] and by which those do from then on
constexpr double kTolerance = 1e-6;   // [-] relative certificate asked of the projection
constexpr double kMargin = 5;         // [-] times what is polished to, where that is finer,
constexpr double kPolish = 1e-10;     // [-] what a method goes on to at most: what is left becomes an approach speed of the next step,
constexpr double kFinest = 1e-13;     // [-] where joints hold bodies, whose loads make the scale that much longer than the ways,
constexpr double kCoarse = 1e-3;      // [-] and at least
constexpr double kEnough = 1e-8;      // [-] and what is taken where that cannot be had at once
constexpr double kFine = 0.1;     // [-] of the overlap that may stay: no pass is more exact, nor than what surfaces curve over its way, which is for the next
constexpr double kUseful = 1e-2;  // [-] a projection worse than this is not applied
constexpr double kParted = 1e-2;  // [-] of the pair's size: loaded contacts farther apart are left to open,
constexpr double kStillParted = 1e-4;  // [-] or than this after the first pass: what others hold open is not asked for again
constexpr double kHeadway = 0.2;       // [-] of the worst fault's way: a pass that moves nothing so far mends nothing more
constexpr double kRoundOff = 1e-9;     // [-] of the worst fault's way: a pass that would move less moves nothing
constexpr double kGain = 0.5;          // [-] likewise one that leaves more of the worst fault than that, once overlaps are below Island::kStray,
constexpr double kLocal = 0.1;         // [-] of the island's bodies: a larger region is the whole island
constexpr double kTurn = 0.1;          // [rad] in a pass: where it says more, what it says of joints and gaps no longer holds, and all go a part of the way
constexpr double kShort = 0.5;         // [-] likewise of closed chains: where they would go less far than that,
constexpr double kLeastGiven = 1e-6;   // [-] of its inverse mass: a row gives way by this,
constexpr double kGivenMore = 100;     // [-] times as much the next time,
constexpr double kMostGiven = 1;       // [-] and this at most
constexpr int kPasses = 5, kLatePasses = 2, kClosingPasses = 3;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What is remembered of a contact that bore nothing.
ContactMemory unloaded(const Contact& contact, double h) { return {contact.key, contact.normal, Vector3::Zero(), h}; }

void sortOut(std::vector<int>& bodies) {
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
}

}  // namespace

Projection::Projection(Island& island, IslandRows& rows) : island_{&island}, problem_{island}, rows_{&rows}, portfolio_{"auto"}, certifier_{Law::Coulomb} {}

void Projection::setTeam(ThreadPool* team) {
  portfolio_.setTeam(team);
  certifier_.setTeam(team);
}

bool Projection::moved(int body, double h) const {
  const Island::Motion motion = island_->motionOf(body, h);
  return !motion.shift.isZero(0.0) || !motion.turn.isZero(0.0);
}

void Projection::followAnchors(double h) {
  for (ContactMemory& entry : island_->report().memory) {
    const Contact* start = entry.anchored ? findContact(island_->startContacts, entry.key) : nullptr;
    if (!start) continue;
    entry.anchor = island_->anchorAfter(entry, *start, findContact(island_->contacts, entry.key), h);
  }
}

/// Of the pair's size [-]: what may stay out of place of bodies that would be stirred.
double Projection::strayed() const { return std::max(Island::kStray, island_->stays()); }

/// What is wrong with the gap [m]: overlap, or open where there was load; 0 within the tolerance.
double Projection::gapFault(const Contact& contact, double h) const {
  if (island_->closing.contains(contact.key)) return 0.0;
  return contact.gap < -island_->stays() * island_->pairSize(contact.key) || hasParted(contact, h) ? std::abs(contact.gap) : 0.0;
}

/// The same, or an anchor out of place.
double Projection::fault(const Contact& contact, double h) const {
  if (island_->closing.contains(contact.key)) return 0.0;
  double fault = gapFault(contact, h);
  const ContactMemory* entry = island_->memoryOf(contact.key);
  if (entry && entry->anchored && entry->anchor.norm() > anchorStays_ * island_->pairSize(contact.key)) fault = std::max(fault, entry->anchor.norm());
  return fault;
}

/// The contact's fault if the projection has to see to it [m], else 0.
double Projection::asked(const Contact& contact, double h) const {
  const ContactMemory* entry = island_->memoryOf(contact.key);
  return entry && entry->mended ? 0.0 : fault(contact, h);
}

/// Whether the others left it no room to be mended.
bool Projection::yields(const Contact& contact) const {
  const ContactMemory* entry = island_->memoryOf(contact.key);
  return entry && entry->yields;
}

/// Normal impulse [N s] that the contact carried over the last (sub)step of h; 0 when it is now farther apart than free fall or the impulse would close in h: about to take off.
double Projection::load(const Contact& contact, double h) const {
  if (contact.gap > std::min(island_->freeFall(h), parted_ * island_->pairSize(contact.key))) return 0.0;
  const ContactMemory* entry = island_->memoryOf(contact.key);
  if (!entry) return 0.0;
  const double impulse = std::max(0.0, entry->normal.dot(entry->impulse));
  const double inverseMass = island_->inertia(contact.bodyA).inverseMass + island_->inertia(contact.bodyB).inverseMass;
  return contact.gap <= h * impulse * inverseMass ? impulse : 0.0;
}

/// Whether a contact that carried load, so was to end closed, ended a little open.
bool Projection::hasParted(const Contact& contact, double h) const {
  return !island_->touching(contact) && contact.gap > island_->stays() * island_->pairSize(contact.key) && load(contact, h) > 0;
}

bool Projection::strays(double h) {
  region_.clear();
  parted_ = kParted;
  anchorStays_ = island_->anchorStays();
  return rows_->choose(h, region_).way > 0 || std::any_of(island_->contacts.begin(), island_->contacts.end(), [&](const Contact& contact) {
           return asked(contact, h) > strayed() * island_->pairSize(contact.key);
         });
}

/// The bodies at contacts that ask, or the whole island when those are most of it. Returns what is wrong with them. `mended`: after a pass, when what yields has had its share.
Faults Projection::chooseRegion(double h, bool mended) {
  region_.clear();
  Faults faults;
  for (const Contact& contact : island_->contacts) {
    const double fault = asked(contact, h), size = island_->pairSize(contact.key);
    if (!(fault > 0) || (mended && yields(contact))) continue;
    faults.way = std::max(faults.way, std::min(fault, farthestCorrection(size, h)));
    faults.overlap = std::max(faults.overlap, -contact.gap / size);
    faults.hasGaps = faults.hasGaps || gapFault(contact, h) > 0;
    for (const int body : {contact.bodyA, contact.bodyB})
      if (island_->kind(body) == BodyKind::Dynamic) region_.push_back(body);
  }
  const Faults ofRows = rows_->choose(h, region_, mended);
  faults.way = std::max(faults.way, ofRows.way);
  faults.overlap = std::max(faults.overlap, ofRows.overlap);
  faults.hasRows = ofRows.hasRows;
  sortOut(region_);
  rows_->addHeld(region_);
  if (static_cast<double>(region_.size()) > kLocal * static_cast<double>(island_->bodies.size())) region_ = island_->bodies;
  return faults;
}

/// The contacts of the region's bodies that its motion may close [m], or that hold them.
void Projection::chooseContacts(double reach) {
  problem_.used.clear();
  const ContactAssembly& assembly = problem_.assembly;
  for (std::size_t k = 0; k < island_->contacts.size(); ++k) {
    const Contact& contact = island_->contacts[k];
    if (island_->closing.contains(contact.key) || (assembly.blockOf(contact.bodyA) < 0 && assembly.blockOf(contact.bodyB) < 0)) continue;
    const ContactMemory* entry = island_->memoryOf(contact.key);
    if (contact.gap <= reach || (entry && entry->anchored) || island_->touching(contact)) problem_.used.push_back(static_cast<int>(k));
  }
}

/// Of the problem's bodies those that nothing turns: balls without anchors or constraints, whose angular velocities would be so many zeros.
void Projection::keepBallsFromTurning() {
  turning_.clear();
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const Contact& contact = problem_.contactOf(k);
    const ContactMemory* entry = island_->memoryOf(contact.key);
    if (entry && entry->anchored) turning_.insert(turning_.end(), {contact.bodyA, contact.bodyB});
  }
  for (const ConstraintRows::Row& row : rows_->rows())
    for (const BodyRate& part : rows_->ratesOf(row)) turning_.push_back(part.body);
  sortOut(turning_);
  for (const int body : problem_.assembly.bodies())
    if (island_->setup->isBall[at(body)] && !std::binary_search(turning_.begin(), turning_.end(), body)) problem_.assembly.keepFromTurning(body);
}

void Projection::assemble(double h, Asked asked, bool mended) {
  double widest = island_->deepest(), largest = 0;
  bend_ = 0, finest_ = std::numeric_limits<double>::infinity();
  for (const Contact& contact : island_->contacts)
    if (hasParted(contact, h)) widest = std::max(widest, contact.gap);
  const double reach = 10.0 * widest;
  ContactAssembly& assembly = problem_.assembly;
  assembly.setBodies(region_);
  if (asked == Asked::Constraints)
    problem_.used.clear();
  else
    chooseContacts(reach);
  keepBallsFromTurning();
  assembly.buildMass(island_->state);
  assembly.buildContacts(island_->state, island_->contacts, problem_.used, rows_->within(assembly, reach));
  ContactProblem& problem = assembly.problem;
  Iterate& iterate = problem_.iterate;
  problem.mu.setZero();
  problem.w.setZero();
  problem.f.setZero(problem.dof());
  iterate.r.setZero(problem.w.size());  // the load, which is nearly the answer
  targets_.clear();
  problem.R.resize(0);
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const Contact& contact = problem_.contactOf(k);
    const ContactMemory* entry = island_->memoryOf(contact.key);
    const double size = island_->pairSize(contact.key), limit = farthestCorrection(size, h);
    const bool yields = entry && entry->yields;
    const double gap = yields && (mended || entry->mended) ? std::max(contact.gap, 0.0) : contact.gap;  // that it goes no deeper, until a body moves
    problem.w[static_cast<Eigen::Index>(3 * k)] = std::max(gap, -limit);
    const double pressing = problem_.impulseOf(k)[0] = h * load(contact, h);
    const double way = std::clamp(pressing > 0 ? std::abs(gap) : -gap, 0.0, limit);
    largest = std::max(largest, way);
    bend_ = std::max(bend_, way * way / size);
    finest_ = std::min(finest_, size);
    if (yields || asked == Asked::AllSoftly) {
      if (problem.R.size() == 0) problem.R.setZero(problem.w.size());
      const double inverseMass = island_->inertia(contact.bodyA).inverseMass + island_->inertia(contact.bodyB).inverseMass;
      problem.R[static_cast<Eigen::Index>(3 * k)] = (asked == Asked::AllSoftly ? kSoft : kGentle) * inverseMass;
    }
    if (!entry || !entry->anchored) continue;
    for (int t = 1; t <= 2; ++t) {
      const Vector3 direction = assembly.frames[k].col(t);
      assembly.addTangentRow(island_->state, contact, direction);
      targets_.push_back(std::clamp(entry->anchor.dot(direction), -limit, limit));
      largest = std::max(largest, std::abs(targets_.back()));
    }
  }
  const int anchors = problem.rows();
  const IslandRows::Ways ways = rows_->enterProjection(assembly, h, reach, targets_);
  largest = std::max(largest, ways.longest);
  hasLoops_ = ways.haveLoops;
  problem.b = Eigen::Map<const VectorX>{targets_.data(), static_cast<Eigen::Index>(targets_.size())};
  problem.C.setZero(problem.rows());
  const double compliance = rows_->empty() ? kCompliance : kJointed;
  for (int j = 0; j < anchors; ++j) problem.C[j] = compliance * assembly.inverseMass(problem.G, j);
  problem.wScale.setZero();
  problem.scaleFloor = largest;
  multiplyAdd(problem.H, iterate.r, problem.f);
  problem.f = -problem.f;
}

/// How exactly a pass is solved [-] of the certificate's scale [m]. Constraints that users hold the island by stay as exact as can be.
double Projection::polish(double scale) const {
  const double fine = kFine * island_->stays() * finest_ / scale;
  if (!rows_->empty()) return std::clamp(fine, kFinest, kPolish);
  return std::clamp(std::max(bend_ / scale, fine), kPolish, kCoarse);
}

/// False when the answer is too crude to be applied.
bool Projection::solve() {
  const ContactProblem& problem = problem_.assembly.problem;
  problem_.iterate.v.setZero(problem.dof());
  problem_.iterate.lambda.setZero(problem.rows());
  certifier_.prepare(problem);
  if (island_->report().outOfTime) return portfolio_.approximate(problem, problem_.iterate, certifier_).certificate.relative <= kUseful;
  SolveOptions options;
  options.polish = polish(certifier_.scale());
  options.tolerance = std::clamp(kTolerance, options.polish, kMargin * std::max(options.polish, kPolish));
  options.warm = true;
  options.effort = Effort::Usual;  // the next step corrects what is left
  options.enough = kEnough;
  options.deadline.callOff = island_->callOff;
  options.scale = certifier_.scale();
  return portfolio_.solve(problem, problem_.iterate, options, certifier_).certificate.relative <= kUseful;
}

/// The same. Near poses that leave closed chains no way to where they ask there is no answer, or one that leads far beyond where it holds: then constraints give way, more and more, until there
/// is one by which no body turns too far. `overlaps`: it may be that there is none for these; no chain is torn for them.
bool Projection::solveGiving(bool overlaps) {
  bool solved = solve();
  if (!hasLoops_ || (!solved && overlaps)) return solved;
  ContactProblem& problem = problem_.assembly.problem;
  for (double give = kLeastGiven; (!solved || share() < kShort) && give <= kMostGiven; give *= kGivenMore) {
    for (int j = 0; j < problem.rows(); ++j) problem.C[j] = std::max(problem.C[j], give * problem_.assembly.inverseMass(problem.G, j));
    last_ = problem_.iterate;
    if (solve()) {
      solved = true;
    } else if (solved) {
      problem_.iterate = last_;
      break;
    }
  }
  return solved;
}

/// How much of what the answer says the bodies move [-].
double Projection::share() const {
  const ContactAssembly& assembly = problem_.assembly;
  double turn = 0;
  for (std::size_t k = 0; k < assembly.bodies().size(); ++k)
    if (const auto block = static_cast<int>(k); assembly.turns(block)) turn = std::max(turn, problem_.iterate.v.segment<3>(assembly.rowOf(block) + 3).norm());
  return turn > kTurn ? kTurn / turn : 1.0;
}

/// [m] that any of the bodies' points moves.
double Projection::longestWay() const {
  const ContactAssembly& assembly = problem_.assembly;
  double longest = 0;
  for (std::size_t k = 0; k < assembly.bodies().size(); ++k) {
    const auto block = static_cast<int>(k);
    const double turn = assembly.turns(block) ? problem_.iterate.v.segment<3>(assembly.rowOf(block) + 3).norm() : 0.0;
    longest = std::max(longest, problem_.iterate.v.segment<3>(assembly.rowOf(block)).norm() + turn * island_->bodySize(assembly.bodies()[k]));
  }
  return share() * longest;
}

/// Moves the region's bodies, and finds the contacts there.
void Projection::moveBodies() {
  EnergyLedger& ledger = island_->report().ledger;
  WorldState& state = island_->state;
  island_->clearMotion();
  problem_.iterate.v *= share();
  const ContactAssembly& assembly = problem_.assembly;
  for (std::size_t k = 0; k < assembly.bodies().size(); ++k) {
    const int body = assembly.bodies()[k];
    const int row = assembly.rowOf(static_cast<int>(k));
    const double before = island_->energyOf(body);
    Island::Motion& motion = island_->motion[at(body)];
    const bool turns = assembly.turns(static_cast<int>(k));
    const VectorX& v = problem_.iterate.v;
    motion = {v.segment<3>(row), turns ? Vector3{v.segment<3>(row + 3)} : Vector3{Vector3::Zero()}};
    const Vector3 start = state.position[at(body)];
    state.position[at(body)] += motion.shift;
    if (turns) state.rotation[at(body)] = (expRotation(motion.turn) * state.rotation[at(body)]).normalized();
    motion.shift = state.position[at(body)] - start;
    const double potential = potentialChange(*island_->setup->model, island_->inertia(body), body, motion.shift);
    ledger.potentialChange += potential;
    ledger.stabilisation += potential + island_->energyOf(body) - before;
  }
  island_->leaveContacts();
  island_->detect();
  followAnchors(0.0);
}

/// What is in place now, or cannot be put there (`stuck`, or yielding), is left alone until a body moves.
void Projection::rememberMended(double h, bool stuck) {
  for (const Contact& contact : island_->contacts) {
    const double left = fault(contact, h);
    if (ContactMemory* entry = island_->memoryOf(contact.key)) {
      entry->yields = entry->yields && left > 0;
      entry->mended = entry->mended || entry->yields || stuck || left == 0;
    } else if (stuck && left > 0) {
      addMemory(island_->report().memory, unloaded(contact, h)).mended = true;
    }
  }
}

/// Where gaps cannot all be mended: solves the pass with gaps that give way, to see of which little would be, and then, with these gentle, as it was; where even that cannot be, the former stands.
bool Projection::giveWay(double h, bool mended) {
  assemble(h, Asked::AllSoftly, mended);
  if (!solve()) return false;
  const ContactProblem& problem = problem_.assembly.problem;
  for (std::size_t k = 0; k < problem_.used.size(); ++k) {
    const auto n = static_cast<Eigen::Index>(3 * k);
    if (!(problem.w[n] < 0 && problem.R[n] * problem_.iterate.r[n] > -kGain * problem.w[n])) continue;
    const Contact& contact = problem_.contactOf(k);
    ContactMemory* entry = island_->memoryOf(contact.key);
    (entry ? *entry : addMemory(island_->report().memory, unloaded(contact, h))).yields = true;
  }
  last_ = problem_.iterate;
  assemble(h, Asked::All, mended);
  if (!solve()) problem_.iterate = last_;  // these contradict each other as well
  return true;
}

bool Projection::project(double h) {
  for (const Contact& contact : island_->contacts)
    if (ContactMemory* entry = island_->memoryOf(contact.key)) entry->mended = entry->mended && !moved(contact.bodyA, h) && !moved(contact.bodyB, h);
  parted_ = kParted;
  anchorStays_ = island_->anchorStays();
  Faults faults = chooseRegion(h, false);
  const bool isAsked = !region_.empty();
  bool stuck = false;
  const int passes = island_->report().outOfTime ? kLatePasses : kPasses;
  for (int pass = 0; pass < passes && !region_.empty() && !stuck; ++pass) {
    assemble(h, Asked::All, pass > 0);
    const bool wasWhole = region_.size() == island_->bodies.size();
    if (!solveGiving(faults.hasGaps)) {
      if (!giveWay(h, pass > 0)) break;
      faults = chooseRegion(h, true);  // headway is that of the others
    }
    const double way = longestWay();
    if (way <= kRoundOff * faults.way) problem_.iterate.v.setZero();  // what stands keeps its bits
    moveBodies();
    parted_ = kStillParted;
    anchorStays_ = strayed();
    const Faults before = faults;
    faults = chooseRegion(h, true);
    const bool isIdle = way <= kHeadway * before.way || (faults.overlap <= strayed() && faults.way > kGain * before.way);
    stuck = isIdle && (!faults.hasGaps || wasWhole || pass + 1 == passes);
    if (isIdle && !region_.empty()) region_ = island_->bodies;
  }
  anchorStays_ = island_->anchorStays();
  if (faults.hasRows) closeConstraints(h);
  rememberMended(h, stuck);
  return isAsked;
}

/// Equality rows hold before gaps: where both cannot be had, or passes went too far for either, bodies go back onto their constraints whatever they overlap.
void Projection::closeConstraints(double h) {
  for (int pass = 0; pass < kClosingPasses; ++pass) {
    region_.clear();
    if (!rows_->choose(h, region_).hasRows) return;
    sortOut(region_);
    rows_->addHeld(region_);
    assemble(h, Asked::Constraints, true);
    if (!solveGiving(false)) return;
    moveBodies();
  }
}

}  // namespace stiction
