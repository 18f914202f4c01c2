// The same kind of tree as a simulation: bodies, hinges with rotors and dampers, a servo each, four contacts at the end of each limb.
#pragma once
#include <array>
#include <cmath>
#include <string>

#include "integrate/Simulation.hpp"
#include "tree/TreeProblem.hpp"

namespace stiction::bench {

/// It stands on its feet, its servos hold a pose slightly off the one it starts in, and it is pushed along. Only the feet collide.
inline Model simulatedTree() {
  constexpr double kLimb = 0.9, kFoot = 0.02, kTop = 1.0;  // [m]
  ModelBuilder builder;
  Geom geom;
  geom.shape = Shape::plane();
  geom.friction = 0.8;
  builder.addGeom(geom, Pose{});
  const auto addLink = [&](const std::string& name, double mass, const Vector3& size, const Vector3& centre) {  // a box, for its inertia
    Body body;
    body.name = name;
    body.mass = mass;
    const Vector3 square = size.cwiseAbs2();
    body.I_C = (mass / 12 * Vector3{square[1] + square[2], square[2] + square[0], square[0] + square[1]}).asDiagonal();
    body.X_WB.position = centre;
    return builder.addBody(body);
  };
  const int base = addLink("base", 8, {0.4, 0.4, 0.16}, {0, 0, kTop});
  builder.body(base).velocity = {0.3, 0.1, 0};
  int servos = 0;
  for (int limb = 0; limb < 4; ++limb) {
    const Vector3 hip{limb % 2 != 0 ? 0.2 : -0.2, limb / 2 != 0 ? 0.2 : -0.2, kTop};
    const int links = TreeProblem::kHinges[static_cast<std::size_t>(limb)];
    const double length = kLimb / links;
    int parent = base;
    for (int k = 0; k < links; ++k) {
      const Vector3 top = hip - Vector3{0, 0, k * length};
      const int link = addLink("", 0.3, {0.02, 0.02, length}, top - Vector3{0, 0, 0.5 * length});
      Joint hinge;
      hinge.axis = (k + limb) % 2 == 0 ? Vector3::UnitX() : Vector3::UnitY();
      hinge.damping = 0.05;
      hinge.armature = 0.001;
      builder.addJoints(parent, link, {0, 0, 0.5 * length}, {hinge});
      Actuator servo;
      servo.joint = servos++;
      servo.gain = 200;
      servo.bias = {0, -200, -5};
      builder.addActuator(servo);
      builder.body(link).velocity = builder.body(base).velocity;
      parent = link;
    }
    geom.body = parent;
    geom.shape = Shape::box({0.06, 0.06, kFoot});
    builder.addGeom(geom, {{0, 0, -0.5 * length - (kTop - kLimb - kFoot)}, Quaternion::Identity()});
  }
  return builder.build();
}

/// Control of the k-th servo.
inline double servoTarget(int k) { return 0.05 * std::sin(k); }

}  // namespace stiction::bench
