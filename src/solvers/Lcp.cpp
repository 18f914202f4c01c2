#include "solvers/Lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr double kSatisfied = 1e-14;  // [-] of a row's terms: w as far on the wrong side of zero is zero
constexpr double kDependent = 1e-12;  // [-] of a row's diagonal: less left beside the free rows is nothing
constexpr double kImplied = 1e-10;    // [-] of a row's terms: as much may be left of a row that the free ones imply
constexpr double kRoundOff = 1e-15;   // [-] of the terms of what is left of a diagonal, a row each: so much is nothing
constexpr double kStill = 1e-13;      // [-] of the motion along a direction: a free row that moves less does not
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

}  // namespace

VectorX ActiveFactor::solve(VectorX x) const {
  const auto L = L_.topLeftCorner(size(), size()).triangularView<Eigen::Lower>();
  L.solveInPlace(x);
  L.transpose().solveInPlace(x);
  return x;
}

void ActiveFactor::add(Eigen::Index p) {
  const Eigen::Index k = size();
  VectorX row = column(p);
  L_.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(row);
  L_.row(k).head(k) = row;
  L_(k, k) = std::sqrt(std::max((*A_)(p, p) - row.squaredNorm(), std::numeric_limits<double>::min()));
  rows_.push_back(p);
}

void ActiveFactor::remove(Eigen::Index j) {
  const Eigen::Index k = size();
  for (Eigen::Index i = j; i + 1 < k; ++i) L_.row(i).head(i + 2) = L_.row(i + 1).head(i + 2);
  for (Eigen::Index i = j; i + 1 < k; ++i) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(L_(i, i), L_(i, i + 1));
    L_.block(i, 0, k - 1 - i, k).applyOnTheRight(i, i + 1, rotation);
    if (L_(i, i) < 0) L_.col(i).segment(i, k - 1 - i) *= -1;
  }
  rows_.erase(rows_.begin() + j);
}

BoxLcp::BoxLcp(const MatrixX& A, const VectorX& b)
    : A_{&A},
      b_{&b},
      sizes_{A.cwiseAbs()},
      roots_{A.diagonal().cwiseMax(0.0).cwiseSqrt()},
      factor_{A},
      lambda_{VectorX::Zero(b.size())},
      free_(at(b.size()), 0),
      implied_(at(b.size()), 0),
      side_(at(b.size()), 0) {}

void BoxLcp::release(Eigen::Index p) {
  factor_.add(p);
  free_[at(p)] = 1;
  side_[at(p)] = 0;
}

/// Of the k-th free row.
void BoxLcp::fix(Eigen::Index k, double value) {
  const Eigen::Index row = factor_.rows()[at(k)];
  lambda_[row] = value;
  free_[at(row)] = 0;
  factor_.remove(k);
}

/// Brings λ to the bounds: what was pressed against one goes with it. A guess is taken at its word where that leaves the free rows independent.
void BoxLcp::adopt(const VectorX& low, const VectorX& high) {
  for (Eigen::Index i = 0; i < lambda_.size(); ++i) {
    const int pressed = side_[at(i)];
    lambda_[i] = std::clamp(pressed < 0 ? low[i] : pressed > 0 ? high[i] : lambda_[i], low[i], high[i]);
    if (!guessed_ || isFree(i) || !(low[i] < lambda_[i] && lambda_[i] < high[i])) continue;
    const VectorX column = factor_.column(i);
    if (diagonalLeft(i, column, factor_.solve(column)) > kDependent * (*A_)(i, i)) release(i);
  }
  guessed_ = false;
}

/// The free rows' λ for w = 0; those beyond their bounds stop at them, the worst first.
void BoxLcp::settle(const VectorX& low, const VectorX& high) {
  while (factor_.size() > 0) {
    refine(low, high);
    Eigen::Index worst = -1;
    double most = 0;
    for (Eigen::Index k = 0; k < factor_.size(); ++k) {
      const Eigen::Index row = factor_.rows()[at(k)];
      const double beyond = std::sqrt((*A_)(row, row)) * std::max(low[row] - lambda_[row], lambda_[row] - high[row]);
      if (beyond > most) most = beyond, worst = k;
    }
    if (worst < 0) return;
    const Eigen::Index row = factor_.rows()[at(worst)];
    fix(worst, std::clamp(lambda_[row], low[row], high[row]));
  }
}

/// λ of the free rows from A_SS λ_S = b_S − A_SN λ_N, refined. Returns whether it is within its bounds.
bool BoxLcp::refine(const VectorX& low, const VectorX& high) {
  bool within = true;
  for (int pass = 0; pass < 2; ++pass) {
    VectorX rest(factor_.size());
    for (Eigen::Index k = 0; k < rest.size(); ++k) {
      const Eigen::Index row = factor_.rows()[at(k)];
      long double sum = (*b_)[row];
      for (Eigen::Index j = 0; j < lambda_.size(); ++j)
        if (lambda_[j] != 0) sum -= static_cast<long double>((*A_)(j, row)) * lambda_[j];  // symmetric: down a column
      rest[k] = static_cast<double>(sum);
    }
    const VectorX change = factor_.solve(rest);
    for (Eigen::Index k = 0; k < rest.size(); ++k) lambda_[factor_.rows()[at(k)]] += change[k];
  }
  for (const Eigen::Index row : factor_.rows()) within = within && low[row] <= lambda_[row] && lambda_[row] <= high[row];
  return within;
}

