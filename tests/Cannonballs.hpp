// Where the balls of a square pile lie: touching, each in the hollow of four below, the lowest on a floor at z = 0.
#pragma once
#include <cmath>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

inline std::vector<Vector3> cannonballCentres(int layers, double radius) {
  std::vector<Vector3> centres;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < layers - layer; ++i)
      for (int j = 0; j < layers - layer; ++j) centres.emplace_back(radius * Vector3{2.0 * i + layer, 2.0 * j + layer, 1 + layer * std::sqrt(2.0)});
  return centres;
}

}  // namespace stiction
