// MJCF import against values worked out by hand: frames, masses of welded parts, free-joint speeds, materials, and the report of what is left out.
#include "io/Mjcf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "base/Error.hpp"
#include "io/Record.hpp"
#include "io/UrdfPackages.hpp"
#include "io/XmlScan.hpp"

namespace stiction {
namespace {

Scene load(const std::string& world, const std::string& rest = "") {
  return loadSceneText("<mujoco>" + rest + "<worldbody>" + world + "</worldbody></mujoco>", "test.xml");
}

const std::string ball = R"(<body name="ball" pos="1 2 3"><freejoint/><geom name="g" size=".1"/></body>)";

const Geom& geomNamed(const Model& model, const std::string& name) {
  for (const Geom& geom : model.geoms)
    if (geom.name == name) return geom;
  throw std::runtime_error{"no geom " + name};
}

std::string refusal(const std::string& world, const std::string& rest = "") {
  try {
    load(world, rest);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Mjcf, BoxHasItsMassAndInertia) {
  const Scene scene = load(R"(<body name="b" pos="1 2 3" quat="0 0 1 0"><freejoint/><geom type="box" size=".1 .2 .3" density="500"/></body>)");
  ASSERT_EQ(scene.model.bodies.size(), 2U);
  const Body& body = scene.model.bodies[1];
  const double mass = 500 * 8 * .1 * .2 * .3;
  EXPECT_EQ(body.kind, BodyKind::Dynamic);
  EXPECT_NEAR(body.mass, mass, 1e-12);
  EXPECT_LT((body.I_C - Matrix3{Vector3{.04 + .09, .01 + .09, .01 + .04}.asDiagonal() * (mass / 3)}).norm(), 1e-12);
  EXPECT_EQ(body.X_WB.position, (Vector3{1, 2, 3}));
  EXPECT_NEAR(std::abs(body.X_WB.rotation.y()), 1, 1e-15);
  EXPECT_EQ(scene.model.bodies[0].kind, BodyKind::Static);
  EXPECT_EQ(scene.start.position[1], (Vector3{1, 2, 3}));
}

// Two unit point-like spheres at ±a on x, the second in a child turned about z: the pair is a dumbbell.
TEST(Mjcf, WeldedPartsAreOneRigidBody) {
  const double r = 0.1, a = 0.7, m = 2;
  const Scene scene = load(R"(<body name="b" pos="0 0 5"><freejoint/><geom size=".1" pos=".7 0 0" mass="2"/>
    <body name="arm" euler="0 0 180"><geom name="tip" size=".1" pos=".7 0 0" mass="2"/></body></body>)");
  ASSERT_EQ(scene.model.bodies.size(), 2U);
  const Body& body = scene.model.bodies[1];
  EXPECT_NEAR(body.mass, 2 * m, 1e-14);
  EXPECT_LT(body.p_BC.norm(), 1e-15);
  const double own = 0.4 * m * r * r;
  EXPECT_NEAR(body.I_C(0, 0), 2 * own, 1e-14);
  EXPECT_NEAR(body.I_C(1, 1), 2 * (own + m * a * a), 1e-14);
  EXPECT_NEAR(body.I_C(2, 2), 2 * (own + m * a * a), 1e-14);
  const Geom& tip = geomNamed(scene.model, "tip");
  EXPECT_EQ(tip.body, 1);
  EXPECT_LT((tip.X_CG.position - Vector3{-a, 0, 0}).norm(), 1e-15);
}

TEST(Mjcf, FixedBodiesFoldIntoTheWorld) {
  const Scene scene =
      load(ball + R"(<body pos="0 0 1"><body pos="2 0 0" euler="0 0 90"><geom name="step" type="box" size="1 2 .5" pos="1 0 0"/></body></body>)");
  EXPECT_EQ(scene.model.bodies.size(), 2U);
  const Geom& step = geomNamed(scene.model, "step");
  EXPECT_EQ(step.body, 0);
  EXPECT_LT((step.X_CG.position - Vector3{2, 1, 1}).norm(), 1e-15);
  EXPECT_NEAR(std::abs(step.X_CG.rotation.z()), std::sqrt(.5), 1e-15);
}

// qvel of a free joint: the origin's velocity in world axes, the angular velocity in body axes.
TEST(Mjcf, KeyframeSpeedsBelongToTheBodyFrame) {
  const Scene scene = load(R"(<body name="b"><freejoint/><geom size=".1" pos="0 0 .5"/></body>)",
                           R"(<keyframe><key name="spin" time="2" qpos="1 2 3 2 2 0 0" qvel="4 5 6 0 0 7"/></keyframe>)");
  const WorldState& key = findKeyframe(scene, "spin");
  // The quaternion (2, 2, 0, 0) is a quarter turn about x: body z is world −y.
  EXPECT_EQ(key.time, 2);
  EXPECT_LT((key.position[1] - Vector3{1, 2 - .5, 3}).norm(), 1e-15);
  EXPECT_LT((key.angularVelocity[1] - Vector3{0, -7, 0}).norm(), 1e-14);
  EXPECT_LT((key.velocity[1] - Vector3{4, 5, 6}).norm(), 1e-14) << "the centre lies on the axis of rotation";
  EXPECT_THROW(findKeyframe(scene, "none"), InputError);
}

TEST(Mjcf, KeyframeVelocityOfAnEccentricCentre) {
  const Scene scene = load(R"(<body name="b"><freejoint/><geom size=".1" pos=".5 0 0"/></body>)",
                           R"(<keyframe><key name="k" qpos="0 0 0 1 0 0 0" qvel="1 0 0 0 0 2"/></keyframe>)");
  const WorldState& key = findKeyframe(scene, "k");
  EXPECT_LT((key.velocity[1] - Vector3{1, 1, 0}).norm(), 1e-15);  // v + ω × r
  const BodyFrame frame = bodyFrame(scene.model, key, 1);
  EXPECT_LT((frame.velocity - Vector3{1, 0, 0}).norm(), 1e-15);
  EXPECT_LT(frame.X_WB.position.norm(), 1e-15);
}

TEST(Mjcf, ThousandsOfBodiesCompile) {
  constexpr int bodies = 5000;
  const Scene scene = loadSceneText(R"(<mujoco><worldbody><replicate count=")" + std::to_string(bodies) +
                                        R"(" offset="0 0 0.3"><body><freejoint/><geom type="sphere" size="0.1"/></body></replicate></worldbody></mujoco>)",
                                    "many");
  EXPECT_EQ(std::count_if(scene.model.bodies.begin(), scene.model.bodies.end(), [](const Body& body) { return body.kind == BodyKind::Dynamic; }), bodies);
}

TEST(Mjcf, TimestepOnlyWhenWritten) {
  EXPECT_EQ(load(ball).model.timestep, 0);
  EXPECT_EQ(load(ball, R"(<option timestep="0.002"/>)").model.timestep, 0.002);
  EXPECT_EQ(load(ball, R"(<!-- <option timestep="0.002"/> -->)").model.timestep, 0);
  EXPECT_EQ(load(ball, R"(<option timestep="0.005"/>)").model.timestep, 0.005);
}

TEST(Mjcf, MaterialsAndFilters) {
  const Scene scene = load(ball + R"(<geom name="f" type="plane" size="1 1 1" friction=".25 1 1" condim="1" priority="3" contype="2" conaffinity="5"/>
    <body name="other"><freejoint/><geom name="h" size=".1"/></body>)",
                           R"(<contact><pair geom1="g" geom2="h" friction=".75 .75 0 0 0" condim="3"/><exclude body1="ball" body2="other"/></contact>)");
  const Geom& floor = geomNamed(scene.model, "f");
  EXPECT_EQ(floor.friction, .25);
  EXPECT_EQ(floor.condim, 1);
  EXPECT_EQ(floor.priority, 3);
  EXPECT_EQ(floor.contype, 2);
  EXPECT_EQ(floor.conaffinity, 5);
  ASSERT_EQ(scene.model.pairs.size(), 1U);
  EXPECT_EQ(scene.model.pairs[0].friction, .75);
  ASSERT_EQ(scene.model.excludes.size(), 1U);
  EXPECT_EQ(scene.model.excludes[0], (std::array<int, 2>{1, 2}));
}

