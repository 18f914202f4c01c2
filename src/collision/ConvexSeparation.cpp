#include "collision/ConvexSeparation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/NearestOnTriangle.hpp"
#include "collision/Simplex.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

constexpr double apart = 1e-3;          // [-] of the smaller size: distance of cores at which the nearest direction is well conditioned
constexpr double feature_angle = 1e-2;  // [rad] features this near the start normal are polished
constexpr double rounding = 1e-14;      // [-] of the size: differences of g below this are noise
constexpr int polishes = 16;            // of deep overlaps, at most
constexpr int most_corners = 96;        // of a search for nearest points
constexpr std::size_t tries = 4;        // start normals followed in deep overlaps
constexpr double level = 1e-12;         // [-] of a cylinder's normal along its axis, or across: all of a side's line supports, or of a cap
constexpr int features_tried = 8;       // of a triangle
constexpr double stationary = 1e-11;    // [-] of the size: tangential difference of the supports at a maximum of g

struct Start {
  Vector3 normal{Vector3::Zero()};
  double value{0};  // [m] g along it
};

class Pair {
 public:
  Pair(const ConvexShape& a, const ConvexShape& b) : a_{a}, b_{b} {
    size_ = std::min(a.size(), b.size());
    noise_ = rounding * (a.size() + b.size() + (a.centre() - b.centre()).norm());
  }

  double size() const { return size_; }
  double noise() const { return noise_; }
  double margins() const { return a_.margin() + b_.margin(); }
  Vector3 difference(const Vector3& n) const { return b_.coreSupport(-n) - a_.coreSupport(n); }
  double value(const Vector3& n) const { return n.dot(difference(n)); }

  void starts(std::vector<Start>& list) const;
  Vector3 ascend(Vector3 n, double reach) const;
  /// For smooth cores: whether Newton from n leads to the maximum of g, or beyond reach.
  bool climb(Vector3& n, double reach) const;
  /// For a smooth core or a cylinder A and a triangle B: likewise, from feature to feature of the triangle.
  bool climbTriangle(Vector3& n, double reach) const;

 private:
  Vector3 alongAxis(const Vector3& n, const Vector3* edge) const;
  bool meetsTriangle(const Vector3& n, double g, Vector3& weights) const;
  Vector3 nearest(const Vector3& shift, const Vector3& guess, double distance) const;
  Vector3 polish(const Vector3& n) const;
  Vector3 newton(Vector3 n, const Vector3* edge) const;

  const ConvexShape& a_;
  const ConvexShape& b_;
  double size_{0}, noise_{0};
};

/// Direction from A to B of the nearest points with B moved by `shift`, which are at least `distance` apart; zero when the search sees them meet.
Vector3 Pair::nearest(const Vector3& shift, const Vector3& guess, double distance) const {
  const double tolerance = std::max(1e-14 * size_, 1e-6 * std::min(distance, apart * size_));
  Simplex simplex;
  Vector3 n = guess;
  double length = std::numeric_limits<double>::infinity(), least = -length;  // [m] of the nearest point so far, and of any
  for (int iteration = 0; iteration < most_corners; ++iteration) {
    const Vector3 w = difference(n) + shift;
    least = std::max(least, n.dot(w));
    if (simplex.count > 0 && length - least <= tolerance * (1 + length)) break;
    Simplex grown = simplex;
    grown.corners[static_cast<std::size_t>(grown.count)] = {w};
    grown.weight[static_cast<std::size_t>(grown.count++)] = 1.0;
    const Simplex reduced = nearestPart(grown);
    if (reduced.count == 4) return Vector3::Zero();
    const Vector3 v = reduced.nearest();
    const double closer = v.norm();
    if (!(closer > noise_)) return Vector3::Zero();
    if (closer >= length) break;
    simplex = reduced;
    length = closer;
    n = v / closer;
  }
  return n;
}

