// The Lagrange solver of the tutorial against mechanics: multipliers, what Baumgarte's gains do, redundancy, and the stepped pendulum.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "Jacobians.hpp"
#include "base/Error.hpp"
#include "constraints/BodyCoordinates.hpp"
#include "constraints/ConstrainedBody.hpp"
#include "constraints/DistanceConstraint.hpp"
#include "constraints/UnitQuaternionConstraint.hpp"

namespace stiction {
namespace {

using testing::randomState;
using testing::randomVector;

constexpr double kG = 9.81, kMass = 2.0;
const Matrix3 kInertia = Vector3{0.1, 0.2, 0.25}.asDiagonal();
const Matrix3 kInverse = kInertia.inverse();
const Vector3 kWeight{0, 0, -kMass* kG};

Eigen::Vector4d coordinates(const Quaternion& Q) { return {Q.w(), Q.x(), Q.y(), Q.z()}; }

/// X = p(t) in all three coordinates.
class Guided : public BilateralConstraint {
 public:
  int dimension() const override { return 3; }
  VectorX evaluate(const State& state, double time) const override { return state.position - at(time); }
  MatrixX jacobian(const State& /*state*/, double /*time*/) const override { return MatrixX::Identity(3, 7); }
  VectorX partialTimeDerivative(const State& /*state*/, double time) const override { return -Vector3{2 * std::cos(2 * time), 0, 2 * time}; }

 private:
  static Vector3 at(double time) { return {std::sin(2 * time), 0, time * time}; }
};

State hanging(double distance) {
  State state;
  state.position = {0, 0, -distance};
  return state;
}

TEST(LagrangeSolve, TheHangingPendulumCarriesItsWeight) {
  DistanceConstraint rod{0.8};
  const auto result = ConstraintSolver{}.solve({&rod}, hanging(0.8), kWeight, kMass, kInverse, 0.016);
  EXPECT_TRUE(result.converged);
  EXPECT_LT((Vector3{result.linearForce} + kWeight).norm(), 1e-13);
  EXPECT_EQ(result.angularTorque, Coordinate(0, 0, 0));
  EXPECT_NEAR(result.lambda[0], -kMass * kG / (2 * 0.8), 1e-13);  // J = 2X
  EXPECT_EQ(result.F_c.size(), 7);
  EXPECT_NEAR(result.conditionNumber, 1.0, 1e-15);
  EXPECT_EQ(result.rank, 1);
  EXPECT_TRUE(result.redundantRows.empty());
}

// What a row can be pushed with is a question of each kind of coordinate: a grain's 1/I is 1e11 times its 1/m, a planet's next to nothing.
TEST(LagrangeSolve, GrainsAndPlanetsHangLikeEveryBody) {
  const auto expectHangs = [](double mass, double inertia) {
    DistanceConstraint rod{1.0};
    const auto result = ConstraintSolver{}.solve({&rod}, hanging(1.0), mass * Vector3{0, 0, -kG}, mass, Matrix3::Identity() / inertia, 0.016);
    EXPECT_TRUE(result.converged) << mass;
    EXPECT_EQ(result.rank, 1) << mass;
    EXPECT_NEAR(result.lambda[0] / mass, -kG / 2, 1e-12) << mass;
  };
  for (const double radius : {1e-3, 1e-5, 1e-6, 1e-8}) {
    const double mass = 2000 * 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3);
    expectHangs(mass, 0.4 * mass * radius * radius);
  }
  for (const double mass : {1e-20, 1e20}) expectHangs(mass, 1.0);
}

TEST(LagrangeSolve, ACirclingMassIsHeldByItsCentripetalForce) {
  DistanceConstraint rod{0.8};
  State state;
  state.position = {0.8, 0, 0};
  state.velocity = {0, 3, 0};
  ConstraintSolver solver;
  EXPECT_LT((solver.solve({&rod}, state, Vector3::Zero(), kMass, kInverse, 0.016).linearForce - Vector3{-kMass * 9 / 0.8, 0, 0}).norm(), 1e-12);
  solver.setAccelerationForm(ConstraintSolver::AccelerationForm::WithoutVelocityProduct);
  EXPECT_EQ(solver.solve({&rod}, state, Vector3::Zero(), kMass, kInverse, 0.016).linearForce, Coordinate(0, 0, 0));
}

TEST(LagrangeSolve, AnAnchorThatMovesInTimePullsItsBodyAlong) {
  Guided guide;
  const double t = 0.4;
  State state;
  state.position = {std::sin(2 * t), 0, t * t};
  state.velocity = {2 * std::cos(2 * t), 0, 2 * t};
  const auto result = ConstraintSolver{}.solve({&guide}, state, kWeight, Vector3::Zero(), kMass, kInverse, 0.016, t);
  const Vector3 acceleration{-4 * std::sin(2 * t), 0, 2};
  EXPECT_TRUE(result.converged);
  EXPECT_LT((kMass * acceleration - kWeight - result.linearForce).norm(), 1e-7);  // γ by differences
}

TEST(LagrangeSolve, GainsPullErrorsBack) {
  DistanceConstraint rod{1.0, 7.0, 3.0};
  State state;
  state.position = {1.1, 0, 0};
  state.velocity = {0.5, 0, 0};
  const auto result = ConstraintSolver{}.solve({&rod}, state, Vector3::Zero(), kMass, kInverse, 0.016);
  const double C = 1.21 - 1, rate = 2 * 1.1 * 0.5;
  const double second = 2 * 0.25 + 2 * 1.1 * result.linearForce.x() / kMass;  // C̈ of |X|² − d²
  EXPECT_NEAR(second, -7 * C - 3 * rate, 1e-12);
}

TEST(LagrangeSolve, TheQuaternionRowNeverTurnsTheBody) {
  std::mt19937 random{1};
  UnitQuaternionConstraint unit;
  for (int k = 0; k < 50; ++k) {
    State state = randomState(random);
    state.orientation.coeffs() *= 1.001;  // off the sphere: the row has something to do
    const auto result = ConstraintSolver{}.solve({&unit}, state, kWeight, randomVector(random), kMass, kInverse, 0.016);
    EXPECT_TRUE(result.converged);
    EXPECT_GT(std::abs(result.lambda[0]), 1e-6);
    EXPECT_LT(result.angularTorque.norm(), 1e-14 * std::max(1.0, std::abs(result.lambda[0])));
    EXPECT_LT(result.linearForce.norm(), 1e-300);
  }
}

TEST(LagrangeSolve, WithLockedRotationTheQuaternionRowIsRedundantNotAnError) {
  UnitQuaternionConstraint unit;
  DistanceConstraint rod{0.8};
  const auto result = ConstraintSolver{}.solve({&unit, &rod}, hanging(0.8), kWeight, kMass, Matrix3::Zero(), 0.016);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.rank, 1);
  EXPECT_EQ(result.redundantRows, std::vector<int>{0});
  EXPECT_LT((Vector3{result.linearForce} + kWeight).norm(), 1e-13);
  EXPECT_STREQ(conditionLabel(result.conditionNumber), "singular");
}

