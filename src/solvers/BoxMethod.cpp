// The law of boxes: |r_t| <= μ r_n/√2 on each tangent axis, or the problem's own bounds. The exact LCP of boxes (Lcp.hpp) on the rows n, t1, t2 of every contact and those of joints,
//
//   A = [H G]ᵀ M⁻¹ [H G] + diag(R, C) ,   b = −( [H G]ᵀ M⁻¹ f + (w, b) )
//
// with the bounds of the last normal impulses, again and again until they are those of its own: each time from the free rows of the time before. Between two of them the fixed point of these free rows
// and these pressed ones, with pressed friction a multiple of its normal impulse, comes from one linear system,
//
//   (A_SS + A_SP E) λ_S = b_S ,   E: λ_P = slope · λ_n ,
//
// so that few LCPs are enough. Where the bounds do not settle, and on problems larger than a dense A is good for, others go on: sweeps (`pgs`) from the best answer so far and from
// nothing, then the method of multipliers on the same law (ProxMethod). Cost: O(n³) for n rows.
#include <cmath>
#include <optional>

#include "solvers/FrictionCone.hpp"
#include "solvers/GaussSeidel.hpp"
#include "solvers/Lcp.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr int kLargest = 100;  // contacts: from there on the method of multipliers is as fast
constexpr int kBoxes = 30;     // LCPs at most
constexpr int kPatience = 4;   // LCPs without a better answer
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BoxMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  void direct(VelocitySystem& system, const Iterate& iterate, const SolveOptions& options, int limit, SolveReport& report);
  void build(VelocitySystem& system);
  void addColumn(VelocitySystem& system, const BlockColumns& columns, int group, int c, Eigen::Index row);
  void setBounds(const ContactProblem& problem, const VectorX& lambda);
  std::optional<VectorX> fixedPoint(const ContactProblem& problem, const BoxLcp& lcp, const VectorX& lambda) const;
  double offer(VelocitySystem& system, const VectorX& lambda);

  BestIterate best_{Law::Box};
  MatrixX A_;
  VectorX b_, low_, high_, x_, u_, rows_;
  std::unique_ptr<VelocityMethod> multipliers_{makeProxMethod(Law::Box)};
  std::unique_ptr<Solver> sweeps_{makePgs()};
};

