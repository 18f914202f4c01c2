#include "solvers/FbMethod.hpp"

#include <cmath>

#include "solvers/FrictionCone.hpp"

namespace stiction {
namespace {

constexpr double kLeastFriction = 1e-14;       // [-] of slip: what is free to slip gets no more friction than this
constexpr int kPatience = 30;                  // Newton steps without a better answer
constexpr double kStiffen = 100, kSoften = 3;  // [-] of δ after a step that does not lower the functions, and after one that does

class FbMethod : public VelocityMethod {
 public:
  explicit FbMethod(const FbSettings& settings) : settings_{settings} {}
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  /// Contact functions at (v, r, λ): F_, and with `linearise` their elimination: dr = −c_ − D du.
  double evaluate(const VelocitySystem& system, const VectorX& v, const VectorX& r, const VectorX& lambda, bool linearise);
  bool direction(VelocitySystem& system, SolveReport& report);
  /// Newton steps until nothing falls any more. `stiffen`: only steps that lower the functions are taken, and δ grows until they do.
  void descend(VelocitySystem& system, const SolveOptions& options, int limit, bool stiffen, SolveReport& report);

  FbSettings settings_;
  BestIterate best_;
  VectorX v_, r_, lambda_, u_, rows_, F_, c_, cRow_, rhoRow_;
  VectorX dv_, dr_, dLambda_, tryV_, tryR_, tryLambda_;
  std::vector<Matrix3> D_;
  double epsilon_{0};    // [m/s]
  double stiffness_{0};  // [-] δ of the present step
};

double FbMethod::evaluate(const VelocitySystem& system, const VectorX& v, const VectorX& r, const VectorX& lambda, bool linearise) {
  const ContactProblem& problem = system.problem();
  const auto phi = [this](double x, double y) { return x + y - std::sqrt(x * x + y * y + epsilon_ * epsilon_); };
  system.contactVelocity(v, r, u_);
  system.rowVelocity(v, lambda, rows_);
  F_.resize(3 * problem.contacts());
  if (linearise) {
    c_.resize(3 * problem.contacts());
    D_.assign(static_cast<std::size_t>(problem.contacts()), Matrix3::Zero());
  }
  for (int i = 0; i < problem.contacts(); ++i) {
    const double omega = system.omega(i), least = stiffness_ * omega, alpha = settings_.alpha;
    const Vector3 ri = r.segment<3>(3 * i), u = u_.segment<3>(3 * i);
    const Vector3 R = problem.R.size() != 0 ? Vector3{problem.R.segment<3>(3 * i)} : Vector3{Vector3::Zero()};
    const double x = alpha * u[0], y = omega * ri[0], root = std::sqrt(x * x + y * y + epsilon_ * epsilon_);
    const double slip = tangentialNorm(u), friction = omega * tangentialNorm(ri);
    const double psi = phi(slip, problem.mu[i] * omega * std::max(ri[0], 0.0) - friction);
    const double below = std::max(friction + psi, kLeastFriction * std::max(slip, friction));
    const double W = below > 0 ? omega * (slip - psi) / below : 0.0;
    F_[3 * i] = phi(x, y);
    // Relative to the larger of 1 and W/ω, so that free slip (W → ∞, r_T = 0) is no large number.
    const double weight = 1.0 / (1.0 + W / omega);
    F_.segment<2>(3 * i + 1) = weight * (u.tail<2>() + W * ri.tail<2>());
    if (!linearise) continue;
    const double a = root > 0 ? 1 - x / root : 1, b = root > 0 ? 1 - y / root : 1;
    const double normal = alpha * a * R[0] + std::max(b * omega, least);
    D_[static_cast<std::size_t>(i)](0, 0) = alpha * a / normal;
    c_[3 * i] = F_[3 * i] / normal;
    for (int k = 1; k < 3; ++k) {
      const double tangential = std::max(W + R[k], least);
      D_[static_cast<std::size_t>(i)](k, k) = 1.0 / tangential;
      c_[3 * i + k] = (u[k] + W * ri[k]) / tangential;
    }
  }
  if (linearise) {
    rhoRow_.resize(problem.rows());
    for (int k = 0; k < problem.rows(); ++k) rhoRow_[k] = 1.0 / (stiffness_ * system.rowOmega(k) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
    cRow_ = rhoRow_.cwiseProduct(rows_);
  }
  return F_.squaredNorm() + rows_.squaredNorm();
}

bool FbMethod::direction(VelocitySystem& system, SolveReport& report) {
  const ContactProblem& problem = system.problem();
  ++report.factorisations;
  if (!system.factorSymmetric(D_, rhoRow_)) return false;
  dv_.setZero(problem.dof());
  multiplyAdd(problem.H, c_, dv_);
  multiplyAdd(problem.G, cRow_, dv_);
  dv_ = -dv_;
  system.solve(dv_);
  if (!dv_.allFinite()) return false;
  multiplyTransposed(problem.H, dv_, dr_);
  for (int i = 0; i < problem.contacts(); ++i) dr_.segment<3>(3 * i) = -c_.segment<3>(3 * i) - D_[static_cast<std::size_t>(i)] * dr_.segment<3>(3 * i);
  multiplyTransposed(problem.G, dv_, dLambda_);
  dLambda_ = -cRow_ - rhoRow_.cwiseProduct(dLambda_);
  return true;
}

void FbMethod::descend(VelocitySystem& system, const SolveOptions& options, int limit, bool stiffen, SolveReport& report) {
  int stalled = 0;
  stiffness_ = settings_.leastStiffness;
  while (report.iterations < limit && stalled < kPatience && best_.residual() > options.polish * system.scale()) {
    epsilon_ = settings_.smoothing * best_.residual();
    const double merit = evaluate(system, v_, r_, lambda_, true);
    if (!direction(system, report)) return;
    ++report.iterations;
    double a = 1;
    bool falls = false;
    for (int k = 0;; ++k, a *= 0.5) {
      tryV_ = v_ + a * dv_, tryR_ = r_ + a * dr_, tryLambda_ = lambda_ + a * dLambda_;
      if (k >= settings_.lineSearch && !stiffen) break;
      falls = evaluate(system, tryV_, tryR_, tryLambda_, false) < merit;
      if (falls || k >= settings_.lineSearch) break;
    }
    if (stiffen) {
      const bool stiffest = stiffness_ >= 1;
      stiffness_ = falls ? std::max(stiffness_ / kSoften, settings_.leastStiffness) : std::min(kStiffen * stiffness_, 1.0);
      if (!falls && !stiffest) {
        ++stalled;
        continue;
      }
    }
    v_.swap(tryV_), r_.swap(tryR_), lambda_.swap(tryLambda_);
    const double before = best_.residual();
    best_.offer(system, r_, lambda_);
    stalled = best_.residual() < 0.9 * before ? 0 : stalled + 1;
  }
}

SolveReport FbMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  const int limit = options.maxIterations > 0 ? options.maxIterations : settings_.iterations;
  SolveReport report;
  best_.reset();
  best_.offer(system, iterate.r, iterate.lambda);
  for (const bool stiffen : {false, true}) {
    if (stiffen && (best_.residual() <= options.tolerance * system.scale() || !(best_.residual() < std::numeric_limits<double>::infinity()))) break;
    const Iterate& start = stiffen ? best_.iterate() : best_.last();
    v_ = start.v, r_ = stiffen ? start.r : iterate.r, lambda_ = start.lambda;
    descend(system, options, limit, stiffen, report);
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeFbMethod(const FbSettings& settings) { return std::make_unique<FbMethod>(settings); }
std::unique_ptr<VelocityMethod> makeFbMethod() { return makeFbMethod(FbSettings{}); }

}  // namespace stiction
