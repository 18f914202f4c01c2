// Mass properties of the bodies.
#include "dynamics/BodyInertia.hpp"

#include <Eigen/Cholesky>

namespace stiction {

std::vector<BodyInertia> bodyInertias(const Model& model) {
  std::vector<BodyInertia> inertias(model.bodies.size());
  for (std::size_t i = 0; i < inertias.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::Dynamic) continue;
    BodyInertia& out = inertias[i];
    out.dynamic = true;
    out.locked = !body.I_C.allFinite();
    out.mass = body.mass;
    out.inverseMass = 1.0 / body.mass;
    if (out.locked) continue;
    out.inertia = 0.5 * (body.I_C + body.I_C.transpose());
    const Matrix3 inverse = out.inertia.llt().solve(Matrix3::Identity());
    out.inverse = 0.5 * (inverse + inverse.transpose());
  }
  return inertias;
}

Matrix3 toWorld(const Matrix3& A, const Quaternion& rotation) {
  const Matrix3 R = rotation.toRotationMatrix();
  const Matrix3 B = R * A * R.transpose();
  return 0.5 * (B + B.transpose());
}

double kineticEnergy(const BodyInertia& body, const Quaternion& rotation, const Vector3& velocity, const Vector3& angularVelocity) {
  const Vector3 spin = rotateBack(rotation, angularVelocity);
  return 0.5 * body.mass * velocity.squaredNorm() + 0.5 * spin.dot(body.inertia * spin);
}

Vector3 angularMomentum(const BodyInertia& body, const Quaternion& rotation, const Vector3& angularVelocity) {
  return rotate(rotation, body.inertia * rotateBack(rotation, angularVelocity));
}

}  // namespace stiction
