#include "collision/SurfaceContact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "collision/NearestOnTriangle.hpp"
#include "collision/TriangleSeparation.hpp"
#include "math/Plane.hpp"

namespace stiction {
namespace {

constexpr double ridge_slope = 1e-6;    // [rad] an edge is convex when the triangle beyond it falls off by more than this
constexpr double allowed_slope = 1e-8;  // [rad] round-off in the test of a normal
constexpr double same_point = 1e-9;     // [m]
constexpr double same_normal = 1e-12;   // [-] of 1 - cosine
constexpr double touching = 1e-6;       // [-] of the shape's size: nearer than this, the normal of the nearest points may be any between the faces
constexpr int arc_rounds = 60;          // of the search along an arc of normals, which ends where it knows them
constexpr double arc_end = 1e-13;       // [rad] as well as this
constexpr double half = 0.5;            // [-] of an overlap: a point that tells of that much stands for it,
constexpr double alike = 0.9;           // [-] where the cosine between their normals is greater than this
constexpr double on_border = 1e-9;      // [-] of the shape's size: corners this near to a border are on it
constexpr double steepest = 4;          // [-] of an overlap: how far beside a hollow edge its foot may be
constexpr double shallow = 0.02;        // [-] of the shape's size: a face may push this deep where another way out is shorter

std::size_t at(int i) { return static_cast<std::size_t>(i); }

enum class Meets : std::uint64_t { ShapeCorner = 0, SurfaceCorner = 1, Edges = 2, Single = 3 };

/// Triangle number, then which of its meetings: kind, two ids of the shape, one of the triangle.
std::uint64_t surfaceFeature(int triangle, Meets kind, int a0, int a1, int k) {
  const auto bits = [](int i, std::uint64_t mask) { return static_cast<std::uint64_t>(i) & mask; };
  return static_cast<std::uint64_t>(triangle) << 34 | static_cast<std::uint64_t>(kind) << 32 | bits(a0, 0x7fff) << 17 | bits(a1, 0x7fff) << 2 | bits(k, 3);
}

SurfaceTriangle describe(const TriangleSurface& surface, int triangle, const Vector3& normal, const std::array<Vector3, 3>& corners) {
  SurfaceTriangle t;
  t.corners = corners;
  t.normal = normal;
  for (int k = 0; k < 3; ++k) {
    const Vector3& from = corners[at(k)];
    const Vector3 edge = corners[at((k + 1) % 3)] - from;
    Vector3 far;
    if (!surface.across(triangle, k, far)) {
      t.ridge[at(k)] = true;
      t.beyond[at(k)] = edge.cross(normal).normalized();
    } else {
      const double rise = normal.dot(far - from), level = ridge_slope * (far - from).norm();
      t.ridge[at(k)] = rise < -level;
      t.hollow[at(k)] = rise > level;
      t.beyond[at(k)] = (far - from).cross(edge).normalized();
    }
  }
  return t;
}

/// Whether the point is straight under or over the triangle, which faces up the z axis.
bool liesUnder(const std::array<Vector3, 3>& corners, const Vector3& point, double tolerance) {
  for (int k = 0; k < 3; ++k) {
    const Vector2 from = corners[at(k)].head<2>(), edge = corners[at((k + 1) % 3)].head<2>() - from;
    if (cross(edge, point.head<2>() - from) < -tolerance * edge.norm()) return false;
  }
  return true;
}

/// Edge k between the corner numbers low < high.
int edgeBetween(int low, int high) { return low == 0 && high == 2 ? 2 : low; }

}  // namespace

void SurfaceContact::begin(const ConvexShape& shape, double reach, bool solidBelow) {
  shape_ = &shape;
  reach_ = reach;
  solidBelow_ = solidBelow;
  points_.clear();
  missed_.clear();
  below_.reset();
  axesKnown_ = 0;
}

bool SurfaceContact::isBeyond(const std::array<Vector3, 3>& corners) const {
  const auto separates = [&](const Axis& axis) {
    const auto along = [&](int k) { return axis.normal.dot(corners[at(k)]); };
    return std::min({along(0), along(1), along(2)}) - axis.end > reach_;
  };
  return std::any_of(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(std::min(axesKnown_, axes_.size())), separates);
}

/// Whether the way from the shape's centre to the nearest point of the triangle shows that it is beyond reach.
bool SurfaceContact::isBeyondAlongCentre(const std::array<Vector3, 3>& corners, Vector3& way) {
  way = nearestOnTriangle(shape_->centre(), corners[0], corners[1], corners[2]).way;
  const double distance = way.norm();
  if (distance <= reach_) return false;
  const Vector3 n = way / distance;
  const double end = n.dot(shape_->coreSupport(n)) + shape_->margin();
  if (n.dot(shape_->centre()) + distance - end <= reach_) return false;
  remember(n, end);
  return true;
}

void SurfaceContact::remember(const Vector3& normal, double end) { axes_[axesKnown_++ % axes_.size()] = {normal, end}; }

bool SurfaceContact::allowed(const TriangleSurface& surface, int triangle, const SurfaceTriangle& t, const Vector3& m) {
  if (m.dot(t.normal) < -allowed_slope) return false;
  double top = m.dot(t.corners[0]), longest = 0;
  for (int k = 0; k < 3; ++k) {
    top = std::max(top, m.dot(t.corners[at(k)]));
    longest = std::max(longest, (t.corners[at((k + 1) % 3)] - t.corners[at(k)]).norm());
  }
  const auto below = [&](const Vector3& w, const Vector3& corner) { return m.dot(w) <= top + allowed_slope * (longest + (w - corner).norm()); };
  std::array<bool, 3> highest{};
  for (int k = 0; k < 3; ++k) highest[at(k)] = m.dot(t.corners[at(k)]) >= top - allowed_slope * longest;
  const auto count = std::count(highest.begin(), highest.end(), true);
  if (count == 3) return true;  // the face itself: whatever rises around it has faces of its own
  for (int k = 0; k < 3; ++k) {
    if (count == 2) {  // an edge: only the triangle beyond it can forbid the normal
      Vector3 far;
      if (highest[at(k)] && highest[at((k + 1) % 3)] && surface.across(triangle, k, far) && !below(far, t.corners[at(k)])) return false;
    } else if (highest[at(k)]) {
      neighbours_.clear();
      surface.ring(triangle, k, neighbours_);
      for (const Vector3& w : neighbours_)
        if (!below(w, t.corners[at(k)])) return false;
    }
  }
  return true;
}

void SurfaceContact::addMeetings(const std::vector<Meeting>& meetings, const Vector3& normal, const SurfaceTriangle& t, int triangle, double least,
                                 bool cornersOnly) {
  for (const Meeting& meeting : meetings) {
    if (!(meeting.gap <= reach_) || (cornersOnly && meeting.kind != Meeting::Kind::CornerA)) continue;
    std::uint64_t id = 0;
    switch (meeting.kind) {
      case Meeting::Kind::CornerA: id = surfaceFeature(triangle, Meets::ShapeCorner, meeting.a0, 0, 0); break;
      case Meeting::Kind::CornerB:
        if (!t.ridge[at(meeting.b0)] && !t.ridge[at((meeting.b0 + 2) % 3)]) continue;
        id = surfaceFeature(triangle, Meets::SurfaceCorner, 0, 0, meeting.b0);
        break;
      case Meeting::Kind::Crossing: {
        const int edge = edgeBetween(meeting.b0, meeting.b1);
        if (!t.ridge[at(edge)]) continue;
        id = surfaceFeature(triangle, Meets::Edges, meeting.a0, meeting.a1, edge);
        break;
      }
    }
    points_.push_back({meeting.point, normal, std::max(meeting.gap, least), id});
  }
}

/// The least-overlap normal is one the surface allows.
void SurfaceContact::touchFreely(const Separation& near, const ConvexShape& flat, const SurfaceTriangle& t, int triangle) {
  shape_->patch(near.normal, patchShape_);
  flat.patch(-near.normal, patchTriangle_);
  const bool pointA = patchShape_.kind == Patch::Kind::Point, pointB = patchTriangle_.kind == Patch::Kind::Point;
  if (pointA || pointB) {
    const Vector3 point = pointA ? Vector3{near.witnessA + 0.5 * near.gap * near.normal} : Vector3{near.witnessB - 0.5 * near.gap * near.normal};
    points_.push_back(
        {point, near.normal, near.gap, surfaceFeature(triangle, Meets::Single, patchShape_.vertices[0].id, pointB ? 1 + patchTriangle_.vertices[0].id : 0, 0)});
    return;
  }
  const double limit = std::max(4 * std::abs(near.gap), touching * shape_->size());
  const std::vector<Meeting>* meetings = nullptr;
  for (double tolerance = 1e-9 * shape_->size(); tolerance < limit && (meetings == nullptr || meetings->empty());
       tolerance *= 10)  // corners that just miss a border still touch it
    meetings = &contact_.meet(patchShape_, patchTriangle_, near.normal, tolerance);
  addMeetings(*meetings, near.normal, t, triangle, near.gap, false);
}

/// What is under the face also counts a little beyond a hollow edge: the surface rises there, and a corner below such an edge has its foot on neither face.
void SurfaceContact::touchFace(const ConvexShape& flat, const SurfaceTriangle& t, int triangle, double faceGap, bool inFront) {
  shape_->patch(-t.normal, patchShape_);
  flat.patch(t.normal, patchTriangle_);
  const double size = shape_->size(), tolerance = on_border * size;
  meetings_ = contact_.meet(patchShape_, patchTriangle_, -t.normal, std::max(tolerance, std::min(-steepest * faceGap, shallow * size)));
  const auto isBeside = [&](const Meeting& meeting) {
    const Vector3 point = meeting.point + 0.5 * meeting.gap * t.normal;
    if (!inFront && !liesUnder(t.corners, point, tolerance)) return true;
    for (int k = 0; k < 3; ++k) {
      const Vector3 &from = t.corners[at(k)], edge = t.corners[at((k + 1) % 3)] - from;
      if (!(t.hollow[at(k)] && meeting.gap < 0) && edge.cross(t.normal).dot(point - from) > tolerance * edge.norm()) return true;
    }
    return false;
  };
  meetings_.erase(std::remove_if(meetings_.begin(), meetings_.end(), isBeside), meetings_.end());
  addMeetings(meetings_, -t.normal, t, triangle, faceGap, true);
}

/// Largest gap [m] along the normals m = cos a n + sin a e of an arc, a in [0, end]: from the best of a few, between two whose slopes say that it lies there. There it is where the supports of both
/// are level, if the shape has corners; where the slope vanishes, if it is smooth.
SurfaceContact::ArcPoint SurfaceContact::largestGap(const Vector3& n, const Vector3& e, double end, const Vector3& onSurface) const {
  const auto point = [&](double angle) {
    ArcPoint p;
    p.angle = angle;
    p.normal = std::cos(angle) * n + std::sin(angle) * e;
    p.apart = shape_->coreSupport(-p.normal) - onSurface;
    p.gap = p.normal.dot(p.apart) - shape_->margin();
    p.slope = (std::cos(angle) * e - std::sin(angle) * n).dot(p.apart);
    return p;
  };
  std::array<ArcPoint, 5> samples;
  std::size_t most = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    samples[k] = point(end * static_cast<double>(k) / (samples.size() - 1));
    if (samples[k].gap > samples[most].gap) most = k;
  }
  const std::size_t other = samples[most].slope > 0 ? most + 1 : most - 1;
  ArcPoint best = samples[most];
  if (other >= samples.size()) return best;  // it rises beyond the end
  ArcPoint low = samples[std::min(most, other)], high = samples[std::max(most, other)];
  for (int round = 0; round < arc_rounds && high.angle - low.angle > arc_end; ++round) {
    const Vector3 level = low.apart == high.apart ? low.apart : Vector3{low.apart - high.apart};
    const bool isOneCorner = low.apart == high.apart, byCorners = isOneCorner || round % 2 == 0;
    double angle = 0.5 * (low.angle + high.angle);
    const double guess = isOneCorner ? std::atan2(e.dot(level), n.dot(level))
                         : byCorners ? std::atan2(-std::copysign(1.0, e.dot(level)) * n.dot(level), std::abs(e.dot(level)))
                                     : low.angle + (high.angle - low.angle) * low.slope / (low.slope - high.slope);
    const bool isInside = guess > low.angle && guess < high.angle;
    if (isInside) angle = guess;
    const ArcPoint next = point(angle);
    if (next.gap > best.gap) best = next;
    if (isInside && byCorners && (next.apart == low.apart || next.apart == high.apart)) break;
    (next.slope > 0 ? low : high) = next;
  }
  return best;
}