TEST(Mjcf, AnExcludedFixedBodyStaysABodyOfItsOwn) {
  const Scene scene = load(ball + R"(<body name="post" pos="5 0 0"><geom name="p" size=".1" pos="0 1 0"/></body><geom name="f" type="plane" size="1 1 1"/>)",
                           R"(<contact><exclude body1="ball" body2="post"/></contact>)");
  const Geom& post = geomNamed(scene.model, "p");
  ASSERT_NE(post.body, 0);
  EXPECT_EQ(scene.model.bodies[static_cast<std::size_t>(post.body)].kind, BodyKind::Static);
  EXPECT_LT((scene.start.pose(post.body) * post.X_CG.position - Vector3{5, 1, 0}).norm(), 1e-15);
  EXPECT_EQ(geomNamed(scene.model, "f").body, 0);
}

TEST(Mjcf, ExcludingTheWorldSparesTheOtherFixedBodies) {
  const Scene scene = load(ball + R"(<body name="post"><geom name="p" size=".1"/></body><geom name="f" type="plane" size="1 1 1"/>)",
                           R"(<contact><exclude body1="ball" body2="world"/></contact>)");
  ASSERT_EQ(scene.model.excludes.size(), 1U);
  EXPECT_EQ(scene.model.excludes[0], (std::array<int, 2>{0, 1}));
  EXPECT_EQ(geomNamed(scene.model, "f").body, 0);
  EXPECT_NE(geomNamed(scene.model, "p").body, 0);
}

