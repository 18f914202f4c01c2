// A block of touching spheres without walls, which falls apart: one island whose factorisations are dear, and large enough to be shared by threads.
#pragma once
#include "model/Model.hpp"

namespace stiction {

inline Model sphereBlock(int layers = 6) {
  constexpr double radius = 0.1;
  ModelBuilder builder;
  Geom floor;
  floor.shape = Shape::plane();
  floor.friction = 0.5;
  builder.addGeom(floor, Pose{});
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i)
        builder.addSolid("", Shape::sphere(radius), 1000,
                         {{(2 * i + 0.3 * (k % 2)) * radius, (2 * j - 0.2 * (k % 2)) * radius, (2 * k + 1) * radius}, Quaternion::Identity()}, 0.5);
  return builder.build();
}

}  // namespace stiction
