// Shared inside the geometry room: completing a polytope from its faces, and volume integrals over closed triangle surfaces.
#pragma once
#include "geometry/Shape.hpp"

namespace stiction {

/// Fills normals, offsets, edges, neighbours, centre and radius of a polytope given by vertices and faces (counter-clockwise seen from outside).
/// Every face edge must meet exactly one other face in the opposite sense.
Polytope assemblePolytope(std::vector<Vector3> vertices, std::vector<std::vector<int>> faces);

/// The same volume integrals for any closed surface: fans of triangles, counter-clockwise seen from outside.
class VolumeIntegral {
 public:
  explicit VolumeIntegral(const Vector3& origin) : origin_{origin} {}
  void addTriangle(const Vector3& a, const Vector3& b, const Vector3& c);
  MassProperties result() const;  // volume <= 0 when the surface is degenerate or inside out

 private:
  Vector3 origin_;                   // [m] reference near the surface, against cancellation
  double volume_{0};                 // [m³]
  Vector3 first_{Vector3::Zero()};   // [m⁴] ∫ x dV
  Matrix3 second_{Matrix3::Zero()};  // [m⁵] ∫ x xᵀ dV
};

}  // namespace stiction
