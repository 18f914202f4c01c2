// Position projection after a (sub)step: overlaps out, loaded contacts closed, anchors of sticking contacts back in place, velocities untouched.
//
//   min ½‖δ‖²_M + h Σ r_n,i gap_i(δ)   subject to   gap_i + n_iᵀ H_i δ >= 0 ,   C + J δ = 0 of constraints (>= 0),
//                                                  t·(H δ) + anchor·t = 0 for sticking contacts (least squares where redundant)
//
// A contact that carried r_n > 0 was to end closed; surfaces that curve part by O(h² u²) all the same, and such gaps, as approach speeds of the next step, would keep a heap
// creeping for ever. So the step's own impulses press it shut: where the pressed contacts cannot all close, the more heavily loaded ones do, and the others are let go.
// Solved as a ContactProblem in unit time: f = −h H r_n, μ = 0, w_n = gap, rows G = tangents with b = anchor·t and a small compliance C that spreads redundant rows.
// Anchor: the displacement of B against A in the tangent plane since the contact began to stick, rolling taken out,
//   d += [Δx_B + θ_B × r_B] − [Δx_A + θ_A × r_A] ,   r: mean of the levers before and after, θ: rotation vector of the step
// so that pivoting about a fixed point and rolling both give d = 0 to third order in θ; contacts that turn farther in a step than kTurn (Island.cpp) have no anchor. Deep overlaps come out at a bounded speed.
// What the projection does to potential energy and, by turning the inertias, to kinetic energy is booked as stabilisation.
//
// Only what moved can have gone wrong: first the bodies at faulty contacts move and all others stand; where that does not mend the gaps, all of the island's do. What the
// projection cannot mend (anchors and gaps that contradict each other) it leaves alone until a body moves. An island at rest is left as it is unless it is far out of place: in a
// heap each move of 1e-9 m changes the balance of some sphere by 1e-8 of its weight, and it would roll for ever.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/Island.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr double kStays = 1e-10;            // [-] of the pair's size: overlaps below this stay, and anchors nearer,
constexpr double kStaysAtTolerance = 1e-2;  // [-] or than this times the step's tolerance,
constexpr double kMostStays = 1e-4;         // [-] but none above that
constexpr double kCompliance = 1e-3;        // [-] of the row's inverse mass: an anchor gives way to the gaps, and what is left of it goes by this factor a step
constexpr double kTolerance = 1e-6;         // [-] relative certificate asked of the projection
constexpr double kPolish = 1e-10;           // [-] what a method goes on to at most: what is left becomes an approach speed of the next step,
constexpr double kCoarse = 1e-3;            // [-] and at least
constexpr double kFine = 0.1;     // [-] of the overlap that may stay: no pass is more exact, nor than what surfaces curve over its way, which is for the next
constexpr double kUseful = 1e-2;  // [-] a projection worse than this is not applied
constexpr double kLargest = 0.2;  // [-] of the pair's size: correction in one (sub)step at most
constexpr double kSpeed = 10.0;   // [1/s] times the pair's size: speed at which deep overlaps come out
constexpr double kParted = 1e-2;  // [-] of the pair's size: loaded contacts farther apart are left to open,
constexpr double kStillParted = 1e-4;  // [-] or than this after the first pass: what others hold open is not asked for again
constexpr double kHeadway = 0.2;       // [-] of the worst fault's way: a pass that moves nothing so far mends nothing more
constexpr double kGain = 0.5;          // [-] likewise one that leaves more of the worst fault than that, once overlaps are below kStray,
constexpr double kLocal = 0.1;         // [-] of the island's bodies: a larger region is the whole island
constexpr double kStray = 1e-7;        // [-] of the pair's size: bodies at rest are not moved for less
constexpr int kPasses = 5;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vector3 tangential(const Vector3& d, const Vector3& normal) { return d - normal * normal.dot(d); }

}  // namespace

IslandStepper::Motion IslandStepper::motionOf(int body, double h) const {
  const BodyKind kind = setup_->model->bodies[at(body)].kind;
  if (kind == BodyKind::Dynamic) return motion_[at(body)];
  if (kind != BodyKind::Kinematic) return {};
  return {h * local_.velocity[at(body)], h * local_.angularVelocity[at(body)]};
}

