// solveWithContacts against worked numbers and the laws: strict Coulomb by default, the exact LCP without friction.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>

#include "ContactScene.hpp"
#include "Jacobians.hpp"
#include "base/Error.hpp"
#include "solvers/Ecos.hpp"

namespace stiction {
namespace {

constexpr double kG = 9.81;

using Scene = ContactScene;

/// A block that does not turn on an incline along x, its frame turned with the incline; the contact below its centre.
Scene incline(double mass, double degrees, double mu, double dt) {
  Scene scene;
  const double angle = degrees * std::numbers::pi / 180;
  const std::size_t body = scene.addBody(mass, Matrix3::Zero(), {0, 0, 0.5}, dt * kG * Vector3{std::sin(angle), 0, -std::cos(angle)});
  scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, mu);
  return scene;
}

TEST(SolveWithContacts, StickOnTheIncline) {
  for (const double dt : {1e-4, 1e-2, 5e-2}) {
    const Scene scene = incline(10, 20, 0.6, dt);
    const auto result = scene.solve(dt);
    EXPECT_TRUE(result.converged) << result.message;
    EXPECT_LE(result.residual, 1e-12);
    EXPECT_NEAR(result.lambdas[0] / dt, 10 * kG * std::cos(20 * std::numbers::pi / 180), 1e-9);                // 92.18
    EXPECT_NEAR(result.lambdas.tail<2>().norm() / dt, 10 * kG * std::sin(20 * std::numbers::pi / 180), 1e-9);  // 33.55
    EXPECT_LT(scene.after(result, 1, dt).norm(), 1e-14);
  }
}

TEST(SolveWithContacts, SlideOnTheIncline) {
  const double dt = 0.01;
  const Scene scene = incline(10, 45, 0.3, dt);
  const auto result = scene.solve(dt);
  const double normal = 10 * kG / std::numbers::sqrt2;
  EXPECT_NEAR(result.lambdas[0] / dt, normal, 1e-9);                                       // 69.37
  EXPECT_NEAR(result.lambdas.tail<2>().norm() / dt, 0.3 * normal, 1e-9);                   // 20.81
  EXPECT_NEAR(scene.after(result, 1, dt).x() / dt, 0.7 * kG / std::numbers::sqrt2, 1e-9);  // 4.856
  EXPECT_NEAR(scene.after(result, 1, dt).z(), 0.0, 1e-14);
  EXPECT_NEAR(result.bodyForces[0].linearForce.z(), -normal, 1e-9);  // the ground feels the opposite
}

TEST(SolveWithContacts, FrictionStartsFromNoNormalForceAndIsToldItAfterwards) {
  const double dt = 0.01;
  Scene scene = incline(10, 20, 0.6, dt);
  auto* friction = dynamic_cast<FrictionConstraint*>(scene.constraints[1].get());
  ASSERT_FALSE(friction->isActiveTwoBody(scene.states[0], scene.states[1], 0.0));
  scene.solve(dt);
  EXPECT_TRUE(friction->isActiveTwoBody(scene.states[0], scene.states[1], 0.0));
  EXPECT_NEAR(friction->getFrictionBounds().second, 0.6 * 10 * kG * std::cos(20 * std::numbers::pi / 180) / std::numbers::sqrt2, 1e-9);
}

TEST(SolveWithContacts, TheReferenceCaseIsStrictCoulombNotItsRelaxation) {
  Scene scene;
  const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 0}, {3, 4, -1});
  scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 0.3, 0.5, -1.0);
  const auto result = scene.solve(0.01);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.lambdas[0], 15.0, 1e-9);
  const Vector3 impulse = 0.01 * result.bodyForces[body].linearForce;
  EXPECT_LT((impulse - Vector3{-2.7, -3.6, 15}).norm(), 1e-9);
}

TEST(SolveWithContacts, GlancingSphere) {
  Scene scene;
  const double angle = std::numbers::pi / 6;
  const Vector3 incoming = 5 * Vector3{std::sin(angle), 0, -std::cos(angle)};
  const std::size_t block = scene.addBody(10, Matrix3::Zero(), {0, 0, -0.5}, Vector3::Zero());
  const std::size_t sphere = scene.addBody(2, Matrix3::Identity() / (0.4 * 2 * 0.01), {0, 0, 0.1}, incoming);
  scene.addContact(block, sphere, {0, 0, 1}, {0, 0, 0}, 0.4, 1.0, incoming.z());
  const double dt = 1e-3;
  const auto result = scene.solve(dt);
  EXPECT_NEAR(result.lambdas[0], 14.433756729740645, 1e-9);                        // (1 + e) 5 cos 30° / (1/2 + 1/10)
  EXPECT_NEAR(result.lambdas.tail<2>().norm(), 2.5 / (0.6 + 0.01 / 0.008), 1e-9);  // 1.351, sticks
  const Vector3 spin = dt * scene.inverseInertias[sphere] * result.bodyForces[sphere].angularTorque;
  EXPECT_NEAR(spin.y(), 0.1 * 2.5 / (0.6 + 0.01 / 0.008) / 0.008, 1e-9);  // 16.9
}

TEST(SolveWithContacts, PushesBelowAndAboveTheThreshold) {
  const double dt = 0.01;
  for (const double push : {0.0, 10.0, 20.0, 23.5, 25.0, 30.0}) {
    Scene scene;
    const std::size_t body = scene.addBody(8, Matrix3::Zero(), {0, 0, 0.5}, dt * Vector3{push / 8, 0, -kG});
    scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 0.3);
    const auto result = scene.solve(dt);
    EXPECT_NEAR(scene.after(result, body, dt).x() / dt, std::max(0.0, push / 8 - 0.3 * kG), 1e-10) << push;
  }
}

