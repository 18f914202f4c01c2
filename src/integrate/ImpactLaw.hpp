// How contacts bounce. Source: Newton's and Moreau's laws as in Moreau 1988; Glocker 2001.
#pragma once
#include <cstdint>

#include "problem/ContactProblem.hpp"

namespace stiction {

/// In the order in which one takes the place of another that would create energy.
enum class ImpactLaw : std::uint8_t { Newton, Moreau, Inelastic };

/// Has the k-th contact, which closes at `before` [m/s] (normal, tangents), bounce: w += e u⁻ on the normal (Newton), on all three (Moreau), or not at all. The same goes into wScale.
inline void addRestitution(ContactProblem& problem, std::size_t k, ImpactLaw law, double e, const Vector3& before) {
  const auto row = static_cast<Eigen::Index>(3 * k);
  const int directions = law == ImpactLaw::Newton ? 1 : law == ImpactLaw::Moreau ? 3 : 0;
  problem.w.segment(row, directions) += e * before.head(directions);
  problem.wScale.segment(row, directions) += e * before.head(directions);
}

}  // namespace stiction
