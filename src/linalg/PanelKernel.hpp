// The one dense kernel of the factorisations: work = A Bᵀ for a tall panel A and a small block B. Compiled for several instruction sets and chosen at run time; no product
// is fused with its sum, and every entry is summed in the same order, so all of them give the same bits.
#pragma once

namespace stiction {

/// work (m × n, leading m) = A (m × k, leading lda) · B (n × k, leading ldb)ᵀ, column major.
void panelProduct(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k);

}  // namespace stiction
