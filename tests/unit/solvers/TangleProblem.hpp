// Many bodies, each against many others: solves are far cheaper than a factorisation.
#pragma once
#include <random>

#include "problem/ContactProblem.hpp"

namespace stiction {

/// 150 bodies with unit inertias and 3000 contacts between them in any direction, friction 1.
inline ContactProblem tangle() {
  constexpr int bodies = 150, contacts = 3000;
  std::mt19937 generator{7};
  const auto random = [&generator](int rows, int columns) -> MatrixX {
    return MatrixX::NullaryExpr(rows, columns, [&] { return 2.0 * generator() / std::mt19937::max() - 1; });
  };
  ContactProblem problem;
  const MatrixX inertia = MatrixX::Identity(6, 6);
  for (int k = 0; k < bodies; ++k) problem.M.addBlock(inertia.data(), 6);
  for (int i = 0; i < contacts; ++i) {
    const int first = i % bodies, second = (first + 1 + i / bodies * 7 % (bodies - 1)) % bodies;
    for (const int body : {first, second}) problem.H.addSegment(body, 6 * body, 6, random(6, 3).data());
    problem.H.endGroup();
  }
  problem.f = random(problem.dof(), 1);
  problem.w = problem.wScale = VectorX::Zero(3 * contacts);
  problem.mu = VectorX::Ones(contacts);
  return problem;
}

}  // namespace stiction
