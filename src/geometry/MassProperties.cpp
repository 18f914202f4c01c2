// Volume, centre and inertia of the shapes at unit density.
//   polyhedra: ∫ f dV over the signed tetrahedra (origin, a, b, c) of a closed surface, which the divergence theorem makes exact for the polyhedron:
//     V = det/6,  ∫x dV = V (a+b+c)/4,  ∫xxᵀ dV = V/20 (aaᵀ + bbᵀ + ccᵀ + ssᵀ),  s = a+b+c   (Mirtich 1996; Tonon 2004)
//   I = tr(S) 1 − S with S = ∫xxᵀ dV about the centre.
#include <cmath>
#include <numbers>

#include "base/Error.hpp"
#include "geometry/Polyhedra.hpp"

namespace stiction {
namespace {

using std::numbers::pi;

MassProperties symmetric(double volume, const Vector3& diagonal) { return {volume, Vector3::Zero(), Matrix3{diagonal.asDiagonal()}}; }

MassProperties ofEllipsoid(const Vector3& s) {
  const double volume = 4.0 / 3.0 * pi * s.prod();
  const Vector3 q = s.cwiseAbs2();
  return symmetric(volume, volume / 5.0 * Vector3{q.y() + q.z(), q.x() + q.z(), q.x() + q.y()});
}

MassProperties ofBox(const Vector3& s) {
  const double volume = 8.0 * s.prod();
  const Vector3 q = s.cwiseAbs2();
  return symmetric(volume, volume / 3.0 * Vector3{q.y() + q.z(), q.x() + q.z(), q.x() + q.y()});
}

MassProperties ofCylinder(double r, double l) {
  const double volume = 2.0 * pi * r * r * l;
  const double across = volume * (r * r / 4.0 + l * l / 3.0);
  return symmetric(volume, {across, across, volume * r * r / 2.0});
}

MassProperties ofCapsule(double r, double l) {
  const double tube = 2.0 * pi * r * r * l;
  const double caps = 4.0 / 3.0 * pi * r * r * r;
  const double across = tube * (r * r / 4.0 + l * l / 3.0) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
  return symmetric(tube + caps, {across, across, tube * r * r / 2.0 + caps * 0.4 * r * r});
}

MassProperties ofPolytope(const Polytope& polytope) {
  VolumeIntegral integral{polytope.centre};
  for (const std::vector<int>& face : polytope.faces)
    for (std::size_t k = 2; k < face.size(); ++k) {
      const auto vertex = [&](std::size_t i) { return polytope.vertices[static_cast<std::size_t>(face[i])]; };
      integral.addTriangle(vertex(0), vertex(k - 1), vertex(k));
    }
  return integral.result();
}

MassProperties ofMesh(const TriangleMesh& mesh) {
  for (const auto& across : mesh.adjacent)
    for (const int other : across)
      if (other < 0) throw InputError{"mesh", "open surface", "closed, every edge shared by two triangles", "close the holes, or use the convex hull"};
  VolumeIntegral integral{mesh.vertices[0]};
  for (const auto& [a, b, c] : mesh.triangles)
    integral.addTriangle(mesh.vertices[static_cast<std::size_t>(a)], mesh.vertices[static_cast<std::size_t>(b)], mesh.vertices[static_cast<std::size_t>(c)]);
  const MassProperties result = integral.result();
  const double size = (mesh.nodes[0].high - mesh.nodes[0].low).norm();
  if (!(result.volume > 1e-12 * size * size * size))
    throw InputError{"mesh volume", std::to_string(result.volume) + " m³", "> 0",
                     "order the triangles counter-clockwise seen from outside; use a solid, not a sheet"};
  return result;
}

}  // namespace

void VolumeIntegral::addTriangle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 u = a - origin_, v = b - origin_, w = c - origin_;
  const double tetrahedron = u.dot(v.cross(w)) / 6.0;
  const Vector3 sum = u + v + w;
  volume_ += tetrahedron;
  first_ += tetrahedron / 4.0 * sum;
  second_ += tetrahedron / 20.0 * (u * u.transpose() + v * v.transpose() + w * w.transpose() + sum * sum.transpose());
}

MassProperties VolumeIntegral::result() const {
  MassProperties mass;
  mass.volume = volume_;
  if (!(volume_ > 0)) return mass;
  const Vector3 offset = first_ / volume_;
  const Matrix3 central = second_ - volume_ * offset * offset.transpose();
  mass.centre = origin_ + offset;
  mass.inertia = central.trace() * Matrix3::Identity() - central;
  mass.inertia = (0.5 * (mass.inertia + mass.inertia.transpose())).eval();
  return mass;
}

MassProperties massProperties(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Sphere: return ofEllipsoid(Vector3::Constant(shape.size.x()));
    case ShapeType::Box: return ofBox(shape.size);
    case ShapeType::Capsule: return ofCapsule(shape.size.x(), shape.size.y());
    case ShapeType::Cylinder: return ofCylinder(shape.size.x(), shape.size.y());
    case ShapeType::Ellipsoid: return ofEllipsoid(shape.size);
    case ShapeType::Hull: return ofPolytope(*shape.polytope);
    case ShapeType::Mesh: return ofMesh(*shape.mesh);
    case ShapeType::Plane:
    case ShapeType::HeightField: break;
  }
  throw InputError{name(shape.type), "no volume", "a solid shape", "give the body its mass and inertia explicitly"};
}

}  // namespace stiction
