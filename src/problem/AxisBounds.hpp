// Bounds of friction in the law of boxes: each tangent axis holds its impulse in an interval that the normal impulse of the moment decides.
#pragma once
#include "problem/Law.hpp"

namespace stiction {

struct AxisInterval {
  double low{0}, high{0};  // [N s] low <= high
};

/// Bounds other than ±μ r_n/√2. A problem that has them is asked for them again whenever a normal impulse has changed.
class AxisBounds {
 public:
  virtual ~AxisBounds() = default;
  /// Of either tangent axis of a contact, at a normal impulse [N s] >= 0. Finite.
  virtual AxisInterval at(int contact, double normalImpulse) const = 0;

 protected:
  AxisBounds() = default;
  AxisBounds(const AxisBounds&) = default;
  AxisBounds& operator=(const AxisBounds&) = default;
  AxisBounds(AxisBounds&&) noexcept = default;
  AxisBounds& operator=(AxisBounds&&) noexcept = default;
};

}  // namespace stiction
