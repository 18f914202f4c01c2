// Start state and hash.
#include "state/WorldState.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stiction {
namespace {

Model scene() {
  ModelBuilder builder;
  Body body;
  body.mass = 1;
  body.I_C = Matrix3::Identity();
  body.p_BC = {0, 0, 1};
  body.X_WB.position = {1, 2, 3};
  body.X_WB.rotation = Quaternion{Eigen::AngleAxisd{0.5 * M_PI, Vector3::UnitX()}};
  body.velocity = {1, 0, 0};
  builder.addBody(body);
  return builder.build();
}

TEST(WorldState, StartsAtTheCentreOfMass) {
  const WorldState state = makeState(scene());
  ASSERT_EQ(state.position.size(), 2u);
  EXPECT_LE((state.position[1] - Vector3{1, 1, 3}).norm(), 1e-15);
  EXPECT_EQ(state.velocity[1], Vector3(1, 0, 0));
}

TEST(WorldState, HashSeesEveryBit) {
  WorldState state = makeState(scene());
  state.contacts.push_back({{0, 1, 7}, Vector3::UnitZ(), Vector3{1, 2, 3}, 0.01, Vector3::Zero(), true});
  const std::uint64_t start = hash(state);
  EXPECT_EQ(hash(WorldState{state}), start);
  const auto differs = [&](auto&& change) {
    WorldState other = state;
    change(other);
    return hash(other) != start;
  };
  const auto nudge = [](double& x) { x = std::nextafter(x, 1e9); };
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.position[1].z()); }));
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.rotation[1].coeffs()[2]); }));
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.velocity[1].x()); }));
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.angularVelocity[1].y()); }));
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.contacts[0].impulse.y()); }));
  EXPECT_TRUE(differs([&](WorldState& s) { nudge(s.contacts[0].anchor.y()); }));
  EXPECT_TRUE(differs([&](WorldState& s) { s.contacts[0].key.feature = 8; }));
  EXPECT_TRUE(differs([&](WorldState& s) { s.contacts[0].anchored = false; }));
}

TEST(WorldState, WorldInertiaTurnsWithTheBody) {
  Body body;
  body.I_C = Vector3{1, 2, 2.5}.asDiagonal();
  const Matrix3 I = worldInertia(body, Quaternion{Eigen::AngleAxisd{0.5 * M_PI, Vector3::UnitZ()}});
  EXPECT_LE((I.diagonal() - Vector3{2, 1, 2.5}).norm(), 1e-15);
  EXPECT_EQ(I, Matrix3{I.transpose()});
}

}  // namespace
}  // namespace stiction
