#include "constraints/ImplicitEngine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/Certificate.hpp"
#include "constraints/Arguments.hpp"
#include "dynamics/BodyInertia.hpp"
#include "dynamics/RotationUpdate.hpp"
#include "math/TangentBasis.hpp"
#include "portfolio/Portfolio.hpp"
#include "solvers/FbMethod.hpp"

namespace stiction {
namespace {

constexpr const char* kType = "ImplicitEngine";

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kClosed = 1e-11;  // [-] of the positions that a joint row reads: a joint off by more is open
constexpr double kFrame = 1e-6;    // [-] deviation of a contact basis from a frame and one lever arm

std::string element(const char* what, std::size_t index) { return std::string{what} + " " + std::to_string(index); }

struct Mover {
  BodyInertia inertia;
  int block{-1};                   // of the mass matrix; -1: driven
  Vector6 twist{Vector6::Zero()};  // before the step
};

/// Whether the directions are orthonormal and their moments those of forces at one point: d_k and r × d_k. With S = Σ m_k d_kᵀ = [r]× that is S + Sᵀ = 0.
bool isBasis(const Eigen::Matrix<double, 3, 6>& rows) {
  const Matrix3 directions = rows.leftCols<3>(), S = rows.rightCols<3>().transpose() * directions;
  return (directions * directions.transpose()).isApprox(Matrix3::Identity(), kFrame) &&
         (S + S.transpose()).cwiseAbs().maxCoeff() <= kFrame * std::max(1.0, S.cwiseAbs().maxCoeff());
}

void checkRows(const TwoBodyBilateralConstraint& joint, std::size_t index, const VectorX& g, const MatrixX& J) {
  const int n = joint.dimension();
  const std::string name = element("joint", index) + " (" + joint.typeName() + ")";
  if (n < 0) refuseArgument(kType, (name + ": dimension()").c_str(), std::to_string(n), "at least 0", "count the rows");
  requireShape(kType, name, "evaluateTwoBody", g, n, 1);
  requireShape(kType, name, "jacobianTwoBody", J, n, 12);
}

/// The bodies, checked, and the parts of the problem that hold for the whole step.
class StepSystem {
 public:
  StepSystem(const EngineConfig& config, const std::vector<EngineBody>& bodies, const std::vector<ContactInteraction>& interactions,
             const std::vector<double>& friction, const std::vector<TwoBodyBilateralConstraint*>& joints, double dt, double time);

  /// The bodies' states after moving with the velocities v for the step.
  std::vector<InertialState> statesAfter(const VectorX& v) const;
  struct JointError {
    double worst{0};    // [m], [rad] largest |g + e λ/h|
    bool closed{true};  // all of them within round-off of the positions
  };
  /// Impulses of the active joints' rows, with zeros for those of the others.
  VectorX inOrder(const VectorX& lambda) const;
  /// Joint rows linearised at the states reached with v, impulses λ so far.
  JointError linearise(const VectorX& v, const VectorX& lambda, const std::vector<InertialState>& states);

  ContactProblem problem;
  std::vector<int> used;  // active interactions
  VectorX freeVelocity;

 private:
  void checkJoint(const TwoBodyBilateralConstraint* joint, std::size_t index) const;
  void addBody(const EngineBody& body, std::size_t index);
  struct Bounce {
    double speed;     // [m/s] e u_n⁻ <= 0, 0 where nothing bounces
    double recovery;  // [m/s] at which an overlap is driven apart; of a gap, less the speed that closes it
  };
  Bounce bounceOf(const ContactInteraction& contact, const Eigen::RowVector<double, 6>& onA, const Eigen::RowVector<double, 6>& onB) const;
  void addContact(const ContactInteraction& contact, double mu, std::size_t index);
  void addColumns(BlockColumns& columns, std::size_t body, const Eigen::Ref<const MatrixX>& transposed, VectorX& driven) const;
  Vector6 twistOf(std::size_t body, const VectorX& v) const;

