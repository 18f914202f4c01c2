// Rotations and tangent frames against their definitions.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "math/Rotation.hpp"

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

}  // namespace
}  // namespace stiction
