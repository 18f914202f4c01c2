// Small scenes for the law tests, and steps that check what every step must keep.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "integrate/Simulation.hpp"

namespace stiction::laws {

constexpr double kG = 9.81;

inline Quaternion turn(double degrees, const Vector3& axis) { return Quaternion{Eigen::AngleAxisd{degrees * std::numbers::pi / 180.0, axis.normalized()}}; }

inline double uniform(std::mt19937& random, double low, double high) { return std::uniform_real_distribution<double>{low, high}(random); }
inline Vector3 inCube(std::mt19937& random, double half) { return {uniform(random, -half, half), uniform(random, -half, half), uniform(random, -half, half)}; }

inline Joint hinge(const Vector3& axis) {
  Joint joint;
  joint.name = "hinge";
  joint.axis = axis;
  return joint;
}

/// A body of mass m and the given inertia, without geoms, so that nothing collides.
inline int addMass(ModelBuilder& builder, double mass, const Vector3& moments, const Vector3& centre, const Quaternion& R = Quaternion::Identity()) {
  Body body;
  body.mass = mass;
  body.I_C = moments.asDiagonal();
  body.X_WB = {centre, R};
  return builder.addBody(body);
}

/// A geom of the world.
inline int addFixed(ModelBuilder& builder, const Shape& shape, const Pose& X_WG, double friction, double restitution = 0) {
  Geom geom;
  geom.shape = shape;
  geom.friction = friction;
  geom.restitution = restitution;
  return builder.addGeom(geom, X_WG);
}

inline int addPlane(ModelBuilder& builder, double friction, const Quaternion& R = Quaternion::Identity(), double restitution = 0) {
  return addFixed(builder, Shape::plane(), {Vector3::Zero(), R}, friction, restitution);
}

/// A plane through `outward`, which is normal to it; bodies are on the side of the origin.
inline int addWall(ModelBuilder& builder, const Vector3& outward, double friction, double restitution = 0) {
  return addFixed(builder, Shape::plane(), {outward, Quaternion::FromTwoVectors(Vector3::UnitZ(), -outward)}, friction, restitution);
}

/// A floor at z = 0 and walls at ±`halfX`, ±`halfY`, all planes.
inline void addBox(ModelBuilder& builder, double halfX, double halfY, double friction) {
  addPlane(builder, friction);
  for (const auto& [axis, at] : {std::pair{0, -halfX}, {0, halfX}, {1, -halfY}, {1, halfY}}) addWall(builder, at * Vector3::Unit(axis), friction);
}

inline double volume(const Shape& shape) { return massProperties(shape).volume; }

/// A homogeneous body of the given mass.
inline int addBody(ModelBuilder& builder, const Shape& shape, double mass, const Pose& X_WB, double friction) {
  return builder.addSolid("", shape, mass / volume(shape), X_WB, friction);
}

/// A body of one shape; `edit` may change body and geom before they are added. Geom ids follow the order of addition.
struct Part {
  Body body;
  Geom geom;
};
inline Part solid(const Shape& shape, double mass, const Pose& X_WB, double friction, double restitution = 0) {
  Part part;
  part.body.mass = mass;
  part.body.I_C = massProperties(shape).inertia * (mass / volume(shape));
  part.body.X_WB = X_WB;
  part.geom.shape = shape;
  part.geom.friction = friction;
  part.geom.restitution = restitution;
  return part;
}
inline int add(ModelBuilder& builder, Part part) {
  part.geom.body = builder.addBody(part.body);
  builder.addGeom(part.geom, Pose{});
  return part.geom.body;
}

/// Steps and expects of each: certified, the energy account closed, dissipations not negative, no penetration beyond `depth`.
inline const StepReport& advance(Simulation& simulation, double h, int steps, double depth = 1e-9) {
  const StepReport* report = nullptr;
  for (int i = 0; i < steps; ++i) {
    report = &simulation.step(h);
    EXPECT_EQ(report->status, StepStatus::Certified) << report->reason << " at t = " << simulation.state().time;
    EXPECT_LE(report->certificate.relative, simulation.options().tolerance);
    EXPECT_LE(std::abs(report->ledger.closureRelative()), 1e-12) << "at t = " << simulation.state().time;
    const double slack = 1e-8 * report->ledger.scale;
    EXPECT_GE(report->ledger.friction, -slack);
    EXPECT_GE(report->ledger.impact, -slack);
    EXPECT_LE(report->penetration, depth) << "at t = " << simulation.state().time;
    if (testing::Test::HasFailure()) break;
  }
  return *report;
}

inline Vector3 totalImpulse(const Simulation& simulation) {
  Vector3 sum = Vector3::Zero();
  for (const SolvedContact& contact : simulation.contacts()) sum += contact.impulse;
  return sum;
}

}  // namespace stiction::laws
