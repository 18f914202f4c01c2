#include "certify/Infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/MassInverse.hpp"

namespace stiction {

InfeasibilityProof proveInfeasible(const ContactProblem& problem, const Iterate& impulses) {
  constexpr double spent = 0.5;  // [-] of the closing speed is given away for motions up to the energy
  VectorX n = VectorX::Zero(3 * problem.contacts()), lambda = VectorX::Zero(problem.rows());
  if (impulses.r.size() != n.size() || (impulses.lambda.size() != lambda.size() && impulses.lambda.size() != 0)) return {};
  for (int i = 0; i < problem.contacts(); ++i)
    if (problem.R.size() == 0 || problem.R[3 * i] == 0) n[3 * i] = std::max(impulses.r[3 * i], 0.0);
  for (int k = 0; k < static_cast<int>(impulses.lambda.size()); ++k)
    if (problem.C.size() == 0 || problem.C[k] == 0) lambda[k] = impulses.lambda[k];
  const double total = n.sum(), closing = -(n.dot(problem.w) + lambda.dot(problem.b));
  certification::MassInverse mass;
  mass.factor(problem.M);
  if (!(total > 0) || !std::isfinite(total) || !(closing > 0) || !mass.usable()) return {};
  VectorX p = VectorX::Zero(problem.dof());
  multiplyAdd(problem.H, n, p);
  multiplyAdd(problem.G, lambda, p);
  VectorX change = p;
  mass.solve(change);
  const double left = p.dot(change);  // [J] pᵀM⁻¹p
  InfeasibilityProof proof;
  proof.closing = spent * closing / total;
  proof.kineticEnergy = left > 0 ? 0.5 * std::pow((1 - spent) * closing, 2) / left : std::numeric_limits<double>::infinity();
  Eigen::Index worst = 0;
  n.maxCoeff(&worst);
  proof.worstContact = static_cast<int>(worst / 3);
  return proof;
}

}  // namespace stiction
