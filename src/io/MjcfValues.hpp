// Numbers and switches of a compiled libmujoco model.
#pragma once
#include <mujoco/mujoco.h>

#include "math/Types.hpp"

namespace stiction {

inline Vector3 vector3(const double* x) { return {x[0], x[1], x[2]}; }
inline Quaternion quaternion(const double* q) { return Quaternion{q[0], q[1], q[2], q[3]}.normalized(); }
/// Whether the file switches off what the flag names (mjDSBL_…).
inline bool isDisabled(const mjModel& model, int flag) { return (model.opt.disableflags & flag) != 0; }

}  // namespace stiction
