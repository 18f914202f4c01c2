// The turn of a contact whose own block is diag(a, t, t), as between balls, over-relaxed; or of four such contacts by lanes.
//
//   free   x = r − (u_n/a, u_T/t)
//   r⁺     as far as its own law asks where it slips (‖x_T‖ > μ x_n), ω times as far where it sticks or presses, each part cut off at its bound
// Friction that follows a load that overshoots goes round in circles. Without a branch that the processor could guess wrong.
#pragma once
#include <limits>

#include "solvers/Lanes.hpp"

namespace stiction {

/// The normal part where there is no friction. `n`: u_n/a [N s].
template <class Number>
STICTION_INLINE void pressDiagonal(const Number& old, const Number& n, double relaxation, Number& next) {
  const Number zero{}, far = old - relaxation * n;
  next = far > zero ? far : zero;
}

/// `n`, `s`, `t`: u_n/a, u_t1/t, u_t2/t [N s].
template <class Number>
STICTION_INLINE void followDiagonal(const Number (&old)[3], const Number& n, const Number& s, const Number& t, const Number& mu, double relaxation,
                                    Number (&next)[3]) {
  const Number zero{}, one = zero + 1.0, least = zero + std::numeric_limits<double>::min();
  const Number pressed = old[0] - n, bound = mu * (pressed > zero ? pressed : zero), p = old[1] - s, q = old[2] - t;
  const Number way = p * p + q * q > bound * bound ? one : zero + relaxation;
  const Number far = old[0] - way * n, x = old[1] - way * s, z = old[2] - way * t;
  next[0] = far > zero ? far : zero;
  Number length;
  squareRoot(x * x + z * z, length);
  const Number ratio = mu * next[0] / (length > least ? length : least), part = ratio < one ? ratio : one;
  next[1] = part * x;
  next[2] = part * z;
}

}  // namespace stiction
