// The founding document's list for the tangent basis, and what it says wrongly: the rule is not continuous everywhere.
#include "math/TangentBasis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace stiction {
namespace {

std::vector<Coordinate> coordinateAxes() { return {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}; }

void expectOrthonormal(const TangentFrame& frame, const Coordinate& n) {
  EXPECT_NEAR(frame.t1.norm(), 1.0, 1e-14);
  EXPECT_NEAR(frame.t2.norm(), 1.0, 1e-14);
  EXPECT_NEAR(frame.t1.dot(frame.t2), 0.0, 1e-14);
  EXPECT_NEAR(frame.t1.dot(n), 0.0, 1e-14);
  EXPECT_NEAR(frame.t2.dot(n), 0.0, 1e-14);
}

/// A unit normal whose two least components differ by more than `apart`.
Coordinate awayFromTies(std::mt19937& random, double apart) {
  std::normal_distribution<double> normal;
  while (true) {
    const Coordinate n = Vector3{normal(random), normal(random), normal(random)}.normalized();
    Vector3 sizes = n.cwiseAbs();
    std::sort(sizes.begin(), sizes.end());
    if (sizes[1] - sizes[0] > apart) return n;
  }
}

TEST(TangentBasis, Orthonormality_AllCoordinateAxes) {
  for (const Coordinate& n : coordinateAxes()) expectOrthonormal(TangentBasis::computeTangentBasis(n), n);
}

TEST(TangentBasis, Determinism_RepeatedCalls) {
  const Coordinate n = Vector3{0.3, -0.5, 0.7}.normalized();
  const TangentFrame first = TangentBasis::computeTangentBasis(n);
  for (int k = 0; k < 100; ++k) {
    const TangentFrame again = TangentBasis::computeTangentBasis(n);
    EXPECT_EQ(again.t1, first.t1);
    EXPECT_EQ(again.t2, first.t2);
  }
}

TEST(TangentBasis, Continuity_SmallPerturbation) {
  constexpr double eps = 1e-4;
  std::mt19937 random{3};
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const Coordinate n = awayFromTies(random, 4 * eps);
    const Vector3 push = Vector3{normal(random), normal(random), normal(random)}.normalized();
    const Coordinate near = (n + eps * push).normalized();
    const TangentFrame a = TangentBasis::computeTangentBasis(n), b = TangentBasis::computeTangentBasis(near);
    EXPECT_LT((b.t1 - a.t1).norm(), 2 * eps);
    EXPECT_LT((b.t2 - a.t2).norm(), 2 * eps);
  }
}

TEST(TangentBasis, TheLeastAxisRuleJumpsByARightAngleAtTheCoordinateAxes) {
  for (const Coordinate& axis : coordinateAxes()) {
    const TangentFrame frame = TangentBasis::computeTangentBasis(axis);
    const Coordinate a = (axis + 1e-4 * frame.t1).normalized(), b = (axis + 1e-4 * frame.t2).normalized();
    const double turn = TangentBasis::computeTangentBasis(a).t1.dot(TangentBasis::computeTangentBasis(b).t1);
    EXPECT_NEAR(turn, 0.0, 2e-4) << axis.transpose();
  }
}

TEST(TangentBasis, DuffsRuleIsContinuousWhereTheOtherJumps) {
  for (const Coordinate& axis : {Coordinate{0, 0, 1}, Coordinate{0, 0, -1}, Coordinate{1, 0, 0.1}, Coordinate{0, 1, 0.1}}) {
    const Coordinate n = axis.normalized();
    const TangentFrame frame = TangentBasis::computeDuffBasis(n);
    expectOrthonormal(frame, n);
    const Coordinate a = (n + 1e-4 * frame.t1).normalized(), b = (n + 1e-4 * frame.t2).normalized();
    EXPECT_LT((TangentBasis::computeDuffBasis(a).t1 - TangentBasis::computeDuffBasis(b).t1).norm(), 1e-3);
  }
  // Its own jump is at n_z = 0.
  const Coordinate above = Vector3{1, 0, 1e-9}.normalized(), below = Vector3{1, 0, -1e-9}.normalized();
  EXPECT_GT((TangentBasis::computeDuffBasis(above).t1 - TangentBasis::computeDuffBasis(below).t1).norm(), 1.0);
}

TEST(TangentBasis, Degeneracy_CoordinateAligned) {
  for (const Coordinate& n : coordinateAxes()) {
    const TangentFrame frame = TangentBasis::computeTangentBasis(n);
    EXPECT_TRUE(frame.t1.allFinite() && frame.t2.allFinite());
    for (const double tilt : {1e-300, 1e-16, 1e-8}) {
      const Coordinate near = Vector3{n + tilt * Vector3::Ones()}.normalized();
      expectOrthonormal(TangentBasis::computeTangentBasis(near), near);
    }
  }
}

TEST(TangentBasis, InvalidInput_NonUnitNormal) {
  for (const Coordinate& n :
       {Coordinate{0, 0, 0}, Coordinate{0, 0, 1 + 2e-6}, Coordinate{0, 0, 1 - 2e-6}, Coordinate{0, 0, std::nan("")}, Coordinate{INFINITY, 0, 0}}) {
    EXPECT_THROW(TangentBasis::computeTangentBasis(n), std::invalid_argument);
    EXPECT_THROW(TangentBasis::computeDuffBasis(n), std::invalid_argument);
  }
  EXPECT_NO_THROW(TangentBasis::computeTangentBasis(Coordinate{0, 0, 1 + 5e-7}));
}

TEST(TangentBasis, ArbitraryNormal_RandomVectors) {
  std::mt19937 random{4};
  std::normal_distribution<double> normal;
  for (int k = 0; k < 100; ++k) {
    const Coordinate n = Vector3{normal(random), normal(random), normal(random)}.normalized();
    for (const TangentFrame& frame : {TangentBasis::computeTangentBasis(n), TangentBasis::computeDuffBasis(n)}) {
      expectOrthonormal(frame, n);
      EXPECT_LT((frame.t1.cross(frame.t2) - n).norm(), 1e-14);
    }
  }
}

TEST(TangentFrame, Construction_ValidTangents) {
  const TangentFrame frame{Coordinate{1, 0, 0}, Coordinate{0, 1, 0}};
  EXPECT_EQ(frame.t1, Coordinate(1, 0, 0));
  EXPECT_EQ(frame.t2, Coordinate(0, 1, 0));
}

TEST(TangentFrame, Construction_NonUnitTangent) {
  EXPECT_THROW((TangentFrame{Coordinate{1.1, 0, 0}, Coordinate{0, 1, 0}}), std::invalid_argument);
  EXPECT_THROW((TangentFrame{Coordinate{1, 0, 0}, Coordinate{0, 0.9, 0}}), std::invalid_argument);
  EXPECT_THROW((TangentFrame{Coordinate{1, 0, 0}, Coordinate{0, std::nan(""), 0}}), std::invalid_argument);
}

}  // namespace
}  // namespace stiction
