// Rest is a fixed point: v = 0 with the impulses r is certified as a candidate, and then the bodies stay bit-identical.
//
//   relative(v = 0, r) <= 1e-12 + 16 ε max_i ω_i‖r_i‖ / s        the second term is the round-off of the load terms that cancel (high mass ratios)
//   |M⁻¹ (f + H r)| <= 1e-10 s + the same round-off              of every body: no contact sees a common fall or rolling
#include <algorithm>
#include <limits>

#include "integrate/Island.hpp"

namespace stiction {
namespace {

constexpr double kRest = 1e-12;    // [-] relative certificate of the candidate
constexpr double kHidden = 1e-10;  // [-] of the certificate's scale: speed that contacts need not see
constexpr double kSlow = 1e-6;     // [-] of the certificate's scale: velocities below this make the candidate worth trying

}  // namespace

/// candidate_.r against v = 0.
bool IslandStepper::certifiesAtRest(Certificate& certificate) {
  candidate_.v.setZero(vFree_.size());
  candidate_.lambda.resize(0);
  certificate = certifier_.judge(assembly_.problem, candidate_);
  if (!(certificate.relative <= setup_->options->tolerance)) return false;
  double load = 0;
  for (int i = 0; i < assembly_.problem.contacts(); ++i) load = std::max(load, certifier_.omega()[i] * candidate_.r.segment<3>(3 * i).norm());
  const double noise = 16.0 * std::numeric_limits<double>::epsilon() * load;
  if (certificate.relative > kRest && certificate.metersPerSecond > kRest * certificate.scale + noise) return false;
  assembly_.velocityFromImpulses(vFree_, candidate_.r, candidate_.lambda, hidden_);
  return fastest(hidden_) <= kHidden * certificate.scale + noise;
}

/// Largest speed [m/s] of any point of the island's bodies at v.
double IslandStepper::fastest(const VectorX& v) const {
  double speed = 0;
  for (std::size_t k = 0; k < assembly_.bodies().size(); ++k) {
    const auto i = static_cast<std::size_t>(assembly_.bodies()[k]);
    const int row = assembly_.rowOf(static_cast<int>(k));
    const double spin = setup_->inertias[i].locked ? 0.0 : setup_->bodySize[i] * v.segment<3>(row + 3).norm();
    speed = std::max(speed, v.segment<3>(row).norm() + spin);
  }
  return speed;
}

bool IslandStepper::surfacesMove() const {
  return std::any_of(kinematic_.begin(), kinematic_.end(), [&](int body) {
    const auto i = static_cast<std::size_t>(body);
    return !local_.velocity[i].isZero(0.0) || !local_.angularVelocity[i].isZero(0.0);
  });
}

bool IslandStepper::restsAsBefore(double h) {
  restedBefore_ = false;
  if (!vBefore_.isZero(0.0) || surfacesMove()) return false;
  warmStart(h);
  candidate_.r = iterate_.r;
  Certificate certificate;
  if (!certifiesAtRest(certificate)) return false;
  iterate_.v = candidate_.v;
  solved_ = certificate;
  rung_ = "rest";
  restedBefore_ = true;
  return true;
}

bool IslandStepper::comesToRest() {
  if (result_->report.status != StepStatus::Certified || surfacesMove()) return false;
  if (fastest(iterate_.v) > kSlow * solved_.scale) return false;
  candidate_.r = iterate_.r;
  Certificate certificate;
  if (!certifiesAtRest(certificate)) return false;
  iterate_.v = candidate_.v;
  return true;
}

}  // namespace stiction
