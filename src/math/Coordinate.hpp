// A point or vector of space that starts at zero; otherwise Eigen's 3-vector in every respect.
#pragma once
#include "math/Types.hpp"

namespace stiction {

struct Coordinate : Vector3 {
  Coordinate() : Vector3{Vector3::Zero()} {}
  Coordinate(double x, double y, double z) : Vector3{x, y, z} {}
  template <typename Derived>
  Coordinate(const Eigen::MatrixBase<Derived>& other) : Vector3{other} {}  // NOLINT(google-explicit-constructor): expressions convert, as to any Eigen vector
  template <typename Derived>
  Coordinate& operator=(const Eigen::MatrixBase<Derived>& other) {
    Vector3::operator=(other);
    return *this;
  }
};

}  // namespace stiction
