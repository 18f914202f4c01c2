#include "integrate/Encounters.hpp"

#include <algorithm>
#include <limits>

#include "integrate/HeldContacts.hpp"
#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr int kRounds = 3;          // repetitions of a (sub)step, of either kind
constexpr double kMissed = 1e-3;    // [-] of the pair's size: overlap at the end that was missed
constexpr double kNear = 1e-3;      // [-] of the thinner geom's half width: what is that near at the start is not passed
constexpr double kApart = 0.05;     // [-] of it: pairs that press and end so far apart have passed,
constexpr double kApartFew = 1e-3;  // [-] or so far, where repetitions cost little
constexpr double kFarApart =
    0.25;  // [-] of the pair's size: gap at the end of a pair that presses and does touch on its way, from which on the (sub)step is too long
constexpr double kTouched = 1e-3;  // [-] of the thinner geom's half width: depth by which two have touched that were free to pass,
constexpr double kDeep = 0.1;      // [-] and by which one has run into the other
constexpr double kCareful = 0.02;  // [-] of it: the way between two looks where they touch, in the first case,
constexpr double kBold = 0.5;      // [-] and in the second
constexpr double kShort = 0.1;     // [-] of it: a way on which none goes deep by touching one that it ends beside

constexpr double kMet = 1e-3;    // [-] of it: as near as that two that bounce have met,
constexpr double kBeside = 0.1;  // [-] and what is that near then are other contacts of theirs
constexpr int kSharpLooks = 3;   // by Newton's method, from there on
constexpr int kLooks = 256;      // on one way

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool before(const Contact& contact, const FeatureKey& key) { return contact.key < key; }

/// [-] of its distance from the axis: how far a point gets off the way that it sets out on, at most.
double bend(const Vector3& turn) { return 0.5 * turn.squaredNorm(); }

/// [m] of the contacts of the same two geoms; infinite without any.
double leastGap(const ContactSet& contacts, const FeatureKey& key) {
  double gap = std::numeric_limits<double>::infinity();
  auto entry = std::lower_bound(contacts.begin(), contacts.end(), FeatureKey{key.geomA, key.geomB, 0}, before);
  for (; entry != contacts.end() && samePair(entry->key, key); ++entry) gap = std::min(gap, entry->gap);
  return gap;
}

}  // namespace

Encounters::Encounters(Island& island, const IslandProblem& problem, const IslandSolver& solver) : island_{&island}, problem_{&problem}, solver_{&solver} {}

Pose Encounters::Way::at(double share) const { return {start.position + share * shift, (expRotation(share * turn) * start.rotation).normalized()}; }

void Encounters::begin() {
  missedRounds_ = passedRounds_ = 0;
  free_.clear();
  joined_.clear();
}

Encounters::Finding Encounters::compare(const Island::Moment& before, double h, bool last) {
  missed_.clear();
  if (island_->startContacts.empty() || findMet(before, h)) return Finding::Agree;
  if (missedRounds_ < kRounds) {
    const bool isThrough = findMissed(before);
    if (isThrough && !last) return Finding::TooLong;
    if (!missed_.empty()) {
      ++missedRounds_;
      return Finding::Repeat;
    }
  }
  if (last) return Finding::Agree;
  if (const Finding finding = findPassed(before, h); finding != Finding::Agree) return finding;
  return haveRunThrough(before, h) ? Finding::TooLong : Finding::Agree;
}

/// Only where contacts bounce within the (sub)step.
void Encounters::foresee(double h) {
  if (!island_->bouncing || island_->bouncing->law == ImpactLaw::Inelastic) return;
  ContactSet& contacts = island_->contacts;
  for (std::size_t k = 0; k < contacts.size();) {
    const FeatureKey key = contacts[k].key;
    std::size_t end = k;
    bool isOpen = !mayPass(key), closes = false;
    for (; end < contacts.size() && samePair(contacts[end].key, key); ++end) {
      const Contact& contact = contacts[end];
      const double rate = normalVelocity(island_->state, contact);
      isOpen = isOpen && contact.restitution > 0 && !island_->touching(contact) && std::find(joined_.begin(), joined_.end(), contact.key) == joined_.end();
      closes = closes || (rate < -island_->bouncing->threshold && contact.gap + h * rate < 0);
    }
    if (isOpen && closes && findMeeting(key, h)) {
      const auto place = contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(k), contacts.begin() + static_cast<std::ptrdiff_t>(end));
      contacts.insert(place, contacts_.begin(), contacts_.end());
      end = k + contacts_.size();
    }
    k = end;
  }
}

