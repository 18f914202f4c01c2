// Path of the proximal problem's answers as its compliance falls to nothing, followed from contact event to contact event (ProximalMap; s = log γ, the centre held).
//
//   F(v, s) = 0 for each s. For small s the answer is unique; from there one path leads on. It may turn back in s for a while, where the network snaps or jams, but it
//   cannot end, and with bounded impulses it reaches s → ∞: the strict law (the argument of Lemke 1965 for linear complementarity; here with discs, and with compliance as
//   the parameter).
//
//   pieces     a contact stays on its smooth piece of the Alart–Curnier map (open, stick, slip), beyond the border too, until an event changes it
//   tangent    J v' = −∂F/∂s ; ds has the sign of det J against its sign at the start: it turns where the path turns
//   step       to the first contact that reaches its border, or as far as the corrector goes
//   corrector  Newton with the step's own J, bordered by the event (the contact lands on its border) or by the arc length of the impulses
//   event      the contact changes its piece; J changes by a rank of one
//
// A corrected step that carried another contact over its border is taken back to that contact. At γ = kEnd the centre moves to the answer, a few steps of the proximal Newton
// bring it nearer to the strict law, and the last stretch is repeated: the answer of the proximal problem becomes that of the problem. A path that takes too long moves its
// centre, too: the next one is another path, and often a far shorter one.
#include <algorithm>
#include <cmath>

#include "solvers/ProximalMap.hpp"
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

constexpr double kFirst = 10, kEnd = 1e6;         // [-] γ at the start and at the end
constexpr double kRestart = 0.1;                  // [-] of the end: start of the last stretch with a new centre
constexpr double kLeastEnd = 1e4, kBlur = 1;      // [-] the end is lowered to this where round-off leaves more of F than this part of the tolerance
constexpr double kFar = 1e10;                     // [-] γ at the end for impulses that drift along a self-stress
constexpr double kSlow = 0.3;                     // [-] of the residual: they do when a new centre leaves more
constexpr double kSolved = 1e-6;                  // [-] of the scale: what the corrector leaves of F, for γ up to kSolved / kRoundOff
constexpr double kRoundOff = 1e-15;               // [-] of the scale, times γ: what it cannot remove
constexpr double kLongest = 1, kShortest = 1e-9;  // [-] steps in s
constexpr double kBack = 5;                       // [-] in s: a path so far behind its start is given up
constexpr double kHopeless = 30;                  // [-] times the best residual: a lost path's end is no centre then
constexpr double kEnough = 0.1;                   // [-] of the tolerance: Newton on the strict law does the rest
constexpr double kCare = 0.3, kMostCare = 0.09;   // [-] steps are so much shorter after a path was lost, down to this
constexpr int kChords = 30, kTrials = 40, kRounds = 20, kFailures = 6, kPolishes = 6;
constexpr int kDescent = 100;  // steps of the proximal Newton after a path
constexpr int kShare = 2;      // a single path may take this part of the steps allowed

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class ContinuationMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override;

 private:
  struct Event {
    int contact{-1};
    ContactState next{ContactState::Open};
  };

  void evaluate(const VelocitySystem& system, bool keepPieces = true) { map_.evaluate(system, v_, std::exp(s_), keepPieces); }
  bool factor(VelocitySystem& system, SolveReport& report);
  bool begin(VelocitySystem& system, double gamma, SolveReport& report);
  bool follow(VelocitySystem& system, double end, int limit, SolveReport& report);
  void finish(VelocitySystem& system, SolveReport& report);
  double descend(VelocitySystem& system, const SolveOptions& options, SolveReport& report);
  bool tangent(VelocitySystem& system);
  bool advance(VelocitySystem& system, double length);
  bool correct(VelocitySystem& system, const Event& event);
  Event firstEvent(const VelocitySystem& system, double& length) const;
  Event firstBeyond(const VelocitySystem& system, const Event& expected, double& fraction) const;
  /// How far x_i is beyond the border of its piece, of the scale (inside: negative), and what comes there.
  double beyond(const VelocitySystem& system, int i, ContactState* next = nullptr) const;
  double solved() const { return std::max(kSolved, kRoundOff * std::exp(s_)); }  // [-] of the scale
  double reached() const { return 10 * solved(); }                               // [-] of the scale: this near to its border a contact is on it

  ProximalMap map_;
  BestIterate best_;
  std::unique_ptr<VelocityMethod> descent_{makeProxAcMethod()};
  Iterate centre_;
  std::vector<Vector3> rate_, arc_;  // dx/ds along the tangent, and dp/ds there in the metric of the arc length
  VectorX v_, start_, from_, tangent_, step_, rates_, before_;
  double s_{0}, arcSize_{1}, longest_{1};
  double care_{1};  // [-] of the longest step: less after a path was lost
  int direction_{1};
  int flipped_{-1};  // the contact that just changed its piece
};

