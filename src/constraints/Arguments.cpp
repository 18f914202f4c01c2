#include "constraints/Arguments.hpp"

#include <cmath>
#include <sstream>

#include "base/Error.hpp"

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
  throw InputError{std::string{type} + ": " + argument, value, range, remedy};
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

double requireStep(const char* type, double dt) { return requireBetween(type, "dt", dt, 1e-12, 1e6, "give the time step in seconds"); }

double requireMass(const char* type, const char* argument, double mass, const char* remedy) {
  return requireBetween(type, argument, mass, 1e-60, 1e60, remedy);
}

int requireLimit(const char* type, const char* argument, int limit) {
  if (limit < 0) refuseArgument(type, argument, std::to_string(limit), "at least 0", "0 leaves the method its own limit");
  return limit;
}

const Coordinate& requireFinite(const char* type, const char* argument, const Coordinate& value) {
  if (!value.allFinite()) refuseArgument(type, argument, text(value), "finite", "check where it comes from");
  return value;
}

const MatrixX& requireShape(const char* type, const std::string& constraint, const char* function, const MatrixX& value, Eigen::Index rows,
                            Eigen::Index columns) {
  const auto size = [](Eigen::Index r, Eigen::Index c) { return std::to_string(r).append(" x ").append(std::to_string(c)); };
  const std::string argument = constraint + ": " + function + "()";
  if (value.rows() != rows || value.cols() != columns)
    refuseArgument(type, argument.c_str(), size(value.rows(), value.cols()), size(rows, columns).c_str(), "let dimension() and the functions agree");
  if (!value.allFinite()) refuseArgument(type, argument.c_str(), "a number that is not finite", "finite", "check the constraint at the poses of its bodies");
  return value;
}

const Coordinate& requireUnit(const char* type, const char* argument, const Coordinate& value) {
  if (!(std::abs(value.norm() - 1.0) <= 1e-6)) refuseArgument(type, argument, text(value), "of unit length within 1e-6", "normalise it first");
  return value;
}

}  // namespace stiction
