#include "portfolio/RestInPart.hpp"

#include <algorithm>
#include <limits>

#include "problem/ContactSubset.hpp"

namespace stiction {
namespace {

// [-] of the scale: the residual of the relaxation; speeds of what stands, by it and before, at most; a certificate from which Newton's method ends.
constexpr double kAccuracy = 1e-7, kStands = 1e-5, kStood = 1e-2, kNear = 1e-4;
constexpr double kMoving = 0.25;  // [-] of the bodies: where more move, others come to move, too, until all do
constexpr int kRounds = 5, kNewtonSteps = 20;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

PortfolioReport RestInPart::find(const ContactProblem& problem, const VectorX& before, Iterate& iterate, const SolveOptions& options, Certifier& certifier,
                                 const SolvePoint& solve) {
  report_ = {};
  report_.rung = "rest";
  report_.certificate.relative = std::numeric_limits<double>::infinity();
  options_ = &options;
  certifier_ = &certifier;
  if (problem.rows() > 0 || !problem.M.couplings.empty()) return report_;
  system_.setDeadline(options.deadline);
  if (!system_.bind(problem) || !system_.symmetric()) return report_;
  relaxed_ = iterate;
  relaxed_.v = before;
  fitIterate(problem, relaxed_, true);
  shifts_.setZero(problem.contacts());
  isMoving_.assign(at(problem.M.blocks()), 0);
  findMoving(before, kStood * certifier.scale());
  for (int round = 0; round < kRounds && mostStand(); ++round) {
    if ((moving_ > 0 && !move(solve)) || isPast(options.deadline) || relax(iterate)) break;
    if (!findMoving(relaxed_.v, kStands * certifier.scale())) break;
  }
  return report_;
}

/// The relaxation at the shifts so far, which may be all.
bool RestInPart::relax(Iterate& iterate) {
  const SolveReport relaxation = shift_.relax(system_, shifts_, relaxed_, *options_, kAccuracy);
  count(relaxation.iterations, relaxation.factorisations);
  if (certifier_->judge(system_.problem(), relaxed_).relative > kNear) return false;
  SolveOptions options = *options_;
  options.warm = true;
  options.maxIterations = kNewtonSteps;
  iterate = relaxed_;
  const SolveReport end = (*newton_).run(system_, iterate, options);
  count(end.iterations, end.factorisations);
  report_.certificate = certifier_->judge(system_.problem(), iterate);
  return report_.certified = report_.certificate.passes(options.tolerance);
}

/// The strict law of what moves: its sliding is the next shift. False where it has no answer.
bool RestInPart::move(const SolvePoint& solve) {
  takeMoving();
  const PortfolioReport report = solve(PosedProblem{problem_}, part_, options_->ofPart());
  count(report.iterations, report.factorisations);
  if (!report.certified) return false;
  LaggedShift::findSliding(problem_, part_.v, u_, sliding_);
  shifts_.setZero();
  for (std::size_t k = 0; k < contacts_.size(); ++k) shifts_[contacts_[k]] = sliding_[static_cast<Eigen::Index>(k)];
  return true;
}

bool RestInPart::findMoving(const VectorX& v, double speed) {
  const BlockColumns& H = system_.problem().H;
  const int known = moving_;
  for (const BlockColumns::Segment& segment : H.segments) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>> columns{H.values.data() + segment.offset, segment.size, 3};
    if ((columns.transpose() * v.segment(segment.row, segment.size)).squaredNorm() > speed * speed) isMoving_[at(segment.block)] = 1;
  }
  moving_ = static_cast<int>(std::count(isMoving_.begin(), isMoving_.end(), 1));
  return moving_ > known;
}

bool RestInPart::mostStand() const { return moving_ <= kMoving * static_cast<double>(isMoving_.size()); }

void RestInPart::takeMoving() {
  const ContactProblem& whole = system_.problem();
  blockOf_.assign(isMoving_.size(), -1);
  problem_.M.clear();
  for (int k = 0; k < whole.M.blocks(); ++k)
    if (isMoving_[at(k)] != 0) blockOf_[at(k)] = problem_.M.addBlock(whole.M.values.data() + whole.M.offset[at(k)], whole.M.size(k));
  problem_.f.resize(problem_.M.size());
  part_.v.resize(problem_.M.size());
  for (int k = 0; k < whole.M.blocks(); ++k) {
    if (blockOf_[at(k)] < 0) continue;
    const int to = problem_.M.start[at(blockOf_[at(k)])], from = whole.M.start[at(k)], size = whole.M.size(k);
    problem_.f.segment(to, size) = whole.f.segment(from, size);
    part_.v.segment(to, size) = relaxed_.v.segment(from, size);
  }
  const auto moves = [this](const BlockColumns::Segment& segment) { return isMoving_[at(segment.block)] != 0; };
  contacts_.clear();
  for (int i = 0; i < whole.contacts(); ++i)
    if (std::any_of(whole.H.segments.begin() + whole.H.start[at(i)], whole.H.segments.begin() + whole.H.start[at(i) + 1], moves)) contacts_.push_back(i);
  problem_.scaleFloor = certifier_->scale();
  copyContacts(whole, contacts_, &blockOf_, problem_);
  copyTriples(relaxed_.r, contacts_, part_.r);
  part_.lambda.resize(0);
}

void RestInPart::count(int iterations, int factorisations) {
  report_.iterations += iterations;
  report_.factorisations += factorisations;
}

}  // namespace stiction
