#include "collision/Analytic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collision/Features.hpp"
#include "collision/SegmentDistance.hpp"
#include "collision/SideBySide.hpp"

namespace stiction {
namespace {

constexpr double parallel_limit{1e-6};  // [-] sine below which two axes count as parallel

Vector3 zAxis(const Pose& X) { return X.rotation.toRotationMatrix().col(2); }

/// Two balls of the given radii at p and q, the contact of every pair of round shapes; n0 serves when the centres coincide.
PairPoint touchBalls(const Vector3& p, double radiusP, const Vector3& q, double radiusQ, const Vector3& n0, std::uint64_t id) {
  const Vector3 d = q - p;
  const double distance = d.norm();
  const double gap = distance - radiusP - radiusQ;
  const Vector3 n = distance > 1e-14 * (radiusP + radiusQ) ? Vector3{d / distance} : n0;
  return {p + (radiusP + 0.5 * gap) * n, n, gap, id};
}

void addBalls(const Vector3& p, double radiusP, const Vector3& q, double radiusQ, const Vector3& n0, double reach, std::uint64_t id,
              std::vector<PairPoint>& out) {
  const PairPoint contact = touchBalls(p, radiusP, q, radiusQ, n0, id);
  if (contact.gap <= reach) out.push_back(contact);
}

/// A vertex at height z over the plane, coordinates relative to the plane's frame.
void addPlaneVertex(const Vector3& vertex, const Pose& X_WA, const Vector3& n, double radius, double reach, int index, std::vector<PairPoint>& out) {
  const double gap = vertex.z() - radius;
  if (!(gap <= reach)) return;
  const Vector3 middle{vertex.x(), vertex.y(), 0.5 * gap};
  out.push_back({X_WA * middle, n, gap, feature(FeatureKind::Point, index)});
}

/// Pose of B in the frame of A, the translation from the difference of the positions: exact far from the world's origin.
struct Relative {
  Matrix3 R;
  Vector3 p;

  Relative(const Pose& X_WA, const Pose& X_WB) {
    const Matrix3 R_AW = X_WA.rotation.toRotationMatrix().transpose();
    R = R_AW * X_WB.rotation.toRotationMatrix();
    p = R_AW * (X_WB.position - X_WA.position);
  }
};

/// Unit vector perpendicular to u, the same for the same u.
Vector3 anyNormal(const Vector3& u) {
  Eigen::Index axis = 0;
  u.cwiseAbs().minCoeff(&axis);
  return u.cross(Vector3::Unit(axis)).normalized();
}

/// Unit vector perpendicular to both axes, or to u where they are parallel.
Vector3 normalAcross(const Vector3& u, const Vector3& w) {
  const Vector3 cross = u.cross(w);
  const double sine = cross.norm();
  return sine < parallel_limit ? anyNormal(u) : Vector3{cross / sine};
}

}  // namespace

void collidePlaneSphere(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Relative X_AB{X_WA, X_WB};
  addPlaneVertex(X_AB.p, X_WA, zAxis(X_WA), b.size[0], reach, 0, out);
}

void collidePlaneCapsule(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Relative X_AB{X_WA, X_WB};
  const Vector3 n = zAxis(X_WA);
  addPlaneVertex(X_AB.p - b.size[1] * X_AB.R.col(2), X_WA, n, b.size[0], reach, 0, out);
  addPlaneVertex(X_AB.p + b.size[1] * X_AB.R.col(2), X_WA, n, b.size[0], reach, 1, out);
}

void collidePlaneBox(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Relative X_AB{X_WA, X_WB};
  const Vector3 n = zAxis(X_WA);
  for (int i = 0; i < 8; ++i) {
    const Vector3 corner{(i & 1) != 0 ? b.size[0] : -b.size[0], (i & 2) != 0 ? b.size[1] : -b.size[1], (i & 4) != 0 ? b.size[2] : -b.size[2]};
    addPlaneVertex(X_AB.p + X_AB.R * corner, X_WA, n, 0, reach, i, out);
  }
}

void collidePlaneHull(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Relative X_AB{X_WA, X_WB};
  const Vector3 n = zAxis(X_WA);
  const Vector3& lowest = b.polytope->vertices[static_cast<std::size_t>(supportVertex(*b.polytope, -X_AB.R.row(2).transpose()))];
  if (X_AB.p.z() + X_AB.R.row(2).dot(lowest) > reach + Polytope::unevenness * b.polytope->radius) return;
  for (std::size_t i = 0; i < b.polytope->vertices.size(); ++i) {
    addPlaneVertex(X_AB.p + X_AB.R * b.polytope->vertices[i], X_WA, n, 0, reach, static_cast<int>(i), out);
  }
}

void collideSphereSphere(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  addBalls(X_WA.position, a.size[0], X_WB.position, b.size[0], Vector3::UnitZ(), reach, feature(FeatureKind::Point, 0), out);
}

void collideSphereBox(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Matrix3 R_WB = X_WB.rotation.toRotationMatrix();
  const Vector3 centre = R_WB.transpose() * (X_WA.position - X_WB.position);
  const Vector3 nearest = centre.cwiseMin(b.size).cwiseMax(-b.size);
  const Vector3 d = nearest - centre;
  const double distance = d.norm();
  double gap = distance - a.size[0];
  if (gap > reach) return;
  Vector3 n;  // in the box frame, from the sphere to the box
  if (distance > 1e-9 * b.size.minCoeff()) {
    n = d / distance;
  } else {
    // Centre inside (or on the surface to round-off): out through the face of least depth.
    Eigen::Index axis = 0;
    const double depth = (b.size - centre.cwiseAbs()).minCoeff(&axis);
    n = Vector3::Unit(axis) * (centre[axis] < 0 ? 1.0 : -1.0);
    gap = -depth - a.size[0];
  }
  if (!(gap <= reach)) return;
  out.push_back({X_WA.position + R_WB * ((a.size[0] + 0.5 * gap) * n), R_WB * n, gap, feature(FeatureKind::Point, 0)});
}

void collideSphereCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Vector3 axis = zAxis(X_WB);
  const double along = std::clamp(axis.dot(X_WA.position - X_WB.position), -b.size[1], b.size[1]);
  addBalls(X_WA.position, a.size[0], X_WB.position + along * axis, b.size[0], anyNormal(axis), reach, feature(FeatureKind::Point, 0), out);
}

void collideCapsuleCapsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double reach, std::vector<PairPoint>& out) {
  const Tube tubeA{X_WA.position, zAxis(X_WA), a.size[1], a.size[0]}, tubeB{X_WB.position, zAxis(X_WB), b.size[1], b.size[0]};
  const SegmentPoints axes = nearestPoints(tubeA, tubeB);
  const PairPoint near = touchBalls(axes.pointA, tubeA.radius, axes.pointB, tubeB.radius, normalAcross(tubeA.axis, tubeB.axis), 0);
  if (near.gap <= reach) TubeContacts{tubeA, tubeB, axes, near.normal, near.gap}.addTo(out, reach);
}

}  // namespace stiction
