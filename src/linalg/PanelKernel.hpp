// The dense kernels of the factorisations and of their solves, for a tall panel A and a small block B. Compiled for several instruction sets and chosen at run time. Every entry
// is summed in the same order, each product fused with its sum where the processor can (this file alone is compiled so): AVX2 and AVX-512 give the same bits, processors without
// fused multiply-add others.
//
// Rows are taken kPack at a time: panels must be readable, and results writable, up to the next multiple of kPack rows; what is read beyond is finite and counts for nothing.
#pragma once

namespace stiction {

constexpr int kPack = 8;

constexpr int packed(int rows) { return (rows + kPack - 1) / kPack * kPack; }

/// A (m × k, leading lda) and B (n × k, leading ldb), column major.
struct PanelSource {
  const double* a;
  int lda;
  const double* b;
  int ldb;
};

/// work (m × n, leading packed(m)) = Σ A Bᵀ over `count` sources.
void panelProduct(const PanelSource* sources, int count, double* work, int m, int n, int k);

/// y (packed(m)) = A x.
void panelTimes(const double* a, int lda, const double* x, double* y, int m, int k);

/// sums (k) = Aᵀ y, with y (packed(m)) zero from row m on.
void panelDots(const double* a, int lda, const double* y, double* sums, int m, int k);

constexpr int kMostInverted = 16;

/// inverse (n × n, leading n) = A⁻¹ of the n × n block at `a` (leading lda), n <= kMostInverted, pivoting by rows; infinite or not a number where A is singular. Returns whether det A < 0.
bool panelInverse(const double* a, int lda, double* inverse, int n);

/// Rows of a product that lie together in the target too: `rows` of them, `from` on to `to` on.
struct RowRun {
  int from, to, rows;
};

/// target (leading ldTarget) −= work (leading ldWork), run by run, n columns.
void panelSubtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n);

}  // namespace stiction
