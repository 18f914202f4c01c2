#include "assembly/ConstraintRows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "constraints/BodyCoordinates.hpp"

namespace stiction {
namespace {

constexpr double kNothing = 1e-12;  // [-] of J: a row this small in velocities turns the quaternion's length alone
constexpr double kBroken = 1e-6;    // [-] of J: C of such a row beyond which the state is one that no motion mends

std::size_t at(int i) { return static_cast<std::size_t>(i); }

InertialState stateOf(const WorldState& world, int body) {
  InertialState state;
  state.position = world.position[at(body)];
  state.velocity = world.velocity[at(body)];
  state.orientation = world.rotation[at(body)];
  state.setAngularVelocity(world.angularVelocity[at(body)]);
  return state;
}

/// The constraint's functions, whether of one body or of two.
struct Functions {
  Functions(const HeldConstraint& held, const WorldState& world, double t)
      : one{*held.constraint}, two{dynamic_cast<const TwoBodyRows*>(held.constraint.get())}, b{stateOf(world, held.bodyB)}, time{t} {
    if (two) a = stateOf(world, held.bodyA);
  }

  bool isActive() const { return two ? two->isActiveTwoBody(a, b, time) : one.isActive(b, time); }
  VectorX value() const { return two ? two->evaluateTwoBody(a, b, time) : one.evaluate(b, time); }
  /// dimension × 12 by v_A, ω_A, v_B, ω_B; `largest`: of the rows as the constraint gives them.
  MatrixX rates(double& largest) const {
    MatrixX J = two ? two->jacobianTwoBody(a, b, time) : one.jacobian(b, time);
    largest = J.size() > 0 ? J.cwiseAbs().maxCoeff() : 0.0;
    if (two || J.cols() != 7) return J;
    MatrixX rates = MatrixX::Zero(J.rows(), 12);
    rates.rightCols<6>() = J * twistToRate(b.orientation);
    return rates;
  }
  VectorX byTime() const { return two ? two->partialTimeDerivativeTwoBody(a, b, time) : one.partialTimeDerivative(b, time); }
  VectorX bend() const { return two ? two->velocityProductTwoBody(a, b, time) : one.velocityProduct(b, time); }

