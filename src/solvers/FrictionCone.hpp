// The friction cone K_μ = { (r_n, r_T): ‖r_T‖ <= μ r_n } as the solvers see it: projection with derivative, the Alart–Curnier map, and the box that the law of that name
// puts in the cone's place.
// Sources: De Saxcé & Feng 1998; Alart & Curnier 1991. Triples are (n, t1, t2).
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/Types.hpp"
#include "problem/ContactProblem.hpp"
#include "solvers/ContactState.hpp"

namespace stiction {

struct ConePoint {
  Vector3 value{Vector3::Zero()};
  Matrix3 derivative{Matrix3::Zero()};
  ContactState state{ContactState::Open};
};

/// ‖x_T‖. Plain, not hypot: impulses and velocities are nowhere near the ends of the number range.
inline double tangentialNorm(const Vector3& x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }

/// Orthogonal projection on K_μ.
inline Vector3 projectCone(const Vector3& x, double mu) {
  const double t = tangentialNorm(x);
  if (mu * t <= -x[0]) return Vector3::Zero();
  if (t <= mu * x[0]) return x;
  const double n = (x[0] + mu * t) / (1.0 + mu * mu);
  const double k = t > 0 ? mu * n / t : 0.0;
  return {n, k * x[1], k * x[2]};
}

/// Projection and its derivative (an element of the generalised Jacobian, symmetric).
inline ConePoint projectConeWithDerivative(const Vector3& x, double mu) {
  const double t = tangentialNorm(x);
  if (mu * t <= -x[0]) return {};
  if (t <= mu * x[0]) return {x, Matrix3::Identity(), ContactState::Stick};
  const double n = (x[0] + mu * t) / (1.0 + mu * mu);
  ConePoint p;
  p.state = ContactState::Slip;
  if (t <= 0) {
    p.value = {n, 0, 0};
    p.derivative(0, 0) = 1.0;
    return p;
  }
  const Vector2 e{x[1] / t, x[2] / t};
  p.value << n, mu * n * e;
  Vector3 axis;
  axis << 1.0, mu * e;
  p.derivative = axis * axis.transpose() / (1.0 + mu * mu);
  p.derivative.bottomRightCorner<2, 2>() += mu * n / t * (Eigen::Matrix2d::Identity() - e * e.transpose());
  return p;
}

/// De Saxcé correction: û = u + μ‖u_T‖ e_n.
inline Vector3 deSaxce(const Vector3& u, double mu) { return {u[0] + mu * tangentialNorm(u), u[1], u[2]}; }

/// The law of boxes: the square inscribed in the Coulomb disc.
inline AxisInterval inscribedSquare(double rn, double mu) {
  const double bound = mu * std::max(rn, 0.0) / std::numbers::sqrt2;
  return {-bound, bound};
}

/// The same, or the problem's own bounds.
inline AxisInterval axisInterval(const ContactProblem& problem, int i, double rn) {
  return problem.axisBounds != nullptr ? problem.axisBounds->at(i, std::max(rn, 0.0)) : inscribedSquare(rn, problem.mu[i]);
}
inline AxisInterval axisInterval(const LocalContactProblem& problem, int i, double rn) { return inscribedSquare(rn, problem.mu[i]); }

/// Projection on { r_n >= 0, low <= r_t1, r_t2 <= high } and its derivative.
inline ConePoint projectBoxWithDerivative(const Vector3& x, const AxisInterval& bounds) {
  ConePoint p;
  if (!(x[0] > 0)) {  // bounds do not open and close with the normal impulse: they are fixed while this is used
    p.value[0] = 0;
  } else {
    p.value[0] = x[0];
    p.derivative(0, 0) = 1.0;
    p.state = ContactState::Stick;
  }
  for (int k = 1; k < 3; ++k) {
    p.value[k] = std::clamp(x[k], bounds.low, bounds.high);
    if (bounds.low < x[k] && x[k] < bounds.high)
      p.derivative(k, k) = 1.0;
    else if (p.state == ContactState::Stick)
      p.state = ContactState::Slip;
  }
  return p;
}

/// Natural map of one contact by the law of boxes, in velocity units: ω ( r − P(r − u/ω) ), P on the bounds of r's own normal part.
inline Vector3 boxMap(const Vector3& r, const Vector3& u, double omega, const AxisInterval& bounds) {
  return omega * (r - projectBoxWithDerivative(r - u / omega, bounds).value);
}

/// The same by any law. Coulomb: P_K, û by De Saxcé in place of u; convex relaxation: P_K; boxes: ±μ r_n/√2.
inline Vector3 naturalMap(const Vector3& r, const Vector3& u, double mu, double omega, Law law = Law::Coulomb) {
  if (law == Law::Box) return boxMap(r, u, omega, inscribedSquare(r[0], mu));
  return omega * (r - projectCone(r - (law == Law::Convex ? u : deSaxce(u, mu)) / omega, mu));
}

/// What one contact leaves of its law [m/s]: the natural map and, under Coulomb's law, half of | min(ω r_n, u_n) |. The natural map alone lets a contact approach at
/// (1 + μ) times its own size, because De Saxcé's μ‖u_T‖ hides u_n; the half changes nothing up to μ = 1.
inline double contactResidual(const Vector3& r, const Vector3& u, double mu, double omega, Law law = Law::Coulomb) {
  if (law == Law::Coulomb && r.isZero(0) && u[0] >= 0) return 0;  // open
  const double natural = naturalMap(r, u, mu, omega, law).norm();
  return law == Law::Coulomb ? std::max(natural, 0.5 * std::abs(std::min(omega * r[0], u[0]))) : natural;
}

/// Where x lies in the Alart–Curnier map.
inline ContactState alartCurnierState(const Vector3& x, double mu) {
  if (!(x[0] > 0)) return ContactState::Open;
  return tangentialNorm(x) <= mu * x[0] ? ContactState::Stick : ContactState::Slip;
}

/// Whether at most `most` contacts differ in state; not where the numbers of contacts do.
inline bool areNear(const std::vector<ContactState>& a, const std::vector<ContactState>& b, int most) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size() && most >= 0; ++i) most -= a[i] != b[i] ? 1 : 0;
  return most >= 0;
}

/// One smooth piece of the Alart–Curnier map, inside its border or beyond it.
inline ConePoint alartCurnierPiece(const Vector3& x, double mu, ContactState piece) {
  ConePoint p;
  p.state = piece;
  if (piece == ContactState::Open) return p;
  if (piece == ContactState::Stick) {
    p.value = x;
    p.derivative = Matrix3::Identity();
    return p;
  }
  const double t = tangentialNorm(x), radius = mu * x[0];
  const Vector2 e = t > 0 ? Vector2{x[1] / t, x[2] / t} : Vector2{1, 0};
  p.value << x[0], radius * e;
  p.derivative(0, 0) = 1.0;
  p.derivative.block<2, 1>(1, 0) = mu * e;
  if (t > 0) p.derivative.bottomRightCorner<2, 2>() = radius / t * (Eigen::Matrix2d::Identity() - e * e.transpose());
  return p;
}

/// Alart–Curnier: r_n⁺ = max(0, x_n), r_T⁺ = projection of x_T on the disc of radius μ r_n⁺, at x = r − ρ u. Its fixed points are the strict law's answers; the derivative
/// with respect to x is not symmetric when slipping.
inline ConePoint alartCurnier(const Vector3& x, double mu) { return alartCurnierPiece(x, mu, alartCurnierState(x, mu)); }

}  // namespace stiction
