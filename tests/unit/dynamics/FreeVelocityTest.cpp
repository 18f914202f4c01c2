// Free velocities, pose updates and mass properties.
#include "dynamics/FreeVelocity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "math/Rotation.hpp"

namespace stiction {
namespace {

Model oneBody(BodyKind kind, const Matrix3& inertia) {
  ModelBuilder builder;
  builder.setGravity({0, 0, -10});
  Body body;
  body.kind = kind;
  body.mass = 2;
  body.I_C = inertia;
  body.X_WB.rotation = Quaternion{Eigen::AngleAxisd{0.5, Vector3{1, 1, 0}.normalized()}};
  body.velocity = {1, 2, 3};
  body.angularVelocity = {0.1, 0.2, 0.3};
  builder.addBody(body);
  return builder.build();
}

TEST(FreeVelocity, TakesGravityForceAndTorque) {
  const Matrix3 inertia = Vector3{1, 2, 2.5}.asDiagonal();
  const Model model = oneBody(BodyKind::Dynamic, inertia);
  const WorldState state = makeState(model);
  const std::vector<BodyInertia> inertias = bodyInertias(model);
  Loads loads{std::vector<Vector3>(2, Vector3{4, 0, 0}), std::vector<Vector3>(2, Vector3{0, 0, 1}), {}};
  const Twist twist = freeVelocity(model, inertias[1], loads, state, 1, 0.5);
  EXPECT_LE((twist.linear - Vector3{2, 2, -2}).norm(), 1e-15);
  const Vector3 expected = state.angularVelocity[1] + 0.5 * worldInertia(model.bodies[1], state.rotation[1]).inverse() * Vector3{0, 0, 1};
  EXPECT_LE((twist.angular - expected).norm(), 1e-15);
}

TEST(FreeVelocity, LockedBodyTakesNoTorque) {
  const double inf = std::numeric_limits<double>::infinity();
  const Model model = oneBody(BodyKind::Dynamic, Vector3::Constant(inf).asDiagonal());
  const WorldState state = makeState(model);
  EXPECT_TRUE(state.angularVelocity[1].isZero(0.0));
  const std::vector<BodyInertia> inertias = bodyInertias(model);
  EXPECT_TRUE(inertias[1].locked);
  EXPECT_EQ(inertias[1].dof(), 3);
  const Loads loads{std::vector<Vector3>(2, Vector3::Zero()), std::vector<Vector3>(2, Vector3{0, 0, 1}), {}};
  EXPECT_TRUE(freeVelocity(model, inertias[1], loads, state, 1, 0.5).angular.isZero(0.0));
  EXPECT_DOUBLE_EQ(kineticEnergy(inertias[1], state.rotation[1], state.velocity[1], state.angularVelocity[1]), 14.0);
}

TEST(FreeVelocity, KinematicBodyMovesByItsTwist) {
  const Model model = oneBody(BodyKind::Kinematic, Matrix3::Zero());
  WorldState state = makeState(model);
  const WorldState start = state;
  moveKinematic(state, 1, 0.25);
  EXPECT_LE((state.position[1] - Vector3{0.25, 0.5, 0.75}).norm(), 1e-15);
  EXPECT_LE(state.rotation[1].angularDistance(expRotation(0.25 * Vector3{0.1, 0.2, 0.3}) * start.rotation[1]), 1e-12);
}

}  // namespace
}  // namespace stiction
