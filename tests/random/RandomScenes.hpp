// Random small scenes from a seed, the same on every machine: what no tidy test would set up.
//
// One to eight dynamic bodies of every dynamic shape, sizes 0.01…1 m and masses 1e-6…1e6 kg log-uniform, friction 0…10, restitution 0…1, steps of 0.1…50 ms; over a plane, static
// boxes, a triangle mesh, a height field or nothing; scattered, stacked face on face, in rows and blocks of touching boxes, or all in one place; exact duplicates; kinematic bodies;
// gravity as usual, tilted or none; speeds up to 20 m/s and spins up to 100 rad/s.
#pragma once
#include <cstdint>
#include <random>
#include <string>

#include "integrate/Simulation.hpp"

namespace stiction::random_scenes {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double logUniform(double low, double high);
  int integer(int low, int high) { return low + static_cast<int>(uniform(0, high - low + 1)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  Vector3 direction();
  Vector3 inBall(double radius);
  Vector3 inBox(double half);
  Quaternion rotation();
  Quaternion quarterTurns();  // axes onto axes up to round-off

 private:
  std::mt19937_64 engine_;
};

struct Scene {
  Model model;
  SimulationOptions options;
  double h{0};  // [s]
  int steps{0};
  std::string layout, ground;
};

Scene makeScene(std::uint64_t seed);

}  // namespace stiction::random_scenes