/// The contacts of the pair where it meets on the way of forces alone, into contacts_: along their normals there, with the levers that the points have there, and gaps that close then. False where
/// it does not meet.
bool Encounters::findMeeting(const FeatureKey& key, double h) {
  const auto found = std::find_if(island_->pairs.begin(), island_->pairs.end(), [&](const CandidatePair& p) { return samePair({p.geomA, p.geomB, 0}, key); });
  if (found == island_->pairs.end()) return false;
  const Way a = wayAhead(key.geomA, h), b = wayAhead(key.geomB, h);
  const double length = lengthOf(*found, a, b), width = halfWidth(key);
  pair_.assign(1, *found);
  double way = 0, share = 0, gap = 0;
  bool meets = false;
  for (int look = 0; look < kLooks && way < length && !meets; ++look) {
    share = way / length;
    gap = gapAt(share, a, b, std::max(length - way, kBeside * width));
    meets = gap <= kMet * width;
    way += std::max(gap, 0.5 * kMet * width);
  }
  for (int look = 0; look < kSharpLooks && meets && !contacts_.empty(); ++look) {
    const auto nearest = std::min_element(contacts_.begin(), contacts_.end(), [](const Contact& p, const Contact& q) { return p.gap < q.gap; });
    const double rate = normalVelocity(island_->state, *nearest);
    if (rate >= 0) break;
    share = std::clamp(share - gap / (h * rate), 0.0, 1.0);
    gap = gapAt(share, a, b, kBeside * width);
  }
  const Pose metA = a.at(share), metB = b.at(share);
  putAt(a, a.start);
  putAt(b, b.start);
  for (Contact& contact : contacts_) {
    const Vector3 half = 0.5 * contact.gap * contact.normal;
    const Vector3 onA = contact.point - half + a.start.position - metA.position, onB = contact.point + half + b.start.position - metB.position;
    const double rate = contact.normal.dot(island_->state.velocityAt(contact.bodyB, onB) - island_->state.velocityAt(contact.bodyA, onA));
    contact.point = 0.5 * (onA + onB);
    contact.across = onB - onA;
    contact.gap = rate < 0 ? contact.gap - share * h * rate : contact.normal.dot(contact.across);
  }
  return meets && !contacts_.empty();
}

/// Timed contacts that were open, did not wait, and overlap at the end: the trial is to be taken back.
bool Encounters::findMet(const Island::Moment& before, double h) {
  ClosingContacts& closing = island_->closing;
  bool found = false;
  for (const Contact& end : island_->contacts) {
    const double touch = Island::kTouch * island_->pairSize(end.key), bends = bendOf(end.key.geomA, h) + bendOf(end.key.geomB, h);
    if (end.gap > -touch || seenFromStart(before, end).gap + bends < -touch) continue;
    const double mean = (end.gap - std::max(leastGap(island_->startContacts, end.key), 0.0) - bends) / h;
    if (!closing.shouldWait(*island_, end, std::min(normalVelocity(island_->state, end), mean)) || pressed(end.key)) continue;
    closing.add(end.key);
    found = true;
  }
  return found;
}

/// Whether the contact touched at the start and carried load.
bool Encounters::pressed(const FeatureKey& key) const {
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const Contact& contact = island_->startContacts[at(problem_->used[k])];
    if (contact.key == key) return island_->touching(contact) && solver_->isLoaded(k);
  }
  return false;
}

/// Into missed_. Whether there are some more that two show which have gone through each other.
bool Encounters::findMissed(const Island::Moment& before) {
  bool isThrough = false;
  for (const Contact& end : island_->contacts) {
    if (end.gap > -kMissed * island_->pairSize(end.key) || island_->closing.contains(end.key)) continue;
    if (findContact(island_->startContacts, end.key) != nullptr && !isFree(end.key)) continue;
    if (isBehind(end))
      isThrough = true;
    else
      missed_.push_back(seenFromStart(before, end));
  }
  return isThrough;
}

/// Whether it pushes against all contacts that the pair had: the two have gone through each other. Both sides at once would clamp them, by any impulse.
bool Encounters::isBehind(const Contact& end) const {
  const ContactSet& contacts = island_->startContacts;
  auto entry = std::lower_bound(contacts.begin(), contacts.end(), FeatureKey{end.key.geomA, end.key.geomB, 0}, stiction::before);
  if (entry == contacts.end() || !samePair(entry->key, end.key)) return false;
  for (; entry != contacts.end() && samePair(entry->key, end.key); ++entry)
    if (entry->normal.dot(end.normal) >= 0) return false;
  return true;
}

