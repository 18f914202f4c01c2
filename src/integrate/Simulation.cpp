// The simulation's public face.
#include "integrate/Simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Error.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "dynamics/Activation.hpp"
#include "integrate/SimulationImpl.hpp"
#include "model/ModelChecks.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void requireId(const char* element, int id, std::size_t count) {
  if (id < 0 || at(id) >= count)
    throw InputError{element, std::to_string(id), count == 0 ? "the model has none" : "0 to " + std::to_string(count - 1), "use an id that the model has"};
}
void requireBody(const Model& model, int body) { requireId("body", body, model.bodies.size()); }

}  // namespace

Simulation::Impl::Impl(Model m, SimulationOptions o)
    : model{std::move(m)},
      options{std::move(o)},
      detector{model},
      pool{std::max(1, options.threads)},
      setup{makeStepSetup(model, options, detector)},
      state{makeState(model)} {
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    throw InputError{"tolerance", number(options.tolerance), "finite and > 0", "give a relative tolerance such as 1e-8"};
  if (options.maxHalvings < 0 || options.maxHalvings > 30) throw InputError{"maxHalvings", std::to_string(options.maxHalvings), "0 to 30", "4 is usual"};
  if (!(options.stepLimit >= 0))
    throw InputError{"stepLimit", number(options.stepLimit) + " s", ">= 0", "give the wall time of a step in seconds, or 0 for no limit"};
  const Portfolio check{options.solver};
  results_.resize(model.bodies.size());
  setup.pool = &pool;
  setup.steppers = &steppers;
  appliedForce.assign(model.bodies.size(), Vector3::Zero());
  appliedTorque.assign(model.bodies.size(), Vector3::Zero());
  bouncing_ = std::any_of(model.geoms.begin(), model.geoms.end(), [](const Geom& geom) { return geom.restitution > 0; }) ||
              std::any_of(model.pairs.begin(), model.pairs.end(), [](const GeomPair& pair) { return pair.restitution > 0; });
  findDrives(model, state, setup.loads.drive);
  engageRotors(setup.motions, setup.tendons, -1, state);
  holdJoints();
}

/// The model's joints are the first constraints, then its connections, couplings, thrusters and tendons.
void Simulation::Impl::holdJoints() {
  const auto titleOf = [this](int joint) { return elementTitle("joint", model.joints[at(joint)].name, at(joint)); };
  const auto add = [this](int bodyA, int bodyB, int mobilizer, std::shared_ptr<const Constraint> constraint) -> HeldConstraint& {
    HeldConstraint held;
    held.constraint = std::move(constraint);
    held.bodyA = bodyA;
    held.bodyB = bodyB;
    held.mobilizer = mobilizer;
    if (held.constraint->dimension() > 0)
      hold(std::move(held));
    else
      keep(std::move(held));
    return setup.held.back();
  };
  for (std::size_t id = 0; id < setup.motions.size(); ++id) {
    const JointMotion& motion = setup.motions[id];
    const auto ofMobilizer = [&](std::shared_ptr<const Constraint> constraint) -> HeldConstraint& {
      return add(motion.parent(), motion.child(), static_cast<int>(id), std::move(constraint));
    };
    const auto joint = std::make_shared<JointConstraint>(motion, motion.joints() > 0 ? titleOf(motion.firstJoint()) : "weld " + std::to_string(id));
    ofMobilizer(joint).joint = joint.get();
    setup.hangsBy.resize(model.bodies.size(), nullptr);
    setup.hangsBy[at(motion.child())] = joint.get();
    for (int j = 0; j < motion.joints(); ++j) {
      if (!motion.all()[at(j)].limited) continue;
      for (const bool high : {false, true}) {
        const auto limit = std::make_shared<JointLimit>(motion, j, high, titleOf(motion.firstJoint() + j) + " range");
        ofMobilizer(limit).limit = limit.get();
      }
    }
  }
  for (std::size_t id = 0; id < model.connections.size(); ++id) {
    const Connection& connection = model.connections[id];
    const auto joint = std::make_shared<JointConstraint>(connectionMotion(connection), elementTitle("connection", connection.name, id));
    add(connection.bodyA, connection.bodyB, -1, joint).joint = joint.get();
  }
  const auto couple = [this](const JointCoupling& coupling, bool unilateral) {
    HeldConstraint held;
    held.coupling = std::make_shared<JointCoupling>(coupling);
    held.bodies = coupling.bodies();
    held.unilateral = unilateral;
    held.dimension = 1;
    keep(std::move(held));
  };
  for (std::size_t id = 0; id < model.couplings.size(); ++id)
    couple({model.couplings[id], setup.motions, elementTitle("coupling", model.couplings[id].name, id)}, false);
  const auto act = [this](int coordinate, std::vector<int> bodies) {
    HeldConstraint held;
    held.coordinate = coordinate;
    held.bodies = std::move(bodies);
    keep(std::move(held));
  };
  for (std::size_t id = 0; id < model.thrusters.size(); ++id) act(firstThruster(model) + static_cast<int>(id), {model.thrusters[id].body});
  for (std::size_t id = 0; id < model.tendons.size(); ++id) {
    const Tendon& tendon = model.tendons[id];
    act(firstTendon(model) + static_cast<int>(id), setup.tendons[id].bodies());
    for (const bool high : {false, true})
      if (tendon.limited) couple({tendon, high, setup.motions, elementTitle("tendon", tendon.name, id) + " range"}, true);
  }
  joints = static_cast<int>(setup.held.size());
}

