// A body's side of a contact, for friction problems made by hand.
#pragma once
#include "math/TangentBasis.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

/// Columns (n, t1, t2) of a contact along `normal`.
inline Matrix3 contactFrame(const Vector3& normal) {
  const TangentFrame tangents = TangentBasis::computeTangentBasis(normal);
  Matrix3 frame;
  frame << normal, tangents.t1, tangents.t2;
  return frame;
}

/// Adds to the group being built of H the columns of a body of six velocities at its place 6·body: `arm` from its centre to the contact, columns (n, t1, t2) of `frame`, and `sign` 1 for the
/// body that the normal points to, −1 for the other one.
inline void addContactSide(BlockColumns& H, int body, const Vector3& arm, const Matrix3& frame, double sign) {
  Eigen::Matrix<double, 6, 3> columns;
  columns.topRows<3>() = sign * frame;
  for (int axis = 0; axis < 3; ++axis) columns.col(axis).tail<3>() = sign * arm.cross(frame.col(axis));
  H.addSegment(body, 6 * body, 6, columns.data());
}

}  // namespace stiction
