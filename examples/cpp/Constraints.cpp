// Constraints of your own in a simulation, beside contacts: a bead on a helix that runs out onto a floor, a nut on a screw, a ball on a rod whose anchor is shaken, and a box on the floor
// that a rod tows: there rod and friction push in the same step, each as hard as the other lets it.
// Prints what each measures beside the exact value; exit code 1 when one is off.
#include <stiction/constraints.hpp>
#include <stiction/stiction.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numbers>

using stiction::MatrixX;
using stiction::State;
using stiction::Vector3;
using stiction::VectorX;

namespace {

constexpr double kGravity = 9.81, kStep = 1.0 / 480;

/// C(q) = 0: two equations that keep a body's centre on the helix (a cos φ, a sin φ, c φ), down to z = `end`; below, the bead is free.
class Helix : public stiction::BilateralConstraint {
 public:
  Helix(double radius, double rise, double end) : radius_{radius}, rise_{rise}, end_{end} {}
  int dimension() const override { return 2; }
  VectorX evaluate(const State& state, double /*time*/) const override {
    const double angle = state.position.z() / rise_;
    VectorX C(2);
    C << state.position.x() - radius_ * std::cos(angle), state.position.y() - radius_ * std::sin(angle);
    return C;
  }
  MatrixX jacobian(const State& state, double /*time*/) const override {  // 2 × 7: by position, then by the quaternion
    const double angle = state.position.z() / rise_;
    MatrixX J = MatrixX::Zero(2, 7);
    J(0, 0) = J(1, 1) = 1;
    J(0, 2) = radius_ / rise_ * std::sin(angle);
    J(1, 2) = -radius_ / rise_ * std::cos(angle);
    return J;
  }
  bool isActive(const State& state, double /*time*/) const override { return state.position.z() > end_; }
  std::string typeName() const override { return "Helix"; }

 private:
  double radius_, rise_, end_;  // [m], [m/rad], [m]
};

/// A nut on a fixed screw along z: five equations; turning once lifts it by the pitch.
class Screw : public stiction::BilateralConstraint {
 public:
  explicit Screw(double pitch) : pitch_{pitch} {}
  int dimension() const override { return 5; }
  VectorX evaluate(const State& state, double /*time*/) const override {
    const auto& q = state.orientation;
    const Vector3 axis = q * Vector3::UnitZ();
    VectorX C(5);  // the angle counts within half a turn of where the height says that it is
    C << state.position.x(), state.position.y(), axis.x(), axis.y(),
        std::remainder(state.position.z() - pitch_ / std::numbers::pi * std::atan2(q.z(), q.w()), pitch_);
    return C;
  }
  MatrixX jacobian(const State& state, double /*time*/) const override {
    const auto& q = state.orientation;
    MatrixX J = MatrixX::Zero(5, 7);
    J(0, 0) = J(1, 1) = J(4, 2) = 1;
    J.block<1, 4>(2, 3) << 2 * q.y(), 2 * q.z(), 2 * q.w(), 2 * q.x();
    J.block<1, 4>(3, 3) << -2 * q.x(), -2 * q.w(), 2 * q.z(), 2 * q.y();
    const double turning = pitch_ / std::numbers::pi / (q.w() * q.w() + q.z() * q.z());
    J(4, 3) = turning * q.z();
    J(4, 6) = -turning * q.w();
    return J;
  }
  std::string typeName() const override { return "Screw"; }

 private:
  double pitch_;  // [m]
};

/// A rod of length L from a body's centre to an anchor at a(t): C = (|x − a|² − L²) / 2L. The anchor moves by itself, so C has a ∂C/∂t.
class DrivenRod : public stiction::BilateralConstraint {
 public:
  using Motion = std::function<Vector3(double)>;
  DrivenRod(double length, Motion anchor, Motion velocity) : length_{length}, anchor_{std::move(anchor)}, velocity_{std::move(velocity)} {}
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override {
    return VectorX::Constant(1, (arm(state, time).squaredNorm() - length_ * length_) / (2 * length_));
  }
  MatrixX jacobian(const State& state, double time) const override {
    MatrixX J = MatrixX::Zero(1, 7);
    J.leftCols<3>() = arm(state, time).transpose() / length_;
    return J;
  }
  VectorX partialTimeDerivative(const State& state, double time) const override {
    return VectorX::Constant(1, -arm(state, time).dot(velocity_(time)) / length_);
  }
  std::string typeName() const override { return "DrivenRod"; }

