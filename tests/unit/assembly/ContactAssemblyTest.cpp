// Assembly against kinematics written out by hand, and against dense algebra.
#include "assembly/ContactAssembly.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "assembly/ContactHistory.hpp"

namespace stiction {
namespace {

/// Bodies 1 and 2 dynamic, 3 kinematic, 4 locked.
Model scene() {
  ModelBuilder builder;
  for (int i = 1; i <= 4; ++i) {
    Body body;
    body.kind = i == 3 ? BodyKind::Kinematic : BodyKind::Dynamic;
    body.mass = i;
    body.I_C = Vector3{0.1, 0.2, 0.25}.asDiagonal();
    if (i == 4) body.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
    body.X_WB = {Vector3{0.3 * i, 0.1 * i * i, -0.2 * i}, Quaternion{Eigen::AngleAxisd{0.4 * i, Vector3{1, 0.3 * i, -0.2}.normalized()}}};
    body.velocity = {1.0 * i, -0.5, 0.2 * i};
    body.angularVelocity = {0.3, 0.1 * i, -0.7};
    builder.addBody(body);
  }
  return builder.build();
}

Contact contact(int a, int b, std::uint64_t feature, const Vector3& point, const Vector3& normal) {
  Contact c;
  c.key = {a, b, feature};
  c.bodyA = a;
  c.bodyB = b;
  c.point = point;
  c.normal = normal.normalized();
  c.friction = 0.25 * (b + 1);
  return c;
}

struct Fixture {
  Model model{scene()};
  std::vector<BodyInertia> inertias{bodyInertias(model)};
  WorldState state{makeState(model)};
  ContactSet contacts{contact(0, 1, 0, {0.1, 0.2, 0.3}, {0, 0.2, 1}), contact(1, 2, 0, {0.5, 0.3, -0.4}, {1, 1, 0.1}),
                      contact(2, 3, 0, {0.7, 0.8, -0.5}, {0, 1, 0}), contact(1, 4, 0, {0.8, 0.9, -0.6}, {-1, 0, 1})};
  std::vector<int> bodies{1, 2, 4}, used{0, 1, 2, 3};
  ContactAssembly assembly;