/// The best normal on the arcs from the face normal to the last one allowed at each ridge, if it beats the face and the shape is at that edge within `slack`.
bool SurfaceContact::touchRidge(const ConvexShape& flat, const SurfaceTriangle& t, int triangle, double faceGap, double slack) {
  double best = faceGap;
  Vector3 normal = t.normal;
  int edge = -1;
  for (int k = 0; k < 3; ++k) {
    if (!t.ridge[at(k)]) continue;
    const double cosine = t.normal.dot(t.beyond[at(k)]);
    const Vector3 sideways = t.beyond[at(k)] - cosine * t.normal;
    const double sine = sideways.norm();
    if (!(sine > 0)) continue;
    const ArcPoint most = largestGap(t.normal, sideways / sine, std::atan2(sine, cosine), t.corners[at(k)]);
    if (most.gap > best) best = most.gap, normal = most.normal, edge = k;
  }
  if (edge < 0 || !(best <= reach_)) return false;
  const Vector3& from = t.corners[at(edge)];
  const Vector3 direction = t.corners[at((edge + 1) % 3)] - from;
  shape_->patch(-normal, patchShape_);
  flat.patch(normal, patchTriangle_);
  if (patchShape_.kind == Patch::Kind::Point) {
    const Vector3& x = patchShape_.vertices[0].point;
    const Vector3 nearest = from + std::clamp((x - from).dot(direction) / direction.squaredNorm(), 0.0, 1.0) * direction;
    const Vector3 apart = x - nearest;
    if ((apart - normal.dot(apart) * normal).norm() > slack) return false;
    points_.push_back({x - 0.5 * best * normal, -normal, best, surfaceFeature(triangle, Meets::Single, patchShape_.vertices[0].id, 4, edge)});
    return true;
  }
  const std::size_t before = points_.size();
  addMeetings(contact_.meet(patchShape_, patchTriangle_, -normal, slack), -normal, t, triangle, best, false);
  return points_.size() > before;
}

