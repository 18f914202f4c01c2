// What acts along the coordinates of joints and tendons, and by thrusters, over a (sub)step: springs, dampers, rotors and actuators, all at the end of it, so that no stiffness or damping limits h.
//
//   τ = −a (q̇⁺ − ω) − h k (q + h q̇⁺ − q_k) − h d q̇⁺ + h Σ gear · f ,   f = clamp( gain·drive + b₀ + b₁ gear (q + h q̇⁺) + b₂ gear q̇⁺ )      [N s], [N m s]
//
// is an equality row with compliance, q̇⁺ + C τ + b = 0, C = 1/(a + h d + h² k + …). Where nothing depends on q̇⁺ the force is known beforehand and enters the free velocity.
// Dry friction holds the coordinate, q̇⁺ = 0, by −h f <= τ <= h f, or slides: τ = −h f sign q̇⁺. It holds by a row with compliance, q̇⁺ + C (τ − τ₀) = 0, where τ₀ is what it took in the last step
// or trial (method of multipliers): hard rows could leave contacts no room. Whether it holds, and whether an actuator is at the end of its range of force, is
// guessed at the start and looked at when the answer is there; as long as it is another, the (sub)step is solved again.
// At an impact, h = 0, rotors alone take part, τ = −a (q̇⁺ − q̇⁻).
//
// ω is the rate of the rotor, q̇⁺ of the last step. The bodies' q̇⁻ has gone on from it with the poses, by J̇v h, and a rotor resists that as it does any change.
//
// Energy: τ·½(q̇⁻ + q̇⁺) is what the bodies get. Damping h d q̇⁺², friction h f |q̇⁺|, actuators h Σ gear f · ½(q̇⁻ + q̇⁺); springs and rotors by the energy that they hold; what is left is the scheme's.
#pragma once
#include <span>
#include <vector>

#include "assembly/ContactAssembly.hpp"
#include "dynamics/CoordinateSum.hpp"

namespace stiction {

class JointForces {
 public:
  /// A coordinate with forces, or a ball's motion about one axis.
  struct Row {
    int coordinate;                   // of the model
    std::size_t first, parts;         // of its rates
    double length;                    // [-], [m]: n of ConstraintRows
    double position;                  // [rad], [m] q
    double moving;                    // [rad/s], [m/s] what kinematic bodies do to the coordinate
    double rate;                      // [rad/s], [m/s] q̇⁻
    int axis;                         // of the rotor's rate: 0, of a ball 0 to 2
    double rotor;                     // [rad/s], [m/s] ω
    double push{0};                   // [N m], [N] force that does not depend on q̇⁺
    double stiffness{0};              // [N m/rad], [N/m] of actuators
    double damping{0};                // [N m s/rad], [N s/m] of actuators
    bool enters{false};               // as a row of the problem
    double compliance{0}, target{0};  // C and b
    bool dry{false};                  // friction alone
    double brake{0};                  // [m/s] of dry friction: what it takes from the coordinate, alone, in h
    double drive{0};                  // [m/s] likewise with its rotor, or what a row with compliance gives it
    int slot{0};                      // of its force among those kept: three a coordinate
  };

  JointForces(const Model& model, const std::vector<BodyInertia>& inertias, const std::vector<JointMotion>& motions, const std::vector<CoordinateSum>& tendons);

  /// Chooses mobilizers, and coordinates of tendons and thrusters.
  void choose(std::span<const int> mobilizers, std::span<const int> others);
  bool empty() const { return chosen_.empty() && others_.empty(); }
  /// visit(coordinate) of the joints of those that have forces, then of the others, in their order.
  template <class Visit>
  void eachCoordinate(const Visit& visit) const {
    for (const int id : chosen_)
      for (int j = 0; j < (*motions_)[static_cast<std::size_t>(id)].joints(); ++j)
        visit(static_cast<std::size_t>((*motions_)[static_cast<std::size_t>(id)].firstJoint() + j));
    for (const int other : others_) visit(static_cast<std::size_t>(other));
  }

