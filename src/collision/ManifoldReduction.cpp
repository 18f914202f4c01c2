#include "collision/ManifoldReduction.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double coincidence{1e-12};  // [-] of the size
constexpr double patch_angle{1e-2};   // [rad] normals nearer than this belong to one patch
constexpr double flatness{1e-9};      // [-] of the size: how far a point may stand off a hull edge and still count as on it
constexpr double tie{1e-6};           // [-] of an ear
// Rims of meshes in single precision are flat by this: which point is deepest then says nothing, and must not choose the others.
constexpr double coplanarity{3e-7};  // [-] of the size

bool before(const PairPoint& a, const PairPoint& b) {
  if (a.feature != b.feature) return a.feature < b.feature;
  if (a.gap != b.gap) return a.gap < b.gap;
  return std::lexicographical_compare(a.point.begin(), a.point.end(), b.point.begin(), b.point.end());
}

void mergeCoincident(double limit, std::vector<PairPoint>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto same = [&](const PairPoint& other) {
      return (other.point - points[i].point).squaredNorm() <= limit * limit && (other.normal - points[i].normal).squaredNorm() <= coincidence * coincidence;
    };
    if (std::none_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(kept), same)) points[kept++] = points[i];
  }
  points.resize(kept);
}

/// Distinct points that share an id (more than 2^15 vertices) get successive ones.
void makeUnique(std::vector<PairPoint>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) points[i].feature = std::max(points[i].feature, points[i - 1].feature + 1);
}

struct Planar {
  double x, y;
  std::size_t index;
};

double cross(const Planar& a, const Planar& b, const Planar& c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

struct Workspace {
  std::vector<PairPoint> kept, patch;
  std::vector<Planar> planar, polygon;
};

/// Convex hull, counter-clockwise, without points on its edges (Andrew 1979, monotone chain). `points` sorted by (x, y).
void hull(const std::vector<Planar>& points, double limit, std::vector<Planar>& chain) {
  chain.clear();
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
}

/// Drops corners of the polygon, each time the one whose ear is smallest (equal within `tie`, as on regular rims: the larger index), until `count` are left.
void dropSmallestEars(std::vector<Planar>& polygon, std::size_t count) {
  while (polygon.size() > count) {
    std::size_t drop = 0;
    double least = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Planar& before = polygon[(i + polygon.size() - 1) % polygon.size()];
      const Planar& after = polygon[(i + 1) % polygon.size()];
      const double ear = std::abs(cross(before, polygon[i], after));
      if (i == 0 || ear < (1 - tie) * least || (ear <= (1 + tie) * least && polygon[i].index > polygon[drop].index)) {
        drop = i;
        least = ear;
      }
    }
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(drop));
  }
}

/// Reduces the patch: points of about the same normal, sorted by feature.
void reducePatch(double size, Workspace& space) {
  std::vector<PairPoint>& points = space.patch;
  std::vector<Planar>&planar = space.planar, &polygon = space.polygon;
  const auto deepest = std::min_element(points.begin(), points.end(), [](const PairPoint& a, const PairPoint& b) { return a.gap < b.gap; });
  const std::size_t deepestIndex = static_cast<std::size_t>(deepest - points.begin());
  const Vector3 n = points.front().normal;
  const Vector3 u = n.unitOrthogonal();
  const Vector3 w = n.cross(u);
  planar.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector3 d = points[i].point - points.front().point;
    planar.push_back({u.dot(d), w.dot(d), i});
  }
  std::sort(planar.begin(), planar.end(),
            [](const Planar& a, const Planar& b) { return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.index < b.index); });
  hull(planar, flatness * size, polygon);
  dropSmallestEars(polygon, max_manifold_points);
  double least = points[polygon.front().index].gap;
  for (const Planar& p : polygon) least = std::min(least, points[p.index].gap);
  if (deepest->gap < least - coplanarity * size) {
    dropSmallestEars(polygon, max_manifold_points - 1);
    polygon.push_back({0, 0, deepestIndex});
  }
  std::sort(polygon.begin(), polygon.end(), [](const Planar& a, const Planar& b) { return a.index < b.index; });
  for (std::size_t i = 0; i < polygon.size(); ++i) points[i] = points[polygon[i].index];
  points.resize(polygon.size());
}

}  // namespace

void reduceManifold(double size, std::vector<PairPoint>& points) {
  std::sort(points.begin(), points.end(), before);
  mergeCoincident(coincidence * size, points);
  makeUnique(points);
  if (points.size() <= max_manifold_points) return;
  static thread_local Workspace space;
  space.kept.clear();
  while (!points.empty()) {
    // The patch of the first point: all points whose normal is within patch_angle of its own.
    const Vector3 n = points.front().normal;
    space.patch.clear();
    std::size_t others = 0;
    for (const PairPoint& point : points) {
      if ((point.normal - n).squaredNorm() > patch_angle * patch_angle)
        points[others++] = point;
      else
        space.patch.push_back(point);
    }
    points.resize(others);
    if (space.patch.size() > max_manifold_points) reducePatch(size, space);
    space.kept.insert(space.kept.end(), space.patch.begin(), space.patch.end());
  }
  std::sort(space.kept.begin(), space.kept.end(), before);
  points.swap(space.kept);
}

}  // namespace stiction
