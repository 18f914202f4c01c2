// A coupling of a model's joints as a constraint of all the bodies that these are between:
//
//   C = y₁ − Σₖ a_k y₂ᵏ ,   Ċ = ẏ₁ − p′ ẏ₂ ,   γ = γ₁ − p′ γ₂ − p″ ẏ₂²        y, ẏ and their products γ by JointMotion.hpp
//
// C in the unit of y₁, [rad] or [m] times its coefficients.
#pragma once
#include <string>
#include <vector>

#include "dynamics/BodyRates.hpp"
#include "dynamics/JointMotion.hpp"

namespace stiction {

class JointCoupling {
 public:
  /// `motions`: of the model's mobilizers. `title` is what messages call it.
  JointCoupling(const Coupling& coupling, const std::vector<JointMotion>& motions, std::string title);

  const std::string& title() const { return title_; }
  /// Of the model, each once.
  std::span<const int> bodies() const { return bodies_; }
  /// C at the state, for coordinates near those that the state has.
  double value(const WorldState& state) const;
  /// Its rates by the velocities of its bodies, ascending, added to `rates`.
  void addRates(const WorldState& state, std::vector<BodyRate>& rates) const;
  /// γ
  double velocityProduct(const WorldState& state) const;

 private:
  struct Term {
    JointMotion motion;
    int joint;  // among the mobilizer's
    double coefficient;
  };
  /// What each y takes from a term: its coordinate, from the reference on, or what follows from it.
  template <class Quantity>
  static double sum(const std::vector<Term>& terms, const Quantity& of);
  static double lengthOf(const std::vector<Term>& terms, const WorldState& state);
  /// p and its first two derivatives at y₂.
  struct Ratio {
    double value, slope, bend;
  };
  Ratio ratioAt(double driving) const;

  std::vector<Term> driven_, driving_;
  std::array<double, 5> polynomial_;
  std::vector<int> bodies_;
  std::string title_;
};

}  // namespace stiction
