#include "solvers/LocalFactor.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace stiction {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr int ofBody = 6;  // velocities of a rigid body, or of one relative to another

/// Whether contacts that all know one another have the velocities of one rigid body relative to another; the first few are looked at.
bool movesAsOne(const LocalContactProblem& problem, const std::vector<int>& contacts) {
  constexpr int few = 4;
  constexpr double rounding = 1e-6;
  const int count = std::min(few, static_cast<int>(contacts.size()));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * few, 3 * few> W;
  W.setZero(3 * count, 3 * count);
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      const auto first = problem.column.begin() + problem.start[at(contacts[at(a)])], last = problem.column.begin() + problem.start[at(contacts[at(a)]) + 1];
      const auto found = std::lower_bound(first, last, contacts[at(b)]);
      if (found != last && *found == contacts[at(b)]) W.block<3, 3>(3 * a, 3 * b) = problem.blocks[at(static_cast<int>(found - problem.column.begin()))];
    }
  Eigen::FullPivLU<decltype(W)> factor{W};
  factor.setThreshold(rounding);
  return factor.rank() <= ofBody;
}

}  // namespace

int mostVelocities(const LocalContactProblem& problem) {
  const auto column = [&](int k) { return problem.column.begin() + problem.start[at(k)]; };
  std::vector<std::vector<int>> pairs(at(problem.contacts()));  // of contacts with the same neighbours, at the first of them
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto first = std::find_if(column(i), column(i + 1), [&](int j) { return j >= i || std::equal(column(i), column(i + 1), column(j), column(j + 1)); });
    pairs[at(first == column(i + 1) || *first > i ? i : *first)].push_back(i);
  }
  int velocities = 0;
  for (const auto& contacts : pairs) {
    const int all = 3 * static_cast<int>(contacts.size());
    velocities += all <= ofBody || !movesAsOne(problem, contacts) ? all : ofBody;
  }
  return velocities;
}

void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y) {
  y.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    Vector3 sum = Vector3::Zero();
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k) sum += problem.blocks[at(k)] * x.segment<3>(3 * problem.column[at(k)]);
    y.segment<3>(3 * i) = sum;
  }
}

/// The mass block that a panel's columns join: the last one of the contact with the pivots that holds all of the panel's contacts, not many others, and has room. −1: none.
int LocalFactor::blockOf(const RankFactor::Panel& panel) const {
  const auto holds = [this](int block, const RankFactor::Entry& entry) {
    const auto& places = places_[at(entry.row)];
    return std::any_of(places.begin(), places.end(), [block](const Place& place) { return place.block == block; });
  };
  const auto first = factor_.entries().begin() + panel.first, last = factor_.entries().begin() + panel.last;
  const auto& places = places_[at(first->row)];
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const int block = place->block;
    if (width_[at(block)] + panel.width > ofBody || height_[at(block)] > 2 * (panel.last - panel.first)) continue;
    if (std::all_of(first, last, [&](const RankFactor::Entry& entry) { return holds(block, entry); })) return block;
  }
  return -1;
}

void LocalFactor::addMassBlocks() {
  width_.clear(), height_.clear();
  for (const RankFactor::Panel& panel : factor_.panels()) {
    int block = blockOf(panel);
    if (block < 0) {
      block = static_cast<int>(width_.size());
      width_.push_back(0), height_.push_back(panel.last - panel.first);
    }
    for (int k = panel.first; k < panel.last; ++k) {
      auto& places = places_[at(factor_.entries()[at(k)].row)];
      const auto after = std::upper_bound(places.begin(), places.end(), block, [](int b, const Place& place) { return b < place.block; });
      places.insert(after, {block, width_[at(block)], k});
    }
    width_[at(block)] += panel.width;
  }
  for (const int width : width_) global_.M.addBlock(MatrixX::Identity(width, width).eval().data(), width);
}

void LocalFactor::addColumns() {
  for (const auto& places : places_) {
    for (auto place = places.begin(); place != places.end();) {
      const int block = place->block, width = width_[at(block)];
      double segmentP[3 * ofBody] = {}, segmentQ[3 * ofBody] = {};
      for (; place != places.end() && place->block == block; ++place) {
        const RankFactor::Entry& entry = factor_.entries()[at(place->entry)];
        for (int c = 0; c < 3 && place->column + c < width; ++c)
          for (int a = 0; a < 3; ++a) {
            segmentP[place->column + c + a * width] += entry.P(a, c);
            segmentQ[place->column + c + a * width] += entry.Q(a, c);
          }
      }
      global_.H.addSegment(block, global_.M.start[at(block)], width, segmentQ);
      if (!factor_.isSymmetric()) velocity_.addSegment(block, global_.M.start[at(block)], width, segmentP);
    }
    global_.H.endGroup();
    velocity_.endGroup();
  }
}

// The free velocities are those that bodies at rest in q would have: P v = q at the pivots, but for small ones, and w has the rest. Impulses are sized by them.
void LocalFactor::addFreeMotion(const VectorX& q) {
  VectorX& v = global_.f;  // unit masses
  v.setZero(global_.M.size());
  VectorX left = q;
  for (const RankFactor::Panel& panel : factor_.panels()) {
    if (panel.isSmall) break;
    const RankFactor::Entry& own = factor_.entries()[at(panel.first)];
    const auto& places = places_[at(own.row)];
    const Place& place = *std::find_if(places.begin(), places.end(), [&](const Place& p) { return p.entry == panel.first; });
    Vector3 speed = Vector3::Zero();
    for (int c = 0; c < panel.width; ++c) {
      const int pivot = panel.pivot[at(c)];
      speed[c] = (left[3 * own.row + pivot] - own.P.row(pivot).head(c).dot(speed.head(c))) / own.P(pivot, c);
      v[global_.M.start[at(place.block)] + place.column + c] = speed[c];
    }
    for (int e = panel.first; e < panel.last; ++e) left.segment<3>(3 * factor_.entries()[at(e)].row) -= factor_.entries()[at(e)].P * speed;
  }
  global_.w = w_ = left;
}

void LocalFactor::build(const LocalContactProblem& problem, bool symmetric) {
  factor_.factor(problem.start, problem.column, problem.blocks, symmetric);
  global_.M.clear(), global_.H.clear(), global_.G.clear(), velocity_.clear();
  places_.resize(at(problem.contacts()));
  for (auto& places : places_) places.clear();
  addMassBlocks();
  addColumns();
  addFreeMotion(problem.q);
  global_.wScale = problem.q;
  global_.mu = problem.mu;
  global_.b.resize(0), global_.R.resize(0), global_.C.resize(0);
}

double LocalFactor::correct(const LocalContactProblem& problem, const VectorX& r) {
  v_.setZero(global_.M.size());
  multiplyAdd(global_.H, r, v_);
  multiplyTransposed(factor_.isSymmetric() ? global_.H : velocity_, v_, u_);
  multiply(problem, r, Wr_);
  Wr_ += w_ - u_;
  const double change = (Wr_ - global_.w).lpNorm<Eigen::Infinity>();
  global_.w = Wr_;
  return change;
}

}  // namespace stiction
