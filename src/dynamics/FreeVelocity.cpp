// Free velocities and pose updates.
#include "dynamics/FreeVelocity.hpp"

#include "math/Rotation.hpp"

namespace stiction {

Vector3 gravityOf(const Model& model, int body) { return model.bodies[static_cast<std::size_t>(body)].gravity ? model.gravity : Vector3{Vector3::Zero()}; }

Twist twistOf(const WorldState& state, int body) {
  return {state.velocity[static_cast<std::size_t>(body)], state.angularVelocity[static_cast<std::size_t>(body)]};
}

Twist freeVelocity(const Model& model, const BodyInertia& inertia, const Loads& loads, const WorldState& state, int body, double h) {
  const auto i = static_cast<std::size_t>(body);
  Twist twist = twistOf(state, body);
  twist.linear += h * (gravityOf(model, body) + inertia.inverseMass * loads.force[i]);
  if (!inertia.locked && !loads.torque[i].isZero(0.0)) twist.angular += h * (toWorld(inertia.inverse, state.rotation[i]) * loads.torque[i]);
  return twist;
}

RotationStep movePose(const BodyInertia& inertia, WorldState& state, int body, const Vector3& travel, double h) {
  const auto i = static_cast<std::size_t>(body);
  if (!travel.isZero(0.0)) state.position[i] += h * travel;
  RotationStep step = advanceRotation(inertia, state.rotation[i], state.angularVelocity[i], h);
  state.rotation[i] = step.rotation;
  state.angularVelocity[i] = step.angularVelocity;
  return step;
}

void moveKinematic(WorldState& state, int body, double h) {
  const auto i = static_cast<std::size_t>(body);
  if (!state.velocity[i].isZero(0.0)) state.position[i] += h * state.velocity[i];
  if (!state.angularVelocity[i].isZero(0.0)) state.rotation[i] = (expRotation(h * state.angularVelocity[i]) * state.rotation[i]).normalized();
}

}  // namespace stiction
