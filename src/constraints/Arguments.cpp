#include "constraints/Arguments.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace stiction {
namespace {

std::string text(double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

std::string text(const Coordinate& value) {
  std::ostringstream out;
  out.precision(17);
  out << '(' << value.x() << ", " << value.y() << ", " << value.z() << ')';
  return out.str();
}

}  // namespace

void refuseArgument(const char* type, const char* argument, const std::string& value, const char* range, const char* remedy) {
  std::ostringstream out;
  out << type << ": " << argument << " is " << value << ", must be " << range << "; " << remedy;
  throw std::invalid_argument{out.str()};
}

double requireAtLeastZero(const char* type, const char* argument, double value, const char* remedy) {
  if (!(value >= 0) || !std::isfinite(value)) refuseArgument(type, argument, text(value), "finite and >= 0", remedy);
  return value;
}

double requireGain(const char* type, const char* argument, double value) {
  return requireAtLeastZero(type, argument, value, "a gain pulls back; 0 switches it off");
}

double requireBetween(const char* type, const char* argument, double value, double low, double high, const char* remedy) {
  if (!(value >= low && value <= high))
    refuseArgument(type, argument, text(value), std::string{"in ["}.append(text(low)).append(", ").append(text(high)).append("]").c_str(), remedy);
  return value;
}

double requirePositive(const char* type, const char* argument, double value, const char* remedy) {
  if (!(value > 0) || !std::isfinite(value)) refuseArgument(type, argument, text(value), "finite and > 0", remedy);
  return value;
}

const Coordinate& requireFinite(const char* type, const char* argument, const Coordinate& value) {
  if (!value.allFinite()) refuseArgument(type, argument, text(value), "finite", "check where it comes from");
  return value;
}

const Coordinate& requireUnit(const char* type, const char* argument, const Coordinate& value) {
  if (!(std::abs(value.norm() - 1.0) <= 1e-6)) refuseArgument(type, argument, text(value), "of unit length within 1e-6", "normalise it first");
  return value;
}

}  // namespace stiction
