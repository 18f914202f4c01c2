// Constraints that users write, in the ordinary certified step: against closed forms, an integrated equation of motion, and beside contacts.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "Scenes.hpp"
#include "base/Error.hpp"
#include "constraints/DistanceConstraint.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "constraints/RevoluteConstraint.hpp"
#include "constraints/UnitQuaternionConstraint.hpp"
#include "state/WorldState.hpp"

namespace stiction::laws {
namespace {

using Vector7 = Eigen::Matrix<double, 7, 1>;

/// A bead on the helix (a cos φ, a sin φ, c φ).
class Helix : public BilateralConstraint {
 public:
  Helix(double radius, double rise) : radius_{radius}, rise_{rise} {}
  int dimension() const override { return 2; }
  VectorX evaluate(const State& state, double) const override {
    const double angle = state.position.z() / rise_;
    return Vector2{state.position.x() - radius_ * std::cos(angle), state.position.y() - radius_ * std::sin(angle)};
  }
  MatrixX jacobian(const State& state, double) const override {
    const double angle = state.position.z() / rise_;
    MatrixX J = MatrixX::Zero(2, 7);
    J(0, 0) = J(1, 1) = 1;
    J(0, 2) = radius_ / rise_ * std::sin(angle);
    J(1, 2) = -radius_ / rise_ * std::cos(angle);
    return J;
  }
  std::string typeName() const override { return "Helix"; }

 private:
  double radius_, rise_;  // [m], [m/rad]
};

/// A nut on a screw along z: turning by 2π lifts it by the pitch. Five rows; the angle counts within half a turn of where the height says it is.
class Screw : public BilateralConstraint {
 public:
  explicit Screw(double pitch) : pitch_{pitch} {}
  int dimension() const override { return 5; }
  VectorX evaluate(const State& state, double) const override {
    const Quaternion& q = state.orientation;
    const Vector3 axis = q * Vector3::UnitZ();
    VectorX C(5);
    C << state.position.x(), state.position.y(), axis.x(), axis.y(),
        std::remainder(state.position.z() - pitch_ * std::atan2(q.z(), q.w()) / std::numbers::pi, pitch_);
    return C;
  }
  MatrixX jacobian(const State& state, double) const override {
    const Quaternion& q = state.orientation;
    MatrixX J = MatrixX::Zero(5, 7);
    J(0, 0) = J(1, 1) = J(4, 2) = 1;
    J.block<1, 4>(2, 3) << 2 * q.y(), 2 * q.z(), 2 * q.w(), 2 * q.x();    // axis.x = 2 (x z + w y)
    J.block<1, 4>(3, 3) << -2 * q.x(), -2 * q.w(), 2 * q.z(), 2 * q.y();  // axis.y = 2 (y z − w x)
    const double square = q.w() * q.w() + q.z() * q.z();
    J(4, 3) = pitch_ / std::numbers::pi * q.z() / square;
    J(4, 6) = -pitch_ / std::numbers::pi * q.w() / square;
    return J;
  }
  std::string typeName() const override { return "Screw"; }

 private:
  double pitch_;  // [m]
};

/// A rod of length L from an anchor that moves as it likes: C = (|x − a(t)|² − L²) / 2L.
class MovingAnchor : public BilateralConstraint {
 public:
  MovingAnchor(std::function<Vector3(double)> anchor, std::function<Vector3(double)> velocity, double length)
      : anchor_{std::move(anchor)}, velocity_{std::move(velocity)}, length_{length} {}
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override {
    return VectorX::Constant(1, ((state.position - anchor_(time)).squaredNorm() - length_ * length_) / (2 * length_));
  }
  MatrixX jacobian(const State& state, double time) const override {
    MatrixX J = MatrixX::Zero(1, 7);
    J.leftCols<3>() = (state.position - anchor_(time)).transpose() / length_;
    return J;
  }
  VectorX partialTimeDerivative(const State& state, double time) const override {
    return VectorX::Constant(1, -(state.position - anchor_(time)).dot(velocity_(time)) / length_);
  }
  std::string typeName() const override { return "MovingAnchor"; }

