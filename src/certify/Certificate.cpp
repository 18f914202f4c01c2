#include "certify/Certificate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ThreadPool.hpp"
#include "certify/Cone.hpp"

namespace stiction {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDigits = 1e-6;  // [-] of the terms that cancel in a free velocity: no scale is smaller

constexpr int kFew = 192;       // contacts or columns of a thread
constexpr int kTogether = 256;  // contacts of a tally: sums are of these first, whatever the threads

double largestMagnitude(const VectorX& x) {
  double largest = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) largest = std::isfinite(x[i]) ? std::max(largest, std::abs(x[i])) : kInfinity;
  return largest;
}

/// What one segment adds to a column's product with v, and to that of their magnitudes.
struct Product {
  double value{0}, magnitude{0};
};

Product productOfBody(const double* a, const double* v) {
  using Pair = Eigen::Array2d;
  const auto pair = [&](int k) -> Pair { return Eigen::Map<const Pair>{a + k} * Eigen::Map<const Pair>{v + k}; };
  const Pair p0 = pair(0), p1 = pair(2), p2 = pair(4), sum = p0 + p1 + p2, magnitude = p0.abs() + p1.abs() + p2.abs();
  return {sum[0] + sum[1], magnitude[0] + magnitude[1]};
}

Product product(const double* a, const double* v, int size) {
  Product sum;
  for (int k = 0; k < size; ++k) {
    sum.value += a[k] * v[k];
    sum.magnitude += std::abs(a[k] * v[k]);
  }
  return sum;
}

/// z = A_iᵀ v of a group; returns the largest of |A_i|ᵀ|v|.
double multiplyTransposedWithin(const BlockColumns& A, int i, const VectorX& v, VectorX& z) {
  double largest = 0;
  for (int c = 0; c < A.width; ++c) {
    Product sum;
    for (int s = A.start[static_cast<std::size_t>(i)]; s < A.start[static_cast<std::size_t>(i) + 1]; ++s) {
      const BlockColumns::Segment& segment = A.segments[static_cast<std::size_t>(s)];
      const double *a = A.values.data() + segment.offset + c * segment.size, *x = v.data() + segment.row;
      const Product part = segment.size == 6 ? productOfBody(a, x) : product(a, x, segment.size);
      sum.value += part.value;
      sum.magnitude += part.magnitude;
    }
    z[i * A.width + c] = sum.value;
    largest = std::max(largest, sum.magnitude);
  }
  return largest;
}

/// z = Aᵀ v; returns the largest of |A|ᵀ|v|.
double multiplyTransposedWithin(const BlockColumns& A, const VectorX& v, VectorX& z, ThreadPool* team) {
  z.resize(A.columns());
  return largestInRanges(team, A.groups(), kFew, [&](int first, int last) {
    double largest = 0;
    for (int i = first; i < last; ++i) largest = std::max(largest, multiplyTransposedWithin(A, i, v, z));
    return largest;
  });
}

bool complete(const ContactProblem& problem, const Iterate& iterate) {
  return iterate.v.size() == problem.dof() && iterate.r.size() == 3 * problem.contacts() && iterate.lambda.size() == problem.rows() && iterate.v.allFinite() &&
         iterate.r.allFinite() && iterate.lambda.allFinite();
}

Certificate refused(double scale) {
  Certificate certificate;
  certificate.relative = certificate.metersPerSecond = certificate.natural = kInfinity;
  certificate.scale = scale;
  return certificate;
}

}  // namespace

void Certifier::Worst::take(double value, int at) {
  if (!std::isfinite(value)) value = kInfinity;
  if (value > value_ || at_ < 0) {
    value_ = value > value_ ? value : value_;
    at_ = at;
  }
}

void Certifier::Worst::take(const Worst& later) {
  if (later.at_ >= 0 || later.value_ > value_) take(later.value_, later.at_);
}

void Certifier::Tally::add(const Tally& later) {
  worst.take(later.worst), natural.take(later.natural), normal.take(later.normal);
  cone.take(later.cone), dual.take(later.dual), complementarity.take(later.complementarity);
  squares += later.squares;
}

