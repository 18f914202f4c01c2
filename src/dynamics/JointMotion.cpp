#include "dynamics/JointMotion.hpp"

#include <algorithm>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double rateOf(const RowVector12& rates, const WorldState& state, const JointMotion& motion) {
  return rateOf(ofTwo(motion.parent(), motion.child(), rates), state);
}

}  // namespace

RowVector12 Separation::rate(const Vector3& n) const {
  RowVector12 row;
  row << -n.transpose(), -(onChild ? armP : Vector3{armP + d}).cross(n).transpose(), n.transpose(), (onChild ? Vector3{armC - d} : armC).cross(n).transpose();
  if (!isSpread) return row;
  const Vector3 turning = K.transpose() * n;
  row.segment<3>(3) += turning.transpose();
  row.segment<3>(9) -= turning.transpose();
  return row;
}

JointMotion::JointMotion(const Model& model, const Mobilizer& mobilizer)
    : mobilizer_{mobilizer},
      joints_{model.joints.begin() + mobilizer.firstJoint, model.joints.begin() + mobilizer.firstJoint + mobilizer.joints},
      slides_(3, 0) {
  bool turned = false;
  Vector3 first = mobilizer.p_CA;
  for (const Joint& joint : joints_) {
    ball_ = ball_ || joint.type == JointType::Ball;
    if (joint.type == JointType::Slide) {
      slidesLast_ = slidesLast_ || turned;
      slides_.conservativeResize(3, slides_.cols() + 1);
      slides_.rightCols<1>() = joint.axis;
      continue;
    }
    if (!turned) first += joint.offset;
    turned = true;
    if (joint.type == JointType::Hinge) hinges_.add(joint.axis, joint.offset);
  }
  anchorP_ = mobilizer.X_PC * first;
  slideDuals_ = dualsOf(slides_);
}

/// Angles of the hinges at coordinates q.
JointMotion::Angles JointMotion::anglesAt(const double* q) const {
  Angles angles{};
  std::size_t turns = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].type == JointType::Hinge) angles[turns++] = q[j] - joints_[j].reference;
  return angles;
}

/// The same at poses, near coordinates `before`.
JointMotion::Angles JointMotion::angles(const Pose& X_WP, const Pose& X_WC, const double* before) const {
  Angles angles = anglesAt(before);
  if (hinges_.count() > 0) hinges_.follow(referenceFrame(X_WP).conjugate() * X_WC.rotation, angles.data());
  return angles;
}

HingeChain::Place JointMotion::hinges(const Pose& X_WP, const Pose& X_WC, const double* before) const {
  return hinges_.place(referenceFrame(X_WP), X_WC.rotation, angles(X_WP, X_WC, before).data());
}

Vector3 JointMotion::slideDirection(int slide, const Pose& X_WP, const Pose& X_WC) const {
  return slideFrame(X_WP, X_WC) * Vector3{slideDuals_.row(slide).transpose()};
}

/// Among the slides, or the hinges.
int JointMotion::placeAmongKind(int joint) const {
  return static_cast<int>(std::count_if(joints_.begin(), joints_.begin() + joint, [&](const Joint& other) { return other.type == joints_[at(joint)].type; }));
}

Separation JointMotion::separation(const Pose& X_WP, const Pose& X_WC, const double* before) const {
  Separation separation;
  separation.onChild = slidesLast_;
  separation.isSpread = hinges_.isSpread();
  separation.armP = X_WP.rotation * anchorP_;
  separation.armC = X_WC.rotation * mobilizer_.p_CA;
  if (separation.isSpread) {
    const HingeChain::Place place = hinges(X_WP, X_WC, before);
    separation.armP += place.reach();
    separation.K = hinges_.reachRate(place);
  }
  separation.d = X_WC.position + separation.armC - X_WP.position - separation.armP;
  return separation;
}

SeparationBend JointMotion::separationBend(const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const {
  const Separation now = separation(X_WP, X_WC, before);
  SeparationBend bend;
  bend.d = now.d;
  bend.spin = slidesLast_ ? C.angular : P.angular;
  bend.rate = C.linear + C.angular.cross(now.armC) - P.linear - P.angular.cross(now.armP);
  const Vector3 fixed = X_WP.rotation * anchorP_;
  bend.bend = C.angular.cross(C.angular.cross(now.armC)) - P.angular.cross(P.angular.cross(fixed));
  if (!now.isSpread) return bend;
  bend.rate -= now.K * (C.angular - P.angular);
  bend.bend -= hinges_.reachBend(hinges(X_WP, X_WC, before), P.angular, C.angular);
  return bend;
}

void JointMotion::coordinates(const Pose& X_WP, const Pose& X_WC, const double* before, double* q) const {
  const Angles turned = angles(X_WP, X_WC, before);
  const Vector3 d = slides_.cols() > 0 ? Vector3{slideFrame(X_WP, X_WC).conjugate() * separation(X_WP, X_WC, before).d} : Vector3{Vector3::Zero()};
  std::size_t turns = 0;
  Eigen::Index slide = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    q[j] = joint.type == JointType::Ball    ? 0.0
           : joint.type == JointType::Hinge ? joint.reference + turned[turns++]
                                            : joint.reference + slideDuals_.row(slide++).dot(d);
  }
}