void BoxMethod::addColumn(VelocitySystem& system, const BlockColumns& columns, int group, int c, Eigen::Index row) {
  const ContactProblem& problem = system.problem();
  x_.setZero(problem.dof());
  for (int s = columns.start[static_cast<std::size_t>(group)]; s < columns.start[static_cast<std::size_t>(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = columns.segments[static_cast<std::size_t>(s)];
    for (int k = 0; k < segment.size; ++k) x_[segment.row + k] += columns.values[static_cast<std::size_t>(segment.offset + c * segment.size + k)];
  }
  system.applyInverseMass(x_);
  multiplyTransposed(problem.H, x_, u_);
  multiplyTransposed(problem.G, x_, rows_);
  A_.col(row) << u_, rows_;
}

void BoxMethod::build(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  const Eigen::Index contacts = 3 * problem.contacts(), n = contacts + problem.rows();
  A_.resize(n, n);
  for (int i = 0; i < problem.contacts(); ++i)
    for (int c = 0; c < 3; ++c) addColumn(system, problem.H, i, c, 3 * i + c);
  for (int k = 0; k < problem.rows(); ++k) addColumn(system, problem.G, k, 0, contacts + k);
  A_ = 0.5 * (A_ + A_.transpose()).eval();
  if (problem.R.size() != 0) A_.diagonal().head(contacts) += problem.R;
  if (problem.C.size() != 0) A_.diagonal().tail(problem.rows()) += problem.C;
  multiplyTransposed(problem.H, system.freeVelocity(), u_);
  multiplyTransposed(problem.G, system.freeVelocity(), rows_);
  b_.resize(n);
  b_ << -(u_ + problem.w), -(rows_ + problem.b);
  low_.setConstant(n, -kInfinity);
  high_.setConstant(n, kInfinity);
}

void BoxMethod::setBounds(const ContactProblem& problem, const VectorX& lambda) {
  for (int i = 0; i < problem.contacts(); ++i) {
    const AxisInterval bounds = axisInterval(problem, i, lambda[3 * i]);
    low_[3 * i] = 0;
    low_.segment<2>(3 * i + 1).setConstant(bounds.low);
    high_.segment<2>(3 * i + 1).setConstant(bounds.high);
  }
}

/// λ with w = 0 in the free rows of the LCP and each pressed friction at the same multiple of its own normal impulse as now. Empty without a finite one.
std::optional<VectorX> BoxMethod::fixedPoint(const ContactProblem& problem, const BoxLcp& lcp, const VectorX& lambda) const {
  const std::vector<Eigen::Index>& free = lcp.factor().rows();
  if (free.empty()) return std::nullopt;
  std::vector<Eigen::Index> place(static_cast<std::size_t>(lambda.size()), -1);
  for (std::size_t k = 0; k < free.size(); ++k) place[static_cast<std::size_t>(free[k])] = static_cast<Eigen::Index>(k);
  MatrixX A = A_(free, free);
  VectorX fixed = lambda;
  for (const Eigen::Index row : free) fixed[row] = 0;
  std::vector<std::pair<Eigen::Index, double>> slopes;  // of pressed friction
  for (Eigen::Index row = 0; row < 3 * problem.contacts(); ++row) {
    const Eigen::Index normal = row - row % 3, column = place[static_cast<std::size_t>(normal)];
    if (row == normal || lcp.side(row) == 0 || column < 0 || !(lambda[normal] > 0)) continue;
    slopes.emplace_back(row, lambda[row] / lambda[normal]);
    A.col(column) += slopes.back().second * A_(free, row);
    fixed[row] = 0;
  }
  if (slopes.empty()) return std::nullopt;
  const VectorX rest = b_ - A_ * fixed;
  const VectorX moved = Eigen::PartialPivLU<MatrixX>{A}.solve(VectorX{rest(free)});
  if (!moved.allFinite()) return std::nullopt;
  for (std::size_t k = 0; k < free.size(); ++k) fixed[free[k]] = moved[static_cast<Eigen::Index>(k)];
  for (const auto& [row, slope] : slopes) fixed[row] = slope * std::max(fixed[row - row % 3], 0.0);
  return fixed;
}

double BoxMethod::offer(VelocitySystem& system, const VectorX& lambda) {
  const int contacts = 3 * system.problem().contacts();
  return best_.offer(system, lambda.head(contacts), lambda.tail(lambda.size() - contacts));
}

void BoxMethod::direct(VelocitySystem& system, const Iterate& iterate, const SolveOptions& options, int limit, SolveReport& report) {
  const ContactProblem& problem = system.problem();
  build(system);
  BoxLcp lcp{A_, b_};
  VectorX lambda(b_.size());
  lambda << iterate.r, iterate.lambda;
  setBounds(problem, lambda);
  if (options.warm) lcp.startFrom(lambda);
  const double target = options.polish * system.scale();
  for (int box = 0, since = 0; box < kBoxes && since < kPatience && report.iterations < limit && best_.residual() > target; ++box) {
    const LcpAnswer answer = lcp.solve(low_, high_, limit - report.iterations);
    report.iterations += answer.iterations;
    ++report.factorisations;
    if (!answer.converged || !answer.lambda.allFinite()) return;
    lambda = answer.lambda;
    const double before = best_.residual();
    double reached = offer(system, lambda);
    if (reached > target) {
      const std::optional<VectorX> better = fixedPoint(problem, lcp, lambda);
      if (better && offer(system, *better) < reached) lambda = *better;
    }
    since = best_.residual() < 0.9 * before ? 0 : since + 1;
    setBounds(problem, lambda);
  }
}

SolveReport BoxMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  const int limit = options.maxIterations > 0 ? options.maxIterations : 100 * (3 * system.problem().contacts() + system.problem().rows()) + 1000;
  SolveReport report;
  best_.reset();
  best_.offer(system, iterate.r, iterate.lambda);
  if (system.problem().contacts() <= kLargest) direct(system, iterate, options, limit, report);
  const Iterate afterBoxes = best_.iterate();
  const auto goOn = [&](const Iterate& start, bool warm, auto&& solve) {
    if (best_.residual() <= options.tolerance * system.scale() || (options.maxIterations > 0 && report.iterations >= limit)) return;
    SolveOptions rest = options;
    rest.warm = warm;
    if (options.maxIterations > 0) rest.maxIterations = limit - report.iterations;
    Iterate answer = start;
    const SolveReport more = solve(answer, rest);
    report.iterations += more.iterations;
    report.factorisations += more.factorisations;
    best_.offer(system, answer.r, answer.lambda);
  };
  const auto sweep = [&](Iterate& answer, const SolveOptions& rest) { return sweeps_->solve(system.problem(), answer, rest); };
  goOn(afterBoxes, true, sweep);
  if (!afterBoxes.r.isZero(0)) goOn(afterBoxes, false, sweep);  // from elsewhere than where boxes led
  goOn(afterBoxes, true, [&](Iterate& answer, const SolveOptions& rest) { return multipliers_->run(system, answer, rest); });
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeBoxMethod() { return std::make_unique<BoxMethod>(); }

}  // namespace stiction
