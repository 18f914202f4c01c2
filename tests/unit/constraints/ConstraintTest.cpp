// The other constraints of the library against differences, and one of a user.
#include "constraints/Constraint.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "Jacobians.hpp"
#include "constraints/ContactConstraint.hpp"
#include "constraints/DistanceConstraint.hpp"
#include "constraints/RevoluteConstraint.hpp"
#include "constraints/UnitQuaternionConstraint.hpp"

namespace stiction {
namespace {

using testing::randomState;
using testing::randomVector;

/// X stays on the sphere of radius 1 about a point that circles with 2 rad/s.
class MovingAnchor : public BilateralConstraint {
 public:
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override { return VectorX::Constant(1, (state.position - anchor(time)).squaredNorm() - 1.0); }
  MatrixX jacobian(const State& state, double time) const override {
    MatrixX J = MatrixX::Zero(1, 7);
    J.leftCols<3>() = 2.0 * (state.position - anchor(time)).transpose();
    return J;
  }
  VectorX partialTimeDerivative(const State& state, double time) const override {
    return VectorX::Constant(1, -2.0 * (state.position - anchor(time)).dot(2.0 * Vector3{-std::sin(2 * time), std::cos(2 * time), 0}));
  }

 private:
  static Vector3 anchor(double time) { return {std::cos(2 * time), std::sin(2 * time), 0}; }
};

TEST(Constraint, DefaultsAreTheDocumented) {
  const MovingAnchor constraint;
  EXPECT_EQ(constraint.alpha(), 10.0);
  EXPECT_EQ(constraint.beta(), 10.0);
  EXPECT_TRUE(constraint.isActive({}, 0.0));
  EXPECT_EQ(constraint.typeName(), "Constraint");
  EXPECT_EQ(DistanceConstraint{1.0}.partialTimeDerivative({}, 0.0), VectorX::Zero(1));
}

TEST(Constraint, JacobiansOfOneBodyAreDerivatives) {
  std::mt19937 random{1};
  const UnitQuaternionConstraint quaternion;
  const DistanceConstraint distance{2.0};
  const MovingAnchor anchor;
  for (const Constraint* constraint :
       {static_cast<const Constraint*>(&quaternion), static_cast<const Constraint*>(&distance), static_cast<const Constraint*>(&anchor)})
    for (int k = 0; k < 20; ++k) {
      const State state = randomState(random);
      const MatrixX J = constraint->jacobian(state, 0.3);
      ASSERT_EQ(J.cols(), 7);
      EXPECT_LT((J - testing::differenceJacobian(*constraint, state, 0.3)).cwiseAbs().maxCoeff(), 1e-8) << constraint->typeName();
    }
}

TEST(Constraint, VelocityProductIsTheSecondDerivativeAlongTheMotion) {
  std::mt19937 random{2};
  const UnitQuaternionConstraint quaternion;
  const DistanceConstraint distance{2.0};
  const MovingAnchor anchor;
  for (const Constraint* constraint :
       {static_cast<const Constraint*>(&quaternion), static_cast<const Constraint*>(&distance), static_cast<const Constraint*>(&anchor)})
    for (int k = 0; k < 20; ++k) {
      const State state = randomState(random);
      const auto at = [&](double dt) {
        State moved = state;
        moved.position += dt * state.velocity;
        moved.orientation.coeffs() += dt * Eigen::Vector4d{state.quaternionRate[1], state.quaternionRate[2], state.quaternionRate[3], state.quaternionRate[0]};
        return constraint->evaluate(moved, 0.3 + dt)[0];
      };
      constexpr double dt = 1e-4;
      const double second = (at(dt) - 2 * at(0) + at(-dt)) / (dt * dt);
      EXPECT_NEAR(constraint->velocityProduct(state, 0.3)[0], second, 1e-5 * std::max(1.0, std::abs(second))) << constraint->typeName();
    }
}

TEST(Constraint, TheQuaternionRowVanishesForEveryAngularVelocity) {
  std::mt19937 random{3};
  const UnitQuaternionConstraint constraint;
  for (int k = 0; k < 100; ++k) {
    const State state = randomState(random);
    Eigen::Matrix<double, 7, 1> rate;
    rate << state.velocity, state.quaternionRate;
    EXPECT_NEAR((constraint.jacobian(state, 0.0) * rate)[0], 0.0, 1e-14);
  }
}

TEST(Constraint, OneBodyFunctionsOfTwoBodyConstraintsSayWhatToUse) {
  const TwoBodyDistanceConstraint rod{0, 1, {}, {}, 1.0};
  try {
    rod.evaluate({}, 0.0);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "TwoBodyDistanceConstraint::evaluate: a constraint between two bodies has no state of one body; use evaluateTwoBody");
  }
  EXPECT_THROW(rod.jacobian({}, 0.0), std::logic_error);
  EXPECT_THROW(rod.isActive({}, 0.0), std::logic_error);
  EXPECT_TRUE(rod.isActiveTwoBody({}, {}, 0.0));
}

TEST(TwoBodyConstraints, JacobiansAndVelocityProductsAreDerivatives) {
  std::mt19937 random{4};
  for (int k = 0; k < 20; ++k) {
    const TwoBodyDistanceConstraint rod{0, 1, randomVector(random), randomVector(random), 1.5};
    const RevoluteConstraint hinge{0, 1, randomVector(random), randomVector(random), randomVector(random).normalized(), randomVector(random).normalized()};
    const InertialState a = randomState(random), b = randomState(random);
    for (const auto& [rows, dimension] : {std::pair<const TwoBodyRows*, int>{&rod, 1}, std::pair<const TwoBodyRows*, int>{&hinge, 5}}) {
      const MatrixX J = rows->jacobianTwoBody(a, b, 0.0);
      ASSERT_EQ(J.rows(), dimension);
      ASSERT_EQ(J.cols(), 12);
      EXPECT_LT((J - testing::differenceJacobianTwoBody(*rows, dimension, a, b, 0.0)).cwiseAbs().maxCoeff(), 1e-8);
      const VectorX second = testing::differenceVelocityProduct(*rows, a, b, 0.0);
      EXPECT_LT((rows->velocityProductTwoBody(a, b, 0.0) - second).cwiseAbs().maxCoeff(), 1e-5 * std::max(1.0, second.cwiseAbs().maxCoeff()));
    }
  }
}

TEST(RevoluteConstraint, LeavesTheRotationAboutItsAxis) {
  const Coordinate axis = Vector3{0.6, 0, 0.8};
  const RevoluteConstraint hinge{0, 1, {0.5, 0, 0}, {-0.5, 0, 0}, axis, axis};
  InertialState a, b;
  a.position = {1, 2, 3};
  for (const double angle : {0.0, 0.7, 3.0}) {
    b.orientation = Quaternion{Eigen::AngleAxisd{angle, axis}};
    b.position = a.position + Vector3{0.5, 0, 0} - b.orientation * Vector3{-0.5, 0, 0};
    EXPECT_LT(hinge.evaluateTwoBody(a, b, 0.0).norm(), 1e-15);
    const MatrixX J = hinge.jacobianTwoBody(a, b, 0.0);
    EXPECT_EQ(Eigen::FullPivLU<MatrixX>{J}.rank(), 5);
    Eigen::Matrix<double, 12, 1> turning = Eigen::Matrix<double, 12, 1>::Zero();  // B about the hinge, A at rest
    turning.segment<3>(6) = axis.cross(Vector3{b.position - a.position - Vector3{0.5, 0, 0}});
    turning.tail<3>() = axis;
    EXPECT_LT((J * turning).norm(), 1e-15);
  }
}

TEST(ContactConstraint, GapAndItsRate) {
  const Coordinate n = Vector3{0, 0.6, 0.8};
  std::mt19937 random{5};
  const InertialState a = randomState(random), b = randomState(random);
  const Coordinate onA = a.position + randomVector(random), onB = onA + 0.02 * n;
  const ContactConstraint contact{0, 1, n, onA, onB, 0.0, a.position, b.position, 0.5, -2.0};
  EXPECT_NEAR(contact.evaluateTwoBody(a, b, 0.0)[0], 0.02, 1e-15);
  EXPECT_FALSE(contact.isActiveTwoBody(a, b, 0.0));
  Eigen::Matrix<double, 12, 1> v;
  v << a.velocity, a.getAngularVelocity(), b.velocity, b.getAngularVelocity();
  const Vector3 velocityA = a.velocity + a.getAngularVelocity().cross(onA - a.position),
                velocityB = b.velocity + b.getAngularVelocity().cross(onB - b.position);
  EXPECT_NEAR((contact.jacobianTwoBody(a, b, 0.0) * v)[0], n.dot(velocityB - velocityA), 1e-14);
  EXPECT_EQ(contact.getRestitution(), 0.5);
  EXPECT_EQ(contact.getPreImpactRelVelNormal(), -2.0);
  EXPECT_EQ(contact.getPenetrationDepth(), 0.0);
}

TEST(Constraint, ConstructorsRefuseBadArguments) {
  const Coordinate z{0, 0, 1}, none, nan{std::nan(""), 0, 0};
  EXPECT_THROW(DistanceConstraint{0.0}, std::invalid_argument);
  EXPECT_THROW(DistanceConstraint{-1.0}, std::invalid_argument);
  EXPECT_THROW(DistanceConstraint{std::nan("")}, std::invalid_argument);
  EXPECT_THROW((DistanceConstraint{1.0, -1.0}), std::invalid_argument);
  EXPECT_THROW((UnitQuaternionConstraint{10.0, std::nan("")}), std::invalid_argument);
  EXPECT_THROW((TwoBodyDistanceConstraint{0, 1, nan, none, 1.0}), std::invalid_argument);
  EXPECT_THROW((RevoluteConstraint{0, 1, none, none, Coordinate{0, 0, 2}, z}), std::invalid_argument);
  EXPECT_THROW((RevoluteConstraint{0, 1, none, none, z, none}), std::invalid_argument);
  EXPECT_THROW((ContactConstraint{0, 1, Coordinate{0, 0, 0.5}, none, none, 0.0, none, none, 0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW((ContactConstraint{0, 1, z, nan, none, 0.0, none, none, 0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW((ContactConstraint{0, 1, z, none, none, -1.0, none, none, 0.0, 0.0}), std::invalid_argument);
  EXPECT_THROW((ContactConstraint{0, 1, z, none, none, 0.0, none, none, 1.5, 0.0}), std::invalid_argument);
  EXPECT_THROW((ContactConstraint{0, 1, z, none, none, 0.0, none, none, 0.0, std::nan("")}), std::invalid_argument);
}

TEST(InertialState, AngularVelocityAndQuaternionRateSayTheSame) {
  std::mt19937 random{6};
  for (int k = 0; k < 100; ++k) {
    InertialState state = randomState(random);
    const Coordinate omega = randomVector(random, 10.0);
    state.setAngularVelocity(omega);
    EXPECT_LT((state.getAngularVelocity() - omega).norm(), 1e-13);
    constexpr double dt = 1e-6;  // the rate moves Q as the rotation does
    const Quaternion turned = Quaternion{Eigen::AngleAxisd{omega.norm() * dt, omega.normalized()}} * state.orientation;
    const Eigen::Vector4d difference{turned.w() - state.orientation.w(), turned.x() - state.orientation.x(), turned.y() - state.orientation.y(),
                                     turned.z() - state.orientation.z()};
    EXPECT_LT((difference / dt - state.quaternionRate).norm(), 1e-3);
  }
  const InertialState rest;
  EXPECT_EQ(rest.position, Coordinate(0, 0, 0));
  EXPECT_EQ(rest.orientation.w(), 1.0);
}

}  // namespace
}  // namespace stiction
