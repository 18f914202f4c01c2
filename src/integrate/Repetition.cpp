#include "integrate/Repetition.hpp"

#include <algorithm>

#include "assembly/ContactHistory.hpp"

namespace stiction {
namespace {

constexpr auto kSame = [](const auto& a, const auto& b) { return sameBits(a, b); };

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// visit(coordinate) of the model, of all joints, tendons and thrusters of the held constraints.
template <class Visit>
void eachCoordinate(const Model& model, const std::vector<HeldConstraint>& all, std::span<const int> held, const Visit& visit) {
  for (const int id : held) {
    if (all[at(id)].coordinate >= 0) visit(all[at(id)].coordinate);
    if (all[at(id)].mobilizer < 0 || all[at(id)].limit != nullptr) continue;
    const Mobilizer& mobilizer = model.mobilizers[at(all[at(id)].mobilizer)];
    for (int j = 0; j < mobilizer.joints; ++j) visit(mobilizer.firstJoint + j);
  }
}

}  // namespace

Repetition::BodyStart Repetition::bodyStart(const Start& start, int body) {
  const auto i = static_cast<std::size_t>(body);
  return {body, start.state.pose(body), start.state.velocity[i], start.state.angularVelocity[i], start.loads.force[i], start.loads.torque[i]};
}

Repetition::JointStart Repetition::jointStart(const WorldState& state, int joint) {
  const auto j = static_cast<std::size_t>(joint);
  return {joint, state.jointPosition[j], state.rotorRate[j], state.jointForce[j]};
}

bool Repetition::mayRepeat(const Start& start) {
  return std::ranges::all_of(start.islands.heldOf(start.island), [&](int id) { return start.held[at(id)].isOfJoint(); });
}

bool Repetition::endedOnStart(const Start& start, const WorldState& end) {
  const auto sameJoint = [&](int joint) {
    const JointStart before = jointStart(start.state, joint), after = jointStart(end, joint);
    return sameBits(before.rotorRate, after.rotorRate) && sameBits(before.force, after.force);
  };
  const auto sameRows = [&](int id) {
    const auto first = static_cast<std::ptrdiff_t>(start.held[at(id)].firstRow), last = first + start.held[at(id)].dimension;
    return std::equal(start.state.rowForces.begin() + first, start.state.rowForces.begin() + last, end.rowForces.begin() + first, kSame);
  };
  bool same = std::ranges::all_of(start.islands.bodiesOf(start.island), [&](int body) { return sameBits(start.state, end, body); });
  same = same && std::ranges::all_of(start.islands.heldOf(start.island), sameRows);
  eachCoordinate(start.model, start.held, start.islands.heldOf(start.island), [&](int joint) { same = same && sameJoint(joint); });
  return same;
}

void Repetition::keep(const Start& start, const WorldState& end, const std::vector<ContactMemory>& memory) {
  kept_ = false;
  if (!mayRepeat(start) || !endedOnStart(start, end)) return;
  const std::span<const CandidatePair> pairs = start.islands.pairsOf(start.island);
  pairs_.assign(pairs.begin(), pairs.end());
  selectMemory(start.memory, pairs_, memory_);
  if (!std::ranges::equal(memory_, memory, kSame)) return;
  const std::span<const Contact> contacts = start.islands.contactsOf(start.island);
  contacts_.assign(contacts.begin(), contacts.end());
  bodies_.clear();
  for (const int body : start.islands.bodiesOf(start.island)) bodies_.push_back(bodyStart(start, body));
  dynamic_ = bodies_.size();
  for (const Contact& contact : contacts_)
    for (const int body : {contact.bodyA, contact.bodyB}) keepOther(start, body);
  keepJoints(start);
  h_ = start.h;
  kept_ = true;
}

/// A kinematic body that the island meets, or hangs on.
void Repetition::keepOther(const Start& start, int body) {
  const bool known = std::any_of(bodies_.begin() + static_cast<std::ptrdiff_t>(dynamic_), bodies_.end(), [&](const BodyStart& b) { return b.body == body; });
  if (start.model.bodies[at(body)].kind == BodyKind::Kinematic && !known) bodies_.push_back(bodyStart(start, body));
}

void Repetition::keepJoints(const Start& start) {
  const std::span<const int> held = start.islands.heldOf(start.island);
  held_.assign(held.begin(), held.end());
  rowForces_.clear();
  joints_.clear();
  drives_.clear();
  for (const int id : held_) {
    const HeldConstraint& constraint = start.held[at(id)];
    constraint.eachBody([&](int body) { keepOther(start, body); });
    const auto first = start.state.rowForces.begin() + constraint.firstRow;
    rowForces_.insert(rowForces_.end(), first, first + constraint.dimension);
  }
  eachCoordinate(start.model, start.held, held_, [&](int joint) { joints_.push_back(jointStart(start.state, joint)); });
  if (joints_.empty()) return;
  for (std::size_t k = 0; k < start.model.actuators.size(); ++k)
    if (std::ranges::any_of(joints_, [&](const JointStart& joint) { return joint.joint == coordinateOf(start.model, start.model.actuators[k]); }))
      drives_.emplace_back(static_cast<int>(k), start.loads.drive[k]);
}

bool Repetition::holdJoints(const Start& start) const {
  if (!std::ranges::equal(start.islands.heldOf(start.island), held_)) return false;
  std::size_t row = 0;
  for (const int id : held_)
    for (int k = 0; k < start.held[at(id)].dimension; ++k)
      if (!sameBits(start.state.rowForces[at(start.held[at(id)].firstRow + k)], rowForces_[row++])) return false;
  const auto sameJoint = [&](const JointStart& then) {
    const JointStart now = jointStart(start.state, then.joint);
    return sameBits(now.position, then.position) && sameBits(now.rotorRate, then.rotorRate) && sameBits(now.force, then.force);
  };
  return std::ranges::all_of(joints_, sameJoint) &&
         std::ranges::all_of(drives_, [&](const auto& drive) { return sameBits(start.loads.drive[at(drive.first)], drive.second); });
}

bool Repetition::holds(const Start& start) const {
  if (!kept_ || !sameBits(start.h, h_) || !mayRepeat(start)) return false;
  const std::span<const int> bodies = start.islands.bodiesOf(start.island);
  if (bodies.size() != dynamic_ || !std::ranges::equal(bodies, std::span{bodies_.data(), dynamic_}, {}, {}, &BodyStart::body)) return false;
  for (const BodyStart& then : bodies_) {
    const BodyStart now = bodyStart(start, then.body);
    if (!sameBits(now.pose, then.pose) || !sameBits(now.velocity, then.velocity) || !sameBits(now.angularVelocity, then.angularVelocity) ||
        !sameBits(now.force, then.force) || !sameBits(now.torque, then.torque))
      return false;
  }
  if (!std::ranges::equal(start.islands.pairsOf(start.island), pairs_, kSame) || !std::ranges::equal(start.islands.contactsOf(start.island), contacts_, kSame))
    return false;
  return holdJoints(start) && remembers(start.memory, pairs_, memory_);
}

}  // namespace stiction
