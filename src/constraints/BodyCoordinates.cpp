#include "constraints/BodyCoordinates.hpp"

#include "math/Rotation.hpp"

namespace stiction {

Matrix34 quaternionToOmega(const Quaternion& Q) {
  Matrix34 E;
  E << -Q.vec(), Q.w() * Matrix3::Identity() + skew(Q.vec());
  return E;
}

Eigen::Matrix<double, 7, 6> twistToRate(const Quaternion& Q) {
  Eigen::Matrix<double, 7, 6> T = Eigen::Matrix<double, 7, 6>::Zero();
  T.topLeftCorner<3, 3>().setIdentity();
  T.bottomRightCorner<4, 3>() = 0.5 * quaternionToOmega(Q).transpose();
  return T;
}

Vector7 rateOf(const State& state) {
  Vector7 rate;
  rate << state.velocity, state.quaternionRate;
  return rate;
}

Matrix7 inverseMass(const Quaternion& Q, double mass, const Matrix3& inverseInertia) {
  const Matrix34 E = quaternionToOmega(Q);
  const Eigen::Vector4d q{Q.w(), Q.x(), Q.y(), Q.z()};
  const double fourth = q.squaredNorm() * q.squaredNorm();
  Matrix7 inverse = Matrix7::Zero();
  inverse.topLeftCorner<3, 3>() = Matrix3::Identity() / mass;
  inverse.bottomRightCorner<4, 4>() = (0.25 * E.transpose() * inverseInertia * E + inverseInertia.trace() / 12.0 * q * q.transpose()) / fourth;
  return inverse;
}

Vector7 generalisedForce(const Quaternion& Q, const Vector3& force, const Vector3& torque) {
  Vector7 F;
  F << force, 2.0 / Q.squaredNorm() * quaternionToOmega(Q).transpose() * torque;
  return F;
}

Vector7 freeAcceleration(const State& state, const Vector3& force, const Vector3& torque, double mass, const Matrix3& inverseInertia) {
  const Vector3 omega = state.getAngularVelocity();
  const Eigen::FullPivLU<Matrix3> inverse{inverseInertia};
  Vector3 turning = inverseInertia * torque;
  if (inverse.isInvertible()) turning -= inverseInertia * omega.cross(Vector3{inverse.solve(omega)});
  const Quaternion spin = Quaternion{0.0, omega.x(), omega.y(), omega.z()} *
                          Quaternion{state.quaternionRate[0], state.quaternionRate[1], state.quaternionRate[2], state.quaternionRate[3]};
  Vector7 rate = twistToRate(state.orientation) * (Vector6{} << force / mass, turning).finished();
  rate.tail<4>() += 0.5 * Eigen::Vector4d{spin.w(), spin.x(), spin.y(), spin.z()};
  return rate;
}

}  // namespace stiction
