// Proximal multipliers with a semismooth Newton inner solve, in velocity space (Method of multipliers; Rockafellar 1976).
//
//   inner   v = argmin ½‖v − v_free‖²_M + Σ (1/2ρ_i) ‖P_K( r_i − ρ_i (H_iᵀv + w_i + s_i) )‖² + Σ (ρ_k/2)(G_kᵀv + b_k − λ_k/ρ_k)²
//           convex; Newton matrix M + H (ρ DP_K) Hᵀ + G ρ Gᵀ, exact line search on the kinked derivative
//   outer   r ← P_K(…), λ ← λ − ρ(Gᵀv + b + Cλ), s ← μ‖u_T‖ e_n (De Saxcé shift, lagged one outer step), γ × 10 when the residual falls by less than 4
//
// At a fixed point the shift is exact: the strict law. Without the shift: the convex relaxation, by a method that cannot fail. Law of boxes: the projection is
// on boxes whose bounds μ r_n/√2 are those of the last outer step, iterated to a fixed point. Any redundancy of contacts is harmless. Slow where much slides at large μ (the lagged shift contracts slowly).
// Compliance R enters isotropically (largest of the three) inside the projection, the rest lagged in r.
#include "solvers/FrictionCone.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr double kBoundStep = 0.5;  // [-] of the way to the bounds of the present normal impulses: whole steps cycle at large friction

class ProxMethod : public VelocityMethod {
 public:
  explicit ProxMethod(Law law) : law_{law}, best_{law} {}
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  void setRadii(const VelocitySystem& system, double gamma);
  void setShift(const VelocitySystem& system);
  /// p_ = P_K(r − ρ(u + s)) with u = u_ + a·du_; rows likewise. Fills D_ when asked.
  void project(const VelocitySystem& system, double a, bool derivatives);
  double slope(double a, const VelocitySystem& system);
  double lineSearch(const VelocitySystem& system);
  bool inner(VelocitySystem& system, double accuracy, int limit, SolveReport& report);

  Law law_;
  BestIterate best_;
  VectorX v_, r_, lambda_, u_, du_, g_, dg_, shift_, rho_, rhoRow_, p_, q_, x_, Mv_, Mx_;
  double slope0_{0}, curvature_{0};
  std::vector<Matrix3> D_;
  std::vector<AxisInterval> bounds_;  // [N s] of the law of boxes, on their way to those of r_
};

void ProxMethod::setRadii(const VelocitySystem& system, double gamma) {
  const ContactProblem& problem = system.problem();
  rho_.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    const double R = problem.R.size() != 0 ? problem.R.segment<3>(3 * i).maxCoeff() : 0.0;
    rho_[i] = 1.0 / (system.omega(i) / gamma + R);
  }
  rhoRow_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) rhoRow_[k] = 1.0 / (system.rowOmega(k) / (100 * gamma) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
}

// The constant part of what is projected: x = shift_ − ρ u. With R̄ the isotropic compliance inside ρ:  x = ρ ( (1/ρ − R̄) r − u − s − (R − R̄) r ).
void ProxMethod::setShift(const VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  shift_.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    const Vector3 u =
        u_.segment<3>(3 * i) + (problem.R.size() != 0 ? Vector3{problem.R.segment<3>(3 * i).cwiseProduct(r_.segment<3>(3 * i))} : Vector3::Zero());
    Vector3 x = r_.segment<3>(3 * i) / rho_[i];
    if (problem.R.size() != 0) x -= problem.R.segment<3>(3 * i).cwiseProduct(r_.segment<3>(3 * i));
    if (law_ == Law::Box) {
      const AxisInterval now = axisInterval(problem, i, r_[3 * i]);
      AxisInterval& bounds = bounds_[static_cast<std::size_t>(i)];
      bounds.low += kBoundStep * (now.low - bounds.low);
      bounds.high += kBoundStep * (now.high - bounds.high);
    }
    if (law_ == Law::Coulomb) x[0] -= problem.mu[i] * tangentialNorm(u);
    shift_.segment<3>(3 * i) = rho_[i] * x;
  }
}

void ProxMethod::project(const VelocitySystem& system, double a, bool derivatives) {
  const ContactProblem& problem = system.problem();
  p_.resize(3 * problem.contacts());
  D_.resize(static_cast<std::size_t>(problem.contacts()));
  for (int i = 0; i < problem.contacts(); ++i) {
    Vector3 x = shift_.segment<3>(3 * i) - rho_[i] * u_.segment<3>(3 * i);
    if (a != 0) x -= a * rho_[i] * du_.segment<3>(3 * i);
    if (!derivatives && law_ != Law::Box) {
      p_.segment<3>(3 * i) = projectCone(x, problem.mu[i]);
      continue;
    }
    const ConePoint point = law_ == Law::Box ? projectBoxWithDerivative(x, bounds_[static_cast<std::size_t>(i)]) : projectConeWithDerivative(x, problem.mu[i]);
    p_.segment<3>(3 * i) = point.value;
    if (derivatives) D_[static_cast<std::size_t>(i)] = rho_[i] * point.derivative;
  }
  q_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) {
    const double C = problem.C.size() != 0 ? problem.C[k] : 0.0;
    q_[k] = rhoRow_[k] * ((1.0 / rhoRow_[k] - C) * lambda_[k] - g_[k] - (a != 0 ? a * dg_[k] : 0.0));
  }
}

