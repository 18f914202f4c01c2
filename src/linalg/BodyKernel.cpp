#include "linalg/BodyKernel.hpp"

#include "linalg/Registers.hpp"

namespace stiction {
namespace {

/// The first `Width` rows of the product.
template <int Width>
STICTION_INLINE void addRows(const double* a, const double* d, const double* b, double* target, int leading) {
  using R = Register<Width>;
  typename R::Vector ad[3];
  for (int k = 0; k < 3; ++k) ad[k] = R::load(a).value * d[3 * k] + R::load(a + 6).value * d[3 * k + 1] + R::load(a + 12).value * d[3 * k + 2];
  for (int j = 0; j < 6; ++j, target += leading) R::store(target, R::load(target).value + (ad[0] * b[j] + ad[1] * b[j + 6] + ad[2] * b[j + 12]));
}

void baseline(const double* a, const double* d, const double* b, double* target, int leading) {
  for (int r = 0; r < 6; r += 2) addRows<2>(a + r, d, b, target + r, leading);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void avx2(const double* a, const double* d, const double* b, double* target, int leading) {
  addRows<4>(a, d, b, target, leading);
  addRows<2>(a + 4, d, b, target + 4, leading);
}
#endif

decltype(&addBodyProduct) choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2;
#endif
  return baseline;
}

const auto kernel = choose();

}  // namespace

void addBodyProduct(const double* a, const double* d, const double* b, double* target, int leading) { kernel(a, d, b, target, leading); }

}  // namespace stiction
