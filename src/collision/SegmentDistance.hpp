// Nearest points of two segments, exact also for parallel and degenerate ones. Source: Ericson 2005, Real-Time Collision Detection, 5.1.9. Cost: some 30 flops.
#pragma once
#include <algorithm>

#include "math/Types.hpp"

namespace stiction {

struct SegmentPoints {
  double s{0}, t{0};  // [-] parameters in [0, 1]
  Vector3 pointA{Vector3::Zero()}, pointB{Vector3::Zero()};
};

/// Segments p + s u and q + t w.
inline SegmentPoints nearestPoints(const Vector3& p, const Vector3& u, const Vector3& q, const Vector3& w) {
  const Vector3 r = p - q;
  const double a = u.squaredNorm();
  const double e = w.squaredNorm();
  const double f = w.dot(r);
  SegmentPoints near;
  if (a == 0 && e == 0) {
    near.s = near.t = 0;
  } else if (a == 0) {
    near.t = std::clamp(f / e, 0.0, 1.0);
  } else {
    const double c = u.dot(r);
    if (e == 0) {
      near.s = std::clamp(-c / a, 0.0, 1.0);
    } else {
      const double b = u.dot(w);
      const double denominator = a * e - b * b;
      near.s = denominator > 1e-14 * a * e ? std::clamp((b * f - c * e) / denominator, 0.0, 1.0) : 0.0;
      near.t = (b * near.s + f) / e;
      if (near.t < 0) {
        near.t = 0;
        near.s = std::clamp(-c / a, 0.0, 1.0);
      } else if (near.t > 1) {
        near.t = 1;
        near.s = std::clamp((b - c) / a, 0.0, 1.0);
      }
    }
  }
  near.pointA = p + near.s * u;
  near.pointB = q + near.t * w;
  return near;
}

}  // namespace stiction
