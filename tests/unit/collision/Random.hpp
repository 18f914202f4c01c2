// Random places of shapes, repeatable.
#pragma once
#include <random>

#include "math/Types.hpp"

namespace stiction {

class Random {
 public:
  explicit Random(unsigned seed) : engine_{seed} {}
  double normal() { return normal_(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>{low, high}(engine_); }
  Vector3 vector() { return {normal(), normal(), normal()}; }
  Quaternion rotation() { return Quaternion{normal(), normal(), normal(), normal()}.normalized(); }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace stiction
