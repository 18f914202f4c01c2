#include "collision/ClosestPoints.hpp"

#include <algorithm>
#include <cmath>

#include "collision/Simplex.hpp"

namespace stiction {
namespace {

constexpr std::size_t climb_limit{32};  // vertices above which hill climbing is faster than a scan
constexpr int max_iterations{128};
constexpr double progress{1e-14};  // [-] relative decrease of |v|² below which the nearest point is final

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
    if (std::any_of(simplex.corners.begin(), end, [&](const Simplex::Corner& c) { return c.a == ia && c.b == ib; })) break;
    Simplex grown = simplex;
    grown.corners[static_cast<std::size_t>(grown.count++)] = {w, ia, ib};
    const Simplex reduced = nearestPart(grown);
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
