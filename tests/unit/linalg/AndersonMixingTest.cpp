// Anderson's mixing against the fixed points of linear maps, by dense elimination.
#include "linalg/AndersonMixing.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracle/RandomProblems.hpp"

namespace stiction {
namespace {

constexpr int size = 20;

/// x -> A x + c with `slow` directions that contract by 0.5 to 0.99 and others that contract at once; beside x goes the affine image of it, y = B x + d.
struct Map {
  explicit Map(std::uint64_t seed, int slow) {
    testing_random::Random random{seed};
    const auto draw = [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); };
    const MatrixX Q = MatrixX::NullaryExpr(size, size, draw).householderQr().householderQ();
    VectorX rates = VectorX::Zero(size);
    for (int k = 0; k < slow; ++k) rates[k] = slow == 1 ? 0.99 : 0.5 + 0.49 * k / (slow - 1);
    A = Q * rates.asDiagonal() * Q.transpose();
    B = MatrixX::NullaryExpr(3, size, draw);
    c = MatrixX::NullaryExpr(size, 1, draw);
    d = MatrixX::NullaryExpr(3, 1, draw);
  }
  VectorX fixedPoint() const { return (MatrixX::Identity(size, size) - A).partialPivLu().solve(c); }
  /// So many points from 0; returns the distance to the fixed point.
  double run(AndersonMixing<2>& mixing, int points) const {
    VectorX x = VectorX::Zero(size), y;
    for (int k = 0; k < points; ++k) {
      const VectorX before = x;
      x = A * before + c;
      y = B * x + d;
      mixing.mix(x - before, {&x, &y});
      EXPECT_LE((y - (B * x + d)).norm(), 1e-9) << "point " << k;
    }
    return (x - fixedPoint()).norm() / fixedPoint().norm();
  }

  MatrixX A, B;
  VectorX c, d;
};

TEST(AndersonMixing, TakesAPointForEachSlowDirectionAndTwoMore) {
  for (int slow = 0; slow <= 6; ++slow) {
    const Map map{static_cast<std::uint64_t>(slow) + 1, slow};
    AndersonMixing<2> mixing{8};
    EXPECT_LE(map.run(mixing, slow + 2), 1e-9) << slow << " slow directions";
  }
}

TEST(AndersonMixing, GoesOnWhereItHoldsNoMore) {
  const Map map{10, 6};
  AndersonMixing<2> shallow{2};
  EXPECT_LE(map.run(shallow, 40), 1e-3);  // by itself the map leaves 0.99^40 = 0.67 of it
}

TEST(AndersonMixing, ForgetsWhenTold) {
  const Map first{20, 4}, second{21, 4};
  AndersonMixing<2> used{8}, fresh{8};
  first.run(used, 3);
  used.reset();
  EXPECT_EQ(second.run(used, 3), second.run(fresh, 3));
}

TEST(AndersonMixing, APointTwiceBringsNothing) {
  AndersonMixing<1> mixing{4};
  const VectorX misfit = VectorX::Constant(3, 0.5);
  for (int k = 0; k < 3; ++k) {
    VectorX image = VectorX::Constant(3, 2.0);
    mixing.mix(misfit, {&image});
    EXPECT_EQ(image, VectorX::Constant(3, 2.0));
  }
}

}  // namespace
}  // namespace stiction