bool IslandStepper::moved(int body, double h) const {
  const Motion motion = motionOf(body, h);
  return !motion.shift.isZero(0.0) || !motion.turn.isZero(0.0);
}

void IslandStepper::clearMotion() {
  for (const int body : bodies_) motion_[at(body)] = {};
}

void IslandStepper::followAnchors(double h) {
  for (ContactMemory& entry : result_->report.memory) {
    const Contact* start = entry.anchored ? findContact(startContacts_, entry.key) : nullptr;
    if (!start) continue;
    const Contact* end = findContact(contacts_, entry.key);
    const auto displacement = [&](int body) -> Vector3 {
      const Motion motion = motionOf(body, h);
      const Vector3 lever = start->point - (local_.position[at(body)] - motion.shift);
      const Vector3 later = end ? Vector3{end->point - local_.position[at(body)]} : lever;
      return motion.shift + motion.turn.cross(0.5 * (lever + later));
    };
    entry.anchor = tangential(entry.anchor + displacement(start->bodyB) - displacement(start->bodyA), end ? end->normal : start->normal);
  }
}

/// Of the pair's size [-]: what may stay out of place. A step that may be wrong by more in its velocities has no use for less.
double IslandStepper::stays() const { return std::clamp(kStaysAtTolerance * setup_->options->tolerance, kStays, kMostStays); }

/// What is wrong with the gap [m]: overlap, or open where there was load; 0 within the tolerance.
double IslandStepper::gapFault(const Contact& contact, double h) const {
  if (leftOut(contact.key)) return 0.0;
  return contact.gap < -stays() * pairSize(contact.key) || hasParted(contact, h) ? std::abs(contact.gap) : 0.0;
}

/// The same, or an anchor out of place.
double IslandStepper::fault(const Contact& contact, double h) const {
  if (leftOut(contact.key)) return 0.0;
  double fault = gapFault(contact, h);
  const ContactMemory* entry = memoryOf(contact.key);
  if (entry && entry->anchored && entry->anchor.norm() > stays() * pairSize(contact.key)) fault = std::max(fault, entry->anchor.norm());
  return fault;
}

/// Correction [m] in one pass at most, of a contact or row whose pair or bodies have that size.
double IslandStepper::farthest(double size, double h) { return std::min(kLargest, kSpeed * h) * size; }

/// The contact's fault if the projection has to see to it [m], else 0.
double IslandStepper::asked(const Contact& contact, double h) const {
  const ContactMemory* entry = memoryOf(contact.key);
  return entry && entry->mended ? 0.0 : fault(contact, h);
}

/// Normal impulse [N s] that the contact carried over the last (sub)step of h; 0 when it is now farther apart than free fall or the impulse would close in h: about to take off.
double IslandStepper::load(const Contact& contact, double h) const {
  if (contact.gap > std::min(freeFall(h), parted_ * pairSize(contact.key))) return 0.0;
  const ContactMemory* entry = memoryOf(contact.key);
  if (!entry) return 0.0;
  const double impulse = std::max(0.0, entry->normal.dot(entry->impulse));
  const double inverseMass = setup_->inertias[at(contact.bodyA)].inverseMass + setup_->inertias[at(contact.bodyB)].inverseMass;
  return contact.gap <= h * impulse * inverseMass ? impulse : 0.0;
}

/// Whether a contact that carried load, so was to end closed, ended a little open.
bool IslandStepper::hasParted(const Contact& contact, double h) const {
  return !touching(contact) && contact.gap > stays() * pairSize(contact.key) && load(contact, h) > 0;
}

/// The bodies at contacts that ask, or the whole island when those are most of it. Returns what is wrong with them.
IslandStepper::Faults IslandStepper::chooseRegion(double h) {
  region_.clear();
  Faults faults = chooseRows(h);
  for (const Contact& contact : contacts_) {
    const double fault = asked(contact, h), size = pairSize(contact.key);
    if (!(fault > 0)) continue;
    faults.way = std::max(faults.way, std::min(fault, farthest(size, h)));
    faults.overlap = std::max(faults.overlap, -contact.gap / size);
    faults.hasGaps = faults.hasGaps || gapFault(contact, h) > 0;
    for (const int body : {contact.bodyA, contact.bodyB})
      if (setup_->model->bodies[at(body)].kind == BodyKind::Dynamic) region_.push_back(body);
  }
  std::sort(region_.begin(), region_.end());
  region_.erase(std::unique(region_.begin(), region_.end()), region_.end());
  if (static_cast<double>(region_.size()) > kLocal * static_cast<double>(bodies_.size())) region_ = bodies_;
  return faults;
}

