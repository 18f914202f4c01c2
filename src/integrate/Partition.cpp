// Union-find over dynamic bodies, then counting sorts into islands.
#include "integrate/Partition.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isDynamic(const Model& model, int body) { return model.bodies[at(body)].kind == BodyKind::Dynamic; }

/// A dynamic body that the constraint moves: each has one.
int movedBy(const Model& model, const HeldConstraint& constraint) {
  int moved = -1;
  constraint.eachBody([&](int body) {
    if (moved < 0 && isDynamic(model, body)) moved = body;
  });
  return moved;
}

/// Counts in start[k + 1] become offsets, and `cursor` the next free place of each island.
void toOffsets(std::vector<int>& start, std::vector<int>& cursor) {
  std::partial_sum(start.begin(), start.end(), start.begin());
  cursor.assign(start.begin(), start.end() - 1);
}

}  // namespace

int Partition::find(int body) {
  while (parent_[at(body)] != body) {
    parent_[at(body)] = parent_[at(parent_[at(body)])];
    body = parent_[at(body)];
  }
  return body;
}

int Partition::islandOf(const Model& model, int bodyA, int bodyB) const { return island_[at(isDynamic(model, bodyA) ? bodyA : bodyB)]; }

void Partition::unite(const Model& model, int bodyA, int bodyB) {
  if (!isDynamic(model, bodyA) || !isDynamic(model, bodyB)) return;
  const int a = find(bodyA), b = find(bodyB);
  parent_[at(std::max(a, b))] = std::min(a, b);
}

/// The first contact of the pair from the `at`-th on, or null; `at` goes on to where the pair's contacts begin.
const Contact* Partition::contactOf(const CandidatePair& pair, const ContactSet& contacts, std::size_t& at) {
  const std::pair wanted{pair.geomA, pair.geomB};
  const auto geoms = [&] { return std::pair{contacts[at].key.geomA, contacts[at].key.geomB}; };
  while (at < contacts.size() && geoms() < wanted) ++at;
  return at < contacts.size() && geoms() == wanted ? &contacts[at] : nullptr;
}

const Islands& Partition::build(const Model& model, const std::vector<CandidatePair>& pairs, const ContactSet& contacts, const ContactSet& seams,
                                const std::vector<HeldConstraint>& held) {
  parent_.resize(model.bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const ContactSet* set : {&contacts, &seams})
    for (const Contact& contact : *set) unite(model, contact.bodyA, contact.bodyB);
  for (const HeldConstraint& constraint : held) {
    if (!constraint.isPresent()) continue;
    const int first = movedBy(model, constraint);
    constraint.eachBody([&](int body) { unite(model, first, body); });
  }

  island_.assign(model.bodies.size(), -1);
  int count = 0;
  for (const int body : model.dynamicBodies) {
    const int root = find(body);  // the smallest body of its set, so numbered first
    island_[at(body)] = root == body ? count++ : island_[at(root)];
  }

  const std::size_t starts = at(count) + 1;
  islands_.bodyStart.assign(starts, 0);
  islands_.pairStart.assign(starts, 0);
  islands_.contactStart.assign(starts, 0);
  for (const int body : model.dynamicBodies) ++islands_.bodyStart[at(island_[at(body)]) + 1];
  toOffsets(islands_.bodyStart, cursor_);
  islands_.bodies.resize(model.dynamicBodies.size());
  for (const int body : model.dynamicBodies) islands_.bodies[at(cursor_[at(island_[at(body)])]++)] = body;

  for (const Contact& contact : contacts) ++islands_.contactStart[at(islandOf(model, contact.bodyA, contact.bodyB)) + 1];
  toOffsets(islands_.contactStart, cursor_);
  islands_.contacts.resize(contacts.size());
  for (const Contact& contact : contacts) islands_.contacts[at(cursor_[at(islandOf(model, contact.bodyA, contact.bodyB))]++)] = contact;

  islands_.heldStart.assign(starts, 0);
  const auto islandOfHeld = [&](const HeldConstraint& constraint) { return island_[at(movedBy(model, constraint))]; };
  for (const HeldConstraint& constraint : held)
    if (constraint.isPresent()) ++islands_.heldStart[at(islandOfHeld(constraint)) + 1];
  toOffsets(islands_.heldStart, cursor_);
  islands_.held.resize(at(islands_.heldStart.back()));
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k].isPresent()) islands_.held[at(cursor_[at(islandOfHeld(held[k]))]++)] = static_cast<int>(k);

  const auto eachTouchedPair = [&](auto&& visit) {
    std::size_t c = 0, s = 0;
    for (const CandidatePair& pair : pairs) {
      const Contact* contact = contactOf(pair, contacts, c);
      if (contact == nullptr) contact = contactOf(pair, seams, s);
      if (contact != nullptr) visit(pair, islandOf(model, contact->bodyA, contact->bodyB));
    }
  };
  int total = 0;
  eachTouchedPair([&](const CandidatePair&, int island) { ++islands_.pairStart[at(island) + 1], ++total; });
  toOffsets(islands_.pairStart, cursor_);
  islands_.pairs.resize(at(total));
  eachTouchedPair([&](const CandidatePair& pair, int island) { islands_.pairs[at(cursor_[at(island)]++)] = pair; });
  return islands_;
}

}  // namespace stiction
