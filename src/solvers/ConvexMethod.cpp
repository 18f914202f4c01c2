// The convex relaxation of friction:  K_μ ∋ r ⊥ u ∈ K_μ*,  the optimality conditions of  min ½‖v − v_free‖²_M  s.t.  Hᵀv + w ∈ K_μ*  (Anitescu 2006). NOT Coulomb: what slides
// lifts off with u_n = μ‖u_T‖ and its normal impulse grows. Where nothing slides, and where μ = 0, it is Coulomb's law.
//
// Primal-dual interior point with Nesterov–Todd scaling (SymmetricCone), Mehrotra's predictor and corrector (1992): per contact dr = c − B du with B symmetric positive definite,
// one Cholesky factor of M + H B Hᵀ + G ρ Gᵀ serves both. Cold start, 10 to 30 steps for any redundancy; the last digits by the method of multipliers (ProxMethod) on the same law.
#include <cmath>

#include "solvers/SymmetricCone.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr int kRefinements = 2;
constexpr int kFinishes = 3;  // of the proximal steps, each with regularisations of its own: where one stalls the next may not

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class ConvexMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;
  bool takesUnsymmetric() const override { return false; }

 private:
  struct Contact {
    bool cone{true};                // false: μ = 0, the first entries alone
    Vector3 unit{Vector3::Ones()};  // (μ, 1, 1): x = unit r, y = u / unit
    Vector3 x, y;                   // inside their cone
    Vector3 residual;               // [m/s] Hᵀv + w + R r − u
    Matrix3 W, B, comply;           // scaling; −dr/du; (I + B R)⁻¹
    Vector3 l;                      // W y
    Vector3 s;                      // right-hand side of the scaled complementarity
    Vector3 dx, dy;

    Vector3 r() const { return x.cwiseQuotient(unit); }
    Vector3 u() const { return y.cwiseProduct(unit); }
    double step() const {
      if (cone) return std::min(stepInLorentz(x, dx), stepInLorentz(y, dy));
      double t = std::numeric_limits<double>::infinity();
      if (dx[0] < 0) t = std::min(t, -x[0] / dx[0]);
      if (dy[0] < 0) t = std::min(t, -y[0] / dy[0]);
      return t;
    }
    double product(double a) const { return cone ? (x + a * dx).dot(y + a * dy) : (x[0] + a * dx[0]) * (y[0] + a * dy[0]); }
  };

  void start(VelocitySystem& system);
  double residuals(const VelocitySystem& system);  // returns the mean product
  bool factor(VelocitySystem& system);
  /// Newton direction to l ∘ l = κ e, less `second` times the product of the last direction's scaled parts.
  void direction(VelocitySystem& system, double kappa, double second);
  double longest() const;
  double meanProduct(double a) const;
  /// Whether after a step of a the smaller eigenvalue of every pair's product stays above a part of the mean: near the boundary Newton's directions fail.
  bool isCentral(double a) const;

  std::vector<Contact> contacts_;
  std::vector<Matrix3> B_;
  BestIterate best_{Law::Convex};
  VectorX v_, dv_, lambda_, dLambda_, r_, u_, momentum_, rows_, rho_, x_, c_, rowC_, rest_;
  std::unique_ptr<VelocityMethod> finish_{makeProxMethod(Law::Convex)};
};

void ConvexMethod::start(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts();
  contacts_.assign(at(n), {});
  v_ = system.freeVelocity();
  lambda_.setZero(problem.rows());
  r_.setZero(3 * n);
  system.contactVelocity(v_, r_, u_);
  double speed = 1e-3 * system.scale();
  for (int i = 0; i < n; ++i) speed += u_.segment<3>(3 * i).norm() / n;
  const double impulse = system.stoppingImpulse(speed);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[at(i)];
    c.cone = problem.mu[i] > 0;
    if (c.cone) c.unit[0] = problem.mu[i];
    c.x << c.unit[0] * impulse, 0, 0;
    c.y = Vector3{u_.segment<3>(3 * i)}.cwiseQuotient(c.unit);
    if (!c.cone) c.y.tail<2>().setZero();
    c.y[0] = std::max(c.y[0], c.y.tail<2>().norm() + speed / c.unit[0]);
  }
}

double ConvexMethod::residuals(const VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) = contacts_[at(i)].r();
  system.contactVelocity(v_, r_, u_);
  for (int i = 0; i < problem.contacts(); ++i) {
    Contact& c = contacts_[at(i)];
    c.residual = Vector3{u_.segment<3>(3 * i)} - c.u();
    if (!c.cone) c.residual.tail<2>().setZero();
    c.dx.setZero(), c.dy.setZero();
  }
  x_ = system.freeVelocity() - v_;
  system.multiplyMass(x_, momentum_);
  multiplyAdd(problem.H, r_, momentum_);
  multiplyAdd(problem.G, lambda_, momentum_);
  system.rowVelocity(v_, lambda_, rows_);
  return meanProduct(0);
}

double ConvexMethod::meanProduct(double a) const {
  double sum = 0;
  for (const Contact& c : contacts_) sum += c.product(a);
  return sum / static_cast<double>(contacts_.size());
}

bool ConvexMethod::isCentral(double a) const {
  constexpr double part = 1e-3;
  const double least = part * meanProduct(a);
  for (const Contact& c : contacts_) {
    const Vector3 x = c.x + a * c.dx, y = c.y + a * c.dy;
    if (!c.cone) {
      if (!(x[0] * y[0] >= least)) return false;
      continue;
    }
    if (!(std::sqrt(lorentzDet(x) * lorentzDet(y)) >= least)) return false;  // det of l: product of its eigenvalues
  }
  return true;
}

