// What a scene may hold: each check with a value just outside its range, and what build() arranges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/Error.hpp"
#include "model/Model.hpp"

namespace stiction {
namespace {

Body solid() {
  Body body;
  body.name = "brick";
  body.mass = 2;
  body.I_C = Vector3{1, 2, 2.5}.asDiagonal();
  return body;
}

Geom ball(int body) {
  Geom geom;
  geom.body = body;
  geom.shape = Shape::sphere(0.5);
  return geom;
}

template <class Change>
void expectRefused(Change change, const std::string& word) {
  Body body = solid();
  change(body);
  ModelBuilder builder;
  builder.addBody(body);
  try {
    builder.build();
    ADD_FAILURE() << "accepted: " << word;
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
    EXPECT_NE(std::string{error.what()}.find("brick"), std::string::npos) << error.what();
  }
}

TEST(ModelBuilder, bodiesAreChecked) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  expectRefused([](Body& b) { b.mass = 0; }, "mass");
  expectRefused([](Body& b) { b.mass = -1; }, "mass");
  expectRefused([=](Body& b) { b.mass = nan; }, "mass");
  expectRefused([=](Body& b) { b.mass = inf; }, "mass");
  expectRefused([](Body& b) { b.I_C = Matrix3::Zero(); }, "inertia");
  expectRefused([](Body& b) { b.I_C(2, 2) = 3.00001; }, "sum of the other two");
  expectRefused([](Body& b) { b.I_C(0, 1) = 0.1; }, "symmetric");
  expectRefused([](Body& b) { b.I_C(0, 0) = -1; }, "positive definite");
  expectRefused([=](Body& b) { b.I_C(1, 1) = inf; }, "inertia");
  expectRefused([=](Body& b) { b.X_WB.position.y() = nan; }, "position");
  expectRefused([](Body& b) { b.X_WB.rotation = Quaternion{0, 0, 0, 0}; }, "quaternion");
  expectRefused([=](Body& b) { b.velocity.x() = inf; }, "velocity");
  expectRefused([=](Body& b) { b.torque.x() = nan; }, "torque");
  expectRefused([](Body& b) { b.kind = BodyKind::Static, b.velocity.x() = 1; }, "velocity");
}

TEST(ModelBuilder, limitsThemselvesAreAccepted) {
  ModelBuilder builder;
  Body flat = solid();
  flat.I_C = Vector3{1, 2, 3}.asDiagonal();
  builder.addBody(flat);
  Body locked = solid();
  locked.I_C = Vector3::Constant(std::numeric_limits<double>::infinity()).asDiagonal();
  builder.addBody(locked);
  Body wall;
  wall.kind = BodyKind::Static;
  builder.addBody(wall);
  Body turned = solid();
  turned.X_WB.rotation = Quaternion{2, 0, 0, 0};
  builder.addBody(turned);
  const Model model = builder.build();
  EXPECT_EQ(model.dynamicBodies, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(model.bodies[4].X_WB.rotation.w(), 1.0);
  EXPECT_EQ(model.bodies[0].name, "world");
}

TEST(ModelBuilder, geomsAndPairsAreChecked) {
  ModelBuilder builder;
  const int body = builder.addBody(solid());
  const int geom = builder.addGeom(ball(body), Pose{});
  const auto refuses = [&](auto change) {
    ModelBuilder other = builder;
    change(other);
    EXPECT_THROW(other.build(), InputError);
  };
  EXPECT_THROW(builder.addGeom(ball(7), Pose{}), InputError);
  refuses([&](ModelBuilder& b) { b.geom(geom).friction = -0.1; });
  refuses([&](ModelBuilder& b) { b.geom(geom).friction = std::nan(""); });
  refuses([&](ModelBuilder& b) { b.geom(geom).restitution = 1.01; });
  refuses([&](ModelBuilder& b) { b.geom(geom).condim = 2; });
  refuses([&](ModelBuilder& b) { b.geom(geom).shape.size.x() = 0; });
  refuses([&](ModelBuilder& b) { b.geom(geom).shape = Shape::plane(); });
  refuses([&](ModelBuilder& b) { b.geom(geom).shape = Shape::terrain({2, 2, 1, 1, 0.1, {0, 0, 0, 0}}); });
  refuses([&](ModelBuilder& b) { b.geom(geom).shape = Shape::triangles({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}); });
  refuses([&](ModelBuilder& b) { b.geom(geom).X_CG.rotation = Quaternion{0, 0, 0, 0}; });
  refuses([&](ModelBuilder& b) { b.addPair({geom, 5}); });
  refuses([&](ModelBuilder& b) { b.addPair({geom, geom}); });
  refuses([&](ModelBuilder& b) { b.addExclude(0, 9); });
  refuses([&](ModelBuilder& b) { b.setTimestep(-1); });
  refuses([&](ModelBuilder& b) { b.setGravity({0, 0, std::nan("")}); });
  EXPECT_NO_THROW(builder.build());
}

TEST(ModelBuilder, geomsAreSortedByBodyAndPairsFollow) {
  ModelBuilder builder;
  const int a = builder.addBody(solid()), b = builder.addBody(solid());
  Geom first = ball(b), second = ball(a), third = ball(0);
  first.name = "first", second.name = "second", third.name = "third";
  const int g1 = builder.addGeom(first, {{1, 2, 3}, Quaternion::Identity()}), g2 = builder.addGeom(second, Pose{});
  builder.addGeom(third, Pose{});
  builder.addPair({g1, g2, 0.25});
  builder.addExclude(b, a);
  builder.addExclude(a, b);
  const Model model = builder.build();
  ASSERT_EQ(model.geoms.size(), 3u);
  EXPECT_EQ(model.geoms[0].name, "third");
  EXPECT_EQ(model.geoms[1].name, "second");
  EXPECT_EQ(model.geoms[2].name, "first");
  EXPECT_EQ(model.pairs[0].geomA, 1);
  EXPECT_EQ(model.pairs[0].geomB, 2);
  EXPECT_EQ(model.excludes, (std::vector<std::array<int, 2>>{{1, 2}}));
}

TEST(ModelBuilder, solidTakesMassFromItsShapeAndCentresItsGeom) {
  ModelBuilder builder;
  const int id = builder.addSolid("wedge", Shape::hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 600, Pose{}, 0.5);
  const Model model = builder.build();
  EXPECT_NEAR(model.bodies[static_cast<std::size_t>(id)].mass, 100, 1e-12);
  EXPECT_LT((model.bodies[static_cast<std::size_t>(id)].p_BC - Vector3::Constant(0.25)).norm(), 1e-15);
  EXPECT_LT((model.geoms[0].X_CG.position + Vector3::Constant(0.25)).norm(), 1e-15);
}

TEST(Combine, maximumPriorityAndCondim) {
  Geom a = ball(0), b = ball(0);
  a.friction = 0.3, b.friction = 0.8, a.restitution = 0.6, b.restitution = 0.1;
  EXPECT_EQ(combine(a, b).friction, 0.8);
  EXPECT_EQ(combine(a, b).restitution, 0.6);
  a.priority = 1;
  EXPECT_EQ(combine(a, b).friction, 0.3);
  EXPECT_EQ(combine(b, a).friction, 0.3);
  a.condim = 1;
  EXPECT_EQ(combine(a, b).friction, 0.0);
  a.priority = 0;
  EXPECT_EQ(combine(a, b).friction, 0.8);  // the larger condim decides
  b.condim = 1;
  EXPECT_EQ(combine(b, a).friction, 0.0);
}

}  // namespace
}  // namespace stiction
