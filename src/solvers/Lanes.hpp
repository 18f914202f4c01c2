// Two or four numbers at a time, whatever the processor does at once: each operation is element by element, with the same bits on all of them.
#pragma once
#include <cmath>

#include "linalg/Registers.hpp"

namespace stiction {

using Two [[gnu::vector_size(16), gnu::aligned(16), gnu::may_alias]] = double;
using Four [[gnu::vector_size(32), gnu::aligned(32), gnu::may_alias]] = double;

/// The four numbers at x.
STICTION_INLINE Four& four(double* x) { return *reinterpret_cast<Four*>(x); }
STICTION_INLINE const Four& four(const double* x) { return *reinterpret_cast<const Four*>(x); }

STICTION_INLINE void squareRoot(double x, double& root) { root = std::sqrt(x); }
STICTION_INLINE void squareRoot(const Four& x, Four& root) { root = Four{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])}; }

}  // namespace stiction
