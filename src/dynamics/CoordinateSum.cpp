#include "dynamics/CoordinateSum.hpp"

#include <algorithm>

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

CoordinateSum::CoordinateSum(const std::vector<CoordinateTerm>& terms, const std::vector<JointMotion>& motions) {
  for (const CoordinateTerm& term : terms) {
    const JointMotion& motion = motionOf(motions, term.joint);
    terms_.push_back({motion, term.joint - motion.firstJoint(), term.coefficient});
    bodies_.insert(bodies_.end(), {motion.parent(), motion.child()});
  }
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
}

template <class Quantity>
double CoordinateSum::sum(const Quantity& of) const {
  double y = 0;
  for (const Term& term : terms_) y += term.coefficient * of(term);
  return y;
}

double CoordinateSum::value(const WorldState& state) const {
  return sum([&](const Term& term) { return positionsOf(term.motion, state)[at(term.joint)]; });
}

double CoordinateSum::reference() const {
  return sum([](const Term& term) { return term.motion.all()[at(term.joint)].reference; });
}

double CoordinateSum::rate(const WorldState& state) const {
  return sum([&](const Term& term) { return stateOf(term.motion, state).rate[at(term.joint)]; });
}

void CoordinateSum::addRates(const WorldState& state, double factor, std::vector<BodyRate>& rates) const {
  for (const Term& term : terms_) {
    const RowVector12 own = factor * term.coefficient * stateOf(term.motion, state).rates[at(term.joint)];
    addRate(rates, term.motion.parent(), own.head<6>());
    addRate(rates, term.motion.child(), own.tail<6>());
  }
}

double CoordinateSum::bend(const WorldState& state) const {
  return sum([&](const Term& term) {
    const JointMotion& motion = term.motion;
    return motion.bend(term.joint, state.pose(motion.parent()), state.pose(motion.child()), twistOf(state, motion.parent()), twistOf(state, motion.child()),
                       state.jointPosition.data() + motion.firstJoint());
  });
}

std::vector<CoordinateSum> tendonSums(const Model& model, const std::vector<JointMotion>& motions) {
  std::vector<CoordinateSum> sums;
  sums.reserve(model.tendons.size());
  for (const Tendon& tendon : model.tendons) sums.emplace_back(tendon.terms, motions);
  return sums;
}

double elasticEnergy(const Tendon& tendon, const CoordinateSum& sum, const WorldState& state) {
  if (!(tendon.stiffness > 0)) return 0;
  const double stretch = sum.value(state) - tendon.springReference;
  return 0.5 * tendon.stiffness * stretch * stretch;
}

void engageRotors(const std::vector<JointMotion>& motions, const std::vector<CoordinateSum>& tendons, int body, WorldState& state) {
  engageRotors(motions, body, state);
  const std::size_t joints = motions.empty() ? 0 : at(motions.back().firstJoint() + motions.back().joints());
  for (std::size_t k = 0; k < tendons.size(); ++k) state.rotorRate[joints + k] = {tendons[k].rate(state), 0, 0};
}

}  // namespace stiction
