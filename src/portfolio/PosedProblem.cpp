#include "portfolio/PosedProblem.hpp"

#include "solvers/LocalFactor.hpp"

namespace stiction {

const VectorX& PosedProblem::mu() const { return global_ != nullptr ? global_->mu : local_->mu; }

int PosedProblem::contacts() const { return global_ != nullptr ? global_->contacts() : local_->contacts(); }

int PosedProblem::velocities() const { return global_ != nullptr ? global_->dof() : mostVelocities(*local_); }

void PosedProblem::prepare(Certifier& certifier) const { global_ != nullptr ? certifier.prepare(*global_) : certifier.prepare(*local_); }

Certificate PosedProblem::judge(Certifier& certifier, const Iterate& iterate) const {
  return global_ != nullptr ? certifier.judge(*global_, iterate) : certifier.judge(*local_, iterate);
}

SolveReport PosedProblem::solve(Solver& solver, Iterate& iterate, const SolveOptions& options) const {
  return global_ != nullptr ? solver.solve(*global_, iterate, options) : solver.solve(*local_, iterate, options);
}

}  // namespace stiction
