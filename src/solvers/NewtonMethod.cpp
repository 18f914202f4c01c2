// Strict natural-map Newton in velocity space (regularised primal-dual active set).
//
//   r⁺ = P_AC( r − ρ u ) linearised at (v, r):   r⁺ = p − D Hᵀ dv ,  D = ρ P'_AC ,  ρ_i = γ/ω_i
//   ( M + H D Hᵀ + G ρ_g Gᵀ ) dv = M (v_free − v) + H p + G ( λ − ρ_g (Gᵀv + b + Cλ) )
//
// P_AC is Alart & Curnier's 1991 map, whose fixed points are the strict Signorini–Coulomb answers; where nothing slips the matrix is symmetric (Cholesky), else block LU.
// Momentum holds at every linearised iterate; the certificate-like residual is measured on the cone-projected one. Locally quadratic for γ → ∞ (contraction 1/(1 + γ w) per
// step in a direction of relative Delassus eigenvalue w), so γ grows once no contact changes its state any more; no convergence guarantee from afar: it stops when the
// residual has not fallen for a while.
// Warm, the first step leaves loaded contacts as they were: velocities that old impulses give under a new load, times ρ, throw most contacts out of their state.
// A step that contracts and leaves every contact in its state and γ as it was is followed by one with the same factor (the simplified Newton method): where nothing slips its matrix is the same.
// Where a factor costs more than a solve, but not many, and without friction, such steps are mixed by Anderson's method in place of a larger γ: the map is linear while no contact changes
// its state, all but a few of its directions contract at once, and those are what mixing finds. Not where contacts are redundant, or factors dearer.
// Where a factorisation costs as much as many solves, steps of the same γ with few contacts in other states go by GMRES on the factor at hand.
// A residual that stays while no contact changes its state is held up by self-stress, which SelfStress shifts to where a contact gives way.
// Cost: a factorisation of the body graph, or some substitutions, a step.
#include <Eigen/LU>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linalg/AndersonMixing.hpp"
#include "solvers/FrictionCone.hpp"
#include "solvers/SelfStress.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

/// The state of a loaded contact before the load changed: slipping where its impulse lies at the rim of the disc and it moves against it, faster than the change explains; else sticking.
/// Without friction it slips. Redundant contacts that stick lie at the rim, too.
ContactState rememberedState(const Vector3& r, const Vector3& u, double mu, double change) {
  constexpr double rim = 1e-9;  // [-] of the radius
  const double impulse = tangentialNorm(r), speed = tangentialNorm(u);
  if (!(r[0] > 0)) return ContactState::Open;
  if (!(mu > 0)) return ContactState::Slip;
  const bool slips = impulse >= (1 - rim) * mu * r[0] && speed > change && r.tail<2>().dot(u.tail<2>()) < -0.5 * impulse * speed;
  return slips ? ContactState::Slip : ContactState::Stick;
}

/// The map at x = r − ρ u about the friction of a contact that slipped with the impulse r: under a new load, the velocity that it leaves tells neither the direction of slip nor x_n.
ConePoint goOnSlipping(const Vector3& r, const Vector3& x, double mu) {
  const double t = tangentialNorm(r);
  if (!(t > 0)) return alartCurnierPiece(x, mu, ContactState::Slip);
  const Vector2 e{r[1] / t, r[2] / t}, xT{x[1], x[2]};
  const Eigen::Matrix2d across = mu * r[0] / std::max(t, e.dot(xT)) * (Eigen::Matrix2d::Identity() - e * e.transpose());
  ConePoint point;
  point.state = ContactState::Slip;
  point.value << x[0], mu * x[0] * e + across * xT;
  point.derivative(0, 0) = 1;
  point.derivative.block<2, 1>(1, 0) = mu * e;
  point.derivative.bottomRightCorner<2, 2>() = across;
  return point;
}

class NewtonMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  /// Linearises all contacts and rows at (v_, r_, λ_): D_, p_, rowImpulse_, states_, settled_. `change` [m/s]: loaded contacts keep their states under a change of load that leaves
  /// so large a residual; 0: all take the state that the map says. Returns whether any D is not symmetric.
  bool linearise(const VelocitySystem& system, double gamma, double change, const std::vector<ContactState>* known);
  /// What a step solves with: the matrix last factored in place of its own, its own by way of that factor, its own factored.
  enum class Matrix : std::uint8_t { LastFactored, Near, Factored };
  /// One step from the linearisation.
  bool newtonStep(VelocitySystem& system, bool general, Matrix matrix, SolveReport& report);
  bool factor(VelocitySystem& system, bool general, SolveReport& report);
  bool solveNear(VelocitySystem& system) {
    constexpr double accuracy = 1e-7, worth = 0.25;
    return system.solveNear(D_, rho_, x_, accuracy, worth);
  }
  void settleRows(VelocitySystem& system, Matrix matrix);
  /// Mixes the step with those before it that had the same factor.
  void mix(const VelocitySystem& system);
  /// Shifts self-stress that holds the residual up to where a contact gives way. Returns whether anything moved.
  bool release(const VelocitySystem& system, const SolveOptions& options);

  BestIterate best_;
  SelfStress selfStress_;
  AndersonMixing<3> mixing_{8};
  VectorX v_, r_, lambda_, u_, rows_, p_, rowImpulse_, rho_, x_, y_, misfit_;
  std::vector<Matrix3> D_;
  std::vector<ContactState> states_, factored_;
  bool settled_{false};  // every contact in the state of the last linearisation
  double factoredGamma_{0};
  long factor_{-1};  // VelocitySystem::factored() of the factor of these states and this γ; -1: none
};

bool NewtonMethod::linearise(const VelocitySystem& system, double gamma, double change, const std::vector<ContactState>* known) {
  const ContactProblem& problem = system.problem();
  bool general = !system.symmetric();
  system.contactVelocity(v_, r_, u_);
  D_.resize(static_cast<std::size_t>(problem.contacts()));
  p_.resize(3 * problem.contacts());
  settled_ = states_.size() == D_.size();
  states_.resize(D_.size());
  for (int i = 0; i < problem.contacts(); ++i) {
    const double rho = gamma / system.omega(i);
    const Vector3 r = r_.segment<3>(3 * i), u = u_.segment<3>(3 * i), x = r - rho * u;
    const ContactState was = !(change > 0)      ? ContactState::Open
                             : known != nullptr ? (*known)[static_cast<std::size_t>(i)]
                                                : rememberedState(r, u, problem.mu[i], change);
    const ConePoint point = was == ContactState::Open   ? alartCurnier(x, problem.mu[i])
                            : was == ContactState::Slip ? goOnSlipping(r, x, problem.mu[i])
                                                        : alartCurnierPiece(x, problem.mu[i], was);
    Matrix3& D = D_[static_cast<std::size_t>(i)];
    D = rho * point.derivative;
    ContactState& state = states_[static_cast<std::size_t>(i)];
    settled_ = settled_ && state == point.state;
    state = point.state;
    p_.segment<3>(3 * i) = point.value;
    if (problem.R.size() != 0) {
      const Vector3 R = problem.R.segment<3>(3 * i);
      const Matrix3 inverse = Matrix3{Matrix3::Identity() + D * R.asDiagonal()}.inverse();
      p_.segment<3>(3 * i) = inverse * (point.value + D * R.cwiseProduct(r));
      D = inverse * D;
    }
    const bool couples = point.state == ContactState::Slip || (problem.R.size() != 0 && point.state != ContactState::Open);
    general = general || (couples && problem.mu[i] > 0);
  }
  rho_.resize(problem.rows());
  rowImpulse_.resize(problem.rows());
  system.rowVelocity(v_, lambda_, rows_);
  for (int k = 0; k < problem.rows(); ++k) {
    const double rho = 100 * gamma / system.rowOmega(k);
    rho_[k] = problem.C.size() != 0 ? rho / (1.0 + rho * problem.C[k]) : rho;
    rowImpulse_[k] = lambda_[k] - rho_[k] * rows_[k];
  }
  return general;
}

bool NewtonMethod::factor(VelocitySystem& system, bool general, SolveReport& report) {
  ++report.factorisations;
  factored_ = states_;
  const bool done = general ? system.factorGeneral(D_, rho_) : system.factorSymmetric(D_, rho_);
  factor_ = done ? system.factored() : -1;
  return done;
}

