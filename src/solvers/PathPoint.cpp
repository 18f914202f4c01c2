#include "solvers/PathPoint.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

void PathPoint::move(double a, const PathDirection& x) {
  v += a * x.v;
  lambda += a * x.lambda;
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].move(a * x.d[i], a * x.z[i]);
  s += a * x.s;
}

bool PathPoint::areCentral(double low, double high) const {
  const double kappa = std::exp(s);
  return std::all_of(contacts.begin(), contacts.end(),
                     [&](const PathContact& c) { return c.isCentral(c.mu, low * kappa * c.weight, high * kappa * c.weight); });
}

double PathPoint::offCentre() const {
  const double kappa = std::exp(s);
  double most = 0;
  for (const PathContact& c : contacts) {
    const Vector4 p = c.products(c.mu) / (kappa * c.weight);
    most = std::max({most, std::abs(p[0] - 1), p.tail<2>().norm()});
    if (c.mu > 0) most = std::max(most, std::abs(p[1] - 1));
  }
  return most;
}

double PathPoint::dot(const PathDirection& a, const PathDirection& b) const {
  const auto lorentz = [](const Vector3& p, const Vector3& q) { return p[0] * q[0] - p[1] * q[1] - p[2] * q[2]; };
  const auto hessian = [&lorentz](const Vector3& x, const Vector3& p, const Vector3& q) {
    const double det = lorentz(x, x);
    return 2 * lorentz(x, p) * lorentz(x, q) / (det * det) - lorentz(p, q) / det;
  };
  double sum = a.s * b.s;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const PathContact& c = contacts[i];
    const Vector4 &p = a.d[i], &q = b.d[i];
    sum += p[0] * q[0] / (c.r[0] * c.r[0]) + a.z[i][0] * b.z[i][0] / (c.z[0] * c.z[0]);
    if (!(c.mu > 0)) continue;
    sum += hessian({c.mu * c.r[0], c.r[1], c.r[2]}, {c.mu * p[0], p[1], p[2]}, {c.mu * q[0], q[1], q[2]});
    sum += hessian({c.psi, c.z[1], c.z[2]}, {p[3], a.z[i][1], a.z[i][2]}, {q[3], b.z[i][1], b.z[i][2]});
  }
  return sum;
}

double PathPoint::steepest(const PathDirection& x) const {
  double most = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) most = std::max({most, std::abs(x.d[i][0] / contacts[i].r[0]), std::abs(x.z[i][0] / contacts[i].z[0])});
  return most;
}

}  // namespace stiction