TEST(LagrangeSolve, RedundantRowsAreNamedAndConsistentOnesSolved) {
  DistanceConstraint rod{0.8}, same{0.8}, other{0.9};
  ConstraintSolver solver;
  const auto independent = solver.solve({&rod, &same}, hanging(0.8), kWeight, kMass, kInverse, 0.016);
  EXPECT_TRUE(independent.converged);
  EXPECT_EQ(independent.rank, 1);
  ASSERT_EQ(independent.redundantRows.size(), 1u);
  EXPECT_EQ(independent.lambda[independent.redundantRows[0]], 0.0);
  EXPECT_LT((Vector3{independent.linearForce} + kWeight).norm(), 1e-13);

  solver.setRedundancyRule(ConstraintSolver::RedundancyRule::LeastNorm);
  const auto shortest = solver.solve({&rod, &same}, hanging(0.8), kWeight, kMass, kInverse, 0.016);
  EXPECT_TRUE(shortest.converged);
  EXPECT_NEAR(shortest.lambda[0], shortest.lambda[1], 1e-13);
  EXPECT_LT((Vector3{shortest.linearForce} + kWeight).norm(), 1e-12);

  EXPECT_FALSE(solver.solve({&rod, &other}, hanging(0.8), kWeight, kMass, kInverse, 0.016).converged);
}

