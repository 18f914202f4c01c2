// Equality of bits: what repeats bit by bit needs no computing. −0 differs from 0, and a NaN equals itself.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "math/Types.hpp"

namespace stiction {

inline bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
inline bool sameBits(const Vector3& a, const Vector3& b) { return std::memcmp(a.data(), b.data(), 3 * sizeof(double)) == 0; }
inline bool sameBits(const Quaternion& a, const Quaternion& b) { return std::memcmp(a.coeffs().data(), b.coeffs().data(), 4 * sizeof(double)) == 0; }
inline bool sameBits(const Pose& a, const Pose& b) { return sameBits(a.position, b.position) && sameBits(a.rotation, b.rotation); }

}  // namespace stiction
