// Some contacts of a problem as those of another one, with fewer bodies.
#include "problem/ContactSubset.hpp"

#include <gtest/gtest.h>

#include "unit/solvers/PyramidProblem.hpp"

namespace stiction {
namespace {

TEST(ContactSubset, KeepsWhatTheBodiesLeftSeeOfTheirContacts) {
  ContactProblem whole = makePyramid({.rows = 3});  // boxes 0, 1, 2 below 3, 4 below 5
  whole.w = VectorX::LinSpaced(3 * whole.contacts(), 1, 2), whole.wScale = 2 * whole.w;
  whole.mu = VectorX::LinSpaced(whole.contacts(), 0.1, 0.9);
  ContactProblem part;
  const std::vector<int> blockOf{-1, -1, -1, 1, -1, 0};
  part.M.addBlock(whole.M.values.data() + whole.M.offset[5], 6);
  part.M.addBlock(whole.M.values.data() + whole.M.offset[3], 6);
  std::vector<int> kept;
  for (int i = 12; i < whole.contacts(); ++i) {  // after those of the floor
    const auto& first = whole.H.segments[static_cast<std::size_t>(whole.H.start[static_cast<std::size_t>(i)])];
    const auto& last = whole.H.segments[static_cast<std::size_t>(whole.H.start[static_cast<std::size_t>(i) + 1]) - 1];
    if (blockOf[static_cast<std::size_t>(first.block)] >= 0 || blockOf[static_cast<std::size_t>(last.block)] >= 0) kept.push_back(i);
  }
  copyContacts(whole, kept, &blockOf, part);
  ASSERT_EQ(part.contacts(), static_cast<int>(kept.size()));
  VectorX v = VectorX::Zero(whole.dof()), vPart(12), u, uPart;
  v.segment<6>(18).setLinSpaced(1, 2), v.segment<6>(30).setLinSpaced(-3, 1);
  vPart << v.segment<6>(30), v.segment<6>(18);
  multiplyTransposed(whole.H, v, u);
  multiplyTransposed(part.H, vPart, uPart);
  for (int k = 0; k < part.contacts(); ++k) {
    const int i = kept[static_cast<std::size_t>(k)];
    EXPECT_EQ(uPart.segment<3>(3 * k), u.segment<3>(3 * i));
    EXPECT_EQ(part.w.segment<3>(3 * k), whole.w.segment<3>(3 * i));
    EXPECT_EQ(part.wScale.segment<3>(3 * k), whole.wScale.segment<3>(3 * i));
    EXPECT_EQ(part.mu[k], whole.mu[i]);
  }
  EXPECT_EQ(part.R.size(), 0);
}

}  // namespace
}  // namespace stiction
