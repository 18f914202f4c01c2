#include "constraints/JointConstraint.hpp"

#include <utility>

#include <Eigen/QR>

#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

Pose poseOf(const InertialState& state) { return {state.position, state.orientation}; }
Twist twistOf(const InertialState& state) { return {state.velocity, state.getAngularVelocity()}; }

/// An orthonormal basis of what is orthogonal to the columns.
Eigen::Matrix3Xd complement(const Eigen::Matrix3Xd& axes) {
  if (axes.cols() == 0) return Matrix3::Identity();
  const Eigen::HouseholderQR<Eigen::Matrix3Xd> decomposition{axes};
  const Matrix3 basis = decomposition.householderQ();
  return basis.rightCols(3 - axes.cols());
}

}  // namespace

std::array<double, JointMotion::kMost> referenceOf(const JointMotion& motion) {
  std::array<double, JointMotion::kMost> reference{};
  for (int j = 0; j < motion.joints(); ++j) reference[static_cast<std::size_t>(j)] = motion.all()[static_cast<std::size_t>(j)].reference;
  return reference;
}

JointConstraint::JointConstraint(const JointMotion& motion, std::string name)
    : TwoBodyBilateralConstraint{static_cast<std::size_t>(motion.parent()), static_cast<std::size_t>(motion.child())},
      motion_{motion},
      reference_{referenceOf(motion)},
      name_{std::move(name)} {
  const Quaternion& R = motion.reference();
  const Eigen::Matrix3Xd across = complement(motion.slideAxes());
  for (Eigen::Index k = 0; k < across.cols(); ++k) across_.push_back(motion.slidesLast() ? Vector3{across.col(k)} : R * Vector3{across.col(k)});
  if (motion.hasBall()) return;
  const HingeChain::Axes& hinges = motion.hingeAxes();
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

void JointConstraint::values(const Pose& X_WP, const Pose& X_WC, const double* before, double* C) const {
  const Vector3 d = motion_.separation(X_WP, X_WC, before).d;
  const Quaternion& carrier = motion_.carrier(X_WP, X_WC);
  for (const Vector3& n : across_) *C++ = (carrier * n).dot(d);
  for (const Angle& angle : angles_) *C++ = (X_WP.rotation * angle.parent).dot(X_WC.rotation * angle.child) - angle.cosine;
}

void JointConstraint::rates(const Pose& X_WP, const Pose& X_WC, const double* before, RowVector12* J) const {
  std::array<double, kMost> C;
  valuesAndRates(X_WP, X_WC, before, C.data(), J);
}

void JointConstraint::valuesAndRates(const Pose& X_WP, const Pose& X_WC, const double* before, double* C, RowVector12* J) const {
  const Separation separation = motion_.separation(X_WP, X_WC, before);
  const Quaternion& carrier = motion_.carrier(X_WP, X_WC);
  for (const Vector3& n : across_) {
    const Vector3 direction = carrier * n;
    *C++ = direction.dot(separation.d);
    *J++ = separation.rate(direction);
  }
  for (const Angle& angle : angles_) {
    const Vector3 alpha = X_WP.rotation * angle.parent, beta = X_WC.rotation * angle.child;
    const Vector3 turning = beta.cross(alpha);  // d(α·β)/dt = (ω_C − ω_P)·(β × α)
    *C++ = alpha.dot(beta) - angle.cosine;
    *J++ << 0, 0, 0, -turning.transpose(), 0, 0, 0, turning.transpose();
  }
}

void JointConstraint::velocityProducts(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before, double* products) const {
  const SeparationBend bend = motion_.separationBend(X_WP, X_WC, P, C, before);
  const Quaternion& carrier = motion_.carrier(X_WP, X_WC);
  for (const Vector3& n : across_) *products++ = bend.along(carrier * n);
  for (const Angle& angle : angles_) {
    const Vector3 alpha = X_WP.rotation * angle.parent, beta = X_WC.rotation * angle.child;
    *products++ = P.angular.cross(P.angular.cross(alpha)).dot(beta) + 2 * P.angular.cross(alpha).dot(C.angular.cross(beta)) +
                  alpha.dot(C.angular.cross(C.angular.cross(beta)));
  }
}

VectorX JointConstraint::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX C(dimension());
  values(poseOf(stateA), poseOf(stateB), reference_.data(), C.data());
  return C;
}

MatrixX JointConstraint::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  std::array<RowVector12, kMost> rows;
  rates(poseOf(stateA), poseOf(stateB), reference_.data(), rows.data());
  MatrixX J(dimension(), 12);
  for (int k = 0; k < dimension(); ++k) J.row(k) = rows[static_cast<std::size_t>(k)];
  return J;
}

VectorX JointConstraint::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  VectorX products(dimension());
  velocityProducts(poseOf(stateA), poseOf(stateB), twistOf(stateA), twistOf(stateB), reference_.data(), products.data());
  return products;
}

JointLimit::JointLimit(const JointMotion& motion, int joint, bool high, std::string name)
    : BetweenTwoBodies{static_cast<std::size_t>(motion.parent()), static_cast<std::size_t>(motion.child())},
      motion_{motion},
      joint_{joint},
      sign_{high ? -1.0 : 1.0},
      end_{high ? motion.all()[static_cast<std::size_t>(joint)].high : motion.all()[static_cast<std::size_t>(joint)].low},
      reference_{referenceOf(motion)},
      name_{std::move(name)} {}

double JointLimit::bendFrom(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const {
  return sign_ * motion_.bend(joint_, X_WP, X_WC, P, C, before);
}

VectorX JointLimit::evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  std::array<double, JointMotion::kMost> q;
  motion_.coordinates(poseOf(stateA), poseOf(stateB), reference_.data(), q.data());
  return VectorX::Constant(1, valueAt(q.data()));
}

MatrixX JointLimit::jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  std::array<double, JointMotion::kMost> q;
  std::array<RowVector12, JointMotion::kMost> rates;
  motion_.coordinates(poseOf(stateA), poseOf(stateB), reference_.data(), q.data());
  motion_.rates(poseOf(stateA), poseOf(stateB), q.data(), rates.data());
  return rateBy(rates.data());
}

VectorX JointLimit::velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double /*time*/) const {
  return VectorX::Constant(1, bendFrom(poseOf(stateA), poseOf(stateB), twistOf(stateA), twistOf(stateB), reference_.data()));
}

}  // namespace stiction
