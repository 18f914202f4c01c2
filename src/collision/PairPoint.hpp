// What a pair function of the narrow phase appends: one contact point of two shapes, before materials and keys are attached.
#pragma once
#include <cstdint>

#include "math/Types.hpp"

namespace stiction {

struct PairPoint {
  Vector3 point{Vector3::Zero()};   // [m] world, midway between the two surfaces
  Vector3 normal{Vector3::Zero()};  // [-] unit, world, from A to B
  double gap{0};                    // [m] signed, along the normal, at this point; negative where the shapes overlap
  std::uint64_t feature{0};         // which features of the two shapes meet; the same from step to step for the same physical features
};

}  // namespace stiction
