#include "solvers/OneContact.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/Plane.hpp"
#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

/// F(θ) = constant + cos1 c + sin1 s + cos2 (c² − s²) + sin2 2cs at the direction (c, s).
struct SlipEquation {
  double constant, cos1, sin1, cos2, sin2;

  SlipEquation(const Matrix3& A, const Vector3& b, double mu) {
    const Vector2 p = A(0, 0) * b.tail<2>() - b[0] * A.block<2, 1>(1, 0);
    const Eigen::Matrix2d Q = b[0] * A.bottomRightCorner<2, 2>() - b.tail<2>() * A.block<1, 2>(0, 1);
    constant = 0.5 * mu * (Q(1, 0) - Q(0, 1));
    cos1 = p[1];
    sin1 = -p[0];
    cos2 = 0.5 * mu * (Q(1, 0) + Q(0, 1));
    sin2 = 0.5 * mu * (Q(1, 1) - Q(0, 0));
  }

  double value(const Vector2& e) const { return constant + cos1 * e[0] + sin1 * e[1] + cos2 * (e[0] - e[1]) * (e[0] + e[1]) + sin2 * 2 * e[0] * e[1]; }
  double slope(const Vector2& e) const { return sin1 * e[0] - cos1 * e[1] + 2 * (sin2 * (e[0] - e[1]) * (e[0] + e[1]) - cos2 * 2 * e[0] * e[1]); }
  double size() const { return std::abs(constant) + std::abs(cos1) + std::abs(sin1) + std::abs(cos2) + std::abs(sin2); }
  /// The derivative with respect to θ, itself of the same form.
  SlipEquation derivative() const { return {0, sin1, -cos1, 2 * sin2, -2 * cos2}; }

 private:
  SlipEquation(double k, double c1, double s1, double c2, double s2) : constant{k}, cos1{c1}, sin1{s1}, cos2{c2}, sin2{s2} {}
};

/// The direction e turned by the angle whose tangent is `step`.
Vector2 turned(Vector2 e, double step) {
  e += step * Vector2{-e[1], e[0]};
  e *= 1 / std::sqrt(e[0] * e[0] + e[1] * e[1]);
  return e;
}

constexpr int kSamples = 64;                     // of the circle, for brackets
constexpr double kSample = 2 * M_PI / kSamples;  // [rad]
constexpr double kRoundOffOfDirections = 2e-16;  // [rad]

/// The direction at k kSample, 0 <= k <= kSamples.
const Vector2& sample(int k) {
  static const std::array<Vector2, kSamples + 1> circle = [] {
    std::array<Vector2, kSamples + 1> directions;
    for (int i = 0; i <= kSamples; ++i) directions[static_cast<std::size_t>(i)] = {std::cos(i * kSample), std::sin(i * kSample)};
    return directions;
  }();
  return circle[static_cast<std::size_t>(k)];
}

constexpr double kRoundOff = 1e-14;  // [-] of the trace
constexpr double kExact = 1e-13;     // residual, relative to the size of its terms, that round-off allows for

/// One contact's slip candidates: impulse of a direction, and the residual that decides.
class SlipSearch {
 public:
  SlipSearch(const Matrix3& A, const Vector3& b, double mu, const Vector3& guess)
      : A_{A}, b_{b}, guess_{guess}, mu_{mu}, omega_{A.trace() / 3}, equation_{A, b, mu}, size_{b.norm()} {}

  /// Newton on F from the direction e. True where it ends at a sliding root: D(e) > 0, u_T along e.
  bool newton(Vector2 e) {
    for (int k = 0; k < 20; ++k) {
      const double value = equation_.value(e), slope = equation_.slope(e);
      if (!(slope > 0 || slope < 0)) return false;
      const double step = std::clamp(-value / slope, -0.5, 0.5);
      e = turned(e, step);
      if (std::abs(step) < 1e-8) break;  // the next one would be 1e-16
    }
    const double denominator = A_(0, 0) - mu_ * (A_(0, 1) * e[0] + A_(0, 2) * e[1]);
    if (!(denominator > 0)) return false;
    const Vector3 r = impulse(e, denominator);
    const Vector2 slip = A_.bottomRows<2>() * r + b_.tail<2>();
    const double along = slip.dot(e), across = cross(e, slip);
    if (!(along >= 0) || !(std::abs(across) <= kExact * (size_ + 0.01 * omega_ * r[0]))) return false;
    best_ = r;
    residual_ = 0;
    return true;
  }

  /// Every root of F, by brackets.
  void scan() {
    const SlipEquation derivative = equation_.derivative();
    for (int k = 0; k < kSamples; ++k) {
      const Vector2 &left = sample(k), &right = sample(k + 1);
      const double atLeft = equation_.value(left), atRight = equation_.value(right);
      if ((atLeft <= 0) != (atRight <= 0)) {
        offer(root(equation_, left, right));
        continue;
      }
      const double slopeLeft = derivative.value(left), slopeRight = derivative.value(right);
      if ((slopeLeft <= 0) == (slopeRight <= 0)) continue;
      const Vector2 extremum = root(derivative, left, right);
      const double atExtremum = equation_.value(extremum);
      if ((atExtremum <= 0) == (atLeft <= 0)) {
        if (std::abs(atExtremum) <= 1e-14 * equation_.size()) offer(extremum);
        continue;
      }
      offer(root(equation_, left, extremum));
      offer(root(equation_, extremum, right));
    }
  }

