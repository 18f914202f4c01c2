// Coulomb interior point in velocity space: the strict law's complementarity, normal and maximum-dissipation parts as separate smooth pairs (InteriorContact), no outer loop.
//
//   pairs at κ ,   z = Hᵀv + w + R r ,   M (v − v_free) − H r − G λ = 0 ,   Gᵀv + b + Cλ = 0
//
// Newton on all of it: per contact (r, ψ) are eliminated, dr = c − B dz with B a 3 × 3 block, and one block LU of M + H B Hᵀ + G ρ Gᵀ serves predictor and corrector
// (Mehrotra 1992). Infeasible start; step lengths to the boundary of each cone; heavy centring after short steps. Cold start; cost one factorisation a step.
// Where points come near an answer, Newton on the strict law is tried from them: the last digits are lost to round-off in the pairs' equations.
#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "solvers/InteriorContact.hpp"
#include "solvers/NewtonShot.hpp"
#include "solvers/SymmetricCone.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr double kClose = 1e-4;  // [-] residual from which on Newton on the strict law ends it

double lineStep(double a, double da) { return da < 0 ? -a / da : std::numeric_limits<double>::infinity(); }

class IpmMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  struct Contact : InteriorContact {
    Vector3 residual;  // [m/s] Hᵀv + w + R r − z
    Vector4 pairs;     // the products, to be driven to (κ, κ, 0, 0)
    Matrix3 byZ;       // [kg] −∂r/∂z
    Matrix3 solveR;    // (I + B R)⁻¹ for compliance
    Vector4 d;         // step of (r, ψ)
    Vector3 dz;
  };

  void start(VelocitySystem& system);
  double residuals(const VelocitySystem& system);  // returns the mean gap κ
  bool eliminate(VelocitySystem& system);
  void direction(VelocitySystem& system, double kappa, double corrector);
  double stepLength(const ContactProblem& problem) const;
  double gapAfter(const ContactProblem& problem, double a) const;
  /// Whether every pair's smallest eigenvalue stays above `fraction` of the mean gap after a step of a: away from the boundary, where Newton's directions fail.
  bool central(const ContactProblem& problem, double a, double fraction) const;
  void advance(const ContactProblem& problem, double a);

  std::vector<Contact> contacts_;
  std::vector<Matrix3> B_, D_;  // d r = c − B dz, and what of B is factored
  BestIterate best_;
  NewtonShot shot_{kClose};
  VectorX v_, dv_, lambda_, dLambda_, r_, u_, momentum_, rows_, rho_, x_, c_, rowC_;
  int pairs_{0};
};

void IpmMethod::start(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts();
  contacts_.resize(static_cast<std::size_t>(n));
  v_ = system.freeVelocity();
  lambda_.setZero(problem.rows());
  r_.setZero(3 * n);
  system.contactVelocity(v_, r_, u_);
  double speed = 0;
  for (int i = 0; i < n; ++i) speed += u_.segment<3>(3 * i).norm() / n;
  speed += 1e-12 + 1e-3 * system.scale();
  const double impulse = system.stoppingImpulse(speed);
  pairs_ = 0;
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    c.r = {impulse, 0, 0};
    c.z = u_.segment<3>(3 * i);
    c.z[0] = std::max(c.z[0], speed);
    c.psi = 1.1 * c.z.tail<2>().norm() + speed;
    if (!(problem.mu[i] > 0)) c.z.tail<2>().setZero();
    pairs_ += problem.mu[i] > 0 ? 2 : 1;
  }
}

double IpmMethod::residuals(const VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) = contacts_[static_cast<std::size_t>(i)].r;
  system.contactVelocity(v_, r_, u_);
  double gap = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    const double mu = problem.mu[i];
    c.residual = Vector3{u_.segment<3>(3 * i)} - c.z;
    if (!(mu > 0)) c.residual.tail<2>().setZero();
    c.pairs = c.products(mu);
    gap += c.pairs[0] + (mu > 0 ? c.pairs[1] : 0.0);
  }
  x_ = system.freeVelocity() - v_;
  system.multiplyMass(x_, momentum_);
  multiplyAdd(problem.H, r_, momentum_);
  multiplyAdd(problem.G, lambda_, momentum_);
  system.rowVelocity(v_, lambda_, rows_);
  return gap / pairs_;
}

