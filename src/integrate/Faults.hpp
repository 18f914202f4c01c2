// What is out of place after a (sub)step, for the projection to see to.
#pragma once
#include <algorithm>

namespace stiction {

struct Faults {
  double way{0};        // [m] that the worst of them has to go in one pass, 0 when nothing asks
  double overlap{0};    // [-] of the size of the bodies: the deepest overlap, or the largest error of a constraint
  bool hasGaps{false};  // contacts overlap or have parted, where anchors alone may be out of place
  bool hasRows{false};  // bodies are off constraints that hold both ways: ends of ranges are let come back in their time
};

/// Correction [m] in one pass of a (sub)step of h [s] at most, of a contact or row whose pair or bodies have that size [m]: deep overlaps come out at a bounded speed.
inline double farthestCorrection(double size, double h) {
  constexpr double largest = 0.2;  // [-] of the size
  constexpr double speed = 10.0;   // [1/s] times the size
  return std::min(largest, speed * h) * size;
}

}  // namespace stiction
