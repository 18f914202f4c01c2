// Solver against solver, against enumeration of the states, local against global form, and every answer against the certificate.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>

#include "certify/Certificate.hpp"
#include "oracle/Enumeration.hpp"
#include "oracle/RandomProblems.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

using testing_random::condense;
using testing_random::randomProblem;
using testing_random::wellConditionedProblem;

/// One to three contacts, each with a body of its own to spare, so that W is positive definite.
ContactProblem tinyProblem(std::uint64_t seed) {
  return randomProblem(seed, {.minBodies = 3,
                              .maxBodies = 6,
                              .minContacts = 1,
                              .maxContacts = 3,
                              .massDecades = 0.5,
                              .maxFriction = 1,
                              .duplicates = false,
                              .rows = false,
                              .compliance = true});
}

double distanceToNearest(const std::vector<VectorX>& answers, const VectorX& r) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const VectorX& answer : answers) nearest = std::min(nearest, (answer - r).norm());
  return nearest;
}

TEST(SolverOracle, EnumerationFindsAnswersThatCertify) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const LocalContactProblem problem = condense(tinyProblem(seed));
    const std::vector<VectorX> answers = enumeration::Enumeration{problem}.answers();
    EXPECT_FALSE(answers.empty());
    for (const VectorX& r : answers) {
      Iterate iterate;
      iterate.r = r;
      EXPECT_LE(certify(problem, iterate).relative, 1e-9);
    }
  }
}

TEST(SolverOracle, EverySolverGivesAnEnumeratedAnswer) {
  std::vector<SolverInfo> infos = solverInfos();
  std::erase_if(infos, [](const SolverInfo& info) { return info.law != Law::Coulomb; });
  std::vector<std::unique_ptr<Solver>> solvers;
  for (const SolverInfo& info : infos) solvers.push_back(makeSolver(info.name));
  std::vector<int> converged(infos.size(), 0);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const LocalContactProblem problem = condense(tinyProblem(seed));
    const std::vector<VectorX> answers = enumeration::Enumeration{problem}.answers();
    for (std::size_t k = 0; k < infos.size(); ++k) {
      SCOPED_TRACE(std::string{infos[k].name} + ", seed " + std::to_string(seed));
      Iterate iterate;
      SolveOptions options;
      options.tolerance = 1e-11;
      if (solvers[k]->solve(problem, iterate, options).status != SolveStatus::Converged) continue;
      ++converged[k];
      EXPECT_LE(distanceToNearest(answers, iterate.r), 1e-7 * (1 + iterate.r.norm()));
    }
  }
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const std::string_view name = infos[k].name;
    EXPECT_GE(converged[k], name == "nsgs" ? 100 : name == "fb" ? 50 : 80) << name;
  }
}

TEST(SolverOracle, ContactVelocitiesAgreeWhereTheyAreUnique) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ContactProblem problem = wellConditionedProblem(seed);
    problem.mu *= 0.25;
    VectorX reference;
    std::string first;
    int answers = 0;
    for (const SolverInfo& info : solverInfos()) {
      SCOPED_TRACE(std::string{info.name} + " against " + first + ", seed " + std::to_string(seed));
      Iterate iterate;
      SolveOptions options;
      options.tolerance = 1e-10;
      makeSolver(info.name)->solve(problem, iterate, options);
      const Certificate certificate = certify(problem, iterate);
      if (!certificate.passes(1e-9)) continue;
      ++answers;
      VectorX u;
      multiplyTransposed(problem.H, iterate.v, u);
      if (reference.size() == 0) {
        reference = u;
        first = info.name;
      }
      EXPECT_LE((u - reference).cwiseAbs().maxCoeff(), 1e-7 * certificate.scale);
    }
    EXPECT_GE(answers, 2) << "nothing to compare for seed " << seed;
  }
}

TEST(SolverOracle, AMethodSaysConvergedOnlyWhereTheCertificatePasses) {
  std::vector<SolverInfo> infos = solverInfos();
  std::erase_if(infos, [](const SolverInfo& info) { return info.law != Law::Coulomb; });
  for (const SolverInfo& info : infos) {
    int converged = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(std::string{info.name} + ", seed " + std::to_string(seed));
      const ContactProblem problem = randomProblem(seed, {.massDecades = 2});
      Iterate iterate;
      SolveOptions options;
      options.maxIterations = 1000;
      if (makeSolver(info.name)->solve(problem, iterate, options).status != SolveStatus::Converged) continue;
      ++converged;
      EXPECT_TRUE(certify(problem, iterate).passes(1e-8));
    }
    EXPECT_GE(converged, 30) << info.name;
  }
}

