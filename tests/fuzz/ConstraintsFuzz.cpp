// Any bytes as calls of the object-level API, absurd numbers among them: wrong arguments are refused by name, everything else comes back finite or says that it did not converge.
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/Assert.hpp"
#include "base/Error.hpp"
#include "constraints/ConstrainedBody.hpp"
#include "constraints/ConstraintSolver.hpp"
#include "constraints/ContactConstraint.hpp"
#include "constraints/DistanceConstraint.hpp"
#include "constraints/FrictionConstraint.hpp"
#include "constraints/ImplicitEngine.hpp"
#include "constraints/RevoluteConstraint.hpp"
#include "constraints/UnitQuaternionConstraint.hpp"
#include "integrate/Simulation.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/Ecos.hpp"

namespace {

using namespace stiction;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_{data}, size_{size} {}
  int below(int n) { return next() % n; }
  /// Mostly a tame number in [−2, 2]; now and then none at all, or an absurd one.
  double number() {
    constexpr std::array absurd{0.0, -0.0, 1e-300, 1e300, -1e300, 1e-9, 1e9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    const int kind = next();
    if (kind >= 240) return absurd[static_cast<std::size_t>(kind) % absurd.size()];
    return (kind - 120) / 60.0 + next() / 1e4;
  }
  double positive() { return std::abs(number()) + 0.01; }
  Coordinate point() { return {number(), number(), number()}; }
  Coordinate direction() {
    const Coordinate d = point();
    return below(4) == 0 || !(d.norm() > 1e-3) || !d.allFinite() ? d : Coordinate{Vector3{d / d.norm()}};
  }
  InertialState state() {
    InertialState s;
    s.position = point();
    s.velocity = point();
    if (below(2) == 0) s.orientation = Quaternion{number(), number(), number(), number()};
    if (below(4) != 0 && s.orientation.norm() > 1e-3) s.orientation.normalize();
    s.setAngularVelocity(point());
    return s;
  }

 private:
  int next() { return at_ < size_ ? data_[at_++] : 0; }
  const std::uint8_t* data_;
  std::size_t size_, at_{0};
};

/// What may be refused is refused with this, whose element is named.
template <typename Function>
bool accepted(Function&& function) {
  try {
    function();
    return true;
  } catch (const InputError& error) {
    STICTION_ASSERT(!error.element().empty());
  } catch (const std::invalid_argument& error) {  // the tangent bases' own
    STICTION_ASSERT(error.what()[0] != '\0');
  }
  return false;
}

/// A constraint that may give wrong sizes and numbers in place of what its base gives.
struct Strange {
  Strange(Bytes& bytes, int rows) : what{bytes.below(4)}, height{bytes.below(2) == 0 ? rows : bytes.below(4)}, width{bytes.below(14)}, entry{bytes.number()} {}
  /// Spoils the one that is chosen.
  template <typename Value>
  Value in(int which, Value good) const {
    if (which != what) return good;
    if constexpr (Value::ColsAtCompileTime == 1)
      return Value::Constant(height, entry);
    else
      return Value::Constant(height, width, entry);
  }
  int what, height, width;
  double entry;
};

template <typename Base>
class StrangeTwoBody : public Base {
 public:
  template <typename... Arguments>
  explicit StrangeTwoBody(Bytes& bytes, const Arguments&... arguments) : Base{arguments...}, strange_{bytes, Base::dimension()} {}
  VectorX evaluateTwoBody(const InertialState& a, const InertialState& b, double t) const override { return strange_.in(0, Base::evaluateTwoBody(a, b, t)); }
  MatrixX jacobianTwoBody(const InertialState& a, const InertialState& b, double t) const override { return strange_.in(1, Base::jacobianTwoBody(a, b, t)); }
  VectorX partialTimeDerivativeTwoBody(const InertialState& a, const InertialState& b, double t) const override {
    return strange_.in(2, Base::partialTimeDerivativeTwoBody(a, b, t));
  }

