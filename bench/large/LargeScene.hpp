// Scenes of any size, built in memory: what a scene file of a hundred thousand bodies would hold.
#pragma once
#include "model/Model.hpp"

namespace stiction::bench {

struct LargeScene {
  Model model;
  double radius{0}, height{0};  // [m] of a column at its start; 0: of no column
};

/// Spheres of 0.1 m in ten layers, jittered, that fall into a box as wide as they need: a shell, whatever their number.
LargeScene makeHeap(int bodies);
/// A wall in running bond, twice as long as high; bricks of 1 m × 0.5 m × 0.5 m, μ 0.6, at rest.
LargeScene makeWall(int bodies);
/// A round column of spheres of 0.1 m on a floor, `aspect` times as high as its radius, jittered, about to collapse; μ 0.5.
LargeScene makeColumn(int bodies, double aspect);

}  // namespace stiction::bench
