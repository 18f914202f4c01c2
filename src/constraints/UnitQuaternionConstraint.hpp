// |Q|² − 1 = 0.   J = [0 0 0 2Qᵀ]
//
// In velocity coordinates (v, ω) the row vanishes: Q̇ = ½ (0, ω) Q is normal to Q whatever ω is. Beside rows of motion it is redundant, not an error.
#pragma once
#include "constraints/Constraint.hpp"

namespace stiction {

class UnitQuaternionConstraint : public BilateralConstraint {
 public:
  /// Baumgarte's gains [1/s²], [1/s], finite and not negative. Throws std::invalid_argument.
  explicit UnitQuaternionConstraint(double alpha = 10.0, double beta = 10.0);

  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double time) const override;
  MatrixX jacobian(const State& state, double time) const override;
  VectorX velocityProduct(const State& state, double time) const override;
  double alpha() const override { return alpha_; }
  double beta() const override { return beta_; }
  std::string typeName() const override { return "UnitQuaternionConstraint"; }

 private:
  double alpha_, beta_;
};

}  // namespace stiction