void SurfaceContact::touch(const TriangleSurface& surface, int triangle) {
  const std::array<Vector3, 3> corners = surface.corners(triangle);
  if (isBeyond(corners)) return;
  const Vector3 normal = triangleNormal(corners[0], corners[1], corners[2]);
  const Vector3 lowest = shape_->coreSupport(-normal);
  const double faceGap = normal.dot(lowest - corners[0]) - shape_->margin();
  if (!(faceGap <= reach_)) {
    remember(-normal, shape_->margin() - normal.dot(lowest));
    return;
  }
  const bool inFront = normal.dot(shape_->centre() - corners[0]) >= 0;
  if (!inFront && !solidBelow_) return;
  Vector3 way = Vector3::Zero();
  if (inFront && isBeyondAlongCentre(corners, way)) return;
  const std::size_t before = points_.size();
  Near here{triangle, describe(surface, triangle, normal, corners), way, faceGap, {}, false};
  if (const bool isDone = inFront && touchInFront(surface, here); !isDone) touchFace(ConvexShape{corners}, here.triangle, triangle, faceGap, inFront);
  const double depth = touching * shape_->size();
  const bool overlaps = inFront && faceGap < -depth && !(here.near && here.near->gap >= -depth);
  const auto isOverlap = [&](const PairPoint& point) { return point.gap < -depth; };
  const bool tellsOfIt = std::any_of(points_.begin() + static_cast<std::ptrdiff_t>(before), points_.end(), isOverlap);
  if ((points_.size() == before && here.isAllowed) || (overlaps && !tellsOfIt)) missed_.push_back(here);
}

