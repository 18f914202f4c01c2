#include "constraints/JointConstraint.hpp"

#include <utility>

#include <Eigen/QR>

#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

Pose poseOf(const InertialState& state) { return {state.position, state.orientation}; }

/// An orthonormal basis of what is orthogonal to the columns.
Eigen::Matrix3Xd complement(const Eigen::Matrix3Xd& axes) {
  if (axes.cols() == 0) return Matrix3::Identity();
  const Eigen::HouseholderQR<Eigen::Matrix3Xd> decomposition{axes};
  const Matrix3 basis = decomposition.householderQ();
  return basis.rightCols(3 - axes.cols());
}

}  // namespace

JointConstraint::JointConstraint(const JointMotion& motion, std::string name)
    : TwoBodyBilateralConstraint{static_cast<std::size_t>(motion.parent()), static_cast<std::size_t>(motion.child())},
      onChild_{motion.slidesLast()},
      anchorP_{motion.anchorP()},
      anchorC_{motion.anchorC()},
      name_{std::move(name)} {
  const Quaternion& R = motion.reference();
  const Eigen::Matrix3Xd across = complement(motion.slideAxes());
  for (Eigen::Index k = 0; k < across.cols(); ++k) across_.push_back(onChild_ ? Vector3{across.col(k)} : R * Vector3{across.col(k)});
  if (motion.hasBall()) return;
  const Eigen::Matrix3Xd& hinges = motion.hingeAxes();
  const auto pair = [&](const Vector3& parent, const Vector3& child) { angles_.push_back({R * parent, child, parent.dot(child)}); };
  if (hinges.cols() == 0) {
    for (int k = 0; k < 3; ++k) pair(Vector3::Unit(k), Vector3::Unit((k + 1) % 3));
  } else if (hinges.cols() == 1) {
    const TangentFrame frame = TangentBasis::computeTangentBasis(hinges.col(0));
    for (const Vector3& direction : {Vector3{frame.t1}, Vector3{frame.t2}}) pair(direction, hinges.col(0));
  } else if (hinges.cols() == 2) {
    pair(hinges.col(0), hinges.col(1));
  }
}

VectorX JointConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX C(dimension());
  const Vector3 d = stateB.position + stateB.orientation * anchorC_ - stateA.position - stateA.orientation * anchorP_;
  const Quaternion& carrier = onChild_ ? stateB.orientation : stateA.orientation;
  Eigen::Index row = 0;
  for (const Vector3& n : across_) C[row++] = (carrier * n).dot(d);
  for (const Angle& angle : angles_) C[row++] = (stateA.orientation * angle.parent).dot(stateB.orientation * angle.child) - angle.cosine;
  return C;
}

MatrixX JointConstraint::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  MatrixX J = MatrixX::Zero(dimension(), 12);
  const Vector3 armA = stateA.orientation * anchorP_, armB = stateB.orientation * anchorC_;
  const Vector3 d = stateB.position + armB - stateA.position - armA;
  const Quaternion& carrier = onChild_ ? stateB.orientation : stateA.orientation;
  Eigen::Index row = 0;
  for (const Vector3& axis : across_) {
    const Vector3 n = carrier * axis;
    J.block<1, 3>(row, 0) = -n;
    J.block<1, 3>(row, 3) = -(onChild_ ? armA : Vector3{armA + d}).cross(n);
    J.block<1, 3>(row, 6) = n;
    J.block<1, 3>(row++, 9) = (onChild_ ? Vector3{armB - d} : armB).cross(n);
  }
  for (const Angle& angle : angles_) {
    const Vector3 turning = (stateB.orientation * angle.child).cross(stateA.orientation * angle.parent);  // d(α·β)/dt = (ω_B − ω_A)·(β × α)
    J.block<1, 3>(row, 3) = -turning;
    J.block<1, 3>(row++, 9) = turning;
  }
  return J;
}

VectorX JointConstraint::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX product(dimension());
  const Vector3 a = stateA.getAngularVelocity(), b = stateB.getAngularVelocity();
  const Vector3 armA = stateA.orientation * anchorP_, armB = stateB.orientation * anchorC_;
  const Vector3 d = stateB.position + armB - stateA.position - armA;
  const Vector3 rate = stateB.velocity + b.cross(armB) - stateA.velocity - a.cross(armA);
  const Vector3 turn = b.cross(b.cross(armB)) - a.cross(a.cross(armA));
  const Vector3& spin = onChild_ ? b : a;
  const Quaternion& carrier = onChild_ ? stateB.orientation : stateA.orientation;
  Eigen::Index row = 0;
  for (const Vector3& axis : across_) {
    const Vector3 n = carrier * axis;
    product[row++] = spin.cross(spin.cross(n)).dot(d) + 2 * spin.cross(n).dot(rate) + n.dot(turn);
  }
  for (const Angle& angle : angles_) {
    const Vector3 alpha = stateA.orientation * angle.parent, beta = stateB.orientation * angle.child;
    product[row++] = a.cross(a.cross(alpha)).dot(beta) + 2 * a.cross(alpha).dot(b.cross(beta)) + alpha.dot(b.cross(b.cross(beta)));
  }
  return product;
}

JointLimit::JointLimit(const JointMotion& motion, int joint, bool high, std::string name)
    : BetweenTwoBodies{static_cast<std::size_t>(motion.parent()), static_cast<std::size_t>(motion.child())},
      motion_{motion},
      joint_{joint},
      sign_{high ? -1.0 : 1.0},
      end_{high ? motion.all()[static_cast<std::size_t>(joint)].high : motion.all()[static_cast<std::size_t>(joint)].low},
      name_{std::move(name)} {
  for (int j = 0; j < motion.joints(); ++j) reference_[static_cast<std::size_t>(j)] = motion.all()[static_cast<std::size_t>(j)].reference;
}

double JointLimit::valueFrom(const InertialState& stateA, const InertialState& stateB, const double* before) const {
  std::array<double, JointMotion::kMost> q;
  motion_.coordinates(poseOf(stateA), poseOf(stateB), before, q.data());
  return sign_ * (q[static_cast<std::size_t>(joint_)] - end_);
}

RowVector12 JointLimit::rateFrom(const InertialState& stateA, const InertialState& stateB, const double* before) const {
  std::array<double, JointMotion::kMost> q;
  std::array<RowVector12, JointMotion::kMost> rates;
  motion_.coordinates(poseOf(stateA), poseOf(stateB), before, q.data());
  motion_.rates(poseOf(stateA), poseOf(stateB), q.data(), rates.data());
  return sign_ * rates[static_cast<std::size_t>(joint_)];
}

VectorX JointLimit::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, valueFrom(stateA, stateB, reference_.data()));
}

MatrixX JointLimit::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return rateFrom(stateA, stateB, reference_.data());
}

VectorX JointLimit::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, sign_ * motion_.bend(joint_, poseOf(stateA), poseOf(stateB), stateA.getAngularVelocity(), stateB.getAngularVelocity(),
                                                   stateA.velocity, stateB.velocity));
}

}  // namespace stiction