  const EngineConfig& config_;
  const std::vector<EngineBody>& bodies_;
  struct ActiveJoint {
    const TwoBodyBilateralConstraint* joint;
    std::size_t index;  // in the list
    int row;            // its first one among the rows of all joints
  };
  std::vector<ActiveJoint> joints_;
  int jointRows_{0};  // of all joints, active or not
  double dt_, end_;   // [s] the step and the time at its end
  std::vector<Mover> movers_;
};

StepSystem::StepSystem(const EngineConfig& config, const std::vector<EngineBody>& bodies, const std::vector<ContactInteraction>& interactions,
                       const std::vector<double>& friction, const std::vector<TwoBodyBilateralConstraint*>& joints, double dt, double time)
    : config_{config}, bodies_{bodies}, dt_{requireStep(kType, dt)}, end_{time + dt} {
  requireFinite(kType, "time", Coordinate{time, 0, 0});
  if (friction.size() != interactions.size())
    refuseArgument(kType, "friction", std::to_string(friction.size()) + " coefficients", "one for each interaction", "give 0 where there is no friction");
  for (std::size_t k = 0; k < bodies.size(); ++k) addBody(bodies[k], k);
  problem.f.resize(problem.dof());
  freeVelocity.resize(problem.dof());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Mover& mover = movers_[k];
    if (mover.block < 0) continue;
    const int row = problem.M.start[at(mover.block)];
    const Matrix3 inertia = toWorld(mover.inertia.inertia, bodies[k].state.orientation), inverse = toWorld(mover.inertia.inverse, bodies[k].state.orientation);
    freeVelocity.segment<3>(row) = mover.twist.head<3>() + dt * mover.inertia.inverseMass * bodies[k].force;
    freeVelocity.segment<3>(row + 3) = mover.twist.tail<3>() + dt * inverse * bodies[k].torque;
    problem.f.segment<3>(row) = mover.inertia.mass * freeVelocity.segment<3>(row);
    problem.f.segment<3>(row + 3) = inertia * freeVelocity.segment<3>(row + 3);
    problem.scaleFloor = std::max(problem.scaleFloor, dt * mover.inertia.inverseMass * bodies[k].force.norm());
  }
  for (std::size_t i = 0; i < interactions.size(); ++i)
    if (interactions[i].is_active) addContact(interactions[i], friction[i], i);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    checkJoint(joints[j], j);
    if (joints[j]->isActiveTwoBody(bodies[joints[j]->getBodyAIndex()].state, bodies[joints[j]->getBodyBIndex()].state, time))
      joints_.push_back({joints[j], j, jointRows_});
    jointRows_ += std::max(joints[j]->dimension(), 0);
  }
}

VectorX StepSystem::inOrder(const VectorX& lambda) const {
  VectorX all = VectorX::Zero(jointRows_);
  Eigen::Index from = 0;
  for (const ActiveJoint& active : joints_) {
    const int rows = active.joint->dimension();
    all.segment(active.row, rows) = lambda.segment(from, rows);
    from += rows;
  }
  return all;
}

void StepSystem::checkJoint(const TwoBodyBilateralConstraint* joint, std::size_t index) const {
  const auto refuse = [index](const std::string& value) {
    refuseArgument(kType, element("joint", index).c_str(), value, "between two of the bodies", "give indices into bodies");
  };
  if (joint == nullptr) refuse("null");
  const std::size_t a = joint->getBodyAIndex(), b = joint->getBodyBIndex();
  const std::string pair = std::to_string(a) + " and " + std::to_string(b);
  if (a >= bodies_.size() || b >= bodies_.size()) refuse("between bodies " + pair + " of " + std::to_string(bodies_.size()));
  if (a == b) refuse("between body " + std::to_string(a) + " and itself");
}

void StepSystem::addBody(const EngineBody& body, std::size_t index) {
  const std::string name = element("body", index);
  requireFinite(kType, (name + ": position").c_str(), body.state.position);
  requireFinite(kType, (name + ": velocity").c_str(), body.state.velocity);
  requireFinite(kType, (name + ": angular velocity").c_str(), body.state.getAngularVelocity());
  requireFinite(kType, (name + ": force").c_str(), Coordinate{body.force});
  requireFinite(kType, (name + ": torque").c_str(), Coordinate{body.torque});
  if (!(std::abs(body.state.orientation.norm() - 1) <= 1e-6))
    refuseArgument(kType, (name + ": orientation").c_str(), "of length " + std::to_string(body.state.orientation.norm()), "a unit quaternion", "normalise it");
  Mover mover;
  mover.twist << body.state.velocity, body.state.getAngularVelocity();
  if (body.mass != std::numeric_limits<double>::infinity()) {
    mover.inertia.dynamic = true;
    mover.inertia.mass = requireMass(kType, (name + ": mass").c_str(), body.mass, "infinity makes a driven body");
    mover.inertia.inverseMass = 1.0 / body.mass;
    mover.inertia.inertia = body.inertia;
    const Eigen::LLT<Matrix3> factor{body.inertia};
    if (!body.inertia.allFinite() || !body.inertia.isApprox(body.inertia.transpose(), 1e-12) || factor.info() != Eigen::Success)
      refuseArgument(kType, (name + ": inertia").c_str(), "not that of a body", "symmetric and positive definite",
                     "give it about the centre of mass in body axes");
    mover.inertia.inverse = factor.solve(Matrix3::Identity());
    Matrix6 M = Matrix6::Zero();
    M.topLeftCorner<3, 3>() = body.mass * Matrix3::Identity();
    M.bottomRightCorner<3, 3>() = toWorld(body.inertia, body.state.orientation);
    mover.block = problem.M.addBlock(M.data(), 6);
  }
  movers_.push_back(mover);
}

