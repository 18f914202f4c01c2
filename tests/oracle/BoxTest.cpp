// Friction bounds on each tangent axis: the law's own conditions, its error over the azimuth, and Coulomb's answer where the two laws are the same.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "certify/Certificate.hpp"
#include "oracle/PointMass.hpp"
#include "oracle/RandomProblems.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

using testing_random::randomProblem;

/// A point mass of 2 kg that slides at 3 m/s along `azimuth` and is pressed by 1 m/s.
ContactProblem slidingMass(double azimuth, double mu) { return pointMass(2, {3 * std::cos(azimuth), 3 * std::sin(azimuth), -1}, mu, 0); }

struct Method {
  const char* name;
  int least;  // of 300 problems where friction holds, at least so many answered: Gauss–Seidel is slow where masses differ
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

class BoxLaw : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, BoxLaw, testing::Values(Method{"box", 290}, Method{"pgs", 225}));

// Momentum p at an angle θ from an axis, bounds b: while p sin θ <= b the other axis stops, friction is (b, p sin θ) and turned by atan(p sin θ/b) − θ; beyond, it is (b, b), 45° − θ.
// So the worst is 45° − asin(b/p) where p sin θ = b, and 45° itself as b/p goes to 0.
TEST_P(BoxLaw, IsUpTo29PercentShortAnd45DegreesOffWhereCoulombIsNeither) {
  constexpr double momentum = 6, degree = std::numbers::pi / 180;  // [N s]
  for (const double mu : {0.5, 1e-3}) {
    const double bound = mu * 2 / std::numbers::sqrt2, worstAzimuth = std::asin(bound / momentum);
    std::vector<double> azimuths{worstAzimuth};
    for (int k = 0; k < 360; ++k) azimuths.push_back(k * degree);
    double least = 2 * mu, turned = 0;  // [N s], [rad]
    for (const double azimuth : azimuths) {
      const ContactProblem problem = slidingMass(azimuth, mu);
      Iterate iterate;
      ASSERT_EQ(makeSolver(GetParam().name)->solve(problem, iterate, {}).status, SolveStatus::Converged);
      EXPECT_NEAR(iterate.r[0], 2.0, 1e-10);
      // Each axis opposes its own velocity with the bound, or stops it.
      for (int axis = 0; axis < 2; ++axis) EXPECT_NEAR(iterate.r[1 + axis], -std::clamp(problem.f[axis], -bound, bound), 1e-10) << azimuth;
      const Vector2 friction{iterate.r[1], iterate.r[2]}, against{-std::cos(azimuth), -std::sin(azimuth)};
      least = std::min(least, friction.norm());
      turned = std::max(turned, std::acos(std::min(1.0, friction.normalized().dot(against))));
    }
    EXPECT_NEAR(least, bound, 1e-10);                                // of 2 μ: 29.3 % short along the axes
    EXPECT_NEAR(turned / degree, 45 - worstAzimuth / degree, 1e-5);  // 38.2° with μ = 0.5, 44.99° with 1e-3
  }
}

TEST_P(BoxLaw, KeepsItsOwnConditionsOnRandomProblems) {
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const ContactProblem problem = randomProblem(seed, {.massDecades = 1});
    Certifier certifier;
    certifier.prepare(problem);
    Iterate iterate;
    if (makeSolver(GetParam().name)->solve(problem, iterate, {}).status != SolveStatus::Converged) continue;
    ++converged;
    const VectorX u = contactVelocity(problem, iterate);
    const double speed = 1e-7 * certifier.scale();
    for (int i = 0; i < problem.contacts(); ++i) {
      const double bound = problem.mu[i] * iterate.r[3 * i] / std::numbers::sqrt2, impulse = speed / certifier.omega()[i];
      ASSERT_GE(iterate.r[3 * i], 0.0);
      ASSERT_GE(u[3 * i], -speed);
      ASSERT_TRUE(iterate.r[3 * i] <= impulse || u[3 * i] <= speed);
      for (int axis = 1; axis < 3; ++axis) {
        const double r = iterate.r[3 * i + axis], v = u[3 * i + axis];
        ASSERT_LE(std::abs(r), bound + impulse);
        ASSERT_TRUE(std::abs(v) <= speed || std::abs(r + std::copysign(bound, v)) <= impulse);
      }
    }
  }
  EXPECT_GE(converged, 225);  // the rest cycle, or have no answer; they say so
}

TEST_P(BoxLaw, IsCoulombWithoutFrictionAndWhereNothingReachesItsBounds) {
  testing_random::Random random{8};
  SolveOptions options;
  options.tolerance = 1e-10;
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    ContactProblem problem = randomProblem(seed, {.massDecades = 1, .maxFriction = 0.5, .rows = false, .compliance = false});
    problem.w.setZero();
    problem.wScale.setZero();
    VectorX r = VectorX::Zero(3 * problem.contacts());
    for (int i = 0; i < problem.contacts(); ++i) {
      if (seed % 3 == 0) problem.mu[i] = 0;
      const double normal = random.uniform(0.1, 1), bound = 0.9 * problem.mu[i] * normal / std::numbers::sqrt2;
      r.segment<3>(3 * i) << normal, random.uniform(-bound, bound), random.uniform(-bound, bound);
    }
    problem.f.setZero();
    const VectorX back = -r;
    multiplyAdd(problem.H, back, problem.f);
    Iterate iterate;
    if (makeSolver(GetParam().name)->solve(problem, iterate, options).status != SolveStatus::Converged) continue;
    ++converged;
    // The answer may be another one, but where it stops everything it is Coulomb's too.
    if (contactVelocity(problem, iterate).cwiseAbs().maxCoeff() > 1e-8 * certify(problem, iterate).scale) continue;
    EXPECT_TRUE(certify(problem, iterate).passes(1e-8));
  }
  EXPECT_GE(converged, GetParam().least);
}