TEST(Mjcf, RestitutionForAllAndForSingleGeoms) {
  const Scene scene = load(
      ball + R"(<geom name="f" type="plane" size="1 1 1"/>)",
      R"(<custom><numeric name="stiction_restitution" data=".5"/><tuple name="stiction_restitution"><element objtype="geom" objname="g" prm=".8"/></tuple></custom>)");
  EXPECT_EQ(geomNamed(scene.model, "f").restitution, .5);
  EXPECT_EQ(geomNamed(scene.model, "g").restitution, .8);
  EXPECT_TRUE(scene.report.ignored.empty());
}

TEST(Mjcf, GravityCompensationAndFlags) {
  const Scene full = load(R"(<body name="b" gravcomp="1"><freejoint/><geom size=".1" mass="2"/></body>)");
  EXPECT_FALSE(full.model.bodies[1].gravity);
  const Scene half = load(R"(<body name="b" gravcomp=".5"><freejoint/><geom size=".1" mass="2"/></body>)");
  EXPECT_TRUE(half.model.bodies[1].gravity);
  EXPECT_LT((half.model.bodies[1].force - Vector3{0, 0, 9.81}).norm(), 1e-14);
  EXPECT_EQ(load(ball, R"(<option><flag gravity="disable"/></option>)").model.gravity, Vector3::Zero());
  EXPECT_EQ(geomNamed(load(ball, R"(<option><flag contact="disable"/></option>)").model, "g").contype, 0);
}

TEST(Mjcf, MocapBodiesAreKinematic) {
  const Scene scene =
      load(R"(<body name="hand" mocap="true" pos="0 0 1"><geom size=".1"/></body>)" + ball, R"(<keyframe><key name="k" mpos="4 5 6"/></keyframe>)");
  EXPECT_EQ(scene.model.bodies[1].kind, BodyKind::Kinematic);
  EXPECT_EQ(scene.model.bodies[1].X_WB.position, (Vector3{0, 0, 1}));
  EXPECT_EQ(findKeyframe(scene, "k").position[1], (Vector3{4, 5, 6}));
  EXPECT_EQ(findKeyframe(scene, "k").position[2], (Vector3{1, 2, 3}));
}

// A unit cube of eight vertices off its own centre: wherever the compiler moves the vertices, the corners in the world are those of the file.
TEST(Mjcf, MeshesStayWhereTheFilePutsThem) {
  const std::string asset = R"(<asset><mesh name="m" vertex="1 1 1  2 1 1  1 3 1  2 3 1  1 1 4  2 1 4  1 3 4  2 3 4"/></asset>)";
  const Scene scene =
      load(R"(<body name="b" pos="10 0 0"><freejoint/><geom name="g" type="mesh" mesh="m" density="100"/></body><geom name="s" type="mesh" mesh="m"/>)", asset);
  const Body& body = scene.model.bodies[1];
  EXPECT_NEAR(body.mass, 600, 1e-4);
  EXPECT_LT((body.p_BC - Vector3{1.5, 2, 2.5}).norm(), 1e-6);
  for (const auto& [name, offset] : {std::pair{"g", 10.0}, {"s", 0.0}}) {
    const Geom& geom = geomNamed(scene.model, name);
    const Pose X_WC{scene.start.position[static_cast<std::size_t>(geom.body)], scene.start.rotation[static_cast<std::size_t>(geom.body)]};
    const auto [low, high] = bounds(geom.shape, X_WC * geom.X_CG);
    EXPECT_LT((low - Vector3{1 + offset, 1, 1}).norm(), 1e-5) << name;
    EXPECT_LT((high - Vector3{2 + offset, 3, 4}).norm(), 1e-5) << name;
  }
  EXPECT_EQ(geomNamed(scene.model, "g").shape.type, ShapeType::Hull);
  EXPECT_EQ(geomNamed(scene.model, "s").shape.type, ShapeType::Mesh);
}

// The elevation of the file is read from the top row: the last row of the text is the lowest y.
TEST(Mjcf, TerrainRowsGrowWithY) {
  const Scene scene = load(ball + R"(<geom name="t" type="hfield" hfield="h"/>)",
                           R"(<asset><hfield name="h" nrow="3" ncol="4" size="1 2 3 .5" elevation="0 0 0 0  1 1 1 1  0 2 2 0"/></asset>)");
  const auto field = geomNamed(scene.model, "t").shape.heightField;
  ASSERT_TRUE(field);
  EXPECT_EQ(field->rows, 3);
  EXPECT_EQ(field->columns, 4);
  EXPECT_EQ(field->rx, 1);
  EXPECT_EQ(field->ry, 2);
  EXPECT_EQ(field->bottom, .5);
  EXPECT_EQ(field->heights, (std::vector<double>{0, 3, 3, 0, 1.5, 1.5, 1.5, 1.5, 0, 0, 0, 0}));
}

TEST(Mjcf, GeomsThatCanTouchNothingAreNotBuilt) {
  const Scene scene = load(R"(<body name="b"><freejoint/><geom size=".1"/><geom name="paint" size="1" mass="0" contype="0" conaffinity="0"/></body>)");
  EXPECT_EQ(scene.model.geoms.size(), 1U);
}

