#include "collision/PatchContact.hpp"

#include <algorithm>
#include <cmath>

#include "math/Plane.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

constexpr double parallel_edges = 1e-3;  // [rad] edges closer to parallel touch along a line, not at a crossing
constexpr int circle_mark = 60;          // ids of points on a circle, beyond those of rim points

/// Number of border edges of a patch: none for points and discs.
std::size_t edgeCount(const Patch& patch) {
  if (patch.kind == Patch::Kind::Segment) return 1;
  return patch.kind == Patch::Kind::Polygon ? patch.vertices.size() : 0;
}

}  // namespace

void PatchContact::flatten(const Patch& patch, Flat& flat) const {
  flat.patch = &patch;
  flat.q.clear();
  flat.h.clear();
  for (const PatchVertex& vertex : patch.vertices) {
    flat.q.emplace_back(t1_.dot(vertex.point), t2_.dot(vertex.point));
    flat.h.push_back(n_.dot(vertex.point));
  }
  if (patch.kind != Patch::Kind::Polygon && patch.kind != Patch::Kind::Disc) return;
  const Vector3& anchor = patch.kind == Patch::Kind::Disc ? patch.centre : patch.vertices[0].point;
  const double along = patch.normal.dot(n_);
  flat.slope = Vector2{-patch.normal.dot(t1_) / along, -patch.normal.dot(t2_) / along};
  flat.centre = {t1_.dot(patch.centre), t2_.dot(patch.centre)};
  flat.offset = n_.dot(anchor) - flat.slope.dot(Vector2{t1_.dot(anchor), t2_.dot(anchor)});
  double area = 0;
  for (std::size_t k = 1; k + 1 < flat.q.size(); ++k) area += cross(flat.q[k] - flat.q[0], flat.q[k + 1] - flat.q[0]);
  flat.turn = area < 0 ? -1 : 1;
}

