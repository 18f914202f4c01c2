// The Coulomb interior point's central path, followed by its arc length (pairs: InteriorContact).
//
//   pairs at κ ,   z = Hᵀv + w + R r + E (r − r_c) ,   M (v − v_free) − H r − G λ = 0 ,   Gᵀv + b + Cλ = 0          x = (v, λ, r, ψ, z),  s = log κ
//
// For large κ the answer is unique; from there one path leads on. The strict law is not monotone: the path turns back in κ wherever the bodies could snap, and Newton at given
// κ (IpmMethod) ends there. Along the arc nothing ends: many contacts change side at once, smoothly, where the path of falling compliance (ContinuationMethod) takes an event each.
//
//   corrector   J N = −(residuals, products − κ),  less its part along the tangent
//   tangent     J T = κ e ;  s falls where det J has its sign at the start, and rises elsewhere
//   series      x(a) = x + Σ aᵏ X_k ,  X_1 = T ;  J X_k = κ e · (aᵏ in exp(s(a) − s)) − (aᵏ in the products' quadratic part) ,  less its part along the tangent
//   step        x(± a) + N with the longest a that stays near the path; taken back if the next corrector is long: the path has bent away
//
// One block LU (PathSystem) serves all of them; the corrector is refined by its residuals in the whole system. Lengths are relative changes of the pairs (the barriers' metric).
// Late on the path impulses in self-stress are held by κ / r² alone, less than round-off: there E = ω/γ ties them to the centre r_c, the impulses a decade of κ before.
// The end is polished by proximal Newton steps with such E alone. Paths that wander are given up for others: other weights of the contacts in κ, another start, another width.
#include <array>
#include <cmath>

#include "solvers/NewtonShot.hpp"
#include "solvers/PathSystem.hpp"
#include "solvers/ProximalMap.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

struct Route {
  double start;      // [-] first κ, of the mean products at the start
  double low, high;  // [-] of κ: a step stays within
  double scatter;    // [-] weights of the contacts' products are e^−scatter to e^scatter
};
constexpr Route kRoutes[] = {{10, 0.1, 30, 0}, {10, 0.1, 30, 0.7}, {100, 0.2, 5, 0.7}};
constexpr double kEnd = 5e-14;                         // [-] κ at the end, of the same
constexpr double kGolden = 0.6180339887498949;         // [-] whose multiples' fractions spread evenly and lie far apart for contacts that follow one another
constexpr double kTied = 5e-5, kRecentre = 0.1;        // [-] κ from which impulses are tied to a centre, and its fall until the centre moves
constexpr double kTie = 1e9, kTangential = 0.1;        // [-] γ of the tie, and of its tangential part in it
constexpr double kLongest = 2.3, kGrowth = 8;          // [-] steps in s
constexpr double kSharpest = 20;                       // [-] relative change of a pair over a step, by the tangent
constexpr double kLongCorrector = 3, kShorter = 0.25;  // [-] a step is taken back for a longer one, and repeated so much shorter
constexpr double kLeastStep = 1e-3;                    // [-] shorter steps are not taken back
constexpr double kNear = 1e-5;                         // [-] residual from which Newton on the strict law is tried
constexpr double kPolish = 1e7;                        // [-] first γ of the proximal steps at the end
constexpr double kEnough = 0.1;                        // [-] of the tolerance: Newton on the strict law does the rest
constexpr int kOrder = 5;                              // of the series
constexpr int kCentring = 60, kPatience = 150, kPolishSteps = 60, kRouteSteps = 400;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class CentralPathMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  struct Plan {
    PathDirection corrector;
    std::array<PathDirection, kOrder> series;  // the tangent first
    double tangentSize{1};                     // ‖T‖²
    int sense{-1};                             // of s along the step
  };

  void start(VelocitySystem& system, const Route& route);
  bool centre(VelocitySystem& system, const Route& route, int limit, SolveReport& report);
  bool follow(VelocitySystem& system, const Route& route, int limit, const SolveOptions& options, SolveReport& report);
  bool polish(VelocitySystem& system, const SolveOptions& options, SolveReport& report);
  /// Offers an answer to the best. Whether that does, or Newton on the strict law ends from there.
  bool ends(VelocitySystem& system, const VectorX& r, const VectorX& lambda, const SolveOptions& options, SolveReport& report);
  void tie(const VelocitySystem& system);
  void setCorrector();
  void setTerm(const Plan& plan, int k, double exponential);
  bool plan(Plan& next, SolveReport& report);
  double advance(const Plan& plan, const Route& route, double longest);
  bool staysNear(const Plan& plan, const Route& route, double part, double a);
  void removeTangent(const Plan& plan, PathDirection& x) const;

  PathPoint now_, kept_;
  PathSystem path_;
  Plan plan_, next_;
  const ContactProblem* problem_{nullptr};
  double unit_{1};        // [J] mean product at the start
  double tied_{0};        // log κ of the centre
  int suspect_{0};        // contact that left first
  bool stopsAll_{false};  // impulses at the start
  std::vector<Vector4> goal_;
  VectorX r_, u_, x_;
  BestIterate best_;
  ProximalMap map_;
  NewtonShot shot_{kNear};
};