  /// The next (sub)step is a first trial.
  void beginTrials();
  /// The rows at the state, for a (sub)step of h [s], or an impact, after the forces [N] kept.
  void evaluate(const WorldState& state, const Loads& loads, const double* forces, double h);
  /// Adds to v_free the forces that need no row.
  void push(const ContactAssembly& assembly, double h, VectorX& vFree) const;
  int rows() const;
  /// What kinematic bodies do to the rows [m/s], in their order,
  void moving(std::vector<double>& moving) const;
  /// and b, that of dry friction by the forces [N] kept, three a coordinate.
  void aim(double h, const double* forces);
  void targets(std::vector<double>& targets) const;
  /// Adds the rows to the problem, after those it has. Sets C; what dry friction can take counts as a scale, as gravity does, where bodies go as fast (`fastest` [m/s]), and a thousandth of what
  /// forces do.
  void enter(ContactAssembly& assembly, double fastest) const;
  /// The rows' multipliers [N s] by the forces [N] kept, three a coordinate that is chosen, over h; and the other way.
  void recall(double h, const double* forces, Eigen::Ref<VectorX> lambda) const;
  void keep(double h, const Eigen::Ref<const VectorX>& lambda, double* forces) const;
  /// Whether the velocities v [m/s] and multipliers `lambda` [N s] push an actuator to an end of its range of force or off it, or let dry friction slide or hold: then the (sub)step
  /// is to be solved again. Each may so many times; back within its range always: friction never pushes.
  bool switches(const ContactAssembly& assembly, const Loads& loads, double h, const VectorX& v, const Eigen::Ref<const VectorX>& lambda);
  /// How fast what dry friction holds moves [m/s].
  double slip(const ContactAssembly& assembly, const VectorX& v) const;
  /// Work over the (sub)step; that of springs is left out, as what they hold says it.
  struct Work {
    double actuators{0};  // [J]
    double damping{0};    // [J] what dampers take
    double friction{0};   // [J] what dry friction takes
    double rotors{0};     // [J] what they gain
    double pushed{0};     // [J] done on the coordinate by forces that need no row,
    double external{0};   // [J] and what kinematic bodies do against these
  };
  Work work(const ContactAssembly& assembly, const VectorX& vBefore, const VectorX& vAfter, double h) const;
  /// The rotors' rates after the (sub)step, or impact.
  void turnRotors(const ContactAssembly& assembly, const VectorX& vBefore, const VectorX& vAfter, double h, WorldState& state) const;
  /// [J] of the springs at the state.
  double elasticEnergy(const WorldState& state) const;

 private:
  /// Within a range of force, or at one of its ends.
  enum class End : std::uint8_t { None, Low, High };
  struct Ranged {
    End end{End::None};
    bool seen{false};  // in this (sub)step
    int switches{0};
  };

  std::span<const BodyRate> ratesOf(const Row& row) const { return {rates_.data() + row.first, row.parts}; }
  double rateOf(const ContactAssembly& assembly, const Row& row, const VectorX& v) const;
  double massAlone(const Row& row) const;
  double forceOf(int actuator, const Loads& loads, const Row& row, double h, double rate) const;
  static bool switchTo(Ranged& ranged, End end);
  static End endOfRange(const Actuator& actuator, double force);
  End endOfFriction(const Row& row, const Ranged& ranged, double h, double rate, double impulse) const;
  void addActuators(Row& row, const Loads& loads, double h);
  /// What evaluate() is given.
  struct Start {
    const WorldState& state;
    const Loads& loads;
    const double* forces;
    double h;
  };
  void addFriction(const Start& start, const Row& row);
  /// `slot`: of the coordinate's first force.
  void addRow(const Start& start, std::span<const BodyRate> rates, int coordinate, int axis, int slot, double position);

  const Model* model_;
  const std::vector<BodyInertia>* inertias_;
  const std::vector<JointMotion>* motions_;
  const std::vector<CoordinateSum>* tendons_;
  std::vector<std::vector<int>> actuatorsOf_;  // per coordinate
  std::vector<char> acts_;                     // per mobilizer
  std::vector<Ranged> acting_;                 // per actuator of the model
  std::vector<Ranged> rubbing_;                // per coordinate: dry friction
  std::vector<int> chosen_, others_;
  std::vector<Row> rows_;
  std::vector<BodyRate> rates_, sum_;  // of all rows, and of a tendon or thruster
};

}  // namespace stiction
