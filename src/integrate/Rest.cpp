// Rest is a fixed point: v = 0 with the impulses r is certified as a candidate, and then the bodies stay bit-identical.
//
//   relative(v = 0, r) <= 1e-10 + 16 ε max_i ω_i‖r_i‖ / s                    the second term is the round-off of the load terms that cancel (high mass ratios)
//   |M⁻¹ (f + H r)|_b  <= 1e-10 s + 16 ε max_{i at b} |M_b⁻¹ H_ib|‖r_i‖      of every body b: no contact sees a common fall or rolling
//   ½ |v₀ᵀ (f + H r)|  <= 2e-13 (½ v₀ᵀ M v₀ + Σ m‖g‖·1 m)                      v₀ the velocity before: what is taken off bodies that were fast is missed by the energy ledger
//
// 1e-10: to that part of a geom's size the projection closes gaps, so the directions of forces are not known better; asked for more, a heap would always find some sphere that
// rocks by less than it is out of place. The round-off is each body's own: what the loads on a light one leave would be a heavy one's fall.
// Where something still moves in an island, the bodies that the answer leaves at those speeds (of h‖g‖ in place of s, which a fast body raises) are stopped one by one, if the
// certificate agrees: a heap under a rolling ball stays bit-identical too.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/Island.hpp"

namespace stiction {
namespace {

constexpr double kRest = 1e-10;   // [-] relative certificate of the candidate, and of the certificate's scale a speed that contacts need not see
constexpr double kSharp = 1e-12;  // [-] relative certificate that a few more steps aim at
constexpr double kRoundOff = 16 * std::numeric_limits<double>::epsilon();  // [-] of the loads that cancel
constexpr double kLost = 2e-13;                                            // [-] of the energy: ledgers close to 1e-12
constexpr double kSlow = 1e-6;  // [-] of the certificate's scale: velocities below this make the candidate worth trying, and a body that had one may be stopped

}  // namespace

/// candidate_.r against v = 0.
bool IslandStepper::certifiesAtRest(Certificate& certificate) {
  candidate_.v.setZero(vFree_.size());
  certificate = certifier_.judge(assembly_.problem, candidate_);
  if (!(certificate.relative <= setup_->options->tolerance)) return false;
  double load = 0;
  for (int i = 0; i < assembly_.problem.contacts(); ++i) load = std::max(load, certifier_.omega()[i] * candidate_.r.segment<3>(3 * i).norm());
  for (int k = 0; k < assembly_.problem.rows(); ++k) load = std::max(load, assembly_.inverseMass(assembly_.problem.G, k) * std::abs(candidate_.lambda[k]));
  if (certificate.relative > kRest && certificate.metersPerSecond > kRest * certificate.scale + kRoundOff * load) return false;
  assembly_.velocityFromImpulses(vFree_, candidate_.r, candidate_.lambda, hidden_);
  roundOff_.setZero(static_cast<Eigen::Index>(assembly_.bodies().size()));
  const auto rests = [&](int block) { return speedOf(block, hidden_) <= kRest * certificate.scale + roundOff_[block]; };
  const auto blocks = static_cast<int>(roundOff_.size());
  int block = 0;
  while (block < blocks && rests(block)) ++block;
  if (block == blocks) return true;
  findRoundOff(candidate_);
  while (block < blocks && rests(block)) ++block;
  return block == blocks;
}

/// Whether the energy that v = 0 in place of hidden_ takes is within what the ledger has to close to. Bodies that are not stopped by this step may be by the next, which finds them slow.
bool IslandStepper::keepsEnergy() const {
  double lost = 0, energy = 0;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const int body = assembly_.bodies()[k];
    const BodyInertia& inertia = setup_->inertias[static_cast<std::size_t>(body)];
    const Quaternion& rotation = local_.rotation[static_cast<std::size_t>(body)];
    const Twist before = twistOf(static_cast<int>(k), vBefore_), hidden = twistOf(static_cast<int>(k), hidden_);
    lost += inertia.mass * before.linear.dot(hidden.linear) + angularMomentum(inertia, rotation, before.angular).dot(hidden.angular);
    energy += kineticEnergy(inertia, rotation, before.linear, before.angular) + inertia.mass * gravityOf(*setup_->model, body).norm();
  }
  return 0.5 * std::abs(lost) <= kLost * energy;
}

/// roundOff_ = the speed [m/s] that cancelling loads leave on each body by round-off, as speedOf has it.
void IslandStepper::findRoundOff(const Iterate& loads) {
  roundOff_.setZero(static_cast<Eigen::Index>(assembly_.bodies().size()));
  addRoundOff(assembly_.problem.H, loads.r);
  addRoundOff(assembly_.problem.G, loads.lambda);
}

