// From the Delassus operator back to velocities: as many as the contacts can tell apart, whatever the masses, and the same operator.
#include "solvers/LocalFactor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracle/RandomProblems.hpp"

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

}  // namespace
}  // namespace stiction
