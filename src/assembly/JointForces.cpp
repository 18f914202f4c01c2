#include "assembly/JointForces.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr int kSwitches = 3;      // of an actuator or of friction to an end of its range in a (sub)step
constexpr double kHold = 1e-4;    // [-] compliance of dry friction that holds, of the coordinate's own
constexpr double kSlip = 1e-12;   // [-] of the rates in play: below that dry friction does not slide
constexpr double kDriven = 1e-3;  // [-] of what forces do in a step: a scale, where nothing falls
constexpr double kBeyond = 1e-9;  // [-] of dry friction: impulses beyond it by that are beyond it

std::size_t at(int i) { return static_cast<std::size_t>(i); }

BodyRate rateOfThruster(const Thruster& thruster, const WorldState& state) {
  const Quaternion& R = state.rotation[at(thruster.body)];
  const Vector3 force = R * thruster.force, torque = R * (thruster.torque + thruster.point.cross(thruster.force));
  BodyRate rate{thruster.body, {}};
  rate.rate << force.transpose(), torque.transpose();
  return rate;
}

}  // namespace

JointForces::JointForces(const Model& model, const std::vector<BodyInertia>& inertias, const std::vector<JointMotion>& motions,
                         const std::vector<CoordinateSum>& tendons)
    : model_{&model},
      inertias_{&inertias},
      motions_{&motions},
      tendons_{&tendons},
      actuatorsOf_(at(coordinates(model))),
      acting_(model.actuators.size()),
      rubbing_(at(coordinates(model))) {
  for (std::size_t id = 0; id < model.actuators.size(); ++id) actuatorsOf_[at(coordinateOf(model, model.actuators[id]))].push_back(static_cast<int>(id));
  for (const JointMotion& motion : motions) {
    char acts = 0;
    for (int j = 0; j < motion.joints(); ++j) {
      const Joint& joint = motion.all()[at(j)];
      if (joint.stiffness > 0 || joint.damping > 0 || joint.armature > 0 || joint.friction > 0 || !actuatorsOf_[at(motion.firstJoint() + j)].empty()) acts = 1;
    }
    acts_.push_back(acts);
  }
}

void JointForces::choose(std::span<const int> mobilizers, std::span<const int> others) {
  chosen_.clear();
  rows_.clear();
  rates_.clear();
  others_.assign(others.begin(), others.end());
  for (const int id : mobilizers)
    if (acts_[at(id)] != 0) chosen_.push_back(id);
}

void JointForces::beginTrials() {
  eachCoordinate([&](std::size_t coordinate) {
    rubbing_[coordinate] = {};
    for (const int actuator : actuatorsOf_[coordinate]) acting_[at(actuator)] = {};
  });
}

/// J v of the bodies that move by themselves.
double JointForces::rateOf(const ContactAssembly& assembly, const Row& row, const VectorX& v) const {
  double sum = row.moving;
  for (const auto& [body, rate] : ratesOf(row))
    if (const int block = assembly.blockOf(body); block >= 0) sum += rate.dot(v.segment<6>(assembly.rowOf(block)));
  return sum;
}

/// [N], [N m] of the actuator, within its range or not, when the coordinate has the rate over h.
double JointForces::forceOf(int actuator, const Loads& loads, const Row& row, double h, double rate) const {
  const Actuator& it = model_->actuators[at(actuator)];
  return it.gain * loads.drive[at(actuator)] + it.bias[0] + it.bias[1] * it.gear * (row.position + h * rate) + it.bias[2] * it.gear * rate;
}

