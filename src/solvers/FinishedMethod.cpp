// A method and, from where it ends, Newton on the strict natural map: an interior point's last digits drown in the stiffness of contacts that stick.
#include "solvers/VelocityMethod.hpp"

namespace stiction {
namespace {

class FinishedMethod : public VelocityMethod {
 public:
  explicit FinishedMethod(std::unique_ptr<VelocityMethod> method) : method_{std::move(method)} {}

  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override {
    constexpr double near = 1e-3;  // [-] residual beyond which Newton is not worth its steps
    constexpr int steps = 20, patience = 3;
    SolveReport report = method_->run(system, iterate, options);
    if (report.residual <= options.polish || !(report.residual <= near)) return report;
    SolveOptions finish = options;
    finish.warm = true;
    finish.maxIterations = steps;
    finish.patience = patience;
    trial_ = iterate;
    const SolveReport end = newton_->run(system, trial_, finish);
    report.iterations += end.iterations;
    report.factorisations += end.factorisations;
    if (!(end.residual < report.residual)) return report;
    std::swap(iterate, trial_);
    report.residual = end.residual;
    report.status = end.status;
    return report;
  }

  bool takesUnsymmetric() const override { return method_->takesUnsymmetric(); }

 private:
  std::unique_ptr<VelocityMethod> method_, newton_{makeNewtonMethod()};
  Iterate trial_;
};

}  // namespace

std::unique_ptr<VelocityMethod> makeFinishedIpmMethod() { return std::make_unique<FinishedMethod>(makeIpmMethod()); }

}  // namespace stiction
