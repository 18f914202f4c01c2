#include "integrate/ClosingContacts.hpp"

#include <algorithm>
#include <limits>

#include "integrate/Island.hpp"

namespace stiction {
namespace {

constexpr double kLate = 1e-3;  // [-] of a pair's size: an overlap that says by itself that the time is beyond its closing

}  // namespace

double normalVelocity(const WorldState& state, const Contact& contact) {
  return contact.normal.dot(state.velocityAt(contact.bodyB, contact.point) - state.velocityAt(contact.bodyA, contact.point));
}

void ClosingContacts::clear() {
  closing_.clear();
  alreadyTouching_.clear();
  watches_ = false;
}

void ClosingContacts::reset() {
  clear();
  dismissed_.clear();
}

void ClosingContacts::mark(const Island& island, double threshold) {
  clear();
  begin();
  watches_ = true;
  threshold_ = threshold;
  for (const Contact& c : island.contacts) {
    if (!island.isTimed(c)) continue;
    const double rate = normalVelocity(island.state, c);
    if (island.touching(c) && rate <= threshold)
      alreadyTouching_.push_back(c.key);
    else if (rate < -threshold)
      closing_.push_back(
          {c.key, c.bodyA, c.bodyB, c.normal, c.gap, -rate, island.state.pose(c.bodyA).inverse() * c.point, island.state.pose(c.bodyB).inverse() * c.point});
  }
}

bool ClosingContacts::shouldWait(const Island& island, const Contact& contact, double approach) const {
  if (!watches_ || approach >= -threshold_ || !island.isTimed(contact) || waits(contact.key) || hasTouched(contact.key)) return false;
  return std::none_of(dismissed_.begin(), dismissed_.end(), [&](const FeatureKey& pair) { return samePair(pair, contact.key); });
}

void ClosingContacts::add(const FeatureKey& pair) {
  closing_.emplace_back().key = pair;
  notePassing();
}

void ClosingContacts::dismiss(const FeatureKey& pair) {
  dismissed_.push_back(pair);
  closing_.erase(std::remove_if(closing_.begin(), closing_.end(), [&](const Closing& c) { return samePair(c.key, dismissed_.back()); }), closing_.end());
}

bool ClosingContacts::contains(const FeatureKey& key) const { return waits(key) && !hasTouched(key); }

bool ClosingContacts::hasTouched(const FeatureKey& key) const {
  return std::find(alreadyTouching_.begin(), alreadyTouching_.end(), key) != alreadyTouching_.end();
}

bool ClosingContacts::waits(const FeatureKey& key) const {
  return std::any_of(closing_.begin(), closing_.end(), [&](const Closing& c) { return samePair(c.key, key); });
}

int ClosingContacts::pairsWithin(double remaining) const {
  int pairs = 0;
  const Closing* last = nullptr;  // they are in the order of their pairs
  for (const Closing& c : closing_) {
    if (c.gap > c.speed * remaining || (last != nullptr && samePair(c.key, last->key))) continue;
    last = &c;
    ++pairs;
  }
  return pairs;
}

double ClosingContacts::earliest(double remaining) const {
  double time = remaining;
  for (const Closing& c : closing_) time = std::min(time, c.speed > 0 ? c.gap / c.speed : 0.5 * remaining);
  return time;
}

ClosingContacts::Approach ClosingContacts::approach(const Island& island) const {
  Approach least{std::numeric_limits<double>::infinity(), 0, nullptr};
  const auto take = [&](const Closing& c, double gap, double rate, double size) {
    if (gap / size < least.gap) least = {gap / size, rate / size, c.speed <= 0 && rate > -threshold_ ? &c.key : nullptr};
  };
  for (const Closing& c : closing_) {
    bool seen = false;
    const double size = island.pairSize(c.key);
    for (const Contact& contact : island.contacts) {
      if (!samePair(contact.key, c.key) || (c.speed > 0 && contact.normal.dot(c.normal) <= 0) || !contains(contact.key)) continue;
      seen = true;
      take(c, contact.gap, normalVelocity(island.state, contact), size);
    }
    if (seen || c.speed <= 0) continue;
    const Vector3 onA = island.state.pose(c.bodyA) * c.onA, onB = island.state.pose(c.bodyB) * c.onB;
    take(c, c.gap + c.normal.dot(onB - onA), c.normal.dot(island.state.velocityAt(c.bodyB, onB) - island.state.velocityAt(c.bodyA, onA)), size);
  }
  if (hasPassed_ && !(least.gap < -kLate)) least = {-1, 0, nullptr};  // the time is beyond another's closing
  return least;
}

}  // namespace stiction
