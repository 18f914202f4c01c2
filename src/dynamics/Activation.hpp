// What drives an actuator: its control, or an activation that follows the control.
//
//   Direct      the control
//   Filter      ȧ = (control − a) / τ
//   Integrator  ȧ = control                  all within their ranges; ȧ exactly, the control being constant over a step
#pragma once
#include "state/WorldState.hpp"

namespace stiction {

double driveOf(const Actuator& actuator, double control, double activation);
/// The activation h [s] later.
double advanceActivation(const Actuator& actuator, double control, double activation, double h);
/// Of all actuators of the model at the state.
void findDrives(const Model& model, const WorldState& state, std::vector<double>& drives);

}  // namespace stiction
