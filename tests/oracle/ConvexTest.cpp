// The convex relaxation: its own optimality conditions, its lift-off, and Coulomb's answer where the two laws are the same.
#include <gtest/gtest.h>

#include <cmath>

#include "certify/Certificate.hpp"
#include "certify/Cone.hpp"
#include "oracle/PointMass.hpp"
#include "oracle/RandomProblems.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/Solver.hpp"
#include "solvers/SymmetricCone.hpp"

namespace stiction {
namespace {

using testing_random::RandomOptions;
using testing_random::randomProblem;

/// Worst violation of K_μ ∋ r ⊥ u ∈ K_μ*, each contact in units of its own size.
double convexViolation(const ContactProblem& problem, const Iterate& iterate, double scale) {
  const VectorX u = contactVelocity(problem, iterate), omega = [&] {
    Certifier certifier;
    certifier.prepare(problem);
    return VectorX{certifier.omega()};
  }();
  double worst = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const double mu = problem.mu[i];
    const Vector3 r = iterate.r.segment<3>(3 * i), ui = u.segment<3>(3 * i);
    const double primal = std::max(0.0, r.tail<2>().norm() - mu * r[0]) * omega[i];
    const double dual = std::max(0.0, mu * ui.tail<2>().norm() - ui[0]);
    const double gap = std::abs(r.dot(ui)) / (r.norm() + ui.norm() / omega[i] + 1e-300);
    worst = std::max({worst, primal, dual, std::min(gap, ui.norm())});
  }
  return worst / scale;
}

/// The reference contact: 10 kg point mass, W = 0.1, v = (3, 4, −1), e = 0.5, μ = 0.3.
ContactProblem referenceContact() { return pointMass(10, {3, 4, -1}, 0.3, -0.5); }

TEST(Convex, TheReferenceContactLiftsOff) {
  const ContactProblem problem = referenceContact();
  Iterate iterate;
  const SolveReport report = makeSolver("convex")->solve(problem, iterate, {});
  EXPECT_EQ(report.status, SolveStatus::Converged);
  // Slides along the cone: r = r_n (1, −μ e), u ⊥ r on the dual cone, e = (0.6, 0.8): r_n = 10 (1.5 + 0.3 · 5) / (1 + 0.09).
  const double normal = 10 * (1.5 + 0.3 * 5) / 1.09;  // 27.52
  EXPECT_LT((iterate.r - Vector3{normal, -0.3 * normal * 0.6, -0.3 * normal * 0.8}).norm(), 1e-9);
  const VectorX u = contactVelocity(problem, iterate);
  EXPECT_NEAR(u[0], 0.3 * u.tail<2>().norm(), 1e-10);
  EXPECT_FALSE(certify(problem, iterate).passes(1e-2));  // not Coulomb's: that is 15
}

TEST(Convex, EveryRandomProblemToItsOwnOptimum) {
  int converged = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    const ContactProblem problem = randomProblem(seed, {});
    Certifier certifier;
    certifier.prepare(problem);
    Iterate iterate;
    const SolveReport report = makeSolver("convex")->solve(problem, iterate, {});
    if (report.status != SolveStatus::Converged) continue;
    ++converged;
    ASSERT_LE(convexViolation(problem, iterate, certifier.scale()), 1e-7);
  }
  EXPECT_GE(converged, 985);  // where surfaces that cannot give way move past each other the relaxation has no answer: u_n = 0 < μ‖u_T‖
}

TEST(Convex, IsCoulombWithoutFriction) {
  SolveOptions options;
  options.tolerance = 1e-10;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    ContactProblem problem = randomProblem(seed, {.massDecades = 1});
    problem.mu.setZero();
    Iterate coulomb, convex;
    if (!Portfolio{}.solve(problem, coulomb, options).certified) continue;
    if (makeSolver("convex")->solve(problem, convex, options).status != SolveStatus::Converged) continue;
    ++compared;
    const VectorX u = contactVelocity(problem, coulomb);
    EXPECT_LE((contactVelocity(problem, convex) - u).cwiseAbs().maxCoeff(), 1e-8 * (1 + u.cwiseAbs().maxCoeff()));
  }
  EXPECT_GE(compared, 490);
}

TEST(Convex, IsCoulombWhereNothingSlides) {
  // Impulses inside their cones that stop all bodies: v = 0 is an answer of both laws, and the relaxation's only one.
  testing_random::Random random{7};
  SolveOptions options;
  options.tolerance = 1e-10;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    ContactProblem problem = randomProblem(seed, {.massDecades = 1, .rows = false, .compliance = false});
    problem.w.setZero();
    problem.wScale.setZero();
    VectorX r = VectorX::Zero(3 * problem.contacts());
    for (int i = 0; i < problem.contacts(); ++i) {
      const double normal = random.uniform(0, 1), angle = random.uniform(0, 6.28), radius = 0.9 * problem.mu[i] * normal;
      r.segment<3>(3 * i) << normal, radius * std::cos(angle), radius * std::sin(angle);
    }
    problem.f.setZero();
    const VectorX back = -r;
    multiplyAdd(problem.H, back, problem.f);
    Certifier certifier;
    certifier.prepare(problem);
    Iterate iterate;
    makeSolver("convex")->solve(problem, iterate, options);
    EXPECT_LE(contactVelocity(problem, iterate).cwiseAbs().maxCoeff(), 1e-8 * certifier.scale());
    EXPECT_TRUE(certify(problem, iterate).passes(1e-8));
  }
}

TEST(SymmetricCone, TheScalingCarriesOneSideToTheOther) {
  testing_random::Random random{5};
  for (int k = 0; k < 1000; ++k) {
    Vector3 x = random.vector(1), y = random.vector(1);
    const double inside = std::pow(10, random.uniform(-6, 1));
    x[0] = x.tail<2>().norm() + inside;
    y[0] = y.tail<2>().norm() + std::pow(10, random.uniform(-6, 1));
    const Matrix3 W = nesterovTodd(x, y);
    const Vector3 l = W * y;
    EXPECT_LE((W * l - x).norm(), 1e-8 * x.norm());
    EXPECT_LE((W - W.transpose()).norm(), 1e-15 * W.norm());
    const Vector3 b = random.vector(1);
    EXPECT_LE((jordanProduct(l, jordanSolve(l, b)) - b).norm(), 1e-8 * b.norm());
    const Vector3 d = random.vector(2);
    const double t = stepInLorentz(x, d);
    if (std::isfinite(t)) {
      EXPECT_NEAR(lorentzDet(x + t * d), 0.0, 1e-9 * (1 + t * t));
      EXPECT_GE(lorentzDet(x + 0.999 * t * d), -1e-12);
    } else {
      EXPECT_GE(d[0], d.tail<2>().norm() - 1e-12);
    }
  }
}

}  // namespace
}  // namespace stiction
