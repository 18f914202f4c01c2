#include "integrate/IslandProblem.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

IslandProblem::IslandProblem(const Island& island)
    : assembly{*island.setup->model, island.setup->inertias, island.setup->options->frameSeed}, island_{&island} {}

void IslandProblem::takeBodies() {
  assembly.buildMass(island_->state);
  assembly.gatherVelocities(island_->state, vBefore);
  used.clear();
}

void IslandProblem::takeContacts(int oneSided) {
  assembly.buildContacts(island_->state, island_->contacts, used, oneSided);
  assembly.setMomentum(vFree);
}

void IslandProblem::predict(double h) {
  vFree.resize(vBefore.size());
  for (std::size_t k = 0; k < assembly.bodies().size(); ++k) {
    const int body = assembly.bodies()[k];
    const BodyInertia& inertia = island_->inertia(body);
    const Twist twist = freeVelocity(*island_->setup->model, inertia, island_->setup->loads, island_->state, body, h);
    const int row = assembly.rowOf(static_cast<int>(k));
    vFree.segment<3>(row) = twist.linear;
    if (!inertia.locked) vFree.segment<3>(row + 3) = twist.angular;
  }
}

Twist IslandProblem::twistOf(int block, const VectorX& v) const {
  const int row = assembly.rowOf(block);
  const bool locked = island_->inertia(assembly.bodies()[static_cast<std::size_t>(block)]).locked;
  return {v.segment<3>(row), locked ? Vector3{Vector3::Zero()} : Vector3{v.segment<3>(row + 3)}};
}

double IslandProblem::speedOf(int block, const VectorX& v) const {
  const int body = assembly.bodies()[static_cast<std::size_t>(block)];
  const int row = assembly.rowOf(block);
  const double spin = island_->inertia(body).locked ? 0.0 : island_->bodySize(body) * v.segment<3>(row + 3).norm();
  return v.segment<3>(row).norm() + spin;
}

double IslandProblem::fastest(const VectorX& v) const {
  double speed = 0;
  for (std::size_t k = 0; k < assembly.bodies().size(); ++k) speed = std::max(speed, speedOf(static_cast<int>(k), v));
  return speed;
}

double IslandProblem::fastestSpeed() const {
  double speed = std::max(fastest(vBefore), fastest(vFree));
  for (const int body : island_->kinematic) {
    const auto i = static_cast<std::size_t>(body);
    const double size = island_->bodySize(body);
    speed = std::max(speed, island_->state.velocity[i].norm() + island_->state.angularVelocity[i].norm() * (std::isfinite(size) ? size : 0.0));
  }
  return speed;
}

}  // namespace stiction