/// Columns (body's twist × rows) of a body, given as rows × 6; a driven body's motion goes to `driven` instead.
void StepSystem::addColumns(BlockColumns& columns, std::size_t body, const Eigen::Ref<const MatrixX>& rows, VectorX& driven) const {
  const Mover& mover = movers_[body];
  if (mover.block < 0) {
    driven += rows * mover.twist;
    return;
  }
  const MatrixX transposed = rows.transpose();
  columns.addSegment(mover.block, problem.M.start[at(mover.block)], 6, transposed.data());
}

/// Restitution acts on what strikes: an approach that closes the gap within the step and is more than two steps of free acceleration, which rest on a spring is not. Such a contact
/// is rigid, and neither its gap nor an overlap adds to u⁺ = −e u⁻. What then still overlaps and parts as fast is not driven apart faster.
StepSystem::Bounce StepSystem::bounceOf(const ContactInteraction& contact, const Eigen::RowVector<double, 6>& onA,
                                        const Eigen::RowVector<double, 6>& onB) const {
  constexpr double kSteps = 2;  // of free acceleration
  const std::size_t a = at(contact.body_a_idx), b = at(contact.body_b_idx);
  const double before = onA.dot(movers_[a].twist) + onB.dot(movers_[b].twist);
  const double free = onA.dot(twistOf(a, freeVelocity)) + onB.dot(twistOf(b, freeVelocity));
  const double depth = contact.penetration_depth, rest = kSteps * std::abs(free - before);
  if (contact.restitution_coeff > 0 && before < -rest && free * dt_ < depth) return {contact.restitution_coeff * before, 0};
  if (contact.restitution_coeff > 0 && before > rest && depth > 0) return {0, std::min(depth / dt_, before)};
  return {0, depth / dt_};
}

void StepSystem::addContact(const ContactInteraction& contact, double mu, std::size_t index) {
  const std::string name = element("interaction", index);
  const auto exists = [&](int body) { return body >= 0 && at(body) < bodies_.size(); };
  if (!exists(contact.body_a_idx) || !exists(contact.body_b_idx) || contact.body_a_idx == contact.body_b_idx)
    refuseArgument(kType, (name + ": bodies").c_str(), std::to_string(contact.body_a_idx) + " and " + std::to_string(contact.body_b_idx), "two of the bodies",
                   "give indices into bodies");
  requireAtLeastZero(kType, (name + ": friction").c_str(), mu, "0 is frictionless");
  requireBetween(kType, (name + ": restitution_coeff").c_str(), contact.restitution_coeff, 0, 1, "0 does not bounce");
  Eigen::Matrix<double, 3, 6> rows[2];
  for (int side = 0; side < 2; ++side) {
    const ContactBasis& basis = side == 0 ? contact.basis_a : contact.basis_b;
    rows[side] << basis.normal.transpose(), basis.tangent1.transpose(), basis.tangent2.transpose();
  }
  if (!rows[0].allFinite() || !rows[1].allFinite() || !std::isfinite(contact.penetration_depth))
    refuseArgument(kType, name.c_str(), "not finite", "finite in basis_a, basis_b and penetration_depth", "check the collision detection");
  const bool normalsAlone = mu == 0 && rows[0].bottomRows<2>().isZero(0) && rows[1].bottomRows<2>().isZero(0);
  if (normalsAlone && std::abs(rows[0].row(0).head<3>().norm() - 1) > kFrame)
    refuseArgument(kType, (name + ": basis_a").c_str(), "a normal of length " + std::to_string(rows[0].row(0).head<3>().norm()), "1, within 1e-6",
                   "use makeContactInteraction");
  for (int side = 0; side < 2; ++side)
    if (!normalsAlone && !isBasis(rows[side]))
      refuseArgument(kType, (name + (side == 0 ? ": basis_a" : ": basis_b")).c_str(), "no contact frame",
                     "normal, tangent1 and tangent2 (d, r x d) with orthonormal d and one lever arm r, within 1e-6", "use makeContactInteraction");
  if (!rows[1].leftCols<3>().isApprox(-rows[0].leftCols<3>(), kFrame))
    refuseArgument(kType, (name + ": basis_b").c_str(), "other directions than basis_a", "those of basis_a with the opposite sign, within 1e-6",
                   "use makeContactInteraction");
  VectorX w = VectorX::Zero(3);
  addColumns(problem.H, at(contact.body_a_idx), rows[0], w);
  addColumns(problem.H, at(contact.body_b_idx), rows[1], w);
  problem.H.endGroup();
  const Bounce bounce = bounceOf(contact, rows[0].row(0), rows[1].row(0));
  w[0] += bounce.speed - std::max(bounce.recovery, 0.0);  // an overlap is left at a speed, which bodies take,
  const auto append = [](VectorX& x, const VectorX& more) {
    x.conservativeResize(x.size() + more.size());
    x.tail(more.size()) = more;
  };
  append(problem.wScale, w);
  w[0] -= std::min(bounce.recovery, 0.0);  // a gap only bounds one, and sets no scale
  append(problem.w, w);
  append(problem.mu, VectorX::Constant(1, mu));
  append(problem.R,
         Vector3{bounce.speed < 0 ? 0.0 : config_.contact_compliance / (dt_ * dt_), config_.friction_compliance / dt_, config_.friction_compliance / dt_});
  used.push_back(static_cast<int>(index));
}

