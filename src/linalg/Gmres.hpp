// GMRES (Saad & Schultz 1986) preconditioned on the right and without restarts: A P⁻¹ y = b, x = P⁻¹ y, so that the residual it watches is that of the system itself.
// Arnoldi's basis by modified Gram–Schmidt, Givens rotations, sums in a fixed order. The basis grows to the steps used, and is kept.
#pragma once
#include <cmath>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

class Gmres {
 public:
  /// x := y with ‖x − A y‖ <= accuracy ‖x‖ in the norm √Σ weight_k x_k², weight > 0; false, and x as it was, where `limit` steps do not reach that. `multiply(in, out)` is A,
  /// `precondition(x)` is P⁻¹ in place. A step costs one of each.
  template <typename Multiply, typename Precondition>
  bool solve(const Multiply& multiply, const Precondition& precondition, const VectorX& weight, double accuracy, int limit, VectorX& x);

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// Turns the newest column of the Hessenberg matrix into one of a triangle, and the right side with it. False when it vanishes.
  bool rotate(int k);

  std::vector<VectorX> basis_, columns_;
  VectorX cosines_, sines_, rhs_, image_, root_;
};

inline bool Gmres::rotate(int k) {
  VectorX& column = columns_[at(k)];
  for (int j = 0; j < k; ++j) {
    const double upper = column[j], lower = column[j + 1];
    column[j] = cosines_[j] * upper + sines_[j] * lower;
    column[j + 1] = cosines_[j] * lower - sines_[j] * upper;
  }
  const double length = std::hypot(column[k], column[k + 1]);
  if (!(length > 0) || !std::isfinite(length)) return false;
  cosines_[k] = column[k] / length, sines_[k] = column[k + 1] / length;
  column[k] = length;
  rhs_[k + 1] = -sines_[k] * rhs_[k];
  rhs_[k] *= cosines_[k];
  return true;
}

template <typename Multiply, typename Precondition>
bool Gmres::solve(const Multiply& multiply, const Precondition& precondition, const VectorX& weight, double accuracy, int limit, VectorX& x) {
  if (basis_.size() < at(limit) + 1) basis_.resize(at(limit) + 1), columns_.resize(at(limit));
  cosines_.resize(limit), sines_.resize(limit), rhs_.setZero(limit + 1);
  root_ = weight.cwiseSqrt();
  basis_[0] = root_.cwiseProduct(x);
  const double size = basis_[0].norm();
  if (size == 0) return true;
  basis_[0] /= size;
  rhs_[0] = size;
  int steps = 0;
  while (!(std::abs(rhs_[steps]) <= accuracy * size)) {
    if (steps == limit) return false;
    VectorX &next = basis_[at(steps) + 1], &column = columns_[at(steps)];
    next = basis_[at(steps)].cwiseQuotient(root_);
    precondition(next);
    multiply(next, image_);
    next = root_.cwiseProduct(image_);
    column.resize(steps + 2);
    for (int j = 0; j <= steps; ++j) {
      column[j] = basis_[at(j)].dot(next);
      next -= column[j] * basis_[at(j)];
    }
    column[steps + 1] = next.norm();
    if (column[steps + 1] > 0) next /= column[steps + 1];
    if (!rotate(steps)) return false;
    ++steps;
  }
  image_.setZero(x.size());
  for (int i = steps - 1; i >= 0; --i) {
    for (int j = i + 1; j < steps; ++j) rhs_[i] -= columns_[at(j)][i] * rhs_[j];
    rhs_[i] /= columns_[at(i)][i];
    image_ += rhs_[i] * basis_[at(i)];
  }
  x = image_.cwiseQuotient(root_);
  precondition(x);
  return true;
}

}  // namespace stiction
