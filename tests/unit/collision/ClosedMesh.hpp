// A convex solid's surface as the triangles of a mesh.
#pragma once
#include "geometry/Shape.hpp"

namespace stiction {

inline Shape closedMesh(const Polytope& polytope) {
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : polytope.faces)
    for (std::size_t k = 2; k < face.size(); ++k) triangles.push_back({face[0], face[k - 1], face[k]});
  return Shape::triangles(polytope.vertices, triangles);
}

}  // namespace stiction
