#include "collision/FlushEdges.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collision/Features.hpp"

namespace stiction {
namespace {

constexpr double on_line{1e-4};    // [edge length] distance from the edge line, and gap, within which a third body counts as touching there
constexpr double same_side{0.05};  // [-] least cosine between the two contact normals, both away from the common body

using BodyContacts = std::vector<std::pair<int, std::size_t>>;  // (body, index of a contact that is not flush), sorted

bool covers(const Contact& third, int body, const Contact& first, const Contact& last) {
  const Vector3 edge = last.point - first.point;
  const double length = edge.norm();
  if (std::abs(third.gap) > on_line * length) return false;
  const double along = edge.dot(third.point - first.point) / (length * length);
  if (along < -on_line || along > 1 + on_line || (third.point - first.point - along * edge).norm() > on_line * length) return false;
  const double sign = (third.bodyA == body) == (first.bodyA == body) ? 1.0 : -1.0;
  return sign * third.normal.dot(first.normal) > same_side;
}

bool isCovered(const ContactSet& contacts, const BodyContacts& index, const Contact& first, const Contact& last) {
  for (const int body : {first.bodyA, first.bodyB}) {
    const int partner = body == first.bodyA ? first.bodyB : first.bodyA;
    for (auto it = std::lower_bound(index.begin(), index.end(), std::make_pair(body, std::size_t{0})); it != index.end() && it->first == body; ++it) {
      const Contact& third = contacts[it->second];
      if (third.bodyA != partner && third.bodyB != partner && covers(third, body, first, last)) return true;
    }
  }
  return false;
}

}  // namespace

void dropCoveredFlushEdges(ContactSet& contacts) {
  if (std::none_of(contacts.begin(), contacts.end(), [](const Contact& c) { return isFlush(c.key.feature); })) return;
  BodyContacts index;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (isFlush(contacts[i].key.feature)) continue;
    index.emplace_back(contacts[i].bodyA, i);
    index.emplace_back(contacts[i].bodyB, i);
  }
  std::sort(index.begin(), index.end());
  std::vector<char> dropped(contacts.size(), 0);
  for (std::size_t i = 0; i + 1 < contacts.size(); ++i) {
    const Contact& first = contacts[i];
    const Contact& last = contacts[i + 1];
    const bool pair = first.key.geomA == last.key.geomA && first.key.geomB == last.key.geomB;
    if (pair && isFlush(first.key.feature) && isFlush(last.key.feature) && isCovered(contacts, index, first, last)) dropped[i] = dropped[i + 1] = 1;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (dropped[i] == 0) contacts[kept++] = contacts[i];
  }
  contacts.resize(kept);
}

}  // namespace stiction
