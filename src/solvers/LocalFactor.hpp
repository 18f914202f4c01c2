// From the local form to velocity space by a factor of W of its rank: W ≈ P Qᵀ, v = f + Qᵀ r, u = P v + w. Unit masses; f is a free motion, w = q − P f; impulses act through H = Qᵀ, contact velocities are read
// through Pᵀ (equal where W is symmetric; an unsymmetric W has the same null space on both sides when it comes from bodies). Columns that the same contacts share are a block of
// masses, of up to six: a body, as far as the contacts can tell.
// What the factor misses (rounding, of pivots and of W itself; the unsymmetric part when a method wants P = Q) is E = W − P Qᵀ: E r goes into w and the method runs again.
#pragma once
#include "linalg/RankFactor.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class LocalFactor {
 public:
  /// Builds the global problem of the same contacts: M = I of the rank of W, f the free motion that q tells of, w what is left of q. `symmetric` takes (W + Wᵀ)/2 for W, so that P = Q.
  void build(const LocalContactProblem& problem, bool symmetric);
  ContactProblem& global() { return global_; }
  /// Pᵀ in the segments of H, or null when P = Q.
  const BlockColumns* velocityColumns() const { return factor_.isSymmetric() ? nullptr : &velocity_; }
  /// w := q − P f + (W − P Qᵀ) r, so that the global problem's u equals W r + q at this r. Returns the largest change of w [m/s].
  double correct(const LocalContactProblem& problem, const VectorX& r);

 private:
  /// Where a contact has entries of P and Q: in the columns of a mass block from `column` on.
  struct Place {
    int block, column, entry;
  };
  int blockOf(const RankFactor::Panel& panel) const;
  void addMassBlocks();
  void addColumns();
  void addFreeMotion(const VectorX& q);

  RankFactor factor_;
  ContactProblem global_;
  BlockColumns velocity_{3};
  std::vector<std::vector<Place>> places_;  // by contact, blocks ascending
  std::vector<int> width_, height_;         // by mass block: columns, contacts
  VectorX w_;                               // [m/s] q less what the free velocities make of it
  VectorX v_, u_, Wr_;
};

/// No more velocities than that matter to the contacts: six for each pair of rigid bodies, as contacts with the same neighbours in W are, unless the numbers say that they move as they like.
int mostVelocities(const LocalContactProblem& problem);

/// y = W x of the local problem.
void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y);

}  // namespace stiction
