// The step, on one page. Islands run side by side; everything they write is their own, and all sums go in island order: the same bits for any number of threads.
#include <algorithm>

#include "base/Clock.hpp"
#include "dynamics/Activation.hpp"
#include "integrate/SimulationImpl.hpp"

namespace stiction {

const StepReport& Simulation::Impl::step(double h) {
  if (repeats(h)) {
    repeat();
    return report;
  }
  begin(h);
  detect();
  do {
    partition();
    advance();
  } while (!isOver());
  gather();
  account();
  finish();
  return report;
}

void Simulation::Impl::detect() {
  const double start = wallSeconds();
  pairs_ = &detector.broadPhase(reach_, h_, bouncing_ ? 2.0 : 1.0, &pool);
  detector.narrowPhase(state, *pairs_, pool, contacts_);
  leaveOutHeld(setup, state, contacts_);
  report.times.collide += wallSeconds() - start;
}

void Simulation::Impl::partition() { islands_ = &partition_.build(model, *pairs_, contacts_, detector.seams(), setup.held); }

void Simulation::Impl::advance() {
  try {
    const int shared = islandToShare();
    if (shared >= 0) advanceIsland(shared, &pool);
    pool.parallelFor(islands_->count(), [&](int island) {
      if (island != shared) advanceIsland(island, nullptr);
    });
  } catch (...) {
    dropHalves();
    throw;
  }
}

void Simulation::Impl::finish() {
  if (report.status == StepStatus::NonFinite || (report.status == StepStatus::NotCertified && !options.keepGoing)) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::Kinematic) moveKinematic(next, static_cast<int>(i), h_);
  followJoints(setup.motions, state, h_, next);
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    next.activation[k] = advanceActivation(model.actuators[k], state.control[k], state.activation[k], h_);
  const bool held = std::any_of(setup.held.begin(), setup.held.end(), [](const HeldConstraint& constraint) { return constraint.isPresent(); });
  unchanged = options.repeat && report.status == StepStatus::Certified && !held && sameMotion(state, next);
  next.time = state.time + h_;
  next.stepCount = state.stepCount + 1;
  std::swap(state, next);
  findDrives(model, state, setup.loads.drive);
}

/// A step from the bits that the last one started from and ended on: only time goes on.
void Simulation::Impl::repeat() {
  state.time += h_;
  ++state.stepCount;
  report.times = {};
  report.repeated = report.islands;
}

}  // namespace stiction
