// Contacts that creep, held: where most of a pile stands still and little of it moves, other methods end near answers in which hundreds of contacts slide at 1e-6 of the scale, since impulses
// would have to go a long way along self-stresses for them to stick. With De Saxcé's shift left out where contacts slide so slowly, the convex problem (LaggedShift) lets them rest, its
// interior point puts their impulses in the middle of what rest allows, and Newton on the strict law ends from there, where the shifts of the contacts that move are nearly right.
#include "solvers/LaggedShift.hpp"
#include "solvers/NewtonShot.hpp"

namespace stiction {
namespace {

class SettledShiftMethod : public VelocityMethod {
 public:
  SolveReport run(VelocitySystem& system, Iterate& iterate, const SolveOptions& options) override {
    constexpr double creeping = 1e-3;  // [-] of the scale: slower contacts are held
    constexpr double accuracy = 1e-6;  // [-] residual of the convex problem
    best_.reset();
    shot_.reset();
    best_.offer(system, iterate.r, iterate.lambda);
    LaggedShift::findSliding(system.problem(), iterate.v, u_, sliding_);
    sliding_ = (sliding_.array() < creeping * system.scale()).select(0.0, sliding_);
    trial_ = iterate;
    SolveReport report = shift_.relax(system, sliding_, trial_, options, accuracy);
    const double residual = best_.offer(system, trial_.r, trial_.lambda);
    if (best_.residual() > options.polish * system.scale()) shot_.hits(system, best_, residual, options, report);
    best_.conclude(system, options, report.iterations, iterate, report);
    return report;
  }
  bool takesUnsymmetric() const override { return false; }

 private:
  static constexpr double kNear = 1e-4;  // [-] residual from which Newton on the strict law is tried

  LaggedShift shift_;
  NewtonShot shot_{kNear};
  BestIterate best_;
  VectorX u_, sliding_;
  Iterate trial_;
};

}  // namespace

std::unique_ptr<VelocityMethod> makeSettledShiftMethod() { return std::make_unique<SettledShiftMethod>(); }

}  // namespace stiction