/// Velocities as they come, impulses that stop the contacts' mean speed, or, `stopsAll_`, all motion: thousands of times as much where a heavy body strikes light ones.
void CentralPathMethod::start(VelocitySystem& system, const Route& route) {
  const ContactProblem& problem = *problem_;
  const int n = problem.contacts();
  now_.contacts.assign(at(n), {});
  now_.v = system.freeVelocity();
  now_.lambda.setZero(problem.rows());
  r_.setZero(3 * n);
  system.contactVelocity(now_.v, r_, u_);
  double speed = 0, inverse = 0;
  for (int i = 0; i < n; ++i) speed += u_.segment<3>(3 * i).norm() / n, inverse += 1 / system.omega(i) / n;
  speed += 1e-3 * system.scale();
  const double impulse = stopsAll_ ? system.stoppingImpulse(speed) : speed * inverse;
  unit_ = 0;
  for (int i = 0; i < n; ++i) {
    PathContact& c = now_.contacts[at(i)];
    c.r = {impulse, 0, 0};
    c.z = u_.segment<3>(3 * i);
    c.z[0] = std::max(c.z[0], speed);
    c.mu = problem.mu[i];
    if (c.mu > 0)
      c.psi = 1.1 * tangentialNorm(c.z) + speed;
    else
      c.z.tail<2>().setZero();
    if (problem.R.size() != 0) c.compliance = problem.R.segment<3>(3 * i);
    c.weight = std::exp(route.scatter * (2 * std::fmod(kGolden * i, 1.0) - 1));
    unit_ += c.r[0] * c.z[0] / n;
  }
  now_.s = std::log(route.start * unit_);
}

void CentralPathMethod::setCorrector() {
  const double kappa = std::exp(now_.s);
  goal_.resize(now_.contacts.size());
  for (std::size_t i = 0; i < goal_.size(); ++i) {
    const PathContact& c = now_.contacts[i];
    goal_[i] = c.products(c.mu);
    goal_[i][0] -= kappa * c.weight;
    if (c.mu > 0) goal_[i][1] -= kappa * c.weight;
  }
}

/// For term k of the series, k ≥ 1, whose lower ones are there; `exponential` of its power in exp(s(a) − s), as far as these tell.
void CentralPathMethod::setTerm(const Plan& plan, int k, double exponential) {
  const double kappa = std::exp(now_.s);
  for (std::size_t i = 0; i < goal_.size(); ++i) {
    const double mu = now_.contacts[i].mu, change = exponential * kappa * now_.contacts[i].weight;
    goal_[i] << -change, mu > 0 ? -change : 0.0, 0, 0;
    for (int j = 1; 2 * j <= k; ++j) {
      const PathDirection &p = plan.series[at(j - 1)], &q = plan.series[at(k - j - 1)];
      goal_[i] += 2 * j == k ? InteriorContact::curvature(mu, p.d[i], p.z[i]) : InteriorContact::curvature(mu, p.d[i], p.z[i], q.d[i], q.z[i]);
    }
  }
}