TEST(SolveWithContacts, StackedPairOnIce) {
  const double dt = 0.01;
  Scene scene;
  const std::size_t lower = scene.addBody(5, Matrix3::Zero(), {0, 0, 0.5}, {0, 0, -dt * kG});
  const std::size_t upper = scene.addBody(3, Matrix3::Zero(), {0, 0, 1.5}, {dt * 10 / 3, 0, -dt * kG});
  scene.addContact(0, lower, {0, 0, 1}, {0, 0, 0}, -1);  // ice: no friction constraint at all
  scene.addContact(lower, upper, {0, 0, 1}, {0, 0, 1}, 0.5);
  const auto result = scene.solve(dt);
  ASSERT_EQ(result.lambdas.size(), 6);
  EXPECT_NEAR(result.lambdas[0] / dt, 8 * kG, 1e-9);
  EXPECT_EQ(result.lambdas[1], 0.0);
  EXPECT_EQ(result.lambdas[2], 0.0);
  EXPECT_NEAR(result.lambdas.tail<2>().norm() / dt, 6.25, 1e-9);
  for (const std::size_t body : {lower, upper}) EXPECT_NEAR(scene.after(result, body, dt).x() / dt, 1.25, 1e-9);
}

TEST(SolveWithContacts, WithoutFrictionTheExactActiveSetSolves) {
  const double dt = 0.01;
  Scene scene;
  const std::size_t body = scene.addBody(2, Vector3{6, 6, 3}.asDiagonal(), {0, 0, 0.5}, {1, 0, -dt * kG});
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) scene.addContact(0, body, {0, 0, 1}, {x, y, 0}, -1);
  const auto result = scene.solve(dt);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.details.solver_type, "ASM");
  ASSERT_EQ(result.lambdas.size(), 4);
  EXPECT_NEAR(result.lambdas.sum() / dt, 2 * kG, 1e-12);
  EXPECT_LE(result.details.active_set_size, 3);  // the fourth foot is redundant
  EXPECT_LE(result.residual, 1e-12);
  EXPECT_EQ(scene.after(result, body, dt).x(), 1.0);
  EXPECT_LT((dt * result.bodyForces[body].angularTorque).norm(), 1e-14);
}

TEST(SolveWithContacts, MixedFrictionZeroFrictionAndAnyOrder) {
  std::mt19937 random{1};
  const double dt = 0.005;
  Scene scene;
  const std::size_t body = scene.addBody(3, Vector3{2, 3, 4}.asDiagonal(), {0, 0, 0.3}, {0.5, -0.2, -dt * kG});
  scene.states[body].setAngularVelocity({0.3, 0.1, -0.7});
  const double mus[] = {0.5, 0.0, -1.0, 0.2};
  for (int k = 0; k < 4; ++k) scene.addContact(0, body, {0, 0, 1}, {k % 2 - 0.5, k / 2 - 0.5, 0}, mus[k]);
  const auto result = scene.solve(dt);
  ASSERT_TRUE(result.converged) << result.message;
  ASSERT_EQ(result.lambdas.size(), 12);
  for (int k = 0; k < 4; ++k) EXPECT_LE(result.lambdas.segment<2>(3 * k + 1).norm(), std::max(mus[k], 0.0) * result.lambdas[3 * k] + 1e-12);
  // Friction first, then the normals: the same bodies' forces.
  std::stable_partition(scene.constraints.begin(), scene.constraints.end(), [](const auto& c) { return c->typeName() == "FrictionConstraint"; });
  const auto shuffled = scene.solve(dt);
  EXPECT_EQ(shuffled.lambdas, result.lambdas);
}

/// Chains of two, five and ten contacts by one method, whose velocities are as near as `near` [m/s].
void expectForcesOfChains(const std::string& method, double near) {
  SCOPED_TRACE(method);
  std::mt19937 random{2};
  std::uniform_real_distribution<double> even{-1, 1};
  const double dt = 0.01;
  for (const int count : {2, 5, 10}) {
    Scene scene;
    scene.solver.setFrictionMethod(method);
    scene.solver.setECOSTolerance(1e-9, 1e-9);
    for (int k = 0; k < count; ++k) {
      const std::size_t body =
          scene.addBody(std::pow(10.0, even(random)), (5 + even(random)) * Matrix3::Identity(), {0, 0, k + 0.5}, {even(random), even(random), -dt * kG});
      scene.addContact(body - 1, body, {0, 0, 1}, {0.2 * even(random), 0.2 * even(random), double(k)}, 0.2 + 0.1 * k);
    }
    const auto result = scene.solve(dt);
    ASSERT_TRUE(result.converged) << result.message;
    Vector3 sum = Vector3::Zero();
    for (const auto& forces : result.bodyForces) sum += forces.linearForce;
    EXPECT_LT(sum.norm(), 1e-10 * result.bodyForces[0].linearForce.norm() + 1e-10);
    for (int k = 0; k < count; ++k) {  // no contact closes
      const std::size_t b = static_cast<std::size_t>(k) + 1, a = b - 1;
      const auto* contact = dynamic_cast<const ContactConstraint*>(scene.constraints[2 * static_cast<std::size_t>(k)].get());
      const auto velocity = [&](std::size_t body, const Vector3& lever) {
        const Vector3 turn = scene.inverseInertias[body] * result.bodyForces[body].angularTorque * dt;
        return Vector3{scene.after(result, body, dt) + turn.cross(lever)};
      };
      EXPECT_GE((velocity(b, contact->getLeverArmB()) - velocity(a, contact->getLeverArmA())).z(), -near);
    }
  }
}

TEST(SolveWithContacts, ForcesAreTheChangeOfMomentumOfTwoFiveAndTenContacts) {
  expectForcesOfChains("auto", 1e-8);
  if (!hasECOS()) return;
  expectForcesOfChains("ecos-strict", 1e-8);
  expectForcesOfChains("ecos", 1e-5);  // one program
}

