#include "portfolio/RestSearch.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kRough = 1e-6, kSharp = 1e-11;  // [-] residual of a relaxation that tells whether there is rest, of one to rest on,
constexpr double kSharpest = 1e-15;              // [-] and what Newton's method aims at from there
constexpr int kRounds = 5, kSharpSteps = 6;
constexpr double kPressed = 1e-3;  // [-] of the certificate's scale: what a contact's normal impulse does to its bodies where the loads press it

}  // namespace

PortfolioReport RestSearch::find(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options, Certifier& certifier) {
  report_ = {};
  report_.rung = "rest";
  options_ = &options;
  certifier_ = &certifier;
  const bool isRelaxed = relaxation_.certify(problem, iterate).passes(options.tolerance);
  const bool almostRests = holds(problem, options.tolerance, iterate);
  if (!almostRests && (isRelaxed || !rests(problem, problem.mu, kRough, iterate))) return report_;
  if (almostRests) almost_ = iterate;
  pressed_.setZero(problem.contacts());
  for (int round = 0; round < kRounds; ++round) {
    report_.certified = rests(problem, pressed_, kSharp, iterate);
    if (report_.certified || !press(problem, iterate)) break;
  }
  if (report_.certified)
    sharpen(iterate);
  else if (almostRests)
    iterate = almost_;
  report_.certified = holds(problem, options.tolerance, iterate);
  return report_;
}

/// Gives friction to what bears load. Returns whether to anything more.
bool RestSearch::press(const ContactProblem& problem, const Iterate& iterate) {
  bool isMore = false;
  for (int i = 0; i < problem.contacts(); ++i) {
    if (pressed_[i] == problem.mu[i] || !(certifier_->omega()[i] * iterate.r[3 * i] > kPressed * certifier_->scale())) continue;
    pressed_[i] = problem.mu[i];
    isMore = true;
  }
  return isMore;
}

/// By Newton's method, the last problem relaxed: what contacts see of a high tower's motion is little.
void RestSearch::sharpen(Iterate& iterate) {
  SolveOptions options = *options_;
  options.warm = true;
  options.maxIterations = kSharpSteps;
  options.patience = 2;
  options.tolerance = options.polish = kSharpest;
  run(*newton_, options, iterate);
}

void RestSearch::run(VelocityMethod& method, const SolveOptions& options, Iterate& iterate) {
  const SolveReport report = method.run(system_, iterate, options);
  report_.iterations += report.iterations;
  report_.factorisations += report.factorisations;
}

bool RestSearch::holds(const ContactProblem& problem, double tolerance, Iterate& iterate) {
  iterate.v.setZero(problem.dof());
  report_.certificate = certifier_->judge(problem, iterate);
  return report_.certificate.passes(tolerance);
}

bool RestSearch::rests(const ContactProblem& problem, const VectorX& mu, double accuracy, Iterate& iterate) {
  return relax(problem, mu, accuracy, iterate) && holds(problem, std::max(10 * accuracy, options_->tolerance), iterate);
}

bool RestSearch::relax(const ContactProblem& problem, const VectorX& mu, double accuracy, Iterate& iterate) {
  relaxed_ = problem;
  relaxed_.mu = mu;
  system_.setDeadline(options_->deadline);
  if (!system_.bind(relaxed_)) return false;
  SolveOptions options = *options_;
  options.warm = false;
  options.maxIterations = options.patience = 0;
  options.tolerance = options.polish = accuracy;
  fitIterate(relaxed_, iterate, false);
  run(*convex_, options, iterate);
  return true;
}

}  // namespace stiction