TEST(Mjcf, EverythingLeftOutIsListed) {
  const Scene scene = load(
      R"(<body name="b"><freejoint/><geom size=".1" solref=".02 1" margin=".1" rgba="1 0 0 1" condim="6"/><geom size=".1" solref=".02 1"/><site name="s"/></body><light/>)",
      R"(<option integrator="RK4" density="1" cone="pyramidal"><flag warmstart="disable"/></option><sensor><gyro site="s"/></sensor>
    <actuator><adhesion body="b" ctrlrange="0 1"/></actuator><custom><numeric name="mine" data="1"/></custom><statistic extent="1"/>)");
  std::vector<std::string> found;
  for (const ImportEntry& e : scene.report.ignored) found.push_back(e.element.substr(0, e.element.find(" (")) + ":" + e.attribute);
  for (const char* wanted : {"geom ×2:solref", "geom:margin", "geom:rgba", "site:", "light:", "option:integrator", "option:density", "flag:warmstart",
                             "sensor/gyro:", "actuator actuator_0:", "numeric mine:", "statistic:"})
    EXPECT_NE(std::find(found.begin(), found.end(), wanted), found.end()) << wanted;
  EXPECT_EQ(found.size(), 12U);
  std::vector<std::string> changed;
  for (const ImportEntry& e : scene.report.changed) changed.push_back(e.attribute);
  std::sort(changed.begin(), changed.end());
  EXPECT_EQ(changed, (std::vector<std::string>{"condim", "cone"}));
}

TEST(Mjcf, RefusalsNameTheElement) {
  const std::string two =
      R"(<body><joint name="i" type="hinge"/><joint name="j" type="slide"/><joint name="k" type="hinge" axis="1 0 0"/><geom size=".1"/></body>)";
  EXPECT_NE(refusal(two).find("slides between hinges"), std::string::npos);
  const std::string apart = R"(<body><joint name="i" type="hinge"/><joint name="j" type="hinge" pos=".1 0 0"/><geom size=".1"/></body>)";
  EXPECT_NE(refusal(apart).find("joint \"i\""), std::string::npos);
  EXPECT_NE(refusal(apart).find("parallel axes"), std::string::npos);
  EXPECT_NE(refusal(R"(<body><joint name="j" type="ball" stiffness="1"/><geom size=".1"/></body>)").find("a spring of a ball"), std::string::npos);
  const std::string arm = R"(<body><joint name="j"/><geom size=".1"/></body>)";
  EXPECT_NE(refusal(arm, R"(<actuator><muscle name="p" joint="j" lengthrange="0 1"/></actuator>)").find("actuator p"), std::string::npos);
  EXPECT_NE(refusal(arm, R"(<tendon><fixed name="t" stiffness="1" springlength="0 1"><joint joint="j" coef="1"/></fixed></tendon>)").find("tendon t"),
            std::string::npos);
  EXPECT_NE(refusal(arm, R"(<keyframe><key name="k" qpos="nan"/></keyframe>)").find("qpos[0]"), std::string::npos);
  EXPECT_EQ(refusal(arm), "accepted");
  EXPECT_EQ(refusal(arm, R"(<equality><joint name="lock" joint1="j"/></equality>)"), "accepted");
  const std::string cord = R"(<site name="a"/><body><joint/><geom size=".1"/><site name="b"/></body>)";
  const std::string taut = R"(<tendon><spatial name="cord"><site site="a"/><site site="b"/></spatial></tendon>)";
  EXPECT_NE(refusal(cord, taut + R"(<equality><tendon name="lock" tendon1="cord"/></equality>)").find("equality lock"), std::string::npos);
  EXPECT_EQ(refusal(cord, taut + R"(<equality><tendon name="lock" tendon1="cord" active="false"/></equality>)"), "accepted");
  EXPECT_EQ(refusal(cord, taut + R"(<option><flag equality="disable"/></option><equality><tendon name="lock" tendon1="cord"/></equality>)"), "accepted");
  EXPECT_EQ(refusal(ball, R"(<equality><connect name="pin" body1="ball" anchor="0 0 0"/></equality>)"), "accepted");
  EXPECT_NE(refusal(ball, R"(<keyframe><key name="k" qvel="0 0 nan 0 0 0"/></keyframe>)").find("qvel[2]"), std::string::npos);
  EXPECT_NE(refusal(ball, R"(<option gravity="0 0 nan"/>)").find("gravity"), std::string::npos);
  EXPECT_NE(refusal(R"(<body><freejoint/><geom size=".1" foo="1"/></body>)").find("test.xml:1"), std::string::npos);
}