/// Whether bodies at rest are so far out of place that they must be moved, and so stirred.
bool IslandStepper::strays(double h) {
  region_.clear();
  parted_ = kParted;
  return chooseRows(h).way > 0 || std::any_of(contacts_.begin(), contacts_.end(),
                                              [&](const Contact& contact) { return asked(contact, h) > std::max(kStray, stays()) * pairSize(contact.key); });
}

/// Of the problem's bodies those that nothing turns: balls without anchors or constraints, whose angular velocities would be so many zeros.
void IslandStepper::keepBallsFromTurning() {
  turning_.clear();
  for (const int k : used_) {
    const ContactMemory* entry = memoryOf(contacts_[at(k)].key);
    if (entry && entry->anchored) turning_.insert(turning_.end(), {contacts_[at(k)].bodyA, contacts_[at(k)].bodyB});
  }
  for (const ConstraintRows::Row& row : rows_.rows()) turning_.insert(turning_.end(), {row.bodyA, row.bodyB});
  std::sort(turning_.begin(), turning_.end());
  for (const int body : assembly_.bodies())
    if (setup_->isBall[at(body)] && !std::binary_search(turning_.begin(), turning_.end(), body)) assembly_.keepFromTurning(body);
}

void IslandStepper::assembleProjection(double h) {
  double widest = deepest(), largest = 0;
  bend_ = 0, finest_ = std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts_)
    if (hasParted(contact, h)) widest = std::max(widest, contact.gap);
  const double reach = 10.0 * widest;
  used_.clear();
  assembly_.setBodies(region_);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    if (leftOut(contacts_[k].key) || (assembly_.blockOf(contacts_[k].bodyA) < 0 && assembly_.blockOf(contacts_[k].bodyB) < 0)) continue;
    const ContactMemory* entry = memoryOf(contacts_[k].key);
    if (contacts_[k].gap <= reach || (entry && entry->anchored) || touching(contacts_[k])) used_.push_back(static_cast<int>(k));
  }
  keepBallsFromTurning();
  assembly_.buildMass(local_);
  assembly_.buildContacts(local_, contacts_, used_);
  ContactProblem& problem = assembly_.problem;
  problem.mu.setZero();
  problem.w.setZero();
  problem.f.setZero(problem.dof());
  iterate_.r.setZero(3 * problem.contacts());  // the load, which is nearly the answer
  rowTargets_.clear();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const Contact& contact = contacts_[at(used_[k])];
    const double limit = farthest(pairSize(contact.key), h);
    problem.w[static_cast<Eigen::Index>(3 * k)] = std::max(contact.gap, -limit);
    const double pressing = iterate_.r[static_cast<Eigen::Index>(3 * k)] = h * load(contact, h);
    const double way = std::clamp(pressing > 0 ? std::abs(contact.gap) : -contact.gap, 0.0, limit);
    largest = std::max(largest, way);
    bend_ = std::max(bend_, way * way / pairSize(contact.key));
    finest_ = std::min(finest_, pairSize(contact.key));
    const ContactMemory* entry = memoryOf(contact.key);
    if (!entry || !entry->anchored) continue;
    for (int t = 1; t <= 2; ++t) {
      const Vector3 direction = assembly_.frames[k].col(t);
      assembly_.addTangentRow(local_, contact, direction);
      rowTargets_.push_back(std::clamp(entry->anchor.dot(direction), -limit, limit));
      largest = std::max(largest, std::abs(rowTargets_.back()));
    }
  }
  const int anchors = problem.rows(), contacts = problem.contacts();
  largest = std::max(largest, enterProjectionRows(h, reach));
  iterate_.r.conservativeResize(3 * problem.contacts());
  iterate_.r.tail(3 * (problem.contacts() - contacts)).setZero();
  problem.b = Eigen::Map<const VectorX>{rowTargets_.data(), static_cast<Eigen::Index>(rowTargets_.size())};
  problem.C.setZero(problem.rows());
  for (int j = 0; j < anchors; ++j) problem.C[j] = kCompliance * assembly_.inverseMass(problem.G, j);
  problem.wScale.setZero();
  problem.scaleFloor = largest;
  multiplyAdd(problem.H, iterate_.r, problem.f);
  problem.f = -problem.f;
}