bool ContinuationMethod::factor(VelocitySystem& system, SolveReport& report) {
  ++report.factorisations;
  ++report.iterations;
  map_.linearise(system, std::exp(s_));
  return system.factorGeneral(map_.D, map_.rho);
}

/// Damped Newton for F(·, log γ) = 0, the pieces free.
bool ContinuationMethod::begin(VelocitySystem& system, double gamma, SolveReport& report) {
  constexpr int limit = 30;
  constexpr double shortest = 0.02;
  s_ = std::log(gamma);
  evaluate(system, false);
  for (int k = 0; k < limit; ++k) {
    const double last = map_.misfit;
    if (last <= solved() * system.impulseUnit()) return true;
    if (!factor(system, report)) return false;
    start_ = v_, step_ = -map_.F;
    system.solve(step_);
    for (double a = 1;; a *= 0.5) {
      v_ = start_ + a * step_;
      evaluate(system, false);
      if (map_.misfit <= (1 - 1e-3 * a) * last) break;
      if (!(a >= shortest)) return false;
    }
  }
  return false;
}

double ContinuationMethod::beyond(const VelocitySystem& system, int i, ContactState* next) const {
  const Vector3& x = map_.x[at(i)];
  const double mu = system.problem().mu[i], unit = system.omega(i) / system.scale();
  if (map_.pieces[at(i)] == ContactState::Open) {
    if (next) *next = ContactState::Slip;
    return x[0] * unit;
  }
  const double excess = tangentialNorm(x) - mu * x[0];
  if (map_.pieces[at(i)] == ContactState::Stick) {
    if (next) *next = ContactState::Slip;
    return excess * unit;
  }
  const bool sticks = mu > 0 && excess < x[0];
  if (next) *next = sticks ? ContactState::Stick : ContactState::Open;
  return -(sticks ? excess : x[0]) * unit;
}

/// First contact to reach its border along the tangent, within `length` (shortened to there).
ContinuationMethod::Event ContinuationMethod::firstEvent(const VelocitySystem& system, double& length) const {
  Event event;
  const auto take = [&](double a, int i, ContactState next) {
    if (a < length) length = a, event = {i, next};
  };
  for (int i = 0; i < system.problem().contacts(); ++i) {
    const double mu = system.problem().mu[i];
    const Vector3 &x = map_.x[at(i)], d = direction_ * rate_[at(i)];
    const ContactState piece = map_.pieces[at(i)];
    const bool fresh = i == flipped_;  // on its border still, and leaving it
    if (piece == ContactState::Open) {
      if (d[0] > 0 && !fresh) take(std::max(-x[0], 0.0) / d[0], i, ContactState::Slip);
      continue;
    }
    if (piece == ContactState::Slip && d[0] < 0 && !(fresh && x[0] <= 0)) take(std::max(x[0], 0.0) / -d[0], i, ContactState::Open);
    if (!(mu > 0) || fresh) continue;
    // ‖x_T + a d_T‖² − μ² (x_n + a d_n)² = A a² + 2 B a + C, negative inside the piece
    const double sense = piece == ContactState::Stick ? 1 : -1;
    const double A = sense * (d.tail<2>().squaredNorm() - mu * mu * d[0] * d[0]), B = sense * (x.tail<2>().dot(d.tail<2>()) - mu * mu * x[0] * d[0]);
    const double C = sense * (x.tail<2>().squaredNorm() - mu * mu * x[0] * x[0]);
    const ContactState next = piece == ContactState::Stick ? ContactState::Slip : ContactState::Stick;
    if (C >= 0) {
      if (B > 0) take(0, i, next);
      continue;
    }
    const double discriminant = B * B - A * C;
    if (discriminant < 0) continue;
    const double root = -(B + std::copysign(std::sqrt(discriminant), B));
    for (const double a : {A != 0 ? root / A : -1.0, root != 0 ? C / root : -1.0})
      if (a > 0) take(a, i, next);
  }
  return event;
}

