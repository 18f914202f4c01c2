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

void JointConstraint::values(const Pose& X_WP, const Pose& X_WC, double* C) const {
  const Vector3 d = X_WC * anchorC_ - X_WP * anchorP_;
  const Quaternion& carrier = onChild_ ? X_WC.rotation : X_WP.rotation;
  for (const Vector3& n : across_) *C++ = (carrier * n).dot(d);
  for (const Angle& angle : angles_) *C++ = (X_WP.rotation * angle.parent).dot(X_WC.rotation * angle.child) - angle.cosine;
}

void JointConstraint::rates(const Pose& X_WP, const Pose& X_WC, RowVector12* J) const {
  const Vector3 armP = X_WP.rotation * anchorP_, armC = X_WC.rotation * anchorC_;
  const Vector3 d = X_WC.position + armC - X_WP.position - armP;
  const Quaternion& carrier = onChild_ ? X_WC.rotation : X_WP.rotation;
  for (const Vector3& axis : across_) {
    const Vector3 n = carrier * axis;
    *J++ << -n.transpose(), -(onChild_ ? armP : Vector3{armP + d}).cross(n).transpose(), n.transpose(),
        (onChild_ ? Vector3{armC - d} : armC).cross(n).transpose();
  }
  for (const Angle& angle : angles_) {
    const Vector3 turning = (X_WC.rotation * angle.child).cross(X_WP.rotation * angle.parent);  // d(α·β)/dt = (ω_C − ω_P)·(β × α)
    *J++ << 0, 0, 0, -turning.transpose(), 0, 0, 0, turning.transpose();
  }
}

void JointConstraint::velocityProducts(const Pose& X_WP, const Pose& X_WC, const Vector3& linearP, const Vector3& angularP, const Vector3& linearC,
                                       const Vector3& angularC, double* products) const {
  const Vector3 armP = X_WP.rotation * anchorP_, armC = X_WC.rotation * anchorC_;
  const Vector3 d = X_WC.position + armC - X_WP.position - armP;
  const Vector3 rate = linearC + angularC.cross(armC) - linearP - angularP.cross(armP);
  const Vector3 turn = angularC.cross(angularC.cross(armC)) - angularP.cross(angularP.cross(armP));
  const Vector3& spin = onChild_ ? angularC : angularP;
  const Quaternion& carrier = onChild_ ? X_WC.rotation : X_WP.rotation;
  for (const Vector3& axis : across_) {
    const Vector3 n = carrier * axis;
    *products++ = spin.cross(spin.cross(n)).dot(d) + 2 * spin.cross(n).dot(rate) + n.dot(turn);
  }
  for (const Angle& angle : angles_) {
    const Vector3 alpha = X_WP.rotation * angle.parent, beta = X_WC.rotation * angle.child;
    *products++ =
        angularP.cross(angularP.cross(alpha)).dot(beta) + 2 * angularP.cross(alpha).dot(angularC.cross(beta)) + alpha.dot(angularC.cross(angularC.cross(beta)));
  }
}

VectorX JointConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX C(dimension());
  values(poseOf(stateA), poseOf(stateB), C.data());
  return C;
}

MatrixX JointConstraint::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  std::array<RowVector12, kMost> rows;
  rates(poseOf(stateA), poseOf(stateB), rows.data());
  MatrixX J(dimension(), 12);
  for (int k = 0; k < dimension(); ++k) J.row(k) = rows[static_cast<std::size_t>(k)];
  return J;
}

VectorX JointConstraint::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX products(dimension());
  velocityProducts(poseOf(stateA), poseOf(stateB), stateA.velocity, stateA.getAngularVelocity(), stateB.velocity, stateB.getAngularVelocity(), products.data());
  return products;
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

double JointLimit::valueFrom(const Pose& X_WP, const Pose& X_WC, const double* before) const {
  std::array<double, JointMotion::kMost> q;
  motion_.coordinates(X_WP, X_WC, before, q.data());
  return sign_ * (q[static_cast<std::size_t>(joint_)] - end_);
}

RowVector12 JointLimit::rateFrom(const Pose& X_WP, const Pose& X_WC, const double* before) const {
  std::array<double, JointMotion::kMost> q;
  std::array<RowVector12, JointMotion::kMost> rates;
  motion_.coordinates(X_WP, X_WC, before, q.data());
  motion_.rates(X_WP, X_WC, q.data(), rates.data());
  return sign_ * rates[static_cast<std::size_t>(joint_)];
}

double JointLimit::bend(const Pose& X_WP, const Pose& X_WC, const Vector3& linearP, const Vector3& angularP, const Vector3& linearC,
                        const Vector3& angularC) const {
  return sign_ * motion_.bend(joint_, X_WP, X_WC, angularP, angularC, linearP, linearC);
}

VectorX JointLimit::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, valueFrom(poseOf(stateA), poseOf(stateB), reference_.data()));
}

MatrixX JointLimit::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return rateFrom(poseOf(stateA), poseOf(stateB), reference_.data());
}

VectorX JointLimit::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, bend(poseOf(stateA), poseOf(stateB), stateA.velocity, stateA.getAngularVelocity(), stateB.velocity, stateB.getAngularVelocity()));
}

}  // namespace stiction
