#include "collision/EdgeContact.hpp"

#include <algorithm>
#include <cmath>

#include "collision/Features.hpp"
#include "collision/SegmentDistance.hpp"

namespace stiction {
namespace {

constexpr double narrow_fan{0.02};      // [rad] below this the fan is as good as one face normal
constexpr double flush_angle{1e-3};     // [rad] faces nearer to antiparallel lie against each other
constexpr double flush_distance{10.0};  // [δ0] offsets beyond this are no longer contact at the edge itself
constexpr double pi{3.14159265358979323846};

double wrap(double angle) { return angle - 2 * pi * std::round(angle / (2 * pi)); }

/// Angles of the two face normals at an edge about t, from e1; the arc between them is less than π.
struct FanArc {
  double low, high;

  FanArc(const Vector3& n0, const Vector3& n1, const Vector3& e1, const Vector3& e2) {
    const double first = std::atan2(n0.dot(e2), n0.dot(e1));
    const double turn = wrap(std::atan2(n1.dot(e2), n1.dot(e1)) - first);
    low = std::min(first, first + turn);
    high = std::max(first, first + turn);
  }
};

/// Intersection of the two arcs; high < low when empty.
struct Fan {
  double low, high;
  bool facesAtBothEnds;  // at both ends a face of A lies against a face of B

  Fan(const FanArc& a, FanArc b) {
    const double shift = wrap(0.5 * (b.low + b.high) - 0.5 * (a.low + a.high)) - (0.5 * (b.low + b.high) - 0.5 * (a.low + a.high));
    b.low += shift;
    b.high += shift;
    low = std::max(a.low, b.low);
    high = std::min(a.high, b.high);
    facesAtBothEnds = std::abs(a.low - b.low) < flush_angle && std::abs(a.high - b.high) < flush_angle;
  }
};

/// Ends of the overlap along t: the vertex that ends it (of A on ties) and both surface points there.
EdgePoint overlapEnd(const PlacedPolytope& a, const Polytope::Edge& edgeA, const PlacedPolytope& b, const Polytope::Edge& edgeB, int vertexA, int vertexB,
                     bool useA, bool flush) {
  EdgePoint end;
  const PlacedPolytope& other = useA ? b : a;
  const Polytope::Edge& line = useA ? edgeB : edgeA;
  const Vector3& vertex = useA ? a.vertex(vertexA) : b.vertex(vertexB);
  const Vector3& p = other.vertex(line.v0);
  const Vector3 d = other.vertex(line.v1) - p;
  const Vector3 foot = p + std::clamp(d.dot(vertex - p) / d.squaredNorm(), 0.0, 1.0) * d;
  end.pointA = useA ? vertex : foot;
  end.pointB = useA ? foot : vertex;
  const FeatureKind kindA = flush ? FeatureKind::FlushVertexEdgeB : FeatureKind::VertexEdgeB;
  const FeatureKind kindB = flush ? FeatureKind::FlushEdgeVertexB : FeatureKind::EdgeVertexB;
  end.feature = useA ? feature(kindA, vertexA, edgeB.v0, edgeB.v1) : feature(kindB, edgeA.v0, edgeA.v1, vertexB);
  return end;
}

}  // namespace

EdgeManifold crossEdges(const PlacedPolytope& a, const PlacedPolytope& b, const EdgeAxis& axis) {
  const Polytope::Edge& edgeA = a.edge(axis.edgeA);
  const Polytope::Edge& edgeB = b.edge(axis.edgeB);
  const Vector3& p = a.vertex(edgeA.v0);
  const Vector3& q = b.vertex(edgeB.v0);
  const SegmentPoints near = nearestPoints(p, a.vertex(edgeA.v1) - p, q, b.vertex(edgeB.v1) - q);
  EdgeManifold manifold;
  manifold.normal = axis.normal;
  manifold.count = 1;
  manifold.points[0] = {near.pointA, near.pointB, feature(FeatureKind::EdgeEdge, edgeA.v0, edgeA.v1, edgeB.v0, edgeB.v1)};
  return manifold;
}

std::optional<EdgeManifold> ridge(const PlacedPolytope& a, int idA, const PlacedPolytope& b, int idB, double softness) {
  const Polytope::Edge& edgeA = a.edge(idA);
  const Polytope::Edge& edgeB = b.edge(idB);
  const Vector3 along = a.vertex(edgeA.v1) - a.vertex(edgeA.v0);
  const double lengthA = along.norm();
  const Vector3 t = along / lengthA;
  const Vector3 alongB = b.vertex(edgeB.v1) - b.vertex(edgeB.v0);
  const Vector3 origin = a.vertex(edgeA.v0);
  const bool sameSense = t.dot(alongB) > 0;
  const int firstB = sameSense ? edgeB.v0 : edgeB.v1;
  const int lastB = sameSense ? edgeB.v1 : edgeB.v0;
  const double lowB = t.dot(b.vertex(firstB) - origin);
  const double highB = t.dot(b.vertex(lastB) - origin);
  const double overlap = std::min(lengthA, highB) - std::max(0.0, lowB);
  if (overlap <= 0 || t.cross(alongB).norm() * overlap > softness * alongB.norm()) return std::nullopt;

  const Vector3& e1 = a.normal(edgeA.f0);
  const Vector3 e2 = t.cross(e1);
  const Fan fan{{e1, a.normal(edgeA.f1), e1, e2}, {-b.normal(edgeB.f0), -b.normal(edgeB.f1), e1, e2}};
  if (fan.high - fan.low < narrow_fan) return std::nullopt;

  const double tie = 1e-4 * softness;
  EdgeManifold manifold;
  manifold.points[0] = overlapEnd(a, edgeA, b, edgeB, edgeA.v0, firstB, lowB <= tie, fan.facesAtBothEnds);
  manifold.points[1] = overlapEnd(a, edgeA, b, edgeB, edgeA.v1, lastB, highB >= lengthA - tie, fan.facesAtBothEnds);
  Vector3 d = 0.5 * (manifold.points[0].pointB - manifold.points[0].pointA + manifold.points[1].pointB - manifold.points[1].pointA);
  d -= t.dot(d) * t;
  const double middle = 0.5 * (fan.low + fan.high);
  const auto direction = [&](double angle) -> Vector3 { return std::cos(angle) * e1 + std::sin(angle) * e2; };
  if (fan.facesAtBothEnds) {
    const double alongLow = d.dot(direction(fan.low));
    const double alongHigh = d.dot(direction(fan.high));
    if (std::min(alongLow, alongHigh) < -flush_distance * softness) return std::nullopt;
    if (std::min(alongLow, alongHigh) < softness && std::max(alongLow, alongHigh) > flush_distance * softness) return manifold;
  }
  const Vector3 bisector = direction(middle);
  const Vector3 wanted = d + (softness + 1.5 * std::max(0.0, -d.dot(bisector))) * bisector;
  const double angle = middle + wrap(std::atan2(wanted.dot(e2), wanted.dot(e1)) - middle);
  manifold.normal = direction(std::clamp(angle, fan.low, fan.high)).normalized();
  manifold.count = 2;
  return manifold;
}

}  // namespace stiction
