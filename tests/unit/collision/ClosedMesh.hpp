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

/// The same with every face cut into a rim and a middle, whose triangles have no edge of the solid.
inline Shape closedMeshWithMiddles(const Polytope& polytope) {
  std::vector<Vector3> vertices = polytope.vertices;
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : polytope.faces) {
    Vector3 centre = Vector3::Zero();
    for (const int v : face) centre += polytope.vertices[static_cast<std::size_t>(v)] / static_cast<double>(face.size());
    const int inner = static_cast<int>(vertices.size()), count = static_cast<int>(face.size());
    for (const int v : face) vertices.emplace_back(0.1 * centre + 0.9 * polytope.vertices[static_cast<std::size_t>(v)]);
    for (int k = 0; k < count; ++k) {
      const int next = (k + 1) % count, a = face[static_cast<std::size_t>(k)], b = face[static_cast<std::size_t>(next)];
      triangles.push_back({a, b, inner + next});
      triangles.push_back({a, inner + next, inner + k});
    }
    for (int k = 2; k < count; ++k) triangles.push_back({inner, inner + k - 1, inner + k});
  }
  return Shape::triangles(vertices, triangles);
}

}  // namespace stiction