double PatchContact::height(const Flat& flat, const Vector2& q) const {
  switch (flat.patch->kind) {
    case Patch::Kind::Point: return flat.h[0];
    case Patch::Kind::Segment: {
      const Vector2 edge = flat.q[1] - flat.q[0];
      const double s = std::clamp((q - flat.q[0]).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
      return flat.h[0] + s * (flat.h[1] - flat.h[0]);
    }
    default: return flat.offset + flat.slope.dot(q);
  }
}

bool PatchContact::contains(const Flat& flat, const Vector2& q) const {
  switch (flat.patch->kind) {
    case Patch::Kind::Polygon:
      for (std::size_t k = 0; k < flat.q.size(); ++k) {
        const Vector2 edge = flat.q[(k + 1) % flat.q.size()] - flat.q[k];
        if (flat.turn * cross(edge, q - flat.q[k]) < -tolerance_ * edge.norm()) return false;
      }
      return true;
    case Patch::Kind::Disc: return (lift(q, height(flat, q)) - flat.patch->centre).norm() <= flat.patch->radius + tolerance_;
    default: return false;
  }
}

void PatchContact::add(Meeting::Kind kind, const Vector2& q, int a0, int a1, int b0, int b1) {
  const double ha = height(a_, q), hb = height(b_, q);
  const Vector3 point = lift(q, 0.5 * (ha + hb));
  for (const Meeting& other : meetings_)
    if ((other.point - point).squaredNorm() <= tolerance_ * tolerance_) return;
  meetings_.push_back({kind, point, hb - ha, std::min(a0, a1), std::max(a0, a1), std::min(b0, b1), std::max(b0, b1)});
}

void PatchContact::corners(const Flat& from, const Flat& into, Meeting::Kind kind) {
  for (std::size_t k = 0; k < from.q.size(); ++k) {
    if (!contains(into, from.q[k])) continue;
    const int id = from.patch->vertices[k].id;
    if (kind == Meeting::Kind::CornerA)
      add(kind, from.q[k], id, id, 0, 0);
    else
      add(kind, from.q[k], 0, 0, id, id);
  }
}

void PatchContact::crossSegments(std::size_t i, std::size_t j) {
  const std::size_t nextA = (i + 1) % a_.q.size(), nextB = (j + 1) % b_.q.size();
  const Vector2 u = a_.q[nextA] - a_.q[i], v = b_.q[nextB] - b_.q[j], d = b_.q[j] - a_.q[i];
  const double denominator = cross(u, v);
  if (std::abs(denominator) <= 1e-9 * u.norm() * v.norm()) return;
  const double s = cross(d, v) / denominator, t = cross(d, u) / denominator;
  const double slackS = tolerance_ / u.norm(), slackT = tolerance_ / v.norm();
  if (s < -slackS || s > 1 + slackS || t < -slackT || t > 1 + slackT) return;
  add(Meeting::Kind::Crossing, a_.q[i] + s * u, a_.patch->vertices[i].id, a_.patch->vertices[nextA].id, b_.patch->vertices[j].id, b_.patch->vertices[nextB].id);
}

/// Edge i of `lines` against the rim of a disc, in the plane of the disc.
void PatchContact::crossCircle(const Flat& circle, const Flat& lines, std::size_t i, bool circleIsA) {
  const std::size_t next = (i + 1) % lines.q.size();
  const Vector3 from = lift(lines.q[i], height(circle, lines.q[i])) - circle.patch->centre;
  const Vector3 along = lift(lines.q[next], height(circle, lines.q[next])) - circle.patch->centre - from;
  const double a = along.squaredNorm(), b = from.dot(along), c = from.squaredNorm() - circle.patch->radius * circle.patch->radius;
  const double square = b * b - a * c;
  if (!(square > 0) || !(a > 0)) return;
  const int id0 = lines.patch->vertices[i].id, id1 = lines.patch->vertices[next].id;
  for (int which = 0; which < 2; ++which) {
    const double s = (-b + (which == 0 ? -1 : 1) * std::sqrt(square)) / a;
    if (s < 0 || s > 1) continue;
    const Vector2 q = lines.q[i] + s * (lines.q[next] - lines.q[i]);
    if (circleIsA)
      add(Meeting::Kind::Crossing, q, circle_mark + which, circle_mark + 3, id0, id1);
    else
      add(Meeting::Kind::Crossing, q, id0, id1, circle_mark + which, circle_mark + 3);
  }
}

/// Rims of two caps, nearly parallel to each other: circles about their centres seen along n.
void PatchContact::crossCircles() {
  const Vector2 line = b_.centre - a_.centre;
  const double d = line.norm(), ra = a_.patch->radius, rb = b_.patch->radius;
  if (d >= ra + rb || d <= std::abs(ra - rb) || d == 0) return;
  const double x = 0.5 * (d + (ra * ra - rb * rb) / d);
  const double y = std::sqrt(std::max(0.0, ra * ra - x * x));
  const Vector2 along = line / d, across{-along.y(), along.x()};
  for (int which = 0; which < 2; ++which)
    add(Meeting::Kind::Crossing, a_.centre + x * along + (which == 0 ? -y : y) * across, circle_mark + which, circle_mark + 3, circle_mark + which,
        circle_mark + 3);
}

void PatchContact::crossings() {
  const std::size_t edgesA = edgeCount(*a_.patch), edgesB = edgeCount(*b_.patch);
  for (std::size_t i = 0; i < edgesA; ++i)
    for (std::size_t j = 0; j < edgesB; ++j) crossSegments(i, j);
  const bool discA = a_.patch->kind == Patch::Kind::Disc, discB = b_.patch->kind == Patch::Kind::Disc;
  for (std::size_t j = 0; discA && j < edgesB; ++j) crossCircle(a_, b_, j, true);
  for (std::size_t i = 0; discB && i < edgesA; ++i) crossCircle(b_, a_, i, false);
  if (discA && discB) crossCircles();
}

/// Two straight lines: their crossing, or the two ends of the overlap where they are parallel.
void PatchContact::meetSegments() {
  const Vector2 u = a_.q[1] - a_.q[0], v = b_.q[1] - b_.q[0];
  if (std::abs(cross(u, v)) > parallel_edges * u.norm() * v.norm()) {
    crossSegments(0, 0);
    return;
  }
  const auto ends = [&](const Flat& from, const Flat& into, Meeting::Kind kind) {
    const Vector2 edge = into.q[1] - into.q[0];
    const double slack = tolerance_ / edge.norm();
    for (std::size_t k = 0; k < 2; ++k) {
      const double s = (from.q[k] - into.q[0]).dot(edge) / edge.squaredNorm();
      if (s < -slack || s > 1 + slack) continue;
      const Vector2 middle = 0.5 * (from.q[k] + into.q[0] + s * edge);
      const int id = from.patch->vertices[k].id;
      if (kind == Meeting::Kind::CornerA)
        add(kind, middle, id, id, 0, 0);
      else
        add(kind, middle, 0, 0, id, id);
    }
  };
  ends(a_, b_, Meeting::Kind::CornerA);
  ends(b_, a_, Meeting::Kind::CornerB);
}

const std::vector<Meeting>& PatchContact::meet(const Patch& a, const Patch& b, const Vector3& n, double tolerance) {
  const TangentFrame frame = TangentBasis::computeDuffBasis(n);
  n_ = n;
  t1_ = frame.t1;
  t2_ = frame.t2;
  tolerance_ = tolerance;
  meetings_.clear();
  flatten(a, a_);
  flatten(b, b_);
  const bool areaA = a.kind == Patch::Kind::Polygon || a.kind == Patch::Kind::Disc, areaB = b.kind == Patch::Kind::Polygon || b.kind == Patch::Kind::Disc;
  if (a.kind == Patch::Kind::Segment && b.kind == Patch::Kind::Segment) {
    meetSegments();
    return meetings_;
  }
  if (areaB) corners(a_, b_, Meeting::Kind::CornerA);
  if (areaA) corners(b_, a_, Meeting::Kind::CornerB);
  crossings();
  return meetings_;
}

}  // namespace stiction
