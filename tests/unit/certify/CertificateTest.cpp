// The certificate against cases solved on paper, and its invariances.
#include "certify/Certificate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "base/ThreadPool.hpp"
#include "unit/solvers/LayersProblem.hpp"

namespace stiction {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void addPointMass(ContactProblem& problem, double mass) {
  const Matrix3 M = mass * Matrix3::Identity();
  problem.M.addBlock(M.data(), 3);
}

void addSegment(BlockColumns& A, int block, int row, const MatrixX& columns) { A.addSegment(block, row, static_cast<int>(columns.rows()), columns.data()); }

/// Contact frame with normal z: (n, t1, t2) = (z, x, y).
Matrix3 upright() { return (Matrix3{} << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished(); }

VectorX vector(std::initializer_list<double> values) {
  VectorX x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

/// One point mass, one contact; u = v (frame: normal z) + w.
ContactProblem pointOnPlane(double mass, const Vector3& free, double mu, const Vector3& w = Vector3::Zero()) {
  ContactProblem problem;
  addPointMass(problem, mass);
  addSegment(problem.H, 0, 0, upright());
  problem.H.endGroup();
  problem.f = mass * free;
  problem.w = problem.wScale = w;
  problem.mu = vector({mu});
  return problem;
}

/// The iterate whose momentum residual is round-off: v = M⁻¹(f + H r + G λ), M dense.
Iterate withMomentum(const ContactProblem& problem, const VectorX& r, const VectorX& lambda = {}) {
  MatrixX M = MatrixX::Zero(problem.dof(), problem.dof());
  for (int k = 0; k < problem.M.blocks(); ++k) {
    const int n = problem.M.size(k), first = problem.M.start[static_cast<std::size_t>(k)];
    M.block(first, first, n, n) = Eigen::Map<const MatrixX>{problem.M.values.data() + problem.M.offset[static_cast<std::size_t>(k)], n, n};
  }
  for (const auto& c : problem.M.couplings) {
    const int i = problem.M.start[static_cast<std::size_t>(c.row)], j = problem.M.start[static_cast<std::size_t>(c.column)];
    const Eigen::Map<const MatrixX> block{problem.M.values.data() + c.offset, problem.M.size(c.row), problem.M.size(c.column)};
    M.block(i, j, block.rows(), block.cols()) = block;
    M.block(j, i, block.cols(), block.rows()) = block.transpose();
  }
  Iterate iterate;
  iterate.r = r;
  iterate.lambda = lambda.size() == 0 ? VectorX::Zero(problem.rows()) : lambda;
  VectorX rhs = problem.f;
  multiplyAdd(problem.H, iterate.r, rhs);
  multiplyAdd(problem.G, iterate.lambda, rhs);
  iterate.v = M.ldlt().solve(rhs);
  return iterate;
}

/// 10 kg, W = 0.1 I, restitution 0.5, arriving with (3, 4, −1), μ = 0.3.
ContactProblem reference() { return pointOnPlane(10, {3, 4, -1}, 0.3, {-0.5, 0, 0}); }

TEST(Certifier, ThreadsFindTheSame) {
  const ContactProblem problem = layers(20, false);
  std::mt19937 random{4};
  const auto draw = [&random](Eigen::Index size) {
    VectorX x(size);
    for (double& value : x) value = std::uniform_real_distribution{-1.0, 1.0}(random);
    return x;
  };
  const Iterate iterate{draw(problem.dof()), draw(3 * problem.contacts()), draw(problem.rows())};
  const Certificate alone = certify(problem, iterate);
  EXPECT_GT(alone.natural, 0.1);
  EXPECT_GT(alone.momentum, 0.1);
  for (const int threads : {2, 4}) {
    ThreadPool team{threads};
    Certifier certifier;
    certifier.setTeam(&team);
    const Certificate together = certifier.certify(problem, iterate);
    EXPECT_EQ(together.relative, alone.relative);
    EXPECT_EQ(together.scale, alone.scale);
    EXPECT_EQ(together.natural, alone.natural);
    EXPECT_EQ(together.normal, alone.normal);
    EXPECT_EQ(together.momentum, alone.momentum);
    EXPECT_EQ(together.bilateral, alone.bilateral);
    EXPECT_EQ(together.coneViolation, alone.coneViolation);
    EXPECT_EQ(together.dualViolation, alone.dualViolation);
    EXPECT_EQ(together.complementarity, alone.complementarity);
    EXPECT_EQ(together.fclib, alone.fclib);
    EXPECT_EQ(together.worstContact, alone.worstContact);
  }
}

TEST(Certificate, ReferenceContactTellsStrictCoulombFromTheConvexRelaxation) {
  const ContactProblem problem = reference();
  const Certificate strict = certify(problem, withMomentum(problem, vector({15, -2.7, -3.6})));
  EXPECT_LE(strict.relative, 1e-15);
  EXPECT_TRUE(strict.passes(1e-8));
  EXPECT_NEAR(strict.scale, std::sqrt(1.5 * 1.5 + 25), 1e-15);

  // P_K(−q/0.1) = P_K(15, −30, −40): n = (15 + 0.3·50)/1.09, t = −0.3 n (0.6, 0.8)
  const double n = 30 / 1.09;
  const Certificate convex = certify(problem, withMomentum(problem, vector({n, -0.18 * n, -0.24 * n})));
  EXPECT_NEAR(n, 27.52, 5e-3);
  EXPECT_GT(convex.relative, 0.1);
  EXPECT_FALSE(convex.passes(1e-2));
  EXPECT_LE(convex.momentum, 1e-15);
  EXPECT_LE(convex.coneViolation, 1e-14);
}

TEST(Certificate, LocalFormGivesTheSameVerdict) {
  LocalContactProblem problem;
  problem.start = {0, 1};
  problem.column = {0};
  problem.blocks = {0.1 * Matrix3::Identity()};
  problem.q = vector({-1.5, 3, 4});
  problem.mu = vector({0.3});
  Iterate iterate;
  iterate.r = vector({15, -2.7, -3.6});
  EXPECT_LE(certify(problem, iterate).relative, 1e-15);
  iterate.r = vector({15, -2.7, -3.5});
  const Certificate local = certify(problem, iterate);
  const ContactProblem global = reference();
  const Certificate other = certify(global, withMomentum(global, iterate.r));
  EXPECT_NEAR(local.relative, other.relative, 1e-15);
  EXPECT_NEAR(local.fclib, other.fclib, 1e-15);
  EXPECT_GT(local.relative, 1e-4);
}

TEST(Certificate, InclineStickAndSlide) {
  const double h = 0.01, g = 9.81;
  for (const auto& [degrees, mu] : {std::pair{20.0, 0.6}, std::pair{45.0, 0.3}}) {
    const double angle = degrees * M_PI / 180, normal = 10 * g * std::cos(angle) * h, pull = 10 * g * std::sin(angle) * h;
    ContactProblem problem = pointOnPlane(10, {g * h * std::sin(angle), 0, -g * h * std::cos(angle)}, mu);
    problem.scaleFloor = g * h;
    const double friction = std::min(pull, mu * normal);
    const Certificate right = certify(problem, withMomentum(problem, vector({normal, -friction, 0})));
    EXPECT_LE(right.relative, 1e-14) << degrees;
    const Certificate wrong = certify(problem, withMomentum(problem, vector({normal, -0.9 * friction, 0})));
    EXPECT_GT(wrong.relative, 1e-2) << degrees;
  }
}

TEST(Certificate, OpenContactNeedsNoImpulse) {
  const ContactProblem problem = pointOnPlane(2, {0.3, -0.2, 1}, 0.5);
  const Certificate open = certify(problem, withMomentum(problem, VectorX::Zero(3)));
  EXPECT_EQ(open.natural, 0);
  EXPECT_EQ(open.dualViolation, 0);
  EXPECT_LE(open.relative, 1e-16);
}

TEST(Certificate, ZeroImpulseOnAClosingContactIsWrongByItsWholeVelocity) {
  const ContactProblem problem = pointOnPlane(2, {0, 0, -1}, 0.5);
  const Certificate closing = certify(problem, withMomentum(problem, VectorX::Zero(3)));
  EXPECT_DOUBLE_EQ(closing.natural, 1);
  EXPECT_DOUBLE_EQ(closing.relative, 1);
  EXPECT_DOUBLE_EQ(closing.dualViolation, 1);
  EXPECT_EQ(closing.worstContact, 0);
}

TEST(Certificate, RestingAtTheConeCornerPassesWithNoImpulse) {
  // grazing: u_n = 0, sliding, r = 0: û = (μ‖u_T‖, u_T) lies on the rim of K*
  const ContactProblem problem = pointOnPlane(2, {3, 4, 0}, 0.5);
  EXPECT_LE(certify(problem, withMomentum(problem, VectorX::Zero(3))).relative, 1e-16);
}

TEST(Certificate, NoFrictionIsHighEnoughToHideAnApproach) {
  // r = 0 while the point sinks and slides: û = u + μ‖u_T‖e_n lies within |u_n|/√(1 + μ²) of K*, so that the natural map alone fades as 1/μ
  for (const double mu : {0.0, 0.5, 1.0, 10.0, 1e4, 1e8, 1e12}) {
    const ContactProblem problem = pointOnPlane(2, {0.3, 0.4, -0.1}, mu);
    const Certificate sinking = certify(problem, withMomentum(problem, VectorX::Zero(3)));
    EXPECT_NEAR(sinking.natural, 0.1 / std::hypot(1, mu), 1e-15 + 1e-14 * mu) << mu;
    EXPECT_DOUBLE_EQ(sinking.normal, 0.1) << mu;
    EXPECT_GE(sinking.metersPerSecond, 0.05) << mu;
  }
}

TEST(Certificate, TheNormalPartIsSilentUpToFrictionOne) {
  // | min(ω r_n, u_n) | <= (1 + μ) e for every iterate, right or wrong: random ones must not break it
  std::mt19937_64 generator{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
  for (int k = 0; k < 10000; ++k) {
    const double mu = std::pow(10.0, 2 * uniform(generator));
    const ContactProblem problem = pointOnPlane(2, {uniform(generator), uniform(generator), uniform(generator)}, mu);
    const VectorX r = vector({uniform(generator), uniform(generator), uniform(generator)});
    const Certificate any = certify(problem, withMomentum(problem, r));
    EXPECT_LE(any.normal, (1 + mu) * any.natural * (1 + 1e-12)) << mu;
    if (mu <= 1) {
      EXPECT_EQ(any.metersPerSecond, std::max(any.natural, any.momentum)) << mu;
    }
  }
}

TEST(Certificate, FrictionlessContactRejectsAnyTangentialImpulse) {
  const ContactProblem problem = pointOnPlane(10, {3, 4, -1}, 0);
  EXPECT_LE(certify(problem, withMomentum(problem, vector({10, 0, 0}))).relative, 1e-15);
  const Certificate wrong = certify(problem, withMomentum(problem, vector({10, 1e-3, 0})));
  EXPECT_NEAR(wrong.natural, 1e-4, 1e-12);  // ω ‖(0, 1e-3, 0)‖
  EXPECT_NEAR(wrong.coneViolation, 1e-3, 1e-15);
}

TEST(Certificate, ConeViolationIsTheDistanceFromTheCone) {
  const ContactProblem problem = pointOnPlane(1, {0, 0, -1}, 1);
  EXPECT_NEAR(certify(problem, withMomentum(problem, vector({1, 3, 0}))).coneViolation, std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(certify(problem, withMomentum(problem, vector({-2, 1, 0}))).coneViolation, std::sqrt(5.0), 1e-15);
}

TEST(Certificate, DuplicatedContactsPassForAnySharing) {
  const ContactProblem single = reference();
  for (const double share : {0.0, 0.25, 0.5, 1.0}) {
    ContactProblem problem = single;
    addSegment(problem.H, 0, 0, upright());
    problem.H.endGroup();
    problem.w = problem.wScale = vector({-0.5, 0, 0, -0.5, 0, 0});
    problem.mu = vector({0.3, 0.3});
    const Vector3 whole{15, -2.7, -3.6};
    VectorX r(6);
    r << share * whole, (1 - share) * whole;
    EXPECT_LE(certify(problem, withMomentum(problem, r)).relative, 1e-15) << share;
  }
}

TEST(Certificate, MomentumResidualIsSeenInContactVelocities) {
  const ContactProblem problem = reference();
  Iterate iterate = withMomentum(problem, vector({15, -2.7, -3.6}));
  iterate.v[1] += 1e-3;
  EXPECT_NEAR(certify(problem, iterate).momentum, 1e-3, 1e-15);
  EXPECT_GE(certify(problem, iterate).metersPerSecond, 1e-3 - 1e-15);
}

TEST(Certificate, CompliantContactAndCompliantRow) {
  // contact: u_n = (f + r)/m + R r = 0;  row: (f + λ)/m + C λ = 0
  ContactProblem problem = pointOnPlane(2, {0, 0, -1}, 0.5);
  problem.R = vector({0.25, 0.25, 0.25});
  EXPECT_LE(certify(problem, withMomentum(problem, vector({1 / 0.75, 0, 0}))).relative, 1e-15);
  EXPECT_GT(certify(problem, withMomentum(problem, vector({2, 0, 0}))).relative, 0.1);

  ContactProblem row;
  addPointMass(row, 2);
  addSegment(row.G, 0, 0, (MatrixX{3, 1} << 0, 0, 1).finished());
  row.G.endGroup();
  row.f = vector({0, 0, -2});
  row.b = vector({0});
  row.C = vector({0.25});
  row.scaleFloor = 1;
  EXPECT_LE(certify(row, withMomentum(row, {}, vector({1 / 0.75}))).relative, 1e-15);
  EXPECT_NEAR(certify(row, withMomentum(row, {}, vector({2}))).bilateral, 0.5, 1e-15);
}

TEST(Certificate, WithoutContactsAndRowsEverythingFinitePasses) {
  ContactProblem problem;
  addPointMass(problem, 3);
  problem.f = vector({1, 2, 3});
  Iterate iterate = withMomentum(problem, {});
  EXPECT_EQ(certify(problem, iterate).relative, 0);
  EXPECT_EQ(certify(problem, iterate).worstContact, -1);
  iterate.v[0] = kNaN;
  EXPECT_EQ(certify(problem, iterate).relative, kInfinity);
  EXPECT_EQ(certify(ContactProblem{}, Iterate{}).relative, 0);
}

TEST(Certificate, RowsSetTheScaleWhereThereAreNoContacts) {
  ContactProblem problem;
  addPointMass(problem, 2);
  addSegment(problem.G, 0, 0, (MatrixX{3, 1} << 1, 0, 0).finished());
  problem.G.endGroup();
  problem.f = vector({4, 0, 0});
  problem.b = vector({0});
  EXPECT_DOUBLE_EQ(certify(problem, withMomentum(problem, {}, vector({0}))).relative, 1);
  EXPECT_EQ(certify(problem, withMomentum(problem, {}, vector({-4}))).relative, 0);
}

TEST(Certificate, ScaleZero) {
  const ContactProblem problem = pointOnPlane(1, Vector3::Zero(), 0.5);
  EXPECT_EQ(certify(problem, withMomentum(problem, VectorX::Zero(3))).relative, 0);
  EXPECT_EQ(certify(problem, withMomentum(problem, vector({0, 1, 0}))).relative, kInfinity);
}

TEST(Certificate, GapIsLeftOutOfTheScale) {
  ContactProblem problem = pointOnPlane(1, {0, 0, -0.1}, 0.5);
  problem.w = vector({50, 0, 0});
  EXPECT_NEAR(certify(problem, withMomentum(problem, VectorX::Zero(3))).scale, 0.1, 1e-16);
  problem.scaleFloor = 0.2;
  EXPECT_DOUBLE_EQ(certify(problem, withMomentum(problem, VectorX::Zero(3))).scale, 0.2);
}

TEST(Certificate, LastFloorOfTheScale) {
  // free velocity along y only, contact seen through x − y twice: Hᵀv_free cancels, |H|ᵀ|v_free| does not
  ContactProblem problem = pointOnPlane(1, {0, 0, 0}, 0.5);
  problem.H.clear();
  addSegment(problem.H, 0, 0, (MatrixX{3, 3} << 1, 0, 0, -1, 0, 0, 0, 0, 0).finished());
  problem.H.endGroup();
  problem.f = vector({7, 7, 0});
  EXPECT_DOUBLE_EQ(certify(problem, withMomentum(problem, VectorX::Zero(3))).scale, 1.4e-5);
}

TEST(Certificate, NothingThatIsNotFinitePasses) {
  const ContactProblem problem = reference();
  const Iterate good = withMomentum(problem, vector({15, -2.7, -3.6}));
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (int i = 0; i < 3; ++i) {
      Iterate iterate = good;
      iterate.r[i] = bad;
      EXPECT_EQ(certify(problem, iterate).relative, kInfinity);
      iterate = good;
      iterate.v[i] = bad;
      EXPECT_EQ(certify(problem, iterate).relative, kInfinity);
      for (auto member : {&ContactProblem::f, &ContactProblem::w, &ContactProblem::wScale}) {
        ContactProblem spoiled = problem;
        (spoiled.*member)[i] = bad;
        EXPECT_EQ(certify(spoiled, good).relative, kInfinity);
      }
    }
    for (std::size_t k = 0; k < 9; ++k) {
      ContactProblem spoiled = problem;
      spoiled.H.values[k] = bad;
      EXPECT_EQ(certify(spoiled, good).relative, kInfinity) << "H " << k << " " << bad;
      spoiled = problem;
      spoiled.M.values[k] = bad;
      EXPECT_FALSE(certify(spoiled, good).passes(1e300)) << "M " << k << " " << bad;
    }
    ContactProblem spoiled = problem;
    spoiled.mu[0] = bad;
    EXPECT_EQ(certify(spoiled, good).relative, kInfinity) << bad;
  }
}

TEST(Certificate, IncompleteIterateAndIndefiniteMassNeverPass) {
  const ContactProblem problem = reference();
  Iterate iterate = withMomentum(problem, vector({15, -2.7, -3.6}));
  ContactProblem indefinite = problem;
  indefinite.M.values[8] = -10;
  EXPECT_EQ(certify(indefinite, iterate).relative, kInfinity);
  iterate.r.conservativeResize(2);
  EXPECT_EQ(certify(problem, iterate).relative, kInfinity);
  EXPECT_EQ(certify(LocalContactProblem{{0, 1}, {0}, {Matrix3::Identity()}, VectorX::Zero(3), VectorX::Zero(1)}, iterate).relative, kInfinity);
}

TEST(Certificate, ContactWithoutMassEffectUsesUnitWeight) {
  LocalContactProblem problem{{0, 1}, {0}, {Matrix3::Zero()}, vector({-1, 0, 0}), vector({0.5})};
  Iterate iterate;
  iterate.r = vector({0, 0, 0});
  EXPECT_DOUBLE_EQ(certify(problem, iterate).natural, 1);
}

/// Two rigid bodies with full inertia and three contacts (two of them between the bodies), one of them twice on the same block, and one joint row.
ContactProblem twoBodies(bool inOneBlock, bool coupled = false) {
  const auto skew = [](const Vector3& p) { return (Matrix3{} << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0).finished(); };
  MatrixX whole = MatrixX::Zero(12, 12);
  const Matrix3 first = (Matrix3{} << 3, 0.2, 0.1, 0.2, 2, -0.3, 0.1, -0.3, 4).finished(),
                second = (Matrix3{} << 1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 1.5).finished();
  whole.block<3, 3>(0, 0) = 10 * Matrix3::Identity();
  whole.block<3, 3>(3, 3) = first;
  whole.block<3, 3>(6, 6) = 0.5 * Matrix3::Identity();
  whole.block<3, 3>(9, 9) = second;
  if (coupled) whole(1, 7) = whole(7, 1) = 0.3, whole(4, 10) = whole(10, 4) = -0.4;
  ContactProblem problem;
  if (inOneBlock) {
    problem.M.addBlock(whole.data(), 12);
  } else {
    const Matrix6 a = whole.block<6, 6>(0, 0), b = whole.block<6, 6>(6, 6), c = whole.block<6, 6>(6, 0);
    problem.M.addBlock(a.data(), 6);
    problem.M.addBlock(b.data(), 6);
    if (coupled) problem.M.addCoupling(1, 0, c.data());
  }
  const auto jacobian = [&](const Vector3& p, const Matrix3& frame, double sign) {
    MatrixX J(6, 3);
    J << sign * frame, sign * skew(p) * frame;
    return J;
  };
  const Matrix3 tilted = Eigen::AngleAxisd{0.7, Vector3{1, 2, -1}.normalized()}.toRotationMatrix();
  addSegment(problem.H, 0, 0, jacobian({0.1, -0.2, -0.5}, upright(), 1));
  problem.H.endGroup();
  addSegment(problem.H, 0, 0, jacobian({0.3, 0.1, 0.5}, tilted, -1));
  addSegment(problem.H, inOneBlock ? 0 : 1, 6, jacobian({0, 0.2, -0.4}, tilted, 1));
  problem.H.endGroup();
  const MatrixX third = jacobian({-0.3, 0.4, 0.2}, tilted * upright(), 1);
  addSegment(problem.H, 0, 0, third.topRows(3));
  addSegment(problem.H, inOneBlock ? 0 : 1, 6, jacobian({0.2, 0, 0.3}, tilted * upright(), -1));
  addSegment(problem.H, 0, 3, third.bottomRows(3));
  problem.H.endGroup();
  addSegment(problem.G, 0, 0, jacobian({0.5, 0, 0}, upright(), 1).leftCols(1));
  addSegment(problem.G, inOneBlock ? 0 : 1, 6, jacobian({-0.5, 0, 0}, upright(), -1).leftCols(1));
  problem.G.endGroup();
  problem.f = VectorX::LinSpaced(12, -5, 3);
  problem.w = problem.wScale = VectorX::LinSpaced(9, -0.3, 0.4);
  problem.b = vector({0.05});
  problem.mu = vector({0.2, 0.7, 0});
  problem.R = VectorX::Constant(9, 0.01);
  problem.C = vector({0.02});
  return problem;
}

Iterate someIterate() {
  Iterate iterate;
  iterate.v = VectorX::LinSpaced(12, 1, -2);
  iterate.r = vector({2, 0.3, 0.1, 1, -0.5, 0.4, 0.7, 0.01, -0.02});
  iterate.lambda = vector({0.6});
  return iterate;
}

void expectSame(const Certificate& a, const Certificate& b, double tolerance) {
  EXPECT_NEAR(a.relative, b.relative, tolerance * b.relative);
  EXPECT_NEAR(a.natural, b.natural, tolerance * b.natural);
  EXPECT_NEAR(a.momentum, b.momentum, tolerance * b.momentum);
  EXPECT_NEAR(a.bilateral, b.bilateral, tolerance * b.bilateral);
  EXPECT_NEAR(a.scale, b.scale, tolerance * b.scale);
  EXPECT_NEAR(a.complementarity, b.complementarity, tolerance * b.complementarity);
  EXPECT_NEAR(a.dualViolation, b.dualViolation, tolerance * b.dualViolation);
  EXPECT_EQ(a.worstContact, b.worstContact);
}

TEST(Certificate, SplitBlocksOneDenseBlockAndSparseFactorAgree) {
  const Iterate iterate = someIterate();
  expectSame(certify(twoBodies(false), iterate), certify(twoBodies(true), iterate), 1e-14);
  expectSame(certify(twoBodies(false, true), iterate), certify(twoBodies(true, true), iterate), 1e-13);
}

TEST(Certificate, WeightsAreTheTraceOfTheDelassusBlocks) {
  for (const bool coupled : {false, true})
    for (const bool hasTangents : {true, false}) {
      const auto given = [&](bool inOneBlock) {
        ContactProblem problem = twoBodies(inOneBlock, coupled);
        for (const auto& segment : problem.H.segments)
          if (!hasTangents) std::fill_n(problem.H.values.begin() + segment.offset + segment.size, 2 * segment.size, 0.0);
        return problem;
      };
      const ContactProblem problem = given(true);
      const Eigen::Map<const MatrixX> M{problem.M.values.data(), 12, 12};
      MatrixX H = MatrixX::Zero(12, 9);
      for (int i = 0; i < 3; ++i)
        for (int s = problem.H.start[static_cast<std::size_t>(i)]; s < problem.H.start[static_cast<std::size_t>(i) + 1]; ++s) {
          const auto& segment = problem.H.segments[static_cast<std::size_t>(s)];
          H.block(segment.row, 3 * i, segment.size, 3) = Eigen::Map<const MatrixX>{problem.H.values.data() + segment.offset, segment.size, 3};
        }
      const MatrixX W = H.transpose() * M.inverse() * H;
      for (const bool inOneBlock : {false, true}) {
        Certifier certifier;
        certifier.prepare(given(inOneBlock));
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(certifier.omega()[i], W.diagonal().segment(3 * i, 3).sum() / 3, 1e-14 * W.norm());
      }
    }
}

TEST(Certificate, UnitsLeaveItUnchanged) {
  // kg -> g and m -> mm: masses 1e3, inertias 1e9, velocities 1e3, impulses 1e6, lever arms 1e3, compliances 1e-3
  const ContactProblem si = twoBodies(false);
  const Iterate iterate = someIterate();
  ContactProblem small = si;
  Iterate other = iterate;
  const auto power = [](int row) { return row % 6 < 3 ? 1.0 : 1e3; };
  for (int k = 0; k < 2; ++k)
    for (int column = 0; column < 6; ++column)
      for (int row = 0; row < 6; ++row) small.M.values[static_cast<std::size_t>(36 * k + 6 * column + row)] *= 1e3 * power(row) * power(column);
  for (BlockColumns* A : {&small.H, &small.G})
    for (const auto& segment : A->segments)
      for (int i = 0; i < segment.size * A->width; ++i) A->values[static_cast<std::size_t>(segment.offset + i)] *= power(segment.row + i % segment.size);
  for (int row = 0; row < 12; ++row) {
    small.f[row] *= 1e6 * power(row);
    other.v[row] *= 1e3 / power(row);
  }
  for (VectorX* x : {&small.w, &small.wScale, &small.b}) *x *= 1e3;
  for (VectorX* x : {&small.R, &small.C}) *x *= 1e-3;
  for (VectorX* x : {&other.r, &other.lambda}) *x *= 1e6;
  const Certificate a = certify(si, iterate), b = certify(small, other);
  EXPECT_NEAR(a.relative, b.relative, 1e-14 * a.relative);
  EXPECT_NEAR(1e3 * a.natural, b.natural, 1e-14 * b.natural);
  EXPECT_NEAR(1e3 * a.momentum, b.momentum, 1e-14 * b.momentum);
  EXPECT_NEAR(1e3 * a.scale, b.scale, 1e-14 * b.scale);
}

TEST(Certificate, OrderOfContactsDoesNotMatter) {
  const ContactProblem problem = twoBodies(false);
  const Iterate iterate = someIterate();
  const int order[] = {2, 0, 1};
  ContactProblem shuffled = problem;
  Iterate other = iterate;
  shuffled.H.clear();
  for (int i = 0; i < 3; ++i) {
    const int from = order[i];
    for (int s = problem.H.start[static_cast<std::size_t>(from)]; s < problem.H.start[static_cast<std::size_t>(from) + 1]; ++s) {
      const auto& segment = problem.H.segments[static_cast<std::size_t>(s)];
      shuffled.H.addSegment(segment.block, segment.row, segment.size, problem.H.values.data() + segment.offset);
    }
    shuffled.H.endGroup();
    for (auto member : {&ContactProblem::w, &ContactProblem::wScale, &ContactProblem::R})
      (shuffled.*member).segment<3>(3 * i) = (problem.*member).segment<3>(3 * from);
    other.r.segment<3>(3 * i) = iterate.r.segment<3>(3 * from);
    shuffled.mu[i] = problem.mu[from];
  }
  const Certificate a = certify(problem, iterate), b = certify(shuffled, other);
  EXPECT_NEAR(a.relative, b.relative, 1e-14 * a.relative);
  EXPECT_EQ(a.worstContact, order[b.worstContact]);
}

TEST(Certificate, OneCertifierForManyProblems) {
  Certifier certifier;
  const Iterate iterate = someIterate();
  double mass = 1;
  for (const bool coupled : {false, true, true, false}) {
    ContactProblem problem = twoBodies(false, coupled);
    mass *= 1.5;  // the pattern of the one before, with other values
    for (double& value : problem.M.values) value *= mass;
    expectSame(certifier.certify(problem, iterate), certify(problem, iterate), 0);
    problem.f *= 1.1;
    expectSame(certifier.certify(problem, iterate), certify(problem, iterate), 0);
    problem.H.values[0] *= 1.1;
    expectSame(certifier.certify(problem, iterate), certify(problem, iterate), 0);
    for (const auto& segment : problem.H.segments) std::fill_n(problem.H.values.begin() + segment.offset + segment.size, 2 * segment.size, 0.0);  // no tangents
    expectSame(certifier.certify(problem, iterate), certify(problem, iterate), 0);
    const ContactProblem one = reference();
    EXPECT_LE(certifier.certify(one, withMomentum(one, vector({15, -2.7, -3.6}))).relative, 1e-15);
  }
}

}  // namespace
}  // namespace stiction
