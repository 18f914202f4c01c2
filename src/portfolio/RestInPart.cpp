#include "portfolio/RestInPart.hpp"

#include <algorithm>

#include "problem/ContactSubset.hpp"

namespace stiction {
namespace {

// [-] of the scale: the residual of the relaxation; speeds of what stands, by it and before, at most.
constexpr double kAccuracy = 1e-7, kStands = 1e-5, kStood = 1e-2;
constexpr double kMoving = 0.25;  // [-] of the bodies: where more move, others come to move, too, until all do
constexpr int kRounds = 3;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

bool RestInPart::takes() const {
  const ContactProblem* problem = climb_.problem().global();
  return problem != nullptr && !climb_.isNarrowed() && problem->rows() == 0 && problem->M.couplings.empty() && climb_.system().symmetric();
}

bool RestInPart::find(const VectorX& before, const SolvePoint& solve) {
  const ContactProblem& problem = *climb_.problem().global();
  relaxed_ = climb_.best();
  relaxed_.v = before;
  shifts_.setZero(problem.contacts());
  isMoving_.assign(at(problem.M.blocks()), 0);
  findMoving(before, kStood * climb_.system().scale());
  for (int round = 0; round < kRounds && moving_ <= kMoving * problem.M.blocks(); ++round) {
    if (moving_ > 0 && !move(solve)) return false;
    if (relax()) return true;
    const int known = moving_;
    findMoving(relaxed_.v, kStands * climb_.system().scale());
    if (moving_ == known) return false;
  }
  return false;
}

/// The relaxation at the shifts so far, which may be all.
bool RestInPart::relax() {
  const SolveReport report = shift_.relax(climb_.system(), shifts_, relaxed_, climb_.options(), kAccuracy);
  climb_.spend(report.iterations, report.factorisations);
  climb_.judge("rest", relaxed_);
  return climb_.relative() < kCloseUp && climb_.finish("rest");
}

/// The strict law of what moves: its sliding is the next shift. False where it has no answer.
bool RestInPart::move(const SolvePoint& solve) {
  takeMoving();
  const PortfolioReport report = solve(PosedProblem{problem_}, part_, climb_.options().ofPart());
  climb_.spend(report.iterations, report.factorisations);
  if (!report.certified) return false;
  LaggedShift::findSliding(problem_, part_.v, u_, sliding_);
  shifts_.setZero();
  for (std::size_t k = 0; k < contacts_.size(); ++k) shifts_[contacts_[k]] = sliding_[static_cast<Eigen::Index>(k)];
  return true;
}

void RestInPart::findMoving(const VectorX& v, double speed) {
  const BlockColumns& H = climb_.problem().global()->H;
  for (const BlockColumns::Segment& segment : H.segments) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>> columns{H.values.data() + segment.offset, segment.size, 3};
    if ((columns.transpose() * v.segment(segment.row, segment.size)).squaredNorm() > speed * speed) isMoving_[at(segment.block)] = 1;
  }
  moving_ = static_cast<int>(std::count(isMoving_.begin(), isMoving_.end(), 1));
}

void RestInPart::takeMoving() {
  const ContactProblem& whole = *climb_.problem().global();
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
  problem_.scaleFloor = climb_.system().scale();
  copyContacts(whole, contacts_, &blockOf_, problem_);
  copyTriples(relaxed_.r, contacts_, part_.r);
  part_.lambda.resize(0);
}

}  // namespace stiction
