#include "portfolio/NarrowedProblem.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void copyTriples(const VectorX& from, const std::vector<int>& kept, VectorX& to) {
  to.resize(from.size() == 0 ? 0 : 3 * static_cast<Eigen::Index>(kept.size()));
  if (from.size() == 0) return;
  for (std::size_t k = 0; k < kept.size(); ++k) to.segment<3>(3 * static_cast<Eigen::Index>(k)) = from.segment<3>(3 * kept[k]);
}

}  // namespace

bool NarrowedProblem::narrow(const ContactProblem& problem, const Iterate& iterate, double scale) {
  multiplyTransposed(problem.H, iterate.v, u_);
  wanted_.clear();
  for (int i = 0; i < problem.contacts(); ++i)
    if (!iterate.r.segment<3>(3 * i).isZero(0) || !(u_[3 * i] + problem.w[3 * i] > 0)) wanted_.push_back(i);
  if (!isNew_ && wanted_ == kept_) return false;
  kept_.swap(wanted_);
  if (isNew_) copyBodies(problem);
  isNew_ = false;
  part_.scaleFloor = scale;
  copyContacts(problem);
  return true;
}

bool NarrowedProblem::widen(const ContactProblem& problem, const Iterate& iterate) {
  multiplyTransposed(problem.H, iterate.v, u_);
  wanted_.clear();
  std::size_t k = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const bool isKept = k < kept_.size() && kept_[k] == i;
    if (isKept) ++k;
    if (isKept || !(u_[3 * i] + problem.w[3 * i] >= 0)) wanted_.push_back(i);
  }
  if (wanted_.size() == kept_.size()) return false;
  kept_.swap(wanted_);
  copyContacts(problem);
  return true;
}

void NarrowedProblem::copyBodies(const ContactProblem& problem) {
  part_.M = problem.M;
  part_.G = problem.G;
  part_.f = problem.f;
  part_.b = problem.b;
  part_.C = problem.C;
}

void NarrowedProblem::copyContacts(const ContactProblem& problem) {
  part_.H.clear();
  part_.mu.resize(static_cast<Eigen::Index>(kept_.size()));
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const int i = kept_[k];
    for (int s = problem.H.start[at(i)]; s < problem.H.start[at(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = problem.H.segments[at(s)];
      part_.H.addSegment(segment.block, segment.row, segment.size, problem.H.values.data() + segment.offset);
    }
    part_.H.endGroup();
    part_.mu[static_cast<Eigen::Index>(k)] = problem.mu[i];
  }
  copyTriples(problem.w, kept_, part_.w);
  copyTriples(problem.wScale, kept_, part_.wScale);
  copyTriples(problem.R, kept_, part_.R);
}

void NarrowedProblem::enter(const Iterate& whole, Iterate& part) const {
  copyTriples(whole.r, kept_, part.r);
  part.lambda = whole.lambda;
  part.v = whole.v;
}

void NarrowedProblem::leave(const Iterate& part, Iterate& whole) const {
  whole.r.setZero();
  for (std::size_t k = 0; k < kept_.size(); ++k) whole.r.segment<3>(3 * kept_[k]) = part.r.segment<3>(3 * static_cast<Eigen::Index>(k));
  whole.lambda = part.lambda;
  whole.v = part.v;
}

}  // namespace stiction
