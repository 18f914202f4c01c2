#include "collision/FlushEdges.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collision/Features.hpp"

namespace stiction {
namespace {

constexpr double nearby{1e-4};     // [radius of the smaller geom] distance from the edge line, and gap, within which a third body counts as touching there
constexpr double same_side{0.05};  // [-] least cosine between the two contact normals, both away from the common body

using BodyContacts = std::vector<std::pair<int, std::size_t>>;  // (body, index of a contact that is not flush), sorted

/// Points of one flush contact: the two ends of an edge, or twice the same corner.
struct FlushContact {
  const Contact& first;
  const Contact& last;
  double limit;  // [m]
};

bool covers(const Contact& third, int body, const FlushContact& flush) {
  const Vector3 edge = flush.last.point - flush.first.point;
  const double square = edge.squaredNorm();
  const Vector3 d = third.point - flush.first.point;
  const double along = square > 0 ? std::clamp(edge.dot(d) / square, 0.0, 1.0) : 0.0;
  if (std::abs(third.gap) > flush.limit || (d - along * edge).norm() > flush.limit) return false;
  const double sign = (third.bodyA == body) == (flush.first.bodyA == body) ? 1.0 : -1.0;
  return sign * third.normal.dot(flush.first.normal) > same_side;
}

bool isCovered(const ContactSet& contacts, const BodyContacts& index, const FlushContact& flush) {
  for (const int body : {flush.first.bodyA, flush.first.bodyB}) {
    const int partner = body == flush.first.bodyA ? flush.first.bodyB : flush.first.bodyA;
    for (auto it = std::lower_bound(index.begin(), index.end(), std::make_pair(body, std::size_t{0})); it != index.end() && it->first == body; ++it) {
      const Contact& third = contacts[it->second];
      if (third.bodyA != partner && third.bodyB != partner && covers(third, body, flush)) return true;
    }
  }
  return false;
}

}  // namespace

void dropCoveredFlushEdges(const std::vector<double>& radius, ContactSet& contacts) {
  if (std::none_of(contacts.begin(), contacts.end(), [](const Contact& c) { return isFlush(c.key.feature); })) return;
  BodyContacts index;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (isFlush(contacts[i].key.feature)) continue;
    index.emplace_back(contacts[i].bodyA, i);
    index.emplace_back(contacts[i].bodyB, i);
  }
  std::sort(index.begin(), index.end());
  std::vector<char> dropped(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!isFlush(contacts[i].key.feature)) continue;
    const std::size_t end = i + 1 < contacts.size() && samePair(contacts[i].key, contacts[i + 1].key) && isFlush(contacts[i + 1].key.feature) ? i + 1 : i;
    const FeatureKey& key = contacts[i].key;
    const double size = std::min(radius[static_cast<std::size_t>(key.geomA)], radius[static_cast<std::size_t>(key.geomB)]);
    if (isCovered(contacts, index, {contacts[i], contacts[end], nearby * size})) dropped[i] = dropped[end] = 1;
    i = end;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (dropped[i] == 0) contacts[kept++] = contacts[i];
  }
  contacts.resize(kept);
}

}  // namespace stiction
