// From the local form to velocity space by a factor of W that skips null pivots: W ≈ P Qᵀ, v = Qᵀ r, u = P v + q. Unit masses; impulses act through H = Qᵀ, contact
// velocities are read through Pᵀ (equal where W is symmetric; an unsymmetric W has the same null space on both sides when it comes from bodies).
// What the factor misses (rounding below the pivot threshold; the unsymmetric part when a method wants P = Q) is E = W − P Qᵀ: E r goes into w and the method runs again.
#pragma once
#include "linalg/BlockFactor.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class LocalFactor {
 public:
  /// Builds the global problem of the same contacts: M = I of the rank of W, f = 0, w = q. `symmetric` takes (W + Wᵀ)/2 for W, so that P = Q.
  void build(const LocalContactProblem& problem, bool symmetric);
  ContactProblem& global() { return global_; }
  /// Pᵀ in the segments of H, or null when P = Q.
  const BlockColumns* velocityColumns() const { return unsymmetric_ ? &velocity_ : nullptr; }
  /// w := q + (W − P Qᵀ) r, so that the global problem's u equals W r + q at this r. Returns the largest change of w [m/s].
  double correct(const LocalContactProblem& problem, const VectorX& r);

 private:
  void factor(const LocalContactProblem& problem, bool symmetric);
  void addMassBlocks();
  void addColumns();

  BlockStructure structure_;
  BlockLU factor_;
  ContactProblem global_;
  BlockColumns velocity_{3};
  bool unsymmetric_{false};
  std::vector<int> block_;                // panel -> mass block, -1 without live columns
  std::vector<std::array<int, 3>> live_;  // panel -> its live columns
  std::vector<int> lives_;                // panel -> how many
  VectorX v_, u_, Wr_;
};

/// y = W x of the local problem.
void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y);

}  // namespace stiction