TEST(Mjcf, ConnectionsAreReadOrListed) {
  const std::string world = R"(<body name="a" pos="1 0 0"><freejoint/><geom size=".1"/><body name="part" pos="0 .5 0"><geom size=".1"/></body></body>
    <body name="fixed"/>)";
  const Scene scene =
      load(world, R"(<equality><connect name="pin" body1="part" body2="world" anchor=".1 0 0" solref=".01 1"/><weld name="off" body1="a" active="false"/>
    <weld name="inside" body1="a" body2="part"/><weld name="still" body1="fixed"/></equality>)");
  ASSERT_EQ(scene.model.connections.size(), 1U);
  const Connection& pin = scene.model.connections[0];
  EXPECT_EQ(pin.name, "pin");
  EXPECT_EQ(pin.bodyA, 0);
  EXPECT_EQ(pin.bodyB, 1);
  EXPECT_FALSE(pin.R_AB);
  EXPECT_LT((pin.p_A - Vector3{1.1, 0.5, 0}).norm(), 1e-15);
  EXPECT_LT((pin.p_B - Vector3{0.1, 0.25, 0}).norm(), 1e-15);  // from the centre of mass of both parts
  std::string listed;
  for (const ImportEntry& entry : scene.report.ignored) listed += entry.element + " " + entry.attribute + ": " + entry.why + "\n";
  for (const char* what : {"equality off : switched off", "equality inside : its bodies", "equality still : its bodies", "connect (line 1) solref"})
    EXPECT_NE(listed.find(what), std::string::npos) << what << " in\n" << listed;
}

