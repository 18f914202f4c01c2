// Paths of problems: where their points lie, what follows a failure, and where they end.
#include "portfolio/ProblemPath.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/portfolio/ReferenceContact.hpp"
#include "unit/solvers/PyramidProblem.hpp"

namespace stiction {
namespace {

/// What a solver of points was given, and what it says to it.
struct Points {
  std::vector<double> mu, compliance;
  std::vector<bool> warm;
  std::vector<int> refused;  // points, in order, that are not certified

  SolvePoint solve() {
    return [this](const PosedProblem& point, Iterate& iterate, const SolveOptions& options) {
      mu.push_back(point.mu()[0]);
      compliance.push_back(point.local() != nullptr ? point.local()->blocks[0](0, 0) : point.global()->R.size() == 0 ? 0 : point.global()->R[0]);
      warm.push_back(options.warm);
      const int number = static_cast<int>(mu.size()) - 1;
      EXPECT_EQ(iterate.r.size(), options.warm ? 1 : 0) << "point " << number;
      PortfolioReport report;
      report.iterations = 2;
      report.factorisations = 1;
      report.certified = std::find(refused.begin(), refused.end(), number) == refused.end();
      iterate.r = VectorX::Constant(1, report.certified ? number : -1);
      return report;
    };
  }
};

VectorX ones(int size) { return VectorX::Ones(size); }

TEST(ProblemPath, FrictionRisesFromNothingInLongerSteps) {
  const ContactProblem problem = makePyramid({.rows = 1, .mu = 0.5});
  Points points;
  Iterate answer;
  const PathReport report = follow(PosedProblem{problem}, Path::Friction, ones(problem.contacts()), {}, points.solve(), answer);
  EXPECT_TRUE(report.ends);
  const std::vector<double> t{0, 0.1, 0.3, 0.55, 0.8, 1};
  ASSERT_EQ(points.mu.size(), t.size());
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(points.mu[k], 0.5 * t[k], 1e-15);
    EXPECT_EQ(points.warm[k], k > 0);
  }
  EXPECT_EQ(points.mu.back(), 0.5);
  EXPECT_EQ(answer.r[0], 5);  // of the last point
  EXPECT_EQ(report.iterations, 12);
  EXPECT_EQ(report.factorisations, 6);
}

TEST(ProblemPath, AFailureIsFollowedByAShorterStepFromTheSamePlace) {
  const ContactProblem problem = makePyramid({.rows = 1, .mu = 1});
  Points points;
  points.refused = {2};
  Iterate answer;
  EXPECT_TRUE(follow(PosedProblem{problem}, Path::Friction, ones(problem.contacts()), {}, points.solve(), answer).ends);
  EXPECT_NEAR(points.mu[2], 0.3, 1e-15);
  EXPECT_NEAR(points.mu[3], 0.18, 1e-15);
  EXPECT_NEAR(points.mu[4], 0.34, 1e-15);
}

TEST(ProblemPath, ComplianceFallsByTenDecadesAndIsGoneAtTheEnd) {
  const ContactProblem problem = makePyramid({.rows = 1});
  const VectorX omega = VectorX::Constant(problem.contacts(), 3);
  Points points;
  Iterate answer;
  EXPECT_TRUE(follow(PosedProblem{problem}, Path::Compliance, omega, {}, points.solve(), answer).ends);
  EXPECT_NEAR(points.compliance[0], 30, 1e-12);
  EXPECT_NEAR(points.compliance[1], 3, 1e-12);
  EXPECT_NEAR(points.compliance[2], 0.03, 1e-12);
  EXPECT_EQ(points.compliance.back(), 0);
  EXPECT_EQ(points.mu[0], problem.mu[0]);
}

TEST(ProblemPath, AProblemOfContactsAloneIsSoftenedOnItsDiagonal) {
  const LocalContactProblem problem = localReferenceContact();  // W = 0.1 I
  Points points;
  Iterate answer;
  EXPECT_TRUE(follow(PosedProblem{problem}, Path::Compliance, ones(1), {}, points.solve(), answer).ends);
  EXPECT_NEAR(points.compliance[0], 10.1, 1e-12);
  EXPECT_EQ(points.compliance.back(), 0.1);
}

TEST(ProblemPath, IsGivenUpWhereNoStepIsShortEnough) {
  const ContactProblem problem = makePyramid({.rows = 1});
  Points points;
  for (int k = 1; k < 40; ++k) points.refused.push_back(k);
  Iterate answer;
  const PathReport report = follow(PosedProblem{problem}, Path::Friction, ones(problem.contacts()), {}, points.solve(), answer);
  EXPECT_FALSE(report.ends);
  EXPECT_EQ(answer.r.size(), 0);
  EXPECT_EQ(points.mu.size(), 7U);  // the start, then 0.1 · 0.4ᵏ down to a thousandth
}

TEST(ProblemPath, EndsAtItsStartWhereThatHasNoAnswer) {
  const ContactProblem problem = makePyramid({.rows = 1});
  Points points;
  points.refused = {0};
  Iterate answer;
  EXPECT_FALSE(follow(PosedProblem{problem}, Path::Friction, ones(problem.contacts()), {}, points.solve(), answer).ends);
  EXPECT_EQ(points.mu.size(), 1U);
}

}  // namespace
}  // namespace stiction
