#include "integrate/IslandRest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {
namespace {

constexpr double kRest = 1e-10;      // [-] relative certificate of the candidate, and of the certificate's scale a speed that contacts need not see
constexpr double kSharp = 1e-12;     // [-] relative certificate that a few more steps aim at,
constexpr double kSharper = 0.3;     // [-] or so much of one that would just do: in a high tower bodies move by hundreds of times what any contact sees of it,
constexpr double kSharpest = 1e-15;  // [-] but none below that
constexpr double kRoundOff = 16 * std::numeric_limits<double>::epsilon();  // [-] of the loads that cancel
constexpr double kLost = 2e-13;                                            // [-] of the energy: ledgers close to 1e-12
constexpr double kStanding = 1e-3;    // [-] of a body's size: a body no faster than from a fall by that stands, as far as the search for rest is concerned,
constexpr double kNearlyShut = 1e-5;  // [-] of the pair's size: gaps up to that count as shut there: scenes are written to so many digits,
constexpr double kCreep = 1e-3;       // [-] of the certificate's scale: and an answer that moves bodies no faster lets them stand
constexpr double kHardly = 1e-2;      // [-] of the certificate's scale: and bodies no faster stand beside others
constexpr double kSlow = 1e-6;  // [-] of the certificate's scale: velocities below this make the candidate worth trying, and a body that had one may be stopped

}  // namespace

IslandRest::IslandRest(const Island& island, IslandProblem& problem, const IslandRows& rows, IslandSolver& solver)
    : island_{&island}, problem_{&problem}, rows_{&rows}, solver_{&solver} {}

bool IslandRest::staysAtRest(double h) {
  looked_ = lookedInPart_ = stayed_ = false;
  if (!problem_->vBefore.isZero(0.0) || isDriven()) return false;
  solver_->warmStart(h);
  candidate_.r = problem_->iterate.r;
  candidate_.lambda = problem_->iterate.lambda;
  if (!certifiesAtRest() && !certifiesWithGapsShut()) return false;
  problem_->iterate.v = candidate_.v;
  solver_->replace(certificate_, "rest");
  stayed_ = true;
  return true;
}

bool IslandRest::comesToRest() {
  if (island_->report().status != StepStatus::Certified || isDriven()) return false;
  if (problem_->fastest(problem_->iterate.v) > kSlow * solver_->certificate().scale) {
    stopSlowBodies();
    return false;
  }
  candidate_.r = problem_->iterate.r;
  candidate_.lambda = problem_->iterate.lambda;
  if (!certifiesAtRest() && !(sharpen() && certifiesAtRest())) return false;
  if (!keepsEnergy()) return false;
  problem_->iterate.r = candidate_.r;
  problem_->iterate.lambda = candidate_.lambda;
  problem_->iterate.v = candidate_.v;
  solver_->replace(certificate_);
  return true;
}

bool IslandRest::beginsToMove() const {
  if (problem_->vBefore.isZero(0.0)) return !problem_->iterate.v.isZero(0.0);
  return !solver_->followsFromStart() && problem_->fastest(problem_->iterate.v) > kCreep * solver_->certificate().scale;
}

bool IslandRest::manyBeginToMove() const {
  const double scale = solver_->certificate().scale;
  return 4 * countBodies([&](int body) {
           return problem_->speedOf(body, problem_->vBefore) <= kSlow * scale && problem_->speedOf(body, problem_->iterate.v) > kCreep * scale;
         }) >
         problem_->assembly.problem.M.blocks();
}

bool IslandRest::mayRest() {
  if (std::exchange(looked_, true) || isDriven() || problem_->assembly.problem.contacts() == 0 || !stands()) return false;
  candidate_ = problem_->iterate;
  shutSmallGaps();
  if (!solver_->findRest(candidate_) || !certifiesAtRest() || !keepsEnergy()) {
    openGaps();
    return false;
  }
  std::swap(problem_->iterate, candidate_);
  solver_->replace(certificate_, "rest");
  return true;
}

