// A point mass kept at a distance by one bilateral row: the velocity solve with gravity, then positions brought back by the same row.
#include "Scenes.hpp"
#include "portfolio/Portfolio.hpp"

namespace stiction::laws {
namespace {

constexpr double kMass = 1.5, kDistance = 0.8;

/// M v − f = G λ, Gᵀv + b = 0 with G = x/|x|.
Vector3 solveRow(Portfolio& portfolio, const Vector3& x, const Vector3& f, double b) {
  ContactProblem problem;
  const Matrix3 M = kMass * Matrix3::Identity();
  const Vector3 direction = x.normalized();
  problem.M.addBlock(M.data(), 3);
  problem.f = f;
  problem.G.addSegment(0, 0, 3, direction.data());
  problem.G.endGroup();
  problem.b = VectorX::Constant(1, b);
  Iterate answer;
  const PortfolioReport report = portfolio.solve(problem, answer, {});
  EXPECT_TRUE(report.certified) << report.certificate.relative;
  return answer.v;
}

TEST(Pendulum, StaysAtItsDistance) {
  for (const double h : {1e-3, 5e-3, 0.02}) {
    Portfolio portfolio;
    Vector3 x{kDistance * std::sin(1.0), 0, -kDistance * std::cos(1.0)}, v{0, 0.4, 0};
    const auto excess = [&] { return x.norm() - kDistance; };
    for (int k = 0; k < static_cast<int>(std::lround(10 / h)); ++k) {
      const Vector3 before = v;
      v = solveRow(portfolio, x, kMass * (before - Vector3{0, 0, h * kG}), 0);
      const double along = x.normalized().dot(before - Vector3{0, 0, h * kG});
      ASSERT_LE((v - (before - Vector3{0, 0, h * kG} - along * x.normalized())).norm(), 1e-10);  // the discrete law
      x += h * v;
      for (int pass = 0; pass < 3; ++pass) x += solveRow(portfolio, x, Vector3::Zero(), excess());  // Newton on |x| = d
      ASSERT_LT(std::abs(excess()), 1e-9) << "h = " << h << ", step " << k;
    }
  }
}

}  // namespace
}  // namespace stiction::laws
