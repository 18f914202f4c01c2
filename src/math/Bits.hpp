// Equality of bits: what repeats bit by bit needs no computing. −0 differs from 0, and a NaN equals itself.
#pragma once
#include <bit>
#include <cstdint>

#include "math/Types.hpp"

namespace stiction {

inline bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool sameBits(const Vector3& a, const Vector3& b) { return sameBits(a[0], b[0]) && sameBits(a[1], b[1]) && sameBits(a[2], b[2]); }
inline bool sameBits(const Quaternion& a, const Quaternion& b) { return sameBits(Vector3{a.vec()}, Vector3{b.vec()}) && sameBits(a.w(), b.w()); }
inline bool sameBits(const Pose& a, const Pose& b) { return sameBits(a.position, b.position) && sameBits(a.rotation, b.rotation); }

}  // namespace stiction
