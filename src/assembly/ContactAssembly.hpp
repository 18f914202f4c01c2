// Contacts of one island -> ContactProblem, and back.
//
//   M = blockdiag( m 1, I(R) )        one block a dynamic body (linear, angular; world axes); a body that does not turn has m 1 alone
//   u = Hᵀ v + w                      F = (n, t1, t2): rows of H of body B are [ F ; r_B × F ], of body A the negative; r = contact point − centre of mass
//   w = Fᵀ (s_B − s_A) + (gap/h, 0, 0)  s: velocity of a kinematic body's surface at the point; the gap enters where the surfaces are apart
//
// Everything is kept between calls, so that a warmed-up step of unchanged size does not allocate.
#pragma once
#include <span>
#include <vector>

#include "assembly/ConstraintRows.hpp"
#include "collision/Contact.hpp"
#include "dynamics/FreeVelocity.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class ContactAssembly {
 public:
  ContactAssembly(const Model& model, const std::vector<BodyInertia>& inertias, unsigned frameSeed);

  /// Fixes the bodies of the island (dynamic, ascending) and with them the order of the blocks.
  void setBodies(std::span<const int> bodies);
  /// The body only translates in the coming problem, as a locked one does.
  void keepFromTurning(int body) { turns_[static_cast<std::size_t>(blockOf(body))] = 0; }

  /// Threads that share the work, idle whenever anything here is called; null: none. Results do not depend on it.
  void setTeam(ThreadPool* team) { team_ = team; }

  /// M at the state's rotations.
  void buildMass(const WorldState& state);

  /// H, μ, frames and surface velocities of the contacts contacts[used[k]]; `w`, `wScale` are set to the surface velocities.
  /// There is room for so many rows that `addOneSided` adds, and G is empty; b and C are the caller's.
  void buildContacts(const WorldState& state, const ContactSet& contacts, std::span<const int> used, int oneSided);

  /// Adds an equality row that measures the motion of B against A along `direction` at the contact's point.
  void addTangentRow(const WorldState& state, const Contact& contact, const Vector3& direction);

  /// Adds an equality row with the given rates, of ascending bodies, divided by `length`; a body -1, or none of the island's, takes no part.
  void addRow(std::span<const BodyRate> rates, double length = 1);
  /// Adds a contact without friction with these rates of its gap, which changes by `moving` [m/s] of itself.
  void addOneSided(std::span<const BodyRate> rates, double moving);

  /// v of the island's bodies, in block order.
  void gatherVelocities(const WorldState& state, VectorX& v) const;
  void scatterVelocities(const VectorX& v, WorldState& state) const;

  /// f = M v_free.
  void setMomentum(const VectorX& vFree);
  /// v = v_free + M⁻¹ (H r + G λ).
  void velocityFromImpulses(const VectorX& vFree, const VectorX& r, const VectorX& lambda, VectorX& v);

  /// trace( Aᵀ M⁻¹ A ) / width of one group of columns [1/kg]: the mean inverse mass that the group feels.
  double inverseMass(const BlockColumns& columns, int group) const;

  int blockOf(int body) const { return blockOf_[static_cast<std::size_t>(body)]; }
  int rowOf(int block) const { return problem.M.start[static_cast<std::size_t>(block)]; }
  /// Whether the block has angular velocities, too.
  bool turns(int block) const { return turns_[static_cast<std::size_t>(block)] != 0; }
  /// [1/(kg m²)] of the body in that block, in world axes; of those that turn.
  const Matrix3& inverseInertia(int block) const { return inverse_[static_cast<std::size_t>(block)]; }
  std::span<const int> bodies() const { return bodies_; }

  ContactProblem problem;
  std::vector<Matrix3> frames;  // columns n, t1, t2 of each used contact
  VectorX surface;              // [m/s] (3·contacts) Fᵀ (s_B − s_A)

 private:
  /// What the motion of the body in a block adds, times `sign`, at a point along each direction: columns of `size` numbers.
  void fillSegment(double* values, int size, const WorldState& state, int body, const Vector3& point, const Eigen::Ref<const Eigen::Matrix3Xd>& directions,
                   double sign) const;
  void addSegment(BlockColumns& columns, const WorldState& state, int body, const Vector3& point, const Eigen::Ref<const Eigen::Matrix3Xd>& directions,
                  double sign) const;
  /// The places of the contacts' columns, as yet without values.
  void placeContacts(const ContactSet& contacts, std::span<const int> used);
  void fillContact(const WorldState& state, const Contact& contact, int k);
  /// A group whose first column is `rates`, its others zero.
  void addRates(BlockColumns& columns, std::span<const BodyRate> rates, double length) const;
  Matrix3 frameOf(const Contact& contact) const;
  Vector3 surfaceVelocity(const WorldState& state, int body, const Vector3& point) const;

  const Model* model_;
  const std::vector<BodyInertia>* inertias_;
  unsigned frameSeed_;
  ThreadPool* team_{nullptr};
  std::vector<int> bodies_;
  std::vector<int> blockOf_;      // body -> block of this island, -1 elsewhere
  std::vector<char> turns_;       // per block
  std::vector<Matrix3> inertia_;  // [kg m²] I(R) per block
  std::vector<Matrix3> inverse_;  // [1/(kg m²)] I(R)⁻¹ per block
  VectorX impulse_;               // [N s] scratch
};

}  // namespace stiction
