// One contact inside its cones: derivatives by differences, elimination against the system it solves, digits kept late on the path.
#include "solvers/InteriorContact.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

namespace stiction {
namespace {

/// On the central path at κ: sliding at `speed` along (0.6, 0.8) with normal impulse r_n.
InteriorContact onPath(double mu, double rn, double speed, double kappa) {
  InteriorContact c;
  const double radius = mu * rn;
  c.psi = 0.5 * (kappa / radius + std::sqrt(kappa * kappa / (radius * radius) + 4 * speed * speed));
  c.z << kappa / rn, 0.6 * speed, 0.8 * speed;
  c.r << rn, -radius / c.psi * c.z.tail<2>();
  return c;
}

Eigen::Matrix4d derivativeOf(const InteriorContact& c, double mu) {
  Eigen::Matrix4d A;
  for (int k = 0; k < 4; ++k) A.col(k) = c.differential(mu, Vector4::Unit(k), Vector3::Zero());
  return A;
}

TEST(InteriorContact, ProductsOnThePathAreKappa) {
  for (const double speed : {0.0, 1e-6, 0.3})
    for (const double kappa : {1e-2, 1e-8}) {
      const Vector4 p = onPath(0.7, 2.0, speed, kappa).products(0.7);
      EXPECT_NEAR(p[0], kappa, 1e-12 * kappa);
      EXPECT_NEAR(p[1], kappa, 1e-15);
      EXPECT_NEAR(p.tail<2>().norm(), 0, 1e-15);
    }
}

TEST(InteriorContact, DifferentialIsThatOfTheProducts) {
  const double e = 1e-7;
  for (const double mu : {0.0, 0.4}) {
    InteriorContact c = onPath(0.5, 1.5, 0.2, 1e-2);
    if (mu == 0) c.z.tail<2>().setZero();
    const Vector4 d{0.3, -0.2, 0.5, 0.7};
    const Vector3 dz = mu == 0 ? Vector3{-0.4, 0, 0} : Vector3{-0.4, 0.1, 0.6};
    InteriorContact moved = c;
    moved.move(e * d, e * dz);
    const Vector4 change = moved.products(mu) - c.products(mu);
    EXPECT_LT((change - e * c.differential(mu, d, dz) - e * e * InteriorContact::curvature(mu, d, dz)).norm(), 1e-15);
    EXPECT_LT((change / e - c.differential(mu, d, dz)).norm(), 1e-6);
  }
}

TEST(InteriorContact, ProductsOfASeriesAreThoseOfItsTerms) {
  constexpr double a = 0.3;
  for (const double mu : {0.0, 0.4}) {
    InteriorContact c = onPath(0.5, 1.5, 0.2, 1e-2);
    if (mu == 0) c.z.tail<2>().setZero();
    const Vector4 d{0.3, -0.2, 0.5, 0.7}, e{-0.6, 0.9, 0.1, -0.8};
    const Vector3 dz = mu == 0 ? Vector3{-0.4, 0, 0} : Vector3{-0.4, 0.1, 0.6}, ez = mu == 0 ? Vector3{0.2, 0, 0} : Vector3{0.2, -0.7, 0.3};
    InteriorContact moved = c;
    moved.move(a * d, a * dz);
    moved.move(a * a * e, a * a * ez);
    Vector4 terms = c.products(mu) + a * c.differential(mu, d, dz);
    terms += a * a * (c.differential(mu, e, ez) + InteriorContact::curvature(mu, d, dz));
    terms += a * a * a * InteriorContact::curvature(mu, d, dz, e, ez) + a * a * a * a * InteriorContact::curvature(mu, e, ez);
    EXPECT_LT((moved.products(mu) - terms).norm(), 1e-15);
  }
}

TEST(InteriorContact, EliminationSolvesForTheChange) {
  for (const double speed : {0.0, 1e-3, 0.5}) {
    const InteriorContact c = onPath(0.6, 1.2, speed, 1e-3);
    const Vector4 f{0.2, -0.7, 0.4, 0.1};
    const Vector4 d = c.eliminate(0.6, f);
    EXPECT_LT((derivativeOf(c, 0.6) * d - f).norm(), 1e-12);
    EXPECT_NEAR(c.dualChange(0.6, f[1], d.head<3>(), Vector3::Zero()), d[3], 1e-10 * (1 + d.norm()));
  }
  EXPECT_EQ(onPath(0.6, 1.2, 0, 1e-3).eliminate(0, {2e-3, 1, 1, 1}).tail<3>().norm(), 0);
}

// A sliding contact at κ = 1e-12: across the slip friction turns with stiffness μ r_n / ‖u_T‖, along it with none, beside a normal stiffness of r_n² / κ.
TEST(InteriorContact, FrictionsStiffnessKeepsItsDigitsBesideTheNormalOne) {
  const double mu = 0.5, rn = 2, speed = 0.1;
  const InteriorContact c = onPath(mu, rn, speed, 1e-12);
  const Matrix3 B = c.stiffness(mu);
  const Vector3 across{0, -0.8, 0.6}, along{0, 0.6, 0.8};
  EXPECT_NEAR(across.dot(B * across), mu * rn / speed, 1e-6 * mu * rn / speed);
  EXPECT_NEAR(along.dot(B * along), 0, 1e-6);
  EXPECT_NEAR(B(0, 0), rn * rn / 1e-12, 1e-3 * rn * rn / 1e-12);
  EXPECT_NEAR(along.dot(B * Vector3::Unit(0)), -mu * B(0, 0), 1e-6 * B(0, 0));
}

}  // namespace
}  // namespace stiction
