// The vector, matrix and rotation types of every room. SI units; rotations as unit quaternions (w first in files), world axes unless a name says otherwise.
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stiction {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;  // twist order: linear, angular
using VectorX = Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using MatrixX = Eigen::MatrixXd;
using Quaternion = Eigen::Quaterniond;

/// X_WB: pose of frame B in W. p_WB [m], R_WB as a unit quaternion.
struct Pose {
  Vector3 position{Vector3::Zero()};
  Quaternion rotation{Quaternion::Identity()};

  Vector3 operator*(const Vector3& p) const { return position + rotation * p; }
  Pose operator*(const Pose& X) const { return {position + rotation * X.position, (rotation * X.rotation).normalized()}; }
  Pose inverse() const {
    const Quaternion back = rotation.conjugate();
    return {-(back * position), back};
  }
};

}  // namespace stiction