bool ConvexMethod::factor(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  B_.resize(contacts_.size());
  for (int i = 0; i < problem.contacts(); ++i) {
    Contact& c = contacts_[at(i)];
    if (c.cone) {
      c.W = nesterovTodd(c.x, c.y);
    } else {
      c.W.setZero();
      c.W(0, 0) = std::sqrt(c.x[0] / c.y[0]);
    }
    c.l = c.W * c.y;
    const Matrix3 scaled = c.unit.cwiseInverse().asDiagonal() * c.W;
    c.B = scaled * scaled.transpose();
    c.comply.setIdentity();
    if (problem.R.size() != 0) c.comply = Matrix3{Matrix3::Identity() + c.B * problem.R.segment<3>(3 * i).asDiagonal()}.inverse();
    const Matrix3 B = c.comply * c.B;
    if (!B.allFinite()) return false;
    B_[at(i)] = 0.5 * (B + B.transpose());
  }
  rho_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) rho_[k] = 1.0 / (1e-7 * system.rowOmega(k) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
  return system.factorSymmetric(B_, rho_);
}

void ConvexMethod::direction(VelocitySystem& system, double kappa, double second) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts();
  c_.resize(3 * n);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[at(i)];
    if (c.cone) {
      Vector3 goal = -jordanProduct(c.l, c.l);
      goal[0] += kappa;
      if (second > 0) goal -= second * jordanProduct(c.W.inverse() * c.dx, c.W * c.dy);
      c.s = jordanSolve(c.l, goal);
    } else {
      c.s << (kappa - c.l[0] * c.l[0] - second * c.dx[0] * c.dy[0]) / c.l[0], 0, 0;
    }
    c_.segment<3>(3 * i) = c.comply * (Vector3{c.W * c.s}.cwiseQuotient(c.unit) - c.B * c.residual);
  }
  dv_.setZero(problem.dof());
  dLambda_ = -rho_.cwiseProduct(rows_);
  for (int pass = 0; pass <= kRefinements; ++pass) {  // c_, dLambda_: of the present dv_
    system.multiplyMass(dv_, x_);
    rest_ = momentum_ - x_;
    multiplyAdd(problem.H, c_, rest_);
    multiplyAdd(problem.G, dLambda_, rest_);
    system.solve(rest_);
    dv_ += rest_;
    system.contactRates(rest_, u_);
    for (int i = 0; i < n; ++i) c_.segment<3>(3 * i) -= B_[at(i)] * u_.segment<3>(3 * i);
    multiplyTransposed(problem.G, rest_, rowC_);
    dLambda_ -= rho_.cwiseProduct(rowC_);
  }
  system.contactRates(dv_, u_);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[at(i)];
    const Vector3 dr = c_.segment<3>(3 * i);
    Vector3 du = Vector3{u_.segment<3>(3 * i)} + c.residual;
    if (problem.R.size() != 0) du += problem.R.segment<3>(3 * i).cwiseProduct(dr);
    if (!c.cone) du.tail<2>().setZero();
    c.dx = dr.cwiseProduct(c.unit);
    c.dy = du.cwiseQuotient(c.unit);
  }
}

double ConvexMethod::longest() const {
  double t = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts_) t = std::min(t, c.step());
  return t;
}

SolveReport ConvexMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double toBoundary = 0.99, least = 1e-6;
  constexpr int patience = 5;
  const int limit = options.maxIterations > 0 ? options.maxIterations : 100;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  best_.offer(system, iterate.r, iterate.lambda);
  if (problem.contacts() > 0) start(system);
  int since = 0;
  double lowest = std::numeric_limits<double>::infinity(), last = 1, feasibility = 1, nearest = 2, first = 0;
  while (problem.contacts() > 0 && report.iterations < limit && since < patience && best_.residual() > options.polish * system.scale()) {
    const double kappa = residuals(system), before = best_.residual();
    best_.offer(system, r_, lambda_);
    since = best_.residual() < 0.9 * before || kappa < 0.9 * lowest || feasibility < 0.9 * nearest ? 0 : since + 1;
    lowest = std::min(lowest, kappa);
    if (since == 0) nearest = feasibility;
    if (report.iterations == 0) first = kappa;
    ++report.factorisations;
    ++report.iterations;
    if (!(kappa > 0) || !factor(system)) break;
    direction(system, 0, 0);
    const double affine = std::min(1.0, longest());
    const double ratio = std::clamp(meanProduct(affine) / kappa, 1e-3, 1.0);
    double sigma = ratio * ratio * ratio;
    if (last < 0.3) sigma = std::max(sigma, 0.8);  // off the path: back to it first
    if (affine < 0.1) sigma = std::max(sigma, 0.5);
    // The products may not run ahead of the linear residuals, which fall by (1 − step) only.
    direction(system, std::max(sigma * kappa, feasibility * first), last > 0.3 ? affine * affine : 0.0);
    double a = std::min(1.0, toBoundary * longest());
    if (!dv_.allFinite() || !(a > least)) break;
    for (int k = 0; k < 12 && !isCentral(a); ++k) a *= 0.7;
    last = a;
    feasibility *= 1 - a;
    v_ += a * dv_;
    lambda_ += a * dLambda_;
    for (Contact& c : contacts_) c.x += a * c.dx, c.y += a * c.dy;
  }
  for (int k = 0; k < kFinishes && best_.residual() > (k == 0 ? options.polish : options.tolerance) * system.scale(); ++k) {
    SolveOptions warm = options;
    warm.warm = true;
    warm.maxIterations = 0;
    Iterate answer = best_.iterate();
    const SolveReport polish = finish_->run(system, answer, warm);
    report.factorisations += polish.factorisations;
    report.iterations += polish.iterations;
    best_.offer(system, answer.r, answer.lambda);
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeConvexMethod() { return std::make_unique<ConvexMethod>(); }

}  // namespace stiction