void Certifier::prepare(const ContactProblem& problem) {
  mass_.factor(problem.M);
  free_ = problem.f;
  if (mass_.usable()) mass_.solve(free_, team_);
  const double largest = multiplyTransposedWithin(problem.H, free_, q_, team_);
  findOmega(problem.H);
  Worst scale;
  scale.take(problem.scaleFloor);
  scale.take(kDigits * largest);
  for (int i = 0; i < problem.contacts(); ++i) scale.take((q_.segment<3>(3 * i) + problem.wScale.segment<3>(3 * i)).norm());
  scale_ = scale.value();
  if (problem.contacts() == 0) scaleFromRows(problem);
  q_ += problem.w;
  freeNorm_ = q_.norm();
}

void Certifier::findOmega(const BlockColumns& H) {
  if (mass_.coupled() && mass_.kept() && H == traced_) return;
  traced_.clear();
  if (mass_.coupled()) traced_ = H;
  omega_.resize(H.groups());
  inRanges(mass_.coupled() ? nullptr : team_, H.groups(), kFew, [&](int range, int first, int last) {
    for (int i = first; i < last; ++i) {
      const double trace = mass_.usable() ? mass_.trace(H, i, range) : 0;
      omega_[i] = trace > 0 ? trace / 3 : 1;
    }
  });
}

void Certifier::scaleFromRows(const ContactProblem& problem) {
  const double largest = multiplyTransposedWithin(problem.G, free_, rows_, team_);
  rows_ += problem.b;
  scale_ = std::max({scale_, largestMagnitude(rows_), kDigits * largest});
}

void Certifier::prepare(const LocalContactProblem& problem) {
  free_.resize(0);
  traced_.clear();
  q_ = problem.q;
  freeNorm_ = q_.norm();
  Worst scale;
  omega_.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    scale.take(q_.segment<3>(3 * i).norm());
    double trace = 0;
    for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
      if (problem.column[static_cast<std::size_t>(k)] == i) trace += problem.blocks[static_cast<std::size_t>(k)].trace();
    omega_[i] = trace > 0 ? trace / 3 : 1;
  }
  scale_ = scale.value();
}

void Certifier::judgeContacts(const VectorX& mu, const VectorX& r, const AxisBounds* axisBounds, int first, int last, Tally& tally) const {
  for (int i = first; i < last; ++i) {
    const Vector3 ri = r.segment<3>(3 * i), ui = u_.segment<3>(3 * i);
    if (law_ == Law::Coulomb && ri.isZero(0) && ui[0] >= 0 && ui.allFinite()) {  // open: nothing is left of the law
      tally.worst.take(0, i);
      continue;
    }
    const Vector3 shifted = certification::lawVelocity(law_, ui, mu[i]);
    AxisInterval box;
    if (law_ == Law::Box) box = axisBounds != nullptr ? axisBounds->at(static_cast<int>(i), ri[0] > 0 ? ri[0] : 0.0) : certification::boxOf(ri[0], mu[i]);
    const double map = shifted.allFinite() ? omega_[i] * certification::lawMap(law_, ri, shifted / omega_[i], mu[i], box).norm() : kInfinity;
    const double alongNormal = law_ == Law::Coulomb ? std::abs(std::min(omega_[i] * ri[0], ui[0])) : 0;
    tally.natural.take(map, i);
    tally.normal.take(alongNormal, i);
    tally.worst.take(std::max(map, alongNormal / 2), i);
    tally.cone.take(certification::lawViolation(law_, ri, mu[i], box), i);
    tally.dual.take(law_ == Law::Box ? std::max(-shifted[0], 0.0) : certification::projectOnCone(-shifted, mu[i]).norm(), i);
    tally.complementarity.take(std::abs(law_ == Law::Box ? ri[0] * shifted[0] : ri.dot(shifted)), i);
    tally.squares += certification::lawMap(law_, ri, shifted, mu[i], box).squaredNorm();
  }
}

