#include "integrate/Repetition.hpp"

#include <algorithm>

#include "assembly/ContactHistory.hpp"

namespace stiction {
namespace {

constexpr auto kSame = [](const auto& a, const auto& b) { return sameBits(a, b); };

}  // namespace

Repetition::BodyStart Repetition::bodyStart(const Start& start, int body) {
  const auto i = static_cast<std::size_t>(body);
  return {body, start.state.pose(body), start.state.velocity[i], start.state.angularVelocity[i], start.loads.force[i], start.loads.torque[i]};
}

void Repetition::keep(const Model& model, const Start& start, const WorldState& end, const std::vector<ContactMemory>& memory) {
  kept_ = false;
  const std::span<const int> bodies = start.islands.bodiesOf(start.island);
  if (!start.islands.heldOf(start.island).empty() || !std::ranges::all_of(bodies, [&](int body) { return sameBits(start.state, end, body); })) return;
  const std::span<const CandidatePair> pairs = start.islands.pairsOf(start.island);
  pairs_.assign(pairs.begin(), pairs.end());
  selectMemory(start.memory, pairs_, memory_);
  if (!std::ranges::equal(memory_, memory, kSame)) return;
  const std::span<const Contact> contacts = start.islands.contactsOf(start.island);
  contacts_.assign(contacts.begin(), contacts.end());
  bodies_.clear();
  for (const int body : bodies) bodies_.push_back(bodyStart(start, body));
  dynamic_ = bodies_.size();
  for (const Contact& contact : contacts_)
    for (const int body : {contact.bodyA, contact.bodyB}) {
      const bool known =
          std::any_of(bodies_.begin() + static_cast<std::ptrdiff_t>(dynamic_), bodies_.end(), [&](const BodyStart& b) { return b.body == body; });
      if (model.bodies[static_cast<std::size_t>(body)].kind == BodyKind::Kinematic && !known) bodies_.push_back(bodyStart(start, body));
    }
  h_ = start.h;
  kept_ = true;
}

bool Repetition::holds(const Start& start) const {
  if (!kept_ || !sameBits(start.h, h_) || !start.islands.heldOf(start.island).empty()) return false;
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
  return remembers(start.memory, pairs_, memory_);
}

}  // namespace stiction