 private:
  Strange strange_;
};

class StrangeRod : public DistanceConstraint {
 public:
  explicit StrangeRod(Bytes& bytes) : DistanceConstraint{1.0}, strange_{bytes, 1}, late_{bytes.below(2) == 0} {}
  VectorX evaluate(const State& s, double t) const override {
    return late(t) ? strange_.in(0, DistanceConstraint::evaluate(s, t)) : DistanceConstraint::evaluate(s, t);
  }
  MatrixX jacobian(const State& s, double t) const override {
    return late(t) ? strange_.in(1, DistanceConstraint::jacobian(s, t)) : DistanceConstraint::jacobian(s, t);
  }
  VectorX partialTimeDerivative(const State& s, double t) const override { return strange_.in(2, DistanceConstraint::partialTimeDerivative(s, t)); }
  VectorX velocityProduct(const State& s, double t) const override { return strange_.in(3, DistanceConstraint::velocityProduct(s, t)); }

 private:
  bool late(double t) const { return t > 0 || !late_; }
  Strange strange_;
  bool late_;
};

void oneBody(Bytes& bytes) {
  std::vector<std::unique_ptr<Constraint>> held;
  std::vector<Constraint*> constraints;
  for (int k = bytes.below(4); k > 0; --k)
    accepted([&] {
      const int kind = bytes.below(8);
      if (kind < 3)
        held.push_back(std::make_unique<UnitQuaternionConstraint>());
      else if (kind == 3)
        held.push_back(std::make_unique<StrangeRod>(bytes));
      else
        held.push_back(std::make_unique<DistanceConstraint>(bytes.number(), bytes.number(), bytes.number()));
      constraints.push_back(held.back().get());
    });
  ConstraintSolver solver;
  if (bytes.below(2) == 0) solver.setRedundancyRule(ConstraintSolver::RedundancyRule::LeastNorm);
  accepted([&] {
    const auto result = solver.solve(constraints, bytes.state(), bytes.point(), bytes.number(),
                                     Vector3{bytes.number(), bytes.number(), bytes.number()}.asDiagonal(), bytes.number());
    STICTION_ASSERT(!result.converged || (result.lambda.allFinite() && result.F_c.allFinite()));
  });
  accepted([&] {
    ConstrainedBody body{bytes.number(), Vector3{bytes.number(), bytes.number(), bytes.number()}.asDiagonal(), constraints};
    if (bytes.below(2) == 0) body.setStabilisation(ConstrainedBody::Stabilisation::Baumgarte);
    State state = bytes.state();
    for (int k = 0; k < 3; ++k) {
      const State before = state;
      if (body.physicsStep(state, bytes.number()).converged)
        STICTION_ASSERT(state.position.allFinite() && state.velocity.allFinite() && state.quaternionRate.allFinite());
      else
        STICTION_ASSERT(state.position == before.position);
    }
  });
}

/// Every method of this build.
const std::vector<SolverInfo>& methods() {
  static const std::vector<SolverInfo> infos = portfolioInfos();
  return infos;
}

void contacts(Bytes& bytes) {
  const std::size_t count = 1 + static_cast<std::size_t>(bytes.below(4));
  std::vector<InertialState> states;
  std::vector<double> masses;
  std::vector<Matrix3> inertias;
  for (std::size_t k = 0; k < count; ++k) {
    states.push_back(bytes.state());
    masses.push_back(k == 0 ? 0.0 : bytes.number());
    inertias.push_back(k == 0 ? Matrix3::Zero() : Matrix3{bytes.number() * Matrix3::Identity()});
  }
  std::vector<std::unique_ptr<TwoBodyConstraint>> held;
  for (int k = bytes.below(5); k > 0; --k)
    accepted([&] {
      const auto a = static_cast<std::size_t>(bytes.below(5)), b = static_cast<std::size_t>(bytes.below(5));
      const Coordinate n = bytes.direction(), p = bytes.point(), ca = a < count ? states[a].position : bytes.point(),
                       cb = b < count ? states[b].position : bytes.point();
      const double depth = bytes.below(3) == 0 ? bytes.number() : 0.0, e = bytes.below(3) == 0 ? bytes.number() : 0.0, approach = bytes.number();
      if (bytes.below(8) == 0)
        held.push_back(std::make_unique<StrangeTwoBody<ContactConstraint>>(bytes, a, b, n, p, p, depth, ca, cb, e, approach));
      else
        held.push_back(std::make_unique<ContactConstraint>(a, b, n, p, p, depth, ca, cb, e, approach));
      if (bytes.below(3) == 0) return;
      if (bytes.below(8) == 0)
        held.push_back(std::make_unique<StrangeTwoBody<FrictionConstraint>>(bytes, a, b, n, p, p, ca, cb, bytes.number()));
      else
        held.push_back(std::make_unique<FrictionConstraint>(a, b, n, p, p, ca, cb, bytes.number()));
    });
  std::vector<TwoBodyConstraint*> constraints;
  for (const auto& constraint : held) constraints.push_back(constraint.get());
  ConstraintSolver solver;
  solver.setFrictionMethod(methods()[static_cast<std::size_t>(bytes.below(static_cast<int>(methods().size())))].name);
  accepted([&] { solver.setMaxIterations(bytes.below(40) - 2); });
  if (solver.getMaxIterations() == 0) solver.setMaxIterations(30);
  accepted([&] {
    const auto result = solver.solveWithContacts(constraints, {states.begin(), states.end()}, masses, inertias, count, bytes.number());
    STICTION_ASSERT(result.bodyForces.size() == count);
    STICTION_ASSERT(!result.converged || result.lambdas.allFinite());
    STICTION_ASSERT(result.converged || !result.message.empty());
  });
}

/// A joint that may give wrong sizes and numbers.
class StrangeJoint : public TwoBodyBilateralConstraint {
 public:
  StrangeJoint(std::size_t a, std::size_t b, Bytes& bytes)
      : TwoBodyBilateralConstraint{a, b},
        rows_{bytes.below(4) - 1},
        values_{bytes.below(8) != 0 ? rows_ : bytes.below(4)},
        columns_{bytes.below(8) != 0 ? 12 : bytes.below(14)},
        entry_{bytes.number()} {}
  int dimension() const override { return rows_; }
  VectorX evaluateTwoBody(const InertialState& a, const InertialState&, double) const override {
    return VectorX::Constant(std::max(values_, 0), entry_ * a.position.x());
  }
  MatrixX jacobianTwoBody(const InertialState&, const InertialState&, double) const override {
    MatrixX J = MatrixX::Zero(std::max(rows_, 0), columns_);
    if (J.size() > 0) J.col(0).setConstant(entry_);
    return J;
  }

