#include "integrate/StepSetup.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr double kCentred = 1e-12;  // [-] of its radius: a sphere this near to the centre of mass is about it

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

StepSetup makeStepSetup(const Model& model, const SimulationOptions& options, const CollisionDetector& detector) {
  StepSetup setup;
  setup.model = &model;
  setup.options = &options;
  setup.detector = &detector;
  setup.inertias = bodyInertias(model);
  setup.motions = jointMotions(model);
  setup.tendons = tendonSums(model, setup.motions);
  setup.bodySize.assign(model.bodies.size(), 0.0);
  setup.bodyArm.assign(model.bodies.size(), 0.0);
  setup.isBall.assign(model.bodies.size(), 1);
  for (const Geom& geom : model.geoms) {
    const double radius = boundingRadius(geom.shape);
    const double offset = geom.X_CG.position.norm();
    setup.geomSize.push_back(radius);
    setup.geomHalfWidth.push_back(leastHalfWidth(geom.shape));
    setup.geomArm.push_back(geom.shape.type == ShapeType::Sphere || !std::isfinite(radius) ? offset : offset + radius);
    setup.bodyArm[at(geom.body)] = std::max(setup.bodyArm[at(geom.body)], setup.geomArm.back());
    setup.thinnest = std::min(setup.thinnest, setup.geomHalfWidth.back());
    setup.bodySize[at(geom.body)] = std::max(setup.bodySize[at(geom.body)], offset + radius);
    if (geom.shape.type != ShapeType::Sphere || offset > kCentred * radius) setup.isBall[at(geom.body)] = 0;
  }
  for (std::size_t body = 0; body < model.bodies.size(); ++body) {
    const BodyInertia& inertia = setup.inertias[body];
    if (setup.bodySize[body] == 0 && inertia.dynamic) setup.bodySize[body] = std::sqrt(inertia.inertia.trace() * inertia.inverseMass);
  }
  for (const Body& body : model.bodies) {
    setup.loads.force.push_back(body.force);
    setup.loads.torque.push_back(body.torque);
  }
  return setup;
}

}  // namespace stiction
