#include "constraints/JointCoupling.hpp"

#include <utility>

namespace stiction {

JointCoupling::JointCoupling(const Coupling& coupling, const std::vector<JointMotion>& motions, std::string title)
    : driven_{coupling.driven, motions},
      driving_{coupling.driving, motions},
      drivenReference_{driven_.reference()},
      drivingReference_{driving_.reference()},
      polynomial_{coupling.polynomial},
      title_{std::move(title)} {}

JointCoupling::JointCoupling(const Tendon& tendon, bool high, const std::vector<JointMotion>& motions, std::string title)
    : driven_{tendon.terms, motions},
      driving_{{}, motions},
      sign_{high ? -1.0 : 1.0},
      drivenReference_{high ? tendon.high : tendon.low},
      drivingReference_{0},
      polynomial_{},
      title_{std::move(title)} {}

std::vector<int> JointCoupling::bodies() const {
  std::vector<int> all = driven_.bodies();
  all.insert(all.end(), driving_.bodies().begin(), driving_.bodies().end());
  return all;
}

JointCoupling::Ratio JointCoupling::ratioAt(const WorldState& state) const {
  const double y = driving_.value(state) - drivingReference_;
  Ratio ratio{0, 0, 0};
  for (std::size_t k = polynomial_.size(); k-- > 0;) {
    ratio.bend = ratio.bend * y + 2 * ratio.slope;
    ratio.slope = ratio.slope * y + ratio.value;
    ratio.value = ratio.value * y + polynomial_[k];
  }
  return ratio;
}

double JointCoupling::value(const WorldState& state) const { return sign_ * (driven_.value(state) - drivenReference_ - ratioAt(state).value); }

void JointCoupling::addRates(const WorldState& state, std::vector<BodyRate>& rates) const {
  driven_.addRates(state, sign_, rates);
  driving_.addRates(state, -sign_ * ratioAt(state).slope, rates);
}

double JointCoupling::velocityProduct(const WorldState& state) const {
  const Ratio ratio = ratioAt(state);
  const double speed = driving_.rate(state);
  return sign_ * (driven_.bend(state) - ratio.slope * driving_.bend(state) - ratio.bend * speed * speed);
}

}  // namespace stiction
