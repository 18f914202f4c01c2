#include "integrate/Impacts.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr int kMostSplits = 40, kLeastSplits = 8;  // impacts of an island in one step,
constexpr int kSplitContacts = 4000;               // and so many between them times its contacts
constexpr int kAdvances = 4;                       // [-] of them: closings sought in one step
constexpr double kClosed = 1e-12;                  // [-] of the pair's size: the closing time is found when the gap is this small,
constexpr double kNearlyClosed = 5e-10;  // [-] or, after kSharpTrials, this small: an island that pushes on other contacts too moves by its solver's tolerance
constexpr double kFinished = 1e-4;       // [-] of the pair's size: trials that end nearer are finished, the others are taken back anyhow
constexpr int kSharpTrials = 6;
constexpr double kNoise = 1e-9;     // [-] of the fastest body's speed: slower approach is round-off
constexpr double kHeadway = 0.5;    // [-] of the gap: a trial that leaves more is followed by the middle of the bracket
constexpr int kTrials = 60;         // steps tried for one closing time
constexpr double kBracket = 1e-8;   // [-] of the time to go: a closing bracketed this closely is taken (a feature of the pair appeared in it)
constexpr double kInstant = 1e-12;  // [-] of the step: a remainder this short is dropped

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Impacts::Impacts(Island& island, IslandProblem& problem, IslandRows& rows, IslandSolver& solver)
    : island_{&island}, problem_{&problem}, rows_{&rows}, solver_{&solver} {}

bool Impacts::begin(double h) {
  const WorldState& state = island_->state;
  const auto spin = [&](int body) { return island_->bodySize(body) * state.angularVelocity[at(body)].norm(); };
  double fastest = 0;
  for (const int body : island_->bodies) fastest = std::max(fastest, state.velocity[at(body)].norm() + spin(body));
  for (const int body : island_->kinematic) fastest = std::max(fastest, state.velocity[at(body)].norm());
  threshold_ = std::max(4.0 * h * island_->setup->model->gravity.norm(), kNoise * fastest);
  const auto maySwing = [&](int body) { return island_->kind(body) == BodyKind::Dynamic && spin(body) > threshold_; };
  possible_ = std::any_of(island_->contacts.begin(), island_->contacts.end(), [&](const Contact& contact) {
    if (contact.restitution > 0) return true;
    if (!island_->timed || island_->touching(contact)) return false;
    return normalVelocity(island_->state, contact) < -threshold_ || maySwing(contact.bodyA) || maySwing(contact.bodyB);
  });
  return possible_;
}

bool Impacts::hasTouching() const {
  return std::any_of(island_->contacts.begin(), island_->contacts.end(), [&](const Contact& contact) {
    return contact.restitution > 0 && island_->touching(contact) && normalVelocity(island_->state, contact) < -threshold_;
  });
}

/// Advances the island to the first closing of those that wait, or by `remaining`. Returns the time advanced, 0 where one of them is not to wait, negative when a substep failed.
/// Newton's method from the approach speeds, then secants, kept inside the bracket.
double Impacts::closingTime(double remaining, const std::function<bool(double)>& substep, const std::function<bool()>& finish) {
  using Approach = ClosingContacts::Approach;
  island_->save(start_);
  double low = 0, high = remaining, lastTime = 0;
  bool bracketed = false, isNear = false;
  Approach last = island_->closing.approach(*island_);
  double time = island_->closing.earliest(remaining);
  for (int trial = 0; trial < kTrials && !(bracketed && high - low <= kBracket * remaining); ++trial) {
    if (trial > 0) island_->takeBack(start_);
    island_->closing.begin();
    if (!substep(time)) return -1;
    Approach now = island_->closing.approach(*island_);
    isNear = isNear || std::abs(now.gap) < kFinished || (time >= remaining && now.gap >= 0);
    if (isNear) {
      if (!finish()) return -1;
      now = island_->closing.approach(*island_);
    }
    if (now.slow != nullptr && std::abs(now.gap) < kFinished) {
      island_->closing.dismiss(*now.slow);
      island_->takeBack(start_);
      return 0;
    }
    if (std::abs(now.gap) <= (trial < kSharpTrials ? kClosed : kNearlyClosed) || (time >= remaining && now.gap >= 0)) return time;
    const double slope = trial == 0 || last.rate == 0 || now.rate == 0 ? now.rate : (now.gap - last.gap) / (time - lastTime);
    const bool gains = std::abs(now.gap) < kHeadway * std::abs(last.gap);
    (now.gap < 0 ? high : low) = time;
    bracketed = bracketed || now.gap < 0;
    lastTime = time;
    last = now;
    time -= now.gap / slope;
    if ((bracketed && !gains) || !(time > low && time < high)) time = bracketed ? 0.5 * (low + high) : remaining;
  }
  island_->takeBack(start_);
  return substep(high) && finish() ? high : -1;
}

