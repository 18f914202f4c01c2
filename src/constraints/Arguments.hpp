// Checks of what users hand to constructors: std::invalid_argument with the type, the argument, the value, the allowed range and the remedy.
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
const Coordinate& requireFinite(const char* type, const char* argument, const Coordinate& value);
/// Length 1 within 1e-6.
const Coordinate& requireUnit(const char* type, const char* argument, const Coordinate& value);

}  // namespace stiction