 private:
  std::function<Vector3(double)> anchor_, velocity_;
  double length_;
};

MovingAnchor fixedAnchor(double length) {
  return {[](double) { return Vector3{0, 0, 0}; }, [](double) { return Vector3{0, 0, 0}; }, length};
}

/// C = ±(|x| − R): stays inside or outside a sphere about the origin.
class Side : public UnilateralConstraint {
 public:
  Side(double radius, double sign) : radius_{radius}, sign_{sign} {}
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double) const override { return VectorX::Constant(1, sign_ * (state.position.norm() - radius_)); }
  MatrixX jacobian(const State& state, double) const override {
    MatrixX J = MatrixX::Zero(1, 7);
    J.leftCols<3>() = sign_ * state.position.normalized().transpose();
    return J;
  }
  std::string typeName() const override { return "Side"; }

 private:
  double radius_, sign_;
};

/// Says what it is told.
class Told : public BilateralConstraint {
 public:
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override { return value ? value(state, time) : VectorX::Constant(1, state.position.x()); }
  MatrixX jacobian(const State& state, double time) const override {
    return rates ? rates(state, time) : MatrixX{Eigen::Matrix<double, 1, 7>{1, 0, 0, 0, 0, 0, 0}};
  }
  std::string typeName() const override { return "Told"; }

  std::function<VectorX(const State&, double)> value;
  std::function<MatrixX(const State&, double)> rates;
};

struct Ball {
  explicit Ball(const Vector3& position, const Vector3& velocity = Vector3::Zero(), double mass = 2.0, const Vector3& gravity = {0, 0, -kG}) {
    builder.setGravity(gravity);
    id = addBody(builder, Shape::sphere(0.05), mass, {position, Quaternion::Identity()}, 0.5);
    builder.body(id).velocity = velocity;
  }
  Simulation simulation() { return {builder.build(), {}}; }

  ModelBuilder builder;
  int id;
};

Vector3 positionOf(const Simulation& simulation, int body) { return simulation.state().position[static_cast<std::size_t>(body)]; }
Vector3 velocityOf(const Simulation& simulation, int body) { return simulation.state().velocity[static_cast<std::size_t>(body)]; }

// The helix is the same everywhere, so every step is: z_n = −½ g' h² n (n + 1) to second order in h, g' = g c²/(a² + c²).
TEST(Constraints, BeadSlidesDownAHelix) {
  const double a = 0.5, c = 0.1, slope = kG * c * c / (a * a + c * c);
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Ball ball{{a, 0, 0}};
    Simulation simulation = ball.simulation();
    simulation.addConstraint(std::make_shared<Helix>(a, c), ball.id);
    const int steps = static_cast<int>(std::lround(2 / h));
    double off = 0;
    for (int k = 0; k < steps; ++k) off = std::max(off, advance(simulation, h, 1).constraintError);
    EXPECT_LE(off, 1e-11);
    const double error = std::abs(positionOf(simulation, ball.id).z() + 0.5 * slope * h * h * steps * (steps + 1));
    EXPECT_LE(error, 40 * h * h);
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.5);
    }
    last = error;
  }
}

// Turning and sinking are in proportion, so the discrete law is exact: v_n = −n h a, a = g / (1 + I (2π/p)² / m).
TEST(Constraints, NutSinksAlongAScrew) {
  const double pitch = 0.05, h = 5e-3, mass = 3;
  ModelBuilder builder;
  const int nut = addBody(builder, Shape::box({0.1, 0.1, 0.02}), mass, {{0, 0, 0}, Quaternion::Identity()}, 0.5);
  const double inertia = mass / 3 * (0.01 + 0.01), turns = 2 * std::numbers::pi / pitch;
  const double acceleration = kG / (1 + inertia * turns * turns / mass);
  Simulation simulation{builder.build(), {}};
  const int id = simulation.addConstraint(std::make_shared<Screw>(pitch), nut);
  const int steps = 2000;  // ten seconds, 3 m, 62 turns
  advance(simulation, h, steps);
  EXPECT_NEAR(velocityOf(simulation, nut).z(), -steps * h * acceleration, 1e-9 * steps * h * acceleration);
  EXPECT_NEAR(positionOf(simulation, nut).z(), -0.5 * acceleration * h * h * steps * (steps + 1), 1e-8);
  EXPECT_NEAR(simulation.state().angularVelocity[static_cast<std::size_t>(nut)].z(), -steps * h * acceleration * turns, 1e-6);
  EXPECT_NEAR(simulation.constraintForce(id)[4], mass * (kG - acceleration), 1e-8 * mass * kG);  // the thread's push along z
}