bool IslandRest::mayRestInPart() {
  if (std::exchange(lookedInPart_, true) || isDriven() || problem_->assembly.problem.contacts() == 0 || stands() || !mostStand()) return false;
  candidate_ = problem_->iterate;
  shutSmallGaps();
  if (!solver_->findRestInPart(problem_->vBefore, candidate_)) {
    openGaps();
    return false;
  }
  std::swap(problem_->iterate, candidate_);
  problem_->followImpulses();
  solver_->replace(solver_->judge(problem_->iterate), "rest");
  return true;
}

/// The candidate; where it does not hold either, the gaps are open again.
bool IslandRest::certifiesWithGapsShut() {
  if (shutSmallGaps() && certifiesAtRest()) return true;
  openGaps();
  return false;
}

/// Returns whether there are any.
bool IslandRest::shutSmallGaps() {
  VectorX& w = problem_->assembly.problem.w;
  gaps_ = w;
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const Contact& contact = problem_->contactOf(k);
    if (contact.gap > 0 && contact.gap <= kNearlyShut * island_->pairSize(contact.key)) w[static_cast<Eigen::Index>(3 * k)] = 0;
  }
  return w != gaps_;
}

void IslandRest::openGaps() { problem_->assembly.problem.w = gaps_; }

/// Whether no body is faster than from a fall by a small part of its size.
bool IslandRest::stands() const {
  const std::span<const int> bodies = problem_->assembly.bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const double fall = kStanding * island_->bodySize(bodies[k]), speed = problem_->speedOf(static_cast<int>(k), problem_->vBefore);
    if (speed * speed > 2 * gravityOf(*island_->setup->model, bodies[k]).norm() * fall) return false;
  }
  return true;
}

/// Whether three in four bodies hardly move.
bool IslandRest::mostStand() const {
  const double slow = kHardly * solver_->certifier().scale();
  return 4 * countBodies([&](int body) { return problem_->speedOf(body, problem_->vBefore) > slow; }) <= problem_->assembly.problem.M.blocks();
}

/// Whether surfaces or constraints move by themselves.
bool IslandRest::isDriven() const { return island_->surfacesMove() || rows_->move(); }

/// The candidate's impulses against v = 0.
bool IslandRest::certifiesAtRest() {
  excess_ = 1;
  candidate_.v.setZero(problem_->vFree.size());
  certificate_ = solver_->judge(candidate_);
  if (!(certificate_.relative <= island_->setup->options->tolerance)) return false;
  ContactAssembly& assembly = problem_->assembly;
  const ContactProblem& problem = assembly.problem;
  double load = 0;
  for (int i = 0; i < problem.contacts(); ++i) load = std::max(load, solver_->certifier().omega()[i] * candidate_.r.segment<3>(3 * i).norm());
  for (int k = 0; k < problem.rows(); ++k) load = std::max(load, assembly.inverseMass(problem.G, k) * std::abs(candidate_.lambda[k]));
  if (certificate_.relative > kRest && certificate_.metersPerSecond > kRest * certificate_.scale + kRoundOff * load) return false;
  assembly.velocityFromImpulses(problem_->vFree, candidate_.r, candidate_.lambda, hidden_);
  roundOff_.setZero(static_cast<Eigen::Index>(assembly.bodies().size()));
  excess_ = hiddenExcess();
  if (excess_ <= 1) return true;
  findRoundOff(candidate_);
  excess_ = hiddenExcess();
  return excess_ <= 1;
}

/// The fastest body of hidden_, by what it may have [-].
double IslandRest::hiddenExcess() const {
  double excess = 0;
  for (int block = 0; block < static_cast<int>(roundOff_.size()); ++block)
    excess = std::max(excess, problem_->speedOf(block, hidden_) / (kRest * certificate_.scale + roundOff_[block]));
  return excess;
}

