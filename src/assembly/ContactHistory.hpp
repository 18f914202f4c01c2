// The contact memory of an island: warm starts and anchors, keyed by feature.
#pragma once
#include <vector>

#include "collision/Contact.hpp"

namespace stiction {

/// The entry of `key` in a list sorted by key, or null. `hint`: where the last call ended; quick for the same key and the next ones.
const ContactMemory* findMemory(const std::vector<ContactMemory>& memory, const FeatureKey& key, std::size_t& hint);
ContactMemory* findMemory(std::vector<ContactMemory>& memory, const FeatureKey& key, std::size_t& hint);

/// Puts an entry of a new key in its place. Returns it there.
ContactMemory& addMemory(std::vector<ContactMemory>& memory, const ContactMemory& entry);

/// Copies to `island` the entries of the pairs' geoms; both lists sorted.
void selectMemory(const std::vector<ContactMemory>& all, const std::vector<CandidatePair>& pairs, std::vector<ContactMemory>& island);

/// Whether `island` holds the very bits of the entries that selectMemory would copy.
bool remembers(const std::vector<ContactMemory>& all, const std::vector<CandidatePair>& pairs, const std::vector<ContactMemory>& island);

/// Gives the entries of `to` the anchors of those in `from`; `to` keeps its impulses.
void takeAnchors(const std::vector<ContactMemory>& from, std::vector<ContactMemory>& to);

/// r = Fᵀ p · h/h_old: the remembered impulse (world axes, on B) in the frame of today's contact, for a step of h.
Vector3 warmImpulse(const ContactMemory& memory, const Matrix3& frame, double h);

}  // namespace stiction
