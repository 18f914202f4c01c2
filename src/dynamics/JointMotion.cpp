#include "dynamics/JointMotion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/QR>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

constexpr int kIterations = 30;
constexpr double kAngle = 1e-15;     // [rad] a Newton step this short is the last
constexpr double kDependent = 1e-6;  // [-] axes nearer to dependence than that count as dependent: the gimbal is locked

std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Axes = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3>;
using Duals = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3, 3>;

/// Rows dual to the columns; of least length where they are dependent.
Duals dualsOf(const Axes& axes) {
  if (axes.cols() == 0) return Duals(0, 3);
  Eigen::CompleteOrthogonalDecomposition<Axes> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(axes);
  return decomposition.pseudoInverse();
}

}  // namespace

JointMotion::JointMotion(const Model& model, const Mobilizer& mobilizer)
    : mobilizer_{mobilizer},
      joints_{model.joints.begin() + mobilizer.firstJoint, model.joints.begin() + mobilizer.firstJoint + mobilizer.joints},
      anchorP_{mobilizer.X_PC * mobilizer.p_CA},
      slides_(3, 0),
      hinges_(3, 0) {
  bool turned = false;
  for (const Joint& joint : joints_) {
    ball_ = ball_ || joint.type == JointType::Ball;
    if (joint.type == JointType::Slide) slidesLast_ = slidesLast_ || turned;
    turned = turned || joint.type != JointType::Slide;
    if (joint.type == JointType::Ball) continue;
    Eigen::Matrix3Xd& axes = joint.type == JointType::Slide ? slides_ : hinges_;
    axes.conservativeResize(3, axes.cols() + 1);
    axes.rightCols<1>() = joint.axis;
  }
  slideDuals_ = dualsOf(slides_);
}

/// q near the `q` that comes in.
void JointMotion::hingeAngles(const Quaternion& Q, double* q) const {
  const auto count = static_cast<int>(hinges_.cols());
  if (count == 1) {
    const double turn = 2 * std::numbers::pi, angle = 2 * std::atan2(hinges_.col(0).dot(Q.vec()), Q.w());
    q[0] = angle + turn * std::round((q[0] - angle) / turn);
    return;
  }
  for (int round = 0; round < kIterations; ++round) {
    Quaternion product = Quaternion::Identity();
    Axes axes(3, count);  // in the child's axes
    for (int k = count - 1; k >= 0; --k) {
      axes.col(k) = product.conjugate() * hinges_.col(k);
      product = expRotation(q[k] * hinges_.col(k)) * product;
    }
    const Eigen::VectorXd change = dualsOf(axes) * logRotation(product.conjugate() * Q);
    for (int k = 0; k < count; ++k) q[k] += change[k];
    if (change.norm() <= kAngle) return;
  }
}

void JointMotion::coordinates(const Pose& X_WP, const Pose& X_WC, const double* before, double* q) const {
  double angles[3] = {};
  int turns = 0, slide = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].type == JointType::Hinge) angles[turns++] = before[j] - joints_[j].reference;
  if (turns > 0) hingeAngles((X_WP.rotation * mobilizer_.X_PC.rotation).conjugate() * X_WC.rotation, angles);
  const Vector3 d = slides_.cols() > 0 ? Vector3{slideFrame(X_WP, X_WC).conjugate() * separation(X_WP, X_WC)} : Vector3{Vector3::Zero()};
  turns = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    q[j] = joint.type == JointType::Ball    ? 0.0
           : joint.type == JointType::Hinge ? joint.reference + angles[turns++]
                                            : joint.reference + slideDuals_.row(slide++).dot(d);
  }
}

void JointMotion::rates(const Pose& X_WP, const Pose& X_WC, const double* q, RowVector12* rates) const {
  const Quaternion A = X_WP.rotation * mobilizer_.X_PC.rotation;
  Axes axes(3, hinges_.cols());
  Quaternion turned = A;
  Eigen::Index k = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j].type != JointType::Hinge) continue;
    axes.col(k) = turned * joints_[j].axis;
    turned = turned * expRotation((q[j] - joints_[j].reference) * joints_[j].axis);
    ++k;
  }
  Duals duals = axes.transpose();
  if (k > 1) duals = dualsOf(axes);
  const Quaternion F = slideFrame(X_WP, X_WC);
  const Vector3 armP = X_WP.rotation * anchorP_, armC = X_WC.rotation * mobilizer_.p_CA;
  const Vector3 d = separation(X_WP, X_WC);
  Eigen::Index slide = 0;
  k = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    RowVector12& row = rates[j];
    row.setZero();
    if (joints_[j].type == JointType::Ball) {
      row = ballRate(X_WC, 0);
    } else if (joints_[j].type == JointType::Hinge) {
      row.segment<3>(9) = duals.row(k++);
      row.segment<3>(3) = -row.segment<3>(9);
    } else {
      const Vector3 n = F * Vector3{slideDuals_.row(slide++).transpose()};
      row.segment<3>(0) = -n;
      row.segment<3>(3) = -(slidesLast_ ? armP : Vector3{armP + d}).cross(n);
      row.segment<3>(6) = n;
      row.segment<3>(9) = (slidesLast_ ? Vector3{armC - d} : armC).cross(n);
    }
  }
}