/// Newton's corrector from v_, s_ with the factor at hand. False when it does not contract.
bool ContinuationMethod::correct(VelocitySystem& system, const Event& event) {
  constexpr double grazing = 1e-3;  // [-] of the contact's rate: below, s is no handle on the event
  const double contraction = care_ < 1 ? 0.43 : 0.85;
  const int i = event.contact;
  double last = 1;
  for (int k = 0;; ++k) {
    evaluate(system);
    double distance = 0;
    Vector3 gradient{1, 0, 0};
    if (i >= 0) {
      const Vector3& x = map_.x[at(i)];
      distance = x[0];
      if (map_.pieces[at(i)] != ContactState::Open && event.next != ContactState::Open) {
        const double t = tangentialNorm(x), mu = system.problem().mu[i];
        distance = t - mu * x[0];
        gradient = {-mu, x[1] / t, x[2] / t};
      }
    }
    const double off = i >= 0 ? std::abs(distance) * system.omega(i) / system.scale() : 0.0;
    const double size = std::max(map_.misfit / system.impulseUnit(), 0.1 * off);
    if (size <= solved()) return true;
    if (k == kChords || (k > 0 && !(size <= contraction * last))) return false;
    last = k == 0 ? std::max(size, 1.0) : size;
    step_ = -map_.F;
    system.solve(step_);
    system.contactRates(step_, rates_);
    double ds = 0;
    const double slope = i >= 0 ? gradient.dot(rate_[at(i)]) : 0.0;
    if (i >= 0 && std::abs(slope) > grazing * gradient.norm() * rate_[at(i)].norm()) {
      ds = -(distance + gradient.dot(map_.change(system, i, std::exp(s_), rates_.segment<3>(3 * i), 0))) / slope;
    } else {
      for (int c = 0; c < system.problem().contacts(); ++c) ds += arc_[at(c)].dot(map_.D[at(c)] * rates_.segment<3>(3 * c));
      ds /= arcSize_;
    }
    v_ += step_ + ds * tangent_;
    s_ += ds;
    if (!v_.allFinite() || !(s_ < 100)) return false;
  }
}

/// The contact that came over its border first in a corrected step, other than the expected one, and the fraction of the step at which it did.
ContinuationMethod::Event ContinuationMethod::firstBeyond(const VelocitySystem& system, const Event& expected, double& fraction) const {
  Event event;
  fraction = 1;
  for (int i = 0; i < system.problem().contacts(); ++i) {
    ContactState next;
    const double now = beyond(system, i, &next), then = before_[i];
    if (i == expected.contact || now <= std::max(reached(), then)) continue;
    const double part = then < 0 ? -then / (now - then) : 0.0;
    if (part < fraction) fraction = part, event = {i, next};
  }
  return event;
}

/// One step of at most `length` along the tangent, to an event or not. False when no step is short enough.
bool ContinuationMethod::advance(VelocitySystem& system, double length) {
  constexpr double shorter = 0.35, longer = 4, almostAll = 0.99;
  const int n = system.problem().contacts();
  before_.resize(n);
  for (int i = 0; i < n; ++i) before_[i] = beyond(system, i);
  Event event = firstEvent(system, length);
  start_ = v_;
  const double s = s_;
  for (int trial = 0; trial < kTrials; ++trial) {
    v_ = start_ + length * direction_ * tangent_;
    s_ = s + length * direction_;
    if (length > 0 && !correct(system, event)) {
      if (length < kShortest) return false;
      length *= shorter;
      longest_ = length;
      event = {};
      continue;
    }
    double fraction = 1;
    const Event other = length > 0 ? firstBeyond(system, event, fraction) : Event{};
    if (other.contact >= 0) {
      const bool useless = other.contact == flipped_ || fraction > almostAll;
      event = useless ? Event{} : other;
      length *= useless ? shorter : fraction;
      if (length < kShortest) length = 0;
      if (length == 0 && event.contact < 0) return false;
      continue;
    }
    flipped_ = -1;
    if (event.contact >= 0 && std::abs(beyond(system, event.contact)) <= 2 * reached() + std::max(0.0, before_[event.contact])) {
      map_.pieces[at(event.contact)] = event.next;
      flipped_ = event.contact;
    }
    longest_ = std::min(care_ * kLongest, longer * longest_);
    return true;
  }
  return false;
}

/// The path's direction at v_, s_ by the factor at hand.
bool ContinuationMethod::tangent(VelocitySystem& system) {
  const int n = system.problem().contacts();
  map_.findRise(system, std::exp(s_));
  tangent_ = -map_.rise;
  system.solve(tangent_);
  if (!tangent_.allFinite()) return false;
  system.contactRates(tangent_, rates_);
  rate_.resize(at(n)), arc_.resize(at(n));
  arcSize_ = 1;
  for (int i = 0; i < n; ++i) {
    rate_[at(i)] = map_.change(system, i, std::exp(s_), rates_.segment<3>(3 * i), 1);
    const Vector3 dp = alartCurnierPiece(map_.x[at(i)], system.problem().mu[i], map_.pieces[at(i)]).derivative * rate_[at(i)];
    const double unit = system.omega(i) / system.scale();
    arc_[at(i)] = unit * unit * dp;
    arcSize_ += arc_[at(i)].dot(dp);
  }
  return true;
}

