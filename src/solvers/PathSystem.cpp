#include "solvers/PathSystem.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kNegligible = 1e-2;  // [-] of a contact's own inertia 1/ω: less stiffness leaves the factor's pattern
constexpr double kRowTie = 1e-7;      // [-] compliance of an equality row in the factor; refined away
constexpr int kRefinements = 1;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void PathSystem::findResiduals(const PathPoint& point) {
  const ContactProblem& problem = system_->problem();
  r_.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) = point.contacts[at(i)].r;
  system_->contactVelocity(point.v, r_, u_);
  residual_.resize(point.contacts.size());
  for (int i = 0; i < problem.contacts(); ++i) {
    const PathContact& c = point.contacts[at(i)];
    Vector3& residual = residual_[at(i)];
    residual = Vector3{u_.segment<3>(3 * i)} - c.z;
    if (c.tied) {
      Vector3 tie = c.compliance;
      if (problem.R.size() != 0) tie -= problem.R.segment<3>(3 * i);
      residual += tie.cwiseProduct(c.r - c.centre);
    }
    if (!(c.mu > 0)) residual.tail<2>().setZero();
  }
  x_ = system_->freeVelocity() - point.v;
  system_->multiplyMass(x_, momentum_);
  multiplyAdd(problem.H, r_, momentum_);
  multiplyAdd(problem.G, point.lambda, momentum_);
  system_->rowVelocity(point.v, point.lambda, rows_);
}

double PathSystem::worst() const {
  double worst = std::max(momentum_.size() > 0 ? momentum_.lpNorm<Eigen::Infinity>() / system_->impulseUnit() : 0.0,
                          rows_.size() > 0 ? rows_.lpNorm<Eigen::Infinity>() / system_->scale() : 0.0);
  for (const Vector3& residual : residual_) worst = std::max(worst, residual.norm() / system_->scale());
  return worst;
}

bool PathSystem::factor(const PathPoint& point, SolveReport& report) {
  const ContactProblem& problem = system_->problem();
  const int n = problem.contacts();
  stiffness_.resize(at(n)), D_.resize(at(n));
  for (int i = 0; i < n; ++i) {
    const PathContact& c = point.contacts[at(i)];
    auto& [B, solve] = stiffness_[at(i)];
    B = c.stiffness(c.mu);
    solve.setIdentity();
    if (!c.compliance.isZero(0)) {
      solve = Matrix3{Matrix3::Identity() + B * c.compliance.asDiagonal()}.inverse();
      B = solve * B;
    }
    if (!B.allFinite()) return false;
    D_[at(i)] = B.norm() * system_->omega(i) < kNegligible ? Matrix3{Matrix3::Zero()} : B;
  }
  rho_.resize(problem.rows());
  for (int k = 0; k < problem.rows(); ++k) rho_[k] = 1.0 / (kRowTie * system_->rowOmega(k) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
  ++report.factorisations;
  ++report.iterations;
  return system_->factorGeneral(D_, rho_);
}

void PathSystem::solve(const PathPoint& point, const std::vector<Vector4>& goal, bool linear, PathDirection& x) {
  const ContactProblem& problem = system_->problem();
  const int n = problem.contacts();
  x.v.setZero(problem.dof());
  x.lambda.setZero(problem.rows());
  x.d.assign(at(n), Vector4::Zero()), x.z.assign(at(n), Vector3::Zero());
  x.s = 0;
  c_.resize(3 * n);
  rest_ = goal;
  if (linear)
    b_ = momentum_, rowRest_ = rows_;
  else
    b_.setZero(problem.dof()), rowRest_.setZero(problem.rows());
  for (int k = 0;; ++k) {
    const bool first = linear && k == 0;
    for (int i = 0; i < n; ++i) {
      const PathContact& c = point.contacts[at(i)];
      Vector3 e = stiffness_[at(i)].solve * -c.eliminate(c.mu, rest_[at(i)]).head<3>();
      if (first) e -= stiffness_[at(i)].B * residual_[at(i)];
      c_.segment<3>(3 * i) = e;
    }
    rowC_ = -rho_.cwiseProduct(rowRest_);
    multiplyAdd(problem.H, c_, b_);
    multiplyAdd(problem.G, rowC_, b_);
    system_->solve(b_);
    x.v += b_;
    system_->contactRates(b_, u_);
    for (int i = 0; i < n; ++i) {
      const PathContact& c = point.contacts[at(i)];
      const Vector3 dr = c_.segment<3>(3 * i) - stiffness_[at(i)].B * u_.segment<3>(3 * i);
      Vector3 dz = Vector3{u_.segment<3>(3 * i)} + c.compliance.cwiseProduct(dr);
      if (first) dz += residual_[at(i)];
      if (!(c.mu > 0)) dz.tail<2>().setZero();
      x.z[at(i)] += dz;
      x.d[at(i)].head<3>() += dr;
      x.d[at(i)][3] += c.dualChange(c.mu, -rest_[at(i)][1], dr, dz);
    }
    multiplyTransposed(problem.G, b_, g_);
    x.lambda += rowC_ - rho_.cwiseProduct(g_);
    if (k == kRefinements || !linear) return;
    for (int i = 0; i < n; ++i) {
      const PathContact& c = point.contacts[at(i)];
      rest_[at(i)] = goal[at(i)] + c.differential(c.mu, x.d[at(i)], x.z[at(i)]);
      c_.segment<3>(3 * i) = x.d[at(i)].head<3>();
    }
    system_->multiplyMass(x.v, m_);
    b_ = momentum_ - m_;
    multiplyAdd(problem.H, c_, b_);
    multiplyAdd(problem.G, x.lambda, b_);
    multiplyTransposed(problem.G, x.v, rowRest_);
    if (problem.C.size() != 0) rowRest_ += problem.C.cwiseProduct(x.lambda);
    rowRest_ += rows_;
  }
}

}  // namespace stiction
