// Newton's system at a point of the central path (PathPoint), for any change of the pairs' products:
//
//   M dv − H dr − G dλ = −momentum ,   dz = Hᵀdv + (R + E) dr − residual ,   Gᵀdv + C dλ = −rows ,   d(products) = −goal
//
// by one block LU of M + H B Hᵀ + G ρ Gᵀ, B the contacts' stiffness in which their compliance is eliminated.
#pragma once
#include <vector>

#include "solvers/PathPoint.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocitySystem.hpp"

namespace stiction {

class PathSystem {
 public:
  /// Of a problem, which must outlive it.
  void bind(VelocitySystem& system) { system_ = &system; }

  /// What the equations are off by at `point`.
  void findResiduals(const PathPoint& point);
  /// The worst of it, relative to the problem's units.
  double worst() const;
  /// Impulses of the point that the residuals were found at.
  const VectorX& impulses() const { return r_; }

  /// Counts in `report`. False when there is no factor.
  bool factor(const PathPoint& point, SolveReport& report);
  int determinantSign() const { return system_->determinantSign(); }
  /// Solves for the change of the products by −goal, at the point of the residuals and the factor. `linear`: that takes the residuals out, too, refined once; without, they count as zero.
  void solve(const PathPoint& point, const std::vector<Vector4>& goal, bool linear, PathDirection& x);

 private:
  struct Stiffness {
    Matrix3 B;      // [kg] −∂r/∂z
    Matrix3 solve;  // (I + B (R + E))⁻¹, B without compliance
  };

  VelocitySystem* system_{nullptr};
  std::vector<Vector3> residual_;  // [m/s] of the contact velocity
  std::vector<Stiffness> stiffness_;
  std::vector<Matrix3> D_;  // in the factor
  std::vector<Vector4> rest_;
  VectorX momentum_, rows_, rho_, r_, u_, x_, b_, m_, g_, rowRest_, c_, rowC_;
};

}  // namespace stiction