/// Body B stays above the plane x = 1 t: a unilateral row of a user.
class Piston : public TwoBodyConstraint {
 public:
  explicit Piston(std::size_t body) : TwoBodyConstraint{0, body} {}
  int dimension() const override { return 1; }
  VectorX evaluateTwoBody(const InertialState& /*a*/, const InertialState& b, double time) const override {
    return VectorX::Constant(1, b.position.x() - time);
  }
  MatrixX jacobianTwoBody(const InertialState& /*a*/, const InertialState& /*b*/, double /*time*/) const override {
    MatrixX J = MatrixX::Zero(1, 12);
    J(0, 6) = 1;
    return J;
  }
  VectorX partialTimeDerivativeTwoBody(const InertialState& /*a*/, const InertialState& /*b*/, double /*time*/) const override {
    return VectorX::Constant(1, -1.0);
  }
  bool isActiveTwoBody(const InertialState& /*a*/, const InertialState& /*b*/, double /*time*/) const override { return true; }
};

TEST(SolveWithContacts, TakesUnilateralRowsOfUsers) {
  Scene scene;
  const std::size_t body = scene.addBody(2, Matrix3::Identity(), {0, 0, 0}, {-3, 0, 0});
  scene.constraints.push_back(std::make_unique<Piston>(body));
  const auto result = scene.solve(0.01);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(scene.after(result, body, 0.01).x(), 1.0, 1e-14);
  EXPECT_NEAR(result.lambdas[0], 8.0, 1e-14);
}

TEST(SolveWithContacts, DrivenBodiesCarryOthersAndOpposedOnesAreRefused) {
  Scene scene;
  scene.states[0].velocity = {1, 0, 0};  // a conveyor
  const std::size_t body = scene.addBody(2, Matrix3::Zero(), {0, 0, 0}, {0, 0, -0.5});
  scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 10.0);
  const auto carried = scene.solve(0.01);
  ASSERT_TRUE(carried.converged) << carried.message;
  EXPECT_LT((scene.after(carried, body, 0.01) - Vector3{1, 0, 0}).norm(), 1e-12);

  Scene press;
  const std::size_t between = press.addBody(1, Matrix3::Zero(), {0, 0, 0}, Vector3::Zero());
  press.states.push_back(press.states[0]);
  press.inverseMasses.push_back(0);
  press.inverseInertias.push_back(Matrix3::Zero());
  press.states[0].velocity = {1, 0, 0}, press.states[2].velocity = {-1, 0, 0};
  press.addContact(0, between, {1, 0, 0}, {0, 0, 0}, -1);
  press.addContact(between, 2, {1, 0, 0}, {0, 0, 0}, -1);
  const auto squeezed = press.solve(0.01);
  EXPECT_FALSE(squeezed.converged);
  EXPECT_NE(squeezed.message.find("2 contacts"), std::string::npos) << squeezed.message;
}

TEST(SolveWithContacts, NothingToSolve) {
  Scene scene;
  EXPECT_TRUE(scene.solve(0.01).converged);
  EXPECT_EQ(scene.solve(0.01).lambdas.size(), 0);
  scene.addBody(1, Matrix3::Identity(), {0, 0, 0}, {0, 0, 0});
  scene.addContact(0, 1, {0, 0, 1}, {0, 0, 0}, 0.5);  // touches at rest without load
  const auto resting = scene.solve(0.01);
  EXPECT_TRUE(resting.converged);
  EXPECT_EQ(resting.lambdas, VectorX::Zero(3));
}

TEST(SolveWithContacts, AnUnfinishedAnswerSaysSo) {
  std::mt19937 random{3};
  Scene scene;
  for (int k = 0; k < 6; ++k) {
    const std::size_t body = scene.addBody(k == 5 ? 1e5 : 1, Matrix3::Identity(), {0, 0, k + 0.5}, {0.1 * k, 0, -0.1});
    for (const double x : {-0.4, 0.4}) scene.addContact(body - 1, body, {0, 0, 1}, {x, 0.1 * x, double(k)}, 0.5);
  }
  scene.solver.setFrictionMethod("nsgs");
  scene.solver.setMaxIterations(2);
  const auto result = scene.solve(0.01);
  EXPECT_FALSE(result.converged);
  EXPECT_GT(result.residual, 1e-8);
  EXPECT_EQ(result.lambdas.size(), 36);
  EXPECT_NE(result.message.find("nsgs did not converge for 12 contacts with friction coefficients 0.5, 0.5"), std::string::npos) << result.message;
}

// 10 kg at (3, 4, −1) m/s, μ = 0.3, e = 0.5: each method has converged when its own law is met; the residual tells what strict Coulomb says of it.
TEST(SolveWithContacts, MethodsOfOtherLawsConvergeByTheirs) {
  const double convex = 10 * (1.5 + 0.3 * 5) / 1.09, bound = 0.3 * 15 / std::sqrt(2.0);
  for (const char* method : {"convex", "box", "pgs"}) {
    Scene scene;
    const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 1}, {3, 4, -1});
    scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 0.3, 0.5, -1);
    scene.solver.setFrictionMethod(method);
    const auto result = scene.solve(1e-3);
    const bool relaxed = std::string{method} == "convex";
    EXPECT_TRUE(result.converged) << method << ": " << result.message;
    EXPECT_GT(result.residual, 1e-2) << method;
    EXPECT_NEAR(result.lambdas[0], relaxed ? convex : 15, 1e-6) << method;
    EXPECT_NEAR(result.lambdas.tail<2>().norm(), relaxed ? 0.3 * convex : std::sqrt(2.0) * bound, 1e-6) << method;
    EXPECT_TRUE(relaxed || std::abs(std::abs(result.lambdas[1]) - bound) < 1e-6) << method;
  }
}

