// Normal and gap from the separation of the two shapes, points from the patches that face each other along that normal. Where one side is a single point of its
// shape, it is the witness and the gap is the separation itself. Cost: some 10 µs a pair that is near.
#include "collision/ConvexPairs.hpp"

#include <algorithm>
#include <cmath>

#include "collision/ConvexSeparation.hpp"
#include "collision/Features.hpp"
#include "collision/PatchContact.hpp"
#include "collision/SeparatingAxis.hpp"
#include "collision/SideBySide.hpp"

namespace stiction {
namespace {

struct Scratch {
  Patch patchA, patchB;
  PatchContact contact;
  std::vector<PatchVertex> rim;
};

Scratch& scratch() {
  thread_local Scratch instance;
  return instance;
}

std::uint64_t featureOf(const Meeting& meeting) {
  switch (meeting.kind) {
    case Meeting::Kind::CornerA: return feature(FeatureKind::VertexFaceB, meeting.a0);
    case Meeting::Kind::CornerB: return feature(FeatureKind::FaceVertexB, meeting.b0);
    case Meeting::Kind::Crossing: break;
  }
  return feature(FeatureKind::EdgeEdge, meeting.a0, meeting.a1, meeting.b0, meeting.b1);
}

/// Of a shape whose patch is a segment.
Tube tubeOf(const ConvexShape& shape, const Patch& patch) {
  if (shape.isCylinder()) return {shape.centre(), shape.rotation().col(2), shape.halfLength(), shape.radius(), Tube::Ends::Flat};
  if (const Polytope* polytope = shape.polytope())
    return edgeTube(*polytope, polytope->edges[static_cast<std::size_t>(findEdge(*polytope, patch.vertices[0].id, patch.vertices[1].id))])
        .placed(shape.rotation(), shape.origin());
  return {shape.centre(), shape.rotation().col(2), 0.5 * (patch.vertices[1].point - patch.vertices[0].point).norm(), shape.margin()};
}

/// The single contact of a pair of which at least one side has one supporting point.
PairPoint single(const Separation& near, const Patch& a, const Patch& b) {
  const bool pointA = a.kind == Patch::Kind::Point;
  const Vector3 point = pointA ? Vector3{near.witnessA + 0.5 * near.gap * near.normal} : Vector3{near.witnessB - 0.5 * near.gap * near.normal};
  if (pointA && b.kind == Patch::Kind::Point) return {point, near.normal, near.gap, feature(FeatureKind::Vertices, a.vertices[0].id, 0, b.vertices[0].id)};
  return {point, near.normal, near.gap, pointA ? feature(FeatureKind::VertexFaceB, a.vertices[0].id) : feature(FeatureKind::FaceVertexB, b.vertices[0].id)};
}

}  // namespace

void collideConvexConvex(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const ConvexShape shapeA{a, X_WA}, shapeB{b, X_WB};
  const Separation near = separate(shapeA, shapeB, reach);
  if (!(near.gap <= reach)) return;
  Scratch& s = scratch();
  shapeA.patch(near.normal, s.patchA);
  shapeB.patch(-near.normal, s.patchB);
  if (s.patchA.kind == Patch::Kind::Point || s.patchB.kind == Patch::Kind::Point) {
    out.push_back(single(near, s.patchA, s.patchB));
    return;
  }
  if (s.patchA.kind == Patch::Kind::Segment && s.patchB.kind == Patch::Kind::Segment) {
    const Tube tubeA = tubeOf(shapeA, s.patchA), tubeB = tubeOf(shapeB, s.patchB);
    TubeContacts{tubeA, tubeB, nearestPoints(tubeA, tubeB), near.normal, near.gap}.addTo(out, reach);
    return;
  }
  const double size = std::min(shapeA.size(), shapeB.size());
  const double limit = std::max(4 * std::abs(near.gap), 1e-6 * size);
  const std::vector<Meeting>* meetings = nullptr;
  for (double tolerance = 1e-9 * size; tolerance < limit && (meetings == nullptr || meetings->empty());
       tolerance *= 10)  // corners that just miss a border still touch it
    meetings = &s.contact.meet(s.patchA, s.patchB, near.normal, tolerance);
  for (const Meeting& meeting : *meetings)
    if (meeting.gap <= reach) out.push_back({meeting.point, near.normal, std::max(meeting.gap, near.gap), featureOf(meeting)});
  if (meetings->empty()) out.push_back(single(near, s.patchA, s.patchB));
}

void collidePlaneCylinder(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Vector3 n = X_WA.rotation * Vector3::UnitZ();
  const Vector3 down = X_WB.rotation.conjugate() * -n;
  std::vector<PatchVertex>& rim = scratch().rim;
  rim.clear();
  const double lower = std::copysign(1.0, down.z());
  capRimPoints(b.size, down, lower, rim);
  if (std::hypot(down.x(), down.y()) > facing_angle) capRimPoints(b.size, down, -lower, rim);  // lying, or tilted far
  for (const PatchVertex& vertex : rim) {
    const Vector3 x = X_WB * vertex.point;
    const double gap = n.dot(x - X_WA.position);
    if (gap <= reach) out.push_back({x - 0.5 * gap * n, n, gap, feature(FeatureKind::Point, vertex.id)});
  }
}

void collidePlaneEllipsoid(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Vector3 n = X_WA.rotation * Vector3::UnitZ();
  const Vector3 x = X_WB * support(b, X_WB.rotation.conjugate() * -n);
  const double gap = n.dot(x - X_WA.position);
  if (gap <= reach) out.push_back({x - 0.5 * gap * n, n, gap, feature(FeatureKind::Point, 0)});
}

}  // namespace stiction
