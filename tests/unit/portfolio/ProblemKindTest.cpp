// Which kind of problem is told from counts, loads and sliding speeds.
#include "portfolio/ProblemKind.hpp"

#include <gtest/gtest.h>

#include "unit/solvers/LayersProblem.hpp"
#include "unit/solvers/PyramidProblem.hpp"

namespace stiction {
namespace {

/// One impulse along the normal at each of the first `loaded` contacts, at rest.
Iterate bearing(const ContactProblem& problem, int loaded) {
  Iterate iterate;
  iterate.r.setZero(3 * problem.contacts());
  for (int i = 0; i < loaded; ++i) iterate.r[3 * i] = 1;
  iterate.v.setZero(problem.dof());
  return iterate;
}

TEST(ProblemKind, AStructureHasMoreContactsThanVelocitiesAndNotAFewOfThem) {
  const ContactProblem pyramid = makePyramid({.rows = 5});  // 15 boxes on four points each and two below
  EXPECT_TRUE(isStructure(PosedProblem{pyramid}));
  EXPECT_GT(componentsPerVelocity(pyramid), kTight);
  const ContactProblem box = makePyramid({.rows = 1});
  ASSERT_LT(box.contacts(), kFewContacts);
  EXPECT_FALSE(isStructure(PosedProblem{box}));
}

TEST(ProblemKind, OnlyLoadedContactsMakeAPileRedundant) {
  const ContactProblem pyramid = makePyramid({.rows = 5});
  const int most = pyramid.dof() / 2;  // of three components each: one and a half for each velocity
  EXPECT_FALSE(isRedundant(bearing(pyramid, most), pyramid.dof()));
  EXPECT_TRUE(isRedundant(bearing(pyramid, most + 1), pyramid.dof()));
  EXPECT_FALSE(isRedundant(Iterate{}, pyramid.dof()));
}

TEST(ProblemKind, MostContactsAreSlowerWhereAllStandStillAndNotWhereTheySlide) {
  const ContactProblem layered = layers(2, false);
  SlidingContacts sliding;
  VectorX v = VectorX::Zero(layered.dof());
  EXPECT_TRUE(sliding.mostAreSlower(layered, v, 1e-9));
  EXPECT_FALSE(sliding.mostAreSlower(layered, v, 0));
  v.setRandom();
  EXPECT_FALSE(sliding.mostAreSlower(layered, v, 1e-9));
  EXPECT_TRUE(sliding.mostAreSlower(layered, v, 10));
}

TEST(ProblemKind, AHeapInMotionHasManyContactsOfWhichFewBearLoad) {
  const ContactProblem heap = layers(6, false);
  ASSERT_GT(heap.contacts(), kManyContacts);
  SlidingContacts sliding;
  EXPECT_TRUE(sliding.isLoose(heap, bearing(heap, 10), 1));
  EXPECT_FALSE(sliding.isLoose(heap, bearing(heap, heap.contacts()), 1));  // it bears load all over
  EXPECT_FALSE(sliding.isLoose(heap, Iterate{}, 1));                       // nothing is known of it
  const ContactProblem few = layers(1, false);
  ASSERT_LE(few.contacts(), kManyContacts);
  EXPECT_FALSE(sliding.isLoose(few, bearing(few, 10), 1));
}

TEST(ProblemKind, AHeapOfWhichMostBearsLoadAndHardlySlidesIsNotInMotion) {
  const ContactProblem heap = layers(6, false);
  ContactProblem turning = heap;  // with velocities besides that no contact feels, so that two loaded contacts of three are not redundant
  const Matrix3 inertia = Matrix3::Identity();
  for (int i = 0; i < heap.contacts(); ++i) turning.M.addBlock(inertia.data(), 3);
  SlidingContacts sliding;
  Iterate iterate = bearing(turning, 2 * heap.contacts() / 3);
  ASSERT_FALSE(isRedundant(iterate, turning.dof()));
  EXPECT_FALSE(sliding.isLoose(turning, iterate, 1));
  iterate.v.setRandom();
  EXPECT_TRUE(sliding.isLoose(turning, iterate, 1));
}

}  // namespace
}  // namespace stiction
