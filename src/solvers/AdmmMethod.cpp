// Alternating directions (ADMM; Boyd et al. 2011, Acary, Brémond & Huber 2018 for Coulomb's law), in velocity space:
//
//   v   = argmin ½‖v − v_free‖²_M + Σ (ρ_i/2) ‖Hᵀv + w + s − z + …r/ρ‖² + Σ (ρ_k/2)(Gᵀv + b − λ/ρ_k)²        one matrix M + H ρ Hᵀ + G ρ Gᵀ, factored once for each γ
//   r   ← P_K( (r/ρ − û) / (1/ρ + R) ) ,   z ← û + (r⁺ − r)/ρ ,   û = Hᵀv + w + s + (R_i − R) r            R: isotropic part of the compliance
//   λ   ← λ − ρ_k (Gᵀv + b + C λ) ,   s ← μ‖u_T‖ e_n (De Saxcé shift, lagged one step)
//
// ρ_i = γ/ω_i. γ follows the two residuals, ‖û − z‖ against ‖z − z_last‖, at checks ever farther apart. At a fixed point the law is strict; no guarantee to get there.
#include "solvers/FrictionCone.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr int kDefaultSteps = 20000;
constexpr double kRows = 100;          // [-] ρ_k ω_k against ρ_i ω_i
constexpr double kImbalance = 3;       // [-] between the residuals, from which γ is moved
constexpr double kLargestChange = 10;  // [-] of γ at once
constexpr int kPatience = 12;          // checks without a better answer

class AdmmMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  bool factor(VelocitySystem& system, double gamma, SolveReport& report);
  void step(VelocitySystem& system);
  double compliance(const ContactProblem& problem, int i) const { return problem.R.size() != 0 ? problem.R.segment<3>(3 * i).maxCoeff() : 0.0; }

  BestIterate best_;
  VectorX v_, r_, lambda_, z_, zLast_, u_, g_, rho_, rhoRow_, target_, rows_;
  std::vector<Matrix3> D_;
  double primal_{0}, dual_{0};  // [m/s]
};

bool AdmmMethod::factor(VelocitySystem& system, double gamma, SolveReport& report) {
  const ContactProblem& problem = system.problem();
  rho_.resize(problem.contacts());
  D_.resize(static_cast<std::size_t>(problem.contacts()));
  for (int i = 0; i < problem.contacts(); ++i) {
    rho_[i] = gamma / system.omega(i);
    D_[static_cast<std::size_t>(i)] = rho_[i] * Matrix3::Identity();
  }
  rhoRow_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) rhoRow_[k] = 1.0 / (system.rowOmega(k) / (kRows * gamma) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
  ++report.factorisations;
  return system.factorSymmetric(D_, rhoRow_);
}

void AdmmMethod::step(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  // The constant parts of û: w, the shift, the uneven part of the compliance.
  target_.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vector3 r = r_.segment<3>(3 * i);
    Vector3 constant = problem.w.segment<3>(3 * i);
    Vector3 u = u_.segment<3>(3 * i);
    if (problem.R.size() != 0) {
      const Vector3 R = problem.R.segment<3>(3 * i);
      u += R.cwiseProduct(r);
      constant += (R.array() - compliance(problem, i)).matrix().cwiseProduct(r);
    }
    constant[0] += problem.mu[i] * tangentialNorm(u);
    target_.segment<3>(3 * i) = constant;
  }
  rows_ = rhoRow_.cwiseProduct(lambda_.cwiseQuotient(rhoRow_) - problem.b);
  if (problem.C.size() != 0) rows_ -= rhoRow_.cwiseProduct(problem.C.cwiseProduct(lambda_));
  u_ = r_;
  for (int i = 0; i < problem.contacts(); ++i) u_.segment<3>(3 * i) += rho_[i] * (z_.segment<3>(3 * i) - target_.segment<3>(3 * i));
  v_ = problem.f;
  multiplyAdd(problem.H, u_, v_);
  multiplyAdd(problem.G, rows_, v_);
  system.solve(v_);
  multiplyTransposed(problem.H, v_, u_);
  multiplyTransposed(problem.G, v_, g_);
  lambda_ = rows_ - rhoRow_.cwiseProduct(g_);
  zLast_.swap(z_);
  z_.resize(3 * problem.contacts());
  primal_ = dual_ = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vector3 r = r_.segment<3>(3 * i), velocity = u_.segment<3>(3 * i) + target_.segment<3>(3 * i);
    const Vector3 next = projectCone((r / rho_[i] - velocity) / (1.0 / rho_[i] + compliance(problem, i)), problem.mu[i]);
    const Vector3 z = velocity + (next - r) / rho_[i];
    primal_ = std::max(primal_, (velocity - z).norm());
    dual_ = std::max(dual_, (z - zLast_.segment<3>(3 * i)).norm());
    z_.segment<3>(3 * i) = z;
    r_.segment<3>(3 * i) = next;
  }
  u_ += problem.w;
}

SolveReport AdmmMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  const int limit = options.maxIterations > 0 ? options.maxIterations : kDefaultSteps;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  r_ = iterate.r, lambda_ = iterate.lambda;
  best_.offer(system, r_, lambda_);
  v_ = best_.last().v;
  multiplyTransposed(problem.H, v_, u_);
  u_ += problem.w;
  z_ = u_;
  const double target = 0.5 * options.tolerance * system.scale();
  double gamma = 1, bestYet = best_.residual();
  int stalled = 0, nextCheck = 8;
  if (!factor(system, gamma, report)) {
    report.status = SolveStatus::NumericalFailure;
    return report;
  }
  while (best_.residual() > target && report.iterations < limit) {
    step(system);
    ++report.iterations;
    if (!v_.allFinite()) break;
    const bool due = report.iterations >= nextCheck;
    if (!due && std::max(primal_, dual_) > target) continue;
    best_.offer(system, r_, lambda_);
    if (!due) continue;
    nextCheck += std::max(8, nextCheck / 4);
    stalled = best_.residual() < 0.9 * bestYet ? 0 : stalled + 1;
    bestYet = std::min(bestYet, best_.residual());
    if (stalled > kPatience) break;
    const double imbalance = primal_ / std::max(dual_, std::numeric_limits<double>::min());
    if (imbalance < kImbalance && imbalance > 1 / kImbalance) continue;
    gamma *= std::clamp(std::sqrt(imbalance), 1 / kLargestChange, kLargestChange);
    if (!factor(system, gamma, report)) break;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeAdmmMethod() { return std::make_unique<AdmmMethod>(); }

}  // namespace stiction