bool Impacts::advance(double h, const std::function<bool(double)>& substep, const std::function<bool()>& finish) {
  const int splits = std::clamp(kSplitContacts / std::max(1, static_cast<int>(island_->contacts.size())), kLeastSplits, kMostSplits);
  double remaining = h;
  ClosingContacts& closing = island_->closing;
  for (int advances = 0; advances < kAdvances * splits && remaining > kInstant * h; ++advances) {
    island_->detect();
    closing.mark(*island_, threshold_);
    const bool now = hasTouching();
    if (closing.pairsWithin(remaining) + (now ? 1 : 0) > splits - island_->report().impacts) {
      island_->report().splitsExhausted = true;
      break;
    }
    if (!now && closing.empty()) {
      island_->save(start_);
      if (!substep(remaining)) return false;
      if (closing.empty()) return finish();
      island_->takeBack(start_);
    }
    if (now) {
      if (!strike()) return false;
      continue;
    }
    const double time = closingTime(remaining, substep, finish);
    if (time < 0) return false;
    if (time == 0) continue;
    const bool stuck = time <= 2 * kBracket * remaining;  // overlap that was there before, of features that were not
    remaining -= time;
    if (stuck) break;
  }
  closing.clear();
  if (remaining <= kInstant * h) return true;
  island_->bouncing = {island_->impactLaw(), threshold_};
  return substep(remaining) && finish();
}

/// The impact of the touching contacts at the present moment. False when it fails.
bool Impacts::strike() {
  IslandReport& report = island_->report();
  ++report.impacts;
  for (const ImpactLaw law : {ImpactLaw::Newton, ImpactLaw::Moreau, ImpactLaw::Inelastic}) {
    if (law < island_->impactLaw()) continue;
    const bool isLast = law == ImpactLaw::Inelastic;
    if (!solve(law)) {
      if (report.faulty >= 0) return false;
      if (!isLast && solver_->isBeyondAll()) continue;  // a pinched body has no room to bounce; one method's failure alone says nothing about the law
      solver_->findSqueeze(0);
      report.impactRefused = true;
      if (!solver_->acceptUncertified()) {
        solver_->accept();
        return false;
      }
    }
    const double loss =
        impactLoss(problem_->assembly.problem.H, problem_->assembly.surface, problem_->iterate.r, problem_->vBefore, problem_->iterate.v, scratch_);
    if (!isLast && solver_->createsEnergy(loss)) continue;
    solver_->accept();
    book(law, loss);
    problem_->assembly.scatterVelocities(problem_->iterate.v, island_->state);
    break;
  }
  return true;
}

void Impacts::book(ImpactLaw law, double loss) {
  IslandReport& report = island_->report();
  report.byMoreau += law == ImpactLaw::Moreau && island_->impactLaw() != ImpactLaw::Moreau ? 1 : 0;
  report.inelastic += law == ImpactLaw::Inelastic ? 1 : 0;
  report.ledger.impact += loss;
  report.ledger.externalWork -= problem_->iterate.r.dot(problem_->assembly.surface);
  rows_->account(scratch_);
  rows_->remember(0, false);
  for (std::size_t k = 0; k < problem_->used.size(); ++k) {
    const Vector3 r = problem_->impulseOf(k), u = scratch_.after.segment<3>(static_cast<Eigen::Index>(3 * k));
    const Matrix3& frame = problem_->assembly.frames[k];
    if (r[0] > 0) report.record(problem_->contactOf(k), frame * r, frame.rightCols<2>() * u.tail<2>(), 2);
  }
}

/// Velocities after the impact by one law. False when they are not certified.
bool Impacts::solve(ImpactLaw law) {
  problem_->takeBodies();
  problem_->vFree = problem_->vBefore;
  for (std::size_t k = 0; k < island_->contacts.size(); ++k)
    if (island_->touching(island_->contacts[k])) problem_->used.push_back(static_cast<int>(k));
  if (!rows_->evaluate(0)) return false;
  problem_->takeContacts(rows_->closed());
  rows_->enterImpact();
  ContactProblem& problem = problem_->assembly.problem;
  multiplyTransposed(problem.H, problem_->vBefore, scratch_.before);
  scratch_.before += problem_->assembly.surface;
  for (std::size_t k = 0; k < problem_->used.size() && law != ImpactLaw::Inelastic; ++k) {
    const auto row = static_cast<Eigen::Index>(3 * k);
    const double e = problem_->contactOf(k).restitution;
    if (e > 0 && scratch_.before[row] < -threshold_) addRestitution(problem, k, law, e, scratch_.before.segment<3>(row));
  }
  problem.scaleFloor = island_->step * island_->setup->model->gravity.norm();
  problem_->iterate.r.setZero(problem.w.size());
  problem_->iterate.lambda.setZero(problem.rows());
  problem_->iterate.v = problem_->vFree;
  return solver_->solveImpact();
}

}  // namespace stiction
