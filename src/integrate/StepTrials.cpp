// Trials of the step: with the contacts that detection expects, then with those that the motion found shows to be missing, then in smaller steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/Clock.hpp"
#include "base/Error.hpp"
#include "integrate/SimulationImpl.hpp"

namespace stiction {
namespace {

constexpr double kReachSlack = 1.0 + 1e-9;  // [-] speeds this near to their bound are within it
constexpr int kReachTrials = 3;             // detections with enlarged reach in one step

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

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
    to.jointPosition = state.jointPosition;
    to.rotorRate = state.rotorRate;
    to.jointForce = state.jointForce;
    to.control = state.control;
    to.activation = state.activation;
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

/// Speed [m/s] that no point of the body's geoms exceeds.
double Simulation::Impl::speed(const WorldState& s, int body) const {
  const double spin = s.angularVelocity[at(body)].norm();
  return s.velocity[at(body)].norm() + (spin > 0 ? spin * setup.bodySize[at(body)] : 0.0);
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
  const Repetition::Start start{model, setup.held, *islands_, island, state, *warm_, setup.loads, h_};
  result.repeated = result.repetition.holds(start);
  if (result.repeated) {
    result.times = {};
    result.lost = false;
    return;
  }
  std::unique_ptr<IslandStepper> stepper = steppers.take(setup);
  stepper->advance(*islands_, island, state, *warm_, h_, team, next, result);
  result.repetition.forget();
  if (options.repeat && result.report.status == StepStatus::Certified && !result.lost) result.repetition.keep(start, next, result.report.memory);
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
  const double start = wallSeconds();
  detector.narrowPhase(state, detector.pairsOfFaster(reach_, faster_, h_, factor, &pool), known_, &pool);
  leaveOutHeld(setup, state, known_);
  report.times.collide += wallSeconds() - start;
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

}  // namespace stiction
