// Rates of one number by the velocities of any bodies, body by body.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "dynamics/FreeVelocity.hpp"

namespace stiction {

using RowVector6 = Eigen::Matrix<double, 1, 6>;
using RowVector12 = Eigen::Matrix<double, 1, 12>;

/// By v and ω of one body, world axes.
struct BodyRate {
  int body;  // of the model; -1: none
  RowVector6 rate;
};

/// The same of two bodies, by v_A, ω_A, v_B, ω_B: ascending.
inline std::array<BodyRate, 2> ofTwo(int bodyA, int bodyB, const RowVector12& rates) {
  const BodyRate A{bodyA, rates.head<6>()}, B{bodyB, rates.tail<6>()};
  return bodyA < bodyB ? std::array{A, B} : std::array{B, A};
}

/// Adds to the body's part of rates that ascend.
inline void addRate(std::vector<BodyRate>& rates, int body, const RowVector6& rate) {
  const auto isBefore = [](const BodyRate& part, int other) { return part.body < other; };
  const auto place = std::lower_bound(rates.begin(), rates.end(), body, isBefore);
  if (place != rates.end() && place->body == body)
    place->rate += rate;
  else
    rates.insert(place, {body, rate});
}

/// J v [number per s] of the bodies at the state.
inline double rateOf(std::span<const BodyRate> rates, const WorldState& state) {
  double sum = 0;
  for (const auto& [body, rate] : rates) {
    if (body < 0) continue;
    const Twist twist = twistOf(state, body);
    sum += rate.head<3>().dot(twist.linear) + rate.tail<3>().dot(twist.angular);
  }
  return sum;
}

/// The same of kinematic bodies alone.
inline double rateByDriven(std::span<const BodyRate> rates, const Model& model, const WorldState& state) {
  double sum = 0;
  for (const BodyRate& part : rates)
    if (part.body >= 0 && model.bodies[static_cast<std::size_t>(part.body)].kind == BodyKind::Kinematic) sum += rateOf({&part, 1}, state);
  return sum;
}

}  // namespace stiction