void IslandStepper::addRoundOff(const BlockColumns& columns, const VectorX& impulses) {
  for (int i = 0; i < columns.groups(); ++i)
    for (int s = columns.start[static_cast<std::size_t>(i)]; s < columns.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = columns.segments[static_cast<std::size_t>(s)];
      const auto body = static_cast<std::size_t>(assembly_.bodies()[static_cast<std::size_t>(segment.block)]);
      const BodyInertia& inertia = setup_->inertias[body];
      const Eigen::Map<const MatrixX> loads{columns.values.data() + segment.offset, segment.size, columns.width};
      double rate = inertia.inverseMass;
      if (!inertia.locked) {
        double squares = 0;
        for (int c = 0; c < columns.width; ++c) squares += (assembly_.inverseInertia(segment.block) * Vector3{loads.col(c).tail<3>()}).squaredNorm();
        rate += setup_->bodySize[body] * std::sqrt(squares);
      }
      roundOff_[segment.block] = std::max(roundOff_[segment.block], kRoundOff * rate * impulses.segment(columns.width * i, columns.width).norm());
    }
}

/// Largest speed [m/s] of any point of the body in block k at v.
double IslandStepper::speedOf(int block, const VectorX& v) const {
  const auto i = static_cast<std::size_t>(assembly_.bodies()[static_cast<std::size_t>(block)]);
  const int row = assembly_.rowOf(block);
  const double spin = setup_->inertias[i].locked ? 0.0 : setup_->bodySize[i] * v.segment<3>(row + 3).norm();
  return v.segment<3>(row).norm() + spin;
}

/// The same of all the island's bodies.
double IslandStepper::fastest(const VectorX& v) const {
  double speed = 0;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) speed = std::max(speed, speedOf(static_cast<int>(k), v));
  return speed;
}

bool IslandStepper::surfacesMove() const {
  return std::any_of(kinematic_.begin(), kinematic_.end(), [&](int body) {
    const auto i = static_cast<std::size_t>(body);
    return !local_.velocity[i].isZero(0.0) || !local_.angularVelocity[i].isZero(0.0);
  });
}

bool IslandStepper::restsAsBefore(double h) {
  restedBefore_ = false;
  if (!vBefore_.isZero(0.0) || surfacesMove() || rowsMove()) return false;
  warmStart(h);
  candidate_.r = iterate_.r;
  candidate_.lambda = iterate_.lambda;
  Certificate certificate;
  if (!certifiesAtRest(certificate)) return false;
  iterate_.v = candidate_.v;
  solved_ = certificate;
  rung_ = "rest";
  restedBefore_ = true;
  return true;
}

/// Whether the island is at rest from here on; where it is not, stops what is.
bool IslandStepper::comesToRest() {
  if (result_->report.status != StepStatus::Certified || surfacesMove() || rowsMove()) return false;
  if (fastest(iterate_.v) > kSlow * solved_.scale) {
    stopSlowBodies();
    return false;
  }
  candidate_.r = iterate_.r;
  candidate_.lambda = iterate_.lambda;
  Certificate certificate;
  if (!certifiesAtRest(certificate) && !(sharpen() && certifiesAtRest(certificate))) return false;
  if (!keepsEnergy()) return false;
  iterate_.r = candidate_.r;
  iterate_.lambda = candidate_.lambda;
  iterate_.v = candidate_.v;
  solved_ = certificate;
  return true;
}

/// An answer good enough to move by may not be good enough to rest on: a few more steps from it, to candidate_.r.
bool IslandStepper::sharpen() {
  if (setup_->options->solver != "auto" || fastest(vBefore_) > kSlow * solved_.scale) return false;
  candidate_ = iterate_;
  SolveOptions options;
  options.warm = true;
  options.nearOnly = true;
  options.thorough = false;
  options.tolerance = kSharp;
  options.polish = 0.1 * kSharp;
  options.scale = certifier_.scale();
  count(portfolio_.solve(assembly_.problem, candidate_, options, certifier_));
  return true;
}

void IslandStepper::stopSlowBodies() {
  const int blocks = static_cast<int>(assembly_.bodies().size());
  const auto mayStop = [this](int block) { return speedOf(block, iterate_.v) > 0 && speedOf(block, vBefore_) <= kSlow * solved_.scale; };
  int first = 0;
  while (first < blocks && !mayStop(first)) ++first;
  if (first == blocks) return;
  findRoundOff(iterate_);
  candidate_ = iterate_;
  bool changed = false;
  for (int block = first; block < blocks; ++block) {
    if (!mayStop(block) || speedOf(block, iterate_.v) > kRest * assembly_.problem.scaleFloor + roundOff_[block]) continue;
    candidate_.v.segment(assembly_.rowOf(block), assembly_.problem.M.size(block)).setZero();
    changed = true;
  }
  if (!changed) return;
  const Certificate certificate = certifier_.judge(assembly_.problem, candidate_);
  if (!certificate.passes(setup_->options->tolerance)) return;
  iterate_.v = candidate_.v;
  solved_ = certificate;
}

}  // namespace stiction