Vector6 StepSystem::twistOf(std::size_t body, const VectorX& v) const {
  return movers_[body].block < 0 ? movers_[body].twist : Vector6{v.segment<6>(problem.M.start[at(movers_[body].block)])};
}

std::vector<InertialState> StepSystem::statesAfter(const VectorX& v) const {
  std::vector<InertialState> states;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    InertialState state = bodies_[k].state;
    const Vector6 twist = twistOf(k, v);
    state.velocity = twist.head<3>();
    state.position += dt_ * twist.head<3>();
    BodyInertia turning = movers_[k].inertia;
    if (movers_[k].block < 0) turning.inertia = turning.inverse = Matrix3::Identity();  // driven: turns about a fixed axis
    const RotationStep rotation = advanceRotation(turning, state.orientation, twist.tail<3>(), dt_);
    state.orientation = rotation.rotation;
    state.setAngularVelocity(rotation.angularVelocity);
    states.push_back(state);
  }
  return states;
}

// At the end of the step with v + dv, g ≈ g(q⁺) + h J dv: row velocity J (v + dv) + b + C λ with b = g/h − J v.
StepSystem::JointError StepSystem::linearise(const VectorX& v, const VectorX& lambda, const std::vector<InertialState>& states) {
  problem.G = BlockColumns{1};
  std::vector<double> b;
  JointError error;
  const double C = config_.joint_compliance / (dt_ * dt_);
  for (const auto& [joint, j, first] : joints_) {
    const std::size_t a = joint->getBodyAIndex(), c = joint->getBodyBIndex();
    const VectorX g = joint->evaluateTwoBody(states[a], states[c], end_);
    const MatrixX J = joint->jacobianTwoBody(states[a], states[c], end_);
    checkRows(*joint, j, g, J);
    const double reach = std::max({1.0, states[a].position.norm(), states[c].position.norm()});
    for (int row = 0; row < joint->dimension(); ++row) {
      VectorX driven = VectorX::Zero(1);
      addColumns(problem.G, a, J.block(row, 0, 1, 6), driven);
      addColumns(problem.G, c, J.block(row, 6, 1, 6), driven);
      problem.G.endGroup();
      const double moving = (J.block(row, 0, 1, 6) * twistOf(a, v) + J.block(row, 6, 1, 6) * twistOf(c, v))(0) - driven[0];
      const auto k = static_cast<Eigen::Index>(b.size());
      const double left = std::abs(g[row] + (k < lambda.size() ? dt_ * C * lambda[k] : 0.0));
      error.worst = std::max(error.worst, left);
      error.closed = error.closed && left <= kClosed * std::max(1.0, J.row(row).cwiseAbs().maxCoeff()) * reach;
      b.push_back(g[row] / dt_ - moving);
    }
  }
  problem.b = Eigen::Map<const VectorX>{b.data(), static_cast<Eigen::Index>(b.size())};
  problem.C = VectorX::Constant(problem.b.size(), C);
  return error;
}

}  // namespace