/// Whether the energy that v = 0 in place of hidden_ takes is within what the ledger has to close to. Bodies that are not stopped by this step may be by the next, which finds them slow.
bool IslandRest::keepsEnergy() const {
  double lost = 0, energy = 0;
  for (const int joint : island_->joints) energy += resistanceOf(*island_->setup->model, joint).friction;
  const std::span<const int> bodies = problem_->assembly.bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const int body = bodies[k];
    const BodyInertia& inertia = island_->inertia(body);
    const Quaternion& rotation = island_->state.rotation[static_cast<std::size_t>(body)];
    const Twist before = problem_->twistOf(static_cast<int>(k), problem_->vBefore), hidden = problem_->twistOf(static_cast<int>(k), hidden_);
    lost += inertia.mass * before.linear.dot(hidden.linear) + angularMomentum(inertia, rotation, before.angular).dot(hidden.angular);
    energy += kineticEnergy(inertia, rotation, before.linear, before.angular) + inertia.mass * gravityOf(*island_->setup->model, body).norm();
  }
  return 0.5 * std::abs(lost) <= kLost * energy;
}

/// roundOff_ = the speed [m/s] that cancelling loads leave on each body by round-off, as speedOf has it.
void IslandRest::findRoundOff(const Iterate& loads) {
  const ContactAssembly& assembly = problem_->assembly;
  roundOff_.setZero(static_cast<Eigen::Index>(assembly.bodies().size()));
  addRoundOff(assembly.problem.H, loads.r);
  addRoundOff(assembly.problem.G, loads.lambda);
}

void IslandRest::addRoundOff(const BlockColumns& columns, const VectorX& impulses) {
  const ContactAssembly& assembly = problem_->assembly;
  for (int i = 0; i < columns.groups(); ++i)
    for (int s = columns.start[static_cast<std::size_t>(i)]; s < columns.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = columns.segments[static_cast<std::size_t>(s)];
      const int body = assembly.bodies()[static_cast<std::size_t>(segment.block)];
      const BodyInertia& inertia = island_->inertia(body);
      const Eigen::Map<const MatrixX> loads{columns.values.data() + segment.offset, segment.size, columns.width};
      double rate = inertia.inverseMass;
      if (!inertia.locked) {
        double squares = 0;
        for (int c = 0; c < columns.width; ++c) squares += (assembly.inverseInertia(segment.block) * Vector3{loads.col(c).tail<3>()}).squaredNorm();
        rate += island_->bodySize(body) * std::sqrt(squares);
      }
      roundOff_[segment.block] = std::max(roundOff_[segment.block], kRoundOff * rate * impulses.segment(columns.width * i, columns.width).norm());
    }
}

/// An answer good enough to move by may not be good enough to rest on: a few more steps from it, to the candidate.
bool IslandRest::sharpen() {
  if (problem_->fastest(problem_->vBefore) > kSlow * solver_->certificate().scale) return false;
  candidate_ = problem_->iterate;
  return solver_->sharpen(candidate_, std::clamp(kSharper * certificate_.relative / excess_, kSharpest, kSharp));
}

void IslandRest::stopSlowBodies() {
  const double slow = kSlow * solver_->certificate().scale;
  const VectorX& v = problem_->iterate.v;
  const int blocks = static_cast<int>(problem_->assembly.bodies().size());
  const auto mayStop = [&](int block) { return problem_->speedOf(block, v) > 0 && problem_->speedOf(block, problem_->vBefore) <= slow; };
  int first = 0;
  while (first < blocks && !mayStop(first)) ++first;
  if (first == blocks) return;
  findRoundOff(problem_->iterate);
  candidate_ = problem_->iterate;
  const ContactProblem& problem = problem_->assembly.problem;
  bool changed = false;
  for (int block = first; block < blocks; ++block) {
    if (!mayStop(block) || problem_->speedOf(block, v) > kRest * problem.scaleFloor + roundOff_[block]) continue;
    candidate_.v.segment(problem_->assembly.rowOf(block), problem.M.size(block)).setZero();
    changed = true;
  }
  if (!changed) return;
  certificate_ = solver_->judge(candidate_);
  if (!certificate_.passes(island_->setup->options->tolerance)) return;
  problem_->iterate.v = candidate_.v;
  solver_->replace(certificate_);
}

}  // namespace stiction
