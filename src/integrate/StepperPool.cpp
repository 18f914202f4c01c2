#include "integrate/StepperPool.hpp"

#include <utility>

namespace stiction {

std::unique_ptr<IslandStepper> StepperPool::take(const StepSetup& setup) {
  {
    const std::lock_guard lock{mutex_};
    if (!steppers_.empty()) {
      std::unique_ptr<IslandStepper> stepper = std::move(steppers_.back());
      steppers_.pop_back();
      return stepper;
    }
  }
  return std::make_unique<IslandStepper>(setup);
}

void StepperPool::give(std::unique_ptr<IslandStepper> stepper) {
  const std::lock_guard lock{mutex_};
  steppers_.push_back(std::move(stepper));
}

}  // namespace stiction
