#include "portfolio/NarrowedProblem.hpp"

#include "problem/ContactSubset.hpp"

namespace stiction {

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
  copyContacts(problem, kept_, nullptr, part_);
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
  copyContacts(problem, kept_, nullptr, part_);
  return true;
}

void NarrowedProblem::copyBodies(const ContactProblem& problem) {
  part_.M = problem.M;
  part_.G = problem.G;
  part_.f = problem.f;
  part_.b = problem.b;
  part_.C = problem.C;
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
