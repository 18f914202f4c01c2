// The rotation update against the torque-free top: conserved quantities, Jacobi's elliptic solution, steady precession.
#include "dynamics/RotationUpdate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

BodyInertia top(const Vector3& moments) {
  BodyInertia body;
  body.dynamic = true;
  body.mass = 1;
  body.inverseMass = 1;
  body.inertia = moments.asDiagonal();
  body.inverse = moments.cwiseInverse().asDiagonal();
  return body;
}

struct Motion {
  Quaternion R;
  Vector3 omega;
};

Motion run(const BodyInertia& body, Motion m, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    const RotationStep step = advanceRotation(body, m.R, m.omega, h);
    m = {step.rotation, step.angularVelocity};
  }
  return m;
}

const Quaternion kTilted{Eigen::AngleAxisd{0.7, Vector3{1, -2, 0.5}.normalized()}};

void expectConserved(const BodyInertia& body, const Motion& start, const Motion& end, double tolerance) {
  const Vector3 L = angularMomentum(body, start.R, start.omega);
  const double E = kineticEnergy(body, start.R, Vector3::Zero(), start.omega);
  EXPECT_LE((angularMomentum(body, end.R, end.omega) - L).norm(), tolerance * L.norm());
  EXPECT_NEAR(kineticEnergy(body, end.R, Vector3::Zero(), end.omega), E, tolerance * E);
}

TEST(RotationUpdate, KeepsMomentumAndEnergyForAMinute) {
  const BodyInertia body = top({1, 2, 3});
  for (const Vector3& spin : {Vector3{0.01, 5, 0.01}, Vector3{3, -2, 4}, Vector3{10, 0.1, 0}}) {
    const Motion start{kTilted, kTilted * spin};
    expectConserved(body, start, run(body, start, 1.0 / 60, 3600), 1e-12);
  }
}

TEST(RotationUpdate, KeepsMomentumAndEnergyOfFastSpin) {
  for (const Vector3& moments : {Vector3{1, 2, 2.5}, Vector3{0.001, 1, 1}, Vector3{1, 1, 1.9}}) {
    const BodyInertia body = top(moments);
    for (const double angle : {0.5, 2.0, 7.0, 40.0}) {
      const Motion start{kTilted, kTilted * Vector3{0.3, 0.8, -0.5}.normalized() * (angle / 0.01)};
      expectConserved(body, start, run(body, start, 0.01, 200), 1e-12);
    }
  }
}

TEST(RotationUpdate, SphereTurnsExactly) {
  const BodyInertia body = top({2, 2, 2});
  const Vector3 omega{3, -4, 12};
  const Motion end = run(body, {kTilted, omega}, 0.02, 50);
  EXPECT_LE((end.omega - omega).norm(), 1e-13);
  EXPECT_LE(end.R.angularDistance(expRotation(omega) * kTilted), 1e-12);
}

TEST(RotationUpdate, LockedOrRestingBodyKeepsItsBits) {
  BodyInertia body = top({1, 2, 3});
  EXPECT_EQ(advanceRotation(body, kTilted, Vector3::Zero(), 0.1).rotation.coeffs(), kTilted.coeffs());
  body.locked = true;
  EXPECT_EQ(advanceRotation(body, kTilted, Vector3{1, 0, 0}, 0.1).rotation.coeffs(), kTilted.coeffs());
}

// Landau & Lifshitz, Mechanics §37: for L² > 2 E I2 the spin returns after T = 4 K(k) √(I1 I2 I3 / ((I3 − I2)(L² − 2 E I1))),
// k² = (I2 − I1)(2 E I3 − L²) / ((I3 − I2)(L² − 2 E I1)).
double period(const Vector3& I, const Vector3& spin) {
  const double twoE = spin.dot(I.cwiseProduct(spin)), square = I.cwiseProduct(spin).squaredNorm();
  const double k = std::sqrt((I[1] - I[0]) * (twoE * I[2] - square) / ((I[2] - I[1]) * (square - twoE * I[0])));
  return 4 * std::comp_ellint_1(k) * std::sqrt(I[0] * I[1] * I[2] / ((I[2] - I[1]) * (square - twoE * I[0])));
}

TEST(RotationUpdate, FlipsWithTheEllipticPeriodAtSecondOrder) {
  const Vector3 moments{1, 2, 3};
  const Vector3 spin{0.02, 4, 0.05};  // about the unstable axis: the racket flips
  ASSERT_GT(moments.cwiseProduct(spin).squaredNorm(), spin.dot(moments.cwiseProduct(spin)) * moments[1]);
  const BodyInertia body = top(moments);
  const double T = period(moments, spin);
  double errors[3];
  for (int k = 0; k < 3; ++k) {
    const int steps = 1000 << k;
    const Motion half = run(body, {kTilted, kTilted * spin}, T / steps, steps / 2);
    EXPECT_LT((half.R.conjugate() * half.omega).y(), -3.9);  // flipped after half a period
    const Motion end = run(body, half, T / steps, steps / 2);
    errors[k] = (end.R.conjugate() * end.omega - spin).norm();
  }
  EXPECT_LT(errors[2], 0.02);
  EXPECT_GT(std::log2(errors[0] / errors[1]), 1.8);
  EXPECT_GT(std::log2(errors[1] / errors[2]), 1.9);
}

// Symmetric top (I, I, I3): the axis precesses about L at |L|/I, whatever the spin.
TEST(RotationUpdate, SymmetricTopPrecessesSteadily) {
  const Vector3 moments{1, 1, 1.6};
  const BodyInertia body = top(moments);
  const Vector3 spin{1, 0, 6};
  const Vector3 L = kTilted * moments.cwiseProduct(spin);
  const double turn = 2 * std::numbers::pi * moments[0] / L.norm();
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const int steps = 200 << k;
    const Motion end = run(body, {kTilted, kTilted * spin}, turn / steps, steps);
    errors[k] = (end.R * Vector3::UnitZ() - kTilted * Vector3::UnitZ()).norm();
  }
  EXPECT_LT(errors[1], 1e-3);
  EXPECT_GT(std::log2(errors[0] / errors[1]), 1.9);
}

}  // namespace
}  // namespace stiction
