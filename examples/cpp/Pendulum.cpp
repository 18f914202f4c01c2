// A walkthrough of Lagrange multipliers on one body: write a constraint, solve for its multiplier, step it. Two ways to step: Baumgarte's gains, and on the level of positions.
//
//   Pendulum [FOLDER]      FOLDER: where drift.csv goes, how far each way drifts off the constraint in ten seconds
#include <stiction/constraints.hpp>

#include <cmath>
#include <cstdio>
#include <string>

using stiction::ConstrainedBody;
using stiction::ConstraintSolver;
using stiction::MatrixX;
using stiction::State;
using stiction::Vector3;
using stiction::VectorX;

namespace {

// Step 1: the interface is stiction::Constraint. Step 2: a constraint of our own, |X|² − d² = 0.
class Tether : public stiction::BilateralConstraint {
 public:
  explicit Tether(double length) : length_{length} {}
  int dimension() const override { return 1; }
  VectorX evaluate(const State& state, double /*time*/) const override { return VectorX::Constant(1, state.position.squaredNorm() - length_ * length_); }
  MatrixX jacobian(const State& state, double /*time*/) const override {
    MatrixX J = MatrixX::Zero(1, 7);
    J.leftCols<3>() = 2 * state.position.transpose();
    return J;
  }
  std::string typeName() const override { return "Tether"; }

 private:
  double length_;  // [m]
};

constexpr double kLength = 1, kMass = 2, kGravity = 9.81;
const stiction::Matrix3 kInertia = Vector3{0.5, 0.4, 0.3}.asDiagonal();

/// Released level: the swing that asks most of a tether.
State level() {
  State state;
  state.position = stiction::Coordinate{kLength, 0, 0};
  return state;
}

// Step 3: the multiplier.
bool solveOnce(Tether& tether) {
  State state = level();
  state.position = stiction::Coordinate{0, 0, -kLength};
  state.velocity = stiction::Coordinate{3, 0, 0};
  stiction::UnitQuaternionConstraint unit;
  const ConstraintSolver solver;
  const auto result = solver.solve({&tether, &unit}, state, Vector3{0, 0, -kMass * kGravity}, kMass, kInertia.inverse(), 0.016);
  const double pull = kMass * (kGravity + 9 / kLength);
  std::printf("through the lowest point at 3 m/s: the tether pulls with %.6f N, exact %.6f; condition number %.1f (%s), rank %d\n", result.linearForce.z(),
              pull, result.conditionNumber, stiction::conditionLabel(result.conditionNumber), result.rank);
  return result.converged && std::abs(result.linearForce.z() - pull) <= 1e-6;
}

/// Step 4: the loop. Largest | |X| − d | [m] in ten seconds; NaN when the solver gives up.
double drift(Tether& tether, double dt, ConstrainedBody::Stabilisation stabilisation, ConstraintSolver::AccelerationForm form) {
  ConstrainedBody body{kMass, kInertia, {&tether}};
  body.setStabilisation(stabilisation);
  body.solver().setAccelerationForm(form);
  State state = level();
  double worst = 0;
  for (int k = 0; k < static_cast<int>(std::lround(10 / dt)); ++k) {
    if (!body.physicsStep(state, dt).converged) return std::nan("");
    worst = std::max(worst, std::abs(state.position.norm() - kLength));
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  using Form = ConstraintSolver::AccelerationForm;
  using Way = ConstrainedBody::Stabilisation;
  Tether tether{kLength};
  bool right = solveOnce(tether);
  std::FILE* table = argc > 1 ? std::fopen((std::string{argv[1]} + "/drift.csv").c_str(), "w") : nullptr;
  if (argc > 1 && !table) {
    std::fprintf(stderr, "Pendulum: cannot write drift.csv in %s; give a folder that exists\n", argv[1]);
    return 2;
  }
  if (table) std::fprintf(table, "dt,position_level,baumgarte,baumgarte_without_velocity_product\n");
  std::printf("%8s  %16s  %16s  %16s\n", "dt [ms]", "position level", "Baumgarte", "without Jdot qdot");
  for (const double dt : {0.001, 0.002, 0.004, 0.008, 0.016, 0.032}) {
    const double exact = drift(tether, dt, Way::PositionLevel, Form::Full), gains = drift(tether, dt, Way::Baumgarte, Form::Full),
                 shorter = drift(tether, dt, Way::Baumgarte, Form::WithoutVelocityProduct);
    std::printf("%8.0f  %14.2e m  %14.2e m  %14.2e m\n", 1e3 * dt, exact, gains, shorter);
    if (table) std::fprintf(table, "%g,%.6e,%.6e,%.6e\n", dt, exact, gains, shorter);
    right = right && exact < 1e-9;
  }
  if (table) std::fclose(table);
  return right ? 0 : 1;
}
