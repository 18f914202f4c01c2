// The problem that an island poses, of a (sub)step, an impact or a pass of the projection, and the answer so far.
#pragma once
#include <vector>

#include "assembly/ContactAssembly.hpp"
#include "integrate/Island.hpp"

namespace stiction {

class IslandProblem {
 public:
  explicit IslandProblem(const Island& island);

  /// The bodies' mass and velocities, and no contacts.
  void takeBodies();
  /// The contacts in `used`, with room for so many unilateral rows, and the momentum of vFree.
  void takeContacts(int oneSided);
  /// Where forces alone would take the bodies in h [s]: vFree.
  void predict(double h);

  const Contact& contactOf(std::size_t k) const { return island_->contacts[static_cast<std::size_t>(used[k])]; }
  /// Of the k-th contact or unilateral row [N s].
  auto impulseOf(std::size_t k) const { return iterate.r.segment<3>(static_cast<Eigen::Index>(3 * k)); }
  auto impulseOf(std::size_t k) { return iterate.r.segment<3>(static_cast<Eigen::Index>(3 * k)); }
  /// What v says of the body in a block; a locked body does not turn.
  Twist twistOf(int block, const VectorX& v) const;
  /// Largest speed [m/s] of any point of the body in a block at v,
  double speedOf(int block, const VectorX& v) const;
  /// of all bodies,
  double fastest(const VectorX& v) const;
  /// and of bodies before and without contacts, and of moving surfaces.
  double fastestSpeed() const;
  /// iterate.v by its impulses.
  void followImpulses() { assembly.velocityFromImpulses(vFree, iterate.r, iterate.lambda, iterate.v); }

  ContactAssembly assembly;
  std::vector<int> used;   // contacts of the island in it, before those that stand for unilateral rows
  VectorX vBefore, vFree;  // [m/s]
  Iterate iterate;

 private:
  const Island* island_;
};

}  // namespace stiction
