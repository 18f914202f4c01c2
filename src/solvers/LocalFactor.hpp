// From the local form to velocity space: W_s = (W + Wᵀ)/2 ≈ L Lᵀ by a block Cholesky that skips null pivots, so that u = L v + q with v = Lᵀ r.
// What the factor misses (the unsymmetric part, roundoff below the pivot threshold) is E = W − L Lᵀ; methods put E r into w and repeat.
#pragma once
#include "linalg/BlockFactor.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class LocalFactor {
 public:
  /// Builds the global problem of the same contacts: M = I of the rank of W, H = Lᵀ, f = 0, w = q.
  void build(const LocalContactProblem& problem);
  ContactProblem& global() { return global_; }
  /// w := q + (W − L Lᵀ) r, so that the global problem's u equals W r + q at this r. Returns the largest change of w [m/s].
  double correct(const LocalContactProblem& problem, const VectorX& r);
  /// Largest entry of W − L Lᵀ relative to W's diagonal: zero when the factor is exact.
  double defect() const { return defect_; }

 private:
  BlockStructure structure_;
  BlockCholesky cholesky_;
  ContactProblem global_;
  VectorX v_, u_, Wr_;
  double defect_{0};
};

/// y = W x of the local problem.
void multiply(const LocalContactProblem& problem, const VectorX& x, VectorX& y);

}  // namespace stiction