/// The actuators' part of the row: stiffness and damping of those within their range, and the force that does not depend on q̇⁺.
void JointForces::addActuators(Row& row, const Loads& loads, double h) {
  for (const int id : actuatorsOf_[at(row.coordinate)]) {
    Ranged& acting = acting_[at(id)];
    const Actuator& actuator = model_->actuators[at(id)];
    const double force = forceOf(id, loads, row, h, row.rate);
    if (!acting.seen) acting.end = endOfRange(actuator, force);
    acting.seen = true;
    if (acting.end != End::None) {
      row.push += actuator.gear * (acting.end == End::Low ? actuator.lowForce : actuator.highForce);
    } else {
      const double stiffness = -actuator.gear * actuator.gear * actuator.bias[1], damping = -actuator.gear * actuator.gear * actuator.bias[2];
      row.push += actuator.gear * force + stiffness * (row.position + h * row.rate) + damping * row.rate;
      row.stiffness += stiffness;
      row.damping += damping;
    }
  }
}

/// [kg], [kg m²] of the coordinate without all else.
double JointForces::massAlone(const Row& row) const {
  double inverseMass = 0;
  for (const BodyRate& part : ratesOf(row)) inverseMass += (*inertias_)[at(part.body)].inverseMass;
  return 1.0 / (row.length * row.length * inverseMass);
}

/// Dry friction of a coordinate: a row that holds it, or a force.
void JointForces::addFriction(const Start& start, const Row& row) {
  const double friction = resistanceOf(*model_, row.coordinate).friction, h = start.h;
  if (!(friction > 0) || !(h > 0)) return;
  Ranged& rubbing = rubbing_[at(row.coordinate)];
  const bool held = start.forces[row.slot + 1] != 0;  // in the last step: that it holds now is the better guess
  if (!rubbing.seen) rubbing.end = held ? End::None : row.rate > 0 ? End::Low : row.rate < 0 ? End::High : End::None;
  rubbing.seen = true;
  Row dry{row.coordinate, row.first, row.parts, 1.0, row.position, row.moving, row.rate, row.axis, row.rotor};
  dry.dry = true;
  dry.slot = row.slot + 1;
  dry.length = lengthOf(ratesOf(dry), *inertias_, start.state);
  const double alone = massAlone(dry), borne = alone + (row.enters ? 1.0 / row.compliance : 0.0);
  dry.brake = h * friction / (alone * dry.length);
  dry.drive = h * friction / (borne * dry.length);
  if (rubbing.end == End::None) {
    dry.enters = true;
    dry.compliance = kHold / borne;
  } else {
    dry.push = rubbing.end == End::Low ? -friction : friction;
  }
  rows_.push_back(dry);
}

void JointForces::addRow(const Start& start, std::span<const BodyRate> rates, int coordinate, int axis, int slot, double position) {
  const WorldState& state = start.state;
  const double h = start.h;
  const Resistance& it = resistanceOf(*model_, coordinate);
  Row row{coordinate,
          rates_.size(),
          rates.size(),
          1.0,
          position,
          rateByDriven(rates, *model_, state),
          stiction::rateOf(rates, state),
          axis,
          state.rotorRate[at(coordinate)][axis]};
  rates_.insert(rates_.end(), rates.begin(), rates.end());
  if (h > 0) addActuators(row, start.loads, h);
  const double along = it.armature + h * (it.damping + row.damping) + h * h * (it.stiffness + row.stiffness);
  if (along > 0) {
    row.enters = true;
    row.compliance = 1.0 / along;
    const double pull = it.stiffness * (position - it.springReference) + row.stiffness * position - row.push;
    row.target = row.compliance * (h * pull - it.armature * (h > 0 ? row.rotor : row.rate));
    row.length = lengthOf(ratesOf(row), *inertias_, state);
    row.drive = std::abs(row.rate + row.target) * along / (along + massAlone(row)) / row.length;
  }
  row.slot = slot + axis;
  if (row.enters || row.push != 0 || !actuatorsOf_[at(coordinate)].empty()) rows_.push_back(row);
  addFriction(start, row);
}

