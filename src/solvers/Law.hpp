// Which law of friction a method solves: Coulomb's, strictly; its convex relaxation; bounds on each tangent axis.
#pragma once
#include <cstdint>

namespace stiction {

enum class Law : std::uint8_t { Coulomb, Convex, Box };
const char* name(Law law);

}  // namespace stiction
