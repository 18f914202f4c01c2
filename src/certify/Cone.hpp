// The Coulomb cone K_μ = { (n, t) : ‖t‖ ≤ μ n } as the judge knows it: a second writing, apart from the solvers' cone code, and a test holds the two together.
#pragma once
#include <cmath>

#include "math/Types.hpp"
#include "problem/Law.hpp"

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

/// The box of r's own normal part: n >= 0, |t| <= μ n/√2 on each axis. The nearest point of it.
inline Vector3 projectOnBox(const Vector3& x, double normal, double mu) {
  const double bound = normal > 0 ? mu * normal * std::sqrt(0.5) : 0.0;
  const auto within = [bound](double t) { return t > bound ? bound : t < -bound ? -bound : t; };
  return {x[0] > 0 ? x[0] : 0.0, within(x[1]), within(x[2])};
}

/// De Saxcé's velocity û = u + μ‖u_T‖ e_n.
inline Vector3 deSaxce(const Vector3& u, double mu) { return {u[0] + mu * std::sqrt(u[1] * u[1] + u[2] * u[2]), u[1], u[2]}; }

/// The velocity that the law sets against r.
inline Vector3 lawVelocity(Law law, const Vector3& u, double mu) { return law == Law::Coulomb ? deSaxce(u, mu) : u; }

/// r − P(r − d), P on the cone or on r's box.
inline Vector3 lawMap(Law law, const Vector3& r, const Vector3& d, double mu) {
  return law == Law::Box ? Vector3{r - projectOnBox(r - d, r[0], mu)} : naturalMap(r, d, mu);
}

/// Distance of r from what the law allows.
inline double lawViolation(Law law, const Vector3& r, double mu) { return (r - (law == Law::Box ? projectOnBox(r, r[0], mu) : projectOnCone(r, mu))).norm(); }

}  // namespace stiction::certification