// The same rod twice and a row that nothing pushes, of a body so small that one of its rows is 1e15 times the other.
TEST(LagrangeSolve, LeastNormKeepsRowsOfAllSizes) {
  DistanceConstraint rod{1.0}, same{1.0};
  UnitQuaternionConstraint unit;
  ConstraintSolver solver;
  solver.setRedundancyRule(ConstraintSolver::RedundancyRule::LeastNorm);
  for (const double radius : {1.0, 1e-3, 1e-5, 1e-7}) {
    const double mass = 1000 * std::pow(radius, 3), inertia = 0.4 * mass * radius * radius;
    const Vector3 weight = mass * Vector3{0, 0, -kG};
    const auto result = solver.solve({&rod, &same, &unit}, hanging(1.0), weight, mass, Matrix3::Identity() / inertia, 0.016);
    EXPECT_TRUE(result.converged) << radius;
    EXPECT_LT((Vector3{result.linearForce} + weight).norm(), 1e-12 * weight.norm()) << radius;
    EXPECT_NEAR(result.lambda[0], result.lambda[1], 1e-12 * mass * kG) << radius;
  }
}

/// Two coordinates of the position, each in units of its own.
class Scaled : public Constraint {
 public:
  explicit Scaled(double scale) : scale_{scale} {}
  int dimension() const override { return 2; }
  VectorX evaluate(const State& state, double) const override { return Vector2{state.position.x(), scale_ * state.position.y()}; }
  MatrixX jacobian(const State&, double) const override {
    MatrixX J = MatrixX::Zero(2, 7);
    J(0, 0) = 1;
    J(1, 1) = scale_;
    return J;
  }

 private:
  double scale_;
};

TEST(LagrangeSolve, ConditionNumbersArePositiveOrInfinite) {
  for (const double scale : {1.0, 1e3, 1e-3, 1e6, 1e9, 1e-9, 1e15}) {
    Scaled rows{scale};
    const double condition = ConstraintSolver{}.solve({&rows}, hanging(1.0), kWeight, kMass, kInverse, 0.016).conditionNumber,
                 expected = std::pow(std::max(scale, 1 / scale), 2);
    if (expected > 1e15)
      EXPECT_EQ(condition, INFINITY) << scale;
    else
      EXPECT_NEAR(condition / expected, 1, 1e-12) << scale;
  }
  EXPECT_STREQ(conditionLabel(-1e28), "unknown");
}

// In velocities the unit quaternion's row is nothing but round-off: a body that turns goes as without it, whatever the order of the rows, and twice is once.
TEST(ConstrainedBody, TheUnitQuaternionIsRedundantOnABodyThatTurns) {
  const Matrix3 inertia = Vector3{0.1, 0.2, 0.25}.asDiagonal();
  for (const bool oblique : {false, true}) {
    DistanceConstraint rod{1.0};
    UnitQuaternionConstraint unit, again;
    const auto run = [&](std::vector<Constraint*> constraints) {
      ConstrainedBody body{2.0, inertia, std::move(constraints)};
      body.setExternalTorque({0.3, -0.1, 0.2});
      State state;
      state.position = {1, 0, 0};
      if (oblique) state.orientation = Quaternion{0.5, -0.5, 0.1, 0.7}.normalized();
      state.setAngularVelocity({0.5, 2, -1});
      for (int k = 0; k < 250; ++k) EXPECT_TRUE(body.physicsStep(state, 0.004).converged) << k;
      return state;
    };
    const State alone = run({&rod});
    for (const std::vector<Constraint*>& constraints : {std::vector<Constraint*>{&rod, &unit}, {&unit, &rod}, {&unit, &rod, &again}}) {
      const State state = run(constraints);
      EXPECT_LT((state.position - alone.position).norm(), 1e-11);
      EXPECT_LT((state.getAngularVelocity() - alone.getAngularVelocity()).norm(), 1e-10);
    }
  }
}

// The units of one row are no business of another: a rod of a metre beside a wall y = 0 in any unit of length.
TEST(ConstrainedBody, UnitsOfARowDoNotMatterToOthers) {
  class Wall : public Constraint {
   public:
    explicit Wall(double scale) : scale_{scale} {}
    int dimension() const override { return 1; }
    VectorX evaluate(const State& state, double) const override { return VectorX::Constant(1, scale_ * state.position.y()); }
    MatrixX jacobian(const State&, double) const override {
      MatrixX J = MatrixX::Zero(1, 7);
      J(0, 1) = scale_;
      return J;
    }

   private:
    double scale_;
  };
  for (const double scale : {1.0, 1e6, 1e12, 1e-9}) {
    DistanceConstraint rod{1.0};
    Wall wall{scale};
    ConstrainedBody body{kMass, Matrix3::Identity(), {&rod, &wall}};
    State state;
    state.position = {1, 0, 0};
    for (int k = 0; k < 300; ++k) ASSERT_TRUE(body.physicsStep(state, 0.01).converged) << scale << ' ' << k;
    EXPECT_NEAR(state.position.norm(), 1.0, 1e-13) << scale;
    EXPECT_NEAR(state.position.y(), 0.0, 1e-13) << scale;
  }
}