TEST(Mjcf, TendonsAndCouplingsAreRead) {
  const Scene scene = load(R"(<body><freejoint/><geom size=".1"/></body><body><joint name="a" ref="90" axis="0 1 0"/><geom size=".1"/>
    <body pos="1 0 0"><joint name="b" type="slide"/><geom size=".1"/></body></body>)",
                           R"(<tendon><fixed name="idle"><joint joint="a" coef="1"/></fixed>
    <fixed name="spring" stiffness="2" springlength=".3" damping=".4" armature=".5" frictionloss=".6" range="-1 2">
    <joint joint="b" coef="3"/><joint joint="a" coef="-.5"/></fixed>
    <fixed name="pulled"><joint joint="b" coef="1"/></fixed></tendon>
    <actuator><motor tendon="pulled" gear="2"/><general joint="a" dyntype="filter" dynprm=".2" actlimited="true" actrange="-1 3"/>
    <intvelocity joint="b" kp="5" actrange="-2 2"/></actuator>
    <equality><joint name="gear" joint1="a" joint2="b" polycoef=".1 .2 .3 .4 .5"/><joint name="lock" joint1="b" polycoef=".7"/>
    <tendon name="tied" tendon1="idle" tendon2="spring" polycoef="0 2"/></equality>
    <keyframe><key name="k" act=".8 -.9"/></keyframe>)");
  const Model& model = scene.model;
  ASSERT_EQ(model.tendons.size(), 2U);  // nothing acts along the idle one
  const Tendon& spring = model.tendons[0];
  EXPECT_EQ(spring.name, "spring");
  ASSERT_EQ(spring.terms.size(), 2U);
  EXPECT_EQ(spring.terms[0].joint, 1);
  EXPECT_EQ(spring.terms[0].coefficient, 3);
  EXPECT_EQ(spring.terms[1].joint, 0);
  EXPECT_EQ(spring.terms[1].coefficient, -0.5);
  EXPECT_EQ(spring.stiffness, 2);
  EXPECT_EQ(spring.springReference, 0.3);
  EXPECT_EQ(spring.damping, 0.4);
  EXPECT_EQ(spring.armature, 0.5);
  EXPECT_EQ(spring.friction, 0.6);
  EXPECT_TRUE(spring.limited);
  EXPECT_EQ(spring.low, -1);
  EXPECT_EQ(spring.high, 2);
  ASSERT_EQ(model.actuators.size(), 3U);
  EXPECT_EQ(model.actuators[0].tendon, 1);
  EXPECT_EQ(model.actuators[0].gear, 2);
  EXPECT_EQ(model.actuators[1].tendon, -1);
  EXPECT_EQ(model.actuators[1].activation, Activation::Filter);
  EXPECT_EQ(model.actuators[1].timeConstant, 0.2);
  EXPECT_EQ(model.actuators[1].highActivation, 3);
  EXPECT_EQ(model.actuators[2].activation, Activation::Integrator);
  EXPECT_EQ(model.actuators[2].lowActivation, -2);
  EXPECT_EQ(findKeyframe(scene, "k").activation, (std::vector<double>{0, 0.8, -0.9}));
  ASSERT_EQ(model.couplings.size(), 3U);
  const Coupling &gear = model.couplings[0], &lock = model.couplings[1], &tied = model.couplings[2];
  EXPECT_EQ(gear.driven[0].joint, 0);
  EXPECT_EQ(gear.driving[0].joint, 1);
  EXPECT_EQ(gear.polynomial, (std::array<double, 5>{0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_TRUE(lock.driving.empty());
  EXPECT_EQ(lock.polynomial[0], 0.7);
  EXPECT_EQ(tied.driven.size(), 1U);
  EXPECT_EQ(tied.driving.size(), 2U);
  EXPECT_EQ(tied.polynomial[1], 2);
}

TEST(Mjcf, MotorsOnSitesAreThrusters) {
  const Scene scene = load(R"(<body pos="0 0 1"><freejoint/><geom size=".1" pos=".2 0 0"/><body pos="0 .5 0" euler="0 0 90"><geom size=".1"/>
    <site name="s" pos=".1 0 0" euler="90 0 0"/></body></body><site name="still"/>)",
                           R"(<actuator><motor name="jet" site="s" gear="0 0 2 .5 0 0"/><motor name="none" site="still"/></actuator>)");
  ASSERT_EQ(scene.model.thrusters.size(), 1U);
  const Thruster& jet = scene.model.thrusters[0];
  EXPECT_EQ(jet.name, "jet");
  EXPECT_EQ(jet.body, 1);
  EXPECT_LT((jet.point - (Vector3{0, 0.6, 0} - Vector3{0.1, 0.25, 0})).norm(), 1e-14);  // from the centre of mass of both parts
  EXPECT_LT((jet.force - Vector3{2, 0, 0}).norm(), 1e-14);
  EXPECT_LT((jet.torque - Vector3{0, 0.5, 0}).norm(), 1e-14);
  ASSERT_EQ(scene.model.actuators.size(), 1U);
  EXPECT_EQ(scene.model.actuators[0].thruster, 0);
}

TEST(Mjcf, TrianglesWithoutAreaAreLeftOut) {
  const Scene scene = load(R"(<geom name="rock" type="mesh" mesh="m"/>)", R"(<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 .5 0 0"
    face="0 2 1 0 1 3 0 3 2 1 2 3 0 1 4"/></asset>)");
  ASSERT_EQ(scene.model.geoms.size(), 1U);
  EXPECT_EQ(scene.model.geoms[0].shape.mesh->triangles.size(), 4U);
  ASSERT_EQ(scene.report.changed.size(), 2U);
  EXPECT_EQ(scene.report.changed[0].element, "geom rock mesh m");
  EXPECT_EQ(scene.report.changed[0].why, "1 triangles without area are left out");
}

TEST(Mjcf, HingesOfOneBodyHaveTheirOwnPoints) {
  const Model model =
      load(R"(<body><joint type="slide"/><joint axis="0 1 0" pos="0 0 .3"/><joint axis="1 0 0" pos="0 .1 .2"/><geom size=".1" pos="0 0 -1"/></body>)").model;
  ASSERT_EQ(model.joints.size(), 3U);
  EXPECT_EQ(model.joints[0].offset, Vector3::Zero());
  EXPECT_LT((model.joints[1].offset - Vector3{0, -0.1, 0.1}).norm(), 1e-15);
  EXPECT_EQ(model.joints[2].offset, Vector3::Zero());
  EXPECT_LT((model.mobilizers[0].p_CA - Vector3{0, 0.1, 1.2}).norm(), 1e-15);
}

TEST(Mjcf, JointsAndActuatorsAreRead) {
  const Scene scene = load(R"(<body name="cart" pos="1 0 0"><joint name="x" type="slide" axis="2 0 0" ref=".1" range="-1 3" armature=".2" frictionloss=".3"/>
    <geom size=".1" mass="2"/><body name="glued" pos="0 0 1"><geom size=".1" mass="1"/></body>
    <body name="pole" pos="0 .5 0"><joint name="turn" axis="0 1 0" pos="0 0 .2" damping=".4" stiffness="5" springref="90"/><geom size=".1" mass="1" pos="0 0 -1"/></body></body>)",
                           R"(<actuator><motor name="m" joint="x" gear="3" ctrllimited="true" ctrlrange="-1 2"/>
    <position name="p" joint="turn" kp="10" kv="2" forcelimited="true" forcerange="-4 5"/></actuator>
    <keyframe><key name="k" qpos=".4 7" qvel="2 3" ctrl=".5 -.25"/></keyframe>)");
  const Model& model = scene.model;
  ASSERT_EQ(model.bodies.size(), 3U);  // what is welded on is part of the cart
  EXPECT_DOUBLE_EQ(model.bodies[1].mass, 3);
  ASSERT_EQ(model.joints.size(), 2U);
  const Joint& x = model.joints[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, JointType::Slide);
  EXPECT_EQ(x.axis, Vector3::UnitX());
  EXPECT_EQ(x.reference, 0.1);
  EXPECT_TRUE(x.limited);
  EXPECT_EQ(x.low, -1);
  EXPECT_EQ(x.high, 3);
  EXPECT_EQ(x.armature, 0.2);
  EXPECT_EQ(x.friction, 0.3);
  const Joint& turn = model.joints[1];
  EXPECT_EQ(turn.type, JointType::Hinge);
  EXPECT_FALSE(turn.limited);
  EXPECT_EQ(turn.damping, 0.4);
  EXPECT_EQ(turn.stiffness, 5);
  EXPECT_DOUBLE_EQ(turn.springReference, std::numbers::pi / 2);
  ASSERT_EQ(model.mobilizers.size(), 2U);
  EXPECT_EQ(model.mobilizers[1].parent, 1);
  EXPECT_LT((model.mobilizers[1].p_CA - Vector3{0, 0, 1.2}).norm(), 1e-15);  // from the centre of mass
  EXPECT_EQ(model.excludes, (std::vector<std::array<int, 2>>{{1, 2}}));      // not with the world
  ASSERT_EQ(model.actuators.size(), 2U);
  EXPECT_EQ(model.actuators[0].gear, 3);
  EXPECT_EQ(model.actuators[0].highControl, 2);
  EXPECT_EQ(model.actuators[1].bias, (std::array<double, 3>{0, -10, -2}));
  EXPECT_EQ(model.actuators[1].lowForce, -4);
  const WorldState& key = findKeyframe(scene, "k");
  EXPECT_EQ(key.control, (std::vector<double>{0.5, -0.25}));
  EXPECT_EQ(key.jointPosition, (std::vector<double>{0.4, 7}));
  EXPECT_LT((key.position[1] - Vector3{1.3, 0, 1.0 / 3}).norm(), 1e-15);
  EXPECT_LT((key.velocity[1] - Vector3{2, 0, 0}).norm(), 1e-15);
  EXPECT_LT((key.angularVelocity[2] - Vector3{0, 3, 0}).norm(), 1e-15);
  const Vector3 arm = Quaternion{Eigen::AngleAxisd{7, Vector3::UnitY()}} * Vector3{0, 0, -1.2};
  EXPECT_LT((key.position[2] - (Vector3{1.3, 0.5, 0.2} + arm)).norm(), 1e-14);
  EXPECT_LT((key.velocity[2] - (Vector3{2, 0, 0} + Vector3{0, 3, 0}.cross(arm))).norm(), 1e-14);
}

