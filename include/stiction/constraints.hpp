// Constraints as objects: derive from BilateralConstraint or UnilateralConstraint, or take one of those here; solve one body's multipliers, or contacts and friction
// between many bodies.
//
//   stiction::DistanceConstraint rod{2.0};
//   const auto result = stiction::ConstraintSolver{}.solve({&rod}, state, force, mass, inverseInertia, dt);  // result.lambda [N], result.F_c
//
// SI units, world axes. Wrong input throws std::invalid_argument.
#pragma once

#include "constraints/ConstrainedBody.hpp"
#include "constraints/Constraint.hpp"
#include "constraints/ConstraintSolver.hpp"
#include "constraints/ContactConstraint.hpp"
#include "constraints/DistanceConstraint.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "constraints/ImplicitEngine.hpp"
#include "constraints/InertialState.hpp"
#include "constraints/RevoluteConstraint.hpp"
#include "constraints/UnitQuaternionConstraint.hpp"
#include "math/Coordinate.hpp"
#include "math/TangentBasis.hpp"
