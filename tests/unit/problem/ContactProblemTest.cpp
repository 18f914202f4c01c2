// Block storage against dense algebra, and validation that names the culprit.
#include "problem/ContactProblem.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "base/Error.hpp"

namespace stiction {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Blocks of 3 and 6 velocities, three contacts and two rows, with the dense matrices beside them.
struct Example {
  ContactProblem problem;
  MatrixX H = MatrixX::Zero(9, 9), G = MatrixX::Zero(9, 2);

  Example() {
    const Matrix3 first = 2 * Matrix3::Identity();
    const Matrix6 second = Vector6{1, 1, 1, 4, 5, 6}.asDiagonal();
    problem.M.addBlock(first.data(), 3);
    problem.M.addBlock(second.data(), 6);
    for (int i = 0; i < H.rows(); ++i)
      for (int j = 0; j < H.cols(); ++j) H(i, j) = 1 + i - 2 * j + 0.1 * i * j;
    H.block(0, 3, 3, 3).setZero();
    H.block(3, 6, 6, 3).setZero();
    for (int contact = 0; contact < 3; ++contact) {
      const MatrixX top = H.block(0, 3 * contact, 3, 3), bottom = H.block(3, 3 * contact, 6, 3);
      if (contact != 1) problem.H.addSegment(0, 0, 3, top.data());
      if (contact != 2) problem.H.addSegment(1, 3, 6, bottom.data());
      problem.H.endGroup();
    }
    G(4, 0) = 1, G(5, 0) = -2, G(0, 1) = 3;
    problem.G.addSegment(1, 4, 2, G.data() + 4);
    problem.G.endGroup();
    problem.G.addSegment(0, 0, 1, G.data() + 9);
    problem.G.endGroup();
    problem.f = VectorX::Ones(9);
    problem.w = problem.wScale = VectorX::Zero(9);
    problem.b = VectorX::Zero(2);
    problem.mu = VectorX::Constant(3, 0.5);
  }
};

TEST(BlockColumns, ProductsMatchDenseAlgebra) {
  const Example example;
  const VectorX r = VectorX::LinSpaced(9, -1, 2), v = VectorX::LinSpaced(9, 3, -2), lambda = VectorX::LinSpaced(2, 1, 5);
  VectorX y = v, z;
  multiplyAdd(example.problem.H, r, y);
  multiplyAdd(example.problem.G, lambda, y);
  EXPECT_LE((y - (v + example.H * r + example.G * lambda)).norm(), 1e-13);
  multiplyTransposed(example.problem.H, v, z);
  EXPECT_LE((z - example.H.transpose() * v).norm(), 1e-13);
  multiplyTransposed(example.problem.G, v, z);
  EXPECT_LE((z - example.G.transpose() * v).norm(), 1e-13);
}

TEST(BlockColumns, ClearLeavesNothing) {
  Example example;
  example.problem.H.clear();
  example.problem.M.clear();
  EXPECT_EQ(example.problem.contacts(), 0);
  EXPECT_EQ(example.problem.dof(), 0);
  EXPECT_EQ(example.problem.M.blocks(), 0);
}

TEST(ContactProblem, SizesFollowTheParts) {
  const Example example;
  EXPECT_EQ(example.problem.contacts(), 3);
  EXPECT_EQ(example.problem.rows(), 2);
  EXPECT_EQ(example.problem.dof(), 9);
  EXPECT_NO_THROW(validate(example.problem));
}

template <typename Change>
std::string complaint(Change&& change) {
  ContactProblem problem = Example{}.problem;
  change(problem);
  try {
    validate(problem);
  } catch (const InputError& error) {
    return error.element();
  }
  return "none";
}

TEST(ContactProblem, ValidationNamesTheCulprit) {
  EXPECT_EQ(complaint([](ContactProblem& p) { p.f.conservativeResize(8); }), "f");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.w.conservativeResize(8); }), "w");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.wScale.resize(0); }), "wScale");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.b.conservativeResize(1); }), "b");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.R = VectorX::Zero(8); }), "R");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.C = VectorX::Zero(3); }), "C");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.mu[1] = -0.1; }), "mu[1]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.mu[2] = kNaN; }), "mu[2]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.f[4] = kNaN; }), "f[4]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.C = VectorX::Constant(2, -1); }), "C[0]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.H.values[3] = std::numeric_limits<double>::infinity(); }), "H[3]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.H.values[5] = -1.01e100; }), "H[5]");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.H.values[5] = -1e100; }), "none");
  EXPECT_EQ(complaint([](ContactProblem& p) { p.M.values[9] = -1; }), "M, diagonal block 1");
}

TEST(LocalContactProblem, ValidationNamesTheCulprit) {
  const LocalContactProblem good{{0, 1}, {0}, {Matrix3::Identity()}, VectorX::Zero(3), VectorX::Zero(1)};
  EXPECT_NO_THROW(validate(good));
  const auto element = [](const LocalContactProblem& problem) -> std::string {
    try {
      validate(problem);
    } catch (const InputError& error) {
      return error.element();
    }
    return "none";
  };
  LocalContactProblem bad = good;
  bad.column[0] = 1;
  EXPECT_EQ(element(bad), "W block column");
  bad = good;
  bad.q.resize(2);
  EXPECT_EQ(element(bad), "q");
  bad = good;
  bad.blocks[0](1, 1) = kNaN;
  EXPECT_EQ(element(bad), "W[4]");
  bad = good;
  bad.q[2] = 1e159;
  EXPECT_EQ(element(bad), "q[2]");
  bad = good;
  bad.start = {0};
  EXPECT_EQ(element(bad), "W row pointers");
}

}  // namespace
}  // namespace stiction
