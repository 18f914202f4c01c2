#include "constraints/JointCoupling.hpp"

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

JointCoupling::JointCoupling(const Coupling& coupling, const std::vector<JointMotion>& motions, std::string title)
    : polynomial_{coupling.polynomial}, title_{std::move(title)} {
  const auto take = [&](const std::vector<CoordinateTerm>& from, std::vector<Term>& to) {
    for (const CoordinateTerm& term : from) {
      const JointMotion& motion = motionOf(motions, term.joint);
      to.push_back({motion, term.joint - motion.firstJoint(), term.coefficient});
      for (const int body : {motion.parent(), motion.child()})
        if (std::find(bodies_.begin(), bodies_.end(), body) == bodies_.end()) bodies_.push_back(body);
    }
  };
  take(coupling.driven, driven_);
  take(coupling.driving, driving_);
}

template <class Quantity>
double JointCoupling::sum(const std::vector<Term>& terms, const Quantity& of) {
  double y = 0;
  for (const Term& term : terms) y += term.coefficient * of(term);
  return y;
}

double JointCoupling::lengthOf(const std::vector<Term>& terms, const WorldState& state) {
  return sum(terms, [&](const Term& term) { return positionsOf(term.motion, state)[at(term.joint)] - term.motion.all()[at(term.joint)].reference; });
}

JointCoupling::Ratio JointCoupling::ratioAt(double driving) const {
  Ratio ratio{0, 0, 0};
  for (std::size_t k = polynomial_.size(); k-- > 0;) {
    ratio.bend = ratio.bend * driving + 2 * ratio.slope;
    ratio.slope = ratio.slope * driving + ratio.value;
    ratio.value = ratio.value * driving + polynomial_[k];
  }
  return ratio;
}

double JointCoupling::value(const WorldState& state) const { return lengthOf(driven_, state) - ratioAt(lengthOf(driving_, state)).value; }

void JointCoupling::addRates(const WorldState& state, std::vector<BodyRate>& rates) const {
  const auto add = [&](const std::vector<Term>& terms, double factor) {
    for (const Term& term : terms) {
      const RowVector12 own = factor * term.coefficient * stateOf(term.motion, state).rates[at(term.joint)];
      addRate(rates, term.motion.parent(), own.head<6>());
      addRate(rates, term.motion.child(), own.tail<6>());
    }
  };
  add(driven_, 1);
  add(driving_, -ratioAt(lengthOf(driving_, state)).slope);
}

double JointCoupling::velocityProduct(const WorldState& state) const {
  const auto rate = [&](const Term& term) { return stateOf(term.motion, state).rate[at(term.joint)]; };
  const auto product = [&](const Term& term) {
    const JointMotion& motion = term.motion;
    return motion.bend(term.joint, state.pose(motion.parent()), state.pose(motion.child()), twistOf(state, motion.parent()), twistOf(state, motion.child()),
                       state.jointPosition.data() + motion.firstJoint());
  };
  const Ratio ratio = ratioAt(lengthOf(driving_, state));
  const double speed = sum(driving_, rate);
  return sum(driven_, product) - ratio.slope * sum(driving_, product) - ratio.bend * speed * speed;
}

}  // namespace stiction
