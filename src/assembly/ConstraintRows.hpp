// The constraints that users add to a simulation, as rows of an island's step problem: equality rows, and contacts without friction where unilateral.
//
//   J v⁺ + ∂C/∂t + (h/2) γ = 0  (>= 0),   γ = J̇q̇ + 2 ∂²C/∂q∂t q̇ + ∂²C/∂t²          the step then keeps C to third order in h
//
// Every row is divided by its length n, n² = J M⁻¹ Jᵀ / Σ 1/m over its bodies: C in metres and multipliers in newton seconds, whatever units its author likes.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "constraints/JointConstraint.hpp"
#include "constraints/JointCoupling.hpp"
#include "dynamics/BodyInertia.hpp"
#include "state/WorldState.hpp"

namespace stiction {

/// A constraint that a simulation holds; or a tendon or thruster, whose bodies belong together, without rows.
struct HeldConstraint {
  std::shared_ptr<const Constraint> constraint;  // null: removed, or none
  int bodyA{-1}, bodyB{-1};                      // of the model; A = -1: a constraint of one body, B
  bool unilateral{false};
  int dimension{0};
  int firstRow{0};                                // of its rows in WorldState::rowForces
  int mobilizer{-1};                              // of the model, whose joints it holds or limits; else -1
  const JointConstraint* joint{nullptr};          // the constraint, where it is one
  const JointLimit* limit{nullptr};               // likewise
  std::shared_ptr<const JointCoupling> coupling;  // in place of a constraint: of joints of any bodies
  int coordinate{-1};                             // likewise, of a tendon or thruster
  std::vector<int> bodies;                        // of the model, of these two

  bool isPresent() const { return constraint || !bodies.empty(); }
  bool isOfJoint() const { return joint != nullptr || limit != nullptr || !bodies.empty(); }
  std::string title() const { return coupling ? coupling->title() : constraint->typeName(); }
  /// visit(body) of the model, of all that it is between.
  template <class Visit>
  void eachBody(const Visit& visit) const {
    for (const int body : bodies) visit(body);
    if (!bodies.empty()) return;
    if (bodyA >= 0) visit(bodyA);
    visit(bodyB);
  }
};

/// What is wrong with a constraint's functions at the state: sizes that disagree, numbers that are not finite, C ≠ 0 where no motion changes it. Empty: nothing.
std::string faultOf(const HeldConstraint& held, const std::vector<BodyInertia>& inertias, const WorldState& state, double time);

/// J M⁻¹ Jᵀ / Σ 1/m over the bodies, of which -1 and fixed ones take no part, under the root.
double lengthOf(std::span<const BodyRate> row, const std::vector<BodyInertia>& inertias, const WorldState& state);

class ConstraintRows {
 public:
  static constexpr double kTouches = 1e-9;  // [-] of the bodies' size: a unilateral row this near is closed

  struct Row {
    int held;                  // of the constraints given
    int index;                 // among the constraint's own rows
    std::size_t first, parts;  // of its rates
    bool unilateral;
    double length;     // n, in the author's unit per metre
    double size;       // [m] of the largest of its bodies
    double value;      // [m] C/n
    double moving{0};  // [m/s] what time and kinematic bodies do to C/n
    double bend{0};    // [m/s²] γ/n
  };

  ConstraintRows(const Model& model, const std::vector<BodyInertia>& inertias, const std::vector<double>& bodySize);

  /// Chooses constraints of `all`, which is kept by reference.
  void choose(const std::vector<HeldConstraint>& all, std::span<const int> chosen);
  bool empty() const { return chosen_.empty(); }
  /// The rows that push something, of the active constraints, at the state and time [s]. False when a constraint is at fault; faulty() is its index then.
  bool evaluate(const WorldState& state, double time);
  /// Leaves out the rows of ranges open by more than `reach` [m], but those of the constraints that are `needed`.
  void leaveOut(double reach, const std::vector<int>& needed);
  /// Adds to `needed` the constraints of such rows that are violated at the state, h [s] later. Returns whether there are any.
  bool findViolated(const WorldState& state, double h, std::vector<int>& needed);
  /// The same for the present rows' `moving` and `bend`.
  bool evaluateRates(const WorldState& state, double time);
  /// C/n [m] of the present rows, n and activity as they are, at another state and time.
  bool evaluateValues(const WorldState& state, double time, VectorX& values);
  int faulty() const { return faulty_; }
  const std::vector<Row>& rows() const { return rows_; }
  /// [-], [m] of C/n by the velocities of the row's bodies, ascending; -1: none.
  std::span<const BodyRate> ratesOf(const Row& row) const { return {rates_.data() + row.first, row.parts}; }
  const HeldConstraint& held(const Row& row) const { return (*all_)[static_cast<std::size_t>(row.held)]; }

 private:
  bool addJoint(int id, const WorldState& state, double time);
  bool addRows(int id, const WorldState& state, double time);
  bool addCoupling(int id, const WorldState& state);
  bool add(int id, int index, double value, std::span<const BodyRate> rates, double largest, const WorldState& state);
  double sizeOf(const HeldConstraint& held) const;
  /// Coordinates of the joints of one mobilizer, for all of its ranges.
  struct Coordinates {
    int mobilizer{-1};
    bool hasRates{false};
    std::array<double, JointMotion::kMost> q;
    std::array<RowVector12, JointMotion::kMost> rates;
  };
  const Coordinates& coordinatesOf(const HeldConstraint& held, const WorldState& state, bool rates);
  bool findValues(int id, const WorldState& state, double time);
  bool findBends(int id, const WorldState& state, double time);

  const Model* model_;
  const std::vector<BodyInertia>* inertias_;
  std::vector<double> size_;  // [m] of each body that moves: its shapes', or its radius of gyration
  const std::vector<HeldConstraint>* all_{nullptr};
  std::span<const int> chosen_;
  std::vector<Row> rows_, left_;       // and those left out
  std::vector<BodyRate> rates_, own_;  // of all rows, and of a coupling
  Coordinates coordinates_;
  std::vector<double> values_, byTime_;  // of one constraint
  int faulty_{-1};
};

}  // namespace stiction
