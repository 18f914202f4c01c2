// The exact one-contact solve: the three states on paper, and the natural map over random matrices.
#include "solvers/OneContact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

double residual(const Matrix3& A, const Vector3& b, double mu, const Vector3& r) { return naturalMap(r, A * r + b, mu, A.trace() / 3).norm(); }

TEST(OneContact, ReferenceContactSlides) {
  const Vector3 r = solveOneContact(0.1 * Matrix3::Identity(), {-1.5, 3, 4}, 0.3, Vector3::Zero());
  EXPECT_LE((r - Vector3{15, -2.7, -3.6}).norm(), 1e-14);
}

TEST(OneContact, KnowsTheDiagonalOfSpheres) {
  Matrix3 A = Vector3{0.5, 0.25, 0.25}.asDiagonal();
  A(0, 1) = A(2, 1) = 1e-17;
  const ContactBlock spheres{A};
  EXPECT_TRUE(spheres.isDiagonal);
  EXPECT_EQ(spheres.perNormal, 2);
  EXPECT_EQ(spheres.perTangential, 4);
  A(0, 1) = 1e-9;
  EXPECT_FALSE(ContactBlock{A}.isDiagonal);
  const Matrix3 skewed = Vector3{0.5, 0.25, 0.2}.asDiagonal();
  EXPECT_FALSE(ContactBlock{skewed}.isDiagonal);
  EXPECT_FALSE(ContactBlock{Matrix3::Zero()}.isDiagonal);
}

TEST(OneContact, OpensWhenItSeparatesAndSticksInsideTheCone) {
  const Matrix3 A = Vector3{0.5, 0.2, 0.25}.asDiagonal();
  EXPECT_EQ(solveOneContact(A, {0.1, -3, 2}, 0.5, {1, 1, 1}), Vector3::Zero());
  EXPECT_EQ(solveOneContact(A, {0, -3, 2}, 0.5, {1, 1, 1}), Vector3::Zero());
  EXPECT_LE((solveOneContact(A, {-1, 0.1, 0.1}, 0.5, Vector3::Zero()) - Vector3{2, -0.5, -0.4}).norm(), 1e-15);
}

TEST(OneContact, WithoutFrictionOnlyTheNormalActs) {
  const Matrix3 A = (Matrix3{} << 2, 0.5, 0.3, 0.5, 1, 0.1, 0.3, 0.1, 1).finished();
  EXPECT_EQ(solveOneContact(A, {-1, 5, 5}, 0, Vector3::Zero()), (Vector3{0.5, 0, 0}));
  EXPECT_EQ(solveOneContact(A, {1, 5, 5}, 0, Vector3::Zero()), Vector3::Zero());
}

TEST(OneContact, SlidingDirectionWithAnisotropicMass) {
  // A_tt = diag(1, 3), normal uncoupled: u_T = b_T − μ r_n A_tt e must be parallel to e. For e = (3, 4)/5, μ r_n = 0.5, s = 2: b_T = 2 e + 0.5 (1·0.6, 3·0.8).
  const Matrix3 A = Vector3{2, 1, 3}.asDiagonal();
  const Vector3 r = solveOneContact(A, {-2, 1.2 + 0.3, 1.6 + 1.2}, 0.5, Vector3::Zero());
  EXPECT_LE((r - Vector3{1, -0.3, -0.4}).norm(), 1e-15);
}

TEST(OneContact, NormalCoupledToTheTangent) {
  // A_nt = (0.3, 0), e = (1, 0), μ = 0.5: r_n = −b_n/(1 − 0.15) = 1 for b_n = −0.85; u_T = 0.3 + b_1 − 0.5 = 1 for b_1 = 1.2.
  Matrix3 A = Matrix3::Identity();
  A(0, 1) = A(1, 0) = 0.3;
  EXPECT_LE((solveOneContact(A, {-0.85, 1.2, 0}, 0.5, Vector3::Zero()) - Vector3{1, -0.5, 0}).norm(), 1e-15);
}

