// The portfolio on problems whose answers are known or certified from outside the solvers.
#include "portfolio/Portfolio.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/Error.hpp"
#include "oracle/RandomProblems.hpp"
#include "solvers/Ecos.hpp"
#include "unit/portfolio/ReferenceContact.hpp"
#include "unit/solvers/CannonballProblem.hpp"
#include "unit/solvers/LayersProblem.hpp"
#include "unit/solvers/PyramidProblem.hpp"

namespace stiction {
namespace {

class EveryMethod : public testing::TestWithParam<const char*> {};

TEST_P(EveryMethod, SolvesTheReferenceContactStrictly) {
  Portfolio portfolio{GetParam()};
  Iterate x;
  SolveOptions options;
  const PortfolioReport report = portfolio.solve(referenceContact(), x, options);
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_NEAR(x.r[0], 15.0, 1e-6);
  EXPECT_NEAR(x.r[1], -2.7, 1e-6);
  EXPECT_NEAR(x.r[2], -3.6, 1e-6);
}

TEST_P(EveryMethod, SolvesAResultingLocalProblem) {
  Portfolio portfolio{GetParam()};
  Iterate x;
  const PortfolioReport report = portfolio.solve(localReferenceContact(), x, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_NEAR((x.r - Vector3{15, -2.7, -3.6}).norm(), 0, 1e-6);
}

TEST_P(EveryMethod, HoldsABilateralRowAndAContactTogether) {
  // The reference contact with the mass held on the rail t2 = 0 (v_y = 0): r_T acts along x only, λ takes 40 N s less the friction's y part.
  // Law: v_y = 0 → u_T = (v_x, 0), slip along +x, r = (15, −4.5, 0), v_x = 3 − 0.45 = 2.55.
  ContactProblem p = referenceContact();
  const double rail[3] = {0, 1, 0};
  p.G.addSegment(0, 0, 3, rail);
  p.G.endGroup();
  p.b = VectorX::Zero(1);
  Portfolio portfolio{GetParam()};
  Iterate x;
  const PortfolioReport report = portfolio.solve(p, x, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_NEAR(x.v[0], 2.55, 1e-6);
  EXPECT_NEAR(x.v[1], 0.0, 1e-6);
  EXPECT_NEAR(x.r[1], -4.5, 1e-5);
  EXPECT_NEAR(x.lambda[0], -40.0, 1e-5);
}

TEST_P(EveryMethod, HonoursContactCompliance) {
  // One point mass 2 kg pressed down: W = 0.5, q_n = −3, R_n = 0.25: r_n = 3 / 0.75 = 4.
  ContactProblem p;
  const Matrix3 M = 2.0 * Matrix3::Identity(), F = Matrix3::Identity();
  p.M.addBlock(M.data(), 3);
  p.H.addSegment(0, 0, 3, F.data());
  p.H.endGroup();
  p.f = Vector3{-6, 0, 0};
  p.w = p.wScale = Vector3::Zero();
  p.mu = VectorX::Constant(1, 0.5);
  p.R = Vector3{0.25, 0.25, 0.25};
  Portfolio portfolio{GetParam()};
  Iterate x;
  const PortfolioReport report = portfolio.solve(p, x, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_NEAR(x.r[0], 4.0, 1e-7);
}

TEST_P(EveryMethod, TakesAWarmStartOfAnotherSizeForNone) {
  for (const int size : {0, 1, 12}) {
    Portfolio portfolio{GetParam()};
    Iterate x;
    x.r = VectorX::Ones(size);
    SolveOptions options;
    options.warm = true;
    const PortfolioReport report = portfolio.solve(localReferenceContact(), x, options);
    EXPECT_TRUE(report.certified) << report.certificate.relative;
    EXPECT_NEAR((x.r - Vector3{15, -2.7, -3.6}).norm(), 0, 1e-6);
  }
}

TEST_P(EveryMethod, EndsWhereNoCertificateIsFinite) {
  LocalContactProblem p = localReferenceContact();
  p.q[0] = -1e159;
  Portfolio portfolio{GetParam()};
  Iterate x;
  EXPECT_FALSE(portfolio.solve(p, x, {}).certified);
}

TEST_P(EveryMethod, EndsWhereWIsIndefinite) {
  LocalContactProblem p = localReferenceContact();
  p.blocks[0] = Vector3{1e4, -1e20, 1e-4}.asDiagonal();
  p.q = Vector3{-1e4, -1, -1e-4};
  p.mu[0] = 0.1;
  Portfolio portfolio{GetParam()};
  Iterate x;
  const PortfolioReport report = portfolio.solve(p, x, {});
  EXPECT_EQ(report.certified, report.certificate.relative <= 1e-8);
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethod, testing::Values("auto", "nsgs", "newton", "prox", "proxac", "ipm", "continuation", "centralpath", "lagged"),
                         [](const auto& method) { return std::string{method.param}; });

void expectCertified(double mu, double kick, double top) {
  Portfolio portfolio;
  const PyramidOptions o{.rows = 6, .mu = mu, .massOfRow = [top](int r) { return r == 5 ? top : 1.0; }, .kick = kick, .seed = 1};
  Iterate x;
  const PortfolioReport report = portfolio.solve(makePyramid(o), x, {});
  EXPECT_TRUE(report.certified) << "mu " << mu << " kick " << kick << " top " << top << " certificate " << report.certificate.relative << " by " << report.rung;
}

TEST(Portfolio, CertifiesPyramidsUnderViolentSliding) {
  for (const double mu : {0.0, 0.1, 0.5, 1.0})
    for (const double kick : {0.2, 1.0, 5.0}) expectCertified(mu, kick, 1.0);
}

TEST(Portfolio, CertifiesPyramidsWithAHeavyTop) {
  for (const double mu : {0.0, 0.1, 0.5, 1.0})
    for (const double top : {1e3, 1e6}) expectCertified(mu, 0.0, top);
  for (const double mu : {0.1, 0.5})
    for (const double kick : {0.2, 1.0, 5.0}) expectCertified(mu, kick, 1e3);
}

// Which method finds an answer differs from pile to pile; one that has none must not go on for long, nor leave its own end to the next as a start (26,000 factorisations and a minute).
TEST(Portfolio, CannonballsAreSolvedFromColdByWhomeverFindsAnAnswerSoon) {
  for (const auto& [layers, mu] : {std::pair{7, 0.3}, std::pair{7, 0.5}, std::pair{7, 0.8}, std::pair{8, 0.3}, std::pair{8, 0.5}, std::pair{8, 0.8}}) {
    Iterate iterate;
    const PortfolioReport report = Portfolio{}.solve(makeCannonballs(layers, mu), iterate, {});
    EXPECT_TRUE(report.certified) << layers << " layers, mu " << mu << ": " << report.certificate.relative;
    EXPECT_LE(report.factorisations, 1500) << layers << " layers, mu " << mu << ", by " << report.rung;
  }
}

TEST(Portfolio, TheInteriorPointGetsToHighPyramidsFromAfar) {
  PyramidOptions options;
  options.rows = 100;
  Portfolio portfolio{"ipm"};
  Iterate iterate;
  const PortfolioReport report = portfolio.solve(makePyramid(options), iterate, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_LE(report.factorisations, 30);
}

// The mean speed of the contacts says little about what stops a heavy body that strikes light ones.
TEST(Portfolio, TheCentralPathBeginsWhereAHeavyBodyStrikes) {
  for (const auto& [rows, mass] : {std::pair{4, 1e5}, std::pair{8, 1e3}})
    for (const double speed : {20.0, 200.0}) {
      const PyramidOptions options{.rows = rows, .massOfRow = [top = rows - 1, mass](int row) { return row == top ? mass : 1.0; }};
      ContactProblem problem = makePyramid(options);
      problem.f.segment<3>(problem.f.size() - 6) += mass * speed * Vector3{1, 0.25, -0.5};
      Iterate iterate;
      const PortfolioReport report = Portfolio{"centralpath"}.solve(problem, iterate, {});
      EXPECT_TRUE(report.certified) << rows << " rows, " << mass << " kg at " << speed << " m/s: " << report.certificate.relative;
    }
}

// Nobody names the bodies of a local problem: they are found, and their structure with them.
TEST(Portfolio, APyramidInLocalFormTakesNoMoreFactorisations) {
  PyramidOptions options;
  options.rows = 8;
  const ContactProblem problem = makePyramid(options);
  Iterate iterate;
  const PortfolioReport global = Portfolio{}.solve(problem, iterate, {}), local = Portfolio{}.solve(testing_random::condense(problem), iterate, {});
  EXPECT_TRUE(local.certified) << local.certificate.relative;
  EXPECT_LE(local.iterations, global.iterations + 3) << "nothing is swept";
  EXPECT_LE(local.factorisations, global.factorisations + 3);
}

TEST(Portfolio, RoundsOfLaggedShiftsKeepTheBestAnswer) {
  PyramidOptions sliding;
  sliding.rows = 6;
  sliding.mu = 1;
  sliding.kick = 3;
  for (const int round : {0, 100})  // steps; 0: the method's own
    for (sliding.seed = 1; sliding.seed <= 5; ++sliding.seed) {
      const ContactProblem problem = makePyramid(sliding);
      double last = std::numeric_limits<double>::infinity();
      for (const int steps : {20, 300, 600, 9000}) {
        Portfolio portfolio{"lagged"};
        Iterate iterate;
        SolveOptions options;
        options.maxIterations = steps;
        options.patience = round;
        const double now = portfolio.solve(problem, iterate, options).certificate.relative;
        EXPECT_LE(now, std::max(last, options.tolerance)) << "seed " << sliding.seed << ", " << steps << " steps in rounds of " << round;
        last = now;
      }
      EXPECT_LE(last, 1e-8) << "seed " << sliding.seed << ", rounds of " << round;
    }
}

// Without friction there is one velocity; with it, walls share their loads in many ways and slide in as many.
TEST(Portfolio, WarmStartIsNeverWorseThanCold) {
  for (const double mu : {0.0, 0.6})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Portfolio portfolio;
      const ContactProblem p = makePyramid({.rows = 6, .mu = mu, .kick = 0.3, .seed = seed});
      Iterate cold, warm;
      const PortfolioReport first = portfolio.solve(p, cold, {});
      warm.r = VectorX::Constant(cold.r.size(), 1e3);  // a useless start
      warm.lambda = cold.lambda, warm.v = cold.v;
      SolveOptions options;
      options.warm = true;
      const PortfolioReport second = portfolio.solve(p, warm, options);
      EXPECT_TRUE(first.certified) << "mu " << mu << ", seed " << seed;
      EXPECT_TRUE(second.certified) << "mu " << mu << ", seed " << seed;
      if (mu == 0) {
        EXPECT_LT((cold.v - warm.v).norm(), 1e-6) << "seed " << seed;
      }
    }
}

// Over-relaxed sweeps alone would end after thirty.
TEST(Portfolio, TwoSweepsDoWhereContactsAreApart) {
  const LocalContactProblem one = localReferenceContact();
  const int contacts = 40;
  LocalContactProblem p;
  p.start = {0};
  p.q.resize(3 * contacts);
  p.mu = VectorX::Constant(contacts, one.mu[0]);
  for (int i = 0; i < contacts; ++i) {
    p.column.push_back(i);
    p.blocks.push_back(one.blocks[0]);
    p.start.push_back(i + 1);
    p.q.segment<3>(3 * i) = one.q;
  }
  Portfolio portfolio;
  Iterate x;
  const PortfolioReport report = portfolio.solve(p, x, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  EXPECT_LE(report.iterations, 2);
  for (int i = 0; i < contacts; ++i) EXPECT_NEAR((x.r.segment<3>(3 * i) - Vector3{15, -2.7, -3.6}).norm(), 0, 1e-12) << "contact " << i;
}

// Many balls, dear to factor. A loose answer must be taken as soon as sweeps have it.
TEST(Portfolio, ALooseToleranceTakesFewSweeps) {
  const ContactProblem problem = layers(12, false);
  const auto iterations = [&](double tolerance) {
    Portfolio portfolio;
    SolveOptions options;
    options.tolerance = tolerance;
    options.warm = true;
    Iterate iterate;
    const PortfolioReport report = portfolio.solve(problem, iterate, options);
    EXPECT_TRUE(report.certified) << tolerance;
    return report.iterations;
  };
  EXPECT_LT(iterations(1e-2), 200);
  EXPECT_GT(iterations(1e-8), 200) << "a problem that says something";
}

// A body held by friction at 70 % of its limit under a load that turns by 3° a step: contacts near the rims of their discs take load from each other, none slides.
TEST(Portfolio, AWarmStartKeepsTheStatesOfContactsUnderAChangingLoad) {
  for (const int contacts : {4, 8, 16}) {
    ContactProblem problem;
    Matrix6 M = Matrix6::Identity();
    M.bottomRightCorner<3, 3>() *= 0.17;
    problem.M.addBlock(M.data(), 6);
    for (int i = 0; i < contacts; ++i) {
      const double angle = 2 * M_PI * i / contacts;
      const Vector3 point{std::cos(angle), std::sin(angle), -0.5};
      Eigen::Matrix<double, 6, 3> H;
      for (const auto& [column, axis] : {std::pair{0, 2}, {1, 0}, {2, 1}}) H.col(column) << Vector3::Unit(axis), point.cross(Vector3::Unit(axis));
      problem.H.addSegment(0, 0, 6, H.data());
      problem.H.endGroup();
    }
    problem.mu = VectorX::Constant(contacts, 0.5);
    problem.w = problem.wScale = VectorX::Zero(3 * contacts);
    Portfolio portfolio;
    Iterate iterate;
    SolveOptions options;
    constexpr int steps = 100;
    int factorisations = 0;
    for (int k = 0; k < steps; ++k) {
      problem.f = VectorX::Zero(6);
      problem.f.head<3>() << 0.035 * std::cos(0.05 * k), 0.035 * std::sin(0.05 * k), -0.1;
      options.warm = k > 0;
      const PortfolioReport report = portfolio.solve(problem, iterate, options);
      ASSERT_TRUE(report.certified) << contacts << ' ' << k;
      EXPECT_LT(iterate.v.norm(), 1e-8);  // it stays
      if (k > 0) factorisations += report.factorisations;
    }
    EXPECT_LE(factorisations, 9 * steps) << contacts;  // 15 and more where the old impulses' velocities tell the states
  }
}

TEST(Portfolio, NamesTheMethodsWhenOneIsUnknown) {
  try {
    Portfolio portfolio{"siconos"};
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find("nsgs"), std::string::npos);
    EXPECT_NE(std::string{error.what()}.find("siconos"), std::string::npos);
  }
}

TEST(Portfolio, AProblemWithoutContactsIsFreeMotion) {
  ContactProblem p;
  const Matrix3 M = 2.0 * Matrix3::Identity();
  p.M.addBlock(M.data(), 3);
  p.f = Vector3{2, 4, 6};
  p.w.resize(0), p.wScale.resize(0), p.mu.resize(0), p.b.resize(0);
  Iterate x;
  EXPECT_TRUE(Portfolio{}.solve(p, x, {}).certified);
  EXPECT_LT((x.v - VectorX{Vector3{1, 2, 3}}).norm(), 1e-14);
}

TEST(Portfolio, EcosIsRefusedByTheNameOfItsBuildOptionWhereItIsMissing) {
  for (const char* name : {"ecos", "ecos-strict"}) {
    if (hasECOS()) {
      EXPECT_NO_THROW(Portfolio{name});
      continue;
    }
    try {
      Portfolio{name};
      ADD_FAILURE() << name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string{error.what()}.find("STICTION_WITH_ECOS"), std::string::npos) << error.what();
    }
  }
}

TEST(Portfolio, AnswersTheSameUnderACertifierThatIsPrepared) {
  const ContactProblem problem = makePyramid({.rows = 5, .kick = 0.3});
  Portfolio portfolio;
  Iterate byItself, byAnother;
  const PortfolioReport own = portfolio.solve(problem, byItself, {});
  Certifier certifier;
  certifier.prepare(problem);
  const PortfolioReport given = portfolio.solve(problem, byAnother, {}, certifier);
  EXPECT_TRUE(own.certified);
  EXPECT_EQ(own.certificate.relative, given.certificate.relative);
  EXPECT_TRUE(byItself.r == byAnother.r && byItself.v == byAnother.v);
  const PortfolioReport later = portfolio.solve(referenceContact(), byItself, {});  // by its own certifier again
  EXPECT_EQ(later.certificate.relative, certify(referenceContact(), byItself).relative);
}

TEST(Portfolio, WhatNoMethodCanJudgeHasAnInfiniteCertificate) {
  ContactProblem problem = referenceContact();
  problem.H.values[4] = 1e159;  // its Delassus block overflows
  Iterate x;
  const PortfolioReport report = Portfolio{}.solve(problem, x, {});
  EXPECT_FALSE(report.certified);
  EXPECT_EQ(report.certificate.relative, std::numeric_limits<double>::infinity());
  EXPECT_EQ(report.certificate.metersPerSecond, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace stiction