/// Of a shape in front of the triangle: returns whether that is all, else the face sees to it.
bool SurfaceContact::touchInFront(const TriangleSurface& surface, Near& here) {
  const SurfaceTriangle& t = here.triangle;
  const double faceGap = here.faceGap;
  const bool ridged = t.ridge[0] || t.ridge[1] || t.ridge[2];
  if (!ridged && -faceGap <= shallow * shape_->size()) return false;
  const ConvexShape flat{t.corners};  // what lies deep behind the plane may pass beside the triangle
  const Separation near = separationFrom(flat, here.way);
  if (!(near.gap <= reach_)) {
    remember(near.normal, near.normal.dot(near.witnessA));
    return true;
  }
  here.near = near;
  here.isAllowed = ridged && allowed(surface, here.number, t, -near.normal);
  if (here.isAllowed) {
    touchFreely(near, flat, t, here.number);
    return true;
  }
  const double slack = std::max(4 * std::abs(near.gap), touching * shape_->size());
  const bool apart = near.gap > touching * shape_->size();
  if (ridged && !apart && -near.gap < shallow * shape_->size() && touchRidge(flat, t, here.number, faceGap, slack)) return true;
  return apart ? -faceGap > slack : ridged && -faceGap > std::max(slack, shallow * shape_->size());  // what is apart is not pushed
}

