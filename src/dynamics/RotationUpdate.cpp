// Newton's method for the implicit rotation update.
#include "dynamics/RotationUpdate.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

/// Right Jacobian of the exponential map: exp(θ + δ) = exp(θ) exp(J_r(θ) δ) + O(δ²).
Matrix3 rightJacobian(const Vector3& theta) {
  const double square = theta.squaredNorm();
  const double angle = std::sqrt(square);
  const double a = square < 1e-6 ? 0.5 - square / 24.0 : (1.0 - std::cos(angle)) / square;
  const double b = square < 1e-6 ? 1.0 / 6.0 - square / 120.0 : (angle - std::sin(angle)) / (square * angle);
  const Matrix3 S = skew(theta);
  return Matrix3::Identity() - a * S + b * S * S;
}

struct Increment {
  Vector3 theta;
  bool converged;
};

/// θ of one cut: F(θ) = θ − (h/2)(Ω + I_b⁻¹ exp(−θ) Π) = 0 to round-off.
Increment solveIncrement(const BodyInertia& body, const Vector3& momentum, const Vector3& spin, double h) {
  constexpr double kRoundOff = 4.0 * std::numeric_limits<double>::epsilon();
  Vector3 theta = h * spin;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 25; ++iteration) {
    const Vector3 turned = rotateBack(expRotation(theta), momentum);
    const Vector3 residual = theta - 0.5 * h * (spin + body.inverse * turned);
    const double size = residual.norm();
    if (size <= kRoundOff * theta.norm()) return {theta, true};
    if (size >= last && last <= 1e-13 * theta.norm()) return {theta, true};
    if (iteration > 8 && size >= last) return {theta, false};
    last = size;
    const Matrix3 jacobian = Matrix3::Identity() - 0.5 * h * body.inverse * skew(turned) * rightJacobian(theta);
    theta -= jacobian.partialPivLu().solve(residual);
    if (!theta.allFinite() || theta.norm() > 3.0) return {theta, false};
  }
  return {theta, false};
}

bool advance(const BodyInertia& body, const Vector3& momentum, int cuts, double h, RotationStep& step) {
  for (int k = 0; k < cuts; ++k) {
    const Vector3 start = rotateBack(step.rotation, momentum);
    const Increment increment = solveIncrement(body, start, body.inverse * start, h / cuts);
    if (!increment.converged) return false;
    const Vector3& theta = increment.theta;
    step.angle += rotate(step.rotation, theta);
    step.rotation = (step.rotation * expRotation(theta)).normalized();
    const Vector3 end = rotateBack(step.rotation, momentum);
    step.work += (end - start).dot(0.5 * (body.inverse * (start + end)));
  }
  step.angularVelocity = rotate(step.rotation, body.inverse * rotateBack(step.rotation, momentum));
  return true;
}

}  // namespace

RotationStep advanceRotation(const BodyInertia& body, const Quaternion& rotation, const Vector3& angularVelocity, double h) {
  if (body.locked || angularVelocity.isZero(0.0)) return {rotation, body.locked ? Vector3{Vector3::Zero()} : angularVelocity, Vector3::Zero(), 0.0};
  const Vector3 momentum = angularMomentum(body, rotation, angularVelocity);
  constexpr double kMostCuts = 1 << 16;
  const double wanted = std::ceil(h * angularVelocity.norm());
  for (double cuts = std::clamp(wanted, 1.0, kMostCuts); cuts <= kMostCuts; cuts *= 2.0) {
    RotationStep step{rotation, angularVelocity, Vector3::Zero(), 0.0};
    if (advance(body, momentum, static_cast<int>(cuts), h, step)) return step;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();  // no representable rotation: the step is rolled back as not finite
  return {rotation, Vector3::Constant(nan), Vector3::Zero(), 0.0};
}

}  // namespace stiction
