// Few points for one contact patch: coincident points are merged, and a patch of more than eight keeps its support polygon.
#pragma once
#include <cstddef>
#include <vector>

#include "collision/PairPoint.hpp"

namespace stiction {

constexpr std::size_t max_manifold_points{8};

/// Merges points of the same normal that coincide within 1e-12 of `size` [m] (the smaller feature id stays). Of each patch (points of one normal) with more than eight
/// points those spanning the largest area in the contact plane stay, and the deepest where it is deeper than they by more than 3e-7 of the size.
/// What stays depends on the set of points only, not on their order; ids are made unique and the result is sorted by them.
void reduceManifold(double size, std::vector<PairPoint>& points);

}  // namespace stiction
