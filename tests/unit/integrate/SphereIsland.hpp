// An island of spheres of 0.5 m radius, above a floor or in empty space without gravity, as a step of h begins with it.
#pragma once
#include <numbers>
#include <vector>

#include "integrate/IslandProblem.hpp"

namespace stiction {

struct Sphere {
  double mass;       // [kg]
  Vector3 position;  // [m]
  Vector3 velocity{Vector3::Zero()};
};

class SphereIsland {
 public:
  static constexpr double radius = 0.5;  // [m]

  SphereIsland(const std::vector<Sphere>& spheres, bool floor, double restitution, double h)
      : model{build(spheres, floor, restitution)}, detector{model}, setup{makeStepSetup(model, options, detector)}, island{setup}, problem{island} {
    const WorldState start = makeState(model);
    const std::vector<CandidatePair> pairs = detector.broadPhase(start, h);
    ContactSet contacts;
    detector.narrowPhase(start, pairs, contacts);
    Partition partition;
    const Islands& islands = partition.build(model, pairs, contacts, {}, setup.held);
    island.result = &result;
    island.begin(islands, 0, start, start.contacts, h);
    problem.assembly.setBodies(island.bodies);
  }

  /// Of the k-th sphere.
  Vector3& position(int k) { return island.state.position[static_cast<std::size_t>(k) + 1]; }
  Vector3& velocity(int k) { return island.state.velocity[static_cast<std::size_t>(k) + 1]; }

  SimulationOptions options;
  Model model;
  CollisionDetector detector;
  StepSetup setup;
  IslandResult result;
  Island island;
  IslandProblem problem;

 private:
  static Model build(const std::vector<Sphere>& spheres, bool floor, double restitution) {
    ModelBuilder builder;
    if (floor) {
      Geom plane;
      plane.shape = Shape::plane();
      builder.addGeom(plane, {});
    } else {
      builder.setGravity(Vector3::Zero());
    }
    for (const Sphere& sphere : spheres) {
      const double volume = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
      const int body = builder.addSolid("", Shape::sphere(radius), sphere.mass / volume, {sphere.position, Quaternion::Identity()}, 0.5);
      builder.body(body).velocity = sphere.velocity;
    }
    Model model = builder.build();
    for (Geom& geom : model.geoms) geom.restitution = restitution;
    return model;
  }
};

}  // namespace stiction