TEST(LagrangeSolve, WithoutConstraintsThereIsNothingToDo) {
  const auto result = ConstraintSolver{}.solve({}, {}, kWeight, kMass, kInverse, 0.016);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.lambda.size(), 0);
  EXPECT_EQ(result.conditionNumber, 1.0);
}

TEST(LagrangeSolve, ConditionLabels) {
  EXPECT_STREQ(conditionLabel(1), "well-conditioned");
  EXPECT_STREQ(conditionLabel(99.9), "well-conditioned");
  EXPECT_STREQ(conditionLabel(100), "moderately conditioned");
  EXPECT_STREQ(conditionLabel(1e6), "moderately conditioned");
  EXPECT_STREQ(conditionLabel(1.1e6), "nearly singular");
  EXPECT_STREQ(conditionLabel(INFINITY), "singular");
  EXPECT_STREQ(conditionLabel(std::nan("")), "unknown");
}

TEST(BodyCoordinates, TheMassIsThatOfTheKineticEnergy) {
  std::mt19937 random{2};
  for (int k = 0; k < 20; ++k) {
    const State state = randomState(random);
    const Matrix3 R = state.orientation.toRotationMatrix();
    const Matrix3 inertia = R * kInertia * R.transpose();
    const Matrix7 M = inverseMass(state.orientation, kMass, inertia.inverse()).inverse();
    const Vector3 omega = state.getAngularVelocity();
    const double energy = 0.5 * kMass * state.velocity.squaredNorm() + 0.5 * omega.dot(inertia * omega);
    EXPECT_NEAR(0.5 * rateOf(state).dot(M * rateOf(state)), energy, 1e-12 * energy);
    EXPECT_LT((quaternionToOmega(state.orientation) * state.quaternionRate * 2 - omega).norm(), 1e-14);
    // Power of a generalised force is that of force and torque.
    const Vector3 force = randomVector(random), torque = randomVector(random);
    EXPECT_NEAR(generalisedForce(state.orientation, force, torque).dot(rateOf(state)), force.dot(state.velocity) + torque.dot(omega), 1e-13);
  }
  const Matrix7 sphere = inverseMass(Quaternion::Identity(), 1.0, Matrix3::Identity() / 0.3).inverse();
  EXPECT_LT((sphere.bottomRightCorner<4, 4>() - 4 * 0.3 * Eigen::Matrix4d::Identity()).norm(), 1e-14);
}

TEST(BodyCoordinates, FreeAccelerationKeepsAngularMomentumAndTheUnitSphere) {
  std::mt19937 random{3};
  for (int k = 0; k < 20; ++k) {
    const State state = randomState(random);
    const auto inertiaAt = [](const Quaternion& Q) {
      const Matrix3 R = Q.normalized().toRotationMatrix();
      return Matrix3{R * kInertia * R.transpose()};
    };
    const Vector7 second = freeAcceleration(state, Vector3::Zero(), Vector3::Zero(), kMass, inertiaAt(state.orientation).inverse());
    const Eigen::Vector4d q = coordinates(state.orientation);
    EXPECT_NEAR(state.quaternionRate.squaredNorm() + q.dot(second.tail<4>()), 0.0, 1e-13);  // ½ d²|Q|²/dt²
    const auto momentum = [&](double dt) {
      State moved = state;
      const Eigen::Vector4d there = q + dt * state.quaternionRate + 0.5 * dt * dt * second.tail<4>();
      moved.orientation = Quaternion{there[0], there[1], there[2], there[3]};
      moved.quaternionRate += dt * second.tail<4>();
      return Vector3{inertiaAt(moved.orientation) * moved.getAngularVelocity()};
    };
    EXPECT_LT((momentum(1e-5) - momentum(-1e-5)).norm() / 2e-5, 1e-7);
  }
}