  /// Last resort for a singular A: projections from the best candidate.
  void project() {
    const double rho = 1 / std::max(A_.norm(), std::numeric_limits<double>::min());
    Vector3 r = best_;
    for (int k = 0; k < 200 && residual_ > kExact; ++k) {
      r = projectCone(r - rho * deSaxce(A_ * r + b_, mu_), mu_);
      take(r);
    }
  }

  void take(const Vector3& r) {
    const double residual = contactResidual(r, A_ * r + b_, mu_, omega_) / (size_ + 0.01 * omega_ * r.norm());
    if (!(residual < std::numeric_limits<double>::infinity())) return;
    const bool bothExact = residual <= kExact && residual_ <= kExact;
    if (bothExact ? (r - guess_).squaredNorm() >= (best_ - guess_).squaredNorm() : residual >= residual_) return;
    residual_ = residual;
    best_ = r;
  }

  bool exact() const { return residual_ <= kExact; }
  const Vector3& best() const { return best_; }

 private:
  void offer(const Vector2& e) {
    const double denominator = A_(0, 0) - mu_ * (A_(0, 1) * e[0] + A_(0, 2) * e[1]);
    if (!(denominator > 0)) return;
    take(impulse(e, denominator));
  }

  Vector3 impulse(const Vector2& e, double denominator) const {
    const double normal = -b_[0] / denominator;
    return {normal, -mu_ * normal * e[0], -mu_ * normal * e[1]};
  }

  /// The zero of `f` between two directions at most a sample apart: Newton, kept inside by bisection.
  static Vector2 root(const SlipEquation& f, Vector2 left, Vector2 right) {
    const bool lowLeft = f.value(left) <= 0;
    Vector2 e = (left + right).normalized();
    for (int k = 0; k < 100 && cross(left, right) > kRoundOffOfDirections; ++k) {
      const double value = f.value(e), step = -value / f.slope(e);
      if (value == 0 || std::abs(step) <= kRoundOffOfDirections) return e;
      ((value <= 0) == lowLeft ? left : right) = e;
      const Vector2 next = turned(e, std::clamp(step, -kSample, kSample));  // a step that is no number fails both comparisons
      e = cross(left, next) > 0 && cross(next, right) > 0 ? next : (left + right).normalized();
    }
    return e;
  }

  const Matrix3& A_;
  const Vector3& b_;
  const Vector3& guess_;
  double mu_, omega_;
  SlipEquation equation_;
  double size_;  // [m/s] ‖b‖
  Vector3 best_{Vector3::Zero()};
  double residual_{std::numeric_limits<double>::infinity()};  // natural map of best_ over the size of its terms
};

/// −A⁻¹ b by pivoted elimination, with a shift at round-off level where A is singular.
Vector3 eliminate(const Matrix3& A, const Vector3& b) {
  const double trace = A.trace();
  const Eigen::FullPivLU<Matrix3> factor{A};
  if (std::abs(factor.matrixLU()(2, 2)) > 1e-13 * trace) return -factor.solve(b);
  const Matrix3 shifted = A + 1e-14 * trace * Matrix3::Identity();
  return -shifted.fullPivLu().solve(b);
}

}  // namespace

ContactBlock::ContactBlock(const Matrix3& delassus) : A{delassus} {
  const double trace = A.trace();
  const Vector3 c0 = A.col(0), c1 = A.col(1), c2 = A.col(2), normal = c1.cross(c2);
  const double determinant = c0.dot(normal);
  regular = determinant > 1e-4 * trace * trace * trace;
  inverse << normal.transpose(), c2.cross(c0).transpose(), c0.cross(c1).transpose();
  if (regular) inverse *= 1 / determinant;
  perNormal = 1 / A(0, 0);
  perTangential = 1 / A(1, 1);
  const Matrix3 rest = A - Vector3{A(0, 0), A(1, 1), A(1, 1)}.asDiagonal().toDenseMatrix();
  isDiagonal = A(0, 0) > 0 && A(1, 1) > 0 && rest.cwiseAbs().maxCoeff() <= kRoundOff * trace;
}

Vector3 solveOneContact(const ContactBlock& block, const Vector3& b, double mu, const Vector3& guess) {
  const Matrix3& A = block.A;
  if (b[0] >= 0 || !(A(0, 0) > 0)) return Vector3::Zero();
  if (!(mu > 0)) return {-b[0] / A(0, 0), 0, 0};
  Vector3 stick = block.regular ? Vector3{-(block.inverse * b)} : eliminate(A, b);
  if (stick[0] >= 0 && stick[1] * stick[1] + stick[2] * stick[2] <= mu * stick[0] * (mu * stick[0])) return stick;

  SlipSearch search{A, b, mu, guess};
  const Vector2 last = -guess.tail<2>(), free = b.tail<2>() - A.block<2, 1>(1, 0) * (b[0] / A(0, 0));
  const Vector2 first = last.squaredNorm() > 0 ? last : free;
  if (first.squaredNorm() > 0 && search.newton(first.normalized())) return search.best();
  if (last.squaredNorm() > 0 && free.squaredNorm() > 0 && search.newton(free.normalized())) return search.best();
  search.scan();
  if (!search.exact()) {
    search.take(projectCone(stick, mu));
    search.project();
  }
  return search.best();
}

}  // namespace stiction