void JointForces::evaluate(const WorldState& state, const Loads& loads, const double* forces, double h) {
  rows_.clear();
  rates_.clear();
  const Start start{state, loads, forces, h};
  int slot = 0;
  for (const int id : chosen_) {
    const JointMotion& motion = (*motions_)[at(id)];
    const JointState now = stateOf(motion, state);
    const auto addJoint = [&](const RowVector12& rates, int j, int axis, double position) {
      addRow(start, ofTwo(motion.parent(), motion.child(), rates), motion.firstJoint() + j, axis, slot, position);
    };
    for (int j = 0; j < motion.joints(); ++j, slot += 3) {
      if (motion.all()[at(j)].type != JointType::Ball) {
        addJoint(now.rates[at(j)], j, 0, now.position[at(j)]);
        continue;
      }
      for (int i = 0; i < 3; ++i) addJoint(JointMotion::ballRate(state.pose(motion.child()), i), j, i, 0.0);
    }
  }
  for (const int id : others_) {
    sum_.clear();
    double position = 0;
    if (id < firstThruster(*model_)) {
      const CoordinateSum& tendon = (*tendons_)[at(id - firstTendon(*model_))];
      tendon.addRates(state, 1, sum_);
      position = tendon.value(state);
    } else {
      sum_.push_back(rateOfThruster(model_->thrusters[at(id - firstThruster(*model_))], state));
    }
    addRow(start, sum_, id, 0, slot, position);
    slot += 3;
  }
}

void JointForces::push(const ContactAssembly& assembly, double h, VectorX& vFree) const {
  for (const Row& row : rows_) {
    if (row.enters) continue;
    for (const auto& [body, rate] : ratesOf(row)) {
      const int block = assembly.blockOf(body);
      if (block < 0) continue;
      const int place = assembly.rowOf(block);
      vFree.segment<3>(place) += h * row.push * (*inertias_)[at(body)].inverseMass * rate.head<3>().transpose();
      vFree.segment<3>(place + 3) += h * row.push * (assembly.inverseInertia(block) * rate.tail<3>().transpose());
    }
  }
}

int JointForces::rows() const {
  return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.enters; }));
}

void JointForces::moving(std::vector<double>& moving) const {
  for (const Row& row : rows_)
    if (row.enters) moving.push_back(row.moving / row.length);
}

void JointForces::aim(double h, const double* forces) {
  for (Row& row : rows_)
    if (row.dry && row.enters) row.target = -row.compliance * h * forces[row.slot];
}

void JointForces::targets(std::vector<double>& targets) const {
  for (const Row& row : rows_)
    if (row.enters) targets.push_back((row.moving + row.target) / row.length);
}

void JointForces::enter(ContactAssembly& assembly, double fastest) const {
  const int before = assembly.problem.rows(), count = rows();
  for (const Row& row : rows_)
    if (row.enters) assembly.addRow(ratesOf(row), row.length);
  for (const Row& row : rows_) assembly.problem.scaleFloor = std::max({assembly.problem.scaleFloor, std::min(row.brake, fastest), kDriven * row.drive});
  VectorX& C = assembly.problem.C;
  C.setZero(count == 0 ? 0 : before + count);
  Eigen::Index k = before;
  for (const Row& row : rows_)
    if (row.enters) C[k++] = row.compliance / (row.length * row.length);
}

void JointForces::recall(double h, const double* forces, Eigen::Ref<VectorX> lambda) const {
  Eigen::Index k = 0;
  for (const Row& row : rows_)
    if (row.enters) lambda[k++] = h * row.length * forces[row.slot];
}

void JointForces::keep(double h, const Eigen::Ref<const VectorX>& lambda, double* forces) const {
  Eigen::Index k = 0;
  for (const Row& row : rows_)
    if (row.enters) forces[row.slot] = lambda[k++] / (h * row.length);
}

JointForces::End JointForces::endOfRange(const Actuator& actuator, double force) {
  return force < actuator.lowForce ? End::Low : force > actuator.highForce ? End::High : End::None;
}