/// The row that is furthest from its condition and could move, −1 when none is. Sets w, its terms, and the sides.
Eigen::Index BoxLcp::mostViolated(const VectorX& low, const VectorX& high) {
  w_ = -*b_;
  for (Eigen::Index j = 0; j < lambda_.size(); ++j)
    if (lambda_[j] != 0) w_ += lambda_[j] * A_->col(j);
  // A bound of the terms first, by |A_ij| <= √(A_ii A_jj): the terms themselves, as dear as w, are for the rows that it leaves undecided.
  terms_ = roots_ * roots_.dot(lambda_.cwiseAbs()) + b_->cwiseAbs();
  const Eigen::Index p = furthest(low, high);
  if (p >= 0) return p;
  terms_ = sizes_ * lambda_.cwiseAbs() + b_->cwiseAbs();
  return furthest(low, high);
}

Eigen::Index BoxLcp::furthest(const VectorX& low, const VectorX& high) {
  const auto n = lambda_.size();
  Eigen::Index p = -1;
  double worst = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (isFree(i)) continue;
    const bool pushed = std::abs(w_[i]) > kSatisfied * static_cast<double>(n + 1) * terms_[i];
    const bool mayMove = w_[i] < 0 ? lambda_[i] < high[i] : lambda_[i] > low[i];
    side_[at(i)] = static_cast<signed char>(!pushed || mayMove ? 0 : w_[i] < 0 ? 1 : -1);
    if (!pushed || !mayMove || implied_[at(i)] != 0) continue;
    const double violation = roots_[i] > 0 ? std::abs(w_[i]) / roots_[i] : kInfinity;
    if (p < 0 || violation > worst) p = i, worst = violation;
  }
  return p;
}

/// Row p on the way to w = 0. False when nothing stops it, or at the limit.
bool BoxLcp::move(Eigen::Index p, const VectorX& low, const VectorX& high, int limit, LcpAnswer& answer) {
  const double sign = w_[p] < 0 ? 1 : -1;
  for (double left = std::abs(w_[p]); answer.iterations < limit;) {
    const VectorX column = factor_.column(p), r = factor_.solve(column);
    const double z = diagonalLeft(p, column, r);
    double motion = roots_[p];  // that the cancellation in z starts from, in the metric of A
    for (Eigen::Index k = 0; k < r.size(); ++k) motion += roots_[factor_.rows()[at(k)]] * std::abs(r[k]);
    const bool dependent = !(z > std::max(kDependent * (*A_)(p, p), kRoundOff * static_cast<double>(r.size() + 1) * motion * motion));
    const double own = sign > 0 ? high[p] - lambda_[p] : lambda_[p] - low[p];
    double step = dependent ? kInfinity : left / z;
    Eigen::Index leaving = -1;
    const bool stops = own <= step;
    step = std::min(step, own);
    for (Eigen::Index k = 0; k < r.size(); ++k) {
      const Eigen::Index row = factor_.rows()[at(k)];
      const double rate = -sign * r[k];
      if (std::abs(rate) * roots_[row] <= kStill * motion) continue;
      const double until = rate > 0 ? (high[row] - lambda_[row]) / rate : (low[row] - lambda_[row]) / rate;
      if (until < step) step = std::max(until, 0.0), leaving = k;
    }
    if (!std::isfinite(step)) {
      if (left <= kImplied * terms_[p]) return implied_[at(p)] = 1, true;
      answer.impossibleRow = static_cast<int>(p);
      return false;
    }
    for (Eigen::Index k = 0; k < r.size(); ++k) lambda_[factor_.rows()[at(k)]] -= sign * step * r[k];
    lambda_[p] += sign * step;
    if (!dependent) left -= step * z;
    ++answer.iterations;
    if (leaving < 0) {
      if (stops)
        lambda_[p] = sign > 0 ? high[p] : low[p];
      else
        release(p);
      return true;
    }
    const Eigen::Index row = factor_.rows()[at(leaving)];
    fix(leaving, -sign * r[leaving] > 0 ? high[row] : low[row]);
    std::fill(implied_.begin(), implied_.end(), 0);
  }
  return false;
}

LcpAnswer BoxLcp::solve(const VectorX& low, const VectorX& high, int limit) {
  const Eigen::Index n = lambda_.size();
  if (limit <= 0) limit = 100 * static_cast<int>(n) + 1000;
  LcpAnswer answer;
  std::fill(implied_.begin(), implied_.end(), 0);
  adopt(low, high);
  settle(low, high);
  for (bool refined = false;;) {
    const Eigen::Index p = mostViolated(low, high);
    if (p >= 0) {
      if (!move(p, low, high, limit, answer)) break;
      refined = false;
      continue;
    }
    answer.converged = refined;
    if (refined) break;
    const VectorX before = lambda_;
    if (!refine(low, high)) lambda_ = before;
    refined = true;
  }
  answer.lambda = lambda_;
  answer.activeRows = static_cast<int>(factor_.size());
  return answer;
}

LcpAnswer solveLcp(const MatrixX& A, const VectorX& b, int limit) {
  return BoxLcp{A, b}.solve(VectorX::Zero(b.size()), VectorX::Constant(b.size(), kInfinity), limit);
}

}  // namespace stiction
