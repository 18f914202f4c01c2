// One contact of a point mass with a wall, n = z, t1 = x, t2 = y; and the contact velocities of an answer.
#pragma once
#include "problem/ContactProblem.hpp"

namespace stiction {

/// A mass [kg] that arrives with `velocity` [m/s] at a contact of friction μ; w_n [m/s].
inline ContactProblem pointMass(double mass, const Vector3& velocity, double mu, double w) {
  ContactProblem problem;
  const Matrix3 M = mass * Matrix3::Identity();
  problem.M.addBlock(M.data(), 3);
  const Matrix3 frame = (Matrix3{} << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();  // columns n, t1, t2
  problem.H.addSegment(0, 0, 3, frame.data());
  problem.H.endGroup();
  problem.f = mass * velocity;
  problem.w = Vector3{w, 0, 0};
  problem.wScale = problem.w;
  problem.mu = VectorX::Constant(1, mu);
  return problem;
}

/// u = Hᵀv + w + R r.
inline VectorX contactVelocity(const ContactProblem& problem, const Iterate& iterate) {
  VectorX u;
  multiplyTransposed(problem.H, iterate.v, u);
  u += problem.w;
  if (problem.R.size() != 0) u += problem.R.cwiseProduct(iterate.r);
  return u;
}

}  // namespace stiction
