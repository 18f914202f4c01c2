#include "solvers/Lcp.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace stiction {
namespace {

constexpr double kSatisfied = 1e-14;  // [-] of a row's terms: w as far below zero is zero
constexpr double kDependent = 1e-12;  // [-] of a row's diagonal: less left beside the active rows is nothing

/// Cholesky factor of A over a growing and shrinking set of rows.
class ActiveFactor {
 public:
  explicit ActiveFactor(const MatrixX& A) : A_{&A}, L_{MatrixX::Zero(A.rows(), A.rows())} {}

  const std::vector<Eigen::Index>& rows() const { return rows_; }
  Eigen::Index size() const { return static_cast<Eigen::Index>(rows_.size()); }

  /// A_SS⁻¹ x.
  VectorX solve(VectorX x) const {
    const auto L = L_.topLeftCorner(size(), size()).triangularView<Eigen::Lower>();
    L.solveInPlace(x);
    L.transpose().solveInPlace(x);
    return x;
  }

  VectorX column(Eigen::Index p) const { return (*A_)(rows_, p); }

  void add(Eigen::Index p) {
    const Eigen::Index k = size();
    VectorX row = column(p);
    L_.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(row);
    L_.row(k).head(k) = row;
    L_(k, k) = std::sqrt(std::max((*A_)(p, p) - row.squaredNorm(), std::numeric_limits<double>::min()));
    rows_.push_back(p);
  }

  /// Removes the j-th active row; rotations bring the rows below back to triangular form.
  void remove(Eigen::Index j) {
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

 private:
  const MatrixX* A_;
  MatrixX L_;
  std::vector<Eigen::Index> rows_;
};

/// λ of the active rows from A_SS λ_S = b_S, refined; the others' is 0.
VectorX activeMultipliers(const MatrixX& A, const VectorX& b, const ActiveFactor& factor) {
  VectorX lambda = VectorX::Zero(b.size());
  for (int pass = 0; pass < 3; ++pass) {
    VectorX rest(factor.size());
    for (Eigen::Index k = 0; k < rest.size(); ++k) {
      const Eigen::Index row = factor.rows()[static_cast<std::size_t>(k)];
      long double sum = b[row];
      for (const Eigen::Index j : factor.rows()) sum -= static_cast<long double>(A(row, j)) * lambda[j];
      rest[k] = static_cast<double>(sum);
    }
    const VectorX change = factor.solve(rest);
    for (Eigen::Index k = 0; k < rest.size(); ++k) lambda[factor.rows()[static_cast<std::size_t>(k)]] += change[k];
  }
  return lambda;
}

}  // namespace

LcpAnswer solveLcp(const MatrixX& A, const VectorX& b, int limit) {
  const Eigen::Index n = b.size();
  if (limit <= 0) limit = 100 * static_cast<int>(n) + 1000;
  LcpAnswer answer;
  answer.lambda.setZero(n);
  ActiveFactor factor{A};
  std::vector<char> active(static_cast<std::size_t>(n), 0);
  const MatrixX sizes = A.cwiseAbs();
  VectorX& lambda = answer.lambda;
  while (answer.iterations < limit) {
    const VectorX w = A * lambda - b, terms = sizes * lambda.cwiseAbs() + b.cwiseAbs();
    Eigen::Index p = -1;
    double worst = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (active[static_cast<std::size_t>(i)] || !(w[i] < -kSatisfied * static_cast<double>(n + 1) * terms[i])) continue;
      const double violation = A(i, i) > 0 ? -w[i] / std::sqrt(A(i, i)) : std::numeric_limits<double>::infinity();
      if (p < 0 || violation > worst) p = i, worst = violation;
    }
    if (p < 0) {
      answer.converged = true;
      break;
    }
    for (double left = w[p];;) {  // w_p on the way to 0
      const VectorX column = factor.column(p), r = factor.solve(column);
      const double z = A(p, p) - column.dot(r);
      const bool dependent = !(z > kDependent * A(p, p));
      double step = dependent ? std::numeric_limits<double>::infinity() : -left / z;
      Eigen::Index leaving = -1;
      for (Eigen::Index k = 0; k < r.size(); ++k) {
        if (!(r[k] > 0)) continue;
        const double until = lambda[factor.rows()[static_cast<std::size_t>(k)]] / r[k];
        if (until < step) step = until, leaving = k;
      }
      if (!std::isfinite(step)) {
        answer.impossibleRow = static_cast<int>(p);
        answer.activeRows = static_cast<int>(factor.size());
        return answer;
      }
      for (Eigen::Index k = 0; k < r.size(); ++k) lambda[factor.rows()[static_cast<std::size_t>(k)]] -= step * r[k];
      lambda[p] += step;
      if (!dependent) left += step * z;
      ++answer.iterations;
      if (leaving < 0) break;
      const Eigen::Index row = factor.rows()[static_cast<std::size_t>(leaving)];
      lambda[row] = 0;
      active[static_cast<std::size_t>(row)] = 0;
      factor.remove(leaving);
      if (answer.iterations >= limit) break;
    }
    if (answer.iterations >= limit) break;
    factor.add(p);
    active[static_cast<std::size_t>(p)] = 1;
    const VectorX exact = activeMultipliers(A, b, factor);
    if (exact.allFinite() && (exact.array() >= 0).all()) lambda = exact;
  }
  answer.activeRows = static_cast<int>(factor.size());
  return answer;
}

}  // namespace stiction