 private:
  Vector3 arm(const State& state, double time) const { return state.position - anchor_(time); }

  double length_;             // [m]
  Motion anchor_, velocity_;  // [m], [m/s]
};

int wrong = 0;

void compare(const char* what, double value, double exact, double tolerance) {
  const bool right = std::abs(value - exact) <= tolerance;
  std::printf("  %-46s %12.6f   exact %12.6f%s\n", what, value, exact, right ? "" : "   WRONG");
  wrong += right ? 0 : 1;
}

/// One step, which must be certified.
const stiction::StepReport& step(stiction::Simulation& simulation) {
  const stiction::StepReport& report = simulation.step(kStep);
  if (report.status != stiction::StepStatus::Certified) {
    std::printf("  not certified: %s\n", report.reason.c_str());
    ++wrong;
  }
  return report;
}

int addBall(stiction::ModelBuilder& builder, const Vector3& position) {
  stiction::Pose pose;
  pose.position = position;
  return builder.addSolid("ball", stiction::Shape::sphere(0.05), 1000, pose, 0.5);
}

void beadOnAHelix() {
  const double a = 0.4, c = 0.1, top = 1.0, end = 0.0;
  stiction::ModelBuilder builder;
  stiction::Geom floor;
  floor.shape = stiction::Shape::plane();
  floor.friction = 0.5;
  stiction::Pose below;
  below.position = {0, 0, -0.06};  // the bead drops a centimetre where the wire ends
  builder.addGeom(floor, below);
  const int bead = addBall(builder, {a * std::cos(top / c), a * std::sin(top / c), top});
  stiction::Simulation simulation{builder.build(), {}};
  simulation.addConstraint(std::make_shared<Helix>(a, c, end), bead);
  const auto body = static_cast<std::size_t>(bead);
  double off = 0, leaving = 0, level = 0;
  for (int k = 0; k < 3 * 480; ++k) {
    const bool onWire = simulation.state().position[body].z() > end;
    off = std::max(off, step(simulation).constraintError);
    const Vector3& velocity = simulation.state().velocity[body];
    if (onWire) leaving = velocity.norm(), level = velocity.head<2>().norm();
  }
  std::printf("bead on a helix, then on a floor with friction\n");
  compare("speed at the end of the wire [m/s]", leaving, std::sqrt(2 * kGravity * top), 0.05);
  compare("rolls at 5/7 of its level part in the end [m/s]", simulation.state().velocity[body].norm(), 5.0 / 7 * level, 0.005);
  compare("off the wire at most [m]", off, 0, 1e-9);
}

void nutOnAScrew() {
  const double pitch = 0.05;
  stiction::ModelBuilder builder;
  const int nut = builder.addSolid("nut", stiction::Shape::box({0.1, 0.1, 0.02}), 1000, {}, 0.5);
  const double mass = builder.body(nut).mass, turns = 2 * std::numbers::pi / pitch, inertia = mass * (0.01 + 0.01) / 3;
  stiction::Simulation simulation{builder.build(), {}};
  const int screw = simulation.addConstraint(std::make_shared<Screw>(pitch), nut);
  for (int k = 0; k < 480; ++k) step(simulation);
  const double acceleration = kGravity / (1 + inertia * turns * turns / mass);
  std::printf("nut on a screw\n");
  compare("speed after a second [m/s]", -simulation.state().velocity[static_cast<std::size_t>(nut)].z(), acceleration, 1e-9);
  compare("push of the thread [N]", simulation.constraintForce(screw)[4], mass * (kGravity - acceleration), 1e-6);
}

void ballOnAShakenRod() {
  const double length = 0.5, amplitude = 0.02, rate = 20;
  stiction::ModelBuilder builder;
  const int ball = addBall(builder, {0, 0, -length});
  const double mass = builder.body(ball).mass;
  stiction::Simulation simulation{builder.build(), {}};
  const auto anchor = [=](double t) -> Vector3 { return {0, 0, amplitude * std::sin(rate * t)}; };
  const auto velocity = [=](double t) -> Vector3 { return {0, 0, amplitude * rate * std::cos(rate * t)}; };
  const int rod = simulation.addConstraint(std::make_shared<DrivenRod>(length, anchor, velocity), ball);
  double hardest = 0;
  for (int k = 0; k < 480; ++k) {
    step(simulation);
    if (k > 0) hardest = std::max(hardest, -simulation.constraintForce(rod)[0]);
  }
  std::printf("ball on a rod whose anchor is shaken\n");
  compare("hardest pull [N]", hardest, mass * (kGravity + amplitude * rate * rate), 0.01);
  compare("height after a second [m]", simulation.state().position[static_cast<std::size_t>(ball)].z(), amplitude * std::sin(rate) - length, 1e-9);
}

// The rod rises at 30° and lifts part of the weight off the floor: with tension T, normal force N = m g − T sin θ and T cos θ = m a + μ N, so T = m (a + μ g) / (cos θ + μ sin θ).
void towedBox() {
  const double mu = 0.4, height = 0.1, length = 1, angle = std::numbers::pi / 6, acceleration = 1.5;
  stiction::ModelBuilder builder;
  stiction::Geom floor;
  floor.shape = stiction::Shape::plane();
  floor.friction = mu;
  builder.addGeom(floor, {});
  stiction::Pose pose;
  pose.position = {0, 0, height};
  const int box = builder.addSolid("box", stiction::Shape::box({0.3, 0.3, height}), 500, pose, mu);
  const double mass = builder.body(box).mass;
  stiction::Simulation simulation{builder.build(), {}};
  const auto towed = [=](double t) { return acceleration * (t < 1 ? 0.5 * t * t : t - 0.5); };  // speeds up for a second, and goes on evenly
  const auto anchor = [=](double t) -> Vector3 { return {length * std::cos(angle) + towed(t), 0, height + length * std::sin(angle)}; };
  const auto velocity = [=](double t) -> Vector3 { return {acceleration * std::min(t, 1.0), 0, 0}; };
  const int rod = simulation.addConstraint(std::make_shared<DrivenRod>(length, anchor, velocity), box);
  std::printf("box towed over the floor by a rod: speeding up, then evenly\n");
  double off = 0;
  for (int k = 1; k <= 2 * 480; ++k) {
    off = std::max(off, step(simulation).constraintError);
    if (k != 240 && k != 720) continue;  // in the middle of either second
    const double a = k == 240 ? acceleration : 0, tension = mass * (a + mu * kGravity) / (std::cos(angle) + mu * std::sin(angle));
    Vector3 floorForce = Vector3::Zero();
    for (const stiction::SolvedContact& contact : simulation.contacts()) floorForce += contact.impulse / kStep;
    const double normal = std::abs(floorForce.z());
    compare("tension of the rod [N]", -simulation.constraintForce(rod)[0], tension, 1e-5);
    compare("floor pushes up with [N]", normal, mass * kGravity - tension * std::sin(angle), 1e-5);
    compare("friction [N]", floorForce.head<2>().norm(), mu * (mass * kGravity - tension * std::sin(angle)), 1e-5);
    compare("towed so far [m]", simulation.state().position[static_cast<std::size_t>(box)].x(), towed(simulation.state().time), 1e-9);
  }
  compare("off the rod at most [m]", off, 0, 1e-9);
}

}  // namespace

int main() {
  beadOnAHelix();
  nutOnAScrew();
  ballOnAShakenRod();
  towedBox();
  return wrong == 0 ? 0 : 1;
}