 private:
  int rows_, values_, columns_;
  double entry_;
};

void engine(Bytes& bytes) {
  EngineConfig config;
  config.contact_compliance = std::abs(bytes.number()) * 1e-5;
  config.max_newton_iterations = 1 + bytes.below(30);
  config.max_linearisations = bytes.below(5);
  config.fallback_to_auto = bytes.below(2) == 0;
  const std::size_t count = 1 + static_cast<std::size_t>(bytes.below(4));
  std::vector<EngineBody> bodies(count);
  for (std::size_t k = 0; k < count; ++k) {
    bodies[k].state = bytes.state();
    bodies[k].mass = k == 0 ? std::numeric_limits<double>::infinity() : bytes.number();
    bodies[k].inertia = bytes.number() * Matrix3::Identity();
    bodies[k].force = bytes.point();
  }
  const auto body = [&] { return bytes.below(5) - (bytes.below(16) == 0 ? 1 : 0); };
  std::vector<ContactInteraction> interactions;
  std::vector<double> friction;
  for (int k = bytes.below(4); k > 0; --k)
    accepted([&] {
      const int a = body(), b = body();
      const auto centre = [&](int i) { return i >= 0 && i < static_cast<int>(count) ? bodies[static_cast<std::size_t>(i)].state.position : bytes.point(); };
      interactions.push_back(makeContactInteraction(a, b, bytes.direction(), bytes.point(), centre(a), centre(b), bytes.number() * 0.1));
      if (bytes.below(8) == 0) interactions.back().basis_a.tangent1[bytes.below(6)] = bytes.number();
      if (bytes.below(8) == 0) interactions.back().basis_b = {};
      friction.push_back(bytes.number());
    });
  std::vector<std::unique_ptr<TwoBodyBilateralConstraint>> held;
  for (int k = bytes.below(3); k > 0; --k)
    accepted([&] {
      const auto a = static_cast<std::size_t>(bytes.below(5)), b = static_cast<std::size_t>(bytes.below(5));
      if (bytes.below(3) == 0)
        held.push_back(std::make_unique<StrangeJoint>(a, b, bytes));
      else
        held.push_back(std::make_unique<RevoluteConstraint>(a, b, bytes.point(), bytes.point(), bytes.direction(), bytes.direction()));
    });
  std::vector<TwoBodyBilateralConstraint*> joints;
  for (const auto& joint : held) joints.push_back(joint.get());
  accepted([&] {
    const ImplicitEngine solver{config};
    const auto result = solver.step(bodies, interactions, friction, joints, bytes.positive() * 0.01);
    STICTION_ASSERT(!result.certified || result.certificate <= config.tolerance);
    for (const EngineBody& moved : bodies) STICTION_ASSERT(!result.certified || (moved.state.position.allFinite() && moved.state.velocity.allFinite()));
  });
}

void cones(Bytes& bytes) {
  const int contacts = bytes.below(5) - 1;
  accepted([&] { ECOSData{bytes.below(5) - 1}; });
  accepted([&] {
    FrictionConeSpec spec{contacts};
    for (int k = bytes.below(5); k > 0; --k) accepted([&] { spec.setFriction(bytes.below(5) - 1, bytes.number(), bytes.below(14) - 1); });
    STICTION_ASSERT(spec.getConeSizes().size() == static_cast<std::size_t>(contacts));
    MatrixX A = MatrixX::Zero(3 * contacts, 3 * contacts);
    VectorX b(3 * contacts);
    for (int i = 0; i < 3 * contacts; ++i) A(i, i) = bytes.number(), b[i] = bytes.number();
    const ECOSSparseMatrix dense = ECOSSparseMatrix::fromDense(A, 0.0), sparse = ECOSSparseMatrix::fromSparse(A.sparseView());
    STICTION_ASSERT(dense.nnz == sparse.nnz && dense.col_ptrs == sparse.col_ptrs);
    const ECOSProblem problem = buildFrictionProblem(A, b, spec);
    STICTION_ASSERT(problem.data.G_col_ptrs.size() == static_cast<std::size_t>(problem.data.num_variables) + 1);
  });
}

void simulation(Bytes& bytes) {
  ModelBuilder builder;
  const int count = 1 + bytes.below(3);
  for (int k = 0; k < count; ++k) {
    Pose pose;
    pose.position = {0.5 * k, 0.1 * bytes.below(3), 0.3};
    builder.addSolid("", Shape::sphere(0.1), 1000.0, pose, 0.5);
  }
  Geom floor;
  floor.shape = Shape::plane();
  builder.addGeom(floor, {});
  SimulationOptions options;
  options.maxHalvings = 2;
  Simulation scene{builder.build(), options};
  for (int k = 1 + bytes.below(3); k > 0; --k)
    accepted([&] {
      const auto a = static_cast<std::size_t>(bytes.below(5)), b = static_cast<std::size_t>(bytes.below(5));
      switch (bytes.below(3)) {
        case 0: scene.addConstraint(std::make_shared<DistanceConstraint>(bytes.number()), bytes.below(5)); break;
        case 1: scene.addConstraint(std::make_shared<TwoBodyDistanceConstraint>(a, b, bytes.point(), bytes.point(), bytes.positive())); break;
        default: scene.addConstraint(std::make_shared<RevoluteConstraint>(a, b, bytes.point(), bytes.point(), bytes.direction(), bytes.direction()));
      }
    });
  for (int k = 0; k < 3; ++k) {
    const StepReport& report = scene.step(0.005);
    STICTION_ASSERT(report.status != StepStatus::Certified || report.certificate.relative <= options.tolerance);
    STICTION_ASSERT(report.status == StepStatus::Certified || !report.reason.empty());
    for (const Vector3& position : scene.state().position) STICTION_ASSERT(position.allFinite());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes{data, size};
  switch (bytes.below(12)) {
    case 0: simulation(bytes); break;
    case 1:
    case 2: oneBody(bytes); break;
    case 3:
    case 4:
    case 5: engine(bytes); break;
    case 6: cones(bytes); break;
    default: contacts(bytes);
  }
  return 0;
}
