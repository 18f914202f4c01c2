#include "integrate/Bounces.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kGain = 0.1;  // [-] of the energy that closing contacts take: more from parting ones is too much

}  // namespace

Bounces::Bounces(Island& island, IslandProblem& problem, IslandSolver& solver) : island_{&island}, problem_{&problem}, solver_{&solver} {}

void Bounces::enter(double h) {
  if (!island_->bouncing || island_->bouncing->law == ImpactLaw::Inelastic) return;
  ContactProblem& problem = problem_->assembly.problem;
  multiplyTransposed(problem.H, problem_->vBefore, scratch_.before);
  scratch_.before += problem_->assembly.surface;
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const Contact& contact = problem_->contactOf(k);
    const Vector3 before = scratch_.before.segment<3>(static_cast<Eigen::Index>(3 * k));
    if (contact.restitution <= 0 || before[0] >= -island_->bouncing->threshold || contact.gap + h * before[0] > 0) continue;
    times_.resize(problem_->used.size(), -1);
    times_[k] = std::max(contact.gap, 0.0) / -before[0];
    addRestitution(problem, k, island_->bouncing->law, contact.restitution, before);
  }
}

void Bounces::judge() {
  gain_ = taken_ = 0;
  createEnergy_ = false;
  if (times_.empty()) return;
  const ContactProblem& problem = problem_->assembly.problem;
  createEnergy_ =
      solver_->createsEnergy(impactLoss(problem.H, problem_->assembly.surface, problem_->iterate.r, problem_->vBefore, problem_->iterate.v, scratch_));
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const double work = 0.5 * problem_->impulseOf(k)[0] * scratch_.before[static_cast<Eigen::Index>(3 * k)];
    gain_ += std::max(work, 0.0);
    taken_ += std::max(-work, 0.0);
  }
}

bool Bounces::followOneAnother() const { return createEnergy_ || gain_ > kGain * taken_; }

bool Bounces::weaken() {
  if (times_.empty()) return false;
  IslandReport& report = island_->report();
  ImpactLaw& law = island_->bouncing->law;
  const int counted = island_->impactLaw() == ImpactLaw::Moreau ? 0 : 1;
  if (law == ImpactLaw::Newton) {
    law = ImpactLaw::Moreau;
    report.byMoreau += counted;
  } else {
    law = ImpactLaw::Inelastic;
    report.byMoreau -= counted;
    ++report.inelastic;
  }
  return true;
}

void Bounces::account() {
  IslandReport& report = island_->report();
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (!has(k) || !solver_->isLoaded(k)) continue;
    ++report.impacts;
    const auto t = static_cast<Eigen::Index>(3 * k + 1);
    const Vector2 r = problem_->impulseOf(k).tail<2>(), before = scratch_.before.segment<2>(t), after = scratch_.after.segment<2>(t);
    report.ledger.friction += r.dot(after);
    report.ledger.scheme -= 0.5 * r.dot(after - before);
    report.ledger.impact -= 0.5 * r.dot(after + before);
  }
}

}  // namespace stiction
