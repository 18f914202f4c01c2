// The two halves of a (sub)step, computed by a thread with nothing else to do beside the search for an answer to the whole, in case there is none. They start from the bits that the halves
// would start from after the search, and so are the same: whether they were computed ahead shows in the time alone.
#pragma once
#include <memory>
#include <optional>

#include "base/Clock.hpp"
#include "base/ThreadPool.hpp"

namespace stiction {

class IslandStepper;
struct IslandResult;
struct StepSetup;

class Halves : public ThreadPool::Errand {
 public:
  /// Of the (sub)step of h, `depth` halvings of the whole step, that `stepper` is about to solve, with contacts alone.
  Halves(const StepSetup& setup, const IslandStepper& stepper, double h, int depth);
  /// Calls off what is not done.
  ~Halves() override;

  void run() override;
  /// Waits for the end, and takes the island there. Returns what IslandStepper::halve would; nothing, and does nothing, when nobody has begun or memory was short.
  std::optional<bool> finish(IslandStepper& stepper);

 private:
  const StepSetup& setup_;
  std::unique_ptr<IslandStepper> stepper_;
  std::unique_ptr<IslandResult> result_;
  double h_;
  int depth_;
  CallOff callOff_;
  bool sent_{true}, failed_{false}, ended_{false};
};

}  // namespace stiction
