// A program written from the founding documents alone: their interfaces, their numbers. Only the namespace and the include line differ. Exit code 0 when every number is right.
#include <stiction/constraints.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace stiction;

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "Documents: wrong: %s\n", what);
}

void expectNear(double value, double expected, double tolerance, const char* what) {
  if (std::abs(value - expected) <= tolerance) return;
  ++failures;
  std::fprintf(stderr, "Documents: wrong: %s is %.17g, expected %.17g\n", what, value, expected);
}

template <typename Function>
bool refuses(const Function& function) {
  try {
    function();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

// --- Tangent basis and friction constraint ---

void tangentBasis() {
  const Coordinate normal{0.0, 0.6, 0.8};
  const TangentFrame frame = TangentBasis::computeTangentBasis(normal);
  expectNear(frame.t1.norm(), 1.0, 1e-6, "|t1|");
  expectNear(frame.t2.norm(), 1.0, 1e-6, "|t2|");
  expectNear(frame.t1.dot(frame.t2), 0.0, 1e-6, "t1 . t2");
  expectNear(frame.t1.dot(normal), 0.0, 1e-6, "t1 . n");
  expect(refuses([] { TangentBasis::computeTangentBasis(Coordinate{0.0, 0.0, 2.0}); }), "a normal of length 2");
  expect(refuses([] { TangentFrame(Coordinate{1.0, 0.0, 0.0}, Coordinate{0.0, 2.0, 0.0}); }), "a tangent of length 2");
}

void frictionConstraint() {
  const Coordinate normal{0.0, 0.0, 1.0}, point{0.5, 0.0, 0.0}, comA{0.0, 0.0, -1.0}, comB{0.5, 0.0, 1.0};
  FrictionConstraint friction{0, 1, normal, point, point, comA, comB, 0.5};
  const TwoBodyConstraint& base = friction;
  InertialState stateA, stateB;
  expect(base.dimension() == 2, "dimension");
  expect(base.typeName() == "FrictionConstraint", "typeName");
  expect(base.alpha() == 0.0 && base.beta() == 0.0, "gains of friction");
  expect(!base.isActiveTwoBody(stateA, stateB, 0.0), "active without normal force");
  friction.setNormalLambda(100.0);
  expect(base.isActiveTwoBody(stateA, stateB, 0.0), "active with normal force");
  const std::pair<double, double> bounds = friction.getFrictionBounds();
  expectNear(bounds.first, -35.355339059327378, 1e-12, "lower bound");
  expectNear(bounds.second, 35.355339059327378, 1e-12, "upper bound");
  friction.setNormalLambda(200.0);
  expectNear(friction.getFrictionBounds().second, 70.710678118654755, 1e-12, "bound after setNormalLambda(200)");
  expectNear(friction.getFrictionCoefficient(), 0.5, 0.0, "friction coefficient");

  const Eigen::MatrixXd J = base.jacobianTwoBody(stateA, stateB, 0.0);
  expect(J.rows() == 2 && J.cols() == 12, "2 x 12");
  const Coordinate rA = point - comA, rB = point - comB;
  for (int row = 0; row < 2; ++row) {
    const Coordinate& t = row == 0 ? friction.getTangent1() : friction.getTangent2();
    Eigen::Matrix<double, 1, 12> expected;
    expected << t.transpose(), rA.cross(t).transpose(), -t.transpose(), -rB.cross(t).transpose();
    expect((J.row(row) - expected).cwiseAbs().maxCoeff() <= 1e-15, "a row of the friction Jacobian");
  }
  stateA.velocity = Coordinate{1.0, 2.0, 0.0};
  const Eigen::VectorXd C = base.evaluateTwoBody(stateA, stateB, 0.0);
  expectNear(C(0), stateA.velocity.dot(friction.getTangent1()), 1e-15, "velocity along t1");
  expectNear(C(1), stateA.velocity.dot(friction.getTangent2()), 1e-15, "velocity along t2");
  expect(refuses([&] { FrictionConstraint{0, 1, Coordinate{0.0, 0.0, 1.1}, point, point, comA, comB, 0.5}; }), "a normal of length 1.1");
  expect(refuses([&] { FrictionConstraint{0, 1, normal, point, point, comA, comB, -0.1}; }), "a negative friction coefficient");
}

// --- Lagrange multipliers: the constraints of the tutorial, written as it writes them ---

class UnitLength : public Constraint {
 public:
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const State& state, double /*time*/) const override {
    const Eigen::Quaterniond& Q = state.orientation;
    Eigen::VectorXd C(1);
    C(0) = Q.squaredNorm() - 1.0;
    return C;
  }
  Eigen::MatrixXd jacobian(const State& state, double /*time*/) const override {
    const Eigen::Quaterniond& Q = state.orientation;
    Eigen::MatrixXd J(1, 7);
    J.setZero();
    J(0, 3) = 2.0 * Q.w();
    J(0, 4) = 2.0 * Q.x();
    J(0, 5) = 2.0 * Q.y();
    J(0, 6) = 2.0 * Q.z();
    return J;
  }
};

class Tether : public Constraint {
 public:
  explicit Tether(double distance) : distance_{distance} {}
  int dimension() const override { return 1; }
  Eigen::VectorXd evaluate(const State& state, double /*time*/) const override {
    return Eigen::VectorXd::Constant(1, state.position.squaredNorm() - distance_ * distance_);
  }
  Eigen::MatrixXd jacobian(const State& state, double /*time*/) const override {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(1, 7);
    J.leftCols(3) = 2.0 * state.position.transpose();
    return J;
  }

 private:
  double distance_;
};

void lagrangeMultipliers() {
  constexpr double mass = 2.0, g = 9.81, dt = 0.016;
  UnitLength unit;
  Tether tether{1.0};
  expectNear(unit.alpha(), 10.0, 0.0, "alpha");
  expectNear(unit.beta(), 10.0, 0.0, "beta");
  State state;
  state.position = Coordinate{0.0, 0.0, -1.0};
  const Eigen::Vector3d weight{0.0, 0.0, -mass * g};
  const Eigen::Matrix3d inverseInertia = Eigen::Vector3d{2.0, 3.0, 4.0}.asDiagonal();
  const ConstraintSolver solver;

  // Hanging at rest: the tether carries the weight. λ = −9.81: J = 2 Xᵀ.
  const auto hanging = solver.solve({&tether, &unit}, state, weight, mass, inverseInertia, dt);
  expect(hanging.converged, "hanging: converged");
  expectNear(hanging.lambda(0), -g, 1e-12, "hanging: multiplier");
  expectNear(hanging.lambda(1), 0.0, 1e-12, "hanging: multiplier of the unit length");
  expectNear(hanging.linearForce.z(), mass * g, 1e-12, "hanging: force");
  expect(hanging.angularTorque.norm() <= 1e-12, "hanging: torque");
  expect(hanging.F_c.size() == 7, "size of F_c");

  // Swinging through the lowest point at 3 m/s: the tether bears m (g + v²/d) as well, which the velocity product gives.
  state.velocity = Coordinate{3.0, 0.0, 0.0};
  const auto swinging = solver.solve({&tether}, state, weight, mass, inverseInertia, dt);
  expectNear(swinging.linearForce.z(), mass * (g + 9.0), 1e-6, "swinging: force");

  // Off by ΔC = 0.21 at rest: C̈ = −α C, so the force is heavier by m α C / (2 d) with d = 1.1.
  state.velocity = Coordinate{0.0, 0.0, 0.0};
  state.position = Coordinate{0.0, 0.0, -1.1};
  const auto off = solver.solve({&tether}, state, weight, mass, inverseInertia, dt);
  expectNear(off.linearForce.z(), mass * (g + 10.0 * 0.21 / 2.2), 1e-10, "Baumgarte's pull");

  // The constraints that the library brings agree with the tutorial's.
  DistanceConstraint rod{1.0};
  UnitQuaternionConstraint length;
  expect((rod.jacobian(state, 0.0) - tether.jacobian(state, 0.0)).norm() == 0.0, "DistanceConstraint's Jacobian");
  expect((length.jacobian(state, 0.0) - unit.jacobian(state, 0.0)).norm() == 0.0, "UnitQuaternionConstraint's Jacobian");

  // The tutorial's loop, with its names.
  state.position = Coordinate{0.0, 0.0, -1.0};
  for (int k = 0; k < 100; ++k) {
    const auto result = solver.solve({&tether, &unit}, state, weight, mass, inverseInertia, dt);
    const Eigen::Vector3d total = weight + result.linearForce;
    state.velocity += (total / mass) * dt;
    state.position += state.velocity * dt;
    state.quaternionRate = InertialState::omegaToQuaternionRate(Coordinate{0.0, 0.0, 0.0}, state.orientation);
  }
  expectNear(state.position.z(), -1.0, 1e-12, "hanging for 100 steps");
}

// --- Contacts and friction ---

struct Push {
  double force;     // [N] along x
  double friction;  // [N] expected
  const char* what;
};

/// A mass of 1 kg on the ground, μ = 0.5, pushed for one step: it sticks up to 4.905 N, then slips at μ m g.
void pushedMass(const Push& push) {
  constexpr double mass = 1.0, g = 9.81, mu = 0.5, dt = 0.01;
  const Coordinate up{0.0, 0.0, 1.0}, origin;
  ContactConstraint contact{0, 1, up, origin, origin, 0.0, Coordinate{0.0, 0.0, -1.0}, origin, 0.0, 0.0};
  FrictionConstraint friction{0, 1, up, origin, origin, Coordinate{0.0, 0.0, -1.0}, origin, mu};
  InertialState ground, body;
  ground.position = Coordinate{0.0, 0.0, -1.0};
  body.velocity = Coordinate{push.force / mass * dt, 0.0, -g * dt};
  const std::vector<std::reference_wrapper<const InertialState>> states{ground, body};
  const ConstraintSolver solver;
  const auto result = solver.solveWithContacts({&contact, &friction}, states, {0.0, 1.0 / mass}, {Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Identity()}, 2, dt);
  expect(result.converged, push.what);
  expect(result.lambdas.size() == 3, "n, t1, t2");
  expectNear(result.lambdas(0), mass * g * dt, 1e-12, push.what);
  expectNear(result.bodyForces[1].linearForce.x(), push.friction, 1e-10, push.what);
  expectNear(std::hypot(result.lambdas(1), result.lambdas(2)), -push.friction * dt, 1e-12, push.what);
}

void solverSettings() {
  ConstraintSolver solver;
  expect(solver.getECOSTolerance() == std::pair<double, double>(kECOSDefaultTol, kECOSDefaultTol), "ECOS tolerances");
  expect(solver.getECOSMaxIterations() == kECOSDefaultMaxIter && kECOSDefaultMaxIter == 100, "ECOS iterations");
  solver.setECOSTolerance(1e-8, 1e-7);
  solver.setECOSMaxIterations(50);
  expect(solver.getECOSTolerance() == std::pair<double, double>(1e-8, 1e-7) && solver.getECOSMaxIterations() == 50, "ECOS settings");
  expect(refuses([&] { solver.setECOSTolerance(-1.0, 1e-6); }), "a negative tolerance");
  expect(refuses([&] { solver.setECOSMaxIterations(0); }), "no iterations");

  const Eigen::VectorXd lambda = Eigen::VectorXd::Ones(3);
  const ConstraintSolver::ActiveSetResult empty;
  expect(!empty.converged && empty.solver_type == "ASM" && std::isnan(empty.gap), "an empty result");
  const ConstraintSolver::ActiveSetResult activeSet{lambda, true, 4, 2};
  expect(activeSet.solver_type == "ASM" && activeSet.iterations == 4 && activeSet.active_set_size == 2, "the active set's constructor");
  const ConstraintSolver::ActiveSetResult ecos{lambda, true, 9, 0, 1e-9, 2e-9, 3e-9};
  expect(ecos.solver_type == "ECOS" && ecos.ecos_exit_flag == 0 && ecos.primal_residual == 1e-9 && ecos.dual_residual == 2e-9 && ecos.gap == 3e-9,
         "ECOS's constructor");
}

// --- The cone solver's types, which every build has ---

void coneTypes() {
  const Eigen::MatrixXd dense = (Eigen::MatrixXd(3, 2) << 1.0, 0.0, 0.0, 2.0, 3.0, 0.0).finished();
  const auto sparse = ConstraintSolver::ECOSSparseMatrix::fromDense(dense);
  expect(sparse.nnz == 3 && sparse.nrows == 3 && sparse.ncols == 2, "a sparse matrix's sizes");
  expect(sparse.data == std::vector<double>{1.0, 3.0, 2.0} && sparse.row_indices == std::vector<long>{0, 2, 1} && sparse.col_ptrs == std::vector<long>{0, 2, 3},
         "a sparse matrix's columns");
  const Eigen::SparseMatrix<double> given = dense.sparseView();
  expect(ConstraintSolver::ECOSSparseMatrix::fromSparse(given).data == sparse.data, "the same from a sparse matrix");
  ConstraintSolver::FrictionConeSpec spec{2};
  spec.setFriction(0, 0.5, 0);
  spec.setFriction(1, 0.3, 3);
  expect(spec.numContacts == 2 && spec.frictionCoefficients == std::vector<double>{0.5, 0.3} && spec.normalIndices == std::vector<int>{0, 3}, "a cone spec");
  expect(spec.getConeSizes() == std::vector<long>{3, 3}, "cone sizes");
  static_assert(!std::is_copy_constructible_v<ConstraintSolver::ECOSData> && std::is_nothrow_move_constructible_v<ConstraintSolver::ECOSData>);
  ConstraintSolver::ECOSData data{2};
  expect(data.num_variables == 6 && data.num_cones == 2 && data.workspace == nullptr, "ECOSData of two contacts");
}

// --- The implicit engine: the configuration and the contact of its document ---

void implicitEngine() {
  const EngineConfig config{.contact_compliance = 1e-5, .contact_fb_alpha = 0.5};
  ContactBasis basisA, basisB;  // a body at the origin on fixed ground: (force, torque)
  basisA.normal << 0, 0, 1, 0, 0, 0;
  basisA.tangent1 << 1, 0, 0, 0, 0, 0;
  basisA.tangent2 << 0, 1, 0, 0, 0, 0;
  basisB = {-basisA.normal, -basisA.tangent1, -basisA.tangent2};
  ContactInteraction contact;
  contact.body_a_idx = 0;
  contact.body_b_idx = 1;
  contact.penetration_depth = 0.0;
  contact.restitution_coeff = 0.0;
  contact.basis_a = basisA;
  contact.basis_b = basisB;
  contact.is_active = true;
  EngineBody body, ground;
  body.mass = 1.0;
  body.force = {0.0, 0.0, -9.81};
  ground.mass = std::numeric_limits<double>::infinity();
  std::vector<EngineBody> bodies{body, ground};
  const ImplicitEngine engine{config};
  for (int k = 0; k < 500; ++k) {
    contact.penetration_depth = -bodies[0].state.position.z();
    expect(engine.step(bodies, {contact}, {0.5}, {}, 0.004).certified, "a step of the implicit engine");
  }
  expectNear(bodies[0].state.position.z(), -1e-5 * 9.81, 1e-10, "sinking by the compliance");
}

}  // namespace

int main() {
  tangentBasis();
  frictionConstraint();
  lagrangeMultipliers();
  for (const Push& push : {Push{3.0, -3.0, "stick"}, Push{4.9, -4.9, "stick, just below"}, Push{4.91, -4.905, "slip, just above"}, Push{10.0, -4.905, "slip"}})
    pushedMass(push);
  solverSettings();
  coneTypes();
  implicitEngine();
  return failures == 0 ? 0 : 1;
}
