// Steppers not at work, for whoever has an island to advance: what they hold is allocated once.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "integrate/IslandStepper.hpp"

namespace stiction {

class StepperPool {
 public:
  std::unique_ptr<IslandStepper> take(const StepSetup& setup);
  void give(std::unique_ptr<IslandStepper> stepper);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<IslandStepper>> steppers_;
};

}  // namespace stiction
