// The product that fills a Newton matrix, for contacts at free bodies: compiled for several instruction sets and chosen at run time. No product is fused with a sum, so all give the same
// bits.
#pragma once

namespace stiction {

/// target (6 × 6, leading `leading`) += A D Bᵀ with A, B (6 × 3) and D (3 × 3), column major.
void addBodyProduct(const double* a, const double* d, const double* b, double* target, int leading);

}  // namespace stiction
