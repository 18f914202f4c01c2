// Whether bodies that stand can go on standing, on piles whose critical friction is known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "portfolio/Portfolio.hpp"
#include "unit/solvers/CannonballProblem.hpp"

namespace stiction {
namespace {

/// The search, after the ladder's own answer.
PortfolioReport findRest(const ContactProblem& problem, Iterate& iterate, const std::string& solver = "auto") {
  Portfolio portfolio{solver};
  portfolio.solve(problem, iterate, {});
  Certifier certifier;
  certifier.prepare(problem);
  return portfolio.findRest(problem, iterate, {}, certifier);
}

// A ball on four others on the floor: those are turned neither way where friction at both of their sides is the same, at normals of 45 degrees to each other tan(π/8) of the load (moments about
// the lower ball's centre). Higher piles, by bisection with another conic solver: below 0.523264 and 0.607194 statics has no solution; from 0.523266 and 0.662386 on it has one without friction
// between neighbours of a layer, which the weight pushes apart. Between those friction would have to make its own load.
TEST(RestSearch, CannonballsStandFromTheirCriticalFrictionOn) {
  struct Pile {
    int layers;
    double falls, stands;
  };
  const double two = std::tan(std::numbers::pi / 8);
  for (const Pile& pile : {Pile{2, two - 1e-5, two + 1e-5}, Pile{3, 0.5232, 0.5233}, Pile{5, 0.6071, 0.6625}}) {
    Iterate iterate;
    EXPECT_FALSE(findRest(makeCannonballs(pile.layers, pile.falls), iterate).certified) << pile.layers << " layers";
    const ContactProblem problem = makeCannonballs(pile.layers, pile.stands);
    const PortfolioReport report = findRest(problem, iterate);
    EXPECT_TRUE(report.certified) << pile.layers << " layers: " << report.certificate.relative;
    EXPECT_TRUE(iterate.v.isZero(0));
    EXPECT_LE(Certifier{}.certify(problem, iterate).relative, 1e-8);
  }
}

// From cold the ladder comes to motions of these.
TEST(RestSearch, PilesThatCouldSlumpStand) {
  for (const int layers : {5, 8}) {
    const ContactProblem problem = makeCannonballs(layers, 0.8);
    Iterate iterate;
    const PortfolioReport report = findRest(problem, iterate);
    EXPECT_TRUE(report.certified) << layers << " layers: " << report.certificate.relative;
    EXPECT_LE(report.certificate.relative, 1e-10) << layers << " layers";
    EXPECT_LE(report.factorisations, 100) << layers << " layers";
  }
}

/// A ball of 2 kg between two walls that it touches, under its weight.
ContactProblem makeBallBetweenWalls() {
  constexpr double radius = 0.1, mass = 2, fall = 9.81 / 60;
  ContactProblem problem;
  Matrix6 M = mass * Matrix6::Identity();
  M.bottomRightCorner<3, 3>() *= 0.4 * radius * radius;
  problem.M.addBlock(M.data(), 6);
  for (const double side : {1.0, -1.0}) {
    Matrix3 frame;
    frame << side * Vector3::UnitX(), Vector3::UnitY(), side * Vector3::UnitZ();
    addContactSide(problem.H, 0, -side * radius * Vector3::UnitX(), frame, 1);
    problem.H.endGroup();
  }
  problem.f.setZero(6);
  problem.f[2] = -mass * fall;
  problem.w.setZero(6), problem.wScale = problem.w;
  problem.mu.setConstant(2, 0.5);
  problem.scaleFloor = fall;
  return problem;
}

// Impulses of m g h / (2 μ) would hold it, and the convex relaxation has it hang by them.
TEST(RestSearch, NothingHangsBetweenWallsThatItMerelyTouches) {
  const ContactProblem problem = makeBallBetweenWalls();
  Iterate hanging;
  hanging.v.setZero(6), hanging.r.setZero(6);
  hanging.r << 2, 0, 0.5, 2, 0, -0.5;
  hanging.r *= -problem.f[2];
  EXPECT_LE(Certifier{}.certify(problem, hanging).relative, 1e-12);
  Iterate iterate;
  EXPECT_FALSE(findRest(problem, iterate).certified);
}

// Nor does a search change what a method that somebody chose has answered.
TEST(RestSearch, OnlyAutoLooks) {
  Iterate iterate;
  const PortfolioReport report = findRest(makeCannonballs(3, 0.8), iterate, "proxac");
  EXPECT_FALSE(report.certified);
  EXPECT_EQ(report.factorisations, 0);
}

}  // namespace
}  // namespace stiction
