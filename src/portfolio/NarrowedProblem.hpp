// A problem without the contacts that an answer near by leaves open, and the way back. More than half of the contacts of a heap that falls are of pairs that come near and do not meet: they
// take no part in the answer, and all of them in what is analysed, bound and multiplied on the way to it. The bodies stay. An answer of what is left is one of the whole where it closes
// nothing that was left out: `widen` looks, and takes that in.
#pragma once
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

class NarrowedProblem {
 public:
  /// Leaves out the contacts without impulse that open at the iterate's velocity. `scale` [m/s]: of the whole problem's certificate. Returns whether the part is another one than before. The
  /// problem has no bounds of its own per axis.
  bool narrow(const ContactProblem& problem, const Iterate& iterate, double scale);
  /// Takes in what the iterate's velocity closes. Returns whether there was any.
  bool widen(const ContactProblem& problem, const Iterate& iterate);
  /// Forgets the problem: the next `narrow` is of another one.
  void reset() { isNew_ = true; }

  const ContactProblem& part() const { return part_; }
  void enter(const Iterate& whole, Iterate& part) const;
  void leave(const Iterate& part, Iterate& whole) const;

 private:
  void copyBodies(const ContactProblem& problem);

  ContactProblem part_;
  std::vector<int> kept_, wanted_;  // contacts, ascending
  VectorX u_;                       // [m/s] Hᵀv
  bool isNew_{true};                // the part is of no problem yet
};

}  // namespace stiction