/// Friction with bounds of its own; counts how often it is asked.
class OwnFriction : public FrictionConstraint {
 public:
  using Bounds = std::function<std::pair<double, double>(double normal)>;
  OwnFriction(std::size_t a, std::size_t b, const Coordinate& point, const Coordinate& comA, const Coordinate& comB, Bounds bounds)
      : FrictionConstraint{a, b, Coordinate{0, 0, 1}, point, point, comA, comB, 0.5}, bounds_{std::move(bounds)} {}
  std::pair<double, double> getFrictionBounds() const override {
    ++asked;
    return bounds_(FrictionConstraint::getFrictionBounds().second * std::numbers::sqrt2 / 0.5);
  }
  mutable int asked{0};

 private:
  Bounds bounds_;
};

// 10 kg, pressed by 100 N, slide along ±x or ±y: the friction is the bound on the side it moves to, whatever μ says.
TEST(SolveWithContacts, BoxesTakeTheBoundsOfADerivedFriction) {
  constexpr double dt = 0.01, low = -3, high = 7;
  for (const char* method : {"box", "pgs"})
    for (const double speed : {1.0, -1.0})
      for (const int axis : {0, 1}) {
        Scene scene;
        Vector3 velocity{0, 0, -0.1};
        velocity[axis] = speed;
        const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 1}, velocity);
        scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, -1);
        scene.constraints.push_back(std::make_unique<OwnFriction>(0, body, Coordinate{}, Coordinate{}, Coordinate{0, 0, 1}, [&](double normal) {
          return normal > 0 ? std::pair{low, high} : std::pair{0.0, 0.0};
        }));
        scene.solver.setFrictionMethod(method);
        const auto result = scene.solve(dt);
        ASSERT_TRUE(result.converged) << method << ": " << result.message;
        const auto& friction = static_cast<const OwnFriction&>(*scene.constraints.back());
        // Rows read v_A − v_B: B moving along t is a negative rate, held by the upper bound.
        const Vector3 t1 = friction.getTangent1(), t2 = friction.getTangent2();
        const double along[2] = {velocity.dot(t1), velocity.dot(t2)};
        for (int k = 0; k < 2; ++k) {
          const double expected = std::abs(along[k]) < 0.5 ? 0 : dt * (along[k] > 0 ? high : low);
          EXPECT_NEAR(result.lambdas[1 + k], expected, 1e-12) << method << ' ' << speed << ' ' << axis;
        }
        EXPECT_GT(friction.asked, 2) << method;
      }
}

// A rod that slides with friction k √N at its tip: a r_n + b r_t = −u_n and r_t = ±k √(r_n h), a quadratic equation for √r_n.
TEST(SolveWithContacts, BoundsFollowTheNormalForceToAFixedPoint) {
  constexpr double mass = 2, dt = 1e-2, un = -1, k = 3;
  const double inertia = mass / 12, tilt = 40 * std::numbers::pi / 180;
  const Vector3 centre = 0.5 * Vector3{std::cos(tilt), 0, std::sin(tilt)}, lever = -centre;
  const double a = 1 / mass + lever.x() * lever.x() / inertia, b = lever.x() * lever.z() / inertia;  // coupling of n and x at the tip, up to sign
  for (const char* method : {"box", "pgs"})
    for (const double slip : {5.0, -5.0}) {
      Scene scene;
      const std::size_t rod = scene.addBody(mass, Matrix3::Identity() / inertia, centre, {slip, 0, un});
      scene.addContact(0, rod, {0, 0, 1}, {0, 0, 0}, -1);
      scene.constraints.push_back(std::make_unique<OwnFriction>(0, rod, Coordinate{}, Coordinate{}, centre, [](double normal) {
        return std::pair{-k * std::sqrt(normal), k * std::sqrt(normal)};
      }));
      scene.solver.setTolerance(1e-12);
      scene.solver.setFrictionMethod(method);
      const auto result = scene.solve(dt);
      ASSERT_TRUE(result.converged) << method << ": " << result.message;
      // The impulse on the rod: (−s F, 0, r_n), s the sign of slip, F = k √(r_n h); the tip's upward velocity stops: u_n + a r_n + b s F = 0.
      const double s = slip > 0 ? 1 : -1, p = b * s * k * std::sqrt(dt), root = (-p + std::sqrt(p * p - 4 * a * un)) / (2 * a);
      EXPECT_NEAR(result.lambdas[0], root * root, 1e-9) << method << ' ' << slip;
      EXPECT_NEAR(result.lambdas.tail<2>().norm(), k * root * std::sqrt(dt), 1e-9) << method << ' ' << slip;
    }
}

TEST(SolveWithContacts, RefusesBoundsThatAreNone) {
  for (const auto& [low, high] : {std::pair{1.0, -1.0}, {std::nan(""), 1.0}, {-1.0, double{INFINITY}}}) {
    Scene scene;
    const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 1}, {1, 0, -0.1});
    scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, -1);
    scene.constraints.push_back(std::make_unique<OwnFriction>(0, body, Coordinate{}, Coordinate{}, Coordinate{0, 0, 1}, [low = low, high = high](double) {
      return std::pair{low, high};
    }));
    for (const char* method : {"box", "pgs"}) {
      scene.solver.setFrictionMethod(method);
      EXPECT_THROW(scene.solve(0.01), InputError) << method;
    }
    scene.solver.setFrictionMethod("auto");
    EXPECT_TRUE(scene.solve(0.01).converged) << "Coulomb's disc asks for no bounds";
  }
}

/// A contact or its friction that says what a test tells it to.
template <typename Base>
class Spoken : public Base {
 public:
  using Base::Base;
  int dimension() const override { return rows; }
  VectorX evaluateTwoBody(const InertialState&, const InertialState&, double) const override { return value; }
  MatrixX jacobianTwoBody(const InertialState&, const InertialState&, double) const override { return J; }
  VectorX partialTimeDerivativeTwoBody(const InertialState&, const InertialState&, double) const override { return rate; }
  bool isActiveTwoBody(const InertialState&, const InertialState&, double) const override { return active; }
  bool active{true};
  int rows{1};
  VectorX value{VectorX::Zero(1)}, rate{VectorX::Zero(1)};
  MatrixX J{MatrixX::Zero(1, 12)};
};