bool IpmMethod::eliminate(VelocitySystem& system) {
  const ContactProblem& problem = system.problem();
  constexpr double negligible = 1e-2;  // of the contact's own inertia 1/ω: an open contact hardly turns the direction, and leaves the factor's pattern
  B_.resize(contacts_.size());
  D_.resize(contacts_.size());
  for (int i = 0; i < problem.contacts(); ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    c.byZ = c.stiffness(problem.mu[i]);
    Matrix3 B = c.byZ;
    c.solveR.setIdentity();
    if (problem.R.size() != 0) {
      c.solveR = Matrix3{Matrix3::Identity() + B * problem.R.segment<3>(3 * i).asDiagonal()}.inverse();
      B = c.solveR * B;
    }
    if (!B.allFinite()) return false;
    B_[static_cast<std::size_t>(i)] = B;
    D_[static_cast<std::size_t>(i)] = B.norm() * system.omega(i) < negligible ? Matrix3{Matrix3::Zero()} : B;
  }
  rho_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) rho_[k] = 1.0 / (1e-7 * system.rowOmega(k) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
  const bool symmetric = system.symmetric() && problem.R.size() == 0 && problem.mu.isZero(0);
  return symmetric ? system.factorSymmetric(D_, rho_) : system.factorGeneral(D_, rho_);
}

// Newton direction towards pairs = (κ, κ, 0, 0), with `corrector` times the last direction's second-order terms.
void IpmMethod::direction(VelocitySystem& system, double kappa, double corrector) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts();
  c_.resize(3 * n);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    const double mu = problem.mu[i];
    Vector4 F = c.pairs;
    if (corrector > 0) F += corrector * InteriorContact::curvature(mu, c.d, c.dz);
    F[0] -= kappa;
    if (mu > 0) F[1] -= kappa;
    c.d = -c.eliminate(mu, F);  // at dz = 0
    c_.segment<3>(3 * i) = c.solveR * (c.d.head<3>() - c.byZ * c.residual);
  }
  rowC_ = -rho_.cwiseProduct(rows_);
  dv_ = momentum_;
  multiplyAdd(problem.H, c_, dv_);
  multiplyAdd(problem.G, rowC_, dv_);
  system.solve(dv_);
  system.contactRates(dv_, u_);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    const Vector3 dr = c_.segment<3>(3 * i) - B_[static_cast<std::size_t>(i)] * u_.segment<3>(3 * i);
    c.dz = Vector3{u_.segment<3>(3 * i)} + c.residual;
    if (problem.R.size() != 0) c.dz += problem.R.segment<3>(3 * i).cwiseProduct(dr);
    if (!(problem.mu[i] > 0)) c.dz.tail<2>().setZero();
    c.d -= c.eliminate(problem.mu[i], c.differential(problem.mu[i], Vector4::Zero(), c.dz));
  }
  multiplyTransposed(problem.G, dv_, dLambda_);
  dLambda_ = rowC_ - rho_.cwiseProduct(dLambda_);
}

double IpmMethod::stepLength(const ContactProblem& problem) const {
  double t = std::numeric_limits<double>::infinity();
  for (int i = 0; i < problem.contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    const double mu = problem.mu[i];
    t = std::min({t, lineStep(c.r[0], c.d[0]), lineStep(c.z[0], c.dz[0])});
    if (mu > 0)
      t = std::min(
          {t, stepInLorentz({mu * c.r[0], c.r[1], c.r[2]}, {mu * c.d[0], c.d[1], c.d[2]}), stepInLorentz({c.psi, c.z[1], c.z[2]}, {c.d[3], c.dz[1], c.dz[2]})});
  }
  return t;
}

double IpmMethod::gapAfter(const ContactProblem& problem, double a) const {
  double gap = 0;
  for (int i = 0; i < problem.contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    const Vector3 r = c.r + a * c.d.head<3>(), z = c.z + a * c.dz;
    gap += r[0] * z[0];
    if (problem.mu[i] > 0) gap += problem.mu[i] * r[0] * (c.psi + a * c.d[3]) + r.tail<2>().dot(z.tail<2>());
  }
  return gap / pairs_;
}