struct Swing {
  double worst{0};    // [m] of |X| − d
  double longest{0};  // [m] largest |X| − d
  State end;
};

Swing swing(ConstrainedBody& body, double d, double h, double seconds) {
  Swing result;
  State& state = result.end;
  state.position = {d, 0, 0};
  for (int k = 0; k < static_cast<int>(std::lround(seconds / h)); ++k) {
    EXPECT_TRUE(body.physicsStep(state, h).converged);
    result.worst = std::max(result.worst, std::abs(state.position.norm() - d));
  }
  return result;
}

TEST(ConstrainedBody, PositionLevelPendulumKeepsItsLengthAtEveryStep) {
  for (const double h : {1e-3, 4e-3, 16e-3, 50e-3}) {
    DistanceConstraint rod{1.0};
    UnitQuaternionConstraint unit;
    ConstrainedBody body{kMass, kInertia, {&rod, &unit}};
    EXPECT_LT(swing(body, 1.0, h, 10).worst, 1e-9) << h;
  }
}

// At rest, without gravity, 0.1 m off a rod of 1 m: Baumgarte's gains make it move, C = |x|² − 1 falling as C̈ + β Ċ + α C = 0 says; on the level of positions nothing moves.
TEST(ConstrainedBody, BaumgarteMakesKineticEnergyOutOfAnError) {
  constexpr double mass = 2, off = 0.1, dt = 1e-4, duration = 1;
  const double root = std::sqrt(10.0 * 10.0 / 4 - 10.0), s1 = -5 + root, s2 = -5 - root, C0 = (1 + off) * (1 + off) - 1;
  double expected = 0;
  for (double t = 0; t < duration; t += dt) {
    const double C = C0 * (s1 * std::exp(s2 * t) - s2 * std::exp(s1 * t)) / (s1 - s2), rate = C0 * s1 * s2 * (std::exp(s2 * t) - std::exp(s1 * t)) / (s1 - s2);
    expected = std::max(expected, 0.5 * mass * rate * rate / (4 * (1 + C)));
  }
  EXPECT_GT(expected, 1e-3);
  for (const auto way : {ConstrainedBody::Stabilisation::Baumgarte, ConstrainedBody::Stabilisation::PositionLevel}) {
    DistanceConstraint rod{1.0};
    ConstrainedBody body{mass, Matrix3::Identity(), {&rod}};
    body.setGravity(Vector3::Zero());
    body.setStabilisation(way);
    State state;
    state.position = Coordinate{1 + off, 0, 0};
    double most = 0;
    for (int k = 0; k < static_cast<int>(duration / dt); ++k) {
      ASSERT_TRUE(body.physicsStep(state, dt).converged);
      most = std::max(most, 0.5 * mass * state.velocity.squaredNorm());
    }
    if (way == ConstrainedBody::Stabilisation::Baumgarte) {
      EXPECT_NEAR(most, expected, 0.01 * expected);
    } else {
      EXPECT_LE(most, 1e-20);
      EXPECT_NEAR(state.position.norm(), 1, 1e-12);
    }
  }
}

TEST(ConstrainedBody, TheTutorialsShortFormStretchesThePendulumByHalfAMetre) {
  DistanceConstraint rod{1.0};
  ConstrainedBody body{kMass, kInertia, {&rod}};
  body.setStabilisation(ConstrainedBody::Stabilisation::Baumgarte);
  const auto worst = [&](double h) { return swing(body, 1.0, h, 10).worst; };
  const double full = worst(16e-3);
  EXPECT_NEAR(worst(1e-3) / worst(0.5e-3), 2.0, 0.2);  // the full form errs with the first order of the step,
  body.solver().setAccelerationForm(ConstraintSolver::AccelerationForm::WithoutVelocityProduct);
  EXPECT_NEAR(worst(16e-3), 0.48, 0.005);
  EXPECT_GT(worst(1e-3), 0.4);  // the short one at any
  EXPECT_LT(full, 0.2);
}