TEST(SolveWithContacts, RefusesWhatDerivedConstraintsMustNotGive) {
  const auto refused = [](const std::string& word, auto&& spoil) {
    for (const bool friction : {false, true}) {
      Scene scene;
      const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 0.5}, {1, 0, -0.1});
      const Coordinate up{0, 0, 1}, centre{0, 0, 0.5};
      if (friction) {
        scene.addContact(0, body, up, {}, -1);
        auto spoken = std::make_unique<Spoken<FrictionConstraint>>(0, body, up, Coordinate{}, Coordinate{}, Coordinate{}, centre, 0.5);
        spoken->rows = 2;
        spoken->value = spoken->rate = VectorX::Zero(2);
        spoken->J = MatrixX::Zero(2, 12);
        spoil(*spoken);
        scene.constraints.push_back(std::move(spoken));
      } else {
        auto spoken = std::make_unique<Spoken<ContactConstraint>>(0, body, up, Coordinate{}, Coordinate{}, 0.0, Coordinate{}, centre, 0.0, 0.0);
        spoil(*spoken);
        scene.constraints.push_back(std::move(spoken));
      }
      try {
        scene.solve(0.01);
        ADD_FAILURE() << "accepted: " << word;
      } catch (const InputError& error) {
        EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
        EXPECT_NE(std::string{error.what()}.find(friction ? "contactConstraints[1] (FrictionConstraint)" : "contactConstraints[0] (ContactConstraint)"),
                  std::string::npos)
            << error.what();
      }
    }
  };
  refused("dimension() is 3", [](auto& s) { s.rows = 3; });
  refused("dimension() is -1", [](auto& s) { s.rows = -1; });
  refused("jacobianTwoBody(): 0 x 0", [](auto& s) { s.J.resize(0, 0); });
  refused("jacobianTwoBody(): ", [](auto& s) { s.J = s.J.leftCols(7).eval(); });
  refused("jacobianTwoBody(): a number that is not finite", [](auto& s) { s.J(0, 3) = std::nan(""); });
  refused("evaluateTwoBody(): 0 x 1", [](auto& s) { s.value.resize(0); });
  refused("evaluateTwoBody(): a number that is not finite", [](auto& s) { s.value[0] = INFINITY; });
  refused("partialTimeDerivativeTwoBody(): 5 x 1", [](auto& s) { s.rate.setZero(5); });
}

// A light block between the floor and a heavy one under a ceiling: rows that all but imply each other, from 1e5 : 1 on beyond what pivots can tell apart. Whatever ways the two move, the light
// one ends at rest on the floor or against the heavy one.
TEST(SolveWithContacts, WithoutFrictionConvergedMeansCertified) {
  std::mt19937 random{3};
  std::uniform_real_distribution<double> even{0.1, 1};
  for (const double ratio : {1e1, 1e3, 1e5, 1e6, 1e8})
    for (int k = 0; k < 500; ++k) {
      Scene scene;
      const double light = even(random), heavy = light * ratio, sign = k % 2 == 0 ? 1 : -1, va = -sign * even(random), vb = sign * even(random);
      const std::size_t a = scene.addBody(light, Matrix3::Zero(), {0, 0, 0.5}, {0, 0, va}), b = scene.addBody(heavy, Matrix3::Zero(), {0, 0, 1.5}, {0, 0, vb});
      scene.addContact(0, a, {0, 0, 1}, {0, 0, 0}, -1);
      scene.addContact(a, b, {0, 0, 1}, {0, 0, 1}, -1);
      scene.addContact(b, 0, {0, 0, 1}, {0, 0, 2}, -1);
      const auto result = scene.solve(0.01);
      if (ratio > 1e6 && !result.converged) continue;  // at the end of what doubles hold, and said so
      ASSERT_TRUE(result.converged) << ratio << ' ' << k << ' ' << result.message;
      EXPECT_LE(result.residual, 1e-8) << ratio << ' ' << k;
      EXPECT_LE(result.lambdas.maxCoeff(), 3 * heavy) << ratio << ' ' << k;
      EXPECT_NEAR(scene.after(result, b, 0.01).z(), 0.0, 1e-8) << ratio << ' ' << k;  // nowhere to go
    }
}

// How far a body may still fall says nothing of how fast anything moves: the certificate's scale has no gaps in it.
TEST(SolveWithContacts, AnOpenGapDoesNotLoosenTheCertificate) {
  for (const char* method : {"auto", "nsgs", "admm", "ipm", "prox", "centralpath", "convex"}) {
    double alone = 0;
    for (const double gap : {0.0, 1.0, 1e3, 1e6}) {
      Scene scene;
      const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 0}, {3, 4, -1});
      scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 0.3, 0.5, -1.0);
      if (gap > 0) {
        const Coordinate above{0, 0, gap};
        const std::size_t far = scene.addBody(1, Matrix3::Zero(), above, {0.1, 0.2, -0.3});
        scene.constraints.push_back(std::make_unique<ContactConstraint>(0, far, Coordinate{0, 0, 1}, Coordinate{}, above, 0.0, Coordinate{}, above, 0.0, 0.0));
        scene.constraints.push_back(std::make_unique<FrictionConstraint>(0, far, Coordinate{0, 0, 1}, Coordinate{}, above, Coordinate{}, above, 0.3));
      }
      scene.solver.setFrictionMethod(method);
      const auto result = scene.solve(1e-3);
      if (gap > 1 && std::string{method} != "auto" && !result.converged) continue;  // no claim of a single method, as long as it says so
      ASSERT_TRUE(result.converged) << method << ' ' << gap << ' ' << result.message;
      if (gap == 0) alone = result.residual;
      if (std::string{method} == "convex")
        EXPECT_NEAR(result.residual, alone, 1e-6) << gap;  // 23 % of the speed, by the law's lift
      else
        EXPECT_NEAR(result.lambdas[0], 15.0, 2e-6) << method << ' ' << gap;
    }
  }
}

