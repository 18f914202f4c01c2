// A sum of joint coordinates, y = Σ coefficient q: what tendons and couplings are made of.
#pragma once
#include <vector>

#include "dynamics/JointMotion.hpp"

namespace stiction {

class CoordinateSum {
 public:
  /// `motions`: of the model's mobilizers.
  CoordinateSum(const std::vector<CoordinateTerm>& terms, const std::vector<JointMotion>& motions);

  /// Of the model, ascending, each once.
  const std::vector<int>& bodies() const { return bodies_; }
  /// y at the state, for coordinates near those that the state has, and where all have their reference values.
  double value(const WorldState& state) const;
  double reference() const;
  /// ẏ
  double rate(const WorldState& state) const;
  /// Its rates by the velocities of its bodies, ascending, times `factor` added to `rates`.
  void addRates(const WorldState& state, double factor, std::vector<BodyRate>& rates) const;
  /// What d²y/dt² is without accelerations.
  double bend(const WorldState& state) const;

 private:
  struct Term {
    JointMotion motion;
    int joint;  // among the mobilizer's
    double coefficient;
  };
  template <class Quantity>
  double sum(const Quantity& of) const;

  std::vector<Term> terms_;
  std::vector<int> bodies_;
};

/// One entry per tendon of the model.
std::vector<CoordinateSum> tendonSums(const Model& model, const std::vector<JointMotion>& motions);

/// Energy [J] that the tendon's spring holds.
double elasticEnergy(const Tendon& tendon, const CoordinateSum& sum, const WorldState& state);
/// Lets the rotors of a body's joints, -1: of all joints, and those of all tendons turn as the bodies do.
void engageRotors(const std::vector<JointMotion>& motions, const std::vector<CoordinateSum>& tendons, int body, WorldState& state);

}  // namespace stiction
