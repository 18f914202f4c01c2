// Where joints of given coordinates put their child: one transformation after the other.
#pragma once
#include <vector>

#include "math/Rotation.hpp"
#include "model/Model.hpp"

namespace stiction::testing {

/// `q`: of the joints of the model's only mobilizer; `ball`: what a ball turns by.
inline Pose placedChild(const Model& model, const Pose& X_WP, const std::vector<double>& q, const Quaternion& ball) {
  const Mobilizer& mobilizer = model.mobilizers[0];
  Pose X = X_WP * mobilizer.X_PC;
  const auto turn = [&](const Quaternion& by, const Vector3& point) { X = X * Pose{point - by * point, by}; };
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Joint& joint = model.joints[j];
    const double by = q[j] - joint.reference;
    if (joint.type == JointType::Hinge) turn(expRotation(by * joint.axis), mobilizer.p_CA + joint.offset);
    if (joint.type == JointType::Ball) turn(ball, mobilizer.p_CA);
    if (joint.type == JointType::Slide) X = X * Pose{by * joint.axis, Quaternion::Identity()};
  }
  X.rotation.normalize();
  return X;
}

}  // namespace stiction::testing
