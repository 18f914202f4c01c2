#include "collision/Seams.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "collision/NarrowPhase.hpp"

namespace stiction {
namespace {

constexpr double nearby{1e-4};     // [-] of the smaller geom's radius: what counts as flush
constexpr double shut{1e-8};       // [-] likewise: polytopes that touch
constexpr double tilt{1e-6};       // [rad] between two normals that lean
constexpr double slow_rise{1e-4};  // [-] of the speed of S against B: of B against A

constexpr std::size_t kNone{std::numeric_limits<std::size_t>::max()}, kLevel{kNone - 1};

/// A contact as one of its two geoms sees it.
struct View {
  int other;       // geom
  Vector3 normal;  // out of the other
  Vector3 point;   // [m] on the other
  double gap;      // [m]
};

View seenBy(int geom, const Contact& contact) {
  const double sign = contact.key.geomB == geom ? 1.0 : -1.0;
  return {sign > 0 ? contact.key.geomA : contact.key.geomB, sign * contact.normal, contact.point - 0.5 * sign * contact.gap * contact.normal, contact.gap};
}

bool isPolytope(ShapeType type) { return type == ShapeType::Box || type == ShapeType::Hull; }
bool isConvex(ShapeType type) { return type != ShapeType::Mesh && type != ShapeType::HeightField; }
bool hasEdges(ShapeType type) { return isPolytope(type) || type == ShapeType::Cylinder || !isConvex(type); }

/// Greatest m·x [m] of the shape's points, shape frame; of terrain that of its bounds.
double farthest(const Shape& shape, const Vector3& m) {
  if (shape.type == ShapeType::HeightField) {
    const auto [low, high] = bounds(shape, Pose{});
    return m.dot((m.array() > 0).select(high, low).matrix());
  }
  if (shape.type != ShapeType::Mesh) return m.dot(support(shape, m));
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector3& vertex : shape.mesh->vertices) most = std::max(most, m.dot(vertex));
  return most;
}

/// The contacts of one geom S after the other.
class SeamSearch {
 public:
  void begin(const Model& model, const WorldState& state, const std::vector<ShapeType>& types, const std::vector<double>& radius, ContactSet& contacts) {
    model_ = &model;
    state_ = &state;
    types_ = &types;
    radius_ = &radius;
    contacts_ = &contacts;
  }

  /// Whether S = `geom` may see an edge in the contact: S moves, which a floor under many bodies does not.
  bool mayBeEdge(int geom, const Contact& contact) const {
    if (model_->bodies[static_cast<std::size_t>(contact.key.geomA == geom ? contact.bodyA : contact.bodyB)].kind != BodyKind::Dynamic) return false;
    const ShapeType own = typeOf(geom), other = typeOf(contact.key.geomA == geom ? contact.key.geomB : contact.key.geomA);
    if (!hasEdges(other)) return false;
    return !isPolytope(own) || !isPolytope(other) || contact.gap > shut * size(contact.key.geomA, contact.key.geomB);
  }

  /// Marks which of S's contacts, `own`, lie in a seam.
  void search(int geom, std::span<const std::size_t> own, std::vector<char>& inSeam) {
    views_.clear();
    for (const std::size_t i : own) views_.push_back(seenBy(geom, (*contacts_)[i]));
    by_.assign(own.size(), kNone);
    for (bool isNew = true; isNew;) {  // from a tile that is touched to the next one, and on
      isNew = false;
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (inSeam[own[k]] != 0 || by_[k] == kLevel || !mayBeEdge(geom, (*contacts_)[own[k]])) continue;
        std::size_t flat = 0;
        while (flat < own.size() && (inSeam[own[flat]] != 0 || !isInSurface(geom, views_[k], views_[flat]))) ++flat;
        if (flat == own.size()) continue;
        isNew = true;
        const View edge = views_[k];
        for (std::size_t l = 0; l < own.size(); ++l) {
          if (inSeam[own[l]] != 0 || by_[l] == kLevel || !leansAlike(edge, views_[l])) continue;
          const bool isLevel = level(geom, own[l], views_[l], views_[flat]);
          by_[l] = isLevel ? kLevel : flat;
          inSeam[own[l]] = isLevel ? 0 : 1;
        }
      }
    }
  }

 private:
  ShapeType typeOf(int geom) const { return (*types_)[static_cast<std::size_t>(geom)]; }
  const Shape& shapeOf(int geom) const { return model_->geoms[static_cast<std::size_t>(geom)].shape; }
  double size(int a, int b) const { return std::min((*radius_)[static_cast<std::size_t>(a)], (*radius_)[static_cast<std::size_t>(b)]); }

  static bool leansAlike(const View& edge, const View& other) { return other.other == edge.other && (other.normal - edge.normal).squaredNorm() < tilt * tilt; }

  /// Whether `edge`, of S with B, lies in the surface that `flat`, of S with A, touches.
  bool isInSurface(int geom, const View& edge, const View& flat) const {
    const double near = nearby * size(geom, edge.other);
    if (flat.other == edge.other || flat.gap > edge.gap + near) return false;
    if (std::abs(flat.normal.dot(edge.point - flat.point)) > near || (edge.normal - flat.normal).squaredNorm() < tilt * tilt) return false;
    bool goesOn = reaches(flat.other, edge.point, flat.normal, near);
    for (std::size_t k = 0; k < by_.size() && !goesOn; ++k) {  // by what was found to be one with A
      if (by_[k] >= kLevel || views_[by_[k]].other != flat.other) continue;
      goesOn = views_[k].other == edge.other || reaches(views_[k].other, edge.point, flat.normal, near);
    }
    if (!goesOn || isRising(geom, edge, flat) || risesAbove(edge.other, flat, near)) return false;
    return isConvex(typeOf(flat.other)) || !risesAbove(flat.other, flat, near);
  }

