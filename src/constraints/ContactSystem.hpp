// The contacts and rows of one ConstraintSolver call, as a ContactProblem and as dense A λ = b.
#pragma once
#include <functional>
#include <vector>

#include "constraints/ContactConstraint.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

/// Whether both are of the same bodies, normal and lever arms.
bool belongsTo(const FrictionConstraint& friction, const ContactConstraint& contact);

class ContactSystem : public AxisBounds {
 public:
  /// Checks everything; throws std::invalid_argument naming the element.
  ContactSystem(const std::vector<TwoBodyConstraint*>& constraints, const std::vector<std::reference_wrapper<const InertialState>>& states,
                const std::vector<double>& inverseMasses, const std::vector<Matrix3>& inverseInertias, std::size_t numBodies, double dt);

  int contacts() const { return static_cast<int>(contacts_.size()); }
  bool hasFriction() const { return has_friction_; }
  /// The constraints without those that are not active.
  const std::vector<TwoBodyConstraint*>& used() const { return used_; }
  double friction(int contact) const;

  /// Every contact with three rows (n, t1, t2); without friction μ = 0 and the tangential columns are zero.
  ContactProblem problem() const;
  /// The bounds that the friction constraint of a contact gives for a normal impulse [N s], in newton seconds.
  AxisInterval at(int contact, double normalImpulse) const override;
  /// A = J M⁻¹ Jᵀ and b = −(J v + w) of the normal rows (rowsOfContact = 1) or of n, t1, t2 (3).
  void denseSystem(int rowsOfContact, MatrixX& A, VectorX& b) const;
  /// λ with zeros for the rows that are not active, in the order of the list.
  VectorX inOrder(const VectorX& lambda, int rowsOfContact) const;
  /// Σ Jᵀ λ / dt per body [N], [N m]; λ (3·contacts) [N s]. Also gives the normal forces to the friction constraints.
  void apply(const VectorX& lambda, std::vector<Coordinate>& forces, std::vector<Coordinate>& torques) const;

 private:
  using Row = Eigen::Matrix<double, 1, 12>;
  struct Contact {
    std::size_t a, b;                       // bodies
    Row rows[3];                            // n, t1, t2
    Vector3 w{Vector3::Zero()};             // [m/s] without the gap
    double gap{0};                          // [m/s] what an open gap allows, no measure of how fast anything is
    FrictionConstraint* friction{nullptr};  // null: frictionless
    std::size_t frictionIndex{0};           // in the list of constraints
  };
  struct Mobility {
    bool shifts, turns;
    int block{-1};
  };

  struct RowValues {
    MatrixX J;        // dimension × 12
    VectorX C, rate;  // C and ∂C/∂t
  };

  RowValues rowsOf(const TwoBodyConstraint& constraint, std::size_t index, int dimension) const;
  void addContact(const ContactConstraint& constraint, std::size_t index);
  void addRows(const TwoBodyConstraint& constraint, std::size_t index);
  void addFriction(FrictionConstraint& friction, const std::vector<const ContactConstraint*>& normals, std::size_t index);
  /// Velocity of the rows from both bodies' states.
  double speed(const Contact& contact, const Row& row) const;

  const std::vector<std::reference_wrapper<const InertialState>>& states_;
  const std::vector<double>& inverse_masses_;
  const std::vector<Matrix3>& inverse_inertias_;
  double dt_;
  std::vector<Mobility> mobility_;
  std::vector<TwoBodyConstraint*> used_;
  std::vector<Contact> contacts_;
  std::vector<int> places_;  // of the contacts among all rows that are not friction, active or not
  int entries_{0};           // of these
  bool has_friction_{false};
};

}  // namespace stiction
