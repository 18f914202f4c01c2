// The simulation's public face, and the book-keeping of a step.
#include "integrate/Simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "integrate/SimulationImpl.hpp"

namespace stiction {
namespace {

constexpr double kReachSlack = 1.0 + 1e-9;  // [-] speeds this near to their bound are within it
constexpr int kReachTrials = 3;             // detections with enlarged reach in one step

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void requireBody(const Model& model, int body) {
  if (body < 0 || at(body) >= model.bodies.size())
    throw InputError{"body", std::to_string(body), "0 to " + std::to_string(model.bodies.size() - 1), "use an id that the model has"};
}

void requireFinite(const std::string& what, const Vector3& value) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(value[i])) throw InputError{what, number(value[i]), "finite", "give three finite numbers"};
}

/// One island's entries come sorted.
template <class Entry, class Before>
void sortUnlessSorted(std::vector<Entry>& entries, const Before& before) {
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
}

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
}

void Simulation::Impl::updateLoads(int body) {
  unchanged = false;
  setup.loads.force[at(body)] = model.bodies[at(body)].force + appliedForce[at(body)];
  setup.loads.torque[at(body)] = model.bodies[at(body)].torque + appliedTorque[at(body)];
}

/// Speed [m/s] that no point of the body's geoms exceeds.
double Simulation::Impl::speed(const WorldState& s, int body) const {
  const double spin = s.angularVelocity[at(body)].norm();
  return s.velocity[at(body)].norm() + (spin > 0 ? spin * setup.bodySize[at(body)] : 0.0);
}

void Simulation::Impl::begin(double h) {
  if (!(h > 0) || !std::isfinite(h)) throw InputError{"time step", number(h) + " s", "finite and > 0", "0.1 ms to 50 ms is usual"};
  h_ = h;
  report.status = StepStatus::Certified;
  report.reason.clear();
  report.certificate = {};
  report.worstContact = {-1, -1, 0};
  report.ledger = {};
  report.times = {};
  report.rungs.clear();
  report.penetration = report.constraintError = 0;
  report.contacts = report.islands = report.substeps = report.impacts = report.byMoreau = report.inelastic = report.iterations = report.factorisations =
      report.repeated = 0;
  report.splitsExhausted = false;
  setup.hardest = hardest.relative;
  setup.deadline = options.stepLimit > 0 ? wallSeconds() + options.stepLimit : std::numeric_limits<double>::infinity();
  setup.looksFirst = true;
  reachTrials_ = 0;
  warm_ = &state.contacts;
  const auto copy = [this](WorldState& to) {
    to.position = state.position;
    to.rotation = state.rotation;
    to.velocity = state.velocity;
    to.angularVelocity = state.angularVelocity;
    to.rowForces = state.rowForces;
  };
  copy(next);
  copy(reach_);
  for (const int body : model.dynamicBodies) {
    if (appliedForce[at(body)].isZero(0.0)) continue;
    const Vector3& v = state.velocity[at(body)];
    const double gain = h * setup.inertias[at(body)].inverseMass * appliedForce[at(body)].norm();
    reach_.velocity[at(body)] += gain * (v.isZero(0.0) ? Vector3{Vector3::UnitX()} : v.normalized());
  }
}

/// The island that holds most of the contacts, where the others would leave most threads without work; -1: none.
int Simulation::Impl::islandToShare() const {
  constexpr std::size_t least = 300;  // contacts
  if (pool.threads() == 1) return -1;
  for (int k = 0; k < islands_->count(); ++k)
    if (islands_->contactsOf(k).size() >= least && 2 * islands_->contactsOf(k).size() > islands_->contacts.size()) return k;
  return -1;
}

void Simulation::Impl::advanceIsland(int island, ThreadPool* team) {
  IslandResult& result = resultOf(island);
  const Repetition::Start start{*islands_, island, state, *warm_, setup.loads, h_};
  result.repeated = result.repetition.holds(start);
  if (result.repeated) {
    result.times = {};
    result.lost = false;
    return;
  }
  std::unique_ptr<IslandStepper> stepper = steppers.take(setup);
  stepper->advance(*islands_, island, state, *warm_, h_, team, next, result);
  result.repetition.forget();
  if (options.repeat && result.report.status == StepStatus::Certified && !result.lost) result.repetition.keep(model, start, next, result.report.memory);
  steppers.give(std::move(stepper));
}

/// Whether the trial stands. One that left islands uncertified does not: with contacts that it shows to be missing they start anew, else, halved.
bool Simulation::Impl::isOver() {
  bool some = false;
  for (int k = 0; k < islands_->count(); ++k) some = some || resultOf(k).lost;
  const bool suffices = reachSufficed();
  if (suffices && !some) return true;
  for (int k = 0; k < islands_->count(); ++k) report.times += resultOf(k).times;  // it counts
  if (suffices)
    setup.looksFirst = false;
  else
    dropHalves();  // there will be more contacts
  return false;
}