bool NewtonMethod::newtonStep(VelocitySystem& system, bool general, Matrix matrix, SolveReport& report) {
  const ContactProblem& problem = system.problem();
  y_ = system.freeVelocity() - v_;
  system.multiplyMass(y_, x_);
  multiplyAdd(problem.H, p_, x_);
  multiplyAdd(problem.G, rowImpulse_, x_);
  if (matrix == Matrix::Near && !solveNear(system)) matrix = Matrix::Factored;
  if (matrix == Matrix::Factored && !factor(system, general, report)) return false;
  if (matrix != Matrix::Near) system.solve(x_);
  if (!x_.allFinite()) return false;
  v_ += x_;
  system.contactRates(x_, u_);
  for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) = p_.segment<3>(3 * i) - D_[static_cast<std::size_t>(i)] * u_.segment<3>(3 * i);
  multiplyTransposed(problem.G, x_, rows_);
  lambda_ = rowImpulse_ - rho_.cwiseProduct(rows_);
  settleRows(system, matrix);
  return true;
}

/// The equality rows of the linear problem, by the method of multipliers on the present factor: solves are cheap beside it.
void NewtonMethod::settleRows(VelocitySystem& system, Matrix matrix) {
  constexpr int most = 4;
  constexpr double settled = 1e-14;  // [-] of the scale
  constexpr double needed = 1e-2;    // [-] of the best residual so far: enough for a step on the way
  const ContactProblem& problem = system.problem();
  for (int k = 0; k < most && problem.rows() > 0; ++k) {
    system.rowVelocity(v_, lambda_, rows_);
    if (rows_.lpNorm<Eigen::Infinity>() <= std::max(settled * system.scale(), needed * best_.residual())) break;
    rowImpulse_ = -rho_.cwiseProduct(rows_);
    x_.setZero(problem.dof());
    multiplyAdd(problem.G, rowImpulse_, x_);
    if (matrix != Matrix::Near)
      system.solve(x_);
    else if (!solveNear(system))
      break;
    if (!x_.allFinite()) break;
    v_ += x_;
    system.contactRates(x_, u_);
    for (int i = 0; i < problem.contacts(); ++i) r_.segment<3>(3 * i) -= D_[static_cast<std::size_t>(i)] * u_.segment<3>(3 * i);
    multiplyTransposed(problem.G, x_, rows_);
    lambda_ += rowImpulse_ - rho_.cwiseProduct(rows_);
  }
}

/// The step changes (r, λ) from those in misfit_; measured in velocities.
void NewtonMethod::mix(const VelocitySystem& system) {
  const int n = system.problem().contacts();
  for (int i = 0; i < n; ++i) misfit_.segment<3>(3 * i) = system.omega(i) * (r_.segment<3>(3 * i) - misfit_.segment<3>(3 * i));
  for (int k = 0; k < system.problem().rows(); ++k) misfit_[3 * n + k] = system.rowOmega(k) * (lambda_[k] - misfit_[3 * n + k]);
  mixing_.mix(misfit_, {&v_, &r_, &lambda_});
}

bool NewtonMethod::release(const VelocitySystem& system, const SolveOptions& options) {
  constexpr double floor = 0.1;  // [-] of the tolerance: misfits that matter
  system.contactVelocity(v_, r_, u_);
  return selfStress_.release(system, u_, floor * options.tolerance * system.scale(), r_) > 0;
}

