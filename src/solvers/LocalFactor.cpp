#include "solvers/LocalFactor.hpp"

#include <cmath>

namespace stiction {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
// Of the row's own diagonal: a smaller pivot is rounding, which the division by small pivots before it makes up to 1e-9 of the diagonal. Masses 1e6 apart leave true ones of 1e-6 and less.
constexpr double nullPivot = 1e-9;
}  // namespace

void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y) {
  y.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) sum += problem.blocks[at(k)] * x.segment<3>(3 * problem.column[at(k)]);
    y.segment<3>(3 * i) = sum;
  }
}

void LocalFactor::factor(const LocalContactProblem& problem, bool symmetric) {
  const int n = problem.contacts();
  std::vector<std::array<int, 2>> couplings;
  for (int i = 0; i < n; ++i)
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k)
      if (problem.column[at(k)] != i) couplings.push_back({i, problem.column[at(k)]});
  structure_.analyse(std::vector<int>(at(n), 3), couplings);
  factor_.bind(structure_);
  factor_.setZero();
  const auto add = [this](int i, int j, const Matrix3& W) {
    const BlockStructure::Slot slot = structure_.slot(i, j);
    std::vector<double>& panels = slot.swapped ? factor_.upper() : factor_.lower();
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) panels[slot.offset + at(slot.swapped ? b : a) + at(slot.swapped ? a : b) * at(slot.leading)] += W(a, b);
  };
  for (int i = 0; i < n; ++i)
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) {
      const int j = problem.column[at(k)];
      if (symmetric) {
        add(i, j, 0.5 * problem.blocks[at(k)]);
        add(j, i, 0.5 * problem.blocks[at(k)].transpose());
      } else {
        add(i, j, problem.blocks[at(k)]);
      }
    }
  factor_.factorSemidefinite(nullPivot);
  unsymmetric_ = !symmetric && factor_.lower() != factor_.upper();
}

// The live columns of every panel become one block of unit masses.
void LocalFactor::addMassBlocks() {
  const int n = structure_.columns();
  block_.assign(at(n), -1), live_.resize(at(n)), lives_.assign(at(n), 0);
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < 3; ++c)
      if (factor_.lower()[structure_.panel(k) + at(c) * at(structure_.height(k)) + at(c)] > 0) live_[at(k)][at(lives_[at(k)]++)] = c;
    const MatrixX unit = MatrixX::Identity(lives_[at(k)], lives_[at(k)]);
    if (lives_[at(k)] > 0) block_[at(k)] = global_.M.addBlock(unit.data(), lives_[at(k)]);
  }
}

void LocalFactor::addColumns() {
  const int n = structure_.columns();
  std::vector<std::vector<std::array<int, 2>>> holders(at(n));  // contact -> (panel, first row in it) that hold its rows of P and Q
  for (int k = 0; k < n; ++k) {
    holders[at(structure_.start(k) / 3)].push_back({k, 0});
    for (int p = structure_.firstRow(k); p < structure_.lastRow(k); ++p)
      holders[at(structure_.start(structure_.row(p)) / 3)].push_back({k, structure_.rowOffset(p)});
  }
  for (int i = 0; i < n; ++i) {
    for (const auto& [k, row] : holders[at(i)]) {
      const int width = lives_[at(k)];
      double segmentP[9], segmentQ[9], largest = 0;
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < width; ++c) {
          const std::size_t from = structure_.panel(k) + at(live_[at(k)][at(c)]) * at(structure_.height(k)) + at(row + a);
          segmentP[c + a * width] = factor_.lower()[from];
          segmentQ[c + a * width] = factor_.upper()[from];
          largest = std::max({largest, std::abs(factor_.lower()[from]), std::abs(factor_.upper()[from])});
        }
      if (!(largest > 0)) continue;
      global_.H.addSegment(block_[at(k)], global_.M.start[at(block_[at(k)])], width, segmentQ);
      velocity_.addSegment(block_[at(k)], global_.M.start[at(block_[at(k)])], width, segmentP);
    }
    global_.H.endGroup();
    velocity_.endGroup();
  }
}

void LocalFactor::build(const LocalContactProblem& problem, bool symmetric) {
  factor(problem, symmetric);
  global_.M.clear(), global_.H.clear(), global_.G.clear(), velocity_.clear();
  addMassBlocks();
  addColumns();
  global_.f = VectorX::Zero(global_.M.size());
  global_.w = problem.q;
  global_.wScale = problem.q;
  global_.mu = problem.mu;
  global_.b.resize(0), global_.R.resize(0), global_.C.resize(0);
}

double LocalFactor::correct(const LocalContactProblem& problem, const VectorX& r) {
  v_.setZero(global_.M.size());
  multiplyAdd(global_.H, r, v_);
  multiplyTransposed(unsymmetric_ ? velocity_ : global_.H, v_, u_);
  multiply(problem, r, Wr_);
  Wr_ += problem.q - u_;
  const double change = (Wr_ - global_.w).lpNorm<Eigen::Infinity>();
  global_.w = Wr_;
  return change;
}

}  // namespace stiction