/// From v_, s_ on the path to s = end.
bool ContinuationMethod::follow(VelocitySystem& system, double end, int limit, SolveReport& report) {
  constexpr double close = 1e-9;
  const double lowest = s_ - kBack;
  longest_ = care_ * kLongest;
  flipped_ = -1;
  for (int orientation = 0; report.factorisations < limit;) {
    evaluate(system);
    if (!factor(system, report)) return false;
    if (orientation == 0) orientation = system.determinantSign();
    direction_ = orientation * system.determinantSign();
    if (!tangent(system)) return false;
    if (!advance(system, direction_ > 0 ? std::min(longest_, end - s_) : longest_)) return false;
    if (s_ >= end - close) return true;
    if (s_ < lowest) return false;
  }
  return false;
}

/// Newton with the pieces as they are, as far as it goes.
void ContinuationMethod::finish(VelocitySystem& system, SolveReport& report) {
  constexpr double headway = 0.3, enough = 1e-12;
  evaluate(system);
  for (double last = std::numeric_limits<double>::infinity(); map_.misfit > enough * system.impulseUnit() && map_.misfit <= headway * last;) {
    if (!factor(system, report)) return;
    last = map_.misfit;
    start_ = v_, step_ = -map_.F;
    system.solve(step_);
    v_ += step_;
    evaluate(system);
    if (map_.misfit < last) continue;
    v_ = start_;
    evaluate(system);
  }
}

/// The proximal Newton from the centre for a few steps; its best answer is the new centre. Returns the residual there.
double ContinuationMethod::descend(VelocitySystem& system, const SolveOptions& options, SolveReport& report) {
  if (best_.residual() > kEnough * options.tolerance * system.scale()) {
    SolveOptions few = options;
    few.warm = true;
    few.maxIterations = kDescent;
    centre_.r = map_.centre, centre_.lambda = map_.lambda;
    fitIterate(system.problem(), centre_, true);
    const SolveReport steps = descent_->run(system, centre_, few);
    report.iterations += steps.iterations;
    report.factorisations += steps.factorisations;
    map_.moveTo(system.problem(), centre_.r, centre_.lambda);
  }
  const double residual = best_.offer(system, map_.centre, map_.lambda);
  v_ = best_.last().v;
  return residual;
}

SolveReport ContinuationMethod::run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) {
  constexpr double lowest = 1e-6;
  const int limit = options.maxIterations > 0 ? options.maxIterations : 4000;
  const ContactProblem& problem = system.problem();
  SolveReport report;
  best_.reset();
  map_.moveTo(problem, iterate.r, iterate.lambda);
  double residual = best_.offer(system, map_.centre, map_.lambda), first = kFirst, end = kEnd, usual = kEnd;
  v_ = best_.last().v;
  care_ = 1;
  int failures = 0;
  for (int round = 0; round < kRounds && report.factorisations < limit && best_.residual() > options.polish * system.scale(); ++round) {
    from_ = v_;
    bool begun = begin(system, first, report);
    while (!begun && first > lowest) {
      first *= 0.1, v_ = from_;
      begun = begin(system, first, report);
    }
    if (!begun) break;
    const int share = std::max(limit / kShare, 1), taken = report.factorisations;
    const bool arrived = follow(system, std::log(end), std::min(limit, taken + share), report), lost = !arrived && report.factorisations < taken + share;
    if (arrived) finish(system, report);
    const bool blurred = map_.misfit > kBlur * options.tolerance * system.impulseUnit();
    if (best_.offer(system, map_.p, map_.q) < kHopeless * best_.residual() || arrived)
      map_.moveTo(problem, map_.p, map_.q);
    else
      map_.moveTo(problem, best_.iterate().r, best_.iterate().lambda);
    const double now = descend(system, options, report);
    if (best_.residual() <= (round < kPolishes ? kEnough : 1.0) * options.tolerance * system.scale()) break;
    if (lost && end < kFar) {
      if (++failures == kFailures) break;
      care_ = std::max(kCare * care_, kMostCare);
    }
    if (arrived && blurred && end < kFar) usual = std::max(0.01 * usual, kLeastEnd);
    end = arrived && !blurred && end < kFar && now > kSlow * residual ? kFar : usual;
    first = arrived ? kRestart * usual : kFirst;
    residual = now;
  }
  best_.conclude(system, options, limit, iterate, report);
  return report;
}

}  // namespace

std::unique_ptr<VelocityMethod> makeContinuationMethod() { return std::make_unique<ContinuationMethod>(); }

}  // namespace stiction
