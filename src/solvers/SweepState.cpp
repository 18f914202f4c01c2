#include "solvers/SweepState.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/ThreadPool.hpp"

namespace stiction {
namespace {

constexpr int kFewestInLanes = 32;  // contacts
constexpr int kFewContacts = 192;   // of a thread

double weight(const Matrix3& delassus) { return delassus.trace() > 0 ? delassus.trace() / 3 : 1.0; }

}  // namespace

bool GlobalSweepState::bind(const ContactProblem& problem, Law law, ThreadPool* team) {
  problem_ = &problem;
  team_ = team;
  schedule_.bind(problem, team);
  if (!problem.M.couplings.empty() || !root_.factor(problem.M, team)) return false;
  contacts_.build(problem.M, root_, problem.H, schedule_.contacts(), team);
  rows_.build(problem.M, root_, problem.G, schedule_.rows());
  root_.weigh(problem.f, free_);
  focus_.bind(contacts(), root_.packs());
  free_.resize(free_.size() + SweepLanes::kSparePacks, Pack{});
  impulses_.resize(at(contacts()));
  bindDelassus();
  hasLanes_ = law == Law::Coulomb && contacts() >= kFewestInLanes && problem.R.size() == 0 && problem.axisBounds == nullptr && bindLanes();
  return problem.f.allFinite();
}

void GlobalSweepState::bindDelassus() {
  diagonal_.resize(at(contacts()));
  omega_.resize(contacts());
  inRanges(team_, contacts(), kFewContacts, [&](int, int first, int last) {
    for (int k = first; k < last; ++k) {
      Matrix3 W = contacts_.gram(k);
      omega_[k] = weight(W);
      if (problem_->R.size() != 0) W.diagonal() += problem_->R.segment<3>(3 * contact(k));
      diagonal_[at(k)] = ContactBlock{W};
    }
  });
  rowDiagonal_.resize(problem_->rows());
  for (int k = 0; k < problem_->rows(); ++k) rowDiagonal_[k] = rows_.gram(k)(0, 0) + (problem_->C.size() == 0 ? 0.0 : problem_->C[row(k)]);
}

bool GlobalSweepState::bindLanes() {
  const auto yields = [](const ContactBlock& block) { return block.A(0, 0) > 0; };
  canPress_ = problem_->mu.isZero(0) && std::all_of(diagonal_.begin(), diagonal_.end(), yields);
  inLanes_.resize(at(contacts()));
  inRanges(team_, contacts(), kFewContacts, [this](int, int first, int last) {
    for (int k = first; k < last; ++k) inLanes_[at(k)] = sweepContact(k);
  });
  allDiagonal_ = true;
  mirrored_ = 3;
  bool any = false;
  for (int k = 0; k < contacts(); ++k) {
    const SweepContact& own = inLanes_[at(k)];
    if (own.packs[0] == SweepContact::kNone) continue;
    mirrored_ = std::min(mirrored_, own.mirrored);
    allDiagonal_ = allDiagonal_ && diagonal_[at(k)].isDiagonal;
    any = true;
  }
  if (!any) return false;
  if (lanes_.size() < at(schedule_.count())) lanes_.resize(at(schedule_.count())), focusLanes_.resize(at(schedule_.count()));
  ready_.assign(at(root_.packs()), 0);
  turns_.resize(at(contacts()));
  std::iota(turns_.begin(), turns_.end(), 0);
  return true;
}

SweepContact GlobalSweepState::sweepContact(int k) const {
  const auto parts = contacts_.parts(k);
  const ContactBlock& block = diagonal_[at(k)];
  SweepContact own;
  if (parts.empty() || parts.size() > 2 || parts.front().packs > 1 || parts.back().packs > 1 || !(block.isDiagonal || canPress_)) return own;
  own.w = problem_->w.segment<3>(3 * contact(k));
  own.mu = mu(k);
  own.perNormal = block.perNormal, own.perTangential = block.perTangential;
  own.weight = omega(k);
  for (std::size_t p = 0; p < parts.size(); ++p) own.packs[p] = parts[p].pack, own.columns[p] = contacts_.columns(parts[p]);
  own.findMirror();
  return own;
}

bool GlobalSweepState::chooseFocus(double largest) {
  if (!(largest > 0)) return false;
  schedule_.run(1, [&](int, int p) {
    focus_.choose(contacts_, impulses_, schedule_.part(p), largest);
    if (usesLanes_) arrange(focusLanes_[at(p)], p, focus_.chosen(schedule_.part(p)));
  });
  focus_.forget();
  return true;
}

double GlobalSweepState::scale() const {
  double scale = problem_->scaleFloor;
  for (int k = 0; k < contacts(); ++k) scale = std::max(scale, (contacts_.read(k, free_) + problem_->wScale.segment<3>(3 * contact(k))).norm());
  return scale;
}

void GlobalSweepState::load(const Iterate& iterate) {
  for (int k = 0; k < contacts(); ++k) {
    const Eigen::Index i = 3 * contact(k);
    impulses_[at(k)] = {{iterate.r[i], iterate.r[i + 1], iterate.r[i + 2], 0}};
  }
  lambda_ = iterate.lambda;
}

void GlobalSweepState::take(const Iterate& iterate) {
  load(iterate);
  pressesOnly_ = canPress_ && std::all_of(impulses_.begin(), impulses_.end(), [](const LaneImpulse& r) { return r.values[1] == 0 && r.values[2] == 0; });
  usesLanes_ = hasLanes_ && (allDiagonal_ || pressesOnly_);
  if (!usesLanes_) return;
  schedule_.run(1, [this](int, int p) {
    const SweepSchedule::Part& part = schedule_.part(p);
    arrange(lanes_[at(p)], p, std::span<const int>{turns_}.subspan(at(part.firstContact), at(part.lastContact - part.firstContact)));
  });
}

void GlobalSweepState::give(Iterate& iterate) const {
  iterate.r.resize(3 * contacts());
  for (int k = 0; k < contacts(); ++k) iterate.r.segment<3>(3 * contact(k)) = impulse(k);
  iterate.lambda = lambda_;
}

bool GlobalSweepState::isFinite() const {
  double sum = 0;
  for (const LaneImpulse& r : impulses_) sum += std::abs(r.values[0]) + std::abs(r.values[1]) + std::abs(r.values[2]);
  return std::isfinite(sum);
}

void GlobalSweepState::conclude(Iterate& iterate) {
  load(iterate);
  release();
  schedule_.run(1, [this](int, int p) { apply(schedule_.part(p)); });
  root_.unweigh(y_, iterate.v);
}

bool LocalSweepState::bind(const LocalContactProblem& problem, Law /*law*/, ThreadPool* /*team*/) {
  problem_ = &problem;
  diagonal_.clear();
  omega_.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    Matrix3 W = Matrix3::Zero();
    for (int k = problem.start[at(i)]; k < problem.start[at(i) + 1]; ++k)
      if (problem.column[at(k)] == i) W += problem.blocks[at(k)];
    omega_[i] = weight(W);
    diagonal_.emplace_back(W);
  }
  return problem.q.allFinite();
}

double LocalSweepState::scale() const {
  double scale = 0;
  for (int i = 0; i < contacts(); ++i) scale = std::max(scale, problem_->q.segment<3>(3 * i).norm());
  return scale;
}

}  // namespace stiction
