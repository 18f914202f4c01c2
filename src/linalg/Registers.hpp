// Two, four or eight numbers at a time, at any address, for code that is compiled for several instruction sets: each operation is element by element.
#pragma once
#include <type_traits>

#define STICTION_INLINE [[gnu::always_inline]] inline

namespace stiction {

using TwoNumbers [[gnu::vector_size(16)]] = double;
using FourNumbers [[gnu::vector_size(32)]] = double;
using EightNumbers [[gnu::vector_size(64)]] = double;

/// `Width` numbers. No more than a register of the instruction set holds: compilers take wider vectors to pieces by way of memory.
template <int Width>
struct Register {
  using Vector = std::conditional_t<Width == 8, EightNumbers, std::conditional_t<Width == 4, FourNumbers, TwoNumbers>>;
  struct [[gnu::packed, gnu::may_alias]] Loose {  // an alignment on the vector type itself is lost on Clang's way through references
    Vector value;
  };
  static constexpr int kWidth = Width;

  STICTION_INLINE static const Loose& load(const double* p) { return *reinterpret_cast<const Loose*>(p); }
  STICTION_INLINE static void store(double* p, const Vector& value) { reinterpret_cast<Loose*>(p)->value = value; }
};

}  // namespace stiction