void CentralPathMethod::removeTangent(const Plan& plan, PathDirection& x) const {
  const PathDirection& tangent = plan.series[0];
  const double part = now_.dot(tangent, x) / plan.tangentSize;
  x.v -= part * tangent.v;
  x.lambda -= part * tangent.lambda;
  for (std::size_t i = 0; i < x.d.size(); ++i) x.d[i] -= part * tangent.d[i], x.z[i] -= part * tangent.z[i];
  x.s -= part * tangent.s;
}

/// Damped Newton at the κ of the start.
bool CentralPathMethod::centre(VelocitySystem& system, const Route& route, int limit, SolveReport& report) {
  constexpr double near = 0.3, exact = 1e-9, shorter = 0.6, shortest = 1e-4, interior = 1e-3;
  const int from = report.factorisations;
  start(system, route);
  for (int k = 0; k < kCentring && report.factorisations < limit; ++k) {
    path_.findResiduals(now_);
    if (now_.offCentre() < near && path_.worst() < exact) return true;
    if (!path_.factor(now_, report)) return false;
    setCorrector();
    path_.solve(now_, goal_, true, plan_.corrector);
    kept_ = now_;
    for (double a = 1;; a *= shorter) {
      now_.move(a, plan_.corrector);
      if (now_.areCentral(interior, std::numeric_limits<double>::infinity())) break;
      if (a < shortest) return false;
      now_ = kept_;
    }
  }
  return report.factorisations - from < kCentring;
}

/// From kTied downwards: impulses are tied to those of a decade of κ ago.
void CentralPathMethod::tie(const VelocitySystem& system) {
  if (now_.s > std::log(kTied * unit_) || now_.s > tied_ + std::log(kRecentre)) return;
  tied_ = now_.s;
  for (int i = 0; i < problem_->contacts(); ++i) {
    PathContact& c = now_.contacts[at(i)];
    const double e = system.omega(i) / kTie;
    if (!c.tied) c.compliance += Vector3{e, e / kTangential, e / kTangential};
    c.tied = true;
    c.centre = c.r;
  }
}

bool CentralPathMethod::ends(VelocitySystem& system, const VectorX& r, const VectorX& lambda, const SolveOptions& options, SolveReport& report) {
  const double residual = best_.offer(system, r, lambda);
  return best_.residual() <= kEnough * options.tolerance * system.scale() || shot_.hits(system, best_, residual, options, report);
}

/// The next step's directions at now_, by a factor of their own. False when it fails.
bool CentralPathMethod::plan(Plan& next, SolveReport& report) {
  if (!path_.factor(now_, report)) return false;
  setCorrector();
  path_.solve(now_, goal_, true, next.corrector);
  std::array<double, kOrder + 1> exponential{1, 1};  // of the powers of a in exp(s(a) − s); those above the first begin at zero
  for (int k = 1; k <= kOrder; ++k) {
    PathDirection& term = next.series[at(k - 1)];
    double& power = exponential[at(k)];
    for (int j = 1; j < k; ++j) power += j * next.series[at(j - 1)].s * exponential[at(k - j)] / k;
    setTerm(next, k, power);
    path_.solve(now_, goal_, false, term);
    if (k == 1) {
      term.s = 1;
      next.tangentSize = now_.dot(term, term);
      if (!std::isfinite(next.tangentSize)) return false;
    } else {
      removeTangent(next, term);
      power += term.s;
    }
  }
  removeTangent(next, next.corrector);
  return true;
}

/// Whether `part` of the corrector and the series at a lead from kept_ to a point near the path.
bool CentralPathMethod::staysNear(const Plan& plan, const Route& route, double part, double a) {
  double s = 0;
  for (int k = kOrder; k-- > 0;) s = a * (s + plan.series[at(k)].s);
  const double kappa = std::exp(kept_.s + s + part * plan.corrector.s);
  const int n = problem_->contacts();
  for (int j = 0; j < n; ++j) {
    const int i = (suspect_ + j) % n;
    Vector4 d = Vector4::Zero();
    Vector3 z = Vector3::Zero();
    for (int k = kOrder; k-- > 0;) d = a * (d + plan.series[at(k)].d[at(i)]), z = a * (z + plan.series[at(k)].z[at(i)]);
    const PathContact& here = kept_.contacts[at(i)];
    InteriorContact there = here;
    there.move(d + part * plan.corrector.d[at(i)], z + part * plan.corrector.z[at(i)]);
    const double product = kappa * here.weight;
    if (!there.isCentral(here.mu, route.low * product, route.high * product)) {
      suspect_ = i;
      return false;
    }
  }
  return true;
}

