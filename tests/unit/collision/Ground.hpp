// Ground over [-1, 1]², as a height field and as a mesh.
#pragma once
#include "geometry/Shape.hpp"

namespace stiction {

/// Terrain of z(x, y) on n × n points over [-1, 1]².
template <class Height>
Shape terrain(int n, Height height) {
  HeightField field{n, n, 1, 1, 0.5, {}};
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) field.heights.push_back(height(-1 + 2.0 * c / (n - 1), -1 + 2.0 * r / (n - 1)));
  return Shape::terrain(field);
}

/// The same surface as a mesh.
inline Shape meshOf(const Shape& terrain) {
  const HeightField& field = *terrain.heightField;
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int r = 0; r < field.rows; ++r)
    for (int c = 0; c < field.columns; ++c) {
      vertices.push_back({-1 + 2.0 * c / (field.columns - 1), -1 + 2.0 * r / (field.rows - 1), field.heights[static_cast<std::size_t>(r * field.columns + c)]});
      const int v = r * field.columns + c;
      if (r + 1 == field.rows || c + 1 == field.columns) continue;
      triangles.push_back({v, v + 1, v + field.columns + 1});
      triangles.push_back({v, v + field.columns + 1, v + field.columns});
    }
  return Shape::triangles(vertices, triangles);
}

}  // namespace stiction
