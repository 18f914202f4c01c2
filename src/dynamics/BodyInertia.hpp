// Mass properties of the bodies in the form the step uses, with the energy and momentum of one body.
//
//   T = ½ m |v|² + ½ Ω·I_b Ω ,  L = R I_b Ω ,  Ω = Rᵀ ω        I_b: inertia about the centre of mass in body axes
//
// A dynamic body with infinite inertia is locked: it translates and never turns (three degrees of freedom).
#pragma once
#include <vector>

#include "model/Model.hpp"

namespace stiction {

struct BodyInertia {
  bool dynamic{false};
  bool locked{false};
  double mass{0};                    // [kg]
  double inverseMass{0};             // [1/kg]
  Matrix3 inertia{Matrix3::Zero()};  // [kg m²] I_b, zero when locked
  Matrix3 inverse{Matrix3::Zero()};  // [1/(kg m²)] I_b⁻¹, zero when locked

  int dof() const { return !dynamic ? 0 : locked ? 3 : 6; }
};

/// One entry per body of the model; static and kinematic bodies are not dynamic.
std::vector<BodyInertia> bodyInertias(const Model& model);

/// R x, and Rᵀ x, orthogonal to round-off whatever the quaternion's length: x + (2/|q|²)(w u × x + u × (u × x)). The usual formula takes |q| = 1 and turns the
/// last bit of it into a steady growth of momentum.
inline Vector3 rotate(const Quaternion& rotation, const Vector3& x) {
  const Vector3 u = rotation.vec();
  const Vector3 side = u.cross(x);
  return x + (2.0 / rotation.squaredNorm()) * (rotation.w() * side + u.cross(side));
}
inline Vector3 rotateBack(const Quaternion& rotation, const Vector3& x) { return rotate(rotation.conjugate(), x); }

/// R A Rᵀ, exactly symmetric.
Matrix3 toWorld(const Matrix3& A, const Quaternion& rotation);

double kineticEnergy(const BodyInertia& body, const Quaternion& rotation, const Vector3& velocity, const Vector3& angularVelocity);  // [J]
Vector3 angularMomentum(const BodyInertia& body, const Quaternion& rotation, const Vector3& angularVelocity);  // [kg m²/s] about C, world axes

}  // namespace stiction