TEST(ConstrainedBody, BaumgarteErrorsDecayAsTheGainsSay) {
  // C̈ + β Ċ + α C = 0 from C₀ = 0.02, Ċ₀ = 0: first order in h.
  const double alpha = 40, beta = 4, C0 = 1.01 * 1.01 - 1, T = 0.5;
  const double w = std::sqrt(alpha - beta * beta / 4);
  const double exact = C0 * std::exp(-beta * T / 2) * (std::cos(w * T) + beta / (2 * w) * std::sin(w * T));
  double last = 0;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    DistanceConstraint rod{1.0, alpha, beta};
    ConstrainedBody body{kMass, kInertia, {&rod}};
    body.setStabilisation(ConstrainedBody::Stabilisation::Baumgarte);
    body.setGravity(Vector3::Zero());
    State state;
    state.position = {1.01, 0, 0};
    for (int k = 0; k < static_cast<int>(std::lround(T / h)); ++k) body.physicsStep(state, h);
    const double error = std::abs(body.violation(state)[0] - exact);
    EXPECT_LT(error, 0.1 * C0);
    if (last > 0) {
      EXPECT_NEAR(last / error, 2.0, 0.15);
    }
    last = error;
  }
}

TEST(ConstrainedBody, ThePositionLevelPendulumKeepsItsEnergyToSecondOrder) {
  double last = 0;
  for (const double h : {16e-3, 8e-3, 4e-3, 2e-3}) {
    DistanceConstraint rod{1.0};
    ConstrainedBody body{kMass, kInertia, {&rod}};
    State state;
    state.position = {1, 0, 0};
    double error = 0;
    for (int k = 0; k < static_cast<int>(std::lround(60 / h)); ++k) {
      body.physicsStep(state, h);
      error = std::max(error, std::abs(0.5 * state.velocity.squaredNorm() + kG * state.position.z()));
    }
    EXPECT_LT(error, 40 * kG * h * h) << h;  // over a minute, without drift
    if (last > 0) {
      EXPECT_NEAR(last / error, 4.0, 0.5);
    }
    last = error;
  }
}

TEST(ConstrainedBody, PeriodOfSmallSwings) {
  DistanceConstraint rod{0.7};
  ConstrainedBody body{kMass, kInertia, {&rod}};
  State state;
  constexpr double angle = 1e-3, h = 1e-3;
  state.position = {0.7 * std::sin(angle), 0, -0.7 * std::cos(angle)};
  double before = 0;
  do {
    before = state.position.x();
    body.physicsStep(state, h);
  } while (state.position.x() > 0);
  const double crossing = body.time() - h * state.position.x() / (state.position.x() - before);
  EXPECT_NEAR(crossing, 0.5 * std::numbers::pi * std::sqrt(0.7 / kG), 1e-6);
}

TEST(ConstrainedBody, AFreeBodyKeepsEnergyAndMomentumAndAnOffStartIsMendedWithoutVelocity) {
  std::mt19937 random{9};
  ConstrainedBody body{kMass, kInertia, {}};
  body.setGravity(Vector3::Zero());
  State state = randomState(random);
  const auto momentum = [&] {
    const Matrix3 R = state.orientation.toRotationMatrix();
    return Vector3{R * kInertia * R.transpose() * state.getAngularVelocity()};
  };
  const Vector3 before = momentum();
  for (int k = 0; k < 1000; ++k) body.physicsStep(state, 0.016);
  EXPECT_LT((momentum() - before).norm(), 1e-12);

  DistanceConstraint rod{1.0};
  ConstrainedBody off{kMass, kInertia, {&rod}};
  off.setGravity(Vector3::Zero());
  State far;
  far.position = {1.3, 0, 0};
  EXPECT_TRUE(off.physicsStep(far, 0.01).converged);
  EXPECT_NEAR(far.position.norm(), 1.0, 1e-12);
  EXPECT_LT(far.velocity.norm(), 1e-12);
}

TEST(ConstrainedBody, AStepWithoutAnAnswerLeavesTheStateAsItWas) {
  DistanceConstraint rod{1.0}, other{1.5};
  ConstrainedBody body{kMass, kInertia, {&rod, &other}};
  State state;
  state.position = {1.0, 0, 0};
  EXPECT_FALSE(body.physicsStep(state, 0.01).converged);
  EXPECT_EQ(state.position, Coordinate(1, 0, 0));
  EXPECT_EQ(state.velocity, Coordinate(0, 0, 0));
  EXPECT_EQ(body.time(), 0.0);
}

class WrongSize : public Guided {
 public:
  MatrixX jacobian(const State& /*state*/, double /*time*/) const override { return MatrixX::Zero(3, 6); }
};

