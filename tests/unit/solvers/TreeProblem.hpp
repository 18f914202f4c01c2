// A base and two limbs that know nothing of one another, contacts at the limbs' ends and a row between them: masses that are coupled, with what they make in dense algebra.
#pragma once
#include <Eigen/Dense>
#include <vector>

#include "oracle/RandomProblems.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

inline MatrixX randomMatrix(testing_random::Random& random, Eigen::Index rows, Eigen::Index columns) {
  return MatrixX::NullaryExpr(rows, columns, [&random](Eigen::Index, Eigen::Index) { return random.uniform(-1, 1); });
}

struct Tree {
  static constexpr int kSizes[] = {6, 4, 5}, kStart[] = {0, 6, 10}, kDof = 15;

  explicit Tree(std::uint64_t seed) : random{seed} {
    M = MatrixX::Zero(kDof, kDof);
    M.leftCols(6) = randomMatrix(random, kDof, 6);
    M.diagonal().setConstant(12);
    M = MatrixX{M.selfadjointView<Eigen::Lower>()};
    for (int k = 0; k < 3; ++k) problem.M.addBlock(MatrixX{M.block(kStart[k], kStart[k], kSizes[k], kSizes[k])}.data(), kSizes[k]);
    for (const int k : {2, 1}) problem.M.addCoupling(k, 0, MatrixX{M.block(kStart[k], 0, kSizes[k], 6)}.data());
    H = add(problem.H, {{0, 1}, {2, 0}});
    G = add(problem.G, {{1, 2}});
    problem.f = randomMatrix(random, kDof, 1);
    problem.w = problem.wScale = VectorX::Zero(6);
    problem.mu = VectorX::Ones(2);
    problem.b = VectorX::Zero(1);
  }

  MatrixX add(BlockColumns& columns, const std::vector<std::vector<int>>& groups) {
    MatrixX dense = MatrixX::Zero(kDof, columns.width * static_cast<Eigen::Index>(groups.size()));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const int k : groups[g]) {
        const MatrixX segment = randomMatrix(random, kSizes[k], columns.width);
        dense.block(kStart[k], columns.width * static_cast<Eigen::Index>(g), kSizes[k], columns.width) = segment;
        columns.addSegment(k, kStart[k], kSizes[k], segment.data());
      }
      columns.endGroup();
    }
    return dense;
  }

  testing_random::Random random;
  ContactProblem problem;
  MatrixX M, H, G;
};

}  // namespace stiction
