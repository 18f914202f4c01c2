#include "solvers/LocalFactor.hpp"

#include <cmath>

namespace stiction {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr double nullPivot = 1e-13;  // of the row's own diagonal: below it a pivot is rounding
}  // namespace

void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y) {
  y.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) sum += problem.blocks[at(k)] * x.segment<3>(3 * problem.column[at(k)]);
    y.segment<3>(3 * i) = sum;
  }
}

void LocalFactor::build(const LocalContactProblem& problem) {
  const int n = problem.contacts();
  std::vector<std::array<int, 2>> couplings;
  for (int i = 0; i < n; ++i)
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k)
      if (problem.column[at(k)] != i) couplings.push_back({i, problem.column[at(k)]});
  structure_.analyse(std::vector<int>(at(n), 3), couplings);
  cholesky_.bind(structure_);
  for (int i = 0; i < n; ++i)
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) {
      const int j = problem.column[at(k)];
      const BlockStructure::Slot slot = structure_.slot(i, j);
      for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a)  // both (i, j) and (j, i) land in one block: half of each gives the symmetric part
          cholesky_.lower()[slot.offset + at(slot.swapped ? b : a) + at(slot.swapped ? a : b) * at(slot.leading)] +=
              (i == j ? 0.5 * (problem.blocks[at(k)](a, b) + problem.blocks[at(k)](b, a)) : 0.5 * problem.blocks[at(k)](a, b));
    }
  cholesky_.factorSemidefinite(nullPivot);

  global_.M.clear(), global_.H.clear(), global_.G.clear();
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  // Live columns of every panel become one block of unit masses.
  std::vector<int> block(at(n), -1);
  std::vector<std::array<int, 3>> live(at(n));
  std::vector<int> lives(at(n), 0);
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < 3; ++c)
      if (cholesky_.lower()[structure_.panel(k) + at(c) * at(structure_.height(k)) + at(c)] > 0) live[at(k)][at(lives[at(k)]++)] = c;
    if (lives[at(k)] == 1) block[at(k)] = global_.M.addBlock(one, 1);
    if (lives[at(k)] == 2) {
      const double two[4] = {1, 0, 0, 1};
      block[at(k)] = global_.M.addBlock(two, 2);
    }
    if (lives[at(k)] == 3) block[at(k)] = global_.M.addBlock(one, 3);
  }
  // Rows of L by contact: which panels hold them.
  std::vector<std::vector<std::array<int, 2>>> holders(at(n));  // permuted contact -> (panel, row offset)
  for (int k = 0; k < n; ++k) {
    holders[at(k)].push_back({k, 0});
    for (int p = structure_.firstRow(k); p < structure_.lastRow(k); ++p) holders[at(structure_.row(p))].push_back({k, structure_.rowOffset(p)});
  }
  std::vector<int> permuted(at(n));
  for (int k = 0; k < n; ++k) permuted[at(structure_.start(k) / 3)] = k;
  for (int i = 0; i < n; ++i) {
    for (const auto& [k, row] : holders[at(permuted[at(i)])]) {
      if (lives[at(k)] == 0) continue;
      double segment[9];
      double largest = 0;
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < lives[at(k)]; ++c) {
          const int column = live[at(k)][at(c)];
          const bool above = row == 0 && a < column;  // above the diagonal of the diagonal block
          const double value = above ? 0.0 : cholesky_.lower()[structure_.panel(k) + at(column) * at(structure_.height(k)) + at(row + a)];
          segment[c + a * lives[at(k)]] = value;
          largest = std::max(largest, std::abs(value));
        }
      if (largest > 0) global_.H.addSegment(block[at(k)], global_.M.start[at(block[at(k)])], lives[at(k)], segment);
    }
    global_.H.endGroup();
  }
  global_.f = VectorX::Zero(global_.M.size());
  global_.w = problem.q;
  global_.wScale = problem.q;
  global_.mu = problem.mu;
  global_.b.resize(0), global_.R.resize(0), global_.C.resize(0);

  double diagonal = 0, defect = 0;
  VectorX column, Lx;
  for (int i = 0; i < n; ++i)
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) {
      const int j = problem.column[at(k)];
      if (i == j) diagonal = std::max(diagonal, problem.blocks[at(k)].diagonal().cwiseAbs().maxCoeff());
      for (int t = problem.start[at(j)]; t < problem.start[at(j) + 1]; ++t)
        if (problem.column[at(t)] == i) defect = std::max(defect, (problem.blocks[at(k)] - problem.blocks[at(t)].transpose()).cwiseAbs().maxCoeff());
    }
  defect_ = diagonal > 0 ? defect / diagonal : 0;
}

double LocalFactor::correct(const LocalContactProblem& problem, const VectorX& r) {
  v_.setZero(global_.M.size());
  multiplyAdd(global_.H, r, v_);
  multiplyTransposed(global_.H, v_, u_);
  multiply(problem, r, Wr_);
  Wr_ += problem.q - u_;
  const double change = (Wr_ - global_.w).lpNorm<Eigen::Infinity>();
  global_.w = Wr_;
  return change;
}

}  // namespace stiction