void SurfaceContact::keepAbove(const TriangleSurface& surface, int triangle) {
  const std::array<Vector3, 3> corners = surface.corners(triangle);
  const Vector3 normal = triangleNormal(corners[0], corners[1], corners[2]);
  if (normal.dot(shape_->centre() - corners[0]) >= 0) return;
  const Vector3 lowest = shape_->coreSupport(-normal) - shape_->margin() * normal;
  const double gap = normal.dot(lowest - corners[0]);
  below_ = PairPoint{lowest - 0.5 * gap * normal, -normal, gap, surfaceFeature(triangle, Meets::Single, 0, 6, 0)};
}

Separation SurfaceContact::separationFrom(const ConvexShape& flat, const Vector3& way) const {
  const std::optional<Separation> direct = separateTriangle(*shape_, flat, way, reach_);
  return direct ? *direct : separate(*shape_, flat, reach_);
}

/// What is nearer to a triangle, or overlaps it by more, than any point says, and found none on it: the patches of both do not meet, the normal of least overlap is not allowed, or a corner below a
/// valley is under no face. There it touches at one point, along the face where the normal is not allowed, and is pushed out by no more than that overlap.
void SurfaceContact::addMissed() {
  const double depth = touching * shape_->size();
  double least = std::numeric_limits<double>::infinity();
  for (const PairPoint& point : points_) least = std::min(least, point.gap);
  const auto isOverlapped = [&](Near& missed) {
    if (!missed.near) missed.near = separationFrom(ConvexShape{missed.triangle.corners}, missed.way);
    return missed.near->gap < -depth;
  };
  const Near* nearest = nullptr;
  for (Near& missed : missed_) {
    if (!(missed.faceGap < least - depth)) continue;
    const bool overlaps = isOverlapped(missed);
    if (missed.near->gap < least - depth && (missed.isAllowed || overlaps)) least = missed.near->gap, nearest = &missed;
  }
  if (nearest != nullptr) addSingle(*nearest);
  for (Near& missed : missed_) {
    if (!(missed.faceGap < -depth && isOverlapped(missed))) continue;
    const Vector3 normal = pushOf(missed);
    const auto saysSo = [&](const PairPoint& point) { return point.normal.dot(normal) > alike && point.gap < half * missed.near->gap; };
    if (std::none_of(points_.begin(), points_.end(), saysSo)) addSingle(missed);
  }
  if (points_.empty() && below_) points_.push_back(*below_);
}

Vector3 SurfaceContact::pushOf(const Near& missed) { return missed.isAllowed ? missed.near->normal : Vector3{-missed.triangle.normal}; }

void SurfaceContact::addSingle(const Near& missed) {
  const Separation& near = *missed.near;
  const std::array<Vector3, 3>& corners = missed.triangle.corners;
  const Vector3 onTriangle = near.witnessA + nearestOnTriangle(near.witnessA, corners[0], corners[1], corners[2]).way, normal = pushOf(missed);
  points_.push_back({onTriangle - 0.5 * near.gap * normal, normal, near.gap, surfaceFeature(missed.number, Meets::Single, 0, 5, 0)});
}

void SurfaceContact::finish(const Pose& X_WS, std::vector<PairPoint>& out) {
  addMissed();
  const std::size_t first = out.size();
  for (const PairPoint& local : points_) {
    const PairPoint point{X_WS * local.point, X_WS.rotation * local.normal, local.gap, local.feature};
    const bool known = std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [&](const PairPoint& other) {
      return (other.point - point.point).squaredNorm() <= same_point * same_point && other.normal.dot(point.normal) >= 1 - same_normal;
    });
    if (!known) out.push_back(point);
  }
}

}  // namespace stiction