/// Start normals, best first: the line of centres alone where that shows the cores apart, else also what the shapes suggest.
void Pair::starts(std::vector<Start>& list) const {
  list.clear();
  Vector3 line = b_.centre() - a_.centre();
  if (!(line.norm() > 1e-12 * size_)) line = Vector3::UnitZ();
  const auto add = [&](const Vector3& n) { list.push_back({n, value(n)}); };
  add(line.normalized());
  if (list[0].value >= apart * size_) return;
  thread_local std::vector<Vector3> normals;
  normals.clear();
  a_.startNormals(b_.centre(), normals);
  for (const Vector3& n : normals) add(n);
  normals.clear();
  b_.startNormals(a_.centre(), normals);
  for (const Vector3& n : normals) add(-n);
  const std::size_t wanted = std::min(list.size(), tries);  // selection keeps the order of equals: deterministic
  for (std::size_t i = 0; i < wanted; ++i)
    for (std::size_t j = i + 1; j < list.size(); ++j)
      if (list[j].value > list[i].value + noise_) std::swap(list[i], list[j]);
  list.resize(wanted);
}

// g is concave on the directions of all lengths, so where it is positive a stationary n is the maximum. Moved apart by s along n, n stays stationary: where g(n) = -s, a little overlap,
// no m has g(m) > -s n·m.
bool Pair::climb(Vector3& n, double reach) const {
  if (!a_.isSmooth() || !b_.isSmooth()) return false;
  if (value(n) - margins() > reach) return true;
  const Vector3 end = newton(n, nullptr), c = difference(end);
  const double g = end.dot(c);
  if (!(g > -apart * size_ && (c - g * end).norm() <= stationary * size_)) return false;
  n = end;
  return true;
}

/// Of a cylinder's caps and side near n the normal of largest g, with a corner of B or with its `edge`.
Vector3 Pair::alongAxis(const Vector3& n, const Vector3* edge) const {
  if (!a_.isCylinder()) return n;
  const Vector3 axis = a_.rotation().col(2);
  const double rise = n.dot(axis);
  Vector3 best = n;
  const auto consider = [&](const Vector3& candidate) {
    if (value(candidate) >= value(best) - noise_) best = candidate;
  };
  if (1 - std::abs(rise) < 0.5 * feature_angle * feature_angle) consider(std::copysign(1.0, rise) * axis);
  if (std::abs(rise) >= feature_angle) return best;
  if (edge == nullptr) {
    consider(newton(n, &axis));
  } else if (const Vector3 across = axis.cross(*edge); across.norm() > 1e-6) {
    consider(std::copysign(1.0 / across.norm(), across.dot(n)) * across);
  }
  return best;
}

/// Whether A's support along n, moved by g along it, is in the triangle, which makes n a maximum of g. `weights`: of the corners at the point of the triangle that is nearest to it.
bool Pair::meetsTriangle(const Vector3& n, double g, Vector3& weights) const {
  const VertexSet corners = *b_.corners();
  const auto from = [&](const Vector3& q) -> Vector3 {
    const NearestOnTriangle near = nearestOnTriangle(q, corners[0], corners[1], corners[2]);
    weights = near.weights;
    return near.way;
  };
  const Vector3 x = a_.coreSupport(n) + g * n;
  const bool meets = from(x).norm() <= stationary * size_;
  if (meets || !a_.isCylinder()) return meets;
  const Vector3 axis = a_.rotation().col(2);
  const double rise = n.dot(axis);
  if (std::abs(rise) <= level) {  // all of a side's line supports
    const std::array<Vector3, 2> line{x, x - std::copysign(2 * a_.halfLength(), rise) * axis};
    const ClosestPoints near = closestPoints({line}, corners, from(0.5 * (line[0] + line[1])));
    return !near.apart || near.distance <= stationary * size_;
  }
  if (1 - std::abs(rise) > level) return false;
  const Vector3 cap = a_.centre() + std::copysign(a_.halfLength(), rise) * axis + g * n;  // all of a cap
  const auto isOnCap = [&](const Vector3& way) { return way.norm() <= a_.radius() && std::abs(n.dot(way)) <= stationary * size_; };
  return isOnCap(b_.coreSupport(-n) - cap) || isOnCap(from(cap));
}

