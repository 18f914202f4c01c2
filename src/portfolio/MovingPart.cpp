#include "portfolio/MovingPart.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void append(const VectorX& from, int first, int count, std::vector<double>& to) {
  if (from.size() == 0) return;
  for (int i = first; i < first + count; ++i) to.push_back(from[i]);
}

VectorX vectorOf(const std::vector<double>& values) { return Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size())); }

}  // namespace

bool MovingPart::touches(const BlockColumns& columns, int group) const {
  for (int k = columns.start[at(group)]; k < columns.start[at(group) + 1]; ++k)
    if (at_[at(columns.segments[at(k)].block)] >= 0) return true;
  return false;
}

void MovingPart::append(const BlockColumns& from, const ContactProblem& problem, int group, BlockColumns& to) {
  for (int k = from.start[at(group)]; k < from.start[at(group) + 1]; ++k) {
    const BlockColumns::Segment& segment = from.segments[at(k)];
    const int block = at_[at(segment.block)];
    if (block < 0) continue;
    const int row = part_.M.start[at(block)] + segment.row - problem.M.start[at(segment.block)];
    to.addSegment(block, row, segment.size, from.values.data() + segment.offset);
  }
  to.endGroup();
}

int MovingPart::extract(const ContactProblem& problem, const VectorX& v, double slow) {
  part_.M.clear(), part_.H.clear(), part_.G.clear();
  row_.clear();
  at_.assign(at(problem.M.blocks()), -1);
  for (int k = 0; k < problem.M.blocks(); ++k)
    if (v.segment(problem.M.start[at(k)], problem.M.size(k)).lpNorm<Eigen::Infinity>() > slow) at_[at(k)] = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (const BlockMass::Coupling& c : problem.M.couplings)
      if (at_[at(c.row)] != at_[at(c.column)]) at_[at(c.row)] = at_[at(c.column)] = 0, grows = true;
  }
  std::vector<double> f, w, wScale, mu, R, b, C;
  for (int k = 0; k < problem.M.blocks(); ++k) {
    if (at_[at(k)] < 0) continue;
    at_[at(k)] = part_.M.addBlock(problem.M.values.data() + problem.M.offset[at(k)], problem.M.size(k));
    row_.push_back(problem.M.start[at(k)]);
    stiction::append(problem.f, problem.M.start[at(k)], problem.M.size(k), f);
  }
  for (const BlockMass::Coupling& c : problem.M.couplings)
    if (at_[at(c.row)] >= 0) part_.M.addCoupling(at_[at(c.row)], at_[at(c.column)], problem.M.values.data() + c.offset);
  for (int i = 0; i < problem.contacts(); ++i) {
    if (!touches(problem.H, i)) continue;
    append(problem.H, problem, i, part_.H);
    stiction::append(problem.w, 3 * i, 3, w);
    stiction::append(problem.wScale, 3 * i, 3, wScale);
    stiction::append(problem.R, 3 * i, 3, R);
    mu.push_back(problem.mu[i]);
  }
  for (int i = 0; i < problem.rows(); ++i) {
    if (!touches(problem.G, i)) continue;
    append(problem.G, problem, i, part_.G);
    b.push_back(problem.b[i]);
    stiction::append(problem.C, i, 1, C);
  }
  part_.f = vectorOf(f), part_.w = vectorOf(w), part_.wScale = vectorOf(wScale), part_.mu = vectorOf(mu);
  part_.R = vectorOf(R), part_.b = vectorOf(b), part_.C = vectorOf(C);
  part_.scaleFloor = problem.scaleFloor;
  return part_.M.blocks();
}

void MovingPart::spread(const Iterate& answer, VectorX& v) const {
  v.setZero();
  for (int k = 0; k < part_.M.blocks(); ++k) v.segment(row_[at(k)], part_.M.size(k)) = answer.v.segment(part_.M.start[at(k)], part_.M.size(k));
}

}  // namespace stiction
