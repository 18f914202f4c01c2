// Joints and actuators of a scene: added, and checked.
#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/SVD>

#include "base/Error.hpp"
#include "model/Model.hpp"
#include "model/ModelChecks.hpp"

namespace stiction {
namespace {

constexpr double kIndependent = 1e-3;  // [-] least singular value of a mobilizer's axes

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string jointTitle(const Model& model, int joint) { return elementTitle("joint", model.joints[at(joint)].name, at(joint)); }

Pose centreFrame(const Body& body) { return {body.X_WB * body.p_BC, body.X_WB.rotation}; }

void requireAtLeastZero(const std::string& element, double value, const char* remedy) {
  if (!(value >= 0) || !std::isfinite(value)) throw InputError{element, number(value), "finite and >= 0", remedy};
}

void requireNumber(const std::string& element, double value) {
  if (!std::isfinite(value)) throw InputError{element, number(value), "finite", "give a number"};
}

void requireRange(const std::string& element, double low, double high) {
  if (!(low <= high)) throw InputError{element, number(low) + " to " + number(high), "the first at most the second", "give low, then high"};
}

void checkResistance(const std::string& element, const Resistance& resistance) {
  requireNumber(element + " reference", resistance.springReference);
  requireAtLeastZero(element + " stiffness", resistance.stiffness, "give a stiffness");
  requireAtLeastZero(element + " damping", resistance.damping, "give a coefficient of damping");
  requireAtLeastZero(element + " armature", resistance.armature, "give an inertia");
  requireAtLeastZero(element + " friction", resistance.friction, "give a force or torque");
  if (!resistance.limited) return;
  for (const double x : {resistance.low, resistance.high}) requireNumber(element + " range", x);
  requireRange(element + " range", resistance.low, resistance.high);
}

void checkJoint(const std::string& element, Joint& joint) {
  const bool ball = joint.type == JointType::Ball;
  if (!ball) {
    requireFinite(element + " axis", joint.axis);
    if (!(joint.axis.norm() > 1e-12)) throw InputError{element + " axis", "length " + number(joint.axis.norm()), "> 0", "give a direction"};
    joint.axis.normalize();
  }
  if (ball && (joint.limited || joint.stiffness != 0 || joint.friction != 0))
    throw InputError{element,
                     std::string{joint.limited          ? "a range"
                                 : joint.stiffness != 0 ? "a spring"
                                                        : "dry friction"} +
                         " of a ball",
                     "hinges and slides", "use three hinges, or leave it out"};
  requireFinite(element + " offset", joint.offset);
  if (joint.type != JointType::Hinge && !joint.offset.isZero(0))
    throw InputError{element + " offset", "not 0", "0 for a slide or a ball", "move the anchor of the joints"};
  requireNumber(element + " reference", joint.reference);
  checkResistance(element, joint);
}

/// Whether the axes, as columns, are independent.
bool areIndependent(const Eigen::Matrix3Xd& axes) {
  return axes.cols() <= 3 && (axes.cols() == 0 || Eigen::JacobiSVD<Eigen::Matrix3Xd>{axes}.singularValues()[axes.cols() - 1] > kIndependent);
}

/// What a mobilizer's joints may be together.
void checkOrder(const Model& model, const Mobilizer& mobilizer) {
  const std::string element = mobilizer.joints > 0 ? jointTitle(model, mobilizer.firstJoint) : "mobilizer";
  const auto refuse = [&](const char* found, const char* wanted, const char* remedy) {
    throw InputError{element + " and those beside it on body " + model.bodies[at(mobilizer.child)].name, found, wanted, remedy};
  };
  Eigen::Matrix3Xd slides(3, 0), hinges(3, 0);
  int balls = 0, changes = 0;
  std::vector<Vector3> offsets;  // of hinges
  for (int j = mobilizer.firstJoint; j < mobilizer.firstJoint + mobilizer.joints; ++j) {
    const Joint& joint = model.joints[at(j)];
    if (j > mobilizer.firstJoint && (joint.type == JointType::Slide) != (model.joints[at(j - 1)].type == JointType::Slide)) ++changes;
    balls += joint.type == JointType::Ball ? 1 : 0;
    if (joint.type == JointType::Ball) continue;
    if (joint.type == JointType::Hinge) offsets.push_back(joint.offset);
    Eigen::Matrix3Xd& axes = joint.type == JointType::Slide ? slides : hinges;
    axes.conservativeResize(3, axes.cols() + 1);
    axes.rightCols<1>() = joint.axis;
  }
  if (changes > 1) refuse("slides between hinges", "slides before or after all hinges", "put a body between them");
  if (balls > 1 || (balls == 1 && hinges.cols() > 0)) refuse("a ball beside other rotations", "a ball, or up to three hinges", "leave out what turns twice");
  if (!areIndependent(slides)) refuse("slides along dependent axes", "up to three independent axes", "leave out what slides twice");
  if (!offsets.empty() && !offsets.back().isZero(0)) refuse("a last hinge with an offset", "0: its point is the anchor", "move the anchor of the joints there");
  if (hinges.cols() > 3) refuse("more than three hinges", "up to three", "put a body between them");
  // In the reference pose one hinge may stand in another's plane, but two that follow one another may not share a direction.
  for (int k = 0; k + 1 < hinges.cols(); ++k) {
    if (areIndependent(hinges.middleCols(k, 2))) continue;
    if (offsets[at(k)] == offsets[at(k + 1)]) refuse("hinges about one axis", "axes that differ from each to the next", "leave out what turns twice");
    refuse("hinges about parallel axes", "directions that differ from each to the next", "put a body between them");
  }
}

void checkMobilizer(Model& model, std::size_t id) {
  Mobilizer& mobilizer = model.mobilizers[id];
  const std::string element = mobilizer.joints > 0 ? jointTitle(model, mobilizer.firstJoint) : "mobilizer " + std::to_string(id);
  const Body& child = model.bodies[at(mobilizer.child)];
  if (child.kind != BodyKind::Dynamic || !child.I_C.allFinite())
    throw InputError{element + " body", child.name + ", which " + (child.kind != BodyKind::Dynamic ? "is not dynamic" : "cannot turn"),
                     "a dynamic body that turns", "join the other body to this one, or give it an inertia"};
  if (const Body& parent = model.bodies[at(mobilizer.parent)]; parent.kind == BodyKind::Dynamic && !parent.I_C.allFinite())
    throw InputError{element + " parent", parent.name + ", which cannot turn", "a fixed, driven or free body", "give it an inertia"};
  requireFinite(element + " anchor", mobilizer.p_CA);
  for (int j = mobilizer.firstJoint; j < mobilizer.firstJoint + mobilizer.joints; ++j) checkJoint(jointTitle(model, j), model.joints[at(j)]);
  checkOrder(model, mobilizer);
}

/// What acts along a joint, or couples it, needs a coordinate.
void requireCoordinate(const Model& model, const std::string& element, int joint) {
  if (joint < 0 || at(joint) >= model.joints.size())
    throw InputError{element + " joint", std::to_string(joint), "one of " + std::to_string(model.joints.size()) + " joints", "add the joint first"};
  if (model.joints[at(joint)].type == JointType::Ball)
    throw InputError{element + " joint", jointTitle(model, joint) + ", a ball", "a hinge or slide", "use three hinges"};
}

void checkActuator(const Model& model, std::size_t id) {
  const Actuator& actuator = model.actuators[id];
  const std::string element = elementTitle("actuator", actuator.name, id);
  const auto requireOneOf = [&element](const char* kind, int which, std::size_t count) {
    if (at(which) >= count)
      throw InputError{element + " " + kind, std::to_string(which), "one of " + std::to_string(count) + " " + kind + "s",
                       std::string{"add the "} + kind + " first"};
  };
  if (actuator.thruster >= 0)
    requireOneOf("thruster", actuator.thruster, model.thrusters.size());
  else if (actuator.tendon >= 0)
    requireOneOf("tendon", actuator.tendon, model.tendons.size());
  else
    requireCoordinate(model, element, actuator.joint);
  for (const double x : {actuator.gear, actuator.gain, actuator.bias[0]}) requireNumber(element, x);
  for (const double x : {actuator.bias[1], actuator.bias[2]})
    if (!(x <= 0) || !std::isfinite(x))
      throw InputError{element + " bias", number(x), "finite and <= 0", "a force that grows with the motion has no stable step: change its sign"};
  if (actuator.thruster >= 0 && actuator.bias[1] != 0)
    throw InputError{element + " bias", number(actuator.bias[1]) + " by length", "0 for a thruster", "it has a rate, no length: drive it by its control"};
  requireRange(element + " range of control", actuator.lowControl, actuator.highControl);
  requireRange(element + " range of force", actuator.lowForce, actuator.highForce);
  requireRange(element + " range of activation", actuator.lowActivation, actuator.highActivation);
  if (actuator.activation == Activation::Filter && !(actuator.timeConstant > 0 && std::isfinite(actuator.timeConstant)))
    throw InputError{element + " time constant", number(actuator.timeConstant) + " s", "finite and > 0", "give one, or drive it by its control"};
}

void checkTerms(const Model& model, const std::string& element, const std::vector<CoordinateTerm>& terms) {
  for (const CoordinateTerm& term : terms) {
    requireCoordinate(model, element, term.joint);
    if (!std::isfinite(term.coefficient) || term.coefficient == 0)
      throw InputError{element + " coefficient", number(term.coefficient), "finite and not 0", "leave out joints that take no part"};
  }
}

void checkTendon(const Model& model, std::size_t id) {
  const Tendon& tendon = model.tendons[id];
  const std::string element = elementTitle("tendon", tendon.name, id);
  if (tendon.terms.empty()) throw InputError{element, "no joint", "a joint at least", "name the joints that it runs over"};
  checkTerms(model, element, tendon.terms);
  checkResistance(element, tendon);
}

void checkThruster(const Model& model, std::size_t id) {
  const Thruster& thruster = model.thrusters[id];
  const std::string element = elementTitle("thruster", thruster.name, id);
  if (model.bodies[at(thruster.body)].kind != BodyKind::Dynamic)
    throw InputError{element + " body", model.bodies[at(thruster.body)].name + ", which no force moves", "a dynamic body", "name a body that moves by itself"};
  if (!model.bodies[at(thruster.body)].I_C.allFinite())
    throw InputError{element + " body", model.bodies[at(thruster.body)].name + ", which cannot turn", "a body that turns", "give it an inertia"};
  for (const Vector3& x : {thruster.point, thruster.force, thruster.torque}) requireFinite(element, x);
  if (thruster.force.isZero(0) && thruster.torque.isZero(0)) throw InputError{element, "no force and no torque", "one of them", "give a direction"};
}

void checkCoupling(const Model& model, std::size_t id) {
  const Coupling& coupling = model.couplings[id];
  const std::string element = elementTitle("coupling", coupling.name, id);
  if (coupling.driven.empty()) throw InputError{element, "no joint", "a joint at least that follows", "name the joint that is driven"};
  checkTerms(model, element, coupling.driven);
  checkTerms(model, element, coupling.driving);
  for (const double x : coupling.polynomial) requireNumber(element + " polynomial", x);
}

void checkConnection(Model& model, std::size_t id) {
  Connection& connection = model.connections[id];
  const std::string element = elementTitle("connection", connection.name, id);
  const auto moves = [&](int body) { return model.bodies[at(body)].kind == BodyKind::Dynamic; };
  if (!moves(connection.bodyA) && !moves(connection.bodyB))
    throw InputError{element, "two bodies that do not move by themselves", "a dynamic body at least", "leave it out, or make one of them dynamic"};
  for (const int body : {connection.bodyA, connection.bodyB})
    if (moves(body) && !model.bodies[at(body)].I_C.allFinite())
      throw InputError{element, model.bodies[at(body)].name + ", which cannot turn", "bodies that turn", "give it an inertia"};
  requireFinite(element + " point", connection.p_A);
  requireFinite(element + " point", connection.p_B);
  if (!moves(connection.bodyB)) {
    std::swap(connection.bodyA, connection.bodyB);
    std::swap(connection.p_A, connection.p_B);
    if (connection.R_AB) connection.R_AB = connection.R_AB->conjugate();
  }
  if (!connection.R_AB) return;
  if (!connection.R_AB->coeffs().allFinite() || !(connection.R_AB->norm() > 0))
    throw InputError{element + " rotation", "no rotation", "a quaternion that is not 0", "give one"};
  connection.R_AB->normalize();
}

}  // namespace

int ModelBuilder::addJoints(int parent, int child, const Vector3& anchor, std::vector<Joint> joints) {
  const int count = static_cast<int>(model_.bodies.size());
  for (const int body : {parent, child})
    if (body < 0 || body >= count || parent == child)
      throw InputError{"joint body", std::to_string(body), "two of the bodies 0 to " + std::to_string(count - 1), "add the bodies first"};
  Mobilizer mobilizer;
  mobilizer.parent = parent;
  mobilizer.child = child;
  mobilizer.X_PC = centreFrame(model_.bodies[at(parent)]).inverse() * centreFrame(model_.bodies[at(child)]);
  mobilizer.p_CA = anchor - model_.bodies[at(child)].p_BC;
  mobilizer.firstJoint = static_cast<int>(model_.joints.size());
  mobilizer.joints = static_cast<int>(joints.size());
  std::move(joints.begin(), joints.end(), std::back_inserter(model_.joints));
  model_.mobilizers.push_back(mobilizer);
  if (model_.bodies[at(parent)].kind != BodyKind::Static) addExclude(parent, child);
  return static_cast<int>(model_.mobilizers.size()) - 1;
}

const Resistance& resistanceOf(const Model& model, int coordinate) {
  static const Resistance none;
  if (coordinate >= firstThruster(model)) return none;
  if (coordinate >= firstTendon(model)) return model.tendons[at(coordinate - firstTendon(model))];
  return model.joints[at(coordinate)];
}

int coordinateOf(const Model& model, const Actuator& actuator) {
  return actuator.thruster >= 0 ? firstThruster(model) + actuator.thruster : actuator.tendon >= 0 ? firstTendon(model) + actuator.tendon : actuator.joint;
}

int ModelBuilder::addThruster(Thruster thruster) {
  const int count = static_cast<int>(model_.bodies.size());
  if (thruster.body < 0 || thruster.body >= count)
    throw InputError{elementTitle("thruster", thruster.name, model_.thrusters.size()) + " body", std::to_string(thruster.body),
                     "one of the bodies 0 to " + std::to_string(count - 1), "add the body first"};
  thruster.point -= model_.bodies[at(thruster.body)].p_BC;
  model_.thrusters.push_back(std::move(thruster));
  return static_cast<int>(model_.thrusters.size()) - 1;
}

int ModelBuilder::addTendon(Tendon tendon) {
  model_.tendons.push_back(std::move(tendon));
  return static_cast<int>(model_.tendons.size()) - 1;
}

int ModelBuilder::addActuator(Actuator actuator) {
  model_.actuators.push_back(std::move(actuator));
  return static_cast<int>(model_.actuators.size()) - 1;
}

int ModelBuilder::addConnection(Connection connection) {
  const int count = static_cast<int>(model_.bodies.size());
  for (const int body : {connection.bodyA, connection.bodyB})
    if (body < 0 || body >= count || connection.bodyA == connection.bodyB)
      throw InputError{elementTitle("connection", connection.name, model_.connections.size()) + " body", std::to_string(body),
                       "two of the bodies 0 to " + std::to_string(count - 1), "add the bodies first"};
  connection.p_A -= model_.bodies[at(connection.bodyA)].p_BC;
  connection.p_B -= model_.bodies[at(connection.bodyB)].p_BC;
  model_.connections.push_back(std::move(connection));
  return static_cast<int>(model_.connections.size()) - 1;
}

int ModelBuilder::addCoupling(Coupling coupling) {
  model_.couplings.push_back(std::move(coupling));
  return static_cast<int>(model_.couplings.size()) - 1;
}

void checkJoints(Model& model) {
  for (std::size_t id = 0; id < model.mobilizers.size(); ++id) checkMobilizer(model, id);
  for (std::size_t id = 0; id < model.tendons.size(); ++id) checkTendon(model, id);
  for (std::size_t id = 0; id < model.thrusters.size(); ++id) checkThruster(model, id);
  for (std::size_t id = 0; id < model.actuators.size(); ++id) checkActuator(model, id);
  for (std::size_t id = 0; id < model.connections.size(); ++id) checkConnection(model, id);
  for (std::size_t id = 0; id < model.couplings.size(); ++id) checkCoupling(model, id);
}

}  // namespace stiction
