// One scene run and checked.
#include "SceneChecks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>

#include "base/Clock.hpp"
#include "state/WorldState.hpp"

namespace stiction::random_scenes {
namespace {

constexpr double kClosure = 1e-12;  // [-] of the ledger's scale
constexpr double kSign = 1e-8;      // [-] of the ledger's scale
constexpr double kBalance = 1e-9;   // [-] of the momenta and impulses summed
constexpr double kRest = 1e-10;     // [-] of the fastest speed: what a body that is put to rest may have had

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string say(const char* what, double value) {
  char text[160];
  std::snprintf(text, sizeof text, "%s %.3e", what, value);
  return text;
}

bool isFinite(const WorldState& state) {
  for (std::size_t i = 0; i < state.position.size(); ++i)
    if (!state.position[i].allFinite() || !state.rotation[i].coeffs().allFinite() || !state.velocity[i].allFinite() || !state.angularVelocity[i].allFinite())
      return false;
  return true;
}

bool isSame(const WorldState& a, const WorldState& b) { return hash(a) == hash(b) && a.time == b.time && a.stepCount == b.stepCount; }

double kineticEnergyOf(const Model& model, const WorldState& state) {
  double energy = 0;
  for (const int body : model.dynamicBodies) {
    const Vector3& spin = state.angularVelocity[at(body)];
    const Matrix3 R = state.rotation[at(body)].toRotationMatrix();
    energy +=
        0.5 * model.bodies[at(body)].mass * state.velocity[at(body)].squaredNorm() + 0.5 * spin.dot(R * model.bodies[at(body)].I_C * R.transpose() * spin);
  }
  return energy;
}

double potentialGain(const Model& model, const WorldState& before, const WorldState& after) {
  double gain = 0;
  for (const int body : model.dynamicBodies) gain -= model.bodies[at(body)].mass * model.gravity.dot(after.position[at(body)] - before.position[at(body)]);
  return gain;
}

double impulseSum(const Simulation& simulation) {
  double sum = 0;
  for (const SolvedContact& solved : simulation.contacts()) sum += solved.impulse.norm();
  return sum;
}

/// Energy [J] lost in the last bit where wedged bodies press on each other by far more than moves them: ε Σ ‖r‖ times the largest speed, levers up to 1 m.
double roundOff(const Simulation& simulation, const WorldState& before) {
  double speed = 0;
  for (const WorldState* state : {&before, &simulation.state()})
    for (std::size_t i = 0; i < state->velocity.size(); ++i) speed = std::max(speed, state->velocity[i].norm() + state->angularVelocity[i].norm());
  return std::numeric_limits<double>::epsilon() * impulseSum(simulation) * speed;
}

/// Largest |m Δv − h m g − Σ ± r| relative to the terms' sizes.
double momentumGap(const Simulation& simulation, const WorldState& before, double h) {
  const Model& model = simulation.model();
  std::vector<Vector3> push(model.bodies.size(), Vector3::Zero());
  std::vector<double> size(model.bodies.size(), 0);
  for (const SolvedContact& solved : simulation.contacts()) {
    push[at(solved.contact.bodyB)] += solved.impulse;
    push[at(solved.contact.bodyA)] -= solved.impulse;
    for (const int body : {solved.contact.bodyA, solved.contact.bodyB}) size[at(body)] += solved.impulse.norm();
  }
  double worst = 0, fastest = h * model.gravity.norm();
  for (const int body : model.dynamicBodies) fastest = std::max(fastest, before.velocity[at(body)].norm());
  for (const int body : model.dynamicBodies) {
    const double m = model.bodies[at(body)].mass;
    const Vector3 &start = before.velocity[at(body)], &end = simulation.state().velocity[at(body)];
    const double scale = size[at(body)] + m * (start.norm() + end.norm() + h * model.gravity.norm()) + m * kRest / kBalance * fastest;
    if (scale > 0) worst = std::max(worst, (m * (end - start) - h * m * model.gravity - push[at(body)]).norm() / scale);
  }
  return worst;
}

bool isDriven(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.kind == BodyKind::Kinematic; });
}

double massRatio(const Model& model) {
  double least = model.bodies[at(model.dynamicBodies.front())].mass, largest = least;
  for (const int body : model.dynamicBodies) {
    least = std::min(least, model.bodies[at(body)].mass);
    largest = std::max(largest, model.bodies[at(body)].mass);
  }
  return largest / least;
}

