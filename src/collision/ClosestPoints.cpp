#include "collision/ClosestPoints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

Simplex keep(const Simplex& s, std::initializer_list<std::pair<int, double>> chosen) {
  Simplex out;
  for (const auto& [index, weight] : chosen) {
    out.corners[static_cast<std::size_t>(out.count)] = s.corners[static_cast<std::size_t>(index)];
    out.weight[static_cast<std::size_t>(out.count++)] = weight;
  }
  return out;
}

Simplex nearestOnSegment(const Simplex& s, int i, int j) {
  const Vector3& a = s.corners[static_cast<std::size_t>(i)].w;
  const Vector3 ab = s.corners[static_cast<std::size_t>(j)].w - a;
  const double t = -a.dot(ab);
  const double length = ab.squaredNorm();
  if (t <= 0) return keep(s, {{i, 1.0}});
  if (t >= length) return keep(s, {{j, 1.0}});
  return keep(s, {{i, 1.0 - t / length}, {j, t / length}});
}

Simplex nearestOnTriangle(const Simplex& s, int i, int j, int k) {
  const Vector3& a = s.corners[static_cast<std::size_t>(i)].w;
  const Vector3& b = s.corners[static_cast<std::size_t>(j)].w;
  const Vector3& c = s.corners[static_cast<std::size_t>(k)].w;
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const double d1 = -ab.dot(a), d2 = -ac.dot(a);
  if (d1 <= 0 && d2 <= 0) return keep(s, {{i, 1.0}});
  const double d3 = -ab.dot(b), d4 = -ac.dot(b);
  if (d3 >= 0 && d4 <= d3) return keep(s, {{j, 1.0}});
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return nearestOnSegment(s, i, j);
  const double d5 = -ab.dot(c), d6 = -ac.dot(c);
  if (d6 >= 0 && d5 <= d6) return keep(s, {{k, 1.0}});
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return nearestOnSegment(s, i, k);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return nearestOnSegment(s, j, k);
  const double total = va + vb + vc;
  return keep(s, {{i, va / total}, {j, vb / total}, {k, vc / total}});
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
    case 1: return keep(s, {{0, 1.0}});
    case 2: return nearestOnSegment(s, 0, 1);
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

ClosestPoints closestPoints(const VertexSet& a, const VertexSet& b, const Vector3& direction, int startA, int startB, const Vector3& shift) {
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
    if (square - v.dot(w) <= progress * square) break;
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
