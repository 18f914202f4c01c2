// Look-ups in the sorted contact memory.
#include "assembly/ContactHistory.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace stiction {
namespace {

/// The first entry not before `key`.
auto firstFrom(auto& memory, const FeatureKey& key) {
  return std::lower_bound(memory.begin(), memory.end(), key, [](const ContactMemory& entry, const FeatureKey& k) { return entry.key < k; });
}

/// The entries of the pair's geoms.
std::span<const ContactMemory> entriesOf(const std::vector<ContactMemory>& memory, const CandidatePair& pair) {
  const auto first = firstFrom(memory, {pair.geomA, pair.geomB, 0});
  auto last = first;
  while (last != memory.end() && last->key.geomA == pair.geomA && last->key.geomB == pair.geomB) ++last;
  return {first, last};
}

}  // namespace

const ContactMemory* findMemory(const std::vector<ContactMemory>& memory, const FeatureKey& key, std::size_t& hint) {
  const auto before = [&](std::size_t i) { return i == memory.size() || key < memory[i].key; };
  const bool near = hint < memory.size() && !before(hint);
  for (const std::size_t i : {hint, hint + 1})
    if (near && i < memory.size() && memory[i].key == key) return hint = i, &memory[i];
  if (near && before(hint + 1)) return nullptr;
  const auto found = firstFrom(memory, key);
  hint = static_cast<std::size_t>(found - memory.begin());
  return found != memory.end() && found->key == key ? &*found : nullptr;
}

ContactMemory* findMemory(std::vector<ContactMemory>& memory, const FeatureKey& key, std::size_t& hint) {
  return const_cast<ContactMemory*>(findMemory(std::as_const(memory), key, hint));
}

ContactMemory& addMemory(std::vector<ContactMemory>& memory, const ContactMemory& entry) { return *memory.insert(firstFrom(memory, entry.key), entry); }

void selectMemory(const std::vector<ContactMemory>& all, const std::vector<CandidatePair>& pairs, std::vector<ContactMemory>& island) {
  island.clear();
  for (const CandidatePair& pair : pairs)
    for (const ContactMemory& entry : entriesOf(all, pair)) island.push_back(entry);
}

bool remembers(const std::vector<ContactMemory>& all, const std::vector<CandidatePair>& pairs, const std::vector<ContactMemory>& island) {
  auto known = island.begin();
  for (const CandidatePair& pair : pairs)
    for (const ContactMemory& entry : entriesOf(all, pair))
      if (known == island.end() || !sameBits(entry, *known++)) return false;
  return known == island.end();
}

void takeAnchors(const std::vector<ContactMemory>& from, std::vector<ContactMemory>& to) {
  std::size_t hint = 0;
  for (ContactMemory& entry : to) {
    const ContactMemory* old = findMemory(from, entry.key, hint);
    entry.anchored = old && old->anchored;
    entry.anchor = entry.anchored ? old->anchor : Vector3{Vector3::Zero()};
    entry.mended = old && old->mended;
    entry.yields = old && old->yields;
    entry.strays = old ? old->strays : std::uint8_t{0};
  }
}

Vector3 warmImpulse(const ContactMemory& memory, const Matrix3& frame, double h) {
  const double ratio = memory.step > 0 ? h / memory.step : 0.0;
  return frame.transpose() * (ratio * memory.impulse);
}

}  // namespace stiction