/// Moves the region's bodies; returns the longest way of any of their points [m].
double IslandStepper::applyProjection() {
  EnergyLedger& ledger = result_->report.ledger;
  clearMotion();
  double longest = 0;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const int body = assembly_.bodies()[k];
    const BodyInertia& inertia = setup_->inertias[at(body)];
    const int row = assembly_.rowOf(static_cast<int>(k));
    const auto energy = [&] { return kineticEnergy(inertia, local_.rotation[at(body)], local_.velocity[at(body)], local_.angularVelocity[at(body)]); };
    const double before = energy();
    Motion& motion = motion_[at(body)];
    const bool turns = assembly_.turns(static_cast<int>(k));
    motion = {iterate_.v.segment<3>(row), turns ? Vector3{iterate_.v.segment<3>(row + 3)} : Vector3{Vector3::Zero()}};
    const Vector3 start = local_.position[at(body)];
    local_.position[at(body)] += motion.shift;
    if (turns) local_.rotation[at(body)] = (expRotation(motion.turn) * local_.rotation[at(body)]).normalized();
    motion.shift = local_.position[at(body)] - start;
    const double potential = potentialChange(*setup_->model, inertia, body, motion.shift);
    ledger.potentialChange += potential;
    ledger.stabilisation += potential + energy() - before;
    longest = std::max(longest, motion.shift.norm() + motion.turn.norm() * setup_->bodySize[at(body)]);
  }
  return longest;
}

/// How exactly a pass is solved [-] of the certificate's scale [m]. Constraints that users hold the island by stay as exact as can be.
double IslandStepper::polishOfPass(double scale) const {
  if (!rows_.empty()) return kPolish;
  return std::clamp(std::max(bend_, kFine * stays() * finest_) / scale, kPolish, kCoarse);
}

void IslandStepper::project(double h) {
  for (const Contact& contact : contacts_)
    if (ContactMemory* entry = memoryOf(contact.key)) entry->mended = entry->mended && !moved(contact.bodyA, h) && !moved(contact.bodyB, h);
  parted_ = kParted;
  Faults faults = chooseRegion(h);
  bool stuck = false;
  for (int pass = 0; pass < kPasses && !region_.empty() && !stuck; ++pass) {
    assembleProjection(h);
    const ContactProblem& problem = assembly_.problem;
    iterate_.v.setZero(problem.dof());
    iterate_.lambda.setZero(problem.rows());
    SolveOptions options;
    projectionCertifier_.prepare(problem);
    options.polish = polishOfPass(projectionCertifier_.scale());
    options.tolerance = std::max(kTolerance, options.polish);
    options.warm = true;
    options.thorough = false;  // the next step corrects what is left
    options.deadline.calledOff = calledOff_;
    options.scale = projectionCertifier_.scale();
    const PortfolioReport report = projector_.solve(problem, iterate_, options, projectionCertifier_);
    if (!(report.certificate.relative <= kUseful)) break;
    const double way = applyProjection();
    startContacts_.swap(contacts_);
    contacts_.clear();
    fresh_ = false;
    detect();
    followAnchors(0.0);
    parted_ = kStillParted;
    const bool wasWhole = region_.size() == bodies_.size();
    const Faults before = faults;
    faults = chooseRegion(h);
    const bool isIdle = way <= kHeadway * before.way || (faults.overlap <= std::max(kStray, stays()) && faults.way > kGain * before.way);
    stuck = isIdle && (!faults.hasGaps || wasWhole || pass + 1 == kPasses);
    if (isIdle && !region_.empty()) region_ = bodies_;
  }
  assembly_.setBodies(bodies_);
  for (const Contact& contact : contacts_) {
    if (ContactMemory* entry = memoryOf(contact.key))
      entry->mended = entry->mended || stuck || fault(contact, h) == 0;
    else if (stuck && fault(contact, h) > 0)  // without load: it needs a memory to be left alone by
      addMemory(result_->report.memory, {contact.key, contact.normal, Vector3::Zero(), h, Vector3::Zero(), false, true});
  }
}

}  // namespace stiction
