#include "linalg/PanelKernel.hpp"

#include <cstddef>

namespace stiction {
namespace {

/// One column of the result: Σ_i a_i b_i with the K columns of A at once.
template <int K>
[[gnu::always_inline]] inline void column(const double* __restrict a, std::size_t lda, const double* __restrict b, std::size_t ldb, double* __restrict out,
                                          int m) {
  double factor[K];
  for (int i = 0; i < K; ++i) factor[i] = b[static_cast<std::size_t>(i) * ldb];
  for (int r = 0; r < m; ++r) {
    double sum = a[r] * factor[0];
    for (int i = 1; i < K; ++i) sum += a[static_cast<std::size_t>(i) * lda + static_cast<std::size_t>(r)] * factor[i];
    out[r] = sum;
  }
}

[[gnu::always_inline]] inline void product(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k) {
  const std::size_t strideA = static_cast<std::size_t>(lda), strideB = static_cast<std::size_t>(ldb);
  for (int c = 0; c < n; ++c) {
    double* out = work + static_cast<std::size_t>(c) * static_cast<std::size_t>(m);
    if (k == 6) {
      column<6>(a, strideA, b + c, strideB, out, m);
    } else if (k == 3) {
      column<3>(a, strideA, b + c, strideB, out, m);
    } else {
      for (int r = 0; r < m; ++r) {
        double sum = 0;
        for (int i = 0; i < k; ++i)
          sum +=
              a[static_cast<std::size_t>(i) * strideA + static_cast<std::size_t>(r)] * b[static_cast<std::size_t>(i) * strideB + static_cast<std::size_t>(c)];
        out[r] = sum;
      }
    }
  }
}

void baseline(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k) { product(a, lda, b, ldb, work, m, n, k); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void avx2(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k) {
  product(a, lda, b, ldb, work, m, n, k);
}
[[gnu::target("avx512f")]] void avx512(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k) {
  product(a, lda, b, ldb, work, m, n, k);
}
#endif

using Kernel = void (*)(const double*, int, const double*, int, double*, int, int, int);

Kernel choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2")) return avx2;
#endif
  return baseline;
}

const Kernel kernel = choose();

}  // namespace

void panelProduct(const double* a, int lda, const double* b, int ldb, double* work, int m, int n, int k) { kernel(a, lda, b, ldb, work, m, n, k); }

}  // namespace stiction
