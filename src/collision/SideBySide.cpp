#include "collision/SideBySide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/Features.hpp"

namespace stiction {
namespace {

constexpr double kBeside = 0.95;  // [-] cosine of the largest angle between the axes
constexpr double kAtEnd = 0.02;   // [-] of the overlap: what is that near an end is there
constexpr double kLevel = 1e-10;  // [-] of the radii: ends that are no farther apart than the nearest points by more
constexpr double kAlong = 0.01;   // [-] cosine of the angle of a normal with the axis of the tube that goes on, from which on that one ends before
constexpr double kAlike = 0.7;    // [-] cosine of the largest angle of an end's normal with that of the nearest points
constexpr double kOver = 1e-9;    // [-] sine by which a normal leans over a face of an edge

constexpr double kNone = std::numeric_limits<double>::infinity();  // [m] gap where an edge has no end

bool isAcross(const Tube& tube, const Vector3& outward) { return std::abs(outward.dot(tube.axis)) < kAlong; }

bool leansOver(const Tube& tube, const Vector3& outward) {
  return std::any_of(tube.intoFaces.begin(), tube.intoFaces.end(), [&](const Vector3& into) { return outward.dot(into) > kOver; });
}

/// Of the cross-sections of A at `alongA` of its axis and of B at `alongB`, one of which ends there.
struct Section {
  double alongA, alongB;
  bool ofA;
};

/// [m] midway between the surfaces, by the tube that ends there.
Vector3 pointOf(const Tube& a, const Tube& b, const Section& section, const Vector3& n, double gap) {
  return section.ofA ? Vector3{a.at(section.alongA) + a.support(n) + 0.5 * gap * n} : Vector3{b.at(section.alongB) + b.support(-n) - 0.5 * gap * n};
}

/// `otherwise` is the normal where the axes meet.
TubeContact contactAt(const Tube& a, const Tube& b, const Section& section, int place, const Vector3& otherwise) {
  const Vector3 apart = b.at(section.alongB) - a.at(section.alongA);
  const double distance = apart.norm();
  const Vector3 n = distance > 1e-14 * (a.halfLength + b.halfLength) ? Vector3{apart / distance} : otherwise;
  const bool isBeside = n.dot(otherwise) > kAlike && isAcross(section.ofA ? b : a, n) && !leansOver(a, n) && !leansOver(b, -n);
  const double gap = isBeside ? distance - n.dot(a.support(n)) + n.dot(b.support(-n)) : kNone;
  const bool byA = a.radius == 0 || (section.ofA && b.radius > 0);
  return {pointOf(a, b, {section.alongA, section.alongB, byA}, n, gap), n, gap, place, section.alongA};
}

}  // namespace

Vector3 Tube::support(const Vector3& n) const {
  if (ends == Ends::Round) return radius * n;
  const Vector3 across = n - axis.dot(n) * axis;
  const double length = across.norm();
  return length > 0 ? Vector3{radius / length * across} : Vector3{Vector3::Zero()};
}

double Tube::nearest(const Vector3& x) const { return std::clamp(axis.dot(x - centre), -halfLength, halfLength); }

Tube Tube::placed(const Matrix3& R, const Vector3& p) const {
  return {p + R * centre, R * axis, halfLength, radius, ends, {R * intoFaces[0], R * intoFaces[1]}};
}

Tube edgeTube(const Polytope& polytope, const Polytope::Edge& edge) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const Vector3 &p = polytope.vertices[at(edge.v0)], &q = polytope.vertices[at(edge.v1)], &n0 = polytope.normals[at(edge.f0)],
                &n1 = polytope.normals[at(edge.f1)];
  const Vector3 along = q - p;
  const double length = along.norm(), cosine = n0.dot(n1);
  return {0.5 * (p + q), along / length, 0.5 * length, 0, Tube::Ends::Round, {(cosine * n0 - n1).normalized(), (cosine * n1 - n0).normalized()}};
}

SegmentPoints nearestPoints(const Tube& a, const Tube& b) {
  const Vector3 between = b.centre - a.centre;
  return nearestPoints(-a.halfLength * a.axis, 2 * a.halfLength * a.axis, between - b.halfLength * b.axis, 2 * b.halfLength * b.axis);
}

TubeContacts::TubeContacts(const Tube& a, const Tube& b, const SegmentPoints& axes, const Vector3& normal, double gap) {
  const Section nearest{(2 * axes.s - 1) * a.halfLength, (2 * axes.t - 1) * b.halfLength, axes.t > 0 && axes.t < 1};
  TubeContact near{pointOf(a, b, nearest, normal, gap), normal, gap, 2, nearest.alongA};
  const double cosine = a.axis.dot(b.axis), sense = std::copysign(1.0, cosine);
  const Vector3 mean = (a.axis + sense * b.axis).normalized();
  const double share = mean.dot(a.axis), halfA = share * a.halfLength, halfB = share * b.halfLength, middle = mean.dot(b.centre - a.centre);
  const double low = std::max(-halfA, middle - halfB), high = std::min(halfA, middle + halfB);
  if (!(std::abs(cosine) > kBeside) || !(high > low)) {
    add(near);
    return;
  }
  const auto endAt = [&](double side, bool ofA) {  // -1 the lower, 1 the upper one
    const double endA = side * a.halfLength, endB = side * sense * b.halfLength;
    const Section section{ofA ? endA : a.nearest(b.at(endB)), ofA ? b.nearest(a.at(endA)) : endB, ofA};
    return contactAt(a, b, section, side < 0 ? 0 : 1, near.normal);
  };
  const TubeContact lower = endAt(-1, -halfA >= middle - halfB), upper = endAt(1, halfA <= middle + halfB);
  const double way = (0.5 * mean.dot(axes.pointA + axes.pointB) - low) / (high - low);
  const bool isLevel = std::max(lower.gap, upper.gap) - near.gap <= kLevel * (a.radius + b.radius);
  const bool isLower = !isLevel && way <= kAtEnd, isUpper = !isLevel && !isLower && way >= 1 - kAtEnd;
  if (isLower || isUpper) near.place = isLower ? 0 : 1;
  if (!isLower) add(lower);
  if (!isUpper) add(upper);
  if (!isLevel) add(near);
}

void TubeContacts::addTo(std::vector<PairPoint>& out, double reach) const {
  for (const TubeContact& contact : items())
    if (contact.gap <= reach) out.push_back({contact.point, contact.normal, contact.gap, feature(FeatureKind::Point, contact.place)});
}

void TubeContacts::add(const TubeContact& contact) {
  if (contact.gap < kNone) items_[count_++] = contact;
}

}  // namespace stiction