  /// Of a contact with B that leans: where S is over B, it becomes one with the plane of `flat`; else it lies in the seam, and stays as it is (false).
  bool level(int geom, std::size_t leaning, View& edge, const View& flat) {
    const Vector3 onShape = edge.point + edge.gap * edge.normal;
    const double gap = flat.normal.dot(onShape - flat.point), near = nearby * size(geom, edge.other);
    const Vector3 foot = onShape - gap * flat.normal;
    if (reaches(flat.other, foot, flat.normal, near) || !reaches(edge.other, foot, flat.normal, near)) return false;
    Contact& contact = (*contacts_)[leaning];
    contact.normal = contact.key.geomB == geom ? flat.normal : Vector3{-flat.normal};
    contact.gap = gap;
    contact.point = foot + 0.5 * gap * flat.normal;
    edge = seenBy(geom, contact);
    return true;
  }

  bool risesAbove(int geom, const View& flat, double near) const {
    const Pose X_WG = geomPose(*model_, *state_, geom);
    return farthest(shapeOf(geom), X_WG.rotation.conjugate() * flat.normal) > flat.normal.dot(flat.point - X_WG.position) + near;
  }

  /// Whether there is anything of the geom at the point of a surface. By a ball in front of it: triangles push to their front only.
  bool reaches(int geom, const Vector3& point, const Vector3& normal, double near) const {
    static thread_local std::vector<PairPoint> touching;
    collideShapes(shapeOf(geom), geomPose(*model_, *state_, geom), Shape::sphere(2 * near), {point + near * normal, Quaternion::Identity()}, 0, touching);
    return !touching.empty();
  }

  bool isRising(int geom, const View& edge, const View& flat) const {
    const auto velocityOf = [&](int g) { return state_->velocityAt(model_->geoms[static_cast<std::size_t>(g)].body, edge.point); };
    const Vector3 velocity = velocityOf(edge.other);
    return flat.normal.dot(velocity - velocityOf(flat.other)) > slow_rise * (velocityOf(geom) - velocity).norm();
  }

  const Model* model_{nullptr};
  const WorldState* state_{nullptr};
  const std::vector<ShapeType>* types_{nullptr};
  const std::vector<double>* radius_{nullptr};
  ContactSet* contacts_{nullptr};
  std::vector<View> views_;      // of S's contacts
  std::vector<std::size_t> by_;  // of those that this search has put into a seam, the one whose surface goes on there; kLevel: made level
};

}  // namespace

Seams::Seams(const Model& model, const std::vector<double>& radius) : model_{&model}, radius_{&radius} {
  for (const Geom& geom : model.geoms) types_.push_back(geom.shape.type);
}

void Seams::sortOut(const WorldState& state, ContactSet& contacts, ContactSet& seams) const {
  seams.clear();
  static thread_local SeamSearch seamSearch;
  seamSearch.begin(*model_, state, types_, *radius_, contacts);
  static thread_local std::vector<std::size_t>
      start;  // of the contacts in `own` of each geom that may see an edge; kNone between calls: islands are many, and small
  static thread_local std::vector<std::size_t> own;  // contacts, by geom
  static thread_local std::vector<int> geoms;        // that may see an edge, ascending
  static thread_local std::vector<char> inSeam;      // contacts
  if (start.size() < types_.size()) start.resize(types_.size(), kNone);
  geoms.clear();
  const auto eachGeom = [&](auto&& visit) {
    for (std::size_t i = 0; i < contacts.size(); ++i)
      for (const int geom : {contacts[i].key.geomA, contacts[i].key.geomB}) visit(geom, start[static_cast<std::size_t>(geom)], i);
  };
  eachGeom([&](int geom, std::size_t& count, std::size_t i) {
    if (count != kNone || !seamSearch.mayBeEdge(geom, contacts[i])) return;
    count = 0;
    geoms.push_back(geom);
  });
  if (geoms.empty()) return;
  std::sort(geoms.begin(), geoms.end());
  eachGeom([&](int, std::size_t& count, std::size_t) { count += count != kNone ? 1 : 0; });
  std::size_t total = 0;
  for (const int geom : geoms) {
    std::size_t& count = start[static_cast<std::size_t>(geom)];
    total += std::exchange(count, total);
  }
  own.resize(total);
  eachGeom([&](int, std::size_t& next, std::size_t i) {
    if (next != kNone) own[next++] = i;
  });
  inSeam.assign(contacts.size(), 0);
  std::size_t first = 0;
  for (const int geom : geoms) {
    const std::size_t end = std::exchange(start[static_cast<std::size_t>(geom)], kNone);
    seamSearch.search(geom, {own.data() + first, end - first}, inSeam);
    first = end;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (inSeam[i] != 0)
      seams.push_back(contacts[i]);
    else if (kept++ != i)
      contacts[kept - 1] = contacts[i];
  }
  contacts.resize(kept);
}

}  // namespace stiction
