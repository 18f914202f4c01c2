#include "linalg/PanelKernel.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "linalg/Registers.hpp"

namespace stiction {
namespace {

using Size = std::size_t;

STICTION_INLINE Size at(int i) { return static_cast<Size>(i); }

/// The numbers of a pack in registers.
template <int Width>
struct Lanes : Register<Width> {
  using Vector = typename Register<Width>::Vector;
  static constexpr int kVectors = kPack / Width;  // of a pack

  /// Sum of a pack's numbers: halves are added, in the same order for any width.
  STICTION_INLINE static double total(Vector (&v)[kVectors]) {
    for (int half = kVectors / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) v[i] += v[i + half];
    const Vector& s = v[0];
    if constexpr (Width == 8)
      return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    else if constexpr (Width == 4)
      return (s[0] + s[2]) + (s[1] + s[3]);
    else
      return s[0] + s[1];
  }
};

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

/// `Vectors` vectors of rows of the product, N columns at a time: the rows of A come from memory for the first N only.
template <class L, int K, int N, int Vectors>
STICTION_INLINE void sumProductsOfRows(const PanelSource* sources, int count, double* work, int leading, int r, int n) {
  using Vector = typename L::Vector;
  for (int first = 0; first < n; first += N) {
    Vector sum[N][Vectors] = {};
    for (const PanelSource* source = sources; source != sources + count; ++source) {
      const double *a = source->a + r, *b = source->b + first;
#pragma GCC unroll 3  // more, and GCC runs out of registers
      for (int i = 0; i < K; ++i, a += source->lda, b += source->ldb) {
        Vector rows[Vectors];
        for (int q = 0; q < Vectors; ++q) rows[q] = L::load(a + q * L::kWidth).value;
        for (int c = 0; c < N; ++c)
          for (int q = 0; q < Vectors; ++q) sum[c][q] += rows[q] * b[c];
      }
    }
    for (int c = 0; c < N; ++c)
      for (int q = 0; q < Vectors; ++q) L::store(work + at(first + c) * at(leading) + at(r + q * L::kWidth), sum[c][q]);
  }
}

/// Two vectors of rows and six columns at a time fill the registers.
template <class L, int K, int N>
STICTION_INLINE void sumProducts(const PanelSource* sources, int count, double* work, int m, int n) {
  const int leading = packed(m);
  int r = 0;
  for (; r + 2 * L::kWidth <= leading; r += 2 * L::kWidth) sumProductsOfRows<L, K, N, 2>(sources, count, work, leading, r, n);
  if (r < leading) sumProductsOfRows<L, K, N, 1>(sources, count, work, leading, r, n);
}

template <class L>
STICTION_INLINE void sumProducts(const PanelSource* sources, int count, double* work, int m, int n, int k) {
  const int leading = packed(m);
  for (int r = 0; r < m; r += L::kWidth)
    for (int c = 0; c < n; ++c) {
      typename L::Vector sum{};
      for (const PanelSource* source = sources; source != sources + count; ++source)
        for (int i = 0; i < k; ++i) sum += L::load(source->a + at(i) * at(source->lda) + at(r)).value * source->b[at(i) * at(source->ldb) + at(c)];
      L::store(work + at(c) * at(leading) + at(r), sum);
    }
}

template <class L>
STICTION_INLINE void product(const PanelSource* sources, int count, double* work, int m, int n, int k) {
  if (n % 6 == 0 && k == 6)
    sumProducts<L, 6, 6>(sources, count, work, m, n);
  else if (n % 3 == 0 && k == 3)
    sumProducts<L, 3, 3>(sources, count, work, m, n);
  else
    sumProducts<L>(sources, count, work, m, n, k);
}

template <class L>
STICTION_INLINE void times(const double* a, int lda, const double* x, double* y, int m, int k) {
  dispatchColumns(
      k, [&]<int K>() __attribute__((always_inline)) {
        const int columns = K > 0 ? K : k;
        for (int r = 0; r < packed(m); r += L::kWidth) {
          typename L::Vector sum = L::load(a + r).value * x[0];
          for (int i = 1; i < columns; ++i) sum += L::load(a + at(i) * at(lda) + at(r)).value * x[i];
          L::store(y + r, sum);
        }
      });
}

/// Sums of K columns at a time.
template <class L, int K>
STICTION_INLINE void dotsOfColumns(const double* a, int lda, const double* y, double* sums, int m) {
  typename L::Vector sum[K][L::kVectors] = {};
  for (int r = 0; r < m; r += kPack)
    for (int i = 0; i < K; ++i)
      for (int q = 0; q < L::kVectors; ++q) sum[i][q] += L::load(a + at(i) * at(lda) + at(r + q * L::kWidth)).value * L::load(y + r + q * L::kWidth).value;
  for (int i = 0; i < K; ++i) sums[i] = L::total(sum[i]);
}

template <class L>
STICTION_INLINE void dots(const double* a, int lda, const double* y, double* sums, int m, int k) {
  dispatchColumns(
      k, [&]<int K>() __attribute__((always_inline)) {
        if constexpr (K > 0)
          dotsOfColumns<L, K>(a, lda, y, sums, m);
        else
          for (int i = 0; i < k; ++i) dotsOfColumns<L, 1>(a + at(i) * at(lda), lda, y, sums + i, m);
      });
}

template <class L>
STICTION_INLINE void subtractRows(const double* from, double* to, int rows) {
  int r = 0;
  for (; r + L::kWidth <= rows; r += L::kWidth) L::store(to + r, L::load(to + r).value - L::load(from + r).value);
  if constexpr (L::kWidth > 2)
    subtractRows<Lanes<L::kWidth / 2>>(from + r, to + r, rows - r);
  else if (r < rows)
    to[r] -= from[r];
}

template <class L>
STICTION_INLINE void subtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {
  for (int i = 0; i < count; ++i) {
    const double* from = work + runs[i].from;
    double* to = target + runs[i].to;
    if (runs[i].rows == 6)
      for (int c = 0; c < n; ++c, from += ldWork, to += ldTarget) subtractRows<L>(from, to, 6);
    else
      for (int c = 0; c < n; ++c, from += ldWork, to += ldTarget) subtractRows<L>(from, to, runs[i].rows);
  }
}

/// Ones around a zero, which is the kth number from kMostInverted − 1 − k on.
constexpr auto kAllButOne = [] {
  std::array<double, 2 * kMostInverted> numbers{};
  numbers.fill(1.0);
  numbers[kMostInverted - 1] = 0.0;
  return numbers;
}();

/// Gauss and Jordan's exchange of unknowns with right-hand sides, one pair for each column, in rows of `Columns` numbers; the row with the largest entry left is exchanged.
/// No entry is written by itself: the registers that read it next would wait for that.
template <class L, int Columns>
STICTION_INLINE bool invert(const double* a, int lda, double* inverse, int n) {
  constexpr int vectors = Columns / L::kWidth;
  using Vector = typename L::Vector;
  double rows[kMostInverted][Columns] = {};
  int order[kMostInverted];  // rows, those exchanged first
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    for (int j = 0; j < n; ++j) rows[i][j] = a[at(i) + at(j) * at(lda)];
  }
  bool isNegative = false;
  for (int k = 0; k < n; ++k) {
    int best = k;
    double largest = std::abs(rows[order[k]][k]);
    for (int i = k + 1; i < n; ++i) {
      const double size = std::abs(rows[order[i]][k]);
      best = size > largest ? i : best;
      largest = size > largest ? size : largest;
    }
    std::swap(order[k], order[best]);
    double* const row = rows[order[k]];
    const double pivot = row[k], scale = 1.0 / pivot;
    isNegative = isNegative != ((pivot < 0) != (best != k));
    const double* const others = kAllButOne.data() + kMostInverted - 1 - k;
    Vector exchanged[vectors];
    for (int q = 0; q < vectors; ++q) {
      const Vector mask = L::load(others + q * L::kWidth).value;
      exchanged[q] = (L::load(row + q * L::kWidth).value * mask + (1.0 - mask)) * scale;
    }
    for (int i = 0; i < n; ++i) {
      const double factor = rows[i][k];
      for (int q = 0; q < vectors; ++q) {
        double* const to = rows[i] + q * L::kWidth;
        L::store(to, L::load(to).value * L::load(others + q * L::kWidth).value - factor * exchanged[q]);
      }
    }
    for (int q = 0; q < vectors; ++q) L::store(row + q * L::kWidth, exchanged[q]);
  }
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k) inverse[at(k) + at(order[j]) * at(n)] = rows[order[k]][j];
  return isNegative;
}

