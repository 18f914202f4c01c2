// Islands: sets of dynamic bodies connected through constraints and through contacts that may close within the step. Bodies without either are islands of their own. Pairs that meet in a
// seam belong together, too: over the step bodies pass from one side to the other.
#pragma once
#include <span>
#include <vector>

#include "assembly/ConstraintRows.hpp"
#include "collision/Contact.hpp"

namespace stiction {

/// Island k holds bodies [bodyStart[k], bodyStart[k+1]), and so on; bodies ascending, pairs and contacts sorted, islands by their first body.
struct Islands {
  std::vector<int> bodyStart, pairStart, contactStart, heldStart;
  std::vector<int> bodies;
  std::vector<CandidatePair> pairs;  // those with a contact, or an edge in a seam
  ContactSet contacts;
  std::vector<int> held;  // constraints, ascending in an island

  int count() const { return static_cast<int>(bodyStart.size()) - 1; }
  std::span<const int> bodiesOf(int k) const { return slice(bodies, bodyStart, k); }
  std::span<const CandidatePair> pairsOf(int k) const { return slice(pairs, pairStart, k); }
  std::span<const Contact> contactsOf(int k) const { return slice(contacts, contactStart, k); }
  std::span<const int> heldOf(int k) const { return slice(held, heldStart, k); }

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, const std::vector<int>& start, int k) {
    const auto i = static_cast<std::size_t>(k);
    return {all.data() + start[i], static_cast<std::size_t>(start[i + 1] - start[i])};
  }
};

/// Union-find with scratch kept between steps. Cost: near linear in bodies + contacts.
class Partition {
 public:
  const Islands& build(const Model& model, const std::vector<CandidatePair>& pairs, const ContactSet& contacts, const ContactSet& seams,
                       const std::vector<HeldConstraint>& held);

 private:
  static const Contact* contactOf(const CandidatePair& pair, const ContactSet& contacts, std::size_t& at);
  int find(int body);
  void unite(const Model& model, int bodyA, int bodyB);
  int islandOf(const Model& model, int bodyA, int bodyB) const;

  Islands islands_;
  std::vector<int> parent_;  // body -> parent in the union-find forest
  std::vector<int> island_;  // body -> island, -1 when not dynamic
  std::vector<int> cursor_;
};

}  // namespace stiction