void Simulation::Impl::updateLoads(int body) {
  unchanged = false;
  setup.loads.force[at(body)] = model.bodies[at(body)].force + appliedForce[at(body)];
  setup.loads.torque[at(body)] = model.bodies[at(body)].torque + appliedTorque[at(body)];
}

void Simulation::Impl::resetState(WorldState s) {
  const std::size_t n = model.bodies.size();
  if (s.position.size() != n || s.rotation.size() != n || s.velocity.size() != n || s.angularVelocity.size() != n)
    throw InputError{"state", std::to_string(s.position.size()) + " bodies", std::to_string(n), "use a state of this model"};
  for (std::size_t i = 0; i < n; ++i) {
    const std::string element = "state of body " + std::to_string(i);
    requireFinite(element + ", position", s.position[i]);
    requireFinite(element + ", velocity", s.velocity[i]);
    requireFinite(element + ", angular velocity", s.angularVelocity[i]);
    if (!s.rotation[i].coeffs().allFinite() || std::abs(s.rotation[i].norm() - 1.0) > 1e-6)
      throw InputError{element + ", rotation", "length " + number(s.rotation[i].norm()), "1 within 1e-6", "give a unit quaternion"};
  }
  const auto complete = [](const char* element, std::vector<double>& numbers, const std::vector<double>& known) {
    if (numbers.empty()) numbers = known;
    if (numbers.size() != known.size())
      throw InputError{std::string{"state, "} + element, std::to_string(numbers.size()) + " numbers", std::to_string(known.size()),
                       "use a state of this model"};
    for (const double x : numbers)
      if (!std::isfinite(x)) throw InputError{std::string{"state, "} + element, number(x), "finite", "give finite numbers"};
  };
  complete("joint positions", s.jointPosition, state.jointPosition);
  complete("controls", s.control, state.control);
  complete("activations", s.activation, state.activation);
  if (s.rotorRate.empty()) engageRotors(setup.motions, setup.tendons, -1, s);
  const std::size_t count = at(coordinates(model));
  if (s.jointForce.empty()) s.jointForce.resize(count, Vector3::Zero());
  if (s.rotorRate.size() != count || s.jointForce.size() != count)
    throw InputError{"state, joints, tendons and thrusters", std::to_string(s.rotorRate.size()), std::to_string(count), "use a state of this model"};
  const std::size_t rows = state.rowForces.size();
  state = std::move(s);
  state.rowForces.resize(rows, 0.0);
  findDrives(model, state, setup.loads.drive);
  unchanged = false;
}