TEST(Urdf, FloatingLinksAreFreeBodies) {
  const Scene scene =
      loadSceneText(R"(<robot name="r"><link name="ground"><collision><origin xyz="0 0 -.5"/><geometry><box size="10 10 1"/></geometry></collision></link>
    <link name="brick"><inertial><origin xyz=".1 0 0"/><mass value="2"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".025"/></inertial>
    <visual><geometry><sphere radius="3"/></geometry></visual><collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
    <joint name="f" type="floating"><parent link="ground"/><child link="brick"/><origin xyz="0 0 .1"/></joint></robot>)",
                    "r.urdf");
  ASSERT_EQ(scene.model.bodies.size(), 2U);
  const Body& brick = scene.model.bodies[1];
  EXPECT_EQ(brick.name, "brick");
  EXPECT_EQ(brick.mass, 2);
  EXPECT_LT((brick.p_BC - Vector3{.1, 0, 0}).norm(), 1e-15);
  EXPECT_LT((brick.I_C - Matrix3{Vector3{.01, .02, .025}.asDiagonal()}).norm(), 1e-15);
  EXPECT_LT((brick.X_WB.position - Vector3{0, 0, .1}).norm(), 1e-15);
  EXPECT_EQ(scene.model.geoms.size(), 2U);
  ASSERT_EQ(scene.report.ignored.size(), 1U);
  EXPECT_EQ(scene.report.ignored[0].element.substr(0, 6), "visual");
}

/// Links overlap where they are joined, and hardly any URDF means them to collide there.
TEST(Urdf, MimickingJointsFollow) {
  const auto link = [](const char* name) {
    return std::string{"<link name=\""} + name + R"("><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>)";
  };
  const auto joint = [](const char* name, const char* child, const char* more) {
    return std::string{"<joint name=\""} + name + R"(" type="prismatic"><parent link="base"/><child link=")" + child +
           R"("/><axis xyz="0 1 0"/><limit lower="0" upper="1"/>)" + more + "</joint>";
  };
  const Scene scene = loadSceneText("<robot name=\"gripper\">" + link("base") + link("left") + link("right") + joint("open", "left", "") +
                                        joint("follow", "right", R"(<mimic joint="open" multiplier="-2" offset="0.1"/>)") + "</robot>",
                                    "gripper.urdf");
  ASSERT_EQ(scene.model.couplings.size(), 1U);
  const Coupling& follow = scene.model.couplings[0];
  EXPECT_EQ(scene.model.joints[static_cast<std::size_t>(follow.driven[0].joint)].name, "follow");
  EXPECT_EQ(scene.model.joints[static_cast<std::size_t>(follow.driving[0].joint)].name, "open");
  EXPECT_EQ(follow.polynomial[0], 0.1);
  EXPECT_EQ(follow.polynomial[1], -2);
  for (const ImportEntry& entry : scene.report.ignored) EXPECT_EQ(entry.element.find("mimic"), std::string::npos);
}