// At a maximum of g where A touches, moved by g along n, a point of the triangle: in its interior n is the triangle's normal, on an edge perpendicular to that, at a corner free.
bool Pair::climbTriangle(Vector3& n, double reach) const {
  const VertexSet corners = *b_.corners();
  const Vector3 normal = triangleNormal(corners[0], corners[1], corners[2]);
  Vector3 weights = nearestOnTriangle(a_.centre(), corners[0], corners[1], corners[2]).weights;
  for (int round = 0; round < features_tried; ++round) {
    if (value(n) - margins() > reach) return true;
    const std::array<bool, 3> is{weights[0] > 0, weights[1] > 0, weights[2] > 0};
    const auto count = std::count(is.begin(), is.end(), true);
    Vector3 next;
    if (count == 3) {
      next = std::copysign(1.0, normal.dot(n)) * normal;
    } else if (count == 2) {
      const int from = is[0] ? 0 : 1, to = is[2] ? 2 : 1;
      const Vector3 edge = (corners[to] - corners[from]).normalized();
      if (n.cross(edge).norm() < feature_angle) return false;  // along it
      next = alongAxis(newton(n, &edge), &edge);
    } else {
      next = alongAxis(newton(n, nullptr), nullptr);
    }
    const double g = value(next);
    n = next;
    if (g - margins() > reach) return true;
    if (meetsTriangle(n, g, weights)) return g > -apart * size_;
    if (std::equal(is.begin(), is.end(), weights.data(), [](bool was, double weight) { return was == (weight > 0); })) return false;
  }
  return false;
}

/// Ascent of g by nearest points of cores moved apart; the distance kept shrinks as it goes, for corners that barely meet.
Vector3 Pair::ascend(Vector3 n, double reach) const {
  double g = value(n);
  Vector3 last = n;  // where the search led even if that was not better
  double kept = apart * size_;
  for (int iteration = 0; iteration < 24 && g - margins() <= reach; ++iteration) {
    const double shift = std::max(0.0, kept - g);
    Vector3 next = nearest(shift * n, n, shift + g);
    if (g > 0 && shift > 0) {  // apart, if only just: the nearest points themselves
      const Vector3 direct = nearest(Vector3::Zero(), n, g);
      if (!direct.isZero() && (next.isZero() || value(direct) > value(next))) next = direct;
    }
    if (next.isZero()) break;
    const double candidate = value(next);
    const double turn = (next - n).norm();
    last = next;
    if (!(candidate > g)) break;
    n = next;
    g = candidate;
    if (shift == 0 || turn < 1e-4) break;  // near enough to polish
    kept = std::max(0.25 * kept, 1e-5 * apart * size_);
  }
  if (g - margins() > reach) return n;
  Vector3 polished = polish(n);
  if ((last - n).norm() >= 1e-9) {
    const Vector3 other = polish(last);
    if (value(other) > value(polished) + noise_) polished = other;
  }
  // Deep, g bends both ways, and the features near a start need not be those of the maximum.
  for (int round = 0; round < polishes && value(polished) < -apart * size_; ++round) {
    const Vector3 next = polish(polished);
    if (!(value(next) > value(polished) + noise_)) break;
    polished = next;
  }
  return polished;
}

