// A coupling of a model's joints as a constraint of all the bodies that these are between, or an end of a tendon's range:
//
//   C = y₁ − p(y₂) ,   Ċ = ẏ₁ − p′ ẏ₂ ,   γ = γ₁ − p′ γ₂ − p″ ẏ₂²        y, ẏ and their products γ by CoordinateSum.hpp
//   C = ±(y − end) >= 0
//
// C in the unit of y₁, [rad] or [m] times its coefficients.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "dynamics/CoordinateSum.hpp"

namespace stiction {

class JointCoupling {
 public:
  /// `motions`: of the model's mobilizers. `title` is what messages call it.
  JointCoupling(const Coupling& coupling, const std::vector<JointMotion>& motions, std::string title);
  /// One end of the tendon's range.
  JointCoupling(const Tendon& tendon, bool high, const std::vector<JointMotion>& motions, std::string title);

  const std::string& title() const { return title_; }
  /// Of the model.
  std::vector<int> bodies() const;
  /// C at the state, for coordinates near those that the state has.
  double value(const WorldState& state) const;
  /// Its rates by the velocities of its bodies, ascending, added to `rates`.
  void addRates(const WorldState& state, std::vector<BodyRate>& rates) const;
  /// γ
  double velocityProduct(const WorldState& state) const;

 private:
  /// p and its first two derivatives at y₂.
  struct Ratio {
    double value, slope, bend;
  };
  Ratio ratioAt(const WorldState& state) const;

  CoordinateSum driven_, driving_;
  double sign_{1}, drivenReference_, drivingReference_;
  std::array<double, 5> polynomial_;
  std::string title_;
};

}  // namespace stiction
