// Start state, hash and world inertia.
#include "state/WorldState.hpp"

#include <algorithm>

#include "base/Hash.hpp"
#include "math/Bits.hpp"

namespace stiction {

WorldState makeState(const Model& model) {
  WorldState state;
  const std::size_t n = model.bodies.size();
  state.position.reserve(n);
  state.rotation.reserve(n);
  state.velocity.reserve(n);
  state.angularVelocity.reserve(n);
  for (const Body& body : model.bodies) {
    const bool moves = body.kind != BodyKind::Static;
    const bool turns = moves && (body.kind == BodyKind::Kinematic || body.I_C.allFinite());
    state.position.push_back(body.X_WB * body.p_BC);
    state.rotation.push_back(body.X_WB.rotation.normalized());
    state.velocity.push_back(moves ? body.velocity : Vector3::Zero());
    state.angularVelocity.push_back(turns ? body.angularVelocity : Vector3::Zero());
  }
  for (const Joint& joint : model.joints) state.jointPosition.push_back(joint.type == JointType::Ball ? 0.0 : joint.reference);
  const auto count = static_cast<std::size_t>(coordinates(model));
  state.jointPosition.resize(count, 0.0);
  state.jointForce.assign(count, Vector3::Zero());
  state.control.assign(model.actuators.size(), 0.0);
  state.activation = state.control;
  return state;
}

bool sameBits(const ContactMemory& a, const ContactMemory& b) {
  return a.key == b.key && sameBits(a.normal, b.normal) && sameBits(a.impulse, b.impulse) && sameBits(a.step, b.step) && sameBits(a.anchor, b.anchor) &&
         a.anchored == b.anchored && a.slips == b.slips && a.mended == b.mended && a.yields == b.yields && a.strays == b.strays;
}

bool sameBits(const WorldState& a, const WorldState& b, int body) {
  const auto i = static_cast<std::size_t>(body);
  return sameBits(a.position[i], b.position[i]) && sameBits(a.rotation[i], b.rotation[i]) && sameBits(a.velocity[i], b.velocity[i]) &&
         sameBits(a.angularVelocity[i], b.angularVelocity[i]);
}

bool sameMotion(const WorldState& a, const WorldState& b) {
  if (a.position.size() != b.position.size()) return false;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    if (!sameBits(a, b, static_cast<int>(i))) return false;
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& one, const auto& other) { return sameBits(one, other); });
  };
  return same(a.contacts, b.contacts) && same(a.rowForces, b.rowForces) && same(a.jointPosition, b.jointPosition) && same(a.rotorRate, b.rotorRate) &&
         same(a.jointForce, b.jointForce) && same(a.control, b.control) && same(a.activation, b.activation);
}

std::uint64_t hash(const WorldState& state) {
  StateHash hash;
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    hash.add(state.position[i].data(), 3);
    hash.add(state.rotation[i].coeffs().data(), 4);
    hash.add(state.velocity[i].data(), 3);
    hash.add(state.angularVelocity[i].data(), 3);
  }
  for (const ContactMemory& contact : state.contacts) {
    hash.add((static_cast<std::uint64_t>(contact.key.geomA) << 32) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(contact.key.geomB)));
    hash.add(contact.key.feature);
    hash.add(contact.normal.data(), 3);
    hash.add(contact.impulse.data(), 3);
    hash.add(contact.step);
    hash.add(contact.anchor.data(), 3);
    hash.add(static_cast<std::uint64_t>(contact.anchored));
    hash.add(static_cast<std::uint64_t>(contact.slips));
    hash.add(static_cast<std::uint64_t>(contact.mended) | static_cast<std::uint64_t>(contact.yields) << 1U | static_cast<std::uint64_t>(contact.strays) << 2U);
  }
  for (const std::vector<Vector3>* vectors : {&state.rotorRate, &state.jointForce})
    for (const Vector3& vector : *vectors) hash.add(vector.data(), 3);
  for (const std::vector<double>* numbers : {&state.rowForces, &state.jointPosition, &state.control, &state.activation})
    hash.add(numbers->data(), numbers->size());
  return hash.value();
}

Matrix3 worldInertia(const Body& body, const Quaternion& rotation) {
  const Matrix3 R = rotation.toRotationMatrix();
  const Matrix3 I = R * body.I_C * R.transpose();
  return 0.5 * (I + I.transpose());
}

}  // namespace stiction