TEST(Constraints, AnchorThatRisesPullsHarder) {
  const double length = 0.7, lift = 3.0, h = 0.01, mass = 2;
  Ball ball{{0, 0, -length}, Vector3::Zero(), mass};
  Simulation simulation = ball.simulation();
  const int id = simulation.addConstraint(std::make_shared<MovingAnchor>(
                                              [=](double t) {
                                                return Vector3{0, 0, 0.5 * lift * t * t};
                                              },
                                              [=](double t) {
                                                return Vector3{0, 0, lift * t};
                                              },
                                              length),
                                          ball.id);
  double work = 0;
  for (int k = 1; k <= 100; ++k) {
    work += advance(simulation, h, 1).ledger.externalWork;
    EXPECT_NEAR(positionOf(simulation, ball.id).z(), 0.5 * lift * k * k * h * h - length, 1e-10);
    EXPECT_NEAR(-simulation.constraintForce(id)[0], mass * (kG + (k == 1 ? 0.5 : 1) * lift), 1e-7);  // the mean of the first step: from rest
  }
  EXPECT_NEAR(work, mass * (kG + lift) * 0.5 * lift, 0.02 * mass * (kG + lift) * 0.5 * lift);  // force times way, to first order in h
}

/// The pendulum whose anchor swings as A sin(ωt) along x: θ'' = −(g sin θ − A ω² sin(ωt) cos θ) / L, by RK4 at 1e-5 s.
double drivenAngle(double amplitude, double rate, double length, double until) {
  const auto slope = [&](double t, double angle) { return (-kG * std::sin(angle) + amplitude * rate * rate * std::sin(rate * t) * std::cos(angle)) / length; };
  const double h = 1e-5;
  double angle = 0, speed = -amplitude * rate / length;
  for (int k = 0; k < static_cast<int>(std::lround(until / h)); ++k) {
    const double t = k * h;
    const double a1 = slope(t, angle), v1 = speed;
    const double a2 = slope(t + h / 2, angle + h / 2 * v1), v2 = speed + h / 2 * a1;
    const double a3 = slope(t + h / 2, angle + h / 2 * v2), v3 = speed + h / 2 * a2;
    const double a4 = slope(t + h, angle + h * v3), v4 = speed + h * a3;
    angle += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

TEST(Constraints, DrivenPendulumFollowsItsEquation) {
  const double amplitude = 0.1, rate = 3, length = 0.7, until = 3;
  const double angle = drivenAngle(amplitude, rate, length, until);
  const Vector3 exact = Vector3{amplitude * std::sin(rate * until), 0, 0} + length * Vector3{std::sin(angle), 0, -std::cos(angle)};
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Ball ball{{0, 0, -length}};
    Simulation simulation = ball.simulation();
    simulation.addConstraint(std::make_shared<MovingAnchor>(
                                 [=](double t) {
                                   return Vector3{amplitude * std::sin(rate * t), 0, 0};
                                 },
                                 [=](double t) {
                                   return Vector3{amplitude * rate * std::cos(rate * t), 0, 0};
                                 },
                                 length),
                             ball.id);
    advance(simulation, h, static_cast<int>(std::lround(until / h)));
    const double error = (positionOf(simulation, ball.id) - exact).norm();
    EXPECT_LE(error, 50 * h * h);
    if (last > 0) {
      EXPECT_NEAR(last / error, 4,
                  0.3);  // second order: no force acts at the start, so that it matters not where within the first step the velocity is counted
    }
    last = error;
  }
}

// SHAKE keeps what it keeps: a hundred swings on, the bob still rises as high.
TEST(Constraints, PendulumKeepsItsHeight) {
  const double length = 1, h = 0.01;
  Ball ball{{length, 0, 0}};
  Simulation simulation = ball.simulation();
  simulation.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(length)), ball.id);
  const auto highest = [&] {
    double z = -1;
    for (int k = 0; k < 1200; ++k) {
      EXPECT_LE(advance(simulation, h, 1).constraintError, 1e-10);
      z = std::max(z, positionOf(simulation, ball.id).z());
    }
    return z;
  };
  const double early = highest();
  for (int k = 0; k < 15; ++k) highest();
  EXPECT_NEAR(highest(), early, 1e-3);
}

