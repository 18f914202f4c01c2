// The law of friction that is asked for, or that a method solves: Coulomb's, strictly; its convex relaxation, û = u without De Saxcé's correction; |r_t| <= μ r_n/√2 on each
// tangent axis.
#pragma once
#include <cstdint>

namespace stiction {

enum class Law : std::uint8_t { Coulomb, Convex, Box };

/// As in files and on the command line.
inline const char* name(Law law) {
  switch (law) {
    case Law::Coulomb: return "coulomb";
    case Law::Convex: return "convex";
    case Law::Box: return "box";
  }
  return "unknown";
}

}  // namespace stiction