void JointMotion::rates(const Pose& X_WP, const Pose& X_WC, const double* q, RowVector12* rates) const {
  const HingeChain::Place place = hinges_.place(referenceFrame(X_WP), X_WC.rotation, anglesAt(q).data());
  const bool slides = slides_.cols() > 0;
  const Separation between = slides ? separation(X_WP, X_WC, q) : Separation{};
  int slide = 0;
  Eigen::Index turns = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    RowVector12& row = rates[j];
    if (joints_[j].type == JointType::Ball) {
      row = ballRate(X_WC, 0);
    } else if (joints_[j].type == JointType::Slide) {
      row = between.rate(slideDirection(slide++, X_WP, X_WC));
    } else {
      row.setZero();
      row.segment<3>(9) = place.duals.row(turns++);
      row.segment<3>(3) = -row.segment<3>(9);
    }
  }
}

RowVector12 JointMotion::ballRate(const Pose& X_WC, int i) {
  RowVector12 row = RowVector12::Zero();
  row.segment<3>(9) = X_WC.rotation * Vector3::Unit(i);
  row.segment<3>(3) = -row.segment<3>(9);
  return row;
}

double JointMotion::bend(int joint, const Pose& X_WP, const Pose& X_WC, const Twist& P, const Twist& C, const double* before) const {
  const int place = placeAmongKind(joint);
  if (joints_[at(joint)].type == JointType::Slide) return separationBend(X_WP, X_WC, P, C, before).along(slideDirection(place, X_WP, X_WC));
  return hinges_.count() > 1 ? hinges_.bends(hinges(X_WP, X_WC, before), P.angular, C.angular)[place] : 0.0;
}

std::array<double, JointMotion::kMost> positionsOf(const JointMotion& motion, const WorldState& state) {
  std::array<double, JointMotion::kMost> q{};
  motion.coordinates(state.pose(motion.parent()), state.pose(motion.child()), state.jointPosition.data() + motion.firstJoint(), q.data());
  return q;
}

JointState stateOf(const JointMotion& motion, const WorldState& state) {
  JointState joints;
  joints.position = positionsOf(motion, state);
  motion.rates(state.pose(motion.parent()), state.pose(motion.child()), joints.position.data(), joints.rates.data());
  for (int j = 0; j < motion.joints(); ++j) joints.rate[at(j)] = rateOf(joints.rates[at(j)], state, motion);
  return joints;
}

double elasticEnergy(const JointMotion& motion, const WorldState& state) {
  const std::span<const Joint> joints = motion.all();
  if (std::none_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.stiffness > 0; })) return 0;
  const std::array<double, JointMotion::kMost> q = positionsOf(motion, state);
  double energy = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const double stretch = q[j] - joints[j].springReference;
    energy += 0.5 * joints[j].stiffness * stretch * stretch;
  }
  return energy;
}

double rotorEnergy(const Model& model, const WorldState& state) {
  double energy = 0;
  for (int k = 0; k < coordinates(model); ++k) energy += 0.5 * resistanceOf(model, k).armature * state.rotorRate[at(k)].squaredNorm();
  return energy;
}

void engageRotors(const std::vector<JointMotion>& motions, int body, WorldState& state) {
  state.rotorRate.resize(state.jointPosition.size(), Vector3::Zero());
  for (const JointMotion& motion : motions) {
    if (body >= 0 && motion.parent() != body && motion.child() != body) continue;
    const JointState now = stateOf(motion, state);
    for (int j = 0; j < motion.joints(); ++j) {
      Vector3& rate = state.rotorRate[at(motion.firstJoint() + j)] = {now.rate[at(j)], 0, 0};
      if (motion.all()[at(j)].type != JointType::Ball) continue;
      for (int i = 0; i < 3; ++i) rate[i] = rateOf(JointMotion::ballRate(state.pose(motion.child()), i), state, motion);
    }
  }
}

void followJoints(const std::vector<JointMotion>& motions, const WorldState& before, double h, WorldState& state) {
  for (const JointMotion& motion : motions) {
    const JointState then = stateOf(motion, before);
    double* q = state.jointPosition.data() + motion.firstJoint();
    for (int j = 0; j < motion.joints(); ++j) q[j] = then.position[at(j)] + 0.5 * h * then.rate[at(j)];
    for (int j = 0; j < motion.joints(); ++j) q[j] += 0.5 * h * rateOf(then.rates[at(j)], state, motion);
    motion.coordinates(state.pose(motion.parent()), state.pose(motion.child()), q, q);
  }
}

std::vector<JointMotion> jointMotions(const Model& model) {
  std::vector<JointMotion> motions;
  motions.reserve(model.mobilizers.size());
  for (const Mobilizer& mobilizer : model.mobilizers) motions.emplace_back(model, mobilizer);
  return motions;
}

const JointMotion& motionOf(const std::vector<JointMotion>& motions, int joint) {
  return *std::find_if(motions.begin(), motions.end(), [joint](const JointMotion& m) { return joint < m.firstJoint() + m.joints(); });
}

JointMotion connectionMotion(const Connection& connection) {
  Model model;
  Mobilizer mobilizer;
  mobilizer.parent = connection.bodyA;
  mobilizer.child = connection.bodyB;
  mobilizer.X_PC.rotation = connection.R_AB.value_or(Quaternion::Identity());
  mobilizer.X_PC.position = connection.p_A - mobilizer.X_PC.rotation * connection.p_B;
  mobilizer.p_CA = connection.p_B;
  if (!connection.R_AB) {
    model.joints.resize(1);
    model.joints[0].type = JointType::Ball;
    mobilizer.joints = 1;
  }
  return {model, mobilizer};
}

}  // namespace stiction