Certificate Certifier::judgeContacts(const VectorX& mu, const VectorX& r, const AxisBounds* axisBounds) {
  const int contacts = static_cast<int>(mu.size()), tallies = (contacts + kTogether - 1) / kTogether;
  tallies_.assign(static_cast<std::size_t>(tallies), {});
  inRanges(team_, tallies, 1, [&](int, int first, int last) {
    for (int k = first; k < last; ++k)
      judgeContacts(mu, r, axisBounds, k * kTogether, std::min(contacts, (k + 1) * kTogether), tallies_[static_cast<std::size_t>(k)]);
  });
  Tally all;
  for (const Tally& tally : tallies_) all.add(tally);
  Certificate certificate;
  certificate.scale = scale_;
  certificate.natural = all.natural.value();
  certificate.coneViolation = all.cone.value();
  certificate.dualViolation = all.dual.value();
  certificate.complementarity = all.complementarity.value();
  certificate.fclib = freeNorm_ > 0 ? std::sqrt(all.squares) / freeNorm_ : all.squares > 0 ? kInfinity : 0;
  certificate.normal = all.normal.value();
  certificate.worstContact = all.worst.at();
  return certificate;
}

void Certifier::close(Certificate& certificate) const {
  certificate.metersPerSecond = std::max({certificate.natural, certificate.normal / 2, certificate.momentum, certificate.bilateral});
  if (certificate.metersPerSecond == 0 && std::isfinite(scale_))
    certificate.relative = 0;
  else
    certificate.relative = scale_ > 0 && std::isfinite(scale_) ? certificate.metersPerSecond / scale_ : kInfinity;
}

Certificate Certifier::judge(const ContactProblem& problem, const Iterate& iterate) {
  if (!mass_.usable() || !complete(problem, iterate)) return refused(scale_);
  multiplyTransposed(problem.H, iterate.v, u_, team_);
  u_ += problem.w;
  if (problem.R.size() != 0) u_.array() += problem.R.array() * iterate.r.array();
  Certificate certificate = judgeContacts(problem.mu, iterate.r, problem.axisBounds);

  residual_ = problem.f;
  multiplyAdd(problem.H, iterate.r, residual_);
  multiplyAdd(problem.G, iterate.lambda, residual_);
  mass_.solve(residual_, team_);
  residual_ = iterate.v - residual_;
  multiplyTransposed(problem.H, residual_, u_, team_);
  certificate.momentum = largestMagnitude(u_);
  multiplyTransposed(problem.G, residual_, rows_);
  certificate.momentum = std::max(certificate.momentum, largestMagnitude(rows_));

  multiplyTransposed(problem.G, iterate.v, rows_);
  rows_ += problem.b;
  if (problem.C.size() != 0) rows_.array() += problem.C.array() * iterate.lambda.array();
  certificate.bilateral = largestMagnitude(rows_);
  close(certificate);
  return certificate;
}

Certificate Certifier::judge(const LocalContactProblem& problem, const Iterate& iterate) {
  if (iterate.r.size() != 3 * problem.contacts() || !iterate.r.allFinite()) return refused(scale_);
  u_ = problem.q;
  for (int i = 0; i < problem.contacts(); ++i)
    for (int k = problem.start[static_cast<std::size_t>(i)]; k < problem.start[static_cast<std::size_t>(i) + 1]; ++k)
      u_.segment<3>(3 * i) += problem.blocks[static_cast<std::size_t>(k)] * iterate.r.segment<3>(3 * problem.column[static_cast<std::size_t>(k)]);
  Certificate certificate = judgeContacts(problem.mu, iterate.r, nullptr);
  close(certificate);
  return certificate;
}

Certificate certify(const ContactProblem& problem, const Iterate& iterate) { return Certifier{}.certify(problem, iterate); }

Certificate certify(const LocalContactProblem& problem, const Iterate& iterate) { return Certifier{}.certify(problem, iterate); }

}  // namespace stiction
