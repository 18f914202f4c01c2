#include "collision/FaceClip.hpp"

#include <algorithm>

#include "collision/Features.hpp"

namespace stiction {
namespace {

/// One pass of Sutherland–Hodgman; `tolerance` decides inside and outside only, no point is moved by it.
void clipSide(const SidePlane& plane, int line, double tolerance, const std::vector<ClipCorner>& in, std::vector<ClipCorner>& out) {
  out.clear();
  double here = plane.beyond(in[0].p);
  const double first = here;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool last = i + 1 == in.size();
    const ClipCorner& from = in[i];
    const ClipCorner& to = in[last ? 0 : i + 1];
    const double there = last ? first : plane.beyond(to.p);
    if (here <= tolerance) {
      out.push_back(from);
      if (there > tolerance && here >= -tolerance) out.back().next = line;
    }
    const bool leaves = here < -tolerance && there > tolerance;
    const bool enters = here > tolerance && there < -tolerance;
    if (leaves || enters) {
      ClipCorner crossing;
      crossing.p = from.p + here / (here - there) * (to.p - from.p);
      crossing.lineIn = from.next;
      crossing.lineOut = line;
      crossing.next = leaves ? line : from.next;
      out.push_back(crossing);
    }
    here = there;
  }
}

int lineVertex(const std::vector<int>& loop, int k) { return loop[static_cast<std::size_t>(k) % loop.size()]; }

}  // namespace

void sidePlanes(const PlacedPolytope& body, int face, std::vector<SidePlane>& sides) {
  sides.clear();
  const std::vector<int>& loop = body.face(face);
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vector3& p = body.vertex(loop[k]);
    const Vector3& q = body.vertex(loop[k + 1 == loop.size() ? 0 : k + 1]);
    sides.push_back({(q - p).cross(body.normal(face)).normalized(), p});
  }
}

void clipFace(const PlacedPolytope& reference, int face, const std::vector<SidePlane>& sides, const PlacedPolytope& incident, int incidentFace,
              double tolerance, std::vector<ClipCorner>& corners) {
  static thread_local std::vector<ClipCorner> other;
  corners.clear();
  const std::vector<int>& loop = incident.face(incidentFace);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    ClipCorner corner;
    corner.p = incident.vertex(loop[i]);
    corner.vertex = loop[i];
    corner.next = static_cast<int>(i);
    corners.push_back(corner);
  }
  for (std::size_t k = 0; k < sides.size() && !corners.empty(); ++k) {
    clipSide(sides[k], -1 - static_cast<int>(k), tolerance, corners, other);
    corners.swap(other);
  }
  const Vector3& n = reference.normal(face);
  const Vector3& origin = reference.vertex(reference.face(face)[0]);
  for (ClipCorner& corner : corners) corner.gap = n.dot(corner.p - origin);
}

std::uint64_t cornerFeature(const PlacedPolytope& reference, int face, const PlacedPolytope& incident, int incidentFace, bool referenceIsA,
                            const ClipCorner& corner) {
  const std::vector<int>& loop = reference.face(face);
  const int count = static_cast<int>(loop.size());
  if (corner.vertex >= 0) {
    return referenceIsA ? feature(FeatureKind::FaceVertexB, face, corner.vertex) : feature(FeatureKind::VertexFaceB, corner.vertex, face);
  }
  if (corner.lineIn < 0 && corner.lineOut < 0) {
    const int i = -1 - corner.lineIn;
    const int k = -1 - corner.lineOut;
    const int vertex = (i + 1) % count == k ? lineVertex(loop, k) : lineVertex(loop, i);
    return referenceIsA ? feature(FeatureKind::VertexFaceB, vertex, incidentFace) : feature(FeatureKind::FaceVertexB, incidentFace, vertex);
  }
  const int side = -1 - std::min(corner.lineIn, corner.lineOut);
  const int line = std::max(corner.lineIn, corner.lineOut);
  const auto [r0, r1] = std::minmax({lineVertex(loop, side), lineVertex(loop, side + 1)});
  const auto [i0, i1] = std::minmax({lineVertex(incident.face(incidentFace), line), lineVertex(incident.face(incidentFace), line + 1)});
  return referenceIsA ? feature(FeatureKind::EdgeEdge, r0, r1, i0, i1) : feature(FeatureKind::EdgeEdge, i0, i1, r0, r1);
}

}  // namespace stiction