// Derivative of the inner objective along the step, exact: monotone in a.
double ProxMethod::slope(double a, const VelocitySystem& system) {
  project(system, a, false);
  return slope0_ + a * curvature_ - p_.dot(du_) - q_.dot(dg_);
}

double ProxMethod::lineSearch(const VelocitySystem& system) {
  double low = 0, high = 1, fLow = slope(0, system), fHigh = slope(1, system);
  const double start = std::abs(fLow);
  if (fHigh <= 0.1 * start) return 1;
  for (int k = 0; k < 30; ++k) {
    double a = low - fLow * (high - low) / (fHigh - fLow);
    a = std::min(std::max(a, low + 0.1 * (high - low)), high - 0.1 * (high - low));
    const double f = slope(a, system);
    if (std::abs(f) < 0.1 * start) return a;
    (f < 0 ? low : high) = a;
    (f < 0 ? fLow : fHigh) = f;
  }
  return high;
}

bool ProxMethod::inner(VelocitySystem& system, double accuracy, int limit, SolveReport& report) {
  const ContactProblem& problem = system.problem();
  for (int k = 0; k < limit; ++k) {
    multiplyTransposed(problem.H, v_, u_);
    u_ += problem.w;
    multiplyTransposed(problem.G, v_, g_);
    g_ += problem.b;
    project(system, 0, true);
    x_ = v_ - system.freeVelocity();
    system.multiplyMass(x_, Mv_);
    x_.setZero();
    multiplyAdd(problem.H, p_, x_);
    multiplyAdd(problem.G, q_, x_);
    x_ -= Mv_;  // minus the gradient
    Mx_ = x_;
    system.applyInverseMass(Mx_);  // the gradient as a velocity
    multiplyTransposed(problem.H, Mx_, du_);
    multiplyTransposed(problem.G, Mx_, dg_);
    const double gradient = std::max(du_.size() > 0 ? du_.lpNorm<Eigen::Infinity>() : 0.0, dg_.size() > 0 ? dg_.lpNorm<Eigen::Infinity>() : 0.0);
    if (gradient <= accuracy) return true;
    ++report.factorisations;
    if (!system.factorSymmetric(D_, rhoRow_)) return false;
    system.solve(x_);
    if (!x_.allFinite()) return false;
    ++report.iterations;
    multiplyTransposed(problem.H, x_, du_);
    multiplyTransposed(problem.G, x_, dg_);
    system.multiplyMass(x_, Mx_);
    slope0_ = x_.dot(Mv_);
    curvature_ = x_.dot(Mx_);
    v_ += lineSearch(system) * x_;
  }
  return true;
}

SolveReport ProxMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double largestGamma = 1e6;
  constexpr int outerLimit = 200, innerLimit = 50;
  const int limit = options.maxIterations > 0 ? options.maxIterations : 400;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  r_ = iterate.r, lambda_ = iterate.lambda;
  bounds_.resize(static_cast<std::size_t>(problem.contacts()));
  if (law_ == Law::Box)
    for (int i = 0; i < problem.contacts(); ++i) bounds_[static_cast<std::size_t>(i)] = axisInterval(problem, i, r_[3 * i]);
  double residual = best_.offer(system, r_, lambda_);
  v_ = best_.last().v;
  double gamma = options.warm ? 100 : 10;
  int stalled = 0;
  for (int outer = 0; outer < outerLimit && report.iterations < limit && best_.residual() > options.polish * system.scale(); ++outer) {
    multiplyTransposed(problem.H, v_, u_);
    u_ += problem.w;
    setRadii(system, gamma);
    setShift(system);
    const double accuracy = std::max(0.01 * std::min(residual, 0.1 * system.scale()), 0.1 * options.polish * system.scale());
    if (!inner(system, accuracy, std::min(innerLimit, limit - report.iterations), report)) break;
    multiplyTransposed(problem.H, v_, u_);
    u_ += problem.w;
    multiplyTransposed(problem.G, v_, g_);
    g_ += problem.b;
    project(system, 0, false);
    r_ = p_, lambda_ = q_;
    const double now = best_.offer(system, r_, lambda_);
    stalled = now < 0.9 * residual ? 0 : stalled + 1;
    if (now > 0.25 * residual && gamma < largestGamma) gamma *= 10;
    if (stalled >= (best_.residual() <= options.tolerance * system.scale() ? 2 : 12)) break;
    residual = now;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeProxMethod(Law law) { return std::make_unique<ProxMethod>(law); }

}  // namespace stiction