  const Constraint& one;
  const TwoBodyRows* two;
  InertialState a, b;
  double time;
};

bool areFinite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

/// Where the coordinates of the mobilizer were that it holds or limits.
const double* coordinatesBefore(const HeldConstraint& held, const WorldState& state) {
  return state.jointPosition.data() + (held.limit != nullptr ? held.limit->motion().firstJoint() : held.joint->firstJoint());
}

/// False where x has another size, or numbers that are not finite.
bool take(const VectorX& x, int dimension, std::vector<double>& to) {
  to.assign(x.begin(), x.end());
  return x.size() == dimension && areFinite(to);
}

bool fits(const MatrixX& J, int dimension) { return J.rows() == dimension && J.cols() == 12 && J.allFinite(); }

/// Whether a row, beside the `largest` of its constraint, changes by no motion of what can move: fixed and kinematic bodies, and rotations that are locked, take no part.
bool pushesNothing(std::span<const BodyRate> row, double largest, const std::vector<BodyInertia>& inertias) {
  double most = 0;
  for (const auto& [body, rate] : row) {
    if (body < 0 || !inertias[at(body)].dynamic) continue;
    most = std::max(most, inertias[at(body)].locked ? rate.head<3>().cwiseAbs().maxCoeff() : rate.cwiseAbs().maxCoeff());
  }
  return most <= kNothing * largest;
}

/// And whether it is violated there.
bool isBroken(const HeldConstraint& held, double value, double largest) { return (held.unilateral ? -value : std::abs(value)) > kBroken * largest; }

std::string wrongSize(const char* function, const std::string& found, const std::string& wanted) {
  return std::string{function} + " gives " + found + ", not " + wanted;
}

std::string faultOf(const char* function, const VectorX& x, int dimension) {
  if (x.size() != dimension) return wrongSize(function, std::to_string(x.size()) + " entries", std::to_string(dimension) + " as dimension() says");
  return x.allFinite() ? "" : std::string{function} + " gives a number that is not finite";
}

}  // namespace

double lengthOf(std::span<const BodyRate> row, const std::vector<BodyInertia>& inertias, const WorldState& state) {
  double mobility = 0, reference = 0;
  for (const auto& [body, rate] : row) {
    if (body < 0 || !inertias[at(body)].dynamic) continue;
    const BodyInertia& inertia = inertias[at(body)];
    const Vector3 turning = rotateBack(state.rotation[at(body)], rate.tail<3>().transpose());
    mobility += inertia.inverseMass * rate.head<3>().squaredNorm() + turning.dot(inertia.inverse * turning);
    reference += inertia.inverseMass;
  }
  return std::sqrt(mobility / reference);
}

std::string faultOf(const HeldConstraint& held, const std::vector<BodyInertia>& inertias, const WorldState& state, double time) {
  const Functions functions{held, state, time};
  if (held.constraint->dimension() != held.dimension || held.dimension < 1)
    return "dimension() is " + std::to_string(held.constraint->dimension()) + ", not " +
           (held.dimension < 1 ? "at least 1" : std::to_string(held.dimension) + " as before");
  if (!functions.isActive()) return "";
  const VectorX value = functions.value();
  if (std::string fault = faultOf("evaluate", value, held.dimension); !fault.empty()) return fault;
  double largest = 0;
  const MatrixX rates = functions.rates(largest);
  if (rates.rows() != held.dimension || rates.cols() != 12)
    return wrongSize("jacobian", std::to_string(rates.rows()) + " x " + std::to_string(rates.cols()),
                     std::to_string(held.dimension) + " x " + (held.bodyA < 0 ? "7" : "12"));
  if (!rates.allFinite()) return "jacobian gives a number that is not finite";
  if (std::string fault = faultOf("partialTimeDerivative", functions.byTime(), held.dimension); !fault.empty()) return fault;
  if (std::string fault = faultOf("velocityProduct", functions.bend(), held.dimension); !fault.empty()) return fault;
  for (int k = 0; k < held.dimension; ++k)
    if (pushesNothing(ofTwo(held.bodyA, held.bodyB, rates.row(k)), largest, inertias) && isBroken(held, value[k], largest))
      return "row " + std::to_string(k) + " is violated where no motion of its bodies changes it";
  return "";
}

ConstraintRows::ConstraintRows(const Model& model, const std::vector<BodyInertia>& inertias, const std::vector<double>& bodySize)
    : model_{&model}, inertias_{&inertias} {
  for (std::size_t i = 0; i < inertias.size(); ++i)
    size_.push_back(inertias[i].dynamic ? std::max(bodySize[i], std::sqrt(inertias[i].inertia.trace() * inertias[i].inverseMass)) : 0.0);
}

void ConstraintRows::choose(const std::vector<HeldConstraint>& all, std::span<const int> chosen) {
  all_ = &all;
  chosen_ = chosen;
  rows_.clear();
  faulty_ = -1;
}

/// [m] of the larger of the bodies that the constraint moves.
double ConstraintRows::sizeOf(const HeldConstraint& held) const {
  double size = 0;
  held.eachBody([&](int body) { size = std::max(size, size_[at(body)]); });
  return size > 0 ? size : 1.0;
}

/// A row, unless it pushes nothing. False where that is a fault. `largest`: of the constraint's rates.
bool ConstraintRows::add(int id, int index, double value, std::span<const BodyRate> rates, double largest, const WorldState& state) {
  const HeldConstraint& held = (*all_)[at(id)];
  if (pushesNothing(rates, largest, *inertias_)) return !isBroken(held, value, largest);
  const double n = lengthOf(rates, *inertias_, state);
  const double size = !rows_.empty() && rows_.back().held == id ? rows_.back().size : sizeOf(held);
  rows_.push_back({id, index, rates_.size(), rates.size(), held.unilateral, n, size, value / n});
  for (const auto& [body, rate] : rates) rates_.push_back({body, rate / n});
  return true;
}

/// The one row of a coupling.
bool ConstraintRows::addCoupling(int id, const WorldState& state) {
  const JointCoupling& coupling = *(*all_)[at(id)].coupling;
  own_.clear();
  coupling.addRates(state, own_);
  double largest = 0;
  for (const BodyRate& part : own_) {
    if (!part.rate.allFinite()) return false;
    largest = std::max(largest, part.rate.cwiseAbs().maxCoeff());
  }
  return findValues(id, state, 0) && add(id, 0, values_[0], own_, largest, state);
}

/// The rows of a joint, or the one of an end of its range.
bool ConstraintRows::addJoint(int id, const WorldState& state, double time) {
  const HeldConstraint& held = (*all_)[at(id)];
  std::array<RowVector12, JointConstraint::kMost> rates;
  if (held.limit != nullptr) {
    if (!findValues(id, state, time)) return false;
    rates[0] = held.limit->rateBy(coordinatesOf(held, state, true).rates.data());
  } else {
    values_.resize(at(held.dimension));
    held.joint->valuesAndRates(state.pose(held.bodyA), state.pose(held.bodyB), coordinatesBefore(held, state), values_.data(), rates.data());
    if (!areFinite(values_)) return false;
  }
  double largest = 0;
  for (int k = 0; k < held.dimension; ++k) {
    if (!rates[at(k)].allFinite()) return false;
    largest = std::max(largest, rates[at(k)].cwiseAbs().maxCoeff());
  }
  for (int k = 0; k < held.dimension; ++k)
    if (!add(id, k, values_[at(k)], ofTwo(held.bodyA, held.bodyB, rates[at(k)]), largest, state)) return false;
  return true;
}

bool ConstraintRows::addRows(int id, const WorldState& state, double time) {
  const HeldConstraint& held = (*all_)[at(id)];
  const Functions functions{held, state, time};
  if (!functions.isActive()) return true;
  double largest = 0;
  const MatrixX rates = functions.rates(largest);
  if (!take(functions.value(), held.dimension, values_) || !fits(rates, held.dimension)) return false;
  for (int k = 0; k < held.dimension; ++k)
    if (!add(id, k, values_[at(k)], ofTwo(held.bodyA, held.bodyB, rates.row(k)), largest, state)) return false;
  return true;
}

const ConstraintRows::Coordinates& ConstraintRows::coordinatesOf(const HeldConstraint& held, const WorldState& state, bool rates) {
  const JointMotion& motion = held.limit->motion();
  const Pose P = state.pose(held.bodyA), C = state.pose(held.bodyB);
  if (std::exchange(coordinates_.mobilizer, held.mobilizer) != held.mobilizer) {
    motion.coordinates(P, C, coordinatesBefore(held, state), coordinates_.q.data());
    coordinates_.hasRates = false;
  }
  if (rates && !std::exchange(coordinates_.hasRates, true)) motion.rates(P, C, coordinates_.q.data(), coordinates_.rates.data());
  return coordinates_;
}

bool ConstraintRows::evaluate(const WorldState& state, double time) {
  rows_.clear();
  rates_.clear();
  left_.clear();
  coordinates_.mobilizer = -1;
  for (const int id : chosen_) {
    const HeldConstraint& held = (*all_)[at(id)];
    if (held.coordinate >= 0) continue;
    if (held.coupling ? addCoupling(id, state) : held.isOfJoint() ? addJoint(id, state, time) : addRows(id, state, time)) continue;
    faulty_ = id;
    return false;
  }
  return true;
}

/// C of all rows of a constraint. False where it is at fault.
bool ConstraintRows::findValues(int id, const WorldState& state, double time) {
  const HeldConstraint& held = (*all_)[at(id)];
  if (!held.isOfJoint()) return take(Functions{held, state, time}.value(), held.dimension, values_);
  if (held.coupling) {
    values_.assign(1, held.coupling->value(state));
    return areFinite(values_);
  }
  const Pose A = state.pose(held.bodyA), B = state.pose(held.bodyB);
  values_.resize(at(held.dimension));
  if (held.limit != nullptr)
    values_[0] = held.limit->valueAt(coordinatesOf(held, state, false).q.data());
  else
    held.joint->values(A, B, coordinatesBefore(held, state), values_.data());
  return areFinite(values_);
}

/// ∂C/∂t and γ, likewise.
bool ConstraintRows::findBends(int id, const WorldState& state, double time) {
  const HeldConstraint& held = (*all_)[at(id)];
  if (!held.isOfJoint()) {
    const Functions functions{held, state, time};
    return take(functions.byTime(), held.dimension, byTime_) && take(functions.bend(), held.dimension, values_);
  }
  byTime_.assign(at(held.dimension), 0.0);
  if (held.coupling) {
    values_.assign(1, held.coupling->velocityProduct(state));
    return areFinite(values_);
  }
  values_.resize(at(held.dimension));
  const Pose A = state.pose(held.bodyA), B = state.pose(held.bodyB);
  const Twist a = twistOf(state, held.bodyA), b = twistOf(state, held.bodyB);
  if (held.limit != nullptr)
    values_[0] = held.limit->bendFrom(A, B, a, b, coordinatesBefore(held, state));
  else
    held.joint->velocityProducts(A, B, a, b, coordinatesBefore(held, state), values_.data());
  return areFinite(values_);
}

bool ConstraintRows::evaluateRates(const WorldState& state, double time) {
  int last = -1;
  for (Row& row : rows_) {
    if (row.held != last && !findBends(row.held, state, time)) {
      faulty_ = row.held;
      return false;
    }
    last = row.held;
    row.moving = byTime_[at(row.index)] / row.length + rateByDriven(ratesOf(row), *model_, state);
    row.bend = values_[at(row.index)] / row.length;
  }
  return true;
}

void ConstraintRows::leaveOut(double reach, const std::vector<int>& needed) {
  const auto stays = [&](const Row& row) {
    return (*all_)[at(row.held)].limit == nullptr || row.value <= reach + kTouches * row.size ||
           std::find(needed.begin(), needed.end(), row.held) != needed.end();
  };
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(left_), [&](const Row& row) { return !stays(row); });
  std::erase_if(rows_, [&](const Row& row) { return !stays(row); });
}

bool ConstraintRows::findViolated(const WorldState& state, double h, std::vector<int>& needed) {
  constexpr double near = 0.5;  // [-] of the way: by its rate at the end a row that goes less than that stays open
  coordinates_.mobilizer = -1;
  const std::size_t before = needed.size();
  for (const Row& row : left_) {
    const HeldConstraint& held = (*all_)[at(row.held)];
    if (h * rateOf(ratesOf(row), state) > -near * row.value) continue;
    if (held.limit->valueAt(coordinatesOf(held, state, false).q.data()) < 0) needed.push_back(row.held);
  }
  return needed.size() > before;
}

bool ConstraintRows::evaluateValues(const WorldState& state, double time, VectorX& values) {
  coordinates_.mobilizer = -1;
  values.resize(static_cast<Eigen::Index>(rows_.size()));
  int last = -1;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    if (row.held != last && !findValues(row.held, state, time)) {
      faulty_ = row.held;
      return false;
    }
    last = row.held;
    values[static_cast<Eigen::Index>(k)] = values_[at(row.index)] / row.length;
  }
  return true;
}

}  // namespace stiction
