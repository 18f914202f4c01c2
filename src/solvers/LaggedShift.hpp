// De Saxcé's shift held at given sliding speeds: the convex problem  K_μ ∋ r ⊥ u + μ s n ∈ K_μ*,  s = ‖u_T‖ of an answer near the one sought. Where s is right its answer is
// Coulomb's; the fixed point of s is that of Haslinger (1983) and Cadoux (2009).
//
// Where most of a heap rests and a few bodies move, nearly every shift is right from the start, and zero: what is left is how the resting ones share the load, and an interior
// point finds that without a start. In dense contact the convex answer, which carries every load to the ground, is a start for the proximal Newton, and each round's shift, of
// where the last one ended, another.
#pragma once
#include <memory>

#include "solvers/VelocityMethod.hpp"

namespace stiction {

class LaggedShift {
 public:
  /// s [m/s] (contacts): the sliding speeds at v, by u = Hᵀv + w [m/s] (3·contacts).
  static void findSliding(const ContactProblem& problem, const VectorX& v, VectorX& u, VectorX& sliding);
  /// Answers the convex problem to a residual of `accuracy` [-] of the scale, from cold, into `iterate`. For symmetric systems.
  SolveReport relax(const VelocitySystem& system, const VectorX& sliding, Iterate& iterate, const SolveOptions& options, double accuracy);

 private:
  ContactProblem shifted_;
  VelocitySystem relaxed_;
  std::unique_ptr<VelocityMethod> convex_{makeConvexMethod()};
};

}  // namespace stiction
