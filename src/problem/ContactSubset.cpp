#include "problem/ContactSubset.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void copyTriples(const VectorX& from, const std::vector<int>& kept, VectorX& to) {
  to.resize(from.size() == 0 ? 0 : 3 * static_cast<Eigen::Index>(kept.size()));
  if (from.size() == 0) return;
  for (std::size_t k = 0; k < kept.size(); ++k) to.segment<3>(3 * static_cast<Eigen::Index>(k)) = from.segment<3>(3 * kept[k]);
}

void copyContacts(const ContactProblem& from, const std::vector<int>& kept, const std::vector<int>* blockOf, ContactProblem& to) {
  to.H.clear();
  to.mu.resize(static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const int i = kept[k];
    for (int s = from.H.start[at(i)]; s < from.H.start[at(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = from.H.segments[at(s)];
      const int block = blockOf == nullptr ? segment.block : (*blockOf)[at(segment.block)];
      if (block < 0) continue;
      const int row = segment.row - from.M.start[at(segment.block)] + to.M.start[at(block)];
      to.H.addSegment(block, row, segment.size, from.H.values.data() + segment.offset);
    }
    to.H.endGroup();
    to.mu[static_cast<Eigen::Index>(k)] = from.mu[i];
  }
  copyTriples(from.w, kept, to.w);
  copyTriples(from.wScale, kept, to.wScale);
  copyTriples(from.R, kept, to.R);
}

}  // namespace stiction
