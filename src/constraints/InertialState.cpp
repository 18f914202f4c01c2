#include "constraints/InertialState.hpp"

namespace stiction {

Eigen::Vector4d InertialState::omegaToQuaternionRate(const Coordinate& omega, const Quaternion& Q) {
  const Quaternion rate = Quaternion{0.0, omega.x(), omega.y(), omega.z()} * Q;
  return 0.5 * Eigen::Vector4d{rate.w(), rate.x(), rate.y(), rate.z()};
}

Coordinate InertialState::quaternionRateToOmega(const Eigen::Vector4d& rate, const Quaternion& Q) {
  return 2.0 * (Quaternion{rate[0], rate[1], rate[2], rate[3]} * Q.conjugate()).vec();
}

}  // namespace stiction
