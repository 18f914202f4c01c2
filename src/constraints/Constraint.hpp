// The object-level constraint API: what a constraint has to say, for one body or for two. Users derive their own.
//
//   one body    C(q, t),  q = [X, Q] ∈ R⁷:  J = ∂C/∂q  (dim × 7: position, then quaternion w, x, y, z)
//   two bodies  C(q_A, q_B, t):  J  (dim × 12: v_A, ω_A, v_B, ω_B; world axes) with dC/dt = J v + ∂C/∂t
//
// C in the units its author likes; a multiplier has the unit that makes Jᵀλ a force and torque.
#pragma once
#include <string>

#include "constraints/InertialState.hpp"

namespace stiction {

class Constraint {
 public:
  virtual ~Constraint() = default;

  /// Number of scalar equations.
  virtual int dimension() const = 0;
  /// C(q, t), dimension() entries.
  virtual VectorX evaluate(const State& state, double time) const = 0;
  /// ∂C/∂q, dimension() × 7.
  virtual MatrixX jacobian(const State& state, double time) const = 0;
  /// ∂C/∂t, dimension() entries; zero unless the constraint itself moves.
  virtual VectorX partialTimeDerivative(const State& state, double time) const;
  /// What d²C/dt² is without acceleration: J̇q̇ + 2 ∂²C/∂q∂t q̇ + ∂²C/∂t². By central differences of J q̇ + ∂C/∂t along q̇ unless overridden.
  virtual VectorX velocityProduct(const State& state, double time) const;

  /// Baumgarte's gains [1/s²] and [1/s]; used by the solvers that stabilise that way only. An error-reduction parameter is α h², another thing.
  virtual double alpha() const { return 10.0; }
  virtual double beta() const { return 10.0; }

  virtual bool isActive(const State& state, double time) const;
  virtual std::string typeName() const { return "Constraint"; }

 protected:
  Constraint() = default;
  Constraint(const Constraint&) = default;
  Constraint& operator=(const Constraint&) = default;
  Constraint(Constraint&&) noexcept = default;
  Constraint& operator=(Constraint&&) noexcept = default;
};

/// C = 0.
class BilateralConstraint : public Constraint {};

/// C ≥ 0, multipliers ≥ 0, and one of them zero.
class UnilateralConstraint : public Constraint {};

/// What constraints between two bodies share, whether C = 0 or C ≥ 0.
class TwoBodyRows {
 public:
  virtual ~TwoBodyRows() = default;

  std::size_t getBodyAIndex() const { return body_a_index_; }
  std::size_t getBodyBIndex() const { return body_b_index_; }

  /// C, as many entries as the constraint has dimensions.
  virtual VectorX evaluateTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const = 0;
  /// Rate of C by the velocities: dimension × 12, columns [v_A, ω_A, v_B, ω_B], world axes.
  virtual MatrixX jacobianTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const = 0;
  virtual bool isActiveTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const = 0;
  /// ∂C/∂t; zero unless the constraint itself moves.
  virtual VectorX partialTimeDerivativeTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const;
  /// What d²C/dt² is without accelerations; by central differences of J v + ∂C/∂t along the velocities unless overridden.
  virtual VectorX velocityProductTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const;

 protected:
  TwoBodyRows(std::size_t bodyAIndex, std::size_t bodyBIndex) : body_a_index_{bodyAIndex}, body_b_index_{bodyBIndex} {}
  TwoBodyRows(const TwoBodyRows&) = default;
  TwoBodyRows& operator=(const TwoBodyRows&) = default;
  TwoBodyRows(TwoBodyRows&&) noexcept = default;
  TwoBodyRows& operator=(TwoBodyRows&&) noexcept = default;

  [[noreturn]] static void refuseOneBody(const std::string& type, const char* function);

 private:
  std::size_t body_a_index_;
  std::size_t body_b_index_;
};

/// The functions for one body throw std::logic_error: there is no one body to ask.
template <typename Kind>
class BetweenTwoBodies : public Kind, public TwoBodyRows {
 public:
  VectorX evaluate(const State& /*state*/, double /*time*/) const override { refuseOneBody(this->typeName(), "evaluate"); }
  MatrixX jacobian(const State& /*state*/, double /*time*/) const override { refuseOneBody(this->typeName(), "jacobian"); }
  bool isActive(const State& /*state*/, double /*time*/) const override { refuseOneBody(this->typeName(), "isActive"); }

 protected:
  using TwoBodyRows::TwoBodyRows;
};

/// Contacts and their friction.
class TwoBodyConstraint : public BetweenTwoBodies<UnilateralConstraint> {
 protected:
  using BetweenTwoBodies::BetweenTwoBodies;
};

/// Joints.
class TwoBodyBilateralConstraint : public BetweenTwoBodies<BilateralConstraint> {
 public:
  bool isActiveTwoBody(const InertialState& stateA, const InertialState& stateB, double time) const override;

 protected:
  using BetweenTwoBodies::BetweenTwoBodies;
};

}  // namespace stiction
