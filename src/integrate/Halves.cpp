#include "integrate/Halves.hpp"

#include "integrate/StepperPool.hpp"

namespace stiction {

Halves::Halves(const StepSetup& setup, const IslandStepper& stepper, double h, int depth)
    : setup_{setup}, stepper_{setup.steppers->take(setup)}, result_{std::make_unique<IslandResult>()}, h_{h}, depth_{depth}, callOff_{stepper.callOff()} {
  stepper_->copy(stepper, *result_, callOff_);
  setup_.pool->send(*this);
}

Halves::~Halves() {
  callOff_.set();
  if (sent_ && !setup_.pool->withdraw(*this)) setup_.pool->await(*this);
  setup_.steppers->give(std::move(stepper_));
}

void Halves::run() {
  if (callOff_.isSet()) return;
  try {
    ended_ = stepper_->halve(h_, depth_, nullptr);
  } catch (...) {  // who finds nothing here computes it, and fails in its own time
    failed_ = true;
  }
}

std::optional<bool> Halves::finish(IslandStepper& stepper) {
  sent_ = !setup_.pool->withdraw(*this);
  if (!sent_) return std::nullopt;
  setup_.pool->await(*this);
  if (failed_) return std::nullopt;
  stepper.adopt(*stepper_, *result_);
  return ended_;
}

}  // namespace stiction