// A physical pendulum on a hinge of the world: period by the complete elliptic integral, T = 4 K(sin(θ0/2)) √(I/(m g d)).
TEST(Constraints, HingedBarSwingsInItsPeriod) {
  const double half = 0.5, h = 1e-3, start = 2.0, mass = 1;
  ModelBuilder builder;
  const int bar = addBody(builder, Shape::box({0.02, 0.02, half}), mass,
                          {half * Vector3{-std::sin(start), 0, -std::cos(start)}, turn(start * 180 / std::numbers::pi, {0, 1, 0})}, 0);
  Simulation simulation{builder.build(), {}};
  simulation.addConstraint(std::make_shared<RevoluteConstraint>(0, static_cast<std::size_t>(bar), Coordinate{0, 0, 0}, Coordinate{0, 0, half},
                                                                Coordinate{0, 1, 0}, Coordinate{0, 1, 0}));
  const double inertia = mass * (half * half + (0.02 * 0.02 + half * half) / 3);
  const double period = 4 * std::comp_ellint_1(std::sin(start / 2)) * std::sqrt(inertia / (mass * kG * half));
  double previous = -1, crossing = 0;
  int crossings = 0;
  for (int k = 1; crossings < 8; ++k) {
    ASSERT_LT(k, 40000);
    EXPECT_LE(advance(simulation, h, 1).constraintError, 1e-10);
    const double x = positionOf(simulation, bar).x();
    if (previous < 0 && x >= 0) {
      crossing = h * (k - x / (x - previous));
      ++crossings;
    }
    previous = x;
  }
  EXPECT_NEAR(crossing, (0.25 + 7) * period, 1e-3 * period);
}

std::size_t index(int body) { return static_cast<std::size_t>(body); }

/// A hinge about y through `at`, in the world, of the bodies where they are now.
std::shared_ptr<RevoluteConstraint> hinge(const Simulation& simulation, int a, int b, const Vector3& at) {
  const auto inBody = [&](int body, const Vector3& x) { return Coordinate{Vector3{simulation.state().rotation[index(body)].conjugate() * x}}; };
  const auto anchor = [&](int body) { return inBody(body, at - simulation.state().position[index(body)]); };
  return std::make_shared<RevoluteConstraint>(index(a), index(b), anchor(a), anchor(b), inBody(a, Vector3::UnitY()), inBody(b, Vector3::UnitY()));
}

// A plane linkage in space: 20 rows for 17 degrees of freedom, 3 of them redundant. It falls, swings through and keeps its energy but for the half step between v and x.
TEST(Constraints, FourBarLinkageSwings) {
  const double h = 2e-3;
  const std::vector<Vector3> joints{{0, 0, 0}, {0.1, 0, 0.4}, {0.9, 0, 0.6}, {1, 0, 0}};
  ModelBuilder builder;
  std::vector<int> bars;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 along = joints[k + 1] - joints[k];
    bars.push_back(addBody(builder, Shape::box({0.02, 0.02, along.norm() / 2}), 1,
                           {0.5 * (joints[k] + joints[k + 1]), Quaternion::FromTwoVectors(Vector3::UnitZ(), along)}, 0));
  }
  builder.addExclude(bars[0], bars[1]);
  builder.addExclude(bars[1], bars[2]);
  builder.addExclude(bars[0], bars[2]);
  Simulation simulation{builder.build(), {}};
  for (std::size_t k = 0; k < 4; ++k) simulation.addConstraint(hinge(simulation, k == 0 ? 0 : bars[k - 1], k == 3 ? 0 : bars[k], joints[k]));
  double lowest = 1, worst = 0;
  const auto potential = [&] {
    double sum = 0;
    for (const int bar : bars) sum += kG * positionOf(simulation, bar).z();
    return sum;
  };
  const double start = potential();
  for (int k = 0; k < 2000; ++k) {
    const StepReport& report = advance(simulation, h, 1);
    EXPECT_LE(report.constraintError, 1e-8);
    worst = std::max(worst, std::abs(report.ledger.kineticEnd + potential() - start));
    lowest = std::min(lowest, positionOf(simulation, bars[1]).z());
  }
  EXPECT_LE(lowest, 0);
  EXPECT_LE(worst, 0.3);  // of 15 J
}