/// What was computed ahead is not needed.
void Simulation::Impl::dropHalves() {
  for (int k = 0; k < islands_->count(); ++k) resultOf(k).halves.reset();
}

/// Contact impulses can throw a body farther than its start velocity let expect: then detection is repeated with the speeds that came out. A contact that it adds and that does not
/// close over the motion found carries nothing: the answer holds with it too, and the step stands.
bool Simulation::Impl::reachSufficed() {
  if (++reachTrials_ > kReachTrials) return true;
  const double gain = h_ * model.gravity.norm();
  const double factor = bouncing_ ? 2.0 : 1.0;
  faster_.clear();
  for (const int body : model.dynamicBodies) {
    const double loads = h_ * setup.inertias[at(body)].inverseMass * model.bodies[at(body)].force.norm();
    const double reached = speed(next, body);
    if (!std::isfinite(reached) || reached <= factor * (speed(reach_, body) + gain + loads) * kReachSlack) continue;
    reach_.velocity[at(body)] = next.velocity[at(body)];
    reach_.angularVelocity[at(body)] = next.angularVelocity[at(body)];
    faster_.push_back(body);
  }
  if (faster_.empty()) return true;
  const auto allSeen = [this](const ContactSet& found, const ContactSet& known) {
    return std::none_of(found.begin(), found.end(), [&](const Contact& contact) { return closesUnseen(contact, known); });
  };
  const double start = threadCpuSeconds();
  detector.narrowPhase(state, detector.pairsOfFaster(reach_, faster_, h_, factor, &pool), known_, &pool);
  report.times.collide += threadCpuSeconds() - start;
  if (allSeen(known_, contacts_)) return true;
  contacts_.swap(known_);
  detect();
  if (allSeen(contacts_, known_)) return true;
  keepTrialImpulses();
  return false;
}

/// Whether a contact that detection did not know at first closes over the step.
bool Simulation::Impl::closesUnseen(const Contact& contact, const ContactSet& known) const {
  if (findContact(known, contact.key) != nullptr) return false;
  const auto displacement = [&](int body) -> Vector3 {
    if (model.bodies[at(body)].kind == BodyKind::Kinematic) return h_ * state.velocityAt(body, contact.point);
    return next.pose(body) * (state.pose(body).inverse() * contact.point) - contact.point;
  };
  return contact.gap + contact.normal.dot(displacement(contact.bodyB) - displacement(contact.bodyA)) < 0;
}

/// The next trial of the step starts from the impulses of this one.
void Simulation::Impl::keepTrialImpulses() {
  gatherMemory(trial_);
  takeAnchors(state.contacts, trial_);
  warm_ = &trial_;
}

