// A method that works in velocity space on a bound VelocitySystem, and the adaptor that gives it the solvers' common verb.
// A local problem (W, q, μ) enters through a rank-revealing factor W ≈ L Lᵀ (LocalFactor): unit masses, H = Lᵀ.
#pragma once
#include <memory>

#include "solvers/LocalFactor.hpp"
#include "solvers/Solver.hpp"
#include "solvers/VelocitySystem.hpp"

namespace stiction {

class VelocityMethod {
 public:
  virtual ~VelocityMethod() = default;
  virtual SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) = 0;
  /// Whether the method can read contact velocities by other columns than H (an unsymmetric Delassus operator).
  virtual bool takesUnsymmetric() const { return true; }
};

std::unique_ptr<VelocityMethod> makeNewtonMethod();
std::unique_ptr<VelocityMethod> makeProxMethod(Law law = Law::Coulomb);
std::unique_ptr<VelocityMethod> makeBoxMethod();
std::unique_ptr<VelocityMethod> makeProxAcMethod();
std::unique_ptr<VelocityMethod> makeIpmMethod();
/// The interior point and, from where it ends, Newton: as a method by itself. `auto` has a Newton of its own.
std::unique_ptr<VelocityMethod> makeFinishedIpmMethod();
std::unique_ptr<VelocityMethod> makeContinuationMethod();
std::unique_ptr<VelocityMethod> makeCentralPathMethod();
std::unique_ptr<VelocityMethod> makeConvexMethod();
std::unique_ptr<VelocityMethod> makeLaggedShiftMethod();
/// One try, from the velocities of the iterate.
std::unique_ptr<VelocityMethod> makeSettledShiftMethod();
std::unique_ptr<VelocityMethod> makeAdmmMethod();

/// Gives r, λ and v of the problem's sizes: zeros where the start is missing or of another size.
void fitIterate(const ContactProblem& problem, Iterate& iterate, bool warm);
void fitIterate(const LocalContactProblem& problem, Iterate& iterate, bool warm);

/// Keeps the best answer seen: cone-feasible r, the velocity it implies, and its residual by the law.
class BestIterate {
 public:
  explicit BestIterate(Law law = Law::Coulomb) : law_{law} {}
  void reset() { residual_ = std::numeric_limits<double>::infinity(); }
  /// Projects r on the cones, computes v = v_free + M⁻¹(H r + G λ) and the residual [m/s]; keeps it if it is the best, or none has a finite residual. Returns the residual.
  double offer(VelocitySystem& system, const VectorX& r, const VectorX& lambda);
  /// Hands over the best answer, if any was finite, and fills residual and status of the report; `limit` is the method's limit of iterations.
  void conclude(const VelocitySystem& system, const SolveOptions& options, int limit, Iterate& iterate, SolveReport& report) const;
  double residual() const { return residual_; }
  const Iterate& iterate() const { return best_; }
  const Iterate& last() const { return trial_; }

 private:
  Law law_;
  Iterate best_, trial_;
  VectorX u_, rows_;
  double residual_{std::numeric_limits<double>::infinity()};
};

class VelocitySolver : public Solver {
 public:
  VelocitySolver(SolverInfo info, std::unique_ptr<VelocityMethod> method) : info_{std::move(info)}, method_{std::move(method)} {}
  const SolverInfo& info() const override { return info_; }
  SolveReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) override;
  SolveReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) override;

 private:
  SolverInfo info_;
  std::unique_ptr<VelocityMethod> method_;
  VelocitySystem system_;
  LocalFactor factor_;
};

}  // namespace stiction
