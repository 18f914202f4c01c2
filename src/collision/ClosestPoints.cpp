#include "collision/ClosestPoints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/NearestOnTriangle.hpp"

namespace stiction {
namespace {

constexpr std::size_t climb_limit{32};  // vertices above which hill climbing is faster than a scan
constexpr int max_iterations{128};
constexpr double progress{1e-14};  // [-] relative decrease of |v|² below which the nearest point is final

struct Corner {
  Vector3 w;  // [m] b - a
  int a, b;
};

struct Simplex {
  std::array<Corner, 4> corners;
  std::array<double, 4> weight;
  int count{0};

  Vector3 nearest() const {
    Vector3 v = Vector3::Zero();
    for (int i = 0; i < count; ++i) v += weight[static_cast<std::size_t>(i)] * corners[static_cast<std::size_t>(i)].w;
    return v;
  }
};

/// The corners i, j, … of s with these weights, those without left out.
template <class Weights>
Simplex keep(const Simplex& s, std::initializer_list<int> corners, const Weights& weights) {
  Simplex out;
  Eigen::Index k = 0;
  for (const int corner : corners) {
    const double weight = weights[k++];
    if (!(weight > 0)) continue;
    out.corners[static_cast<std::size_t>(out.count)] = s.corners[static_cast<std::size_t>(corner)];
    out.weight[static_cast<std::size_t>(out.count++)] = weight;
  }
  return out;
}

Simplex nearestOnSegment(const Simplex& s) { return keep(s, {0, 1}, nearestWeights(s.corners[0].w, s.corners[1].w)); }

Simplex nearestOnTriangle(const Simplex& s, int i, int j, int k) {
  const auto at = [&](int corner) -> const Vector3& { return s.corners[static_cast<std::size_t>(corner)].w; };
  return keep(s, {i, j, k}, nearestWeights(at(i), at(j), at(k)));
}

/// Nearest point on the surface of the tetrahedron, or count 4 when the origin is inside.
Simplex nearestOnTetrahedron(const Simplex& s) {
  static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  Simplex best;
  double least = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (const auto& face : faces) {
    const Vector3& a = s.corners[static_cast<std::size_t>(face[0])].w;
    const Vector3 n = (s.corners[static_cast<std::size_t>(face[1])].w - a).cross(s.corners[static_cast<std::size_t>(face[2])].w - a);
    const double fourth = n.dot(s.corners[static_cast<std::size_t>(face[3])].w - a);
    const double origin = -n.dot(a);
    if (fourth * origin > 0) continue;
    inside = false;
    const Simplex candidate = nearestOnTriangle(s, face[0], face[1], face[2]);
    const double square = candidate.nearest().squaredNorm();
    if (square < least) {
      least = square;
      best = candidate;
    }
  }
  return inside ? s : best;
}

Simplex nearest(const Simplex& s) {
  switch (s.count) {
    case 1: return s;
    case 2: return nearestOnSegment(s);
    case 3: return nearestOnTriangle(s, 0, 1, 2);
    default: return nearestOnTetrahedron(s);
  }
}

/// Puts id among the ascending ones, once.
void insertDistinct(std::array<int, 3>& ids, int id) {
  for (int& slot : ids) {
    if (slot == id) return;
    if (slot < 0 || id < slot) std::swap(slot, id);
    if (id < 0) return;
  }
}

}  // namespace

int VertexSet::support(const Vector3& direction, int start) const {
  if (rotation != nullptr) return VertexSet{vertices, neighbours}.support(rotation->transpose() * direction, start);
  if (vertices.size() <= climb_limit || neighbours == nullptr) {
    int best = 0;
    double most = direction.dot(vertices[0]);
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double along = direction.dot(vertices[i]);
      if (along > most) {
        most = along;
        best = static_cast<int>(i);
      }
    }
    return best;
  }
  int best = start;
  double most = direction.dot(vertices[static_cast<std::size_t>(best)]);
  for (bool climbing = true; climbing;) {
    climbing = false;
    for (const int next : (*neighbours)[static_cast<std::size_t>(best)]) {
      const double along = direction.dot(vertices[static_cast<std::size_t>(next)]);
      if (along > most) {
        most = along;
        best = next;
        climbing = true;
      }
    }
  }
  return best;
}

ClosestPoints closestPoints(const VertexSet& a, const VertexSet& b, const Vector3& direction, int startA, int startB, const Vector3& shift, double limit) {
  ClosestPoints result;
  int ia = a.support(direction, startA);
  int ib = b.support(-direction, startB);
  Simplex simplex;
  simplex.count = 1;
  simplex.corners[0] = {b[ib] + shift - a[ia], ia, ib};
  simplex.weight[0] = 1.0;
  Vector3 v = simplex.corners[0].w;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double square = v.squaredNorm();
    if (square == 0) return result;
    ia = a.support(v, ia);
    ib = b.support(-v, ib);
    const Vector3 w = b[ib] + shift - a[ia];
    const double along = v.dot(w);
    if (along > 0 && along > limit * std::sqrt(square)) {
      result.apart = result.beyond = true;
      result.direction = v;
      return result;
    }
    if (square - along <= progress * square) break;
    const auto end = simplex.corners.begin() + simplex.count;
    if (std::any_of(simplex.corners.begin(), end, [&](const Corner& c) { return c.a == ia && c.b == ib; })) break;
    Simplex grown = simplex;
    grown.corners[static_cast<std::size_t>(grown.count++)] = {w, ia, ib};
    const Simplex reduced = nearest(grown);
    if (reduced.count == 4) return result;
    const Vector3 closer = reduced.nearest();
    if (closer.squaredNorm() >= square) break;
    simplex = reduced;
    v = closer;
  }
  result.apart = true;
  result.direction = v;
  result.distance = v.norm();
  for (int i = 0; i < simplex.count; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    result.pointA += simplex.weight[k] * a[simplex.corners[k].a];
    result.pointB += simplex.weight[k] * b[simplex.corners[k].b];
    insertDistinct(result.vertexA, simplex.corners[k].a);
    insertDistinct(result.vertexB, simplex.corners[k].b);
  }
  return result;
}

}  // namespace stiction