int Simulation::Impl::hold(HeldConstraint held) {
  const auto id = static_cast<int>(setup.held.size());
  const std::string element = "constraint " + std::to_string(id) + " (" + held.constraint->typeName() + ")";
  for (const int body : {held.bodyA, held.bodyB})
    if (body != -1) requireBody(model, body);
  const auto dynamic = [&](int body) { return body >= 0 && model.bodies[at(body)].kind == BodyKind::Dynamic; };
  if (!dynamic(held.bodyA) && !dynamic(held.bodyB))
    throw InputError{element, "body " + std::to_string(held.bodyB) + ", which no force moves", "a dynamic body", "constrain a dynamic body"};
  if (held.bodyA == held.bodyB) throw InputError{element, "body " + std::to_string(held.bodyB) + " twice", "two bodies", "use a constraint of one body"};
  held.unilateral = dynamic_cast<const UnilateralConstraint*>(held.constraint.get()) != nullptr;
  if (!held.unilateral && !dynamic_cast<const BilateralConstraint*>(held.constraint.get()))
    throw InputError{element, "neither bilateral nor unilateral", "one of the two", "derive it from BilateralConstraint or UnilateralConstraint"};
  held.dimension = held.constraint->dimension();
  if (const std::string fault = faultOf(held, setup.inertias, state, state.time); !fault.empty())
    throw InputError{element, fault, "finite numbers of the documented sizes", "correct its functions, or move its bodies before adding it"};
  keep(std::move(held));
  return id;
}

void Simulation::Impl::keep(HeldConstraint held) {
  held.firstRow = static_cast<int>(state.rowForces.size());
  state.rowForces.resize(state.rowForces.size() + at(held.dimension), 0.0);
  rowForces.resize(state.rowForces.size(), 0.0);
  setup.held.push_back(std::move(held));
  unchanged = false;
}

const HeldConstraint& Simulation::Impl::heldOf(int id) const {
  if (id < joints || at(id) >= setup.held.size() || !setup.held[at(id)].constraint)
    throw InputError{"constraint", std::to_string(id), "an id that addConstraint returned and that is not removed", "keep the ids"};
  return setup.held[at(id)];
}

Simulation::Simulation(Model model, SimulationOptions options) : impl_{std::make_unique<Impl>(std::move(model), std::move(options))} {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->model; }
const WorldState& Simulation::state() const { return impl_->state; }
void Simulation::setState(WorldState state) { impl_->resetState(std::move(state)); }
const SimulationOptions& Simulation::options() const { return impl_->options; }
const StepReport& Simulation::step(double h) { return impl_->step(h); }
const std::vector<SolvedContact>& Simulation::contacts() const { return impl_->solved; }

void Simulation::applyForce(int body, const Vector3& force, const Vector3& torque) {
  requireBody(impl_->model, body);
  requireFinite("force on body " + std::to_string(body), force);
  requireFinite("torque on body " + std::to_string(body), torque);
  impl_->appliedForce[at(body)] = force;
  impl_->appliedTorque[at(body)] = torque;
  impl_->updateLoads(body);
}

void Simulation::setVelocity(int body, const Vector3& velocity, const Vector3& angularVelocity) {
  requireBody(impl_->model, body);
  requireFinite("velocity of body " + std::to_string(body), velocity);
  requireFinite("angular velocity of body " + std::to_string(body), angularVelocity);
  if (impl_->model.bodies[at(body)].kind == BodyKind::Static)
    throw InputError{"velocity of body " + std::to_string(body), "static body", "dynamic or kinematic", "make the body kinematic"};
  impl_->unchanged = false;
  impl_->state.velocity[at(body)] = velocity;
  impl_->state.angularVelocity[at(body)] = impl_->setup.inertias[at(body)].locked ? Vector3{Vector3::Zero()} : angularVelocity;
  engageRotors(impl_->setup.motions, impl_->setup.tendons, body, impl_->state);
}