ContactInteraction makeContactInteraction(int bodyA, int bodyB, const Coordinate& normal, const Coordinate& point, const Coordinate& comA,
                                          const Coordinate& comB, double penetrationDepth, double restitution) {
  constexpr const char* type = "makeContactInteraction";
  requireUnit(type, "normal", normal);
  requireFinite(type, "point", point);
  requireFinite(type, "comA", comA);
  requireFinite(type, "comB", comB);
  requireFinite(type, "penetrationDepth", Coordinate{penetrationDepth, 0, 0});
  requireBetween(type, "restitution", restitution, 0, 1, "0 does not bounce");
  const Coordinate n = normal.normalized();
  const TangentFrame frame = TangentBasis::computeTangentBasis(n);
  const auto basis = [&](const Coordinate& com, double sign) {
    const auto direction = [&](const Coordinate& d) {
      Vector6 x;
      x << sign * d, sign * (point - com).cross(d);
      return x;
    };
    return ContactBasis{direction(n), direction(frame.t1), direction(frame.t2)};
  };
  return {bodyA, bodyB, penetrationDepth, restitution, basis(comA, 1.0), basis(comB, -1.0), true};
}

ImplicitEngine::ImplicitEngine(const EngineConfig& config) : config_{config} {
  constexpr const char* type = "EngineConfig";
  requireAtLeastZero(type, "contact_compliance", config.contact_compliance, "0 is rigid");
  requireAtLeastZero(type, "friction_compliance", config.friction_compliance, "0 does not creep");
  requireAtLeastZero(type, "joint_compliance", config.joint_compliance, "0 is rigid");
  requirePositive(type, "contact_fb_alpha", config.contact_fb_alpha, "0.5 is the usual");
  requireBetween(type, "fb_smoothing", config.fb_smoothing, 0, 1, "1e-3 is the usual");
  requireBetween(type, "tolerance", config.tolerance, 1e-15, 0.1, "1e-8 is the usual");
  for (const auto& [name, value] : {std::pair{"max_newton_iterations", config.max_newton_iterations}, {"max_linearisations", config.max_linearisations}})
    if (value < 1) refuseArgument(type, name, std::to_string(value), "at least 1", "leave the default");
  if (config.max_line_search_steps < 0)
    refuseArgument(type, "max_line_search_steps", std::to_string(config.max_line_search_steps), "at least 0", "0 takes whole steps");
}

ImplicitEngine::StepResult ImplicitEngine::step(std::vector<EngineBody>& bodies, const std::vector<ContactInteraction>& interactions,
                                                const std::vector<double>& friction, const std::vector<TwoBodyBilateralConstraint*>& joints, double dt,
                                                double time) const {
  constexpr double enough = 1e-12;  // [m], [rad] of the joints: no need to linearise again
  StepSystem system{config_, bodies, interactions, friction, joints, dt, time};
  StepResult result;
  result.contactImpulses.setZero(static_cast<Eigen::Index>(3 * interactions.size()));
  VelocitySolver fb{{"fb", Law::Coulomb, true, true, ""},
                    makeFbMethod({config_.contact_fb_alpha, config_.fb_smoothing, config_.max_newton_iterations, config_.max_line_search_steps})};
  Portfolio fallback;
  Certifier certifier;
  SolveOptions options;
  options.tolerance = config_.tolerance;
  Iterate iterate;
  iterate.v = system.freeVelocity;
  std::vector<InertialState> states = system.statesAfter(iterate.v);
  result.jointError = system.linearise(iterate.v, iterate.lambda, states).worst;
  bool closed = true;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < config_.max_linearisations; ++k) {
    fitIterate(system.problem, iterate, true);
    const SolveReport report = fb.solve(system.problem, iterate, options);
    result.iterations += report.iterations;
    result.method = "fb";
    Certificate certificate = certifier.certify(system.problem, iterate);
    if (!certificate.passes(config_.tolerance) && config_.fallback_to_auto) {
      const PortfolioReport rescue = fallback.solve(system.problem, iterate, options);
      result.iterations += rescue.iterations;
      result.method = rescue.rung;
      certificate = rescue.certificate;
    }
    result.certificate = certificate.relative;
    result.certified = certificate.passes(config_.tolerance);
    if (!result.certified) return result;
    states = system.statesAfter(iterate.v);
    const VectorX lambda = iterate.lambda;
    const auto error = system.linearise(iterate.v, lambda, states);
    result.jointError = error.worst;
    closed = error.closed;
    if (joints.empty() || error.worst <= enough || error.worst >= 0.9 * last) break;
    last = result.jointError;
    options.warm = true;
  }
  result.certified = closed;
  if (!result.certified) return result;
  for (std::size_t i = 0; i < system.used.size(); ++i)
    result.contactImpulses.segment<3>(3 * system.used[i]) = iterate.r.segment<3>(static_cast<Eigen::Index>(3 * i));
  result.jointImpulses = system.inOrder(iterate.lambda);
  for (std::size_t k = 0; k < bodies.size(); ++k) bodies[k].state = states[k];
  return result;
}

}  // namespace stiction