struct Sample {
  Matrix3 A;
  Vector3 b, guess;
  double mu;
};

/// A = B Bᵀ + floor·1, one in three with an unsymmetric part smaller than the floor.
Sample sample(std::mt19937_64& engine, double floor) {
  const auto uniform = [&engine](double low, double high) { return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53; };
  Matrix3 B;
  for (int k = 0; k < 9; ++k) B(k) = uniform(-1, 1);
  Sample s{B * B.transpose() + floor * Matrix3::Identity(), {uniform(-1, 0.3), uniform(-1, 1), uniform(-1, 1)}, Vector3::Zero(), uniform(0, 2)};
  if (uniform(0, 3) < 1) {
    const double skew = 0.1 * floor * uniform(-1, 1);
    s.A(0, 1) += skew;
    s.A(1, 0) -= skew;
  }
  if (uniform(0, 1) < 0.5) s.guess = {1, uniform(-1, 1), uniform(-1, 1)};
  return s;
}

TEST(OneContact, ExactForRandomPositiveDefiniteMatrices) {
  std::mt19937_64 engine{7};
  for (int k = 0; k < 100000; ++k) {
    const Sample s = sample(engine, 0.5);
    const Vector3 r = solveOneContact(s.A, s.b, s.mu, s.guess);
    ASSERT_LE(residual(s.A, s.b, s.mu, r), 1e-14 * (s.b.norm() + s.A.trace() * r.norm())) << "sample " << k;
  }
}

TEST(OneContact, NeverFailsNearSingularity) {
  std::mt19937_64 engine{8};
  for (int k = 0; k < 100000; ++k) {
    const Sample s = sample(engine, std::pow(10, -6 * static_cast<double>(k) / 100000));
    const Vector3 r = solveOneContact(s.A, s.b, s.mu, s.guess);
    ASSERT_LE(residual(s.A, s.b, s.mu, r), 1e-12 * (s.b.norm() + s.A.trace() * r.norm())) << "sample " << k;
  }
}

TEST(OneContact, OneSolutionWhateverTheGuess) {
  // weak normal coupling (μ‖A_nt‖ < A_nn): the answer is unique
  std::mt19937_64 engine{9};
  for (int k = 0; k < 20000; ++k) {
    Sample s = sample(engine, 1);
    s.mu *= 0.2;
    const Vector3 r = solveOneContact(s.A, s.b, s.mu, Vector3::Zero());
    ASSERT_LE((solveOneContact(s.A, s.b, s.mu, {1, -s.b[2], s.b[1]}) - r).norm(), 1e-12) << "sample " << k;
    ASSERT_LE((solveOneContact(s.A, s.b, s.mu, {1, s.b[1], s.b[2]}) - r).norm(), 1e-12) << "sample " << k;
  }
}

TEST(OneContact, SingularMatricesThatHaveAnAnswer) {
  const Matrix3 normalOnly = Vector3{2, 0, 0}.asDiagonal();
  for (const Vector3& b : {Vector3{-1, 0, 0}, Vector3{-1, 0.3, -0.4}, Vector3{1, 1, 1}}) {
    const Vector3 r = solveOneContact(normalOnly, b, 0.5, Vector3::Zero());
    EXPECT_LE(residual(normalOnly, b, 0.5, r), 1e-12);
  }
  const Vector3 along = Vector3{1, 1, 0}.normalized();
  const Matrix3 rankOne = along * along.transpose();
  const Vector3 r = solveOneContact(rankOne, -along, 2, Vector3::Zero());
  EXPECT_LE(residual(rankOne, -along, 2, r), 1e-12);
  EXPECT_EQ(solveOneContact(Matrix3::Zero(), {-1, 0, 0}, 0.5, Vector3::Zero()), Vector3::Zero());
}

}  // namespace
}  // namespace stiction
