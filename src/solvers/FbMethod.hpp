// Nonsmooth Newton on Fischer–Burmeister functions (Macklin et al. 2019, "Non-Smooth Newton Methods for Deformable Multi-Body Dynamics"), in velocity space. Every row in
// velocity units, so that an answer does not depend on the length of the step:
//
//   normal    φ(α u_n, ω r_n) = 0 ,   φ(x, y) = x + y − √(x² + y² + ε²)
//   friction  u_T + W r_T = 0 ,   W = ω (‖u_T‖ − ψ) / (ω‖r_T‖ + ψ) ,   ψ = φ(‖u_T‖, ω(μ r_n − ‖r_T‖))        W fixed within a Newton step: a symmetric matrix
//   rows      Gᵀv + b + C λ = 0
//
// At a root the law is Coulomb's, strictly: ψ = 0 slips against u_T at the disc's rim or sticks inside. The way there is not sure: with W lagged the steps can cycle between stick
// and slip, and a start without normal impulse has no friction. Each step M + H D Hᵀ + G ρ Gᵀ, D = diag(α a / (α a R + b ω), 1/(W + R), 1/(W + R)), a = ∂φ/∂x, b = ∂φ/∂y; all
// denominators are kept above δ ω, which slows the last digits and moves no root. Where that ends without an answer, a second descent from the best point keeps to steps that lower the functions and raises
// δ until they do: redundant contacts leave W nearly singular, and a Newton step then asks for internal stress far beyond the cones.
#pragma once
#include "solvers/VelocityMethod.hpp"

namespace stiction {

struct FbSettings {
  double alpha{0.5};            // [-] weight of u_n against ω r_n
  double smoothing{1e-3};       // [-] ε against the residual
  int iterations{200};          // when the options give none
  int lineSearch{4};            // halvings of a step at most; 0: whole steps
  double leastStiffness{1e-9};  // [-] δ
};

std::unique_ptr<VelocityMethod> makeFbMethod();
std::unique_ptr<VelocityMethod> makeFbMethod(const FbSettings& settings);

}  // namespace stiction