/// The contact of its two points where these were, along its normal.
Contact Encounters::seenFromStart(const Island::Moment& before, const Contact& end) const {
  const Vector3 half = 0.5 * end.gap * end.normal;
  const auto atStart = [&](int body, const Vector3& point) -> Vector3 {
    const Pose* start = before.poseOf(body);
    return start == nullptr ? point : *start * (island_->state.pose(body).inverse() * point);
  };
  const Vector3 onA = atStart(end.bodyA, end.point - half), onB = atStart(end.bodyB, end.point + half);
  Contact contact = end;
  contact.point = 0.5 * (onA + onB);
  contact.gap = end.normal.dot(onB - onA);
  return contact;
}

void Encounters::addMissed() {
  ContactSet& contacts = island_->contacts;
  for (const Contact& contact : missed_) {
    const auto place = std::lower_bound(contacts.begin(), contacts.end(), contact.key, stiction::before);
    if (place != contacts.end() && place->key == contact.key)
      *place = contact;
    else
      contacts.insert(place, contact);
    joined_.push_back(contact.key);
  }
}

/// A relaxed law may itself have pairs part that press.
Encounters::Finding Encounters::findPassed(const Island::Moment& before, double h) {
  if (passedRounds_ == kRounds || island_->setup->options->law != Law::Coulomb) return Finding::Agree;
  const double apart = island_->timed ? kApartFew : kApart;
  const std::size_t known = free_.size();
  bool isTooLong = false;
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const Contact& contact = island_->startContacts[at(problem_->used[k])];
    const FeatureKey& key = contact.key;
    const double width = halfWidth(key);
    const bool wasForeseen = !contact.across.isZero(0.0);
    if (wasForeseen || contact.gap <= kNear * width || mayPass(key) || !solver_->isLoaded(k)) continue;
    const double gap = leastGap(island_->contacts, key);
    if (gap <= apart * width) continue;
    if (passesBy(before, key, h))
      free_.push_back(key);
    else if (!island_->bouncing || contact.restitution <= 0)
      isTooLong = isTooLong || gap > kFarApart * island_->pairSize(key);
  }
  if (free_.size() > known) {
    ++passedRounds_;
    return Finding::Repeat;
  }
  return isTooLong ? Finding::TooLong : Finding::Agree;
}

bool Encounters::isFree(const FeatureKey& key) const { return mayPass(key) && std::find(joined_.begin(), joined_.end(), key) == joined_.end(); }

bool Encounters::mayPass(const FeatureKey& key) const {
  return std::any_of(free_.begin(), free_.end(), [&](const FeatureKey& free) { return samePair(free, key); });
}

/// [m] of the thinner one.
double Encounters::halfWidth(const FeatureKey& key) const {
  const std::vector<double>& widths = island_->setup->geomHalfWidth;
  return std::min(widths[at(key.geomA)], widths[at(key.geomB)]);
}

/// Whether two bodies have run into each other somewhere on their way, or touched where they were free, beyond what they overlapped by before. The overlap of a pair that waits for its
/// impact does not count: the island's closing contacts take note of it.
bool Encounters::haveRunThrough(const Island::Moment& before, double h) {
  const StepSetup& setup = *island_->setup;
  const auto turnsFar = [&](int body) { return bend(turnOf(body, h)) * setup.bodyArm[at(body)] > kDeep * setup.thinnest; };
  const auto some = [&](const std::vector<int>& bodies) { return std::any_of(bodies.begin(), bodies.end(), turnsFar); };
  if (free_.empty() && island_->closing.empty() && !some(island_->bodies) && !some(island_->kinematic)) return false;
  bool found = false;
  for (const CandidatePair& pair : island_->pairs) {
    const FeatureKey key{pair.geomA, pair.geomB, 0};
    const bool waits = island_->closing.waits(key), touch = waits || mayPass(key);
    if (!touch && bendOf(pair.geomA, h) + bendOf(pair.geomB, h) <= kDeep * halfWidth(key)) continue;
    if (!runInto(pair, wayOf(before, pair.geomA, h), wayOf(before, pair.geomB, h), touch)) continue;
    if (waits)
      island_->closing.notePassing();
    else
      found = !nowWaits(key) || found;
  }
  return found;
}

/// Whether the pair, which was run into on the way, waits from the next trial on: where it is timed, and did not touch at the start or was about to part.
bool Encounters::nowWaits(const FeatureKey& pair) {
  bool isKnown = false;
  for (const Contact& contact : island_->startContacts) {
    if (!samePair(contact.key, pair)) continue;
    if (!island_->closing.shouldWait(*island_, contact, -std::numeric_limits<double>::infinity())) return false;
    isKnown = true;
  }
  if (isKnown) island_->closing.add(pair);
  return isKnown;
}

