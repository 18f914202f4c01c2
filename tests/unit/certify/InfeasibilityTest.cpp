// Proofs of infeasibility against squeezes solved on paper.
#include "certify/Infeasibility.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stiction {
namespace {

/// A point mass between two jaws, contact normals n and −n turned by `tilt` [rad] about y; the jaws come at a and b [m/s].
ContactProblem jaws(double mass, double a, double b, double tilt = 0) {
  ContactProblem problem;
  const Matrix3 M = mass * Matrix3::Identity();
  problem.M.addBlock(M.data(), 3);
  for (const Vector3& n : {Vector3{std::cos(tilt), 0, std::sin(tilt)}, Vector3{-std::cos(tilt), 0, std::sin(tilt)}}) {
    Matrix3 frame;
    frame << n, Vector3::UnitY(), n.cross(Vector3::UnitY());
    problem.H.addSegment(0, 0, 3, frame.data());
    problem.H.endGroup();
  }
  problem.f = VectorX::Zero(3);
  problem.w = VectorX::Zero(6);
  problem.w[0] = -a, problem.w[3] = -b;
  problem.wScale = problem.w;
  problem.mu = VectorX::Constant(2, 0.5);
  return problem;
}

Iterate normals(double first, double second) {
  Iterate impulses;
  impulses.r = VectorX::Zero(6);
  impulses.r[0] = first, impulses.r[3] = second;
  return impulses;
}

// Two jaws that close at 0.1 and 0.3 m/s: one contact closes at their mean at least; half of that is claimed.
TEST(Infeasibility, OpposedJaws) {
  const InfeasibilityProof proof = proveInfeasible(jaws(2, 0.1, 0.3), normals(5, 5));
  EXPECT_DOUBLE_EQ(proof.closing, 0.5 * 0.2);
  EXPECT_EQ(proof.kineticEnergy, std::numeric_limits<double>::infinity());
}

// Impulses that do not cancel: p = 1 N s leaves motions of more than (½ · 5 · 0.4)² / (2 p²/m) unproved.
TEST(Infeasibility, WhatIsLeftOfMomentumLimitsTheProof) {
  const InfeasibilityProof proof = proveInfeasible(jaws(2, 0.2, 0.2), normals(6, 5));
  EXPECT_DOUBLE_EQ(proof.closing, 0.5 * 0.2);
  EXPECT_NEAR(proof.kineticEnergy, std::pow(0.5 * 11 * 0.2, 2) / (2 * 1.0 / 2), 1e-12);
  EXPECT_EQ(proof.worstContact, 0);
}

// A wedge lets the mass out: at any tilt the impulses leave momentum, and the motion that escapes has more kinetic energy than what is claimed.
TEST(Infeasibility, AWedgeIsNoTrap) {
  for (const double tilt : {1e-3, 0.1, 1.0}) {
    const InfeasibilityProof proof = proveInfeasible(jaws(2, 0.1, 0.1, tilt), normals(5, 5));
    EXPECT_LT(proof.kineticEnergy, 0.5 * 2 * std::pow(0.1 / std::sin(tilt), 2)) << tilt;
  }
}

TEST(Infeasibility, ProvesNothingWithout) {
  EXPECT_EQ(proveInfeasible(jaws(2, -0.1, -0.1), normals(5, 5)).closing, 0);        // the jaws open
  EXPECT_EQ(proveInfeasible(jaws(2, 0.1, 0.1), normals(-5, -5)).closing, 0);        // no impulse pulls
  EXPECT_EQ(proveInfeasible(jaws(2, 0.1, 0.1), {}).closing, 0);                     // no impulses at all
  EXPECT_EQ(proveInfeasible(jaws(2, 0.1, 0.1), normals(NAN, 5)).kineticEnergy, 0);  // not finite
  ContactProblem soft = jaws(2, 0.1, 0.1);
  soft.R = VectorX::Constant(6, 1e-9);
  EXPECT_EQ(proveInfeasible(soft, normals(5, 5)).closing, 0);  // compliant contacts give way
}

}  // namespace
}  // namespace stiction
