// The linear complementarity problem of frictionless contact:   0 <= λ ⊥ w = A λ − b >= 0,   A = J M⁻¹ Jᵀ symmetric positive semidefinite.
//
// Dual active set (Goldfarb and Idnani 1983) of  min ½‖v − v_free‖²_M  s.t.  J v >= c, in the multipliers alone: the most violated row enters, rows whose multiplier would fall below
// zero leave on the way. Finite: the dual objective grows with every row that enters. Redundant rows never enter beside those that imply them; a row that no impulse can
// satisfy is proof that there is no answer.
// Cost: O(k²) per change of the k active rows (Cholesky factor extended and shortened in place), O(n k) for w.
#pragma once
#include "math/Types.hpp"

namespace stiction {

struct LcpAnswer {
  VectorX lambda;         // (n) >= 0
  bool converged{false};  // all conditions hold to round-off
  int iterations{0};      // rows that entered or left
  int activeRows{0};
  int impossibleRow{-1};  // row that the active ones contradict, -1 when there is none
};

/// A (n × n), b (n). `limit`: changes of the active set at most; 0: 100 n + 1000, never reached by healthy data.
LcpAnswer solveLcp(const MatrixX& A, const VectorX& b, int limit = 0);

}  // namespace stiction