/// Whether the two do not touch on the way that forces alone would take them.
bool Encounters::passesBy(const Island::Moment& before, const FeatureKey& key, double h) {
  const CandidatePair pair{key.geomA, key.geomB, 0, 0, 0};
  return !runInto(pair, freeWayOf(before, key.geomA, h), freeWayOf(before, key.geomB, h), true);
}

Vector3 Encounters::turnOf(int body, double h) const {
  switch (island_->kind(body)) {
    case BodyKind::Dynamic: return island_->motion[at(body)].turn;
    case BodyKind::Kinematic: return h * island_->state.angularVelocity[at(body)];
    case BodyKind::Static: break;
  }
  return Vector3::Zero();
}

/// [m] by which points of the geom get off the way that they set out on, at most.
double Encounters::bendOf(int geom, double h) const { return bend(turnOf(island_->setup->model->geoms[at(geom)].body, h)) * island_->setup->geomArm[at(geom)]; }

Encounters::Way Encounters::wayOf(const Island::Moment& before, int geom, double h) const {
  Way way;
  way.body = island_->setup->model->geoms[at(geom)].body;
  way.start = way.end = island_->state.pose(way.body);
  if (const Pose* start = before.poseOf(way.body)) way.start = *start;
  way.shift = way.end.position - way.start.position;
  way.turn = turnOf(way.body, h);
  return way;
}

Encounters::Way Encounters::freeWayOf(const Island::Moment& before, int geom, double h) const {
  Way way = wayOf(before, geom, h);
  if (island_->kind(way.body) == BodyKind::Dynamic) goFreely(way, h);
  return way;
}

/// From where the bodies are.
Encounters::Way Encounters::wayAhead(int geom, double h) const {
  Way way;
  way.body = island_->setup->model->geoms[at(geom)].body;
  way.start = way.end = island_->state.pose(way.body);
  if (island_->kind(way.body) == BodyKind::Dynamic) {
    goFreely(way, h);
  } else if (island_->kind(way.body) == BodyKind::Kinematic) {
    way.shift = h * island_->state.velocity[at(way.body)];
    way.turn = turnOf(way.body, h);
  }
  return way;
}

void Encounters::goFreely(Way& way, double h) const {
  const Twist twist = problem_->twistOf(problem_->assembly.blockOf(way.body), problem_->vFree);
  way.shift = h * twist.linear;
  way.turn = h * twist.angular;
}

/// [m] at most that any point of one moves against the other.
double Encounters::lengthOf(const CandidatePair& pair, const Way& a, const Way& b) const {
  const StepSetup& setup = *island_->setup;
  return (b.shift - a.shift).norm() + a.turn.norm() * setup.geomArm[at(pair.geomA)] + b.turn.norm() * setup.geomArm[at(pair.geomB)];
}

void Encounters::putAt(const Way& way, const Pose& pose) {
  island_->state.position[at(way.body)] = pose.position;
  island_->state.rotation[at(way.body)] = pose.rotation;
}

/// Whether the geoms touch, or run into each other, beyond what they overlap by at the start; also where so many looks do not tell. Bodies go straight and turn evenly; the way between two
/// looks is what lies between the geoms, but no less than the stride.
bool Encounters::runInto(const CandidatePair& pair, const Way& a, const Way& b, bool touch) {
  const double length = lengthOf(pair, a, b), width = halfWidth({pair.geomA, pair.geomB, 0}), stride = (touch ? kCareful : kBold) * width;
  double allowed = (touch ? kTouched : kDeep) * width;
  bool runs = false;
  if (touch && length <= kShort * width) return false;
  pair_.assign(1, pair);
  double way = 0;
  for (int look = 0; way < length && !runs; ++look) {
    const double gap = gapAt(way / length, a, b, length - way);
    if (look == 0) allowed += std::max(-gap, 0.0);
    runs = gap < -allowed || look == kLooks;
    way += std::max(gap, stride);
  }
  putAt(a, a.end);
  putAt(b, b.end);
  return runs;
}

/// [m] of the pair after a share of the way; infinite beyond `reach`.
double Encounters::gapAt(double share, const Way& a, const Way& b, double reach) {
  putAt(a, a.at(share));
  putAt(b, b.at(share));
  pair_.front().reach = reach;
  island_->setup->detector->narrowPhase(island_->state, pair_, contacts_);
  leaveOutHeld(*island_->setup, island_->state, contacts_);
  double gap = std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts_) gap = std::min(gap, contact.gap);
  return gap;
}

}  // namespace stiction
