// Joints in the certified step: discrete laws of single coordinates, closed forms, integrated equations of motion, and what they conserve.
#include <gtest/gtest.h>

#include <functional>

#include "Scenes.hpp"
#include "base/Error.hpp"
#include "diagnostics/Account.hpp"
#include "dynamics/JointMotion.hpp"
#include "math/Rotation.hpp"
#include "state/WorldState.hpp"

namespace stiction::laws {
namespace {

Joint slide(const Vector3& axis) {
  Joint joint = hinge(axis);
  joint.name = "slide";
  joint.type = JointType::Slide;
  return joint;
}

Joint ball() {
  Joint joint;
  joint.name = "ball";
  joint.type = JointType::Ball;
  return joint;
}

/// A mass that slides along x without gravity.
struct Slider {
  explicit Slider(const Joint& joint, double mass = 2) {
    builder.setGravity(Vector3::Zero());
    body = addMass(builder, mass, {1, 1, 1}, {0, 0, 0});
    builder.addJoints(0, body, Vector3::Zero(), {joint});
  }
  ModelBuilder builder;
  int body;
};

TEST(Joints, WhatRestsWithoutGravityStartsByItsMotor) {
  Joint joint = slide(Vector3::UnitX());
  joint.limited = true;
  joint.low = -1;
  joint.high = 0.05;
  Slider scene{joint};
  Actuator servo;
  servo.gain = 8;
  servo.bias = {0, -8, -1};
  scene.builder.addActuator(servo);
  Simulation simulation{scene.builder.build(), {}};
  simulation.setControl(0, 0.1);
  double q = 0, v = 0;
  const double h = 0.004;
  while (q + h * (2 * v + h * 8 * (0.1 - q)) / (2 + h + h * h * 8) < joint.high) {  // the rest is the range's
    advance(simulation, h, 1);
    v = (2 * v + h * 8 * (0.1 - q)) / (2 + h + h * h * 8);
    q += h * v;
    ASSERT_NEAR(simulation.joint(0).position, q, 1e-12);
  }
  advance(simulation, h, 500);
  EXPECT_NEAR(simulation.joint(0).position, joint.high, 1e-9);
  EXPECT_EQ(simulation.joint(0).rate, 0);
}

/// A body without geoms that turns about its centre: no contact, row or point of it would see that it should.
TEST(Joints, AConstantTorqueTurnsWhatRests) {
  for (const bool limited : {false, true}) {
    Joint joint = hinge(Vector3::UnitZ());
    joint.limited = limited;
    joint.low = -1;
    joint.high = 1000;
    Slider scene{joint};
    scene.builder.addActuator({});
    Simulation simulation{scene.builder.build(), {}};
    advance(simulation, 0.01, 10);
    simulation.setControl(0, 0.3);
    advance(simulation, 0.01, 100);
    EXPECT_NEAR(simulation.joint(0).rate, 0.3, 1e-12);  // by 0.3 N m for a second, 1 kg m²
  }
}

TEST(Joints, OneCoordinateFollowsItsDiscreteLaw) {
  Joint joint = slide(Vector3::UnitX());
  joint.armature = 0.7;
  joint.damping = 3;
  joint.stiffness = 50;
  joint.springReference = 0.2;
  joint.reference = -0.1;
  for (const double h : {0.0001, 0.004, 0.05}) {
    Slider scene{joint};
    Actuator motor;
    motor.gear = 4;
    scene.builder.addActuator(motor);
    Simulation simulation{scene.builder.build(), {}};
    simulation.setControl(0, 1.5);
    simulation.setVelocity(scene.body, {0.8, 0, 0}, Vector3::Zero());
    double q = -0.1, v = 0.8;
    for (int k = 0; k < 200; ++k) {
      advance(simulation, h, 1);
      v = ((2 + 0.7) * v + h * (4 * 1.5 - 50 * (q - 0.2))) / (2 + 0.7 + h * 3 + h * h * 50);
      q += h * v;
      const JointReading found = simulation.joint(0);
      ASSERT_NEAR(found.position, q, 1e-11) << h << " step " << k;
      ASSERT_NEAR(found.rate, v, 1e-11);
    }
  }
}

TEST(Joints, DryFrictionStopsAndHolds) {
  Joint joint = slide(Vector3::UnitX());
  joint.friction = 10;
  for (const double armature : {0.0, 3.0}) {
    joint.armature = armature;
    Slider scene{joint};
    scene.builder.addActuator({});
    Simulation simulation{scene.builder.build(), {}};
    simulation.setVelocity(scene.body, {2, 0, 0}, Vector3::Zero());
    const double h = 0.003;
    double q = 0, v = 2;
    for (int k = 0; k < 500; ++k) {
      advance(simulation, h, 1);
      v = std::max(0.0, v - h * 10 / (2 + armature));
      q += h * v;
      ASSERT_NEAR(simulation.joint(0).position, q, 1e-11) << "step " << k;
    }
    const WorldState rest = simulation.state();
    simulation.setControl(0, -9.999);  // less than it holds
    advance(simulation, h, 100);
    EXPECT_TRUE(sameBits(rest, simulation.state(), scene.body));
    simulation.setControl(0, -11);
    advance(simulation, h, 100);
    EXPECT_NEAR(simulation.joint(0).rate, -100 * h * 1 / (2 + armature), 1e-11);
  }
}

TEST(Joints, ServosSaturate) {
  Slider scene{slide(Vector3::UnitX())};
  Actuator servo;
  servo.gain = 400;
  servo.bias = {0, -400, -40};
  servo.lowForce = -5;
  servo.highForce = 5;
  scene.builder.addActuator(servo);
  Simulation simulation{scene.builder.build(), {}};
  simulation.setControl(0, 1);
  const double h = 0.01;
  double q = 0, v = 0;
  for (int k = 0; k < 400; ++k) {
    advance(simulation, h, 1);
    const auto force = [&](double rate) { return 400 * (1 - q - h * rate) - 40 * rate; };
    const double within = (2 * v + h * 400 * (1 - q)) / (2 + h * 40 + h * h * 400);
    v = force(within) > 5 ? v + h * 5 / 2 : force(within) < -5 ? v - h * 5 / 2 : within;
    q += h * v;
    ASSERT_NEAR(simulation.joint(0).position, q, 1e-11) << "step " << k;
  }
  EXPECT_NEAR(q, 1, 1e-3);
}

/// Two wheels, the second one turned −n times as far by the first: a torque on the first moves I₁ + n² I₂, and gears do no work.
TEST(Joints, GearsTurnAsOneWheel) {
  const double n = 3, I1 = 0.2, I2 = 0.05, torque = 0.7, h = 0.01;
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  const int a = addMass(builder, 1, {1, 1, I1}, {0, 0, 0}), b = addMass(builder, 1, {1, 1, I2}, {1, 0, 0});
  for (const int wheel : {a, b}) builder.addJoints(0, wheel, Vector3::Zero(), {hinge(Vector3::UnitZ())});
  builder.addActuator({});
  Coupling gear;
  gear.driven = {{1}};
  gear.driving = {{0}};
  gear.polynomial = {0, -n};
  builder.addCoupling(gear);
  Simulation simulation{builder.build(), {}};
  simulation.setControl(0, torque);
  advance(simulation, h, 300);
  const double rate = 300 * h * torque / (I1 + n * n * I2);
  EXPECT_NEAR(simulation.joint(0).rate, rate, 1e-10);
  EXPECT_NEAR(simulation.joint(1).rate, -n * rate, 1e-10);
  EXPECT_NEAR(simulation.joint(1).position, -n * simulation.joint(0).position, 1e-9);  // some five turns of the one, fifteen of the other
  EXPECT_GT(simulation.joint(0).position, 4);
}

/// Two sliders that follow a parabola, y = x²/2: a bead on that wire and what carries it along x, by their energy, (m_c + m (1 + x²)) ẋ²/2.
TEST(Joints, ABeadOnAParabolaKeepsItsSpeed) {
  const auto speedAfter = [](double h) {
    ModelBuilder builder;
    builder.setGravity(Vector3::Zero());
    const int carrier = addMass(builder, 0.5, {1, 1, 1}, {0, 0, 0}), bead = addMass(builder, 2, {1, 1, 1}, {0, 0, 0});
    builder.addJoints(0, carrier, Vector3::Zero(), {slide(Vector3::UnitX())});
    builder.addJoints(carrier, bead, Vector3::Zero(), {slide(Vector3::UnitY())});
    Coupling wire;
    wire.driven = {{1}};
    wire.driving = {{0}};
    wire.polynomial = {0, 0, 0.5};
    builder.addCoupling(wire);
    Simulation simulation{builder.build(), {}};
    simulation.setVelocity(carrier, {1, 0, 0}, Vector3::Zero());
    simulation.setVelocity(bead, {1, 0, 0}, Vector3::Zero());
    advance(simulation, h, static_cast<int>(std::lround(2 / h)));
    const double x = simulation.joint(0).position, rate = simulation.joint(0).rate;
    EXPECT_NEAR(simulation.joint(1).position, 0.5 * x * x, 1e-9);
    return rate * std::sqrt((0.5 + 2 * (1 + x * x)) / 2.5);
  };
  const double coarse = speedAfter(0.004), fine = speedAfter(0.002);
  EXPECT_NEAR(coarse, 1, 0.01);
  EXPECT_NEAR(2 * fine - coarse, 1, 1e-5);  // of first order in h
}

/// A cord over two sliders of 2 and 3 kg, y = q₁ − 2 q₂: its spring and damper act on y with the mass 1/(1/2 + 4/3), its servo likewise, and its range ends y.
TEST(Joints, TendonsActOnAllTheirJoints) {
  Tendon cord;
  cord.name = "cord";
  cord.terms = {{0, 1}, {1, -2}};
  cord.stiffness = 40;
  cord.springReference = 0.3;
  cord.damping = 0.5;
  const double mass = 1 / (1.0 / 2 + 4.0 / 3), h = 0.01;
  for (const double armature : {0.0, 0.4}) {
    cord.armature = armature;
    Slider scene{slide(Vector3::UnitX())};
    const int other = addMass(scene.builder, 3, {1, 1, 1}, {0, 1, 0});
    scene.builder.addJoints(0, other, Vector3::Zero(), {slide(Vector3::UnitX())});
    scene.builder.addTendon(cord);
    Actuator motor;
    motor.tendon = 0;
    motor.gear = 2;
    scene.builder.addActuator(motor);
    Simulation simulation{scene.builder.build(), {}};
    simulation.setControl(0, 1.5);
    double y = 0, v = 0;
    for (int k = 0; k < 300; ++k) {
      advance(simulation, h, 1);
      v = ((mass + armature) * v + h * (3 - 40 * (y - 0.3))) / (mass + armature + h * 0.5 + h * h * 40);
      y += h * v;
      const JointReading first = simulation.joint(0), second = simulation.joint(1);
      ASSERT_NEAR(first.position - 2 * second.position, y, 1e-11) << "step " << k;
      ASSERT_NEAR(2 * first.rate + 3 * second.rate / 2, 0, 1e-11);  // one pulls 1, the other one −2
    }
  }
}

/// A free plate with a jet off its centre: it turns at J × F/I and goes round a circle of v/ω, as the jet turns with it.
TEST(Joints, AJetTurnsWithItsBody) {
  const double m = 2, I = 0.4, arm = 0.3, force = 1.5, h = 2e-4;
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  const int plate = addMass(builder, m, {0.2, 0.2, I}, {0, 0, 1});
  builder.addThruster({"jet", plate, {0, -arm, 0}, Vector3::UnitX(), Vector3::Zero()});
  Actuator motor;
  motor.thruster = 0;
  builder.addActuator(motor);
  Simulation simulation{builder.build(), {}};
  simulation.setControl(0, force);
  advance(simulation, h, 10000);
  const double alpha = arm * force / I, time = 10000 * h;
  EXPECT_NEAR(simulation.state().angularVelocity[static_cast<std::size_t>(plate)].z(), alpha * time, 1e-10);
  // v = F/m ∫ (cos, sin)(α t²/2) dt, by Simpson's rule
  Vector2 v = Vector2::Zero();
  const int pieces = 2000;
  for (int k = 0; k <= pieces; ++k) {
    const double angle = 0.5 * alpha * std::pow(time * k / pieces, 2), weight = (k == 0 || k == pieces ? 1 : k % 2 == 1 ? 4 : 2) * time / (3 * pieces);
    v += weight * force / m * Vector2{std::cos(angle), std::sin(angle)};
  }
  EXPECT_LT((simulation.state().velocity[static_cast<std::size_t>(plate)].head<2>() - v).norm(), 3e-4);  // of first order in h
}

TEST(Joints, TendonsEndWhereTheirRangeDoes) {
  Tendon cord;
  cord.name = "cord";
  cord.terms = {{0, 1}, {1, 1}};
  cord.limited = true;
  cord.low = -0.5;
  cord.high = 1;
  Slider scene{slide(Vector3::UnitX())};
  const int other = addMass(scene.builder, 2, {1, 1, 1}, {0, 1, 0});
  scene.builder.addJoints(0, other, Vector3::Zero(), {slide(Vector3::UnitX())});
  scene.builder.addTendon(cord);
  scene.builder.addActuator({});
  Simulation simulation{scene.builder.build(), {}};
  for (const auto& [force, end] : {std::pair{3.0, 1.0}, std::pair{-3.0, -0.5}}) {
    simulation.setControl(0, force);
    advance(simulation, 0.01, 300);
    EXPECT_NEAR(simulation.joint(0).position + simulation.joint(1).position, end, 1e-9);
    EXPECT_NEAR(simulation.joint(0).rate + simulation.joint(1).rate, 0, 1e-10);  // the one goes on, the other gives way
  }
}

TEST(Joints, ActivationsFollowTheirControls) {
  const double h = 0.02, tau = 0.3, low = -0.4, high = 0.9;
  for (const Activation kind : {Activation::Filter, Activation::Integrator}) {
    Slider scene{slide(Vector3::UnitX())};
    Actuator motor;
    motor.activation = kind;
    motor.timeConstant = tau;
    motor.gain = 5;
    motor.highControl = 2;
    motor.lowActivation = low;
    motor.highActivation = high;
    scene.builder.addActuator(motor);
    Simulation simulation{scene.builder.build(), {}};
    double a = 0, v = 0;
    for (int k = 0; k < 200; ++k) {
      const double control = k < 120 ? 3 : -1;  // 3: beyond its range, so 2
      simulation.setControl(0, control);
      advance(simulation, h, 1);
      v += h * 5 * a / 2;
      const double aim = std::min(control, 2.0);
      a = std::clamp(kind == Activation::Filter ? aim + (a - aim) * std::exp(-h / tau) : a + h * aim, low, high);
      ASSERT_NEAR(simulation.joint(0).rate, v, 1e-11) << "step " << k;
      ASSERT_NEAR(simulation.state().activation[0], a, 1e-14);
    }
    EXPECT_EQ(a, low);
  }
}

/// Links of next to no weight, held by dry friction while the rest swings: what is left of their creep is round-off, and no reason to look for smaller steps.
TEST(Joints, LightLinksHeldByFrictionAreNotRefused) {
  ModelBuilder builder;
  int parent = 0;
  for (int k = 0; k < 4; ++k) {
    const double mass = k < 1 ? 3 : 0.004, moment = 1e-4 * mass;
    const int link = addMass(builder, mass, {moment, moment, moment}, {0.03 * k + 0.015, 0, 0});
    Joint joint = hinge(Vector3::Unit((k + 1) % 3));
    joint.friction = k < 1 ? 0 : 0.01;
    joint.damping = 0.01;
    joint.armature = 2e-4;
    builder.addJoints(parent, link, {-0.015, 0, 0}, {joint});
    parent = link;
  }
  Simulation simulation{builder.build(), {}};
  advance(simulation, 0.002, 300);
}

/// What friction could do to a link of next to no weight, if it had no rotor, says nothing of a robot that stands still: certificates go by gravity there.
TEST(Joints, FrictionIsNoScaleForWhatStandsStill) {
  ModelBuilder builder;
  const int arm = addMass(builder, 0.5, {1e-3, 1e-3, 1e-3}, {0.1, 0, 0}), ring = addMass(builder, 1e-9, {1e-15, 1e-15, 1e-15}, {0.2, 0, 0});
  Joint joint = hinge(Vector3::UnitY());
  joint.friction = 2;
  joint.armature = 2;
  builder.addJoints(0, arm, {-0.1, 0, 0}, {joint});
  joint.axis = Vector3::UnitX();
  builder.addJoints(arm, ring, Vector3::Zero(), {joint});
  Simulation simulation{builder.build(), {}};
  for (int k = 0; k < 20; ++k) {
    const Certificate& certificate = advance(simulation, 0.002, 1).certificate;
    EXPECT_LE(certificate.scale, 0.1);
    EXPECT_LE(certificate.metersPerSecond, 1e-9);
  }
}

/// A wheel on a fixed table, face on face: about the hinge along their normal it turns freely, as the hinge holds it there, whatever their friction. On a hinge across it rests on the table.
TEST(Joints, FacesThatTurnOnEachOtherDoNotRub) {
  for (const bool along : {true, false}) {
    ModelBuilder builder;
    Geom geom;
    geom.friction = 1;
    geom.shape = Shape::box({1, 1, 0.1});
    builder.addGeom(geom, {{0, 0, -0.1}, Quaternion::Identity()});
    const int wheel = addMass(builder, 2, {0.02, 0.02, 0.04}, {0, 0, 0.05});
    geom.body = wheel;
    geom.shape = Shape::cylinder(0.2, 0.05);
    builder.addGeom(geom, {});
    builder.addJoints(0, wheel, Vector3::Zero(), {hinge(along ? Vector3::UnitZ() : Vector3::UnitX())});
    Simulation simulation{builder.build(), {}};
    if (along) simulation.setVelocity(wheel, Vector3::Zero(), {0, 0, 5});
    const StepReport* report = nullptr;
    for (int k = 0; k < 200; ++k) {
      report = &simulation.step(0.004);
      ASSERT_EQ(report->status, StepStatus::Certified) << report->reason;
    }
    EXPECT_NEAR(simulation.joint(0).rate, along ? 5 : 0, 1e-12);
    EXPECT_EQ(report->contacts > 0, !along);
  }
}

TEST(Joints, RangesEndMotionWhateverTheTurn) {
  Joint joint = hinge(Vector3::UnitZ());
  joint.limited = true;
  joint.low = -1;
  joint.high = 20;  // rad: three turns and a bit
  Slider scene{joint};
  scene.builder.addActuator({});
  Simulation simulation{scene.builder.build(), {}};
  simulation.setControl(0, 2);
  advance(simulation, 0.01, 1000);
  EXPECT_NEAR(simulation.joint(0).position, 20, 1e-9);
  EXPECT_EQ(simulation.joint(0).rate, 0);
  simulation.setControl(0, -2);
  advance(simulation, 0.01, 1000);
  EXPECT_NEAR(simulation.joint(0).position, -1, 1e-9);
  const WorldState rest = simulation.state();
  advance(simulation, 0.01, 500);
  EXPECT_TRUE(sameBits(rest, simulation.state(), scene.body));
}

/// A stiff servo drives at once what stood far from the end of its range: no speed before the step tells.
TEST(Joints, RangesEndMotionThatNothingForetells) {
  for (const double high : {0.5, 3.0}) {
    Joint joint = slide(Vector3::UnitX());
    joint.limited = true;
    joint.low = -1;
    joint.high = high;
    Slider scene{joint};
    Actuator servo;
    servo.gain = 1e6;
    servo.bias = {0, -1e6, 0};
    scene.builder.addActuator(servo);
    Simulation simulation{scene.builder.build(), {}};
    advance(simulation, 0.01, 3);
    simulation.setControl(0, 5);
    for (int k = 0; k < 3; ++k) {
      const StepReport& report = simulation.step(0.01);
      EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_EQ(report.substeps, 1);
      EXPECT_NEAR(simulation.joint(0).position, high, 1e-9);
    }
  }
}

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
double ellipticK(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  for (int i = 0; i < 20; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi / (2 * a);
}

TEST(Joints, APendulumSwingsInItsPeriod) {
  const double m = 1.3, l = 0.7, I = 0.05, start = 2.5;
  double errors[2];
  for (int fine = 0; fine < 2; ++fine) {
    ModelBuilder builder;
    const Quaternion R = Quaternion{Eigen::AngleAxisd{start, Vector3::UnitY()}};
    const int bob = addMass(builder, m, {0.04, I, 0.03}, R * Vector3{0, 0, -l}, R);
    builder.addJoints(0, bob, {0, 0, l}, {hinge(Vector3::UnitY())});
    Simulation simulation{builder.build(), {}};
    const double h = fine ? 0.0005 : 0.001;
    const double period = 4 * std::sqrt((I + m * l * l) / (m * kG * l)) * ellipticK(std::sin(start / 2));
    double crossed = 0, before = 0;
    int crossings = 0;
    for (int k = 1; crossings < 4; ++k) {
      advance(simulation, h, 1);
      const double angle = simulation.joint(0).position + start;  // from hanging
      if (k > 1 && angle * before < 0) {
        crossed = h * (k - 1 + before / (before - angle));
        ++crossings;
      }
      before = angle;
    }
    errors[fine] = std::abs(crossed - 1.75 * period) / period;
  }
  EXPECT_LT(errors[1], 1e-3);
  EXPECT_LT(errors[1], 0.6 * errors[0]);
}

TEST(Joints, ABallOnAStringGoesRoundTheCone) {
  const double l = 1.2, cone = 0.6, rate = std::sqrt(kG / (l * std::cos(cone)));
  ModelBuilder builder;
  const Quaternion R{Eigen::AngleAxisd{-cone, Vector3::UnitY()}};
  const int bob = addMass(builder, 0.5, {0.02, 0.02, 0.02}, R * Vector3{0, 0, -l}, R);  // isotropic: turning it about z takes no torque
  builder.addJoints(0, bob, {0, 0, l}, {ball()});
  Model model = builder.build();
  model.bodies[1].velocity = {0, rate * l * std::sin(cone), 0};
  model.bodies[1].angularVelocity = {0, 0, rate};
  Simulation simulation{model, {}};
  const double h = 0.0005;
  for (int k = 0; k < 4000; ++k) {
    advance(simulation, h, 1);
    EXPECT_NEAR(simulation.state().position[1].norm(), l, 1e-10 * l);  // what the projection leaves
    EXPECT_NEAR(simulation.state().position[1].z(), -l * std::cos(cone), 2e-3);
  }
}

/// A pan about z with a tilt about x on it, both with rotors: the motion of the equations of Lagrange,
///   (I + m l² sin²θ) φ̈ + 2 m l² sin θ cos θ φ̇ θ̇ + a₁ φ̈ = 0,  (m l² + a₂) θ̈ = m l² sin θ cos θ φ̇² − m g l sin θ
/// θ from hanging; the tilting mass is a point.
TEST(Joints, RotorsResistAsLagrangeHasIt) {
  const double I = 0.3, m = 1.1, l = 0.6, a1 = 0.4, a2 = 0.9, end = 0.8;
  using State4 = Eigen::Vector4d;  // φ, θ, φ̇, θ̇
  const auto rate = [&](const State4& x) {
    const double s = std::sin(x[1]), c = std::cos(x[1]), ml2 = m * l * l;
    return State4{x[2], x[3], -2 * ml2 * s * c * x[2] * x[3] / (I + a1 + ml2 * s * s), (ml2 * s * c * x[2] * x[2] - m * kG * l * s) / (ml2 + a2)};
  };
  State4 x{0, 1.2, 3, 0.5};
  for (int k = 0; k < 8000; ++k) {
    const double h = end / 8000;
    const State4 k1 = rate(x), k2 = rate(x + 0.5 * h * k1), k3 = rate(x + 0.5 * h * k2), k4 = rate(x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  double errors[2];
  for (int fine = 0; fine < 2; ++fine) {
    ModelBuilder builder;
    const int pan = addMass(builder, 2, {0.2, 0.2, I}, {0, 0, 0});
    const Quaternion R{Eigen::AngleAxisd{1.2, Vector3::UnitX()}};
    const int bob = addMass(builder, m, {1e-9, 1e-9, 1e-9}, R * Vector3{0, 0, -l}, R);
    Joint first = hinge(Vector3::UnitZ()), second = hinge(Vector3::UnitX());
    first.armature = a1;
    second.armature = a2;
    second.reference = 1.2;
    builder.addJoints(0, pan, Vector3::Zero(), {first});
    builder.addJoints(pan, bob, {0, 0, l}, {second});
    Simulation simulation{builder.build(), {}};
    const Vector3 spin = Vector3{0, 0, 3} + 0.5 * Vector3::UnitX();
    simulation.setVelocity(pan, Vector3::Zero(), {0, 0, 3});
    simulation.setVelocity(bob, spin.cross(R * Vector3{0, 0, -l}), spin);
    const int steps = fine ? 1600 : 800;
    advance(simulation, end / steps, steps);
    errors[fine] = std::max(std::abs(simulation.joint(0).position - x[0]), std::abs(simulation.joint(1).position - x[1]));
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_LT(errors[1], 0.55 * errors[0]);
}

/// What acts between bodies changes no momentum, and hinges stay closed.
TEST(Joints, InnerForcesKeepMomentum) {
  std::mt19937 random{7};
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  std::vector<int> bodies{addMass(builder, 1.5, {0.1, 0.2, 0.25}, inCube(random, 1))};
  for (int k = 0; k < 6; ++k) {
    const Quaternion R = Quaternion{Eigen::AngleAxisd{uniform(random, -2, 2), inCube(random, 1).normalized()}};
    const int body = addMass(builder, uniform(random, 0.2, 2), {0.1, 0.2, 0.25}, inCube(random, 1), R);
    Joint joint = hinge(inCube(random, 1).normalized());
    joint.damping = 0.1;
    joint.stiffness = 2;
    joint.friction = k % 2 ? 0.2 : 0;
    builder.addJoints(bodies[static_cast<std::size_t>(k / 2)], body, inCube(random, 0.5), {joint});
    Actuator motor;
    motor.joint = k;
    builder.addActuator(motor);
    bodies.push_back(body);
  }
  Simulation simulation{builder.build(), {}};
  for (int k = 0; k < 6; ++k) simulation.setControl(k, uniform(random, -1, 1));
  const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
  for (int k = 0; k < 500; ++k) {
    const StepReport& report = advance(simulation, 0.005, 1);
    EXPECT_LE(report.constraintError, 1e-9);
    const Momentum total = momentum(simulation.model(), inertias, simulation.state());
    ASSERT_LE(total.linear.norm(), 1e-11) << "step " << k;
    ASSERT_LE(total.angular.norm(), 1e-10) << "step " << k;
  }
}

TEST(Joints, AGripHoldsByFrictionAlone) {
  ModelBuilder builder;
  Part object = solid(Shape::box({0.03, 0.012, 0.012}), 0.045, {{0, 0, 0}, Quaternion::Identity()}, 0.7);
  const int held = add(builder, object);
  for (const double side : {-1.0, 1.0}) {
    Part finger = solid(Shape::box({0.02, 0.02, 0.02}), 0.1, {{side * 0.05, 0, 0}, Quaternion::Identity()}, 0.7);
    const int body = add(builder, finger);
    builder.addJoints(0, body, Vector3::Zero(), {slide(-side * Vector3::UnitX())});
    Actuator motor;
    motor.joint = side < 0 ? 0 : 1;
    builder.addActuator(motor);
  }
  for (const double h : {0.001, 1.0 / 60}) {
    Simulation simulation{builder.build(), {}};
    for (const int motor : {0, 1}) simulation.setControl(motor, 0.045 * kG / (2 * 0.7) * 1.001);
    advance(simulation, h, 500);
    EXPECT_LT(simulation.state().position[static_cast<std::size_t>(held)].norm(), 1e-9);
    for (const int motor : {0, 1}) simulation.setControl(motor, 0.045 * kG / (2 * 0.7) * 0.99);
    const double z = simulation.state().position[static_cast<std::size_t>(held)].z();
    advance(simulation, h, 10);
    EXPECT_NEAR(simulation.state().velocity[static_cast<std::size_t>(held)].z(), -10 * h * kG * 0.01, 1e-9) << h;
    EXPECT_LT(simulation.state().position[static_cast<std::size_t>(held)].z(), z);
  }
}

/// A driven parent moves its children; what it does to them is external work.
TEST(Joints, ADrivenParentCarriesItsChild) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  Body cart;
  cart.kind = BodyKind::Kinematic;
  const int parent = builder.addBody(cart);
  const int bob = addMass(builder, 1, {0.1, 0.1, 0.1}, {0, 0, 0});
  Joint joint = slide(Vector3::UnitX());
  joint.damping = 2;
  builder.addJoints(parent, bob, Vector3::Zero(), {joint});
  Simulation simulation{builder.build(), {}};
  simulation.setVelocity(parent, {0.5, 0.25, 0}, Vector3::Zero());
  const double h = 0.01;
  double v = 0;
  for (int k = 0; k < 300; ++k) {
    advance(simulation, h, 1);
    v = (v + h * 2 * 0.5) / (1 + h * 2);
    ASSERT_NEAR(simulation.state().velocity[static_cast<std::size_t>(bob)].x(), v, 1e-12);
    ASSERT_NEAR(simulation.state().position[static_cast<std::size_t>(bob)].y(), 0.25 * h * (k + 1), 1e-12);
  }
}

TEST(Joints, SnapshotsGoOnWithTheSameBits) {
  std::mt19937 random{9};
  ModelBuilder builder;
  addPlane(builder, 0.8);
  const int trunk = add(builder, solid(Shape::box({0.3, 0.2, 0.1}), 3, {{0, 0, 0.55}, Quaternion::Identity()}, 0.8));
  for (int leg = 0; leg < 4; ++leg) {
    const Vector3 hip{leg % 2 ? 0.3 : -0.3, leg / 2 ? 0.25 : -0.25, 0.5};
    const int body = add(builder, solid(Shape::capsule(0.04, 0.2), 0.4, {hip - Vector3{0, 0, 0.25}, Quaternion::Identity()}, 0.8));
    Joint joint = hinge(Vector3::UnitY());
    joint.armature = 0.01;
    joint.damping = 0.2;
    joint.limited = true;
    joint.low = -0.6;
    joint.high = 0.6;
    builder.addJoints(trunk, body, {0, 0, 0.25}, {joint});
    Actuator motor;
    motor.joint = leg;
    motor.activation = std::array{Activation::Direct, Activation::Filter, Activation::Integrator, Activation::Direct}[static_cast<std::size_t>(leg)];
    motor.timeConstant = 0.05;
    motor.lowActivation = -3;
    motor.highActivation = 3;
    builder.addActuator(motor);
  }
  builder.addCoupling({"gear", {{0, 1}}, {{3, 1}}, {0, -0.5}});
  Tendon cord;
  cord.terms = {{1, 1}, {2, 0.7}};
  cord.stiffness = 2;
  cord.armature = 0.02;
  cord.friction = 0.1;
  builder.addTendon(cord);
  builder.addThruster({"jet", trunk, {0.2, 0, 0}, Vector3::UnitY(), Vector3::Zero()});
  Actuator jet;
  jet.thruster = 0;
  jet.lowControl = -1;
  builder.addActuator(jet);
  const Model model = builder.build();
  SimulationOptions options;
  Simulation first{model, options};
  options.threads = 4;
  Simulation second{model, options};
  const auto drive = [](Simulation& simulation, int k) {
    for (int motor = 0; motor < 5; ++motor) simulation.setControl(motor, 3 * std::sin(0.1 * k + motor));
    advance(simulation, 0.005, 1, 1e-6);
  };
  for (int k = 0; k < 100; ++k) drive(first, k);
  second.setState(first.state());
  for (int k = 100; k < 200; ++k) {
    drive(first, k);
    drive(second, k);
    ASSERT_EQ(hash(first.state()), hash(second.state())) << "step " << k;
  }
}

/// Ragdolls of random joints, springs, dampers, rotors and dry friction that fall on a floor.
TEST(Joints, TreesFallInCertifiedSteps) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random{seed};
    ModelBuilder builder;
    addPlane(builder, 0.6);
    std::vector<int> bodies;
    std::vector<Vector3> places{{0, 0, 1}};
    bodies.push_back(add(builder, solid(Shape::box({0.15, 0.1, 0.08}), 2, {places[0], Quaternion::Identity()}, 0.6)));
    for (int k = 1; k <= 8; ++k) {
      const auto parent = static_cast<std::size_t>((k - 1) / 2);
      const Vector3 away = (inCube(random, 1) + Vector3{0, 0, 0.1}).normalized();
      places.push_back(places[parent] + 0.35 * away);
      const Quaternion R = Quaternion::FromTwoVectors(Vector3::UnitZ(), away);
      bodies.push_back(add(builder, solid(Shape::capsule(0.05, 0.08), uniform(random, 0.2, 1), {places.back(), R}, 0.6)));
      const auto vary = [&](Joint joint) {
        joint.damping = uniform(random, 0, 0.2);
        joint.armature = uniform(random, 0, 0.02);
        if (joint.type == JointType::Ball) return joint;
        joint.stiffness = uniform(random, 0, 5);
        joint.friction = uniform(random, 0, 0.3);
        joint.limited = uniform(random, 0, 1) < 0.5;
        joint.low = -0.8;
        joint.high = 0.8;
        return joint;
      };
      const Vector3 axis = inCube(random, 1).normalized(), across = axis.cross(inCube(random, 1)).normalized();
      std::vector<Joint> joints;
      if (k % 4 == 0) joints = {vary(ball())};
      if (k % 4 == 1) joints = {vary(hinge(axis))};
      if (k % 4 == 2) joints = {vary(hinge(axis)), vary(hinge(across))};
      if (k % 4 == 3) joints = {vary(hinge(axis)), vary(hinge(across)), vary(hinge(axis.cross(across)))};
      builder.addJoints(bodies[parent], bodies.back(), {0, 0, -0.17}, joints);
    }
    Simulation simulation{builder.build(), {}};
    for (int k = 0; k < 300; ++k) {
      const StepReport& report = advance(simulation, 0.003, 1, 0.2);  // links that are not neighbours may overlap to begin with
      EXPECT_GE(report.ledger.damping, 0);
      if (HasFailure()) break;
    }
    EXPECT_LT(simulation.state().position[1].z(), 0.8) << "seed " << seed;
    if (HasFailure()) break;
  }
}

/// A bar that a connection pins to the world swings and spins as one on a ball does, and one that pins it by its second body just as well.
TEST(Joints, AConnectionIsABall) {
  const auto bar = [](const std::function<void(ModelBuilder&, int)>& pin) {
    ModelBuilder builder;
    Body body;
    body.mass = 2;
    body.I_C = Vector3{0.02, 0.15, 0.16}.asDiagonal();
    body.X_WB = {{0.5, 0, 2}, expRotation({0.3, 0.2, 0.1})};
    body.p_BC = {0.1, 0, 0.05};
    const int id = builder.addBody(body);
    builder.body(id).angularVelocity = {2, -1, 3};
    const Vector3 point = {-0.4, 0.1, 0};
    const Vector3 arm = body.X_WB.rotation * (body.p_BC - point);
    builder.body(id).velocity = builder.body(id).angularVelocity.cross(arm);
    pin(builder, id);
    Simulation simulation{builder.build(), {}};
    advance(simulation, 2e-3, 1000);
    return simulation.state().pose(id);
  };
  const Vector3 point = {-0.4, 0.1, 0}, place = Pose{{0.5, 0, 2}, expRotation({0.3, 0.2, 0.1})} * point;
  const Pose byBall = bar([&](ModelBuilder& builder, int id) { builder.addJoints(0, id, point, {ball()}); });
  for (const bool swapped : {false, true}) {
    const Pose byConnection = bar([&](ModelBuilder& builder, int id) {
      if (swapped)
        builder.addConnection({"pin", id, 0, point, place, {}});
      else
        builder.addConnection({"pin", 0, id, place, point, {}});
    });
    EXPECT_LT((byConnection.position - byBall.position).norm(), 1e-8);
    EXPECT_LT(logRotation(byConnection.rotation * byBall.rotation.conjugate()).norm(), 1e-8);
  }
}

/// Two bodies welded to each other have no inner motion: they turn as one body of both their masses does, which keeps energy and angular momentum.
TEST(Joints, WeldedBodiesMoveAsOne) {
  const auto error = [](double h) {
    ModelBuilder two, one;
    two.setGravity(Vector3::Zero());
    one.setGravity(Vector3::Zero());
    const Vector3 centre = {0.3, 0, 0}, spin = {0.1, 3, 0.2};
    const int a = addMass(two, 1, {0.01, 0.02, 0.03}, -centre), b = addMass(two, 1, {0.01, 0.02, 0.03}, centre);
    two.body(a).angularVelocity = two.body(b).angularVelocity = spin;
    two.body(a).velocity = spin.cross(-centre);
    two.body(b).velocity = spin.cross(centre);
    two.addConnection({"weld", a, b, centre, -centre, Quaternion::Identity()});
    const double across = 2 * centre.squaredNorm();
    const int whole = addMass(one, 2, {0.02, 0.04 + across, 0.06 + across}, Vector3::Zero());
    one.body(whole).angularVelocity = spin;
    Simulation welded{two.build(), {}}, single{one.build(), {}};
    for (int k = 0; k * h < 2; ++k) {
      const StepReport& report = welded.step(h);
      EXPECT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LT(report.constraintError, 1e-10);
      single.step(h);
    }
    const WorldState &state = welded.state(), &other = single.state();
    EXPECT_LT(logRotation(state.rotation[1] * state.rotation[2].conjugate()).norm(), 1e-9);
    return logRotation(state.rotation[1] * other.rotation[1].conjugate()).norm();
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(coarse / fine, 4, 0.01);  // second order
}

/// A ball on a rod overlaps another one that stands in line with the rod: to come out it must swing far round, and neither tears the rod off its hinge nor gains more than what lifts it.
TEST(Joints, HoldWhereOverlapsCannotBeMended) {
  constexpr double kLength = 0.5, kRadius = 0.1;
  for (const double h : {1e-3, 4e-3, 1.0 / 60}) {
    ModelBuilder builder;
    Geom geom;
    geom.shape = Shape::sphere(kRadius);
    const int bob = addMass(builder, 1, {0.01, 0.01, 0.01}, {0, 0, -kLength});
    builder.addJoints(0, bob, {0, 0, kLength}, {hinge(Vector3::UnitY())});
    geom.body = bob;
    builder.addGeom(geom, Pose{});
    geom.body = 0;
    builder.addGeom(geom, {{1e-4, 0, -kLength - kRadius}, Quaternion::Identity()});
    Simulation simulation{builder.build(), {}};
    const double most = 9.81 * 2 * kLength;  // [J] from the lowest point to the highest
    for (int k = 0; k * h < 1; ++k) {
      const StepReport& report = simulation.step(h);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LT(report.constraintError, 1e-9) << h << ' ' << k;
      EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
      EXPECT_LT(0.5 * (0.01 + kLength * kLength) * std::pow(simulation.joint(0).rate, 2), most);
    }
    EXPECT_NEAR(simulation.joint(0).position, std::acos(0.95) - 1e-4 / 0.6, 3e-6)
        << h;  // by the law of cosines where they touch, or are open by 1e-6 of their size
  }
}

/// An arm that cannot turn away from the ball that it overlaps keeps no other overlap from being mended: that of the ball at the end of a second link, which rests on the ground.
TEST(Joints, OverlapsAreMendedBesideOneThatCannotBe) {
  constexpr double kRadius = 0.1, kSunk = 1e-3;
  for (const double h : {1e-3, 1.0 / 60}) {
    ModelBuilder builder;
    Geom geom;
    geom.shape = Shape::sphere(kRadius);
    geom.body = 0;
    builder.addGeom(geom, {{0.5, 0, 1}, Quaternion::Identity()});
    const int shoulder = addMass(builder, 1, {0.01, 0.01, 0.01}, {0, 0, 1}), arm = addMass(builder, 1, {0.01, 0.01, 0.01}, {0.5 - kRadius, 0, 1});
    const int link = addMass(builder, 1, {0.01, 0.01, 0.01}, {1, 0, kRadius - kSunk});
    Joint joint = hinge(Vector3::UnitY());
    joint.limited = true;
    joint.low = -1e-3;
    joint.high = 1e-3;
    builder.addJoints(0, shoulder, Vector3::Zero(), {joint});
    builder.addJoints(shoulder, arm, {kRadius - 0.5, 0, 0}, {joint});
    builder.addJoints(arm, link, {-0.6, 0, 0.8}, {hinge(Vector3::UnitY())});
    for (const int body : {arm, link}) {
      geom.body = body;
      builder.addGeom(geom, Pose{});
    }
    geom.body = 0;
    geom.shape = Shape::plane();
    builder.addGeom(geom, Pose{});
    Simulation simulation{builder.build(), {}};
    for (int k = 0; k * h < 0.2; ++k) {
      const StepReport& report = simulation.step(h);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LT(report.constraintError, 1e-9) << h << ' ' << k;
      EXPECT_GT(report.penetration, 0.5 * kRadius);
      EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
    }
    EXPECT_NEAR(simulation.state().position[static_cast<std::size_t>(link)].z(), kRadius, 1e-8) << h;
  }
}

/// A mass on a vertical slide stands on a leg whose round foot slides outward: where the trials of a step end the foot on the ground, no projection has to, which would change the energy.
TEST(Joints, AFootThatSlidesEndsOnTheGround) {
  constexpr double kRadius = 0.02, kLength = 0.5, kLean = 0.3;
  for (const double h : {1e-3, 2e-3, 1.0 / 60}) {
    ModelBuilder builder;
    addPlane(builder, 0.1);
    const double height = kRadius + kLength * std::cos(kLean);
    const int hip = addMass(builder, 5, {0.01, 0.01, 0.01}, {0, 0, height}), leg = addMass(builder, 0.5, {0.01, 0.01, 0.01}, {0, 0, height});
    Joint bend = hinge(Vector3::UnitY());
    bend.damping = 10;  // which bears the mass, or the foot would lift off
    builder.addJoints(0, hip, Vector3::Zero(), {slide(Vector3::UnitZ())});
    builder.addJoints(hip, leg, Vector3::Zero(), {bend});
    Geom foot;
    foot.shape = Shape::sphere(kRadius);
    foot.friction = 0.1;
    foot.body = leg;
    builder.addGeom(foot, {kLength * Vector3{std::sin(kLean), 0, -std::cos(kLean)}, Quaternion::Identity()});
    Simulation simulation{builder.build(), {}};
    int mended = 0, steps = 0;
    for (; steps * h < 6 && simulation.joint(0).position > -0.5 * height; ++steps) {
      const StepReport& report = simulation.step(h);
      ASSERT_EQ(report.status, StepStatus::Certified) << report.reason;
      EXPECT_LE(std::abs(report.ledger.closureRelative()), 1e-12);
      mended += report.ledger.stabilisation != 0 ? 1 : 0;
      const double z = height + simulation.joint(0).position - kLength * std::cos(kLean - simulation.joint(1).position);
      ASSERT_NEAR(z, kRadius, 1e-9 * kRadius + 1e-12) << h << ' ' << steps;
    }
    EXPECT_GE(steps, 20) << h;
    EXPECT_LE(mended, 1) << h;  // where it begins to slide
  }
}

/// Without time for anything robots that land keep together, and are held: through joints sweeps carry no load.
TEST(Joints, HoldInStepsThatAreGivenUp) {
  ModelBuilder builder;
  addPlane(builder, 0.8);
  const int base = addBody(builder, Shape::box({0.2, 0.15, 0.05}), 5, {{0, 0, 0.5}, Quaternion::Identity()}, 0.8);
  std::vector<int> bodies{base};
  for (int leg = 0; leg < 4; ++leg) {
    int parent = base;
    const double x = leg % 2 == 0 ? 0.18 : -0.18, y = leg < 2 ? 0.2 : -0.2;
    for (int link = 0; link < 2; ++link) {
      const int child = addBody(builder, Shape::capsule(0.02, 0.08), 0.3, {{x, y, 0.4 - 0.2 * link}, Quaternion::Identity()}, 0.8);
      Joint joint = hinge(Vector3::UnitY());
      joint.damping = 0.1;
      joint.friction = 0.05;
      joint.limited = true;
      joint.low = -0.5;
      joint.high = 0.5;
      builder.addJoints(parent, child, {0, 0, 0.1}, {joint});
      Actuator servo;
      servo.joint = 2 * leg + link;
      servo.gain = 60;
      servo.bias = {0, -60, -2};
      builder.addActuator(servo);
      bodies.push_back(parent = child);
    }
  }
  for (int k = 0; k < 20; ++k) addBody(builder, Shape::sphere(0.03), 0.1, {{0.1 * (k % 5 - 2), 0.1 * (k / 5 - 1.5), 0.7}, Quaternion::Identity()}, 0.6);
  SimulationOptions options;
  options.keepGoing = true;
  options.stepLimit = 1e-9;
  Simulation simulation{builder.build(), options};
  for (int k = 0; k < 150; ++k) {
    const StepReport& report = simulation.step(0.004);
    EXPECT_LT(report.penetration, 1e-3) << k;
    EXPECT_LT(report.constraintError, 1e-6) << k;
    for (const int body : bodies) ASSERT_LT(simulation.state().velocity[static_cast<std::size_t>(body)].norm(), 4) << k;  // from a fall by 0.8 m
  }
  EXPECT_GT(simulation.state().position[static_cast<std::size_t>(base)].z(), 0.05 - 1e-3);
}

/// Fingers that close on a ball afloat, and roll on it, push nothing but each other.
TEST(Joints, AGripAfloatKeepsMomentum) {
  ModelBuilder builder;
  builder.setGravity(Vector3::Zero());
  const int palm = addMass(builder, 1, {0.01, 0.012, 0.015}, {0, 0, 0});
  addBody(builder, Shape::sphere(0.05), 0.2, {{0.15, 0, 0}, Quaternion::Identity()}, 0.8);
  for (const double side : {-1.0, 1.0}) {
    const int finger = addMass(builder, 0.1, {1e-4, 1e-4, 1e-4}, {0.08, 0, side * 0.08});
    builder.addJoints(palm, finger, {-0.06, 0, 0}, {hinge(Vector3::UnitY())});
    Geom tip;
    tip.shape = Shape::sphere(0.02);
    tip.friction = 0.8;
    tip.body = finger;
    builder.addGeom(tip, {{0.07, 0, 0}, Quaternion::Identity()});
    Actuator motor;
    motor.joint = side < 0 ? 0 : 1;
    builder.addActuator(motor);
  }
  Simulation simulation{builder.build(), {}};
  const std::vector<BodyInertia> inertias = bodyInertias(simulation.model());
  const double h = 0.002;
  int held = 0;
  for (int k = 0; k < 500; ++k) {
    simulation.setControl(0, -0.05);
    simulation.setControl(1, 0.06);
    const StepReport& report = advance(simulation, h, 1);
    held += report.contacts == 2 ? 1 : 0;
    const Momentum total = momentum(simulation.model(), inertias, simulation.state());
    ASSERT_LE(total.linear.norm(), 1e-12) << "step " << k;
    ASSERT_LE(total.angular.norm(), 1e-12) << "step " << k;
  }
  EXPECT_GE(held, 200);
}

TEST(Joints, WrongOnesAreNamed) {
  const auto refusal = [](const std::function<void(ModelBuilder&, int, int)>& edit) {
    ModelBuilder builder;
    const int a = addMass(builder, 1, {1, 1, 1}, {0, 0, 0}), b = addMass(builder, 1, {1, 1, 1}, {1, 0, 0});
    try {
      edit(builder, a, b);
      builder.build();
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"accepted"};
  };
  const auto one = [&](const std::function<void(Joint&)>& edit) {
    return refusal([&](ModelBuilder& builder, int a, int b) {
      Joint joint = hinge(Vector3::UnitZ());
      edit(joint);
      builder.addJoints(a, b, Vector3::Zero(), {joint});
    });
  };
  const auto several = [&](const std::vector<Joint>& joints) {
    return refusal([&](ModelBuilder& builder, int a, int b) { builder.addJoints(a, b, Vector3::Zero(), joints); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto names = [](const std::string& text, const char* part) {
    return text.find("\"hinge\"") != std::string::npos && text.find(part) != std::string::npos;
  };
  EXPECT_EQ(one([](Joint&) {}), "accepted");
  EXPECT_TRUE(names(one([](Joint& j) { j.axis.setZero(); }), "axis"));
  EXPECT_TRUE(names(one([&](Joint& j) { j.axis.x() = nan; }), "axis"));
  EXPECT_TRUE(names(one([](Joint& j) { j.damping = -1; }), "damping"));
  EXPECT_TRUE(names(one([&](Joint& j) { j.stiffness = nan; }), "stiffness"));
  EXPECT_TRUE(names(one([](Joint& j) { j.armature = -1; }), "armature"));
  EXPECT_TRUE(names(one([](Joint& j) { j.friction = -1; }), "friction"));
  EXPECT_TRUE(names(one([](Joint& j) { j.limited = true, j.low = 1, j.high = 0; }), "range"));
  EXPECT_TRUE(names(several({hinge(Vector3::UnitX()), slide(Vector3::UnitX()), hinge(Vector3::UnitY())}), "slides between hinges"));
  EXPECT_TRUE(names(several({hinge(Vector3::UnitX()), hinge(Vector3::UnitX())}), "one axis"));
  EXPECT_TRUE(names(several({hinge(Vector3::UnitX()), ball()}), "ball"));
  EXPECT_TRUE(names(one([](Joint& j) { j.offset.x() = 1; }), "last hinge"));
  EXPECT_TRUE(names(one([&](Joint& j) { j.offset.x() = nan; }), "offset"));
  EXPECT_TRUE(names(one([](Joint& j) { j.type = JointType::Slide, j.offset.x() = 1; }), "offset"));
  EXPECT_EQ(several({slide(Vector3::UnitX()), slide(Vector3::UnitZ()), hinge(Vector3::UnitY())}), "accepted");
  EXPECT_NE(refusal([](ModelBuilder& builder, int a, int) { builder.addJoints(a, a, Vector3::Zero(), {}); }).find("joint body"), std::string::npos);
  EXPECT_NE(refusal([](ModelBuilder& builder, int, int) { builder.addActuator({}); }).find("actuator 0"), std::string::npos);
  const auto pinned = [&](const Connection& pin) { return refusal([&](ModelBuilder& builder, int, int) { builder.addConnection(pin); }); };
  const Quaternion none{0, 0, 0, 0};
  EXPECT_EQ(pinned({"pin", 1, 2, {0.5, 0, 0}, {-0.5, 0, 0}, {}}), "accepted");
  EXPECT_NE(pinned({"pin", 1, 1, {}, {}, {}}).find("\"pin\" body"), std::string::npos);
  EXPECT_NE(pinned({"pin", 0, 7, {}, {}, {}}).find("\"pin\" body"), std::string::npos);
  EXPECT_NE(pinned({"pin", 1, 2, {nan, 0, 0}, {0, 0, 0}, {}}).find("\"pin\" point"), std::string::npos);
  EXPECT_NE(pinned({"pin", 1, 2, {0, 0, 0}, {0, 0, 0}, none}).find("\"pin\" rotation"), std::string::npos);
  EXPECT_NE(refusal([](ModelBuilder& builder, int, int) {
              Body fixed;
              fixed.kind = BodyKind::Static;
              builder.addConnection({"pin", 0, builder.addBody(fixed), {0, 0, 0}, {0, 0, 0}, {}});
            }).find("do not move by themselves"),
            std::string::npos);
  const auto joined = [&](const std::function<void(ModelBuilder&)>& edit) {
    return refusal([&](ModelBuilder& builder, int a, int b) {
      builder.addJoints(a, b, Vector3::Zero(), {hinge(Vector3::UnitX())});
      edit(builder);
    });
  };
  const auto tied = [&](const std::function<void(Tendon&)>& edit) {
    return joined([&](ModelBuilder& builder) {
      Tendon cord;
      cord.name = "cord";
      cord.terms = {{0, 1}};
      edit(cord);
      builder.addTendon(cord);
    });
  };
  const auto coupled = [&](const Coupling& coupling) { return joined([&](ModelBuilder& builder) { builder.addCoupling(coupling); }); };
  EXPECT_EQ(tied([](Tendon&) {}), "accepted");
  EXPECT_NE(tied([](Tendon& t) { t.terms.clear(); }).find("\"cord\": no joint"), std::string::npos);
  EXPECT_NE(tied([](Tendon& t) { t.terms[0].joint = 1; }).find("\"cord\" joint"), std::string::npos);
  EXPECT_NE(tied([&](Tendon& t) { t.terms[0].coefficient = nan; }).find("\"cord\" coefficient"), std::string::npos);
  EXPECT_NE(tied([](Tendon& t) { t.damping = -1; }).find("\"cord\" damping"), std::string::npos);
  EXPECT_EQ(coupled({"gear", {{0, 1}}, {}, {0.5}}), "accepted");
  EXPECT_NE(coupled({"gear", {}, {{0, 1}}, {}}).find("\"gear\": no joint"), std::string::npos);
  EXPECT_NE(coupled({"gear", {{0, 0}}, {}, {}}).find("\"gear\" coefficient"), std::string::npos);
  EXPECT_NE(coupled({"gear", {{0, 1}}, {{2, 1}}, {}}).find("\"gear\" joint"), std::string::npos);
  EXPECT_NE(coupled({"gear", {{0, 1}}, {}, {nan}}).find("\"gear\" polynomial"), std::string::npos);
  const auto driven = [&](const std::function<void(Actuator&)>& edit) {
    return joined([&](ModelBuilder& builder) {
      Actuator motor;
      edit(motor);
      builder.addActuator(motor);
    });
  };
  EXPECT_NE(driven([](Actuator& m) { m.thruster = 0; }).find("actuator 0 thruster"), std::string::npos);
  const auto pushed = [&](const Thruster& jet) { return refusal([&](ModelBuilder& builder, int, int) { builder.addThruster(jet); }); };
  EXPECT_EQ(pushed({"jet", 1, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}), "accepted");
  EXPECT_NE(pushed({"jet", 7, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}).find("\"jet\" body"), std::string::npos);
  EXPECT_NE(pushed({"jet", 0, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}).find("no force moves"), std::string::npos);
  EXPECT_NE(pushed({"jet", 1, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}).find("\"jet\": no force"), std::string::npos);
  EXPECT_NE(pushed({"jet", 1, {nan, 0, 0}, {1, 0, 0}, {0, 0, 0}}).find("\"jet\""), std::string::npos);
  EXPECT_NE(driven([](Actuator& m) { m.tendon = 0; }).find("actuator 0 tendon"), std::string::npos);
  EXPECT_NE(driven([](Actuator& m) { m.activation = Activation::Filter; }).find("actuator 0 time constant"), std::string::npos);
  EXPECT_NE(driven([](Actuator& m) { m.lowActivation = 1, m.highActivation = 0; }).find("actuator 0 range of activation"), std::string::npos);
  EXPECT_NE(refusal([](ModelBuilder& builder, int a, int b) {
              builder.addJoints(a, b, Vector3::Zero(), {hinge(Vector3::UnitX())});
              Actuator servo;
              servo.bias[1] = 1;
              builder.addActuator(servo);
            }).find("bias"),
            std::string::npos);
}

}  // namespace
}  // namespace stiction::laws
