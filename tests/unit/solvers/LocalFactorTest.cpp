// From the Delassus operator back to velocities: as many as the contacts can tell apart, whatever the masses, and the same operator.
#include "solvers/LocalFactor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "oracle/RandomProblems.hpp"
#include "unit/solvers/PyramidProblem.hpp"

namespace stiction {
namespace {

int rankOf(const MatrixX& H) {
  Eigen::FullPivLU<MatrixX> factor{H};
  factor.setThreshold(1e-9);
  return static_cast<int>(factor.rank());
}

// Masses up to 1e6 apart and more contacts than velocities: a pivot that is rounding may be taken for none of theirs, and none of theirs for rounding.
TEST(LocalFactor, FindsTheVelocitiesOfTheBodies) {
  int redundant = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ContactProblem problem = testing_random::randomProblem(seed, {.rows = false, .compliance = false});
    const LocalContactProblem local = testing_random::condense(problem);
    const int rank = rankOf(testing_random::denseColumns(problem.H, problem.dof()));
    LocalFactor factor;
    factor.build(local, false);
    EXPECT_EQ(factor.global().dof(), rank) << "seed " << seed << ", " << problem.contacts() << " contacts";
    redundant += rank < 3 * problem.contacts() ? 1 : 0;

    const VectorX r = VectorX::LinSpaced(3 * problem.contacts(), -1, 1);
    VectorX v = VectorX::Zero(factor.global().dof()), u, Wr;
    multiplyAdd(factor.global().H, r, v);
    multiplyTransposed(factor.velocityColumns() != nullptr ? *factor.velocityColumns() : factor.global().H, v, u);
    multiply(local, r, Wr);
    EXPECT_LT((u - Wr).norm(), 1e-8 * Wr.norm()) << "seed " << seed;
  }
  EXPECT_GT(redundant, 30);
}

// Boxes on boxes, four contacts a pair: each contact has entries for its two bodies and no others.
TEST(LocalFactor, FindsTheBodiesOfAPyramid) {
  PyramidOptions options;
  options.rows = 6;
  const ContactProblem problem = makePyramid(options);
  const LocalContactProblem local = testing_random::condense(problem);
  LocalFactor factor;
  factor.build(local, false);
  EXPECT_EQ(factor.global().dof(), problem.dof());
  EXPECT_EQ(factor.velocityColumns(), nullptr);
  EXPECT_LE(factor.global().H.segments.size(), 2 * problem.H.segments.size());
  EXPECT_EQ(mostVelocities(local), 6 * problem.contacts() / 4);
}

// The free motion is what q is made of, as far as bodies can move so: kinetic energy and contact velocities of the bodies themselves.
TEST(LocalFactor, TheFreeMotionIsThatOfTheBodies) {
  PyramidOptions options;
  options.rows = 5;
  options.kick = 1;
  ContactProblem problem = makePyramid(options);
  problem.w.setZero();
  const LocalContactProblem local = testing_random::condense(problem);
  LocalFactor factor;
  factor.build(local, false);
  const VectorX free = testing_random::denseMass(problem.M).llt().solve(problem.f);
  EXPECT_NEAR(factor.global().f.squaredNorm(), problem.f.dot(free), 1e-9 * problem.f.dot(free));
  EXPECT_LT(factor.global().w.norm(), 1e-10 * local.q.norm());
  EXPECT_LT(factor.correct(local, VectorX::Zero(3 * local.contacts())), 1e-10 * local.q.norm());

  LocalContactProblem moved = local;
  moved.q += VectorX::LinSpaced(moved.q.size(), -1, 1);  // no motion of theirs alone
  factor.build(moved, false);
  VectorX u;
  multiplyTransposed(factor.global().H, factor.global().f, u);
  EXPECT_LT((u + factor.global().w - moved.q).norm(), 1e-12 * moved.q.norm());
}

// Every contact of an elastic body feels all others, as those of one rigid body do, but moves as it likes.
TEST(LocalFactor, ContactsOfAnElasticBodyAreNoPairs) {
  const int contacts = 20;
  LocalContactProblem elastic, rigid;
  elastic.mu = rigid.mu = VectorX::Constant(contacts, 0.5);
  for (int i = 0; i < contacts; ++i) {
    for (int j = 0; j < contacts; ++j) {
      const Matrix3 one = Matrix3::Identity(), own = std::exp(-std::abs(i - j)) * one;
      elastic.column.push_back(j), rigid.column.push_back(j);
      elastic.blocks.push_back(own), rigid.blocks.push_back(one);
    }
    elastic.start.push_back(static_cast<int>(elastic.column.size()));
    rigid.start.push_back(static_cast<int>(rigid.column.size()));
  }
  EXPECT_EQ(mostVelocities(elastic), 3 * contacts);
  EXPECT_EQ(mostVelocities(rigid), 6);
}

}  // namespace
}  // namespace stiction
