// The problem of the bodies that move, on bodies that rest: what a heap that has settled but for a few leaves to be found.
#pragma once
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

class MovingPart {
 public:
  /// The blocks of `problem` in which an entry of v is above `slow` [m/s], those coupled with them by M, and every contact and row that touches them. Returns their number.
  int extract(const ContactProblem& problem, const VectorX& v, double slow);
  const ContactProblem& problem() const { return part_; }
  /// Writes the entries of an answer of the part over those of the whole's velocities; the others rest.
  void spread(const Iterate& answer, VectorX& v) const;

 private:
  void append(const BlockColumns& from, const ContactProblem& problem, int group, BlockColumns& to);
  bool touches(const BlockColumns& columns, int group) const;

  ContactProblem part_;
  std::vector<int> at_;   // block in the part of a block of the whole, −1: rests
  std::vector<int> row_;  // first velocity in the whole of a block of the part
};

}  // namespace stiction