void Simulation::setControl(int actuator, double control) {
  requireId("actuator", actuator, impl_->model.actuators.size());
  if (!std::isfinite(control)) throw InputError{"control of actuator " + std::to_string(actuator), number(control), "finite", "give a finite number"};
  impl_->unchanged = false;
  impl_->state.control[at(actuator)] = control;
  impl_->setup.loads.drive[at(actuator)] = driveOf(impl_->model.actuators[at(actuator)], control, impl_->state.activation[at(actuator)]);
}

JointReading Simulation::joint(int id) const {
  requireId("joint", id, impl_->model.joints.size());
  const WorldState& now = impl_->state;
  const JointMotion& motion = motionOf(impl_->setup.motions, id);
  const JointState joints = stateOf(motion, now);
  const std::size_t own = at(id - motion.firstJoint());
  if (impl_->model.joints[at(id)].type != JointType::Ball) return {joints.position[own], joints.rate[own]};
  const Quaternion& R = now.rotation[at(motion.child())];
  const Vector3 spin = now.angularVelocity[at(motion.child())] - now.angularVelocity[at(motion.parent())];
  return {0, 0, (now.rotation[at(motion.parent())] * motion.reference()).conjugate() * R, R.conjugate() * spin};
}

int Simulation::addConstraint(std::shared_ptr<const Constraint> constraint, int body) {
  if (!constraint) throw InputError{"constraint", "null", "a constraint", "hand over an object"};
  if (dynamic_cast<const TwoBodyRows*>(constraint.get()))
    throw InputError{"constraint (" + constraint->typeName() + ")", "body " + std::to_string(body), "no body",
                     "a constraint between two bodies knows them itself"};
  HeldConstraint held;
  held.constraint = std::move(constraint);
  held.bodyB = body;
  if (body < 0) requireBody(impl_->model, body);
  return impl_->hold(std::move(held));
}

int Simulation::addConstraint(std::shared_ptr<const Constraint> constraint) {
  if (!constraint) throw InputError{"constraint", "null", "a constraint", "hand over an object"};
  const auto* two = dynamic_cast<const TwoBodyRows*>(constraint.get());
  const std::string element = "constraint (" + constraint->typeName() + ")";
  if (!two) throw InputError{element, "no body", "the body that it constrains", "give the body's id too"};
  if (dynamic_cast<const FrictionConstraint*>(constraint.get()))
    throw InputError{element, "a law of velocities", "a constraint of positions", "give the bodies geoms with friction, which collide"};
  const auto last = static_cast<std::size_t>(std::numeric_limits<int>::max());
  HeldConstraint held;
  held.bodyA = static_cast<int>(std::min(two->getBodyAIndex(), last));
  held.bodyB = static_cast<int>(std::min(two->getBodyBIndex(), last));
  held.constraint = std::move(constraint);
  return impl_->hold(std::move(held));
}

void Simulation::removeConstraint(int id) {
  const HeldConstraint& held = impl_->heldOf(id);
  for (int row = 0; row < held.dimension; ++row) impl_->state.rowForces[at(held.firstRow + row)] = impl_->rowForces[at(held.firstRow + row)] = 0;
  impl_->setup.held[at(id)].constraint.reset();
  impl_->unchanged = false;
}

VectorX Simulation::constraintForce(int id) const {
  const HeldConstraint& held = impl_->heldOf(id);
  return Eigen::Map<const VectorX>{impl_->rowForces.data() + held.firstRow, held.dimension};
}

const ContactProblem* Simulation::hardestProblem() const { return impl_->hardest.relative >= 0 ? &impl_->hardest.problem : nullptr; }
const Iterate* Simulation::hardestIterate() const { return impl_->hardest.relative >= 0 ? &impl_->hardest.iterate : nullptr; }
double Simulation::hardestCertificate() const { return impl_->hardest.relative; }

}  // namespace stiction