// Links fall, swing and come to lie on a rough floor.
TEST(Constraints, ChainFallsOnTheFloor) {
  for (const double last : {1.0, 1e3}) {
    const double h = 1.0 / 240;
    ModelBuilder builder;
    addPlane(builder, 0.5);
    std::vector<int> links;
    const int n = 12;
    for (int k = 0; k < n; ++k) {
      links.push_back(addBody(builder, Shape::capsule(0.02, 0.06), k + 1 == n ? last : 1.0, {{0.2 * k, 0, 0.6}, turn(90, {0, 1, 0})}, 0.5));
      if (k > 0) builder.addExclude(links[index(k - 1)], links[index(k)]);
    }
    Simulation simulation{builder.build(), {}};
    for (int k = 1; k < n; ++k) simulation.addConstraint(hinge(simulation, links[index(k - 1)], links[index(k)], {0.2 * k - 0.1, 0, 0.6}));
    for (int k = 0; k < 480; ++k) EXPECT_LE(advance(simulation, h, 1, 1e-7).constraintError, 1e-7);
    for (const int link : links) {
      EXPECT_NEAR(positionOf(simulation, link).z(), 0.02, 1e-6);
      EXPECT_LE(velocityOf(simulation, link).norm(), 1e-6);
    }
  }
}

TEST(Constraints, BoxIsDraggedByARod) {
  const double h = 0.005, mass = 4, mu = 0.5;
  ModelBuilder builder;
  addPlane(builder, mu);
  const int box = addBody(builder, Shape::box({0.2, 0.2, 0.1}), mass, {{0, 0, 0.1}, Quaternion::Identity()}, mu);
  Body driver;
  driver.kind = BodyKind::Kinematic;
  driver.X_WB.position = {1, 0, 0.1};
  const int driven = builder.addBody(driver);
  Simulation simulation{builder.build(), {}};
  const int id = simulation.addConstraint(std::make_shared<TwoBodyDistanceConstraint>(static_cast<std::size_t>(driven), static_cast<std::size_t>(box),
                                                                                      Coordinate{0, 0, 0}, Coordinate{0, 0, 0}, 1.0));
  simulation.setVelocity(driven, {0.3, 0, 0}, Vector3::Zero());
  for (int k = 1; k <= 200; ++k) {
    const StepReport& report = advance(simulation, h, 1);
    EXPECT_NEAR(positionOf(simulation, box).x(), 0.3 * h * k, 1e-9);
    if (k == 1) continue;  // the start is a jerk
    EXPECT_NEAR(std::abs(simulation.constraintForce(id)[0]), mu * mass * kG, 1e-6);
    EXPECT_NEAR(report.ledger.externalWork, mu * mass * kG * 0.3 * h, 1e-7);
    EXPECT_NEAR(report.ledger.friction, mu * mass * kG * 0.3 * h, 1e-7);
  }
}

// In a bowl without friction a ball swings as on a rod, and it leaves a dome where cos θ = 2/3.
TEST(Constraints, UnilateralRowsHoldAndLetGo) {
  const double R = 0.8, h = 0.002;
  Ball inBowl{{R * std::sin(1.0), 0, -R * std::cos(1.0)}}, onRod{{R * std::sin(1.0), 0, -R * std::cos(1.0)}};
  Simulation bowl = inBowl.simulation(), rod = onRod.simulation();
  bowl.addConstraint(std::make_shared<Side>(R, -1), inBowl.id);
  rod.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(R)), onRod.id);
  for (int k = 0; k < 1000; ++k) {
    const StepReport& report = advance(bowl, h, 1);
    advance(rod, h, 1);
    EXPECT_LE((positionOf(bowl, inBowl.id) - positionOf(rod, onRod.id)).norm(), 1e-8);
    EXPECT_GE(report.ledger.impact, -1e-9);
  }
  for (const double step : {2e-3, 1e-3}) {
    const double tilt = 0.05;
    Ball ball{{R * std::sin(tilt), 0, R * std::cos(tilt)}};
    Simulation dome = ball.simulation();
    const int id = dome.addConstraint(std::make_shared<Side>(R, 1), ball.id);
    double height = 0;
    for (int k = 0; k < 5000; ++k) {
      advance(dome, step, 1);
      if (dome.constraintForce(id)[0] == 0) break;
      height = positionOf(dome, ball.id).z();
    }
    EXPECT_NEAR(height, 2.0 / 3 * R * std::cos(tilt), 2 * step);  // energy from the start: cos θ = 2/3 cos θ0
  }
}

