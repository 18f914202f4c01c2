// Piles of cannonballs as friction problems: equal balls in square layers, each in the hollow of four below, from rest under their weight; made by hand from the geometry.
#pragma once
#include <vector>

#include "Cannonballs.hpp"
#include "problem/ContactProblem.hpp"
#include "unit/solvers/ContactSide.hpp"

namespace stiction {

inline ContactProblem makeCannonballs(int layers, double mu) {
  constexpr double radius = 0.1, mass = 4, inertia = 0.4 * mass * radius * radius, fall = 9.81 / 60;
  constexpr double touch = 1e-9;  // [m]
  const std::vector<Vector3> centres = cannonballCentres(layers, radius);
  const int balls = static_cast<int>(centres.size());
  const auto centre = [&centres](int ball) { return centres[static_cast<std::size_t>(ball)]; };

  ContactProblem problem;
  Matrix6 M = mass * Matrix6::Identity();
  M.bottomRightCorner<3, 3>() = inertia * Matrix3::Identity();
  for (int ball = 0; ball < balls; ++ball) problem.M.addBlock(M.data(), 6);
  for (int a = 0; a < balls; ++a) {
    if (centre(a).z() < radius + touch) {
      addContactSide(problem.H, a, -radius * Vector3::UnitZ(), contactFrame(Vector3::UnitZ()), 1);
      problem.H.endGroup();
    }
    for (int b = a + 1; b < balls; ++b) {
      const Vector3 between = centre(b) - centre(a);
      if (between.norm() > 2 * radius + touch) continue;
      const Vector3 normal = between.normalized();
      addContactSide(problem.H, a, radius * normal, contactFrame(normal), -1);
      addContactSide(problem.H, b, -radius * normal, contactFrame(normal), 1);
      problem.H.endGroup();
    }
  }
  const auto contacts = problem.H.columns() / 3;
  problem.f.setZero(6 * balls);
  for (int ball = 0; ball < balls; ++ball) problem.f[6 * ball + 2] = -mass * fall;
  problem.w.setZero(3 * contacts), problem.wScale = problem.w;
  problem.mu.setConstant(contacts, mu);
  problem.scaleFloor = fall;
  return problem;
}

}  // namespace stiction
