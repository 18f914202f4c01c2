// Orthonormal tangents {t1, t2} of a unit normal n, with t1 × t2 = n. Two named rules; no continuous one exists on the whole sphere (hairy ball),
// so nothing may depend on which rule is used.
#pragma once
#include <stdexcept>

#include "math/Coordinate.hpp"

namespace stiction {

struct TangentFrame {
  Coordinate t1;  // [-] unit
  Coordinate t2;  // [-] unit

  TangentFrame(const Coordinate& tangent1, const Coordinate& tangent2) : t1{tangent1}, t2{tangent2} {
    if (!(std::abs(t1.norm() - 1.0) <= 1e-6 && std::abs(t2.norm() - 1.0) <= 1e-6))
      throw std::invalid_argument{"TangentFrame: tangents must have unit length within 1e-6"};
  }
};

namespace TangentBasis {

/// Axis of least |n_i|, crossed with n, normalised. Ties exactly at ±x, ±y, ±z and along the diagonals: there an arbitrarily small
/// tilt of n turns t1 by 90°.
inline TangentFrame computeTangentBasis(const Coordinate& normal) {
  if (!(std::abs(normal.norm() - 1.0) <= 1e-6)) throw std::invalid_argument{"computeTangentBasis: normal must have unit length within 1e-6"};
  int axis = 0;
  if (std::abs(normal[1]) < std::abs(normal[axis])) axis = 1;
  if (std::abs(normal[2]) < std::abs(normal[axis])) axis = 2;
  const Vector3 t1 = Vector3::Unit(axis).cross(normal).normalized();
  return {t1, normal.cross(t1).normalized()};
}

/// Branchless frame of Duff et al. 2017, "Building an Orthonormal Basis, Revisited", JCGT 6(1): continuous but at n_z = 0 (copysign).
inline TangentFrame computeDuffBasis(const Coordinate& normal) {
  if (!(std::abs(normal.norm() - 1.0) <= 1e-6)) throw std::invalid_argument{"computeDuffBasis: normal must have unit length within 1e-6"};
  const double sign = std::copysign(1.0, normal.z());
  const double a = -1.0 / (sign + normal.z());
  const double b = normal.x() * normal.y() * a;
  return {Vector3{1.0 + sign * normal.x() * normal.x() * a, sign * b, -sign * normal.x()}.normalized(),
          Vector3{b, sign + normal.y() * normal.y() * a, -normal.y()}.normalized()};
}

}  // namespace TangentBasis
}  // namespace stiction
