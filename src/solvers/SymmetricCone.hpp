// One contact of the convex relaxation  K_μ ∋ r ⊥ u ∈ K_μ*  with both sides in the same self-dual cone, and its Nesterov–Todd scaling.
//
//   x = (μ r_n, r_T),  y = (u_n/μ, u_T),  x·y = r·u;   both in L³ = { x_0 >= ‖x_1‖ }         μ = 0: x = r_n, y = u_n, both >= 0
//   W y = W⁻¹ x = l,   x ∘ y = κ e  ⇔  l ∘ l = κ e,   W⁻¹ dx + W dy = s                    W symmetric positive definite
//
// Source: Nesterov and Todd 1997; the closed forms for L as in Andersen, Roos and Terlaky 2003.
#pragma once
#include <cmath>
#include <limits>

#include "math/Types.hpp"

namespace stiction {

/// Jordan product of L³.
inline Vector3 jordanProduct(const Vector3& a, const Vector3& b) {
  Vector3 c;
  c << a.dot(b), a[0] * b.tail<2>() + b[0] * a.tail<2>();
  return c;
}

/// The s with l ∘ s = b.
inline Vector3 jordanSolve(const Vector3& l, const Vector3& b) {
  const double det = l[0] * l[0] - l.tail<2>().squaredNorm();
  Vector3 s;
  s[0] = (l[0] * b[0] - l.tail<2>().dot(b.tail<2>())) / det;
  s.tail<2>() = (b.tail<2>() - s[0] * l.tail<2>()) / l[0];
  return s;
}

/// x_0² − ‖x_1‖², without cancellation near the boundary.
inline double lorentzDet(const Vector3& x) {
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

/// W of a pair strictly inside L³.
inline Matrix3 nesterovTodd(const Vector3& x, const Vector3& y) {
  const double detX = std::sqrt(lorentzDet(x)), detY = std::sqrt(lorentzDet(y));
  const Vector3 a = x / detX, b = y / detY;
  const double gamma = std::sqrt(0.5 * (1 + a.dot(b)));
  Vector3 w = a;
  w[0] += b[0];
  w.tail<2>() -= b.tail<2>();
  w /= 2 * gamma;
  Matrix3 W;
  W(0, 0) = w[0];
  W.block<2, 1>(1, 0) = w.tail<2>();
  W.block<1, 2>(0, 1) = w.tail<2>().transpose();
  W.bottomRightCorner<2, 2>() = Eigen::Matrix2d::Identity() + w.tail<2>() * w.tail<2>().transpose() / (1 + w[0]);
  return std::sqrt(detX / detY) * W;
}

/// Largest t with x + t d in L³, from a point inside.
inline double stepInLorentz(const Vector3& x, const Vector3& d) {
  const double A = d[0] * d[0] - d.tail<2>().squaredNorm(), B = x[0] * d[0] - x.tail<2>().dot(d.tail<2>()), C = std::max(lorentzDet(x), 0.0);
  double t = std::numeric_limits<double>::infinity();
  const auto take = [&t](double root) {
    if (root > 0 && root < t) t = root;
  };
  const double discriminant = B * B - A * C;
  if (discriminant >= 0) {
    const double q = -(B + std::copysign(std::sqrt(discriminant), B));
    if (A != 0) take(q / A);
    if (q != 0) take(C / q);
  }
  if (d[0] < 0) take(-x[0] / d[0]);
  return t;
}

}  // namespace stiction