bool IpmMethod::central(const ContactProblem& problem, double a, double fraction) const {
  const double least = fraction * gapAfter(problem, a);
  for (int i = 0; i < problem.contacts(); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    const InteriorContact moved{c.r + a * c.d.head<3>(), c.z + a * c.dz, c.psi + a * c.d[3]};
    if (!moved.isCentral(problem.mu[i], least, std::numeric_limits<double>::infinity())) return false;
  }
  return true;
}

void IpmMethod::advance(const ContactProblem& problem, double a) {
  v_ += a * dv_;
  lambda_ += a * dLambda_;
  for (int i = 0; i < problem.contacts(); ++i) {
    Contact& c = contacts_[static_cast<std::size_t>(i)];
    c.r += a * c.d.head<3>();
    c.psi += a * c.d[3];
    c.z += a * c.dz;
  }
}

SolveReport IpmMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double toBoundary = 0.99;
  constexpr double centrality = 1e-3, ahead = 1.0, quick = 1e-2, longStep = 0.25;
  constexpr int patience = 15;
  constexpr double shortStep = 0.1;
  constexpr int shortSteps = 4;  // in a row: glued to the boundary
  const int limit = options.maxIterations > 0 ? options.maxIterations : 100;
  const ContactProblem& problem = system.problem();
  const bool hasFriction = !problem.mu.isZero(0);
  SolveReport report;
  best_.reset();
  shot_.reset();
  start(system);
  double last = 1, before = std::numeric_limits<double>::infinity(), gapBefore = before;
  double feasibility = 1, firstGap = 0;
  int since = 0, glued = 0;
  while (problem.contacts() > 0 && report.iterations < limit && glued < shortSteps) {
    const double gap = residuals(system);
    if (report.iterations == 0) firstGap = gap;
    const double residual = best_.offer(system, r_, lambda_);
    if (hasFriction) shot_.hits(system, best_, residual, options, report);  // else the steps that are left are as few
    if (best_.residual() <= options.polish * system.scale()) break;
    const bool passes = best_.residual() <= options.tolerance * system.scale();  // from there on only the residual counts: the gap goes on falling without end
    since = best_.residual() < 0.7 * before || (gap < 0.7 * gapBefore && !passes) ? 0 : since + 1;
    if (since == 0) before = std::min(before, best_.residual()), gapBefore = std::min(gapBefore, gap);
    const bool late = 2 * report.iterations >= 3 * options.patience;
    if (options.patience > 0 && report.iterations >= options.patience && gap > quick * firstGap && (late || last < longStep)) break;
    if (since >= (passes ? 2 : patience)) break;
    ++report.factorisations;
    if (!eliminate(system)) break;
    direction(system, 0, 0);
    const double affine = std::min(1.0, stepLength(problem));
    const double ratio = std::min(1.0, std::max(1e-3, std::abs(gapAfter(problem, affine)) / gap));
    double sigma = ratio * ratio;
    if (last < 0.3) sigma = std::max(sigma, 0.8);
    if (affine < 0.1) sigma = std::max(sigma, 0.5);
    // The gap may not run ahead of the linear residuals, which fall by (1 − step) only.
    const double kappa = std::max(sigma * gap, feasibility * firstGap * ahead);
    direction(system, kappa, last > 0.3 ? affine * affine : 0.0);
    const double previous = std::exchange(last, std::min(1.0, toBoundary * stepLength(problem)));
    if (!dv_.allFinite() || !(last > 0)) break;
    for (int k = 0; k < 12 && !central(problem, last, centrality); ++k) last *= 0.7;
    advance(problem, last);
    glued = last >= shortStep ? 0 : last > previous ? glued : glued + 1;  // steps that grow are on their way: high walls start from far off
    feasibility *= 1 - last;
    ++report.iterations;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeIpmMethod() { return std::make_unique<IpmMethod>(); }

}  // namespace stiction
