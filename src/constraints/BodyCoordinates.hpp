// The coordinates q = [X, Q] of one body: how their rates go with v and ω, and their mass (ConstraintSolver.hpp has the formulas).
#pragma once
#include "constraints/InertialState.hpp"

namespace stiction {

using Matrix7 = Eigen::Matrix<double, 7, 7>;
using Vector7 = Eigen::Matrix<double, 7, 1>;
using Matrix34 = Eigen::Matrix<double, 3, 4>;

/// E of ω = 2 E Q̇, world axes.
Matrix34 quaternionToOmega(const Quaternion& Q);
/// T of q̇ = T (v, ω), 7 × 6.
Eigen::Matrix<double, 7, 6> twistToRate(const Quaternion& Q);
Vector7 rateOf(const State& state);
Matrix7 inverseMass(const Quaternion& Q, double mass, const Matrix3& inverseInertia);
/// The generalised force of a force and a torque, world axes.
Vector7 generalisedForce(const Quaternion& Q, const Vector3& force, const Vector3& torque);
/// q̈ of the free body: force, torque and the gyroscopic one; what Q̈ needs to stay on the unit sphere included.
Vector7 freeAcceleration(const State& state, const Vector3& force, const Vector3& torque, double mass, const Matrix3& inverseInertia);

}  // namespace stiction