TEST(Constraints, HangingAtRestStaysBitIdentical) {
  Ball ball{{0, 0, -0.7}};
  Simulation simulation = ball.simulation();
  const int id = simulation.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(0.7)), ball.id);
  advance(simulation, 0.01, 3);
  const std::uint64_t early = hash(simulation.state());
  const StepReport& report = advance(simulation, 0.01, 500);
  EXPECT_EQ(hash(simulation.state()), early);
  EXPECT_STREQ(report.rungs.front().first, "rest");
  EXPECT_NEAR(-simulation.constraintForce(id)[0], 2 * kG, 1e-9);
}

TEST(Constraints, SaidTwiceHoldsOnce) {
  Ball one{{0.5, 0, 0}}, two{{0.5, 0, 0}};
  Simulation once = one.simulation(), twice = two.simulation();
  for (const int times : {1, 2})
    for (int k = 0; k < times; ++k) (times == 1 ? once : twice).addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(0.5)), one.id);
  twice.addConstraint(std::make_shared<UnitQuaternionConstraint>(), two.id);  // which pushes nothing
  for (int k = 0; k < 300; ++k) {
    advance(once, 0.005, 1);
    advance(twice, 0.005, 1);
    ASSERT_LE((positionOf(once, one.id) - positionOf(twice, two.id)).norm(), 1e-8);
  }
}

TEST(Constraints, BroughtBackApartFromVelocities) {
  Ball ball{{0.51, 0, 0}, Vector3::Zero(), 2, Vector3::Zero()};
  Simulation simulation = ball.simulation();
  simulation.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(0.5)), ball.id);
  const StepReport& report = advance(simulation, 0.01, 10);
  EXPECT_LE(report.constraintError, 1e-10);
  EXPECT_NEAR(positionOf(simulation, ball.id).norm(), 0.5, 1e-10);
  EXPECT_EQ(report.ledger.kineticEnd, 0);
}

TEST(Constraints, BobBouncesOffAWall) {
  const double length = 0.6, h = 0.004;
  ModelBuilder builder;
  Geom wall;
  wall.shape = Shape::plane();
  wall.restitution = 1;
  wall.friction = 0;
  builder.addGeom(wall, {{-0.05, 0, 0}, turn(90, {0, 1, 0})});  // x >= −0.05
  const int bob = addBody(builder, Shape::sphere(0.05), 1, {{length, 0, 0}, Quaternion::Identity()}, 0);
  Simulation simulation{builder.build(), {}};
  simulation.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(length)), bob);
  double fastest = 0, returned = 0;
  for (int k = 0; k < 200; ++k) {
    advance(simulation, h, 1);
    fastest = std::min(fastest, velocityOf(simulation, bob).x());
    returned = std::max(returned, velocityOf(simulation, bob).x());
  }
  EXPECT_NEAR(fastest, -std::sqrt(2 * kG * length), 0.02);
  EXPECT_NEAR(returned, -fastest, 1e-3);
}

TEST(Constraints, SameBitsForThreadsAndSnapshots) {
  const auto run = [](int threads, bool restore) {
    ModelBuilder builder;
    addPlane(builder, 0.5);
    std::vector<int> ids;
    for (int k = 0; k < 6; ++k) ids.push_back(addBody(builder, Shape::sphere(0.1), 1, {{0.5 * k, 0, 0.3 + 0.05 * k}, Quaternion::Identity()}, 0.5));
    SimulationOptions options;
    options.threads = threads;
    Simulation simulation{builder.build(), options};
    for (std::size_t k = 0; k + 1 < ids.size(); k += 2)
      simulation.addConstraint(std::make_shared<TwoBodyDistanceConstraint>(static_cast<std::size_t>(ids[k]), static_cast<std::size_t>(ids[k + 1]),
                                                                           Coordinate{0, 0, 0.05}, Coordinate{0, 0, 0}, 0.5));
    advance(simulation, 0.005, 40);
    if (restore) {
      const WorldState snapshot = simulation.state();
      advance(simulation, 0.005, 30);
      simulation.setState(snapshot);
    }
    advance(simulation, 0.005, 40);
    return hash(simulation.state());
  };
  const std::uint64_t once = run(1, false);
  EXPECT_EQ(run(2, false), once);
  EXPECT_EQ(run(1, true), once);
}

