// The Coulomb cone K_μ = { (n, t) : ‖t‖ ≤ μ n } as the judge knows it: a second writing, apart from the solvers' cone code, and a test holds the two together.
#pragma once
#include <cmath>

#include "math/Types.hpp"
#include "problem/AxisBounds.hpp"

namespace stiction::certification {

/// Where a point lies with respect to the cone and its polar.
enum class ConeRegion { Inside, Polar, Outside };

inline ConeRegion coneRegion(const Vector3& x, double mu) {
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (mu * tangent <= -x[0]) return ConeRegion::Polar;
  return tangent <= mu * x[0] ? ConeRegion::Inside : ConeRegion::Outside;
}

/// P_K(x), the nearest point of K_μ in the Euclidean norm.
inline Vector3 projectOnCone(const Vector3& x, double mu) {
  switch (coneRegion(x, mu)) {
    case ConeRegion::Inside: return x;
    case ConeRegion::Polar: return Vector3::Zero();
    case ConeRegion::Outside: break;
  }
  const double tangent = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  const double normal = (x[0] + mu * tangent) / (1 + mu * mu);
  const double share = mu * normal / tangent;
  return {normal, share * x[1], share * x[2]};
}

/// r − P_K(r − d) without cancellation where the point falls inside the cone (then d) or into its polar (then r).
inline Vector3 naturalMap(const Vector3& r, const Vector3& d, double mu) {
  const Vector3 x = r - d;
  switch (coneRegion(x, mu)) {
    case ConeRegion::Inside: return d;
    case ConeRegion::Polar: return r;
    case ConeRegion::Outside: break;
  }
  return r - projectOnCone(x, mu);
}

/// What the law of boxes leaves each tangent axis at a normal impulse: |t| <= μ n/√2.
inline AxisInterval boxOf(double normal, double mu) {
  const double bound = normal > 0 ? mu * normal * std::sqrt(0.5) : 0.0;
  return {-bound, bound};
}

/// The nearest point of n >= 0, low <= t <= high on each axis.
inline Vector3 projectOnBox(const Vector3& x, const AxisInterval& box) {
  const auto within = [&box](double t) { return t > box.high ? box.high : t < box.low ? box.low : t; };
  return {x[0] > 0 ? x[0] : 0.0, within(x[1]), within(x[2])};
}

/// De Saxcé's velocity û = u + μ‖u_T‖ e_n.
inline Vector3 deSaxce(const Vector3& u, double mu) { return {u[0] + mu * std::sqrt(u[1] * u[1] + u[2] * u[2]), u[1], u[2]}; }

/// The velocity that the law sets against r.
inline Vector3 lawVelocity(Law law, const Vector3& u, double mu) { return law == Law::Coulomb ? deSaxce(u, mu) : u; }

/// r − P(r − d), P on the cone or on the box.
inline Vector3 lawMap(Law law, const Vector3& r, const Vector3& d, double mu, const AxisInterval& box) {
  return law == Law::Box ? Vector3{r - projectOnBox(r - d, box)} : naturalMap(r, d, mu);
}

/// Distance of r from what the law allows.
inline double lawViolation(Law law, const Vector3& r, double mu, const AxisInterval& box) {
  return (r - (law == Law::Box ? projectOnBox(r, box) : projectOnCone(r, mu))).norm();
}

}  // namespace stiction::certification
