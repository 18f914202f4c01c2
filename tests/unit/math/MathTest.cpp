// Rotations and tangent frames against their definitions.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "math/Rotation.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

TEST(Rotation, ExponentialOfAQuarterTurn) {
  const Quaternion q = expRotation(Vector3{0, 0, std::numbers::pi / 2});
  EXPECT_LT((q * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-15);
}

TEST(Rotation, LogarithmInvertsTheExponentialAtEveryScale) {
  std::mt19937 random{1};
  std::normal_distribution<double> normal;
  for (const double angle : {1e-14, 1e-9, 1e-4, 0.1, 1.0, 3.0, 3.1415})
    for (int k = 0; k < 20; ++k) {
      const Vector3 theta = angle * Vector3{normal(random), normal(random), normal(random)}.normalized();
      EXPECT_LT((logRotation(expRotation(theta)) - theta).norm(), 1e-14 * std::max(1.0, angle) + 1e-15);
      EXPECT_NEAR(expRotation(theta).norm(), 1.0, 1e-15);
    }
}

TEST(TangentBasis, BothRulesAreRightHandedOrthonormal) {
  std::mt19937 random{2};
  std::normal_distribution<double> normal;
  std::vector<Vector3> normals{Vector3::UnitX(), -Vector3::UnitX(), Vector3::UnitY(), -Vector3::UnitY(), Vector3::UnitZ(), -Vector3::UnitZ()};
  for (int k = 0; k < 1000; ++k) normals.push_back(Vector3{normal(random), normal(random), normal(random)}.normalized());
  for (const Vector3& n : normals)
    for (const TangentFrame& frame : {TangentBasis::computeTangentBasis(n), TangentBasis::computeDuffBasis(n)}) {
      EXPECT_NEAR(frame.t1.norm(), 1.0, 1e-14);
      EXPECT_NEAR(frame.t2.norm(), 1.0, 1e-14);
      EXPECT_NEAR(frame.t1.dot(n), 0.0, 1e-14);
      EXPECT_LT((frame.t1.cross(frame.t2) - n).norm(), 1e-14);
    }
}

TEST(TangentBasis, LeastAxisRuleTurnsByARightAngleOnFlatGround) {
  const Vector3 a = Vector3{1e-4, 0, 1}.normalized(), b = Vector3{0, 1e-4, 1}.normalized();
  EXPECT_LT(std::abs(TangentBasis::computeTangentBasis(a).t1.dot(TangentBasis::computeTangentBasis(b).t1)), 1e-3);
  EXPECT_GT(TangentBasis::computeDuffBasis(a).t1.dot(TangentBasis::computeDuffBasis(b).t1), 1 - 1e-7);
}

TEST(TangentBasis, RefusesANormalThatIsNotUnit) {
  EXPECT_THROW(TangentBasis::computeTangentBasis(Vector3{0, 0, 1.01}), std::invalid_argument);
  EXPECT_THROW(TangentBasis::computeDuffBasis(Vector3{0, 0, std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