TEST(SolveWithContacts, RefusesAConstraintThatIsListedTwice) {
  Scene scene = incline(10, 20, 0.6, 0.01);
  std::vector<TwoBodyConstraint*> twice = scene.pointers();
  twice.push_back(twice[0]);
  EXPECT_THROW(scene.solver.solveWithContacts(twice, {scene.states.begin(), scene.states.end()}, scene.inverseMasses, scene.inverseInertias, 2, 0.01),
               InputError);
}

/// Friction on a belt that runs along x.
class Belt : public FrictionConstraint {
 public:
  Belt(std::size_t a, std::size_t b, const Coordinate& comB, double mu, double speed)
      : FrictionConstraint{a, b, Coordinate{0, 0, 1}, Coordinate{}, Coordinate{}, Coordinate{}, comB, mu}, speed_{speed} {}
  VectorX evaluateTwoBody(const InertialState& a, const InertialState& b, double time) const override {
    return FrictionConstraint::evaluateTwoBody(a, b, time) + speed_ * Vector2{getTangent1().x(), getTangent2().x()};
  }

 private:
  double speed_;
};

// C of friction is the slip: what a derived class adds to J v is the speed of A's surface. A crate dropped on a belt picks up speed by μ g, and then rides along.
TEST(SolveWithContacts, FrictionHoldsAgainstTheSlipThatItsClassSays) {
  constexpr double dt = 0.01, mu = 0.5, belt = 0.12;
  for (const char* method : {"auto", "nsgs", "box"}) {
    Vector3 velocity{0, 0, 0};
    for (int k = 1; k <= 4; ++k) {
      Scene scene;
      const Coordinate centre{0, 0, 0.5};
      const std::size_t body = scene.addBody(10, Matrix3::Zero(), centre, velocity - Vector3{0, 0, kG * dt});
      scene.addContact(0, body, {0, 0, 1}, {}, -1);
      scene.constraints.push_back(std::make_unique<Belt>(0, body, centre, mu, belt));
      scene.solver.setFrictionMethod(method);
      const auto result = scene.solve(dt);
      ASSERT_TRUE(result.converged) << method << ' ' << result.message;
      velocity = scene.after(result, body, dt);
      const double pull = std::string{method} == "box" ? mu / std::numbers::sqrt2 : mu;  // along an axis
      EXPECT_NEAR(velocity.x(), std::min(belt, k * pull * kG * dt), 1e-12) << method << ' ' << k;
    }
  }
}

/// Friction that bounces.
class Bouncing : public FrictionConstraint {
 public:
  using FrictionConstraint::FrictionConstraint;
  VectorX evaluateTwoBody(const InertialState& a, const InertialState& b, double time) const override {
    return 2.5 * FrictionConstraint::evaluateTwoBody(a, b, time);
  }
};

TEST(SolveWithContacts, RefusesRestitutionOnFriction) {
  Scene scene;
  const std::size_t body = scene.addBody(1, Matrix3::Zero(), {0, 0, 0.5}, {3, 0, -1});
  scene.addContact(0, body, {0, 0, 1}, {}, -1);
  scene.constraints.push_back(std::make_unique<Bouncing>(0, body, Coordinate{0, 0, 1}, Coordinate{}, Coordinate{}, Coordinate{}, Coordinate{0, 0, 0.5}, 20.0));
  try {
    scene.solve(0.01);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find("contactConstraints[1] (FrictionConstraint): evaluateTwoBody()"), std::string::npos) << error.what();
  }
}

// Limits are limits, and "converged" is the certificate's word, without friction too.
TEST(SolveWithContacts, LimitsWithoutFrictionAreKeptAndAnswersCertified) {
  std::mt19937 random{7};
  std::uniform_real_distribution<double> even{-1, 1};
  for (const int limit : {1, 3, 5, 10})
    for (int k = 0; k < 300; ++k) {
      Scene scene;
      for (int body = 0; body < 4; ++body)
        scene.addBody(std::pow(10, 6 * even(random)), Matrix3::Zero(), {even(random), even(random), even(random)},
                      {even(random), even(random), even(random) - 1});
      for (int contact = 0; contact < 6; ++contact) {
        const std::size_t a = random() % 5, b = (a + 1 + random() % 4) % 5;
        scene.addContact(a, b, Coordinate{Vector3{even(random), even(random), even(random)}.normalized()}, {}, -1);
      }
      scene.solver.setMaxIterations(limit);
      const auto result = scene.solve(0.01);
      EXPECT_LE(result.iterations, limit);
      EXPECT_EQ(result.converged, result.residual <= 1e-8) << limit << ' ' << k;
    }
}

// Rows that take no part, for they are not active or have no dimension, between a contact and its friction, change nothing.
TEST(SolveWithContacts, RowsThatTakeNoPartChangeNothing) {
  std::vector<std::string> methods{"auto", "box"};
  if (hasECOS()) methods.insert(methods.end(), {"ecos", "ecos-strict"});
  for (const std::string& method : methods) {
    Scene plain = incline(10, 45, 0.3, 0.01), more = incline(10, 45, 0.3, 0.01);
    auto resting = std::make_unique<Spoken<Piston>>(1), empty = std::make_unique<Spoken<Piston>>(1);
    resting->active = false;
    empty->rows = 0;
    empty->value = empty->rate = VectorX{};
    empty->J.resize(0, 12);
    more.constraints.insert(more.constraints.begin() + 1, std::move(resting));
    more.constraints.insert(more.constraints.begin() + 2, std::move(empty));
    plain.solver.setFrictionMethod(method);
    more.solver.setFrictionMethod(method);
    VectorX expected = VectorX::Zero(6);  // zeros for the row that is not active
    expected.head<3>() = plain.solve(0.01).lambdas;
    EXPECT_EQ(more.solve(0.01).lambdas, expected) << method;
  }
}

