// Up to four points of a difference of two convex sets, B − A, and which of them the point nearest to the origin lies between (Gilbert, Johnson, Keerthi 1988).
#pragma once
#include <array>

#include "math/Types.hpp"

namespace stiction {

struct Simplex {
  struct Corner {
    Vector3 w;         // [m] b - a
    int a{-1}, b{-1};  // their numbers, where they have any
  };
  std::array<Corner, 4> corners;
  std::array<double, 4> weight;  // [-] of each in the nearest point
  int count{0};

  Vector3 nearest() const {
    Vector3 v = Vector3::Zero();
    for (int i = 0; i < count; ++i) v += weight[static_cast<std::size_t>(i)] * corners[static_cast<std::size_t>(i)].w;
    return v;
  }
};

/// The corners that the nearest point lies between, with their weights; all four where the origin is among them. The last one is farther along the nearest point of the others than that is.
Simplex nearestPart(const Simplex& simplex);

}  // namespace stiction
