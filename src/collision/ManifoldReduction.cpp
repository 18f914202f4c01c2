#include "collision/ManifoldReduction.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double coincidence{1e-12};  // [-] of the size
constexpr double flatness{1e-9};      // [-] of the size: how far a point may stand off a hull edge and still count as on it

void mergeCoincident(double limit, std::vector<PairPoint>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto same = [&](const PairPoint& other) {
      return points[i].feature == other.feature ||
             ((other.point - points[i].point).squaredNorm() <= limit * limit && (other.normal - points[i].normal).squaredNorm() <= coincidence * coincidence);
    };
    if (std::none_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(kept), same)) points[kept++] = points[i];
  }
  points.resize(kept);
}

struct Planar {
  double x, y;
  std::size_t index;
};

double cross(const Planar& a, const Planar& b, const Planar& c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// Convex hull, counter-clockwise, without points on its edges (Andrew 1979, monotone chain). `points` sorted by (x, y).
std::vector<Planar> hull(const std::vector<Planar>& points, double limit) {
  std::vector<Planar> chain;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t base = chain.size();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Planar& p = points[pass == 0 ? k : points.size() - 1 - k];
      while (chain.size() >= base + 2) {
        const Planar& a = chain[chain.size() - 2];
        if (cross(a, chain.back(), p) > limit * std::hypot(p.x - a.x, p.y - a.y)) break;
        chain.pop_back();
      }
      chain.push_back(p);
    }
    chain.pop_back();
  }
  return chain;
}

/// Drops corners of the polygon, each time the one whose ear is smallest (ties: the larger index), until `count` are left.
void dropSmallestEars(std::vector<Planar>& polygon, std::size_t count) {
  while (polygon.size() > count) {
    std::size_t drop = 0;
    double least = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Planar& before = polygon[(i + polygon.size() - 1) % polygon.size()];
      const Planar& after = polygon[(i + 1) % polygon.size()];
      const double ear = std::abs(cross(before, polygon[i], after));
      if (i == 0 || ear < least || (ear == least && polygon[i].index > polygon[drop].index)) {
        drop = i;
        least = ear;
      }
    }
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(drop));
  }
}

}  // namespace

void reduceManifold(double size, std::vector<PairPoint>& points) {
  std::sort(points.begin(), points.end(), [](const PairPoint& a, const PairPoint& b) { return a.feature < b.feature; });
  mergeCoincident(coincidence * size, points);
  if (points.size() <= max_manifold_points) return;
  const auto deepest = std::min_element(points.begin(), points.end(), [](const PairPoint& a, const PairPoint& b) { return a.gap < b.gap; });
  const std::size_t deepestIndex = static_cast<std::size_t>(deepest - points.begin());
  const Vector3 n = deepest->normal;
  const Vector3 u = n.unitOrthogonal();
  const Vector3 w = n.cross(u);
  std::vector<Planar> planar;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector3 d = points[i].point - deepest->point;
    planar.push_back({u.dot(d), w.dot(d), i});
  }
  std::sort(planar.begin(), planar.end(), [](const Planar& a, const Planar& b) { return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.index < b.index); });
  std::vector<Planar> polygon = hull(planar, flatness * size);
  const auto isDeepest = [&](const Planar& p) { return p.index == deepestIndex; };
  const bool inside = std::none_of(polygon.begin(), polygon.end(), isDeepest);
  dropSmallestEars(polygon, inside ? max_manifold_points - 1 : max_manifold_points);
  if (std::none_of(polygon.begin(), polygon.end(), isDeepest)) {
    dropSmallestEars(polygon, max_manifold_points - 1);
    polygon.push_back({0, 0, deepestIndex});
  }
  std::sort(polygon.begin(), polygon.end(), [](const Planar& a, const Planar& b) { return a.index < b.index; });
  std::vector<PairPoint> kept;
  for (const Planar& p : polygon) kept.push_back(points[p.index]);
  points = std::move(kept);
}

}  // namespace stiction