// A belt that carries the contact down at 0.5 m/s, and a plate that rises at 0.2 m/s: ∂C/∂t counts as it does in users' rows.
TEST(SolveWithContacts, AContactMayMoveByItself) {
  for (const double rate : {0.5, -0.2}) {
    Scene scene;
    const std::size_t body = scene.addBody(10, Matrix3::Zero(), {0, 0, 0.5}, {0, 0, -0.1});
    auto moving = std::make_unique<Spoken<ContactConstraint>>(0, body, Coordinate{0, 0, 1}, Coordinate{}, Coordinate{}, 0.0, Coordinate{},
                                                              Coordinate{0, 0, 0.5}, 0.0, 0.0);
    moving->J(0, 8) = 1;
    moving->rate[0] = rate;
    scene.constraints.push_back(std::move(moving));
    EXPECT_NEAR(scene.after(scene.solve(0.01), body, 0.01).z(), std::max(-0.1, -rate), 1e-14);
  }
}

TEST(SolveWithContacts, RefusesBadInputByName) {
  const auto refused = [](const char* word, const std::function<void(Scene&)>& spoil) {
    Scene scene = incline(10, 20, 0.6, 0.01);
    try {
      spoil(scene);
      scene.solve(0.01);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(word), std::string::npos) << error.what();
    }
  };
  refused("inverseMasses[1] is -1", [](Scene& s) { s.inverseMasses[1] = -1; });
  refused("inverseMasses[1] is nan", [](Scene& s) { s.inverseMasses[1] = std::nan(""); });
  refused("inverseMasses has 1 entries", [](Scene& s) { s.inverseMasses.pop_back(); });
  refused("inverseInertias[1] is singular", [](Scene& s) { s.inverseInertias[1] = Vector3{1, 1, 0}.asDiagonal(); });
  refused("inverseInertias[1] is not symmetric", [](Scene& s) { s.inverseInertias[1] = (Matrix3{} << 1, 1, 0, 0, 1, 0, 0, 0, 1).finished(); });
  refused("states[1]", [](Scene& s) { s.states[1].velocity.x() = std::nan(""); });
  refused("states[1]", [](Scene& s) { s.states[1].orientation.coeffs() *= 2; });
  refused("names body 7", [](Scene& s) { s.constraints.push_back(std::make_unique<Piston>(7)); });
  refused("joins body 0 to itself", [](Scene& s) { s.constraints.push_back(std::make_unique<Piston>(0)); });
  refused("contactConstraints[2] is null", [](Scene& s) { s.constraints.push_back(nullptr); });
  refused("contactConstraints[2] (FrictionConstraint) belongs to no ContactConstraint", [](Scene& s) {
    s.constraints.push_back(
        std::make_unique<FrictionConstraint>(0, 1, Coordinate{0, 0, 1}, Coordinate{1, 0, 0}, Coordinate{1, 0, 0}, Coordinate{}, Coordinate{}, 0.5));
  });
  for (const double inverse : {1e200, 1e-200, double{INFINITY}}) refused("inverseMasses[1] is", [inverse](Scene& s) { s.inverseMasses[1] = inverse; });
  refused("inverseInertias[1] has entries up to", [](Scene& s) { s.inverseInertias[1] = 1e200 * Matrix3::Identity(); });
  Scene scene = incline(10, 20, 0.6, 0.01);
  for (const double dt : {0.0, -1.0, 1e-310, 1e300, std::nan("")}) EXPECT_THROW(scene.solve(dt), std::invalid_argument);
  EXPECT_THROW(scene.solver.setFrictionMethod("magic"), InputError);
  EXPECT_THROW(scene.solver.setTolerance(0), std::invalid_argument);
  EXPECT_EQ(scene.solver.getFrictionMethod(), "auto");
  EXPECT_THROW(scene.solver.setMaxIterations(-5), std::invalid_argument);
  EXPECT_EQ(scene.solver.getMaxIterations(), 0);
}

// Impulses scale with the mass and nothing else does: at the ends of the range too.
TEST(SolveWithContacts, MassesAtTheEndsOfTheirRange) {
  for (const double mass : {1e-60, 1e-30, 1e30, 1e60})
    for (const char* method : {"auto", "nsgs", "convex", "box", "pgs"}) {
      Scene scene = incline(mass, 20, 0.6, 0.01);
      scene.solver.setFrictionMethod(method);
      const auto result = scene.solve(0.01);
      ASSERT_TRUE(result.converged) << mass << ' ' << method << ": " << result.message;
      EXPECT_NEAR(result.lambdas[0] / mass, 9.81 * 0.01 * std::cos(20 * std::numbers::pi / 180), 1e-9) << mass << ' ' << method;
      EXPECT_NEAR(result.lambdas.tail<2>().norm() / mass, 9.81 * 0.01 * std::sin(20 * std::numbers::pi / 180), 1e-9) << mass << ' ' << method;
    }
}