/// Newton ascent of g over the unit sphere, or over the great circle perpendicular to `edge`: δ = (TᵀDT + g)⁻¹ Tᵀc on the tangents T, c the difference of supports.
Vector3 Pair::newton(Vector3 n, const Vector3* edge) const {
  if (edge != nullptr) n -= n.dot(*edge) * *edge;
  n.normalize();
  double g = value(n);
  for (int iteration = 0; iteration < 24; ++iteration) {
    const Vector3 c = difference(n);
    const Matrix3 D = a_.curvature(n) + b_.curvature(-n);
    Vector3 step;
    if (edge != nullptr) {
      const Vector3 t = edge->cross(n);
      const double bend = t.dot(D * t) + g;
      step = t.dot(c) / (bend > 1e-9 * size_ ? bend : std::abs(g) + size_) * t;
    } else {
      const TangentFrame frame = TangentBasis::computeDuffBasis(n);
      Eigen::Matrix<double, 3, 2> T;
      T << frame.t1, frame.t2;
      Eigen::Matrix2d H = T.transpose() * D * T;
      H.diagonal().array() += g;
      const double determinant = H.determinant(), trace = H.trace();
      const bool definite = trace > 0 && determinant > 1e-12 * trace * trace;
      const Vector2 residual = T.transpose() * c;
      step = T * (definite ? Vector2{H.inverse() * residual} : Vector2{residual / (std::abs(g) + 0.5 * std::abs(trace) + size_)});
    }
    const double length = step.norm();
    if (length < 1e-16) break;
    if (length > 0.3) step *= 0.3 / length;
    bool improved = false;
    for (double scale = 1; scale > 1e-3 && !improved; scale *= 0.5) {
      Vector3 next = n + scale * step;
      if (edge != nullptr) next -= next.dot(*edge) * *edge;
      next.normalize();
      const double candidate = value(next);
      improved = candidate >= g - 0.01 * noise_ || (length < 1e-6 && candidate >= g - noise_);
      if (improved) n = next, g = candidate;
    }
    if (!improved || length < 1e-15) break;
  }
  return n;
}

/// The best of the normals that the features near n allow; where several are equal to round-off, faces before edges before points.
Vector3 Pair::polish(const Vector3& n) const {
  Vector3 best = n;
  double most = value(n) - 2 * noise_;  // the start normal itself loses every tie
  const auto consider = [&](const Vector3& candidate) {
    const double g = value(candidate);
    if (g > most + noise_) most = g, best = candidate;
  };
  DirectionList facesA, facesB, edgesA, edgesB;
  a_.faceNormals(n, feature_angle, facesA);
  b_.faceNormals(-n, feature_angle, facesB);
  for (std::size_t i = 0; i < facesA.count; ++i) consider(facesA.items[i]);
  for (std::size_t i = 0; i < facesB.count; ++i) consider(-facesB.items[i]);
  a_.edgeDirections(n, feature_angle, edgesA);
  b_.edgeDirections(-n, feature_angle, edgesB);
  for (std::size_t i = 0; i < edgesA.count; ++i)
    for (std::size_t j = 0; j < edgesB.count; ++j) {
      const Vector3 cross = edgesA.items[i].cross(edgesB.items[j]);
      const double length = cross.norm();
      if (length > 1e-6) consider(std::copysign(1.0 / length, cross.dot(n)) * cross);
    }
  for (std::size_t i = 0; i < edgesA.count; ++i) consider(newton(n, &edgesA.items[i]));
  for (std::size_t j = 0; j < edgesB.count; ++j) consider(newton(n, &edgesB.items[j]));
  consider(newton(n, nullptr));
  return best;
}

}  // namespace

Separation separationAlong(const ConvexShape& a, const ConvexShape& b, const Vector3& n, double cores) {
  return {n, cores - a.margin() - b.margin(), a.coreSupport(n) + a.margin() * n, b.coreSupport(-n) - b.margin() * n};
}

Separation separate(const ConvexShape& a, const ConvexShape& b, double reach) {
  const Pair pair{a, b};
  thread_local std::vector<Start> starts;
  pair.starts(starts);
  Vector3 n = starts[0].normal;
  if (!pair.climb(n, reach)) n = pair.ascend(n, reach);
  double g = pair.value(n);
  for (std::size_t i = 1; i < starts.size() && g < -apart * pair.size(); ++i) {  // deep: other maxima may be better
    const Vector3 other = pair.ascend(starts[i].normal, reach);
    const double candidate = pair.value(other);
    if (candidate > g + pair.noise()) n = other, g = candidate;
  }
  return separationAlong(a, b, n, g);
}

std::optional<Separation> separateRound(const ConvexShape& a, const ConvexShape& triangle, const Vector3& direction, double reach) {
  const Pair pair{a, triangle};
  const double length = direction.norm();
  Vector3 n = length > 0 ? Vector3{direction / length} : Vector3::Zero();
  if (!(length > 0) || !pair.climbTriangle(n, reach)) return std::nullopt;
  return separationAlong(a, triangle, n, pair.value(n));
}

}  // namespace stiction