SolveReport NewtonMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double gammas[] = {1e3, 1e2, 1e4, 1e1}, rememberedGamma = 1e4;
  constexpr double far = 1e-4;  // [-] certificate of a warm start: nearer than this the map itself tells the states
  constexpr double growth = 10, largest = 1e6, quick = 0.01, contracting = 0.1;
  constexpr double dear = 20, slow = 0.5;  // [-] solves a factorisation: then γ, which needs a new one, grows only where steps contract less than that
  constexpr int near = 30;                 // contacts in other states: solves by way of the factor at hand are cheaper than a new one
  constexpr double worthMixing = 1;        // solves a factorisation, with friction
  constexpr double fewComponents =
      1.75;                      // of impulses a velocity: with more, impulses of redundant contacts drift along what moves nothing, and mixing follows them
  constexpr double kept = 0.3;   // [-] of the residual: mixed steps that leave more have come to an end
  constexpr double stall = 0.2;  // [-] of the residual: a step that changes less, with no contact changing its state, shifts impulses and little else
  const int patience = options.patience > 0 ? options.patience : 8;
  const int phases = options.patience > 0 ? 1 : 4;
  const int limit = options.maxIterations > 0 ? options.maxIterations : 60;
  const bool isFrictionless = system.problem().mu.isZero(0);
  const auto components = system.problem().contacts() + 2 * (system.problem().mu.array() > 0).count();
  const bool isTight = static_cast<double>(components) <= fewComponents * system.problem().dof();
  SolveReport report;
  best_.reset();
  r_ = iterate.r, lambda_ = iterate.lambda;
  best_.offer(system, r_, lambda_);
  v_ = best_.last().v;
  int since = 0, phase = 0;
  bool mixingFails = false;
  double before = best_.residual(), last = before;
  const double change = options.warm && before > far * system.scale() ? before : 0;
  const auto* known = options.states != nullptr && static_cast<int>(options.states->size()) == system.problem().contacts() ? options.states : nullptr;
  const bool goesOn = options.sameMatrices && factor_ == system.factored() && factoredGamma_ > 0 && !(change > 0);
  double gamma = change > 0 ? rememberedGamma : goesOn ? factoredGamma_ : gammas[0];
  if (!goesOn) factored_.clear(), factoredGamma_ = 0;
  bool contracts = goesOn;
  mixing_.reset();
  bool isStart = true;
  states_ = factored_;
  while (report.iterations < limit && best_.residual() > options.polish * system.scale()) {
    const bool general = linearise(system, gamma, std::exchange(isStart, false) ? change : 0, known);
    const double worth = system.solvesPerFactor();
    const bool sameGamma = gamma == std::exchange(factoredGamma_, gamma), isDear = worth > dear;
    const bool mixes = isTight && !isDear && (worth > worthMixing || isFrictionless);
    const bool holds = sameGamma && (mixes ? !mixingFails && states_ == factored_ : contracts && settled_);
    const Matrix matrix = sameGamma && isDear && areNear(states_, factored_, near) ? Matrix::Near : holds ? Matrix::LastFactored : Matrix::Factored;
    if (mixes) misfit_.resize(r_.size() + lambda_.size()), misfit_ << r_, lambda_;
    if (!newtonStep(system, general, matrix, report)) break;
    const bool isMixed = mixes && matrix == Matrix::LastFactored;
    if (matrix != Matrix::LastFactored) mixing_.reset();
    if (mixes) mix(system);
    ++report.iterations;
    const double now = best_.offer(system, r_, lambda_);
    const bool stalls = settled_ && std::abs(now - last) < stall * last;
    mixingFails = isMixed && now > kept * last;
    const double enough = isMixed ? kept : isDear ? slow : mixes ? 1 + stall : quick;
    if (now > (1 + stall) * last)
      gamma = gammas[phase];
    else if (settled_ && now > enough * last)
      gamma = std::min(largest, growth * gamma);
    contracts = now < contracting * last;
    last = now;
    const bool released = stalls && release(system, options);
    since = best_.residual() < 0.5 * before ? 0 : released ? since : since + 1;
    if (since == 0) before = best_.residual();
    if (since < patience && !(since >= 2 && best_.residual() <= options.tolerance * system.scale())) continue;
    if (best_.residual() <= options.tolerance * system.scale()) break;
    if (change > 0 && std::exchange(known, nullptr) != nullptr) {  // contacts that slipped may stop: once more, by what the start itself says of them
      r_ = iterate.r, lambda_ = iterate.lambda;
      system.velocityFromImpulses(r_, lambda_, v_);
      since = 0;
      gamma = rememberedGamma;
      isStart = true;
      states_.clear(), factored_.clear();
      continue;
    }
    if (++phase == phases) break;
    r_ = best_.iterate().r, lambda_ = best_.iterate().lambda, v_ = best_.iterate().v;
    since = 0;
    gamma = gammas[phase];
    states_.clear(), factored_.clear();
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

/// Its 80 KiB for states of self-stress, which few problems need, stay untouched until then.
std::unique_ptr<VelocityMethod> makeNewtonMethod() { return std::make_unique_for_overwrite<NewtonMethod>(); }

}  // namespace stiction