TEST(Urdf, LinksDoNotCollideWithWhatTheyHangOn) {
  const std::string inertial = R"(<inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>)";
  const std::string box = R"(<collision><geometry><box size=".2 .2 .2"/></geometry></collision>)";
  const std::string hinge = R"(<limit lower="-1" upper="1" effort="9" velocity="9"/><axis xyz="0 0 1"/>)";
  const Model model = loadSceneText("<robot name=\"r\"><link name=\"base\">" + box + "</link><link name=\"a\">" + inertial + box + "</link><link name=\"b\">" +
                                        inertial + box + "</link><joint name=\"i\" type=\"revolute\"><parent link=\"base\"/><child link=\"a\"/>" + hinge +
                                        "</joint><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>" + hinge + "</joint></robot>",
                                    "r.urdf")
                          .model;
  EXPECT_EQ(model.excludes, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}}));
}

TEST(Mjcf, AnIncludedFileMayHaveTheNameOfTheScene) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path{::testing::TempDir()} / "stiction_mjcf_includes";
  fs::create_directories(root / "assets");
  std::ofstream{root / "assets" / "dial.xml"} << R"(<mujocoinclude><body><freejoint/><geom size=".1"/></body></mujocoinclude>)";
  std::ofstream{root / "dial.xml"} << R"(<mujoco><worldbody><include file="assets/dial.xml"/></worldbody></mujoco>)";
  EXPECT_EQ(loadScene((root / "dial.xml").string()).model.dynamicBodies.size(), 1U);
  fs::remove_all(root);
}

TEST(Mjcf, MeshesOfOtherFormatsAreToBeConverted) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path{::testing::TempDir()} / "stiction_mjcf_meshes";
  fs::create_directories(root);
  for (const char* name : {"m.dae", "m.stl"}) {
    std::ofstream{root / name} << "solid m\n" << std::string(200, ' ') << "\nendsolid m\n";
    std::ofstream{root / "s.xml"} << R"(<mujoco><asset><mesh name="m" file=")" << name
                                  << R"("/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>)";
    try {
      loadScene((root / "s.xml").string());
      ADD_FAILURE() << "accepted " << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find("convert the mesh to OBJ or binary STL"), std::string::npos) << error.what();
    }
  }
  fs::remove_all(root);
}

/// A package lies beside the file or above it, and is named by its folder, or not at all.
TEST(Urdf, PackagesAreFound) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path{::testing::TempDir()} / "stiction_urdf_packages", package = root / "arm";
  fs::create_directories(package / "urdf");
  fs::create_directories(package / "meshes");
  std::ofstream{package / "meshes" / "m.obj"} << "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto text = [](const std::string& mesh) {
    return R"(<robot name="r"><link name="base"/><link name="a"><inertial><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
      <collision><geometry><mesh filename=")" +
           mesh + R"("/></geometry></collision></link><joint name="j" type="floating"><parent link="base"/><child link="a"/></joint></robot>)";
  };
  const std::string found = (package / "meshes" / "m.obj").string();
  for (const fs::path& folder : {package, package / "urdf"})
    for (const char* name : {"package://arm/meshes/m.obj", "package://meshes/m.obj"})
      EXPECT_EQ(resolvePackages(text(name), folder.string(), "r.urdf"), text(found));
  EXPECT_EQ(resolvePackages(text("meshes/m.obj"), root.string(), "r.urdf"), text("meshes/m.obj"));
  const std::string file = (package / "urdf" / "r.urdf").string();
  std::ofstream{file} << text("package://arm/meshes/m.obj");
  EXPECT_EQ(loadScene(file).model.geoms.size(), 1U);
  std::ofstream{file} << text("package://leg/meshes/m.stl");
  try {
    loadScene(file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find(file + ": package://leg/meshes/m.stl"), std::string::npos) << error.what();
  }
  fs::remove_all(root);
}

TEST(XmlScan, ElementsAttributesAndLines) {
  const auto list = scanXml("<?xml version='1.0'?>\n<!-- <no/> -->\n<a x='1' y = \"2>3\">\n<b/><c z=''>text</c>\n</a>");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].name, "a");
  EXPECT_EQ(list[0].line, 3);
  EXPECT_EQ(*list[0].find("y"), "2>3");
  EXPECT_EQ(list[1].name, "b");
  EXPECT_EQ(list[1].parent, 0);
  EXPECT_EQ(list[2].parent, 0);
  EXPECT_EQ(list[2].line, 4);
  EXPECT_EQ(*list[2].find("z"), "");
  EXPECT_EQ(list[2].find("x"), nullptr);
}

TEST(XmlScan, AnythingAtAllIsSurvived) {
  for (const char* text : {"", "<", "<<<", "</a></b>", "<a", "<a x", "<a x=", "<a x='", "<!--", "<![CDATA[", "<a/", "< >", "<a =''>", "\xff\xfe<a>"})
    EXPECT_LE(scanXml(text).size(), 3U) << text;
}

}  // namespace
}  // namespace stiction
