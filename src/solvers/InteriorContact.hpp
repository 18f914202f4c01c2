// One contact inside its cones, as the interior point methods see it:
//
//   r_n z_n = κ,   μ r_n ψ + r_T·z_T = κ,   μ r_n z_T + ψ r_T = 0,   (μ r_n, r_T) ∈ L³, (ψ, z_T) ∈ L³, r_n, z_n > 0
//
// κ → 0 gives Signorini–Coulomb, De Saxcé's correction included (z_T = u_T, ψ → ‖u_T‖). Contacts with μ = 0 keep the normal pair alone, with z_T = 0.
// The derivatives are eliminated in closed form: the normal pair, then the friction pair's dual, then friction.
#pragma once
#include <cmath>
#include <limits>

#include "solvers/FrictionCone.hpp"

namespace stiction {

using Vector4 = Eigen::Vector4d;

struct InteriorContact {
  Vector3 r{Vector3::Zero()};  // [N s] impulse
  Vector3 z{Vector3::Zero()};  // [m/s] contact velocity
  double psi{0};               // [m/s] dual of the friction cone

  /// The pairs' products, (κ, κ, 0, 0) on the central path [J].
  Vector4 products(double mu) const {
    if (!(mu > 0)) return {r[0] * z[0], 0, 0, 0};
    Vector4 p;
    p << r[0] * z[0], mu * r[0] * psi + r.tail<2>().dot(z.tail<2>()), mu * r[0] * z.tail<2>() + psi * r.tail<2>();
    return p;
  }

  /// Change of the products, first order, for a change d of (r, ψ) and dz.
  Vector4 differential(double mu, const Vector4& d, const Vector3& dz) const {
    if (!(mu > 0)) return {z[0] * d[0] + r[0] * dz[0], 0, 0, 0};
    Vector4 p;
    p << z[0] * d[0] + r[0] * dz[0], mu * (psi * d[0] + r[0] * d[3]) + z.tail<2>().dot(d.segment<2>(1)) + r.tail<2>().dot(dz.tail<2>()),
        mu * (d[0] * z.tail<2>() + r[0] * dz.tail<2>()) + psi * d.segment<2>(1) + d[3] * r.tail<2>();
    return p;
  }

  /// By a change d of (r, ψ) and dz.
  void move(const Vector4& d, const Vector3& dz) {
    r += d.head<3>();
    psi += d[3];
    z += dz;
  }

  /// The products' second-order term for a change (d, dz).
  static Vector4 curvature(double mu, const Vector4& d, const Vector3& dz) { return InteriorContact{d.head<3>(), dz, d[3]}.products(mu); }
  /// Its mixed part for two such changes: what their sum has beyond what each has.
  static Vector4 curvature(double mu, const Vector4& d, const Vector3& dz, const Vector4& e, const Vector3& ez) {
    return InteriorContact{d.head<3>(), dz, d[3]}.differential(mu, e, ez);
  }

  /// The change of (r, ψ) that changes the products by f at dz = 0.
  Vector4 eliminate(double mu, const Vector4& f) const {
    Vector4 d{f[0] / z[0], 0, 0, 0};
    if (!(mu > 0)) return d;
    const Vector2 t = r.tail<2>(), s = z.tail<2>(), g = f.tail<2>() - mu * d[0] * s;
    d[3] = (f[1] - mu * psi * d[0] - s.dot(g) / psi) / (mu * r[0] - s.dot(t) / psi);
    d.segment<2>(1) = (g - d[3] * t) / psi;
    return d;
  }

  /// dψ for the rest of the change, from the second product's change f.
  double dualChange(double mu, double f, const Vector3& dr, const Vector3& dz) const {
    return mu > 0 ? (f - mu * psi * dr[0] - r.tail<2>().dot(dz.tail<2>()) - z.tail<2>().dot(dr.tail<2>())) / (mu * r[0]) : 0.0;
  }

  /// −∂r/∂z of contacts whose products stay as they are [kg].
  Matrix3 stiffness(double mu) const {
    Matrix3 B = Matrix3::Zero();
    for (int k = 0; k < (mu > 0 ? 3 : 1); ++k) B.col(k) = eliminate(mu, differential(mu, Vector4::Zero(), Vector3::Unit(k))).head<3>();
    return B;
  }

  /// Whether every pair is inside its cones with its products' eigenvalues in [low, high].
  bool isCentral(double mu, double low, double high) const {
    const double normal = r[0] * z[0];
    if (!(r[0] > 0 && z[0] > 0 && normal >= low && normal <= high)) return false;
    if (!(mu > 0)) return true;
    if (!(mu * r[0] > tangentialNorm(r) && psi > tangentialNorm(z))) return false;
    const Vector4 p = products(mu);
    const double off = p.tail<2>().norm();
    return p[1] - off >= low && p[1] + off <= high;
  }
};

}  // namespace stiction