  explicit Fixture(unsigned seed = 0) : assembly{model, inertias, seed} {
    assembly.setBodies(bodies);
    assembly.buildMass(state);
    assembly.buildContacts(state, contacts, used, 0);
  }
  Vector3 pointVelocity(int body, const Vector3& p) const {
    const auto i = static_cast<std::size_t>(body);
    return state.velocity[i] + state.angularVelocity[i].cross(p - state.position[i]);
  }
};

TEST(ContactAssembly, ContactVelocitiesAreThoseOfTheSurfaces) {
  for (const unsigned seed : {0u, 7u}) {
    Fixture f{seed};
    EXPECT_EQ(f.assembly.problem.dof(), 15);
    VectorX v, u;
    f.assembly.gatherVelocities(f.state, v);
    multiplyTransposed(f.assembly.problem.H, v, u);
    u += f.assembly.problem.w;
    for (std::size_t k = 0; k < f.contacts.size(); ++k) {
      const Contact& c = f.contacts[k];
      const Matrix3& F = f.assembly.frames[k];
      EXPECT_LE((F.transpose() * F - Matrix3::Identity()).norm(), 1e-14);
      EXPECT_GT(F.determinant(), 0.99);
      EXPECT_LE((F.col(0) - c.normal).norm(), 1e-15);
      const Vector3 expected = F.transpose() * (f.pointVelocity(c.bodyB, c.point) - f.pointVelocity(c.bodyA, c.point));
      EXPECT_LE((u.segment<3>(static_cast<Eigen::Index>(3 * k)) - expected).norm(), 1e-14);
      EXPECT_EQ(f.assembly.problem.mu[static_cast<Eigen::Index>(k)], c.friction);
    }
  }
}

TEST(ContactAssembly, ABodyKeptFromTurningHasItsMassAlone) {
  const Fixture usual;
  Fixture f;
  f.assembly.setBodies(f.bodies);
  f.assembly.keepFromTurning(2);
  f.assembly.buildMass(f.state);
  f.assembly.buildContacts(f.state, f.contacts, f.used, 0);
  const int block = f.assembly.blockOf(2), row = f.assembly.rowOf(block);
  EXPECT_TRUE(f.assembly.turns(f.assembly.blockOf(1)));
  EXPECT_FALSE(f.assembly.turns(block));
  EXPECT_FALSE(f.assembly.turns(f.assembly.blockOf(4)));  // locked
  ASSERT_EQ(f.assembly.problem.dof(), 12);
  VectorX v, all, u, expected;
  usual.assembly.gatherVelocities(f.state, all);
  f.assembly.gatherVelocities(f.state, v);
  all.segment<3>(row + 3).setZero();
  EXPECT_EQ(v.head(row + 3), all.head(row + 3));
  EXPECT_EQ(v.tail<3>(), all.tail<3>());
  multiplyTransposed(f.assembly.problem.H, v, u);
  multiplyTransposed(usual.assembly.problem.H, all, expected);
  EXPECT_LE((u - expected).norm(), 1e-15);
  f.assembly.setBodies(f.bodies);
  EXPECT_TRUE(f.assembly.turns(block));
}

TEST(ContactAssembly, FrameSeedTurnsTheTangentsOnly) {
  const Fixture usual, turned{7};
  EXPECT_EQ(usual.assembly.frames[0].col(0), turned.assembly.frames[0].col(0));
  EXPECT_GT((usual.assembly.frames[0].col(1) - turned.assembly.frames[0].col(1)).norm(), 1e-3);
}

TEST(ContactAssembly, VelocityFollowsFromTheImpulses) {
  Fixture f;
  ContactProblem& problem = f.assembly.problem;
  f.assembly.addTangentRow(f.state, f.contacts[1], Vector3::UnitX());
  MatrixX M = MatrixX::Zero(15, 15), H = MatrixX::Zero(15, 12), G = MatrixX::Zero(15, 1);
  for (const int body : {1, 2, 4}) {
    const auto i = static_cast<std::size_t>(body);
    const int row = f.assembly.rowOf(f.assembly.blockOf(body));
    M.block<3, 3>(row, row) = body * Matrix3::Identity();
    if (body != 4) M.block<3, 3>(row + 3, row + 3) = worldInertia(f.model.bodies[i], f.state.rotation[i]);
  }
  for (int j = 0; j < 15; ++j) {
    VectorX u, g;
    multiplyTransposed(problem.H, VectorX::Unit(15, j), u);
    multiplyTransposed(problem.G, VectorX::Unit(15, j), g);
    H.row(j) = u.transpose();
    G.row(j) = g.transpose();
  }
  const VectorX r = VectorX::LinSpaced(12, -1, 2), lambda = VectorX::Constant(1, 0.7), vFree = VectorX::LinSpaced(15, 1, -1);
  VectorX v;
  f.assembly.velocityFromImpulses(vFree, r, lambda, v);
  EXPECT_LE((v - vFree - M.llt().solve(H * r + G * lambda)).norm(), 1e-12);
  f.assembly.setMomentum(vFree);
  EXPECT_LE((problem.f - M * vFree).norm(), 1e-13);
  const MatrixX W = H.transpose() * M.llt().solve(H);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(f.assembly.inverseMass(problem.H, k), W.block(3 * k, 3 * k, 3, 3).trace() / 3, 1e-12);
  WorldState other = f.state;
  f.assembly.scatterVelocities(v, other);
  VectorX back;
  f.assembly.gatherVelocities(other, back);
  EXPECT_EQ(back, v);
  EXPECT_EQ(other.velocity[3], f.state.velocity[3]);
}

TEST(ContactHistory, FindsSelectsAndTurnsImpulses) {
  std::vector<ContactMemory> all;
  for (const FeatureKey& key : {FeatureKey{0, 1, 5}, FeatureKey{0, 1, 9}, FeatureKey{0, 2, 1}, FeatureKey{3, 4, 2}}) {
    ContactMemory entry;
    entry.key = key;
    entry.impulse = {1, 2, 3};
    entry.step = 0.01;
    all.push_back(entry);
  }
  std::size_t hint = 0;
  EXPECT_EQ(findMemory(all, {0, 1, 9}, hint), &all[1]);
  EXPECT_EQ(findMemory(all, {0, 2, 1}, hint), &all[2]);
  EXPECT_EQ(findMemory(all, {0, 2, 1}, hint), &all[2]);
  EXPECT_EQ(findMemory(all, {0, 3, 1}, hint), nullptr);
  EXPECT_EQ(findMemory(all, {0, 1, 5}, hint), &all[0]);
  EXPECT_EQ(findMemory(all, {0, 1, 6}, hint), nullptr);
  EXPECT_EQ(findMemory(all, {9, 9, 0}, hint), nullptr);
  std::vector<ContactMemory> island;
  selectMemory(all, {{0, 1, 0.1, 0, 0}, {3, 4, 0.1, 0, 0}}, island);
  ASSERT_EQ(island.size(), 3u);
  EXPECT_EQ(island[2].key, all[3].key);
  Matrix3 F;
  F << 0, 1, 0, 0, 0, 1, 1, 0, 0;  // n = z, t1 = x, t2 = y
  EXPECT_LE((warmImpulse(all[0], F, 0.02) - Vector3{6, 2, 4}).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction
