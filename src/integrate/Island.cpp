#include "integrate/Island.hpp"

#include <algorithm>

#include "integrate/HeldContacts.hpp"

namespace stiction {
namespace {

constexpr std::size_t kFew = 16;            // contacts of an island
constexpr double kStays = 1e-10;            // [-] of the pair's size: what may stay out of place,
constexpr double kStaysAtTolerance = 1e-2;  // [-] or this times the step's tolerance: one that may be wrong by more in its velocities has no use for less,
constexpr double kMostStays = 1e-4;         // [-] but none above that

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void copyBody(const WorldState& from, int body, WorldState& to) {
  to.position[at(body)] = from.position[at(body)];
  to.rotation[at(body)] = from.rotation[at(body)];
  to.velocity[at(body)] = from.velocity[at(body)];
  to.angularVelocity[at(body)] = from.angularVelocity[at(body)];
}

}  // namespace

const Pose* Island::Moment::poseOf(int body) const {
  const auto entry = std::find_if(bodies.begin(), bodies.end(), [body](const BodyState& e) { return e.body == body; });
  return entry == bodies.end() ? nullptr : &entry->pose;
}

Island::Island(const StepSetup& stepSetup) : setup{&stepSetup}, state{makeState(*stepSetup.model)}, motion(stepSetup.model->bodies.size()) {
  state.rotorRate.resize(at(coordinates(*stepSetup.model)), Vector3::Zero());
}

void Island::begin(const Islands& islands, int island, const WorldState& start, const std::vector<ContactMemory>& memory, double h) {
  step = h;
  stepNumber = start.stepCount;
  time = start.time;
  const auto take = [](const auto& from, auto& to) { to.assign(from.begin(), from.end()); };
  take(islands.bodiesOf(island), bodies);
  take(islands.pairsOf(island), pairs);
  take(islands.contactsOf(island), contacts);
  take(islands.heldOf(island), held);
  fresh = true;
  timed = contacts.size() <= kFew && setup->options->law == Law::Coulomb;
  closing.reset();
  bouncing.reset();
  for (const int body : bodies) copyBody(start, body, state);
  kinematic.clear();
  const auto know = [&](int body) {
    if (kind(body) != BodyKind::Kinematic || std::find(kinematic.begin(), kinematic.end(), body) != kinematic.end()) return;
    kinematic.push_back(body);
    copyBody(start, body, state);
  };
  for (const Contact& contact : contacts)
    for (const int body : {contact.bodyA, contact.bodyB}) know(body);
  mobilizers.clear();
  acting.clear();
  joints.clear();
  for (const int id : held) {
    const HeldConstraint& constraint = setup->held[at(id)];
    if (constraint.coordinate >= 0) acting.push_back(constraint.coordinate);
    if (constraint.mobilizer < 0 || constraint.limit != nullptr) continue;
    mobilizers.push_back(constraint.mobilizer);
    const JointMotion& mobilizer = setup->motions[at(constraint.mobilizer)];
    for (int j = 0; j < mobilizer.joints(); ++j) joints.push_back(mobilizer.firstJoint() + j);
  }
  joints.insert(joints.end(), acting.begin(), acting.end());
  for (const int joint : joints) {
    state.jointPosition[at(joint)] = start.jointPosition[at(joint)];
    state.rotorRate[at(joint)] = start.rotorRate[at(joint)];
  }
  for (const int id : held) setup->held[at(id)].eachBody(know);
  selectMemory(memory, pairs, report().memory);
}

void Island::copy(const Island& other, IslandResult& to) {
  result = &to;
  step = other.step;
  stepNumber = other.stepNumber;
  timed = other.timed;
  bouncing = other.bouncing;
  pairs = other.pairs;
  bodies = other.bodies;
  kinematic = other.kinematic;
  held.clear();
  mobilizers.clear();
  acting.clear();
  joints.clear();
  closing.reset();
  Moment now;
  other.save(now);
  restore(now);
  to.report.iterations = to.report.factorisations = 0;
}

void Island::write(WorldState& next) const {
  for (const int body : bodies) copyBody(state, body, next);
  for (const int joint : joints) next.rotorRate[at(joint)] = state.rotorRate[at(joint)];
}

void Island::save(Moment& moment) const {
  moment.bodies.clear();
  const auto keep = [&](int body) { moment.bodies.push_back({body, state.pose(body), state.velocity[at(body)], state.angularVelocity[at(body)]}); };
  for (const int body : bodies) keep(body);
  for (const int body : kinematic) keep(body);
  moment.contacts = contacts;
  moment.report = report();
  moment.rotors.clear();
  for (const int joint : joints) moment.rotors.push_back(state.rotorRate[at(joint)]);
  moment.time = time;
}

void Island::restore(const Moment& moment) {
  for (const BodyState& entry : moment.bodies) {
    state.position[at(entry.body)] = entry.pose.position;
    state.rotation[at(entry.body)] = entry.pose.rotation;
    state.velocity[at(entry.body)] = entry.velocity;
    state.angularVelocity[at(entry.body)] = entry.angularVelocity;
  }
  for (std::size_t k = 0; k < joints.size(); ++k) state.rotorRate[at(joints[k])] = moment.rotors[k];
  contacts = moment.contacts;
  fresh = true;
  report() = moment.report;
  time = moment.time;
}

void Island::takeBack(const Moment& moment) {
  report().memory.swap(trialMemory);
  report().rowForces.swap(trialForces);
  restore(moment);
  takeAnchors(moment.report.memory, trialMemory);
  report().memory.swap(trialMemory);
  report().rowForces.swap(trialForces);
}

void Island::detect() {
  if (fresh || pairs.empty()) return;
  setup->detector->narrowPhase(state, pairs, contacts, team);
  leaveOutHeld(*setup, state, contacts);
  fresh = true;
}

void Island::leaveContacts() {
  startContacts.swap(contacts);
  contacts.clear();
  fresh = false;
}

void Island::clearMotion() {
  for (const int body : bodies) motion[at(body)] = {};
}

double Island::pairSize(const FeatureKey& key) const { return std::min(setup->geomSize[at(key.geomA)], setup->geomSize[at(key.geomB)]); }

double Island::stays() const { return std::clamp(kStaysAtTolerance * setup->options->tolerance, kStays, kMostStays); }

Island::Motion Island::motionOf(int body, double h) const {
  if (kind(body) == BodyKind::Dynamic) return motion[at(body)];
  if (kind(body) != BodyKind::Kinematic) return {};
  return {h * state.velocity[at(body)], h * state.angularVelocity[at(body)]};
}

Vector3 Island::anchorAfter(const ContactMemory& entry, const Contact& start, const Contact* end, double h) const {
  const auto displacement = [&](int body) -> Vector3 {
    const Motion way = motionOf(body, h);
    const Vector3& position = state.position[at(body)];
    const Vector3 lever = start.point - (position - way.shift);
    const Vector3 later = end != nullptr ? Vector3{end->point - position} : lever;
    return way.shift + way.turn.cross(0.5 * (lever + later));
  };
  const Vector3 d = entry.anchor + displacement(start.bodyB) - displacement(start.bodyA);
  const Vector3& normal = end != nullptr ? end->normal : start.normal;
  return d - normal * normal.dot(d);
}

double Island::deepest() const {
  double depth = 0;
  for (const Contact& contact : contacts) depth = std::max(depth, -contact.gap);
  return depth;
}

double Island::freeFall(double h) const { return 0.5 * h * h * setup->model->gravity.norm(); }

double Island::energyOf(int body) const {
  return kineticEnergy(inertia(body), state.rotation[at(body)], state.velocity[at(body)], state.angularVelocity[at(body)]);
}

bool Island::surfacesMove() const {
  return std::any_of(kinematic.begin(), kinematic.end(),
                     [&](int body) { return !state.velocity[at(body)].isZero(0.0) || !state.angularVelocity[at(body)].isZero(0.0); });
}

bool Island::isFinite() const {
  return std::all_of(bodies.begin(), bodies.end(), [&](int body) {
    return state.position[at(body)].allFinite() && state.rotation[at(body)].coeffs().allFinite() && state.velocity[at(body)].allFinite() &&
           state.angularVelocity[at(body)].allFinite();
  });
}

}  // namespace stiction