bool JointForces::switchTo(Ranged& ranged, End end) {
  if (end == ranged.end || (end != End::None && ranged.switches >= kSwitches)) return false;
  ranged.end = end;
  if (end != End::None) ++ranged.switches;
  return true;
}

/// Where dry friction is by the answer: `impulse` [N s] of its row where it holds.
JointForces::End JointForces::endOfFriction(const Row& row, const Ranged& rubbing, double h, double rate, double impulse) const {
  const double limit = h * resistanceOf(*model_, row.coordinate).friction * (1 + kBeyond);
  if (rubbing.end == End::None) return impulse < -limit ? End::Low : impulse > limit ? End::High : End::None;
  const double slow = kSlip * std::abs(row.rate);
  const bool slides = rubbing.end == End::Low ? rate >= -slow : rate <= slow;
  return slides ? rubbing.end : End::None;
}

bool JointForces::switches(const ContactAssembly& assembly, const Loads& loads, double h, const VectorX& v, const Eigen::Ref<const VectorX>& lambda) {
  bool changed = false;
  Eigen::Index next = 0;
  for (const Row& row : rows_) {
    const double rate = rateOf(assembly, row, v), impulse = row.enters ? lambda[next++] / row.length : 0.0;
    if (row.dry) {
      Ranged& rubbing = rubbing_[at(row.coordinate)];
      changed = switchTo(rubbing, endOfFriction(row, rubbing, h, rate, impulse)) || changed;
      continue;
    }
    for (const int id : actuatorsOf_[at(row.coordinate)]) {
      const End end = endOfRange(model_->actuators[at(id)], forceOf(id, loads, row, h, rate));
      changed = switchTo(acting_[at(id)], end) || changed;
    }
  }
  return changed;
}

double JointForces::slip(const ContactAssembly& assembly, const VectorX& v) const {
  double fastest = 0;
  for (const Row& row : rows_)
    if (row.dry && row.enters) fastest = std::max(fastest, std::abs(rateOf(assembly, row, v)) / row.length);
  return fastest;
}

JointForces::Work JointForces::work(const ContactAssembly& assembly, const VectorX& vBefore, const VectorX& vAfter, double h) const {
  Work work;
  for (const Row& row : rows_) {
    const Resistance& it = resistanceOf(*model_, row.coordinate);
    const double before = rateOf(assembly, row, vBefore), after = rateOf(assembly, row, vAfter), mean = 0.5 * (before + after);
    if (!row.enters) {
      work.pushed += h * row.push * mean;
      work.external -= h * row.push * row.moving;
    }
    if (row.dry) {
      work.friction += row.enters ? 0.0 : -h * row.push * after;
      continue;
    }
    work.actuators += h * (row.push - row.stiffness * (row.position + h * after) - row.damping * after) * mean;
    work.damping += h * it.damping * after * after;
    const double turned = h > 0 ? after : row.rotor + after - before;
    work.rotors += 0.5 * it.armature * (turned * turned - row.rotor * row.rotor);
  }
  return work;
}

void JointForces::turnRotors(const ContactAssembly& assembly, const VectorX& vBefore, const VectorX& vAfter, double h, WorldState& state) const {
  for (const Row& row : rows_)
    if (!row.dry) state.rotorRate[at(row.coordinate)][row.axis] = rateOf(assembly, row, vAfter) + (h > 0 ? 0.0 : row.rotor - rateOf(assembly, row, vBefore));
}

double JointForces::elasticEnergy(const WorldState& state) const {
  double energy = 0;
  for (const int id : chosen_) energy += stiction::elasticEnergy((*motions_)[at(id)], state);
  for (const int id : others_) {
    const std::size_t tendon = at(id - firstTendon(*model_));
    if (id < firstThruster(*model_)) energy += stiction::elasticEnergy(model_->tendons[tendon], (*tendons_)[tendon], state);
  }
  return energy;
}

}  // namespace stiction
