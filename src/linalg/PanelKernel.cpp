#include "linalg/PanelKernel.hpp"

#include <cstddef>

namespace stiction {
namespace {

using Pack [[gnu::vector_size(8 * kPack)]] = double;
struct [[gnu::packed, gnu::may_alias]] LoosePack {  // at any address; an alignment on the vector type itself is lost on Clang's way through references
  Pack value;
};
using Size = std::size_t;

#define STICTION_INLINE [[gnu::always_inline]] inline

STICTION_INLINE Size at(int i) { return static_cast<Size>(i); }
STICTION_INLINE const LoosePack& load(const double* p) { return *reinterpret_cast<const LoosePack*>(p); }
STICTION_INLINE void store(double* p, const Pack& value) { reinterpret_cast<LoosePack*>(p)->value = value; }

/// Calls `f.template operator()<K>()` with the number of columns as a constant where it is a usual one, 0 elsewhere.
template <class F>
STICTION_INLINE void dispatchColumns(int k, const F& f) {
  if (k == 6)
    f.template operator()<6>();
  else if (k == 3)
    f.template operator()<3>();
  else
    f.template operator()<0>();
}

/// `Packs` packs of rows of the product, N columns at a time: the rows of A come from memory for the first N only.
template <int K, int N, int Packs>
STICTION_INLINE void sumProductsOfRows(const PanelSource* sources, int count, double* work, int leading, int r, int n) {
  for (int first = 0; first < n; first += N) {
    Pack sum[N][Packs];
    for (int c = 0; c < N; ++c)
      for (int q = 0; q < Packs; ++q) sum[c][q] = Pack{};
    for (const PanelSource* source = sources; source != sources + count; ++source) {
      const double *a = source->a + r, *b = source->b + first;
      for (int i = 0; i < K; ++i, a += source->lda, b += source->ldb) {
        Pack rows[Packs];
        for (int q = 0; q < Packs; ++q) rows[q] = load(a + q * kPack).value;
        for (int c = 0; c < N; ++c)
          for (int q = 0; q < Packs; ++q) sum[c][q] += rows[q] * b[c];
      }
    }
    for (int c = 0; c < N; ++c)
      for (int q = 0; q < Packs; ++q) store(work + at(first + c) * at(leading) + at(r + q * kPack), sum[c][q]);
  }
}

/// As many packs at a time as there are registers for.
template <int K, int N, int Packs>
STICTION_INLINE void sumProducts(const PanelSource* sources, int count, double* work, int m, int n) {
  const int leading = packed(m);
  int r = 0;
  for (; r + Packs * kPack <= leading; r += Packs * kPack) sumProductsOfRows<K, N, Packs>(sources, count, work, leading, r, n);
  for (; r < m; r += kPack) sumProductsOfRows<K, N, 1>(sources, count, work, leading, r, n);
}

STICTION_INLINE void sumProducts(const PanelSource* sources, int count, double* work, int m, int n, int k) {
  const int leading = packed(m);
  for (int r = 0; r < m; r += kPack)
    for (int c = 0; c < n; ++c) {
      Pack sum{};
      for (const PanelSource* source = sources; source != sources + count; ++source)
        for (int i = 0; i < k; ++i) sum += load(source->a + at(i) * at(source->lda) + at(r)).value * source->b[at(i) * at(source->ldb) + at(c)];
      store(work + at(c) * at(leading) + at(r), sum);
    }
}

template <int Packs>
STICTION_INLINE void product(const PanelSource* sources, int count, double* work, int m, int n, int k) {
  if (n % 6 == 0 && k == 6)
    sumProducts<6, 6, Packs>(sources, count, work, m, n);
  else if (n % 3 == 0 && k == 3)
    sumProducts<3, 3, Packs>(sources, count, work, m, n);
  else
    sumProducts(sources, count, work, m, n, k);
}

STICTION_INLINE void times(const double* a, int lda, const double* x, double* y, int m, int k) {
  dispatchColumns(
      k, [&]<int K>() __attribute__((always_inline)) {
        const int columns = K > 0 ? K : k;
        for (int r = 0; r < m; r += kPack) {
          Pack sum = load(a + r).value * x[0];
          for (int i = 1; i < columns; ++i) sum += load(a + at(i) * at(lda) + at(r)).value * x[i];
          store(y + r, sum);
        }
      });
}

STICTION_INLINE double total(const Pack& v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

STICTION_INLINE void dots(const double* a, int lda, const double* y, double* sums, int m, int k) {
  dispatchColumns(
      k, [&]<int K>() __attribute__((always_inline)) {
        if constexpr (K > 0) {
          Pack sum[K];
          for (int i = 0; i < K; ++i) sum[i] = Pack{};
          for (int r = 0; r < m; r += kPack)
            for (int i = 0; i < K; ++i) sum[i] += load(a + at(i) * at(lda) + at(r)).value * load(y + r).value;
          for (int i = 0; i < K; ++i) sums[i] = total(sum[i]);
        } else {
          for (int i = 0; i < k; ++i) {
            Pack sum{};
            for (int r = 0; r < m; r += kPack) sum += load(a + at(i) * at(lda) + at(r)).value * load(y + r).value;
            sums[i] = total(sum);
          }
        }
      });
}

STICTION_INLINE void subtractRows(const double* from, double* to, int rows) {
  int r = 0;
  for (; r + kPack <= rows; r += kPack) store(to + r, load(to + r).value - load(from + r).value);
  for (; r + 2 <= rows; r += 2) to[r] -= from[r], to[r + 1] -= from[r + 1];
  if (r < rows) to[r] -= from[r];
}

STICTION_INLINE void subtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {
  for (int i = 0; i < count; ++i) {
    const double* from = work + runs[i].from;
    double* to = target + runs[i].to;
    if (runs[i].rows == 6)
      for (int c = 0; c < n; ++c, from += ldWork, to += ldTarget) subtractRows(from, to, 6);
    else
      for (int c = 0; c < n; ++c, from += ldWork, to += ldTarget) subtractRows(from, to, runs[i].rows);
  }
}

struct Kernels {
  decltype(&panelProduct) product;
  decltype(&panelTimes) times;
  decltype(&panelDots) dots;
  decltype(&panelSubtract) subtract;
};

// The four kernels for one instruction set, the product with so many packs at a time.
#define STICTION_KERNELS(NAME, PACKS, TARGET)                                                                                                            \
  TARGET void NAME##Product(const PanelSource* sources, int count, double* work, int m, int n, int k) { product<PACKS>(sources, count, work, m, n, k); } \
  TARGET void NAME##Times(const double* a, int lda, const double* x, double* y, int m, int k) { times(a, lda, x, y, m, k); }                             \
  TARGET void NAME##Dots(const double* a, int lda, const double* y, double* sums, int m, int k) { dots(a, lda, y, sums, m, k); }                         \
  TARGET void NAME##Subtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {                       \
    subtract(work, ldWork, target, ldTarget, runs, count, n);                                                                                            \
  }                                                                                                                                                      \
  constexpr Kernels NAME{NAME##Product, NAME##Times, NAME##Dots, NAME##Subtract};

STICTION_KERNELS(baseline, 1, )
#if defined(__x86_64__)
STICTION_KERNELS(avx2, 1, [[gnu::target("avx2,fma")]])
STICTION_KERNELS(avx512, 2, [[gnu::target("avx512f")]])
#endif

Kernels choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#endif
  return baseline;
}

const Kernels kernels = choose();

}  // namespace

void panelProduct(const PanelSource* sources, int count, double* work, int m, int n, int k) { kernels.product(sources, count, work, m, n, k); }
void panelTimes(const double* a, int lda, const double* x, double* y, int m, int k) { kernels.times(a, lda, x, y, m, k); }
void panelDots(const double* a, int lda, const double* y, double* sums, int m, int k) { kernels.dots(a, lda, y, sums, m, k); }
void panelSubtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {
  kernels.subtract(work, ldWork, target, ldTarget, runs, count, n);
}

}  // namespace stiction
