// Bodies and contacts given as objects, for the tests of solveWithContacts.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "constraints/ConstraintSolver.hpp"
#include "constraints/ContactConstraint.hpp"
#include "constraints/FrictionConstraint.hpp"

namespace stiction {

/// Bodies and contacts of one call; body 0 is the ground.
struct ContactScene {
  std::vector<InertialState> states{InertialState{}};
  std::vector<double> inverseMasses{0.0};
  std::vector<Matrix3> inverseInertias{Matrix3::Zero()};
  std::vector<std::unique_ptr<TwoBodyConstraint>> constraints;
  ConstraintSolver solver;

  std::size_t addBody(double mass, const Matrix3& inverseInertia, const Coordinate& position, const Vector3& velocity) {
    InertialState state;
    state.position = position;
    state.velocity = velocity;
    states.push_back(state);
    inverseMasses.push_back(1 / mass);
    inverseInertias.push_back(inverseInertia);
    return states.size() - 1;
  }

  void addContact(std::size_t a, std::size_t b, const Coordinate& normal, const Coordinate& point, double mu, double e = 0, double approach = 0) {
    constraints.push_back(std::make_unique<ContactConstraint>(a, b, normal, point, point, 0.0, states[a].position, states[b].position, e, approach));
    if (mu >= 0) constraints.push_back(std::make_unique<FrictionConstraint>(a, b, normal, point, point, states[a].position, states[b].position, mu));
  }

  std::vector<TwoBodyConstraint*> pointers() const {
    std::vector<TwoBodyConstraint*> all;
    for (const auto& constraint : constraints) all.push_back(constraint.get());
    return all;
  }

  ConstraintSolver::MultiBodySolveResult solve(double dt) const {
    return solver.solveWithContacts(pointers(), {states.begin(), states.end()}, inverseMasses, inverseInertias, states.size(), dt);
  }

  /// Velocity of a body after the forces of the result.
  Vector3 after(const ConstraintSolver::MultiBodySolveResult& result, std::size_t body, double dt) const {
    return states[body].velocity + dt * inverseMasses[body] * result.bodyForces[body].linearForce;
  }
};

/// Blocks that do not turn, one on another, the lowest on the ground; after 10 ms of fall, the uppermost moving at `push` [m/s].
inline ContactScene stack(const std::vector<double>& masses, double mu, const Vector2& push) {
  constexpr double dt = 0.01, g = 9.81;
  ContactScene scene;
  for (std::size_t k = 0; k < masses.size(); ++k) {
    const bool top = k + 1 == masses.size();
    const std::size_t body = scene.addBody(masses[k], Matrix3::Zero(), {0, 0, 0.5 + static_cast<double>(k)}, {top ? push[0] : 0, top ? push[1] : 0, -g * dt});
    scene.addContact(body - 1, body, {0, 0, 1}, {0, 0, static_cast<double>(k)}, mu);
  }
  return scene;
}

}  // namespace stiction
