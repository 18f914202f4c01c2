// Checks of what users hand over: InputError with the type, the argument, the value, the allowed range and the remedy.
#pragma once
#include <string>

#include "math/Coordinate.hpp"

namespace stiction {

[[noreturn]] void refuseArgument(const char* type, const char* argument, const std::string& value, const char* range, const char* remedy);

/// A finite number >= 0.
double requireGain(const char* type, const char* argument, double value);
double requireAtLeastZero(const char* type, const char* argument, double value, const char* remedy);
/// A finite number in [low, high].
double requireBetween(const char* type, const char* argument, double value, double low, double high, const char* remedy);
double requirePositive(const char* type, const char* argument, double value, const char* remedy);
/// A step [s] in [1e-12, 1e6]: gaps over it and squares of it stay far inside the range of numbers.
double requireStep(const char* type, double dt);
/// A mass [kg] in [1e-60, 1e60], for the same reason.
double requireMass(const char* type, const char* argument, double mass, const char* remedy);
/// No limit when 0: a number >= 0.
int requireLimit(const char* type, const char* argument, int limit);
const Coordinate& requireFinite(const char* type, const char* argument, const Coordinate& value);
/// What a function of a constraint gave: rows × columns, finite.
const MatrixX& requireShape(const char* type, const std::string& constraint, const char* function, const MatrixX& value, Eigen::Index rows,
                            Eigen::Index columns);
/// Length 1 within 1e-6.
const Coordinate& requireUnit(const char* type, const char* argument, const Coordinate& value);

}  // namespace stiction
