// Proximal point with a damped Newton on the Alart–Curnier map, in velocity space (the proximal scheme of Acary, Brémond & Huber 2018 in velocities).
//
//   outer   r_c fixed:  solve  F(v) = M (v − v_free) − H P_AC( r_c − ρ (Hᵀv + w) ) − G ( λ_c − ρ_g (Gᵀv + b) ) = 0 ,   ρ_i = γ/ω_i diag(1, τ, τ)
//   then    r⁺ = P_AC(…), λ_c ← …, and γ grows
//           r_c ← P( r⁺ + β (r⁺ − r⁺_before) ), β = (k − 1)/(k + 2): Nesterov's momentum (Güler 1992), started afresh when the residual grows or an inner solve fails
//   inner   dv = −(M + H D Hᵀ + G ρ_g Gᵀ)⁻¹ F ,  D = ρ P'_AC (not symmetric when slipping: block LU), backtracking on ‖F‖ in the metric of diag(M)⁻¹
//
// The strict law itself is inside F: no lagged shift, so violent sliding costs nothing extra. For small γ the map is nearly linear and Newton always succeeds; the outer
// iteration is then slow, so γ is raised while the inner solves go well and lowered when one fails.
#include <cmath>

#include "solvers/FrictionCone.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr double kTangential =
    0.1;  // [-] step of the friction impulses against that of the normal ones: equal steps run round in circles where few contacts are undecided

class ProxAcMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  /// F_ at v_ (and D_ when asked); returns its norm as a velocity.
  double evaluate(VelocitySystem& system, const VectorX& v, double gamma, bool derivatives);
  /// Damped Newton to a third of the first norm, or to `accuracy`; false when it stops making headway.
  bool inner(VelocitySystem& system, double gamma, double accuracy, SolveReport& report);
  void accelerate(const ContactProblem& problem, double momentum);

  BestIterate best_;
  VectorX v_, start_, trial_, r_, before_, lambda_, u_, g_, p_, q_, rho_, F_, step_, inverseMass_;
  std::vector<Matrix3> D_;
  bool general_{false};
};

double ProxAcMethod::evaluate(VelocitySystem& system, const VectorX& v, double gamma, bool derivatives) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts();
  system.contactRates(v, u_);
  u_ += problem.w;
  p_.resize(3 * n);
  D_.resize(static_cast<std::size_t>(n));
  if (derivatives) general_ = !system.symmetric();
  for (int i = 0; i < n; ++i) {
    const double R = problem.R.size() != 0 ? problem.R.segment<3>(3 * i).maxCoeff() : 0.0;
    const double normal = 1.0 / (system.omega(i) / gamma + R), tangential = 1.0 / (system.omega(i) / (kTangential * gamma) + R);
    const Vector3 rho{normal, tangential, tangential};
    Vector3 x = r_.segment<3>(3 * i) - rho.cwiseProduct(u_.segment<3>(3 * i));
    if (R > 0) x -= rho.cwiseProduct(problem.R.segment<3>(3 * i)).cwiseProduct(r_.segment<3>(3 * i));
    const ConePoint point = alartCurnier(x, problem.mu[i]);
    p_.segment<3>(3 * i) = point.value;
    if (!derivatives) continue;
    D_[static_cast<std::size_t>(i)] = point.derivative * rho.asDiagonal();
    general_ = general_ || (point.state == ContactState::Slip && problem.mu[i] > 0);
  }
  multiplyTransposed(problem.G, v, g_);
  g_ += problem.b;
  rho_.resize(problem.rows());
  q_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) {
    const double C = problem.C.size() != 0 ? problem.C[k] : 0.0;
    rho_[k] = 1.0 / (system.rowOmega(k) / (100 * gamma) + C);
    q_[k] = rho_[k] * ((1.0 / rho_[k] - C) * lambda_[k] - g_[k]);
  }
  step_ = v - system.freeVelocity();
  system.multiplyMass(step_, F_);
  step_.setZero();
  multiplyAdd(problem.H, p_, step_);
  multiplyAdd(problem.G, q_, step_);
  F_ -= step_;
  return F_.cwiseAbs2().cwiseProduct(inverseMass_).sum();
}

bool ProxAcMethod::inner(VelocitySystem& system, double gamma, double accuracy, SolveReport& report) {
  constexpr int limit = 10;
  constexpr double shortest = 0.02;
  double merit = evaluate(system, v_, gamma, true);
  const double goal = std::max(0.1 * merit, accuracy * accuracy);
  for (int k = 0; k < limit && merit > goal; ++k) {
    ++report.factorisations;
    if (!(general_ ? system.factorGeneral(D_, rho_) : system.factorSymmetric(D_, rho_))) return false;
    VectorX& dv = step_;
    dv = -F_;
    system.solve(dv);
    if (!dv.allFinite()) return false;
    ++report.iterations;
    const VectorX direction = dv;
    double a = 1, now = 0;
    for (;; a *= 0.5) {
      trial_ = v_ + a * direction;
      now = evaluate(system, trial_, gamma, false);
      if (now <= (1 - 1e-3 * a) * merit) break;
      if (a < shortest) return false;
    }
    v_ = trial_;
    merit = evaluate(system, v_, gamma, true);
  }
  return merit <= goal;
}

/// The next centre, from the answer p_, q_ and the one before.
void ProxAcMethod::accelerate(const ContactProblem& problem, double momentum) {
  r_ = p_ + momentum * (p_ - before_);
  for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) = alartCurnier(r_.segment<3>(3 * i), problem.mu[i]).value;
  before_ = p_, lambda_ = q_;
}

SolveReport ProxAcMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double smallest = 1e-4, largest = 1e10;
  constexpr double growth = 1.5;  // of the residual: the momentum leads astray
  const int limit = options.maxIterations > 0 ? options.maxIterations : 600;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  r_ = iterate.r, lambda_ = iterate.lambda;
  double residual = best_.offer(system, r_, lambda_);
  v_ = best_.last().v;
  inverseMass_.resize(problem.dof());
  for (int k = 0; k < problem.M.blocks(); ++k)
    for (int i = 0; i < problem.M.size(k); ++i)
      inverseMass_[problem.M.start[static_cast<std::size_t>(k)] + i] =
          1.0 / problem.M.values[static_cast<std::size_t>(problem.M.offset[static_cast<std::size_t>(k)] + i * (problem.M.size(k) + 1))];
  const double massScale = std::sqrt(1.0 / std::max(inverseMass_.maxCoeff(), 1e-300));
  double gamma = options.warm ? 10 : 1;
  before_ = r_;
  for (int k = 0; report.iterations < limit && best_.residual() > options.polish * system.scale();) {
    start_ = v_;
    if (!inner(system, gamma, 1e-2 * massScale * std::max(std::min(residual, system.scale()) * 0.1, options.polish * system.scale()), report)) {
      if (best_.residual() <= 0.5 * options.tolerance * system.scale()) break;
      v_ = start_, r_ = before_;
      k = 0;
      gamma *= 0.2;
      if (gamma < smallest) break;
      continue;
    }
    evaluate(system, v_, gamma, false);
    const double now = best_.offer(system, p_, q_);
    k = now > growth * residual ? 1 : k + 1;
    accelerate(problem, (k - 1.0) / (k + 2.0));
    gamma = std::min(2 * gamma, largest);
    residual = now;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeProxAcMethod() { return std::make_unique<ProxAcMethod>(); }

}  // namespace stiction
