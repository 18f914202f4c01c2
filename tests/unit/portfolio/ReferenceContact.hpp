// One contact whose answer is known, in both forms.
#pragma once
#include "problem/ContactProblem.hpp"

namespace stiction {

/// One contact, 10 kg point mass, restitution 0.5, incoming (3, 4, −1) with n = z, μ = 0.3: strict Coulomb gives (15, −2.7, −3.6) N s.
inline ContactProblem referenceContact() {
  ContactProblem p;
  const Matrix3 M = 10.0 * Matrix3::Identity();
  p.M.addBlock(M.data(), 3);
  Matrix3 F;
  F.col(0) = Vector3::UnitZ(), F.col(1) = Vector3::UnitX(), F.col(2) = Vector3::UnitY();
  p.H.addSegment(0, 0, 3, F.data());
  p.H.endGroup();
  p.f = Vector3{30, 40, -10};
  p.w = Vector3{-0.5, 0, 0};  // e u_n⁻
  p.wScale = p.w;
  p.mu = VectorX::Constant(1, 0.3);
  return p;
}

/// The same with the mass eliminated.
inline LocalContactProblem localReferenceContact() {
  LocalContactProblem p;
  p.start = {0, 1};
  p.column = {0};
  p.blocks = {0.1 * Matrix3::Identity()};
  p.q = Vector3{-1.5, 3, 4};
  p.mu = VectorX::Constant(1, 0.3);
  return p;
}

}  // namespace stiction