/// Steps along the plan from kept_, by at most `longest`; the length of the step, negative when none stays near the path.
double CentralPathMethod::advance(const Plan& plan, const Route& route, double longest) {
  constexpr double shorter = 0.8;
  constexpr int whole = 27, trials = 35;  // with all of the corrector; the rest with halves of it alone
  double length = longest, part = 1;
  for (int k = 0; !staysNear(plan, route, part, length * plan.sense); ++k) {
    if (k == trials) return -1;
    length = k < whole ? shorter * length : 0;
    if (k > whole) part /= 2;
  }
  now_ = kept_;
  now_.move(part, plan.corrector);
  double power = 1;
  for (const PathDirection& term : plan.series) now_.move(power *= length * plan.sense, term);
  return length;
}

bool CentralPathMethod::follow(VelocitySystem& system, const Route& route, int limit, const SolveOptions& options, SolveReport& report) {
  tied_ = std::numeric_limits<double>::infinity();
  shot_.reset();
  double usual = 0.5, length = 0;
  double lowest = now_.s;
  int orientation = 0;
  for (int since = 0; report.factorisations < limit && since < kPatience; ++since) {
    tie(system);
    path_.findResiduals(now_);
    if (ends(system, path_.impulses(), now_.lambda, options, report)) return true;
    if (now_.s < std::log(kEnd * unit_)) return polish(system, options, report);
    if (now_.s < lowest) since = 0, lowest = now_.s;
    if (!plan(next_, report)) return false;
    double longest;
    if (length > kLeastStep && std::sqrt(now_.dot(next_.corrector, next_.corrector)) > kLongCorrector) {
      longest = kShorter * length;
    } else {
      std::swap(plan_, next_);
      kept_ = now_;
      if (orientation == 0) orientation = path_.determinantSign();
      plan_.sense = -orientation * path_.determinantSign();
      longest = std::min({kLongest, kGrowth * usual, kSharpest / now_.steepest(plan_.series[0])});
    }
    length = advance(plan_, route, longest);
    if (length < 0) return false;
    usual = std::max(length, kLeastStep);
  }
  return false;
}

/// Proximal Newton steps from the end of the path, stiff from the first.
bool CentralPathMethod::polish(VelocitySystem& system, const SolveOptions& options, SolveReport& report) {
  constexpr double stiffest = 1e10;
  map_.moveTo(*problem_, best_.iterate().r, best_.iterate().lambda);
  x_ = best_.iterate().v;
  const double unit = system.impulseUnit() / system.scale();
  double gamma = kPolish;
  const int until = report.factorisations + kPolishSteps;
  for (int round = 0; round < kPolishSteps && report.factorisations < until; ++round) {  // there are rounds without a Newton step
    const double goal = 1e-2 * unit * std::max(0.1 * std::min(best_.residual(), system.scale()), options.polish * system.scale());
    if (!map_.reduce(system, x_, gamma, goal, report)) return false;
    if (ends(system, map_.p, map_.q, options, report)) return true;
    map_.moveTo(*problem_, map_.p, map_.q);
    gamma = std::min(2 * gamma, stiffest);
  }
  return false;
}

SolveReport CentralPathMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  const int limit = options.maxIterations > 0 ? options.maxIterations : 1500;
  problem_ = &system.problem();
  path_.bind(system);
  SolveReport report;
  best_.reset();
  best_.offer(system, iterate.r, iterate.lambda);
  stopsAll_ = false;
  for (const Route& route : kRoutes) {
    if (problem_->contacts() == 0 || best_.residual() <= options.tolerance * system.scale() || report.factorisations >= limit) break;
    const int until = std::min(limit, report.factorisations + kRouteSteps);
    bool isCentred = centre(system, route, until, report);
    if (!isCentred && !stopsAll_) {
      stopsAll_ = true;
      isCentred = centre(system, route, until, report);
    }
    if (isCentred && follow(system, route, until, options, report)) break;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeCentralPathMethod() { return std::make_unique<CentralPathMethod>(); }

}  // namespace stiction