RowVector12 JointMotion::ballRate(const Pose& X_WC, int i) {
  RowVector12 row = RowVector12::Zero();
  row.segment<3>(9) = X_WC.rotation * Vector3::Unit(i);
  row.segment<3>(3) = -row.segment<3>(9);
  return row;
}

double JointMotion::bend(int joint, const Pose& X_WP, const Pose& X_WC, const Vector3& angularP, const Vector3& angularC, const Vector3& linearP,
                         const Vector3& linearC) const {
  if (joints_[at(joint)].type != JointType::Slide) return 0.0;
  Eigen::Index slide = 0;
  for (int j = 0; j < joint; ++j) slide += joints_[at(j)].type == JointType::Slide ? 1 : 0;
  const Vector3 n = slideFrame(X_WP, X_WC) * Vector3{slideDuals_.row(slide).transpose()};
  const Vector3& carrier = slidesLast_ ? angularC : angularP;
  const Vector3 armP = X_WP.rotation * anchorP_, armC = X_WC.rotation * mobilizer_.p_CA, d = separation(X_WP, X_WC);
  const Vector3 rate = linearC + angularC.cross(armC) - linearP - angularP.cross(armP);
  return carrier.cross(carrier.cross(n)).dot(d) + 2 * carrier.cross(n).dot(rate) +
         n.dot(angularC.cross(angularC.cross(armC)) - angularP.cross(angularP.cross(armP)));
}

double rateOf(const RowVector12& rates, const WorldState& state, int parent, int child) {
  return rates.segment<3>(0).dot(state.velocity[at(parent)]) + rates.segment<3>(3).dot(state.angularVelocity[at(parent)]) +
         rates.segment<3>(6).dot(state.velocity[at(child)]) + rates.segment<3>(9).dot(state.angularVelocity[at(child)]);
}

JointState stateOf(const JointMotion& motion, const WorldState& state) {
  JointState joints;
  const Pose P = state.pose(motion.parent()), C = state.pose(motion.child());
  motion.coordinates(P, C, state.jointPosition.data() + motion.firstJoint(), joints.position.data());
  motion.rates(P, C, joints.position.data(), joints.rates.data());
  for (int j = 0; j < motion.joints(); ++j) joints.rate[at(j)] = rateOf(joints.rates[at(j)], state, motion.parent(), motion.child());
  return joints;
}

double elasticEnergy(const JointMotion& motion, const WorldState& state) {
  const std::span<const Joint> joints = motion.all();
  if (std::none_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.stiffness > 0; })) return 0;
  const JointState now = stateOf(motion, state);
  double energy = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const double stretch = now.position[j] - joints[j].springReference;
    energy += 0.5 * joints[j].stiffness * stretch * stretch;
  }
  return energy;
}

double rotorEnergy(const Model& model, const WorldState& state) {
  double energy = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) energy += 0.5 * model.joints[j].armature * state.rotorRate[j].squaredNorm();
  return energy;
}

void engageRotors(const std::vector<JointMotion>& motions, int body, WorldState& state) {
  state.rotorRate.resize(state.jointPosition.size());
  for (const JointMotion& motion : motions) {
    if (body >= 0 && motion.parent() != body && motion.child() != body) continue;
    const JointState now = stateOf(motion, state);
    for (int j = 0; j < motion.joints(); ++j) {
      Vector3& rate = state.rotorRate[at(motion.firstJoint() + j)] = {now.rate[at(j)], 0, 0};
      if (motion.all()[at(j)].type != JointType::Ball) continue;
      for (int i = 0; i < 3; ++i) rate[i] = rateOf(JointMotion::ballRate(state.pose(motion.child()), i), state, motion.parent(), motion.child());
    }
  }
}

void followJoints(const std::vector<JointMotion>& motions, const WorldState& before, double h, WorldState& state) {
  for (const JointMotion& motion : motions) {
    const JointState then = stateOf(motion, before);
    double* q = state.jointPosition.data() + motion.firstJoint();
    for (int j = 0; j < motion.joints(); ++j) q[j] = then.position[at(j)] + 0.5 * h * then.rate[at(j)];
    for (int j = 0; j < motion.joints(); ++j) q[j] += 0.5 * h * rateOf(then.rates[at(j)], state, motion.parent(), motion.child());
    motion.coordinates(state.pose(motion.parent()), state.pose(motion.child()), q, q);
  }
}

std::vector<JointMotion> jointMotions(const Model& model) {
  std::vector<JointMotion> motions;
  motions.reserve(model.mobilizers.size());
  for (const Mobilizer& mobilizer : model.mobilizers) motions.emplace_back(model, mobilizer);
  return motions;
}

}  // namespace stiction