template <class L>
STICTION_INLINE bool invert(const double* a, int lda, double* inverse, int n) {
  return n <= kPack ? invert<L, kPack>(a, lda, inverse, n) : invert<L, kMostInverted>(a, lda, inverse, n);
}

struct Kernels {
  decltype(&panelProduct) product;
  decltype(&panelTimes) times;
  decltype(&panelDots) dots;
  decltype(&panelSubtract) subtract;
  decltype(&panelInverse) inverse;
};

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute takes none, nor does a template's argument
// The kernels for one instruction set, by registers of that many numbers.
#define STICTION_KERNELS(NAME, WIDTH, TARGET)                                                                                                  \
  TARGET void NAME##Product(const PanelSource* sources, int count, double* work, int m, int n, int k) {                                        \
    product<Lanes<WIDTH>>(sources, count, work, m, n, k);                                                                                      \
  }                                                                                                                                            \
  TARGET void NAME##Times(const double* a, int lda, const double* x, double* y, int m, int k) { times<Lanes<WIDTH>>(a, lda, x, y, m, k); }     \
  TARGET void NAME##Dots(const double* a, int lda, const double* y, double* sums, int m, int k) { dots<Lanes<WIDTH>>(a, lda, y, sums, m, k); } \
  TARGET void NAME##Subtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {             \
    subtract<Lanes<WIDTH>>(work, ldWork, target, ldTarget, runs, count, n);                                                                    \
  }                                                                                                                                            \
  TARGET bool NAME##Inverse(const double* a, int lda, double* inverse, int n) { return invert<Lanes<WIDTH>>(a, lda, inverse, n); }             \
  constexpr Kernels NAME{NAME##Product, NAME##Times, NAME##Dots, NAME##Subtract, NAME##Inverse};
// NOLINTEND(bugprone-macro-parentheses)

STICTION_KERNELS(baseline, 2, )
#if defined(__x86_64__)
STICTION_KERNELS(avx2, 4, [[gnu::target("avx2,fma")]])
STICTION_KERNELS(avx512, 8, [[gnu::target("avx512f")]])
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
bool panelInverse(const double* a, int lda, double* inverse, int n) { return kernels.inverse(a, lda, inverse, n); }
void panelSubtract(const double* work, int ldWork, double* target, int ldTarget, const RowRun* runs, int count, int n) {
  kernels.subtract(work, ldWork, target, ldTarget, runs, count, n);
}

}  // namespace stiction
