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

#include "solvers/NewtonShot.hpp"
#include "solvers/ProximalMap.hpp"

namespace stiction {
namespace {

class ProxAcMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  static constexpr double kNear = 1e-6;  // [-] residual from which Newton without the proximal term is tried: farther from an answer it gets nowhere

  ProximalMap map_;
  NewtonShot shot_{kNear};
  BestIterate best_;
  VectorX v_, start_, next_, before_;
};

SolveReport ProxAcMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double smallest = 1e-4, largest = 1e10;
  constexpr double growth = 1.5;  // of the residual: the momentum leads astray
  constexpr double near = 1e-5;   // [-] residual at the step of `patience` from which the rest is worth its price
  const int limit = options.maxIterations > 0 ? options.maxIterations : 600;
  int patience = options.patience > 0 ? options.patience : limit;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  shot_.reset();
  map_.moveTo(problem, iterate.r, iterate.lambda);
  double residual = best_.offer(system, map_.centre, map_.lambda);
  v_ = best_.last().v;
  before_ = map_.centre;
  const double unit = system.impulseUnit() / system.scale();
  double gamma = options.warm ? 10 : 1;
  // rounds count too: where no motion satisfies the contacts the residual stays, and with it what a round must reach, so that rounds without a Newton step follow
  for (int k = 0, rounds = 0; report.iterations < limit && rounds < limit && best_.residual() > options.polish * system.scale(); ++rounds) {
    start_ = v_;
    if (!map_.reduce(system, v_, gamma, 1e-2 * unit * std::max(std::min(residual, system.scale()) * 0.1, options.polish * system.scale()), report)) {
      if (best_.residual() <= 0.5 * options.tolerance * system.scale()) break;
      v_ = start_;
      map_.moveTo(problem, before_, map_.lambda);
      k = 0;
      gamma *= 0.2;
      if (gamma < smallest) break;
      continue;
    }
    const double now = best_.offer(system, map_.p, map_.q);
    if (shot_.hits(system, best_, now, options, report)) {  // on from there, to the polish
      map_.moveTo(problem, best_.iterate().r, best_.iterate().lambda);
      v_ = best_.iterate().v;
      before_ = map_.centre;
      residual = best_.residual();
      k = 0;
      continue;
    }
    k = now > growth * residual ? 1 : k + 1;
    next_ = map_.p + (k - 1.0) / (k + 2.0) * (map_.p - before_);
    before_ = map_.p;
    map_.moveTo(problem, next_, map_.q);
    gamma = std::min(2 * gamma, largest);
    residual = now;
    if (report.iterations >= patience) {
      if (best_.residual() > near * system.scale()) break;
      patience = limit;
    }
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeProxAcMethod() { return std::make_unique<ProxAcMethod>(); }

}  // namespace stiction
