// A point on the Coulomb interior point's central path or near it, and directions from there (CentralPathMethod).
#pragma once
#include <vector>

#include "math/Types.hpp"
#include "solvers/InteriorContact.hpp"

namespace stiction {

struct PathContact : InteriorContact {
  double mu{0};                         // [-]
  double weight{1};                     // [-] of its products in κ
  Vector3 centre{Vector3::Zero()};      // [N s] r_c
  Vector3 compliance{Vector3::Zero()};  // [1/kg] R + E
  bool tied{false};
};

struct PathDirection {
  VectorX v, lambda;
  std::vector<Vector4> d;  // (r, ψ)
  std::vector<Vector3> z;
  double s{0};
};

struct PathPoint {
  VectorX v, lambda;
  std::vector<PathContact> contacts;
  double s{0};  // log κ

  void move(double a, const PathDirection& x);

  /// Whether every contact's products lie within `low` and `high` times its κ.
  bool areCentral(double low, double high) const;
  /// Worst relative distance of a product from its κ.
  double offCentre() const;

  /// Inner product by the Hessians of the barriers −log r_n, −log z_n and −log det of both friction cones.
  double dot(const PathDirection& a, const PathDirection& b) const;
  /// Largest relative change of a normal impulse or velocity along a direction.
  double steepest(const PathDirection& x) const;
};

}  // namespace stiction
