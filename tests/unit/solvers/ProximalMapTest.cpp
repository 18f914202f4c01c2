// The proximal map against its definition: derivatives by differences, pieces kept beyond their borders.
#include "solvers/ProximalMap.hpp"

#include <gtest/gtest.h>

#include "unit/solvers/PyramidProblem.hpp"
#include "unit/solvers/TangleProblem.hpp"

namespace stiction {
namespace {

struct Setting {
  ContactProblem problem = makePyramid({.rows = 3, .mu = 0.4, .kick = 0.5, .seed = 2});
  VelocitySystem system;
  ProximalMap map;
  VectorX v;

  Setting() {
    EXPECT_TRUE(system.bind(problem));
    VectorX r = VectorX::Zero(3 * problem.contacts());
    for (int i = 0; i < problem.contacts(); ++i) r[3 * i] = 0.3 * (i % 4) * system.scale() / system.omega(i);
    map.moveTo(problem, r, VectorX::Zero(0));
    v = system.freeVelocity();
    for (Eigen::Index k = 0; k < v.size(); ++k) v[k] += 0.1 * std::sin(3.0 * static_cast<double>(k));
  }
};

TEST(ProximalMap, JacobianAndRiseAreThoseOfTheMisfit) {
  Setting s;
  const double gamma = 3, e = 1e-7;
  s.map.evaluate(s.system, s.v, gamma);
  s.map.linearise(s.system, gamma);
  s.map.findRise(s.system, gamma);
  int slipping = 0, open = 0;
  for (const ContactState piece : s.map.pieces) slipping += piece == ContactState::Slip, open += piece == ContactState::Open;
  ASSERT_GT(slipping, 0);
  ASSERT_GT(open, 0);
  const VectorX F = s.map.F, rise = s.map.rise;
  ASSERT_TRUE(s.system.factorGeneral(s.map.D, s.map.rho));
  s.map.evaluate(s.system, s.v, gamma * std::exp(e), true);
  EXPECT_LT(((s.map.F - F) / e - rise).norm(), 1e-5 * rise.norm());
  // J⁻¹ (F(v + e d) − F(v)) / e = d
  VectorX d = VectorX::LinSpaced(s.v.size(), -1, 1);
  s.map.evaluate(s.system, s.v + e * d, gamma, true);
  VectorX back = (s.map.F - F) / e;
  s.system.solve(back);
  EXPECT_LT((back - d).norm(), 1e-5 * d.norm());
}

TEST(ProximalMap, PiecesAreKeptBeyondTheirBorders) {
  Setting s;
  s.map.evaluate(s.system, s.v, 3);
  const std::vector<ContactState> pieces = s.map.pieces;
  s.map.evaluate(s.system, -5 * s.v, 3, true);
  EXPECT_EQ(s.map.pieces, pieces);
  for (int i = 0; i < s.problem.contacts(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vector3 p = s.map.p.segment<3>(3 * i), expected = pieces[k] == ContactState::Stick ? s.map.x[k] : Vector3{Vector3::Zero()};
    if (pieces[k] != ContactState::Slip) {
      EXPECT_EQ(p, expected);
    }
  }
  s.map.evaluate(s.system, -5 * s.v, 3);
  EXPECT_NE(s.map.pieces, pieces);
}

TEST(ProximalMap, RoughDirectionsNearAFactorLeadToTheSameVelocities) {
  // Ten steps of the proximal point, each inner problem solved to the end, by a new map each, which knows of no factor at hand, and by one.
  const ContactProblem problem = tangle();
  VelocitySystem system;
  ASSERT_TRUE(system.bind(problem));
  const double gamma = 1, accuracy = 1e-10 * system.impulseUnit();
  const auto solve = [&](bool keepsFactors, SolveReport& report) {
    VectorX v = system.freeVelocity(), r = VectorX::Zero(3 * problem.contacts()), rows = VectorX::Zero(problem.rows());
    ProximalMap map;
    for (int outer = 0; outer < 10; ++outer) {
      if (!keepsFactors) map = ProximalMap{};
      map.moveTo(problem, r, rows);
      do {
        if (!map.reduce(system, v, gamma, accuracy, report)) return v;
      } while (map.misfit > accuracy);
      r = map.p, rows = map.q;
    }
    return v;
  };
  SolveReport factored, near;
  const VectorX exact = solve(false, factored), rough = solve(true, near);
  EXPECT_LT((rough - exact).norm(), 1e-8 * exact.norm());
  EXPECT_LT(near.factorisations, near.iterations);
  EXPECT_LT(near.factorisations, factored.factorisations);
}

TEST(ProximalMap, TheFactorOfAnotherProblemIsNotAtHand) {
  // Whatever was solved before, the bits are those of a first solve.
  ContactProblem first = tangle(), second = tangle();
  second.f *= 1.001;  // nearly the same J, and contacts in the same pieces
  VelocitySystem system, other;
  ProximalMap map, fresh;
  const auto reduce = [](const ContactProblem& problem, VelocitySystem& on, ProximalMap& by) {
    EXPECT_TRUE(on.bind(problem));
    by.moveTo(problem, VectorX::Zero(3 * problem.contacts()), VectorX::Zero(problem.rows()));
    VectorX v = on.freeVelocity();
    SolveReport report;
    EXPECT_TRUE(by.reduce(on, v, 0.01, 1e-10 * on.impulseUnit(), report));
    EXPECT_GT(report.factorisations, 0);
    return v;
  };
  const VectorX expected = reduce(second, other, fresh);
  for (const ContactProblem* before : {&first, &second}) {
    reduce(*before, system, map);
    EXPECT_EQ(reduce(second, system, map), expected);
  }
}

}  // namespace
}  // namespace stiction
