#include "dynamics/Activation.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

double clampControl(const Actuator& actuator, double control) { return std::clamp(control, actuator.lowControl, actuator.highControl); }

}  // namespace

double driveOf(const Actuator& actuator, double control, double activation) {
  return actuator.activation == Activation::Direct ? clampControl(actuator, control) : activation;
}

double advanceActivation(const Actuator& actuator, double control, double activation, double h) {
  const double aim = clampControl(actuator, control);
  double next = activation;
  if (actuator.activation == Activation::Filter) next = aim + (activation - aim) * std::exp(-h / actuator.timeConstant);
  if (actuator.activation == Activation::Integrator) next = activation + h * aim;
  return std::clamp(next, actuator.lowActivation, actuator.highActivation);
}

void findDrives(const Model& model, const WorldState& state, std::vector<double>& drives) {
  drives.resize(model.actuators.size());
  for (std::size_t k = 0; k < drives.size(); ++k) drives[k] = driveOf(model.actuators[k], state.control[k], state.activation[k]);
}

}  // namespace stiction
