// The founding document's list for FrictionConstraint, by its names, and concurrent reading.
#include "constraints/FrictionConstraint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "Jacobians.hpp"

namespace stiction {
namespace {

using testing::randomState;
using testing::randomVector;

const Coordinate kNormal = Vector3{0.36, 0.48, 0.8};
const Coordinate kPoint{0.1, -0.2, 0.3}, kComA{-0.4, 0.3, 0.1}, kComB{0.5, 0.1, 0.9};

FrictionConstraint make(double mu = 0.5) { return {0, 1, kNormal, kPoint, kPoint, kComA, kComB, mu}; }

/// Row i of J by differences of C in the twelve velocities: friction's "C" is a velocity.
Eigen::Matrix<double, 1, 12> differenceRow(const FrictionConstraint& friction, int row) {
  std::mt19937 random{5};
  const InertialState a = randomState(random), b = randomState(random);
  constexpr double step = 1e-7;
  Eigen::Matrix<double, 1, 12> J;
  for (int k = 0; k < 12; ++k) {
    const auto at = [&](double sign) {
      InertialState sides[2] = {a, b};
      InertialState& body = sides[k / 6];
      const Vector3 change = sign * step * Vector3::Unit(k % 3);
      if (k % 6 < 3)
        body.velocity += change;
      else
        body.setAngularVelocity(body.getAngularVelocity() + change);
      return friction.evaluateTwoBody(sides[0], sides[1], 0.0)[row];
    };
    J[k] = (at(1) - at(-1)) / (2 * step);
  }
  return J;
}

void expectRow(int row) {
  const FrictionConstraint friction = make();
  const MatrixX J = friction.jacobianTwoBody({}, {}, 0.0);
  EXPECT_LT((J.row(row) - differenceRow(friction, row)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(FrictionConstraint, Dimension_AlwaysTwo) {
  for (const double mu : {0.0, 0.5, 10.0}) EXPECT_EQ(make(mu).dimension(), 2);
}

TEST(FrictionConstraint, JacobianDimensions_TwoByTwelve) {
  const MatrixX J = make().jacobianTwoBody({}, {}, 0.0);
  EXPECT_EQ(J.rows(), 2);
  EXPECT_EQ(J.cols(), 12);
}

TEST(FrictionConstraint, JacobianRow1_FiniteDifference) { expectRow(0); }
TEST(FrictionConstraint, JacobianRow2_FiniteDifference) { expectRow(1); }

TEST(FrictionConstraint, JacobianStructure_DirectAngularVelocity) {
  const FrictionConstraint friction = make();
  const MatrixX J = friction.jacobianTwoBody({}, {}, 0.0);
  const Vector3 leverA = kPoint - kComA, leverB = kPoint - kComB;
  for (const auto& [row, t] : {std::pair{0, Vector3{friction.getTangent1()}}, std::pair{1, Vector3{friction.getTangent2()}}}) {
    Eigen::Matrix<double, 1, 12> expected;
    expected << t.transpose(), leverA.cross(t).transpose(), -t.transpose(), -leverB.cross(t).transpose();
    EXPECT_LT((J.row(row) - expected).norm(), 1e-15);
  }
}

TEST(FrictionConstraint, TangentVectors_OrthonormalToNormal) {
  std::mt19937 random{6};
  for (int k = 0; k < 100; ++k) {
    const Coordinate n = randomVector(random).normalized();
    const FrictionConstraint friction{0, 1, n, kPoint, kPoint, kComA, kComB, 0.5};
    EXPECT_NEAR(friction.getTangent1().norm(), 1.0, 1e-14);
    EXPECT_NEAR(friction.getTangent2().norm(), 1.0, 1e-14);
    EXPECT_NEAR(friction.getTangent1().dot(friction.getTangent2()), 0.0, 1e-14);
    EXPECT_NEAR(friction.getTangent1().dot(n), 0.0, 1e-14);
    EXPECT_NEAR(friction.getTangent2().dot(n), 0.0, 1e-14);
    EXPECT_EQ(friction.getContactNormal(), n);
  }
}

TEST(FrictionConstraint, FrictionBounds_ZeroNormalForce) {
  const auto [low, high] = make().getFrictionBounds();
  EXPECT_EQ(low, 0.0);
  EXPECT_EQ(high, 0.0);
}

TEST(FrictionConstraint, FrictionBounds_PositiveNormalForce) {
  FrictionConstraint friction = make(0.5);
  friction.setNormalLambda(100.0);
  const auto [low, high] = friction.getFrictionBounds();
  EXPECT_NEAR(low, -35.355339059327378, 1e-12);
  EXPECT_NEAR(high, 35.355339059327378, 1e-12);
}

TEST(FrictionConstraint, FrictionBounds_UpdatedNormalLambda) {
  FrictionConstraint friction = make(0.5);
  friction.setNormalLambda(100.0);
  friction.setNormalLambda(200.0);
  EXPECT_NEAR(friction.getFrictionBounds().second, 70.710678118654755, 1e-12);
  EXPECT_THROW(friction.setNormalLambda(-1.0), std::invalid_argument);
  EXPECT_THROW(friction.setNormalLambda(std::nan("")), std::invalid_argument);
}

TEST(FrictionConstraint, IsActive_PositiveFrictionAndNormalForce) {
  FrictionConstraint friction = make(0.5);
  friction.setNormalLambda(1.0);
  EXPECT_TRUE(friction.isActiveTwoBody({}, {}, 0.0));
}

TEST(FrictionConstraint, IsActive_ZeroFrictionCoefficient) {
  FrictionConstraint friction = make(0.0);
  friction.setNormalLambda(1.0);
  EXPECT_FALSE(friction.isActiveTwoBody({}, {}, 0.0));
}

TEST(FrictionConstraint, IsActive_ZeroNormalForce) {
  const FrictionConstraint friction = make(0.5);
  EXPECT_FALSE(friction.isActiveTwoBody({}, {}, 0.0));
}

TEST(FrictionConstraint, Construction_InvalidNormal_NotUnitLength) {
  for (const Coordinate& n : {Coordinate{0, 0, 2}, Coordinate{0, 0, 0}, Coordinate{0, 0, std::nan("")}})
    EXPECT_THROW((FrictionConstraint{0, 1, n, kPoint, kPoint, kComA, kComB, 0.5}), std::invalid_argument);
}

TEST(FrictionConstraint, Construction_InvalidFrictionCoefficient_Negative) {
  for (const double mu : {-0.1, -1e-300, std::nan(""), double{INFINITY}}) EXPECT_THROW(make(mu), std::invalid_argument);
  try {
    make(-0.1);
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "FrictionConstraint: frictionCoefficient: -0.10000000000000001; allowed: finite and >= 0; remedy: 0 is a frictionless contact");
  }
}

TEST(FrictionConstraint, TypeName_ReturnsFrictionConstraint) { EXPECT_EQ(make().typeName(), "FrictionConstraint"); }

TEST(FrictionConstraint, HasNoBaumgarteGainsAndKnowsItsLevers) {
  const FrictionConstraint friction = make();
  EXPECT_EQ(friction.alpha(), 0.0);
  EXPECT_EQ(friction.beta(), 0.0);
  EXPECT_EQ(friction.getLeverArmA(), Coordinate{kPoint - kComA});
  EXPECT_EQ(friction.getLeverArmB(), Coordinate{kPoint - kComB});
  EXPECT_EQ(friction.getFrictionCoefficient(), 0.5);
  EXPECT_EQ(friction.getBodyAIndex(), 0u);
  EXPECT_EQ(friction.getBodyBIndex(), 1u);
}

TEST(FrictionConstraint, ConstCallsMayRunAtOnce) {
  FrictionConstraint friction = make();
  friction.setNormalLambda(3.0);
  std::mt19937 random{7};
  const InertialState a = randomState(random), b = randomState(random);
  const VectorX C = friction.evaluateTwoBody(a, b, 0.0);
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (std::size_t t = 0; t < same.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 1000; ++k)
        same[t] += friction.evaluateTwoBody(a, b, 0.0) == C && friction.jacobianTwoBody(a, b, 0.0).rows() == 2 && friction.isActiveTwoBody(a, b, 0.0) &&
                   friction.getFrictionBounds().second > 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 1000));
}

}  // namespace
}  // namespace stiction
