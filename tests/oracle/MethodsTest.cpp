// Every method, whatever its law, where its law and strict Coulomb are one: without friction, where friction holds everything, and in the plane.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <string>

#include "certify/Certificate.hpp"
#include "oracle/PointMass.hpp"
#include "oracle/RandomProblems.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction {
namespace {

using testing_random::Random;
using testing_random::wellConditionedProblem;

constexpr int kProblems = 1000;

/// Of 1000 problems, how many a method certifies from cold at 1e-10, measured; every one of them has to agree with `auto`. All of them where nothing is said.
/// newton promises nothing from afar; fb may cycle.
using Counts = std::map<std::string, int>;
constexpr int kRounding = 10;  // of a count that is not all: other processors round otherwise

/// Frictionless: v minimises ½‖v − v_free‖²_M over what the contacts allow, and is unique.
ContactProblem frictionless(std::uint64_t seed) {
  ContactProblem problem = wellConditionedProblem(seed);
  problem.mu.setZero();
  return problem;
}

/// Loads that impulses well inside the cones and boxes balance: v = 0.
ContactProblem held(std::uint64_t seed) {
  Random random{seed};
  ContactProblem problem = wellConditionedProblem(seed);
  problem.mu *= 0.25;
  problem.w.setZero();
  problem.wScale.setZero();
  VectorX r(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    const double normal = random.uniform(0.5, 1), bound = 0.9 * problem.mu[i] * normal / std::numbers::sqrt2;
    r.segment<3>(3 * i) << normal, random.uniform(-bound, bound), random.uniform(-bound, bound);
  }
  problem.f.setZero();
  const VectorX back = -r;
  multiplyAdd(problem.H, back, problem.f);
  return problem;
}

/// Point masses in the plane x, z, on ground and on one another, t2 along y where nothing moves; friction μ.
ContactProblem planar(std::uint64_t seed, double friction) {
  Random random{seed};
  ContactProblem problem;
  const int masses = random.integer(1, 6);
  VectorX free = VectorX::Zero(3 * masses);
  for (int k = 0; k < masses; ++k) {
    const Matrix3 M = random.uniform(0.5, 2) * Matrix3::Identity();
    problem.M.addBlock(M.data(), 3);
    free.segment<3>(3 * k) = Vector3{random.uniform(-2, 2), 0, random.uniform(-2, 0)};
  }
  problem.f.resize(3 * masses);
  for (int k = 0; k < masses; ++k) problem.f.segment<3>(3 * k) = problem.M.values[static_cast<std::size_t>(9 * k)] * free.segment<3>(3 * k);
  for (int k = 0; k < masses; ++k) {
    const double tilt = random.uniform(-0.5, 0.5);
    Matrix3 frame;  // n, t1, t2
    frame << std::sin(tilt), std::cos(tilt), 0, 0, 0, 1, std::cos(tilt), -std::sin(tilt), 0;
    problem.H.addSegment(k, 3 * k, 3, frame.data());
    if (k > 0 && random.chance(0.5)) {
      const Matrix3 below = -frame;
      problem.H.addSegment(k - 1, 3 * (k - 1), 3, below.data());
    }
    problem.H.endGroup();
  }
  problem.w.setZero(3 * masses);
  problem.wScale.setZero(3 * masses);
  problem.mu = VectorX::Constant(masses, friction);
  return problem;
}

/// Contact velocities: self-stress that no contact sees leaves the bodies' own less well determined.
VectorX velocities(const ContactProblem& problem, const std::string& solver, SolveStatus& status) {
  SolveOptions options;
  options.tolerance = 1e-10;
  Iterate iterate;
  status = Portfolio{solver}.solve(problem, iterate, options).status;
  return contactVelocity(problem, iterate);
}

/// `same` gives the problem on which a method of some law must give the answer that `auto` has on `problem`; methods of the law `but` are left out.
template <class Make, class Same>
void compare(const Make& make, const Same& same, const Counts& least, const Law* but = nullptr) {
  for (const SolverInfo& info : portfolioInfos()) {
    if (but != nullptr && info.law == *but) continue;
    int agreed = 0;
    for (std::uint64_t seed = 1; seed <= kProblems; ++seed) {
      SCOPED_TRACE(std::string{info.name} + ", seed " + std::to_string(seed));
      const ContactProblem problem = make(seed);
      SolveStatus strictly, status;
      const VectorX strict = velocities(problem, "auto", strictly), v = velocities(same(problem, info.law), info.name, status);
      if (strictly != SolveStatus::Converged || status != SolveStatus::Converged) continue;
      Certifier certifier;
      certifier.prepare(problem);
      ASSERT_LE((v - strict).cwiseAbs().maxCoeff(), 1e-8 * std::max(1.0, certifier.scale()));
      ++agreed;
    }
    const auto counted = least.find(info.name);
    EXPECT_GE(agreed, counted == least.end() ? kProblems : counted->second - kRounding) << info.name;
    std::printf("%-12s certifies %d of %d, and agrees\n", info.name, agreed, kProblems);
  }
}

ContactProblem unchanged(const ContactProblem& problem, Law /*law*/) { return problem; }

TEST(Methods, AgreeWithoutFriction) { compare(frictionless, unchanged, {{"ecos", 999}, {"ecos-strict", 999}}); }

TEST(Methods, AgreeWhereFrictionHoldsEverything) {
  compare(held, unchanged, {{"nsgs", 991}, {"newton", 61}, {"ipm", 971}, {"centralpath", 999}, {"pgs", 989}, {"ecos", 999}, {"ecos-strict", 986}});
}

// In the plane a box is a Coulomb disc of μ/√2. The relaxation lifts what slides, in the plane as well.
TEST(Methods, AgreeInThePlane) {
  const auto like = [](ContactProblem problem, Law law) {
    if (law == Law::Box) problem.mu *= std::numbers::sqrt2;
    return problem;
  };
  constexpr Law convex = Law::Convex;
  compare([](std::uint64_t seed) { return planar(seed, 0.3); }, like, {{"newton", 797}, {"fb", 985}, {"box", 993}}, &convex);
}

}  // namespace
}  // namespace stiction