// Newton's rule with friction can make energy (Kane's paradox). One contact with W = (a b; b c) in (n, t), stuck by much friction: with e = 1
// ΔE = ½ r_t u_t = −½ u_t (a u_t + b A)/(ac − b²), A = −2 u_n, at most b²A²/(8 a (ac − b²)) at u_t = −bA/(2a). The world's own step sees it and solves again.
TEST(SolveWithContacts, PlainNewtonRestitutionMakesEnergyWhereTheFormulaSaysSo) {
  constexpr double mass = 2, length = 1, dt = 1e-3;
  const double inertia = mass * length * length / 12, tilt = 40 * std::numbers::pi / 180;
  const Vector3 centre = 0.5 * length * Vector3{std::cos(tilt), 0, std::sin(tilt)};  // the rod's lower end touches the ground at the origin
  const Vector3 lever = -centre;
  const double a = 1 / mass + lever.x() * lever.x() / inertia, c = 1 / mass + lever.z() * lever.z() / inertia, b = -lever.x() * lever.z() / inertia;
  const double un = -1, A = -2 * un, ut = -b * A / (2 * a);
  Scene scene;
  Matrix3 inverse = Matrix3::Identity() / inertia;
  const std::size_t rod = scene.addBody(mass, inverse, centre, {ut, 0, un});
  scene.addContact(0, rod, {0, 0, 1}, {0, 0, 0}, 5.0, 1.0, un);
  const auto result = scene.solve(dt);
  ASSERT_TRUE(result.converged) << result.message;
  const Vector3 v = scene.after(result, rod, dt), omega = dt * inverse * result.bodyForces[rod].angularTorque;
  const double before = 0.5 * mass * (ut * ut + un * un), after = 0.5 * mass * v.squaredNorm() + 0.5 * inertia * omega.squaredNorm();
  EXPECT_NEAR(after - before, b * b * A * A / (8 * a * (a * c - b * b)), 1e-7);
  EXPECT_GT(after - before, 0.1);
}

TEST(SolveWithContacts, DispatchesToEcosWhereItIsBuiltIn) {
  Scene scene = incline(10, 20, 0.6, 0.01);
  if (!hasECOS()) {
    EXPECT_THROW(scene.solver.setFrictionMethod("ecos"), InputError);
    return;
  }
  scene.solver.setFrictionMethod("ecos");
  const auto stick = scene.solve(0.01);
  EXPECT_TRUE(stick.converged) << stick.message;
  EXPECT_EQ(stick.details.solver_type, "ECOS");
  EXPECT_EQ(stick.details.ecos_exit_flag, 0);
  EXPECT_LE(stick.details.iterations, 30);
  EXPECT_TRUE(std::isfinite(stick.details.gap) && std::isfinite(stick.details.primal_residual) && std::isfinite(stick.details.dual_residual));
  EXPECT_NEAR(stick.lambdas.tail<2>().norm() / 0.01, 10 * kG * std::sin(20 * std::numbers::pi / 180), 1e-3);  // where all sticks the relaxation is Coulomb
  scene.solver.setECOSMaxIterations(2);
  if (ConstraintSolver::throwsOnECOSFailure()) {
    EXPECT_THROW(scene.solve(0.01), std::runtime_error);
    return;
  }
  const auto cut = scene.solve(0.01);
  EXPECT_FALSE(cut.converged);
  EXPECT_EQ(cut.details.ecos_exit_flag, -1);
  EXPECT_NE(cut.message.find("1 contacts"), std::string::npos) << cut.message;
  EXPECT_NE(cut.message.find("0.6"), std::string::npos);
  EXPECT_NE(cut.message.find("exit code -1"), std::string::npos);

  Scene ice = incline(10, 20, -1, 0.01);  // no friction at all: the active set, whatever the method
  ice.solver.setFrictionMethod("ecos");
  EXPECT_EQ(ice.solve(0.01).details.solver_type, "ASM");
}

// A cube lands flat on four corners with e = 1. Solved exactly it bounces with the energy it had; the corners share what sweeps that stop early give to each in full.
TEST(SolveWithContacts, TheActiveSetMakesNoEnergyWhereTruncatedSweepsDo) {
  constexpr double mass = 2, side = 0.4, speed = 3, dt = 1e-3;
  const auto gain = [&](const std::string& method, int sweeps) {
    Scene scene;
    const Matrix3 inverse = Matrix3::Identity() * 6 / (mass * side * side);
    const std::size_t cube = scene.addBody(mass, inverse, {0, 0, side / 2}, {0, 0, -speed});
    for (const double x : {-side / 2, side / 2})
      for (const double y : {-side / 2, side / 2}) scene.addContact(0, cube, {0, 0, 1}, {x, y, 0}, sweeps > 0 ? 0 : -1, 1, -speed);
    scene.solver.setFrictionMethod(method);
    scene.solver.setMaxIterations(sweeps);
    const auto result = scene.solve(dt);
    EXPECT_EQ(result.details.solver_type, sweeps > 0 ? method : "ASM");
    const Vector3 omega = dt * inverse * result.bodyForces[cube].angularTorque;
    return 0.5 * mass * (scene.after(result, cube, dt).squaredNorm() - speed * speed) + 0.5 * omega.dot(inverse.inverse() * omega);
  };
  EXPECT_NEAR(gain("auto", 0), 0, 1e-12 * mass * speed * speed);
  // One sweep by hand: W = (4 on the diagonal, −2 for opposite corners, 1 for neighbours) / m, r = m v (0.5, 0.375, 0.5625, 0.515625), ½ r·Wr − v Σ r = 0.00732421875 m v².
  EXPECT_NEAR(gain("pgs", 1), 0.00732421875 * mass * speed * speed, 1e-12);
  EXPECT_GT(gain("pgs", 2), 0.5);
}

class PulledBackFriction : public FrictionConstraint {
 public:
  using FrictionConstraint::FrictionConstraint;
  double beta() const override { return 10.0; }
};

TEST(SolveWithContacts, RefusesBaumgarteGainsOnFriction) {
  Scene scene;
  const std::size_t body = scene.addBody(1, Matrix3::Identity(), {0, 0, 0.5}, {1, 0, -0.1});
  scene.addContact(0, body, {0, 0, 1}, {0, 0, 0}, -1);
  scene.constraints.push_back(std::make_unique<PulledBackFriction>(0, body, Coordinate{0, 0, 1}, Coordinate{}, Coordinate{}, scene.states[0].position,
                                                                   scene.states[body].position, 0.5));
  EXPECT_THROW(scene.solve(1e-3), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