TEST(Constraints, RemovedLetsGo) {
  Ball ball{{0, 0, -0.5}};
  Simulation simulation = ball.simulation();
  const int id = simulation.addConstraint(std::make_shared<MovingAnchor>(fixedAnchor(0.5)), ball.id);
  advance(simulation, 0.01, 5);
  simulation.removeConstraint(id);
  advance(simulation, 0.01, 10);
  EXPECT_NEAR(velocityOf(simulation, ball.id).z(), -kG * 0.1, 1e-12);
  EXPECT_THROW(simulation.removeConstraint(id), InputError);
  EXPECT_THROW(simulation.constraintForce(id), InputError);
}

TEST(Constraints, WhatIsNoConstraintIsRefused) {
  Ball ball{{0, 0, 0}};
  const int other = addBody(ball.builder, Shape::sphere(0.05), 1, {{1, 0, 0}, Quaternion::Identity()}, 0.5);
  Simulation simulation = ball.simulation();
  const auto message = [&](auto&& add) {
    try {
      add();
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"accepted"};
  };
  const auto told = [&](auto&& teach) {
    const auto constraint = std::make_shared<Told>();
    teach(*constraint);
    return message([&] { simulation.addConstraint(constraint, ball.id); });
  };
  const auto says = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(says, told([](Told& c) { c.value = [](const State&, double) { return VectorX::Zero(2); }; }), "evaluate gives 2 entries, not 1");
  EXPECT_PRED2(says, told([](Told& c) { c.value = [](const State&, double) { return VectorX::Constant(1, std::numeric_limits<double>::quiet_NaN()); }; }),
               "not finite");
  EXPECT_PRED2(says, told([](Told& c) { c.rates = [](const State&, double) { return MatrixX::Zero(1, 6); }; }), "jacobian gives 1 x");
  EXPECT_PRED2(says, told([](Told& c) {
                 c.rates = [](const State&, double) { return MatrixX::Zero(1, 7); };
                 c.value = [](const State&, double) { return VectorX::Constant(1, 1.0); };
               }),
               "no motion");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(nullptr, ball.id); }), "null");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(std::make_shared<Helix>(1, 1)); }), "the body that it constrains");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(std::make_shared<Helix>(1, 1), 9); }), "0 to 2");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(std::make_shared<Helix>(1, 1), -1); }), "0 to 2");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(std::make_shared<Helix>(1, 1), 0); }), "a dynamic body");
  const auto rod = [](std::size_t a, std::size_t b) {
    return std::make_shared<TwoBodyDistanceConstraint>(a, b, Coordinate{0, 0, 0}, Coordinate{0, 0, 0}, 1.0);
  };
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(rod(1, 1)); }), "twice");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(rod(1, 77)); }), "0 to 2");
  EXPECT_PRED2(says, message([&] { simulation.addConstraint(rod(1, 2), other); }), "no body");
  EXPECT_PRED2(
      says, message([&] {
        simulation.addConstraint(std::make_shared<FrictionConstraint>(1, 2, Coordinate{0, 0, 1}, Coordinate{}, Coordinate{}, Coordinate{}, Coordinate{}, 0.5));
      }),
      "a law of velocities");
  EXPECT_EQ(message([&] { simulation.addConstraint(rod(1, 2)); }), "accepted");
  advance(simulation, 0.01, 1);

  const auto later = std::make_shared<Told>();
  later->value = [](const State& state, double time) {
    return VectorX::Constant(1, time > 0.035 ? std::numeric_limits<double>::quiet_NaN() : state.position.x());
  };
  const int id = simulation.addConstraint(later, ball.id);
  advance(simulation, 0.01, 2);
  const std::uint64_t before = hash(simulation.state());
  const StepReport& report = simulation.step(0.01);
  EXPECT_EQ(report.status, StepStatus::NonFinite);
  EXPECT_PRED2(says, report.reason, "constraint " + std::to_string(id) + " (Told)");
  EXPECT_EQ(hash(simulation.state()), before);
}

}  // namespace
}  // namespace stiction::laws