/// Energy [J] that contacts gave beyond what gravity and position correction explain, divided by the ledger's scale.
double energyFromContacts(const Simulation& simulation, const StepReport& report, double h) {
  const Model& model = simulation.model();
  const EnergyLedger& ledger = report.ledger;
  double mass = 0, fall = 0;
  for (const int body : model.dynamicBodies) {
    mass += model.bodies[at(body)].mass;
    fall -= h * model.bodies[at(body)].mass * model.gravity.dot(simulation.state().velocity[at(body)]);
  }
  const double reach = std::sqrt(2 * ledger.kineticStart) + h * model.gravity.norm() * std::sqrt(mass);
  // Position correction turns inertias: its kinetic part is known exactly where each island was solved once, and bounded elsewhere.
  const bool single = report.substeps == report.islands && report.impacts == 0;
  const double correction = single ? std::max(0.0, ledger.stabilisation - (ledger.potentialChange - fall))
                                   : std::abs(ledger.stabilisation) + std::abs(ledger.potentialChange) +
                                         h * model.gravity.norm() * std::sqrt(2 * mass * std::max(ledger.kineticStart, ledger.kineticEnd));
  return (ledger.kineticEnd - 0.5 * reach * reach - correction) / ledger.scale;
}

std::string faultOf(const Simulation& simulation, const StepReport& report, const WorldState& before, double h) {
  const WorldState& after = simulation.state();
  const EnergyLedger& ledger = report.ledger;
  const double scale = ledger.scale;
  if (!isFinite(after)) return "state not finite";
  for (const Quaternion& rotation : after.rotation)
    if (!(std::abs(rotation.norm() - 1) <= 1e-12)) return say("quaternion length off by", rotation.norm() - 1);
  if (!(report.certificate.relative <= simulation.options().tolerance)) return say("certified at", report.certificate.relative);
  if (!std::isfinite(scale)) return "ledger not finite";
  if (!(std::abs(ledger.closure()) <= kClosure * scale + roundOff(simulation, before))) return say("ledger closes to", ledger.closureRelative());
  const double slack = kSign * scale + 2 * impulseSum(simulation) * report.certificate.metersPerSecond;  // the law holds up to the certificate
  if (ledger.friction < -slack) return say("friction gives", ledger.friction / scale);
  if (ledger.impact < -slack) return say("impact gives", ledger.impact / scale);
  const double kinetic = kineticEnergyOf(simulation.model(), after) - ledger.kineticEnd,
               potential = potentialGain(simulation.model(), before, after) - ledger.potentialChange;
  if (std::abs(kinetic) > kClosure * scale) return say("kinetic energy differs by", kinetic / scale);
  if (std::abs(potential) > kClosure * scale) return say("potential energy differs by", potential / scale);
  if (const double gap = momentumGap(simulation, before, h); !(gap <= kBalance)) return say("momentum out of balance by", gap);
  if (!isDriven(simulation.model()) && scale > 0)
    if (const double gift = energyFromContacts(simulation, report, h); gift > slack / scale) return say("energy from contacts", gift);
  return {};
}

void runSteps(const Scene& scene, Outcome& outcome) {
  outcome.driven = isDriven(scene.model);
  outcome.massRatio = massRatio(scene.model);
  Simulation simulation{scene.model, scene.options};
  for (int i = 0; i < scene.steps; ++i) {
    const WorldState before = simulation.state();
    const StepReport& report = simulation.step(scene.h);
    ++outcome.steps;
    outcome.contacts += report.contacts;
    outcome.splits += report.substeps > report.islands && report.impacts == 0;
    for (const auto& [rung, count] : report.rungs) outcome.rungs[rung] += count;
    if (report.status != StepStatus::Certified) {
      if (!isSame(before, simulation.state())) outcome.fault = "a refused step changed the state";
      if (report.status == StepStatus::NonFinite) outcome.fault = "a step ended not finite";
      outcome.refused = true;
      outcome.refusedAt = report.certificate.relative;
    } else {
      outcome.fault = faultOf(simulation, report, before, scene.h);
      outcome.worstCertificate = std::max(outcome.worstCertificate, report.certificate.relative);
      outcome.worstClosure = std::max(outcome.worstClosure, std::abs(report.ledger.closureRelative()));
      if (i == 0) outcome.deepest = report.penetration;
    }
    if (!outcome.fault.empty()) outcome.fault = "step " + std::to_string(i) + ": " + outcome.fault;
    if (!outcome.fault.empty() || outcome.refused) return;
  }
}

}  // namespace

Outcome runScene(std::uint64_t seed) {
  Outcome outcome;
  outcome.seed = seed;
  const double start = threadCpuSeconds();
  try {
    runSteps(makeScene(seed), outcome);
  } catch (const std::exception& error) {
    outcome.fault = std::string{"exception: "} + error.what();
  }
  outcome.seconds = threadCpuSeconds() - start;
  return outcome;
}

}  // namespace stiction::random_scenes
