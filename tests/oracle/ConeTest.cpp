// The two writings of the friction cone against each other and against the laws of projections; derivatives against finite differences.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "certify/Cone.hpp"
#include "oracle/RandomProblems.hpp"
#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

using testing_random::Random;

/// A point of any size, often on the rim of the cone, of its polar, or on an axis.
Vector3 somePoint(Random& random, double mu) {
  const double size = std::pow(10, random.uniform(-6, 6)), angle = random.uniform(0, 2 * M_PI), c = std::cos(angle), s = std::sin(angle);
  switch (random.integer(0, 7)) {
    case 0: return size * Vector3{1, mu * c, mu * s};
    case 1: return size * Vector3{-mu, c, s};
    case 2: return {random.uniform(-size, size), 0, 0};
    case 3: return {0, size * c, size * s};
    case 4: return Vector3::Zero();
    default: return random.vector(size);
  }
}

double someFriction(Random& random) { return random.chance(0.1) ? 0 : random.uniform(0, 2); }

TEST(ConeOracle, TwoWritingsOfTheProjectionAgree) {
  Random random{11};
  for (int k = 0; k < 1000000; ++k) {
    const double mu = someFriction(random);
    const Vector3 x = somePoint(random, mu);
    const Vector3 solvers = projectCone(x, mu), judge = certification::projectOnCone(x, mu);
    ASSERT_LE((solvers - judge).norm(), 1e-15 * x.norm()) << "sample " << k << ", mu " << mu << ", x " << x.transpose();
    ASSERT_LE((projectConeWithDerivative(x, mu).value - judge).norm(), 1e-15 * x.norm()) << "sample " << k;
  }
}

TEST(ConeOracle, TwoWritingsOfTheNaturalMapAgree) {
  Random random{12};
  for (int k = 0; k < 200000; ++k) {
    const double mu = someFriction(random), omega = std::pow(10, random.uniform(-2, 2));
    const Vector3 r = somePoint(random, mu), u = somePoint(random, mu), shifted = certification::deSaxce(u, mu);
    const double judge = omega * certification::naturalMap(r, shifted / omega, mu).norm();
    ASSERT_NEAR(naturalMap(r, u, mu, omega).norm(), judge, 1e-15 * (omega * r.norm() + shifted.norm()) * 4) << "sample " << k;
  }
}

TEST(ConeOracle, MoreauDecomposition) {
  // x = P_K(x) + P_K°(x), orthogonal, with P_K(x) in K and −P_K°(x) in K*
  Random random{13};
  for (int k = 0; k < 200000; ++k) {
    const double mu = someFriction(random);
    const Vector3 x = somePoint(random, mu), in = certification::projectOnCone(x, mu), polar = x - in;
    const double small = 1e-15 * x.norm();
    ASSERT_LE(std::hypot(in[1], in[2]) - mu * in[0], 4 * small) << "sample " << k;
    ASSERT_LE(mu * std::hypot(polar[1], polar[2]) + polar[0], 4 * small) << "sample " << k;
    ASSERT_LE(std::abs(in.dot(polar)), 4 * small * x.norm()) << "sample " << k;
  }
}

/// Central differences, away from the kinks: where the state is the same on both sides of every step.
template <typename Map>
void expectDerivative(const Map& map, std::uint64_t seed) {
  Random random{seed};
  int compared = 0;
  for (int k = 0; k < 20000; ++k) {
    const double mu = someFriction(random), step = 1e-6;
    const Vector3 x = random.vector(1);
    if (std::hypot(x[1], x[2]) < 0.05) continue;
    const ConePoint at = map(x, mu);
    Matrix3 difference;
    bool smooth = true;
    for (int j = 0; j < 3; ++j) {
      const ConePoint forward = map(x + step * Vector3::Unit(j), mu), back = map(x - step * Vector3::Unit(j), mu);
      smooth = smooth && forward.state == at.state && back.state == at.state;
      difference.col(j) = (forward.value - back.value) / (2 * step);
    }
    if (!smooth) continue;
    ++compared;
    ASSERT_LE((difference - at.derivative).norm(), 1e-8) << "sample " << k << ", mu " << mu << ", x " << x.transpose();
  }
  EXPECT_GT(compared, 15000);
}

TEST(ConeOracle, DerivativeOfTheProjection) {
  expectDerivative([](const Vector3& x, double mu) { return projectConeWithDerivative(x, mu); }, 14);
}

TEST(ConeOracle, DerivativeOfTheAlartCurnierMap) {
  expectDerivative([](const Vector3& x, double mu) { return alartCurnier(x, mu); }, 15);
}

}  // namespace
}  // namespace stiction
