// Vectors of a plane.
#pragma once
#include "math/Types.hpp"

namespace stiction {

/// a × b: positive where b lies to the left of a.
inline double cross(const Vector2& a, const Vector2& b) { return a[0] * b[1] - a[1] * b[0]; }

}  // namespace stiction
