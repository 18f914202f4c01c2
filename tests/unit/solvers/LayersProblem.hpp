// A friction problem of many balls in layers, large enough for what only large ones do.
#pragma once
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

/// Layers of eight by eight balls of 1 kg under a downward impulse: each touches its neighbours, the ball below and, at the rim, a wall; some are tied to the next. Bodies are numbered
/// layer by layer, or anyhow.
inline ContactProblem layers(int count, bool isShuffled) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  constexpr int side = 8;
  const int balls = side * side * count;
  std::mt19937 generator{5};
  const auto random = [&generator] { return 2.0 * generator() / std::mt19937::max() - 1; };
  std::vector<int> number(at(balls));
  std::iota(number.begin(), number.end(), 0);
  if (isShuffled)
    for (int i = balls - 1; i > 0; --i) std::swap(number[at(i)], number[at(static_cast<int>(generator() % static_cast<unsigned>(i + 1)))]);
  ContactProblem problem;
  const Matrix3 mass = Matrix3::Identity();
  for (int i = 0; i < balls; ++i) problem.M.addBlock(mass.data(), 3);
  std::vector<double> mu;
  const auto touch = [&](const Vector3& normal, int a, int b) {  // b < 0: the world
    Matrix3 columns;
    columns.col(0) = normal.normalized();
    columns.col(1) = columns.col(0).cross(Vector3{0.3, 0.5, 0.8}).normalized();
    columns.col(2) = columns.col(0).cross(columns.col(1));
    problem.H.addSegment(a, 3 * a, 3, columns.data());
    columns *= -1;
    if (b >= 0) problem.H.addSegment(b, 3 * b, 3, columns.data());
    problem.H.endGroup();
    mu.push_back(0.3 + 0.2 * random());
  };
  const auto nudge = [&]() -> Vector3 { return 0.2 * Vector3{random(), random(), random()}; };
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const auto ball = [&](int x, int y, int z) { return number[at(x + side * (y + side * z))]; };
        if (i == 0) touch(Vector3::UnitX() + nudge(), ball(i, j, k), -1);
        if (j == 0) touch(Vector3::UnitY() + nudge(), ball(i, j, k), -1);
        if (i > 0) touch(Vector3::UnitX() + nudge(), ball(i, j, k), ball(i - 1, j, k));
        if (j > 0) touch(Vector3::UnitY() + nudge(), ball(i, j, k), ball(i, j - 1, k));
        touch(Vector3::UnitZ() + nudge(), ball(i, j, k), k > 0 ? ball(i, j, k - 1) : -1);
        if (i > 0 && (i + j) % 5 == 0) {
          const Vector3 along = Vector3::UnitX(), back = -along;
          problem.G.addSegment(ball(i, j, k), 3 * ball(i, j, k), 3, along.data());
          problem.G.addSegment(ball(i - 1, j, k), 3 * ball(i - 1, j, k), 3, back.data());
          problem.G.endGroup();
        }
      }
  problem.f = VectorX::NullaryExpr(3 * balls, [&](Eigen::Index i) { return (i % 3 == 2 ? -1.0 : 0.0) + 0.1 * random(); });
  problem.w = problem.wScale = VectorX::Zero(problem.H.columns());
  problem.b = VectorX::Zero(problem.rows());
  problem.mu = Eigen::Map<const VectorX>{mu.data(), static_cast<Eigen::Index>(mu.size())};
  return problem;
}

}  // namespace stiction