/// The contact memory of all islands, sorted by key.
void Simulation::Impl::gatherMemory(std::vector<ContactMemory>& all) const {
  all.clear();
  for (int k = 0; k < islands_->count(); ++k) {
    const std::vector<ContactMemory>& memory = resultOf(k).report.memory;
    all.insert(all.end(), memory.begin(), memory.end());
  }
  sortUnlessSorted(all, [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

std::string Simulation::Impl::whyNotCertified() const {
  constexpr double roundOff = 2e-14;  // [-] of the scale: what is left of a speed where bodies turn and slide
  const auto geom = [this](int id) {
    const std::string& name = model.geoms[at(id)].name;
    return name.empty() ? "geom " + std::to_string(id) : "geom '" + name + "'";
  };
  for (int k = 0; k < islands_->count(); ++k)
    if (const IslandReport& island = resultOf(k).report; island.outOfTime)
      return "given up after " + number(options.stepLimit) + " s, at a certificate of " + number(island.certificate.relative);
  for (int k = 0; k < islands_->count(); ++k) {
    const IslandReport& island = resultOf(k).report;
    if (island.squeeze > 0)
      return "no motion satisfies the contacts, " + geom(island.squeezed.geomA) + " with " + geom(island.squeezed.geomB) +
             " and others: in every one some close at " + number(island.squeeze) +
             " m/s or faster; moving bodies must stop before they squeeze others, or be driven by forces";
  }
  for (int k = 0; k < islands_->count(); ++k)
    if (resultOf(k).report.offConstraints)
      return "constraints missed after " + std::to_string(options.maxHalvings) + " halvings of the step: too fast for it, or no motion satisfies them";
  for (int k = 0; k < islands_->count(); ++k)
    if (const IslandReport& island = resultOf(k).report; island.impactRefused)
      return "certificate " + number(island.certificate.relative) + " above " + number(options.tolerance) +
             " in an impact with restitution, which no shorter step changes; another method may solve it";
  bool driven = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    driven = driven || (model.bodies[i].kind == BodyKind::Kinematic && !(state.velocity[i].isZero(0.0) && state.angularVelocity[i].isZero(0.0)));
  const Contact* worst = findContact(contacts_, report.worstContact);
  const bool drowned = worst != nullptr && worst->friction * roundOff > options.tolerance;
  return "certificate " + number(report.certificate.relative) + " above " + number(options.tolerance) + " after " + std::to_string(options.maxHalvings) +
         " halvings of the step" + (driven ? "; moving bodies may squeeze others harder than friction allows" : "") +
         (drowned ? "; friction " + number(worst->friction) + " of " + geom(worst->key.geomA) + " with " + geom(worst->key.geomB) +
                        " times the round-off of a sliding speed is more than that: 1000 holds as well"
                  : "");
}

std::string Simulation::Impl::whyNotFinite() const {
  for (int k = 0; k < islands_->count(); ++k)
    if (const int id = resultOf(k).report.faulty; id >= 0)
      return "constraint " + std::to_string(id) + " (" + setup.held[at(id)].constraint->typeName() +
             ") gives numbers that are no constraint (sizes, not finite, or violated where nothing moves it): the state before the step was kept";
  return "a pose or velocity is not finite: the state before the step was kept";
}

void Simulation::Impl::gather() {
  solved.clear();
  report.islands = islands_->count();
  for (int k = 0; k < islands_->count(); ++k) {
    IslandResult& result = resultOf(k);
    const IslandReport& island = result.report;
    if (static_cast<int>(island.status) > static_cast<int>(report.status)) report.status = island.status;
    if (!(island.certificate.relative <= report.certificate.relative) || (report.worstContact.geomA < 0 && island.worstContact.geomA >= 0)) {
      report.certificate = island.certificate;
      report.worstContact = island.worstContact;
    }
    addLines(island.ledger, report.ledger);
    report.penetration = std::max(report.penetration, island.penetration);
    report.constraintError = std::max(report.constraintError, island.constraintError);
    std::size_t place = 0;
    for (const int id : islands_->heldOf(k))
      for (int row = 0; row < setup.held[at(id)].dimension; ++row) rowForces[at(setup.held[at(id)].firstRow + row)] = island.rowImpulses[place++] / h_;
    report.substeps += island.substeps;
    report.impacts += island.impacts;
    report.byMoreau += island.byMoreau;
    report.inelastic += island.inelastic;
    report.splitsExhausted = report.splitsExhausted || island.splitsExhausted;
    report.iterations += island.iterations;
    report.factorisations += island.factorisations;
    if (result.repeated) ++report.repeated;
    for (const auto& [rung, count] : island.rungs) countRung(report.rungs, rung, count);
    report.times += result.times;
    solved.insert(solved.end(), island.contacts.begin(), island.contacts.end());
    if (result.hardest && result.hardest->relative > hardest.relative) hardest = std::move(*result.hardest);
    result.hardest.reset();
  }
  sortUnlessSorted(solved, [](const SolvedContact& a, const SolvedContact& b) { return a.contact.key < b.contact.key; });
  gatherMemory(next.contacts);
  report.contacts = static_cast<int>(solved.size());
  if (report.status == StepStatus::NotCertified) report.reason = whyNotCertified();
  if (report.status == StepStatus::NonFinite) report.reason = whyNotFinite();
}

void Simulation::Impl::account() {
  const double start = threadCpuSeconds();
  report.ledger.kineticStart = kineticEnergy(model, setup.inertias, state);
  report.ledger.kineticEnd = kineticEnergy(model, setup.inertias, next);
  setScale(model, setup.inertias, report.ledger);
  report.times.account += threadCpuSeconds() - start;
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
  const std::size_t rows = state.rowForces.size();
  state = std::move(s);
  state.rowForces.resize(rows, 0.0);
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
  held.firstRow = static_cast<int>(state.rowForces.size());
  if (const std::string fault = faultOf(held, setup.inertias, state, state.time); !fault.empty())
    throw InputError{element, fault, "finite numbers of the documented sizes", "correct its functions, or move its bodies before adding it"};
  state.rowForces.resize(state.rowForces.size() + at(held.dimension), 0.0);
  rowForces.resize(state.rowForces.size(), 0.0);
  setup.held.push_back(std::move(held));
  unchanged = false;
  return id;
}

const HeldConstraint& Simulation::Impl::heldOf(int id) const {
  if (id < 0 || at(id) >= setup.held.size() || !setup.held[at(id)].constraint)
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
