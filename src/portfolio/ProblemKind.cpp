#include "portfolio/ProblemKind.hpp"

#include "solvers/LaggedShift.hpp"

namespace stiction {
namespace {

constexpr double loadedRedundancy = 1.5;  // [-] components of contacts that bear load a velocity: heaps of spheres have 0.6 to 0.9, piles of boxes 2

bool isLoaded(const Iterate& iterate, int i) { return !iterate.r.segment<3>(3 * i).isZero(0); }

}  // namespace

bool isNearlyAlone(const PosedProblem& problem) {
  return problem.contacts() > 0 && problem.contacts() <= kAloneContacts && (problem.global() == nullptr || problem.global()->rows() == 0);
}

bool isStructure(const PosedProblem& problem) { return problem.contacts() >= kFewContacts && 3 * problem.contacts() > kTight * problem.velocities(); }

bool isRedundant(const Iterate& best, int dof) {
  int loaded = 0;
  for (int i = 0; i < best.r.size() / 3; ++i) loaded += isLoaded(best, i) ? 1 : 0;
  return 3 * loaded > loadedRedundancy * dof;
}

double componentsPerVelocity(const ContactProblem& problem) { return 3.0 * problem.contacts() / problem.dof(); }

bool SlidingContacts::mostAreSlower(const ContactProblem& problem, const VectorX& v, double speed) {
  LaggedShift::findSliding(problem, v, rates_, sliding_);
  return 2 * (sliding_.array() < speed).count() > sliding_.size();
}

bool SlidingContacts::isLoose(const ContactProblem& problem, const Iterate& best, double scale) {
  return problem.contacts() > kManyContacts && problem.axisBounds == nullptr && best.r.size() == 3 * problem.contacts() && best.v.size() == problem.dof() &&
         !isRedundant(best, problem.dof()) && !creeps(problem, best, scale);
}

bool SlidingContacts::creeps(const ContactProblem& problem, const Iterate& best, double scale) {
  LaggedShift::findSliding(problem, best.v, rates_, sliding_);
  int slowly = 0;
  for (int i = 0; i < problem.contacts(); ++i) slowly += isLoaded(best, i) && sliding_[i] < kSlow * scale ? 1 : 0;
  return 2 * slowly > problem.contacts();
}

}  // namespace stiction