/// A rod that gives what a test tells it to once the clock runs.
class LateRod : public DistanceConstraint {
 public:
  LateRod(VectorX value, MatrixX jacobian) : DistanceConstraint{1.0}, value_{std::move(value)}, jacobian_{std::move(jacobian)} {}
  VectorX evaluate(const State& state, double time) const override { return time > 0 ? value_ : DistanceConstraint::evaluate(state, time); }
  MatrixX jacobian(const State& state, double time) const override { return time > 0 ? jacobian_ : DistanceConstraint::jacobian(state, time); }

 private:
  VectorX value_;
  MatrixX jacobian_;
};

TEST(ConstrainedBody, RefusesWhatAConstraintGivesLaterAndKeepsTheState) {
  const auto refused = [](const char* word, const VectorX& value, const MatrixX& jacobian) {
    LateRod rod{value, jacobian};
    ConstrainedBody body{kMass, Matrix3::Identity(), {&rod}};
    State state = hanging(1.0);
    state.velocity.x() = 0.5;
    try {
      for (int k = 0; k < 2; ++k) body.physicsStep(state, 0.01);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find("constraints[0] (DistanceConstraint): " + std::string{word}), std::string::npos) << error.what();
    }
    EXPECT_EQ(state.position, Coordinate(0, 0, -1));
  };
  const VectorX none = VectorX::Zero(1);
  refused("jacobian(): 0 x 0; allowed: 1 x 7", none, {});
  refused("jacobian(): 3 x 7; allowed: 1 x 7", none, MatrixX::Zero(3, 7));
  refused("jacobian(): a number that is not finite", none, MatrixX::Constant(1, 7, NAN));
  refused("evaluate(): 2 x 1; allowed: 1 x 1", VectorX::Zero(2), MatrixX::Zero(1, 7));
  refused("evaluate(): a number that is not finite", VectorX::Constant(1, INFINITY), MatrixX::Zero(1, 7));
}

TEST(LagrangeSolve, RefusesBadInputByName) {
  DistanceConstraint rod{1.0};
  WrongSize wrong;
  TwoBodyDistanceConstraint two{0, 1, {}, {}, 1.0};
  const ConstraintSolver solver;
  State state = hanging(1.0), broken = state;
  broken.velocity.y() = std::nan("");
  Matrix3 skewed = kInverse;
  skewed(0, 1) = 1;
  const auto refused = [&](const char* word, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
    }
  };
  refused("constraints[1] is null", [&] { solver.solve({&rod, nullptr}, state, kWeight, kMass, kInverse, 0.01); });
  refused("constraints[0] (TwoBodyDistanceConstraint)", [&] { solver.solve({&two}, state, kWeight, kMass, kInverse, 0.01); });
  refused("jacobian(): 3 x 6; allowed: 3 x 7", [&] { solver.solve({&wrong}, state, kWeight, kMass, kInverse, 0.01); });
  refused("mass: 0;", [&] { solver.solve({&rod}, state, kWeight, 0.0, kInverse, 0.01); });
  refused("dt: -0.01", [&] { solver.solve({&rod}, state, kWeight, kMass, kInverse, -0.01); });
  refused("dt: nan", [&] { solver.solve({&rod}, state, kWeight, kMass, kInverse, std::nan("")); });
  refused("externalForce", [&] { solver.solve({&rod}, state, Vector3{0, 0, INFINITY}, kMass, kInverse, 0.01); });
  refused("state.velocity", [&] { solver.solve({&rod}, broken, kWeight, kMass, kInverse, 0.01); });
  refused("not symmetric", [&] { solver.solve({&rod}, state, kWeight, kMass, skewed, 0.01); });
  refused("negative eigenvalue", [&] { solver.solve({&rod}, state, kWeight, kMass, Matrix3{-kInverse}, 0.01); });
  state.orientation.coeffs().setZero();
  refused("state.orientation", [&] { solver.solve({&rod}, state, kWeight, kMass, kInverse, 0.01); });
  refused("inertia", [&] { ConstrainedBody(kMass, Matrix3::Zero(), {&rod}); });
  refused("constraints[1]: null", [&] { ConstrainedBody(kMass, Matrix3::Identity(), {&rod, nullptr}); });
  refused("mass", [&] { ConstrainedBody(-INFINITY, Matrix3::Identity(), {&rod}); });
}

}  // namespace
}  // namespace stiction
