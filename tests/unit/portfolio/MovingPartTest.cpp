#include "portfolio/MovingPart.hpp"

#include <gtest/gtest.h>

namespace stiction {
namespace {

void addMass(ContactProblem& p, double mass) {
  const Matrix3 M = mass * Matrix3::Identity();
  p.M.addBlock(M.data(), 3);
}

void addContact(ContactProblem& p, int body, int below) {
  const Matrix3 up = Matrix3::Identity(), down = -up;
  p.H.addSegment(body, 3 * body, 3, up.data());
  if (below >= 0) p.H.addSegment(below, 3 * below, 3, down.data());
  p.H.endGroup();
}

/// Three masses 2, 3, 4 kg, the third on the second; the first and the second on the ground, a row from the first to the third. Velocities are (n, t1, t2).
ContactProblem threeMasses() {
  ContactProblem p;
  for (const double mass : {2.0, 3.0, 4.0}) addMass(p, mass);
  addContact(p, 0, -1);
  addContact(p, 1, -1);
  addContact(p, 2, 1);
  const double across[3] = {0, 0, 1};
  p.G.addSegment(0, 0, 3, across);
  p.G.addSegment(2, 6, 3, across);
  p.G.endGroup();
  p.f = VectorX::LinSpaced(9, 1, 9);
  p.w = VectorX::LinSpaced(9, 11, 19);
  p.wScale = VectorX::LinSpaced(9, 21, 29);
  p.mu = Vector3{0.1, 0.2, 0.3};
  p.b = VectorX::Constant(1, 7);
  p.C = VectorX::Constant(1, 8);
  p.R = VectorX::LinSpaced(9, 31, 39);
  p.scaleFloor = 0.5;
  return p;
}

TEST(MovingPart, KeepsWhatTouchesAMovingBodyAndHoldsTheRest) {
  const ContactProblem whole = threeMasses();
  VectorX v = VectorX::Zero(9);
  v[7] = -2;
  MovingPart moving;
  ASSERT_EQ(moving.extract(whole, v, 1), 1);
  const ContactProblem& part = moving.problem();
  validate(part);
  ASSERT_EQ(part.contacts(), 1);
  ASSERT_EQ(part.rows(), 1);
  EXPECT_EQ(part.M.values[0], 4.0);
  EXPECT_EQ(part.f, VectorX(whole.f.tail(3)));
  EXPECT_EQ(part.w, VectorX(whole.w.tail(3)));
  EXPECT_EQ(part.wScale, VectorX(whole.wScale.tail(3)));
  EXPECT_EQ(part.R, VectorX(whole.R.tail(3)));
  EXPECT_EQ(part.mu[0], 0.3);
  EXPECT_EQ(part.b[0], 7);
  EXPECT_EQ(part.C[0], 8);
  EXPECT_EQ(part.scaleFloor, 0.5);
  VectorX u, row;
  multiplyTransposed(part.H, Vector3{1, 2, 3}, u);
  EXPECT_EQ(u, VectorX(Vector3{1, 2, 3}));
  multiplyTransposed(part.G, Vector3{1, 2, 3}, row);
  EXPECT_EQ(row[0], 3);
}

TEST(MovingPart, ABodyCoupledWithAMovingOneMoves) {
  ContactProblem whole = threeMasses();
  const Matrix3 coupling = 0.1 * Matrix3::Identity();
  whole.M.addCoupling(1, 0, coupling.data());
  whole.M.addCoupling(2, 1, coupling.data());
  VectorX v = VectorX::Zero(9);
  v[0] = 2;
  MovingPart moving;
  EXPECT_EQ(moving.extract(whole, v, 1), 3);
  validate(moving.problem());
  EXPECT_EQ(moving.problem().M.couplings.size(), 2U);
  EXPECT_EQ(moving.problem().contacts(), 3);
}

TEST(MovingPart, NothingMovesWhereNothingIsFast) {
  MovingPart moving;
  EXPECT_EQ(moving.extract(threeMasses(), VectorX::Zero(9), 0), 0);
  EXPECT_EQ(moving.problem().contacts(), 0);
  EXPECT_EQ(moving.problem().dof(), 0);
}

TEST(MovingPart, SpreadsItsAnswerOverTheWhole) {
  const ContactProblem whole = threeMasses();
  VectorX v = VectorX::Zero(9);
  v[1] = v[7] = 2;
  MovingPart moving;
  ASSERT_EQ(moving.extract(whole, v, 1), 2);
  Iterate answer;
  answer.v = VectorX::LinSpaced(6, 1, 6);
  moving.spread(answer, v);
  EXPECT_EQ(v, (VectorX(9) << 1, 2, 3, 0, 0, 0, 4, 5, 6).finished());
}

}  // namespace
}  // namespace stiction