/// `box` and the method of multipliers on the same law.
struct TwoWays {
  VelocitySolver direct{{"box", Law::Box, true, true, ""}, makeBoxMethod()}, multipliers{{"box", Law::Box, true, true, ""}, makeProxMethod(Law::Box)};
};

// Where each contact has bodies enough of its own, one answer: the same by pivots and by multipliers.
TEST(BoxLawTwoWays, TheDirectAnswerIsThatOfTheMultipliers) {
  TwoWays ways;
  SolveOptions options;
  options.tolerance = 1e-10;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const double friction = 0.2 * static_cast<double>(1 + seed % 5);
    const ContactProblem problem = randomProblem(seed, {.minBodies = 12,
                                                        .maxBodies = 20,
                                                        .maxContacts = 12,
                                                        .massDecades = 0,
                                                        .maxFriction = friction,
                                                        .duplicates = false,
                                                        .rows = false,
                                                        .compliance = false});
    Iterate direct, multipliers;
    if (ways.direct.solve(problem, direct, options).status != SolveStatus::Converged) continue;
    if (ways.multipliers.solve(problem, multipliers, options).status != SolveStatus::Converged) continue;
    ++compared;
    const Certificate certificate = Certifier{Law::Box}.certify(problem, direct);
    EXPECT_TRUE(certificate.passes(1e-10));
    EXPECT_LE((direct.v - multipliers.v).cwiseAbs().maxCoeff(), 1e-7 * certificate.scale);
  }
  EXPECT_GE(compared, 340);
}

// With contacts twice over, joints and compliance there may be several answers: what says that it is one is certified by the law of boxes, and the direct method finds no fewer.
TEST(BoxLawTwoWays, TheDirectMethodAnswersNoFewerProblemsAndIsCertified) {
  TwoWays ways;
  int direct = 0, multipliers = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const ContactProblem problem = randomProblem(seed, {.massDecades = 2});
    Iterate iterate, other;
    const bool converged = ways.direct.solve(problem, iterate, {}).status == SolveStatus::Converged;
    EXPECT_EQ(converged, Certifier{Law::Box}.certify(problem, iterate).passes(1e-8));
    direct += converged;
    multipliers += ways.multipliers.solve(problem, other, {}).status == SolveStatus::Converged;
  }
  EXPECT_GE(direct, multipliers);
}

TEST(BoxLawTwoWays, BoxAnswersWhateverPgsAnswers) {
  for (std::uint64_t seed = 301; seed <= 500; ++seed) {
    const ContactProblem problem = randomProblem(seed, {.massDecades = 1});
    Iterate swept, direct;
    if (makeSolver("pgs")->solve(problem, swept, {}).status != SolveStatus::Converged) continue;
    EXPECT_EQ(makeSolver("box")->solve(problem, direct, {}).status, SolveStatus::Converged) << seed;
  }
}

// A cube at rest on its four corners: 12 rows of rank 6, and a warm start from the answer asks for no pivot.
TEST(BoxLawTwoWays, RedundantContactsAndWarmStarts) {
  ContactProblem problem;
  const double mass = 3, impulse = 3 * 9.81 * 0.01;
  Matrix6 M = mass * Matrix6::Identity();
  M.bottomRightCorner<3, 3>() = 0.5 * Matrix3::Identity();
  problem.M.addBlock(M.data(), 6);
  problem.f = -impulse * VectorX::Unit(6, 2);
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) {
      Eigen::Matrix<double, 6, 3> H;
      const Vector3 lever{x, y, -0.5};
      int column = 0;
      for (const Vector3& d : {Vector3{0, 0, 1}, Vector3{1, 0, 0}, Vector3{0, 1, 0}}) {
        H.col(column).head<3>() = d;
        H.col(column++).tail<3>() = lever.cross(d);
      }
      problem.H.addSegment(0, 0, 6, H.data());
      problem.H.endGroup();
    }
  problem.w = problem.wScale = VectorX::Zero(12);
  problem.mu = VectorX::Constant(4, 0.5);
  const auto solver = makeSolver("box");
  Iterate iterate;
  ASSERT_EQ(solver->solve(problem, iterate, {}).status, SolveStatus::Converged);
  EXPECT_LE(iterate.v.norm(), 1e-14);
  EXPECT_NEAR(iterate.r[0] + iterate.r[3] + iterate.r[6] + iterate.r[9], impulse, 1e-14);
  SolveOptions warm;
  warm.warm = true;
  EXPECT_EQ(solver->solve(problem, iterate, warm).iterations, 0);
}

// Two bodies driven against a third leave it no motion: no answer, and none is claimed.
TEST(BoxLawTwoWays, WhatHasNoAnswerIsNotConverged) {
  ContactProblem problem = pointMass(2, {0, 0, 0}, 0.5, 0);
  const BlockColumns::Segment segment = problem.H.segments[0];
  VectorX opposite = -Eigen::Map<const VectorX>{problem.H.values.data(), 3 * segment.size};
  problem.H.addSegment(0, 0, segment.size, opposite.data());
  problem.H.endGroup();
  problem.w = problem.wScale = (VectorX(6) << -1, 0, 0, -1, 0, 0).finished();
  problem.mu = VectorX::Constant(2, 0.5);
  Iterate iterate;
  EXPECT_NE(makeSolver("box")->solve(problem, iterate, {}).status, SolveStatus::Converged);
}

}  // namespace
}  // namespace stiction