TEST(SolverOracle, LocalAndGlobalFormsGiveTheSameVelocities) {
  for (const char* name : {"nsgs", "auto"}) {
    Portfolio portfolio{name};
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(std::string{name} + ", seed " + std::to_string(seed));
      ContactProblem problem = wellConditionedProblem(seed);
      problem.mu *= 0.25;
      const LocalContactProblem local = condense(problem);
      SolveOptions options;
      options.tolerance = 1e-10;
      Iterate fromGlobal, fromLocal;
      if (!portfolio.solve(problem, fromGlobal, options).certified || !portfolio.solve(local, fromLocal, options).certified) continue;
      const MatrixX W = enumeration::denseDelassus(local);
      const VectorX difference = W * (fromGlobal.r - fromLocal.r);
      EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-7 * certify(problem, fromGlobal).scale);
    }
  }
}

TEST(SolverOracle, LocalAndGlobalCertificatesAgree) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ContactProblem problem = randomProblem(seed, {.rows = false, .compliance = false});
    problem.wScale = problem.w;
    problem.scaleFloor = 0;
    testing_random::Random random{seed};
    Iterate iterate;
    iterate.r = VectorX::NullaryExpr(3 * problem.contacts(), [&random] { return random.uniform(-1, 1); });
    iterate.lambda.resize(0);
    VectorX rhs = problem.f;
    multiplyAdd(problem.H, iterate.r, rhs);
    iterate.v = testing_random::denseMass(problem.M).ldlt().solve(rhs);
    const Certificate global = certify(problem, iterate), local = certify(condense(problem), iterate);
    EXPECT_NEAR(global.natural, local.natural, 1e-9 * local.natural);
    EXPECT_NEAR(global.fclib, local.fclib, 1e-9 * local.fclib);
    EXPECT_NEAR(global.scale, local.scale, 1e-9 * local.scale);
    EXPECT_LE(global.momentum, 1e-9 * global.natural);
  }
}

TEST(SolverOracle, ThePortfolioNeverReportsMoreThanTheCertificateSays) {
  Portfolio portfolio;
  int certified = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ContactProblem problem = randomProblem(seed);
    Iterate iterate;
    const PortfolioReport report = portfolio.solve(problem, iterate, {});
    const Certificate certificate = certify(problem, iterate);
    EXPECT_EQ(report.certified, certificate.passes(1e-8));
    EXPECT_EQ(report.certificate.relative, certificate.relative);
    certified += report.certified;
  }
  EXPECT_EQ(certified, 100);
}

// The central path turns back where Newton at given κ ends. Alone and from cold, each with Newton on the strict law from answers that are near, both certify about four in five of the dense problems;
// of those that the interior point ends on the path certifies every other one.
TEST(SolverOracle, TheCentralPathGoesOnWhereTheInteriorPointEnds) {
  const auto certifies = [](const ContactProblem& problem, std::unique_ptr<VelocityMethod> method) {
    VelocitySolver solver{{"alone", Law::Coulomb, true, true, "", false, ""}, std::move(method)};
    Iterate iterate;
    solver.solve(problem, iterate, {});
    return certify(problem, iterate).passes(1e-8);
  };
  int path = 0, interior = 0, beyond = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ContactProblem problem = randomProblem(seed);
    const bool byPath = certifies(problem, makeCentralPathMethod()), byInterior = certifies(problem, makeIpmMethod());
    path += byPath, interior += byInterior, beyond += byPath && !byInterior;
  }
  EXPECT_GE(path, 155);
  EXPECT_GE(interior, 155);
  EXPECT_GE(2 * beyond, 200 - interior);
}

// Dense, redundant, heavy on light: the path alone from cold, and through auto the two of the first 10,000 that are hardest for the iterations.
TEST(SolverOracle, ThePathCertifiesWhatIterationsLeave) {
  const auto solver = makeSolver("continuation");
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ContactProblem problem = randomProblem(seed);
    Iterate iterate;
    solver->solve(problem, iterate, {});
    converged += certify(problem, iterate).passes(1e-8);
  }
  EXPECT_GE(converged, 95);
  for (const std::uint64_t seed : {136, 7029}) {
    Iterate iterate;
    Portfolio portfolio;
    EXPECT_TRUE(portfolio.solve(randomProblem(seed), iterate, {}).certified) << "seed " << seed;
    EXPECT_TRUE(certify(randomProblem(seed), iterate).passes(1e-8)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stiction
