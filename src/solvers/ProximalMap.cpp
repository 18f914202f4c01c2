#include "solvers/ProximalMap.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kTangential = 0.1;  // [-] τ
constexpr double kRows = 100;        // [-] step of an equality row against a contact's: rows are linear
// Where a factorisation is worth so many solves, J is near the one last factored up to so many contacts in other pieces and a ratio of the γ; then a rough direction, for at most a part of a
// factorisation's price.
constexpr double kDear = 10, kNearGamma = 8, kRough = 0.1, kWorth = 0.5;
constexpr int kNearPieces = 30;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Step {
  Vector3 rho;     // [kg]
  Vector3 growth;  // [-] d log ρ / d log γ
};

Step stepOf(const VelocitySystem& system, int i, double gamma) {
  const ContactProblem& problem = system.problem();
  const double R = problem.R.size() != 0 ? problem.R.segment<3>(3 * i).maxCoeff() : 0.0;
  const double normal = 1.0 / (system.omega(i) / gamma + R), tangential = 1.0 / (system.omega(i) / (kTangential * gamma) + R);
  return {{normal, tangential, tangential}, {1.0 - R * normal, 1.0 - R * tangential, 1.0 - R * tangential}};
}

/// ρ_g [kg] of a row.
double rowStepOf(const VelocitySystem& system, int k, double gamma) {
  const ContactProblem& problem = system.problem();
  return 1.0 / (system.rowOmega(k) / (kRows * gamma) + (problem.C.size() != 0 ? problem.C[k] : 0.0));
}

}  // namespace

void ProximalMap::moveTo(const ContactProblem& problem, const VectorX& r, const VectorX& rows) {
  centre = r, lambda = rows;
  for (int i = 0; i < problem.contacts(); ++i) centre.segment<3>(3 * i) = alartCurnier(centre.segment<3>(3 * i), problem.mu[i]).value;
}

void ProximalMap::evaluate(const VelocitySystem& system, const VectorX& v, double gamma, bool keepPieces) {
  system.contactVelocity(v, centre, at_.u);
  system.rowVelocity(v, lambda, at_.g);
  scratch_ = v - system.freeVelocity();
  system.multiplyMass(scratch_, at_.momentum);
  const int n = system.problem().contacts(), rows = system.problem().rows();
  steps_.resize(3 * n), rho.resize(rows);
  for (int i = 0; i < n; ++i) steps_.segment<3>(3 * i) = stepOf(system, i, gamma).rho;
  for (int k = 0; k < rows; ++k) rho[k] = rowStepOf(system, k, gamma);
  respond(system, keepPieces);
}

void ProximalMap::respond(const VelocitySystem& system, bool keepPieces) {
  const ContactProblem& problem = system.problem();
  const int n = problem.contacts(), rows = problem.rows();
  p.resize(3 * n), x.resize(at(n)), pieces.resize(at(n));
  for (int i = 0; i < n; ++i) {
    x[at(i)] = Vector3{centre.segment<3>(3 * i)} - Vector3{steps_.segment<3>(3 * i)}.cwiseProduct(Vector3{at_.u.segment<3>(3 * i)});
    if (!keepPieces) pieces[at(i)] = alartCurnierState(x[at(i)], problem.mu[i]);
    p.segment<3>(3 * i) = alartCurnierPiece(x[at(i)], problem.mu[i], pieces[at(i)]).value;
  }
  q.resize(rows);
  for (int k = 0; k < rows; ++k) q[k] = lambda[k] - rho[k] * at_.g[k];
  scratch_.setZero(problem.dof());
  multiplyAdd(problem.H, p, scratch_);
  multiplyAdd(problem.G, q, scratch_);
  F = at_.momentum - scratch_;
  misfit = std::sqrt(F.cwiseAbs2().cwiseQuotient(system.massDiagonal()).sum());
}

void ProximalMap::linearise(const VelocitySystem& system, double gamma) {
  const ContactProblem& problem = system.problem();
  D.resize(x.size());
  general = !system.symmetric();
  for (int i = 0; i < problem.contacts(); ++i) {
    D[at(i)] = alartCurnierPiece(x[at(i)], problem.mu[i], pieces[at(i)]).derivative * stepOf(system, i, gamma).rho.asDiagonal();
    general = general || (pieces[at(i)] == ContactState::Slip && problem.mu[i] > 0);
  }
}

void ProximalMap::findRise(const VelocitySystem& system, double gamma) {
  const ContactProblem& problem = system.problem();
  growth_.resize(3 * problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i)
    growth_.segment<3>(3 * i) = D[at(i)] * stepOf(system, i, gamma).growth.cwiseProduct(Vector3{at_.u.segment<3>(3 * i)});
  rise.setZero(problem.dof());
  multiplyAdd(problem.H, growth_, rise);
  scratch_ = at_.g;
  for (int k = 0; k < problem.rows(); ++k) scratch_[k] *= rho[k] * (1.0 - rho[k] * (problem.C.size() != 0 ? problem.C[k] : 0.0));
  multiplyAdd(problem.G, scratch_, rise);
}

Vector3 ProximalMap::change(const VelocitySystem& system, int i, double gamma, const Vector3& du, double dLogGamma) const {
  const Step step = stepOf(system, i, gamma);
  return -step.rho.cwiseProduct(du + dLogGamma * step.growth.cwiseProduct(Vector3{at_.u.segment<3>(3 * i)}));
}

bool ProximalMap::isNearFactored(const VelocitySystem& system, double gamma) const {
  if (factored_ != system.factored() || system.solvesPerFactor() < kDear) return false;
  if (std::max(gamma, factoredGamma_) > kNearGamma * std::min(gamma, factoredGamma_)) return false;
  return areNear(pieces, factoredPieces_, kNearPieces);
}

bool ProximalMap::findDirection(VelocitySystem& system, double gamma, SolveReport& report) {
  direction_ = -F;
  if (isNearFactored(system, gamma) && system.solveNear(D, rho, direction_, kRough, kWorth)) return true;
  ++report.factorisations;
  if (!(general ? system.factorGeneral(D, rho) : system.factorSymmetric(D, rho))) return false;
  factored_ = system.factored();
  factoredPieces_ = pieces;
  factoredGamma_ = gamma;
  system.solve(direction_);
  return direction_.allFinite();
}

bool ProximalMap::reduce(VelocitySystem& system, VectorX& v, double gamma, double accuracy, SolveReport& report) {
  constexpr int limit = 10;
  constexpr double shortest = 0.02;
  const auto merit = [this] { return misfit * misfit; };
  evaluate(system, v, gamma);
  const double goal = std::max(0.1 * merit(), accuracy * accuracy);
  for (int k = 0; k < limit && merit() > goal; ++k) {
    linearise(system, gamma);
    if (!findDirection(system, gamma, report)) return false;
    ++report.iterations;
    const double now = merit();
    std::swap(start_, at_);
    system.contactRates(direction_, change_.u);
    multiplyTransposed(system.problem().G, direction_, change_.g);
    system.multiplyMass(direction_, change_.momentum);
    double a = 1;
    for (;; a *= 0.5) {
      at_.u = start_.u + a * change_.u;
      at_.g = start_.g + a * change_.g;
      at_.momentum = start_.momentum + a * change_.momentum;
      respond(system, false);
      if (merit() <= (1 - 1e-3 * a) * now) break;
      if (a < shortest) return false;
    }
    v += a * direction_;
  }
  return merit() <= goal;
}

}  // namespace stiction
