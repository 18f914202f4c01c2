// Bodies that stand beside others that move: a pile of cannonballs, which could slump as well, and a ball that touches its top, rolls on the floor or falls along walls.
#include "portfolio/RestInPart.hpp"

#include <gtest/gtest.h>

#include "portfolio/Portfolio.hpp"
#include "unit/solvers/CannonballProblem.hpp"

namespace stiction {
namespace {

constexpr double kFall = 9.81 / 60, kRadius = 0.1, kMass = 0.5;

struct Touch {
  int below;       // ball that it touches; −1: what does not move
  Vector3 normal;  // towards the ball
};

/// A pile that stands and one more ball, faster by `velocity` than at rest, that touches others there.
struct Scene {
  ContactProblem problem;
  VectorX before;
  int mover;

  Scene(int layers, const Vector3& velocity, const std::vector<Touch>& touches) : problem{makeCannonballs(layers, 0.8)}, mover{problem.M.blocks()} {
    Matrix6 M = kMass * Matrix6::Identity();
    M.bottomRightCorner<3, 3>() *= 0.4 * kRadius * kRadius;
    problem.M.addBlock(M.data(), 6);
    for (const Touch& touch : touches) {
      if (touch.below >= 0) addContactSide(problem.H, touch.below, kRadius * touch.normal, contactFrame(touch.normal), -1);
      addContactSide(problem.H, mover, -kRadius * touch.normal, contactFrame(touch.normal), 1);
      problem.H.endGroup();
    }
    before.setZero(problem.M.size());
    before.tail<6>().head<3>() = velocity;
    const auto contacts = problem.H.columns() / 3;
    problem.f.conservativeResize(problem.M.size());
    problem.f.tail<6>() << kMass * (velocity - kFall * Vector3::UnitZ()), Vector3::Zero();
    problem.w.setZero(3 * contacts), problem.wScale = problem.w;
    problem.mu.setConstant(contacts, 0.8);
  }
};

struct Search {
  Iterate answer;
  PortfolioReport report;
  int solved{0};  // problems of what moves

  explicit Search(const Scene& scene) {
    answer.r.setZero(scene.problem.H.columns());
    answer.lambda.resize(0);
    Certifier certifier;
    certifier.prepare(scene.problem);
    Portfolio portfolio{"auto"};
    report = RestInPart{}.find(scene.problem, scene.before, answer, {}, certifier, [&](const PosedProblem& part, Iterate& iterate, const SolveOptions& how) {
      ++solved;
      EXPECT_EQ(part.global()->M.blocks(), 1);
      return portfolio.solve(*part.global(), iterate, how);
    });
  }

  double fastestOfPile() const { return answer.v.head(answer.v.size() - 6).lpNorm<Eigen::Infinity>(); }
};

TEST(RestInPart, APileStandsUnderABallThatRollsOverItsTop) {
  for (const int layers : {4, 6}) {
    const int balls = makeCannonballs(layers, 0.8).M.blocks();
    const Scene scene{layers, {0.3, 0.1, 0}, {{balls - 1, Vector3::UnitZ()}}};
    const Search search{scene};
    EXPECT_TRUE(search.report.certified) << layers << " layers";
    EXPECT_LE(Certifier{}.certify(scene.problem, search.answer).relative, 1e-8) << layers << " layers";
    EXPECT_LE(search.fastestOfPile(), 1e-8 * kFall) << layers << " layers";
    EXPECT_EQ(search.solved, 1);
    // Friction brakes it by μ g h at most, until it rolls: two sevenths slower.
    const Vector3 velocity = search.answer.v.tail<6>().head<3>(), rolling = 5.0 / 7.0 * Vector3{0.3, 0.1, 0},
                  sliding = (1 - 0.8 * kFall / std::hypot(0.3, 0.1)) * Vector3{0.3, 0.1, 0};
    EXPECT_LE((velocity - (rolling.norm() > sliding.norm() ? rolling : sliding)).norm(), 1e-8) << layers << " layers";
  }
}

// The relaxation would stop it: m g h / (2 μ) on either side.
TEST(RestInPart, ABallThatFallsBetweenWallsBesideAPileFallsOn) {
  const Scene scene{4, {0, 0, -0.5}, {{-1, Vector3::UnitX()}, {-1, -Vector3::UnitX()}}};
  const Search search{scene};
  EXPECT_TRUE(search.report.certified);
  EXPECT_LE(search.fastestOfPile(), 1e-8 * kFall);
  EXPECT_NEAR(search.answer.v.tail<6>()[2], -0.5 - kFall, 1e-6);  // walls that press on nothing but it may brake it by any impulse
}

TEST(RestInPart, WhereMostMoveNothingIsHeld) {
  Scene scene{4, {0, 0, 0}, {}};
  scene.before.setConstant(1);
  const Search search{scene};
  EXPECT_FALSE(search.report.certified);
  EXPECT_EQ(search.solved, 0);
}

TEST(RestInPart, OnlyAutoLooksAndOnlyAmongContacts) {
  Scene scene{4, {0.3, 0.1, 0}, {{29, Vector3::UnitZ()}}};
  Certifier certifier;
  certifier.prepare(scene.problem);
  const auto finds = [&](const char* solver) {
    Iterate answer;
    answer.r.setZero(scene.problem.H.columns());
    return Portfolio{solver}.findRestInPart(scene.problem, scene.before, answer, {}, certifier).certified;
  };
  EXPECT_TRUE(finds("auto"));
  EXPECT_FALSE(finds("proxac"));
  const double row[] = {1};
  scene.problem.G.addSegment(0, 0, 1, row);
  scene.problem.G.endGroup();
  scene.problem.b.setZero(1);
  certifier.prepare(scene.problem);
  EXPECT_FALSE(finds("auto"));
}

}  // namespace
}  // namespace stiction
