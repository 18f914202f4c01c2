#include "constraints/ContactSystem.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <set>
#include <sstream>

#include "base/Error.hpp"
#include "constraints/Arguments.hpp"

namespace stiction {
namespace {

constexpr const char* kType = "ConstraintSolver::solveWithContacts";
constexpr double kSame = 1e-12;  // [-] of a slip: less between two ways to it is round-off

template <typename... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  throw InputError{kType, out.str(), "", ""};
}

template <typename T>
void expectCount(const char* name, const std::vector<T>& values, std::size_t bodies) {
  if (values.size() != bodies) refuse(name, " has ", values.size(), " entries, must have one per body: ", bodies);
}

/// 0, or of a size that products of masses and impulses stay representable with.
bool isInverse(double inverse) { return inverse == 0 || (inverse >= 1e-60 && inverse <= 1e60); }

/// Zero, or symmetric positive definite; anything between has no place in the mass matrix.
bool turns(const Matrix3& inverse, std::size_t body) {
  if (!inverse.allFinite()) refuse("inverseInertias[", body, "] is not finite; zero locks the rotation");
  const double size = inverse.cwiseAbs().maxCoeff();
  if (size == 0) return false;
  if (!isInverse(size)) refuse("inverseInertias[", body, "] has entries up to ", size, ", must be zero or in [1e-60, 1e60]; zero locks the rotation");
  if ((inverse - inverse.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) refuse("inverseInertias[", body, "] is not symmetric");
  if (!(Eigen::SelfAdjointEigenSolver<Matrix3>{inverse, Eigen::EigenvaluesOnly}.eigenvalues().minCoeff() > 1e-12 * size))
    refuse("inverseInertias[", body, "] is singular or indefinite, must be positive definite, or zero for a body that does not turn");
  return true;
}

void checkState(const InertialState& state, std::size_t body) {
  if (!state.position.allFinite() || !state.velocity.allFinite() || !state.quaternionRate.allFinite() || !(std::abs(state.orientation.norm() - 1.0) <= 1e-6))
    refuse("states[", body, "] has a number that is not finite or an orientation that is not of unit length within 1e-6");
}

}  // namespace

ContactSystem::ContactSystem(const std::vector<TwoBodyConstraint*>& constraints, const std::vector<std::reference_wrapper<const InertialState>>& states,
                             const std::vector<double>& inverseMasses, const std::vector<Matrix3>& inverseInertias, std::size_t numBodies, double dt)
    : states_{states}, inverse_masses_{inverseMasses}, inverse_inertias_{inverseInertias}, dt_{requireStep(kType, dt)} {
  expectCount("states", states, numBodies);
  expectCount("inverseMasses", inverseMasses, numBodies);
  expectCount("inverseInertias", inverseInertias, numBodies);
  int blocks = 0;
  for (std::size_t k = 0; k < numBodies; ++k) {
    checkState(states[k], k);
    if (!isInverse(inverseMasses[k]))
      refuse("inverseMasses[", k, "] is ", inverseMasses[k], ", must be 0 or in [1e-60, 1e60]; 0 is a body that does not give way");
    Mobility mobility{inverseMasses[k] > 0, turns(inverseInertias[k], k)};
    if (mobility.shifts || mobility.turns) mobility.block = blocks++;
    mobility_.push_back(mobility);
  }
  std::vector<const ContactConstraint*> normals;  // of each entry of contacts_; null for rows of users
  std::set<const TwoBodyConstraint*> listed;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    TwoBodyConstraint* constraint = constraints[k];
    if (constraint == nullptr) refuse("contactConstraints[", k, "] is null");
    if (!listed.insert(constraint).second) refuse("contactConstraints[", k, "] (", constraint->typeName(), ") is in the list twice; list it once");
    for (const std::size_t body : {constraint->getBodyAIndex(), constraint->getBodyBIndex()})
      if (body >= numBodies) refuse("contactConstraints[", k, "] (", constraint->typeName(), ") names body ", body, ", must be below ", numBodies);
    if (constraint->getBodyAIndex() == constraint->getBodyBIndex())
      refuse("contactConstraints[", k, "] (", constraint->typeName(), ") joins body ", constraint->getBodyAIndex(), " to itself; a contact needs two bodies");
    const auto* contact = dynamic_cast<const ContactConstraint*>(constraint);
    const bool ofContact = dynamic_cast<const FrictionConstraint*>(constraint) != nullptr;
    if (contact == nullptr && !ofContact && !constraint->isActiveTwoBody(states[constraint->getBodyAIndex()], states[constraint->getBodyBIndex()], 0.0)) {
      entries_ += std::max(constraint->dimension(), 0);
      continue;
    }
    used_.push_back(constraint);
    if (ofContact) continue;  // its contact may come after it
    if (contact != nullptr)
      addContact(*contact, k);
    else
      addRows(*constraint, k);
    for (auto i = static_cast<std::ptrdiff_t>(normals.size()); i < std::ssize(contacts_); ++i) places_.push_back(entries_++);
    normals.resize(contacts_.size(), contact);
  }
  for (std::size_t k = 0; k < constraints.size(); ++k)
    if (auto* friction = dynamic_cast<FrictionConstraint*>(constraints[k])) addFriction(*friction, normals, k);
}

double ContactSystem::speed(const Contact& contact, const Row& row) const {
  const InertialState &a = states_[contact.a], &b = states_[contact.b];
  Eigen::Matrix<double, 12, 1> v;
  v << a.velocity, a.getAngularVelocity(), b.velocity, b.getAngularVelocity();
  return row * v;
}

/// w_n: e times the speed of approach where the contact closes within the step, else what the gap allows.
void ContactSystem::addContact(const ContactConstraint& constraint, std::size_t index) {
  const RowValues rows = rowsOf(constraint, index, 1);
  Contact contact{constraint.getBodyAIndex(), constraint.getBodyBIndex(), {rows.J.row(0), Row::Zero(), Row::Zero()}};
  const double approach = constraint.getPreImpactRelVelNormal();
  contact.gap = std::max(rows.C[0], 0.0) / dt_;
  contact.w[0] = rows.rate[0];
  if (constraint.getRestitution() > 0 && approach < 0 && speed(contact, contact.rows[0]) + contact.w[0] + contact.gap < 0) {
    contact.gap = 0;
    contact.w[0] = rows.rate[0] + constraint.getRestitution() * approach;
  }
  contacts_.push_back(contact);
}

/// What the constraint's functions give, checked.
ContactSystem::RowValues ContactSystem::rowsOf(const TwoBodyConstraint& constraint, std::size_t index, int dimension) const {
  const std::string name = "contactConstraints[" + std::to_string(index) + "] (" + constraint.typeName() + ")";
  if (constraint.dimension() != dimension || dimension < 0)
    refuse(name, ": dimension() is ", constraint.dimension(), ", must be ", dimension < 0 ? "at least 0" : std::to_string(dimension));
  const InertialState &a = states_[constraint.getBodyAIndex()], &b = states_[constraint.getBodyBIndex()];
  RowValues rows{constraint.jacobianTwoBody(a, b, 0.0), constraint.evaluateTwoBody(a, b, 0.0), constraint.partialTimeDerivativeTwoBody(a, b, 0.0)};
  requireShape(kType, name, "jacobianTwoBody", rows.J, dimension, 12);
  requireShape(kType, name, "evaluateTwoBody", rows.C, dimension, 1);
  requireShape(kType, name, "partialTimeDerivativeTwoBody", rows.rate, dimension, 1);
  return rows;
}

/// Unilateral rows of a user: frictionless contacts.
void ContactSystem::addRows(const TwoBodyConstraint& constraint, std::size_t index) {
  const RowValues rows = rowsOf(constraint, index, constraint.dimension());
  for (Eigen::Index k = 0; k < rows.C.size(); ++k) {
    const double gap = std::max(rows.C[k], 0.0) / dt_;
    contacts_.push_back({constraint.getBodyAIndex(), constraint.getBodyBIndex(), {rows.J.row(k), Row::Zero(), Row::Zero()}, {rows.rate[k], 0, 0}, gap});
  }
}

void ContactSystem::addFriction(FrictionConstraint& friction, const std::vector<const ContactConstraint*>& normals, std::size_t index) {
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (normals[i] == nullptr || contacts_[i].friction != nullptr) continue;
    if (friction.alpha() != 0 || friction.beta() != 0)
      refuse("contactConstraints[", index,
             "] (" + friction.typeName() + ") has Baumgarte gains; a velocity has no error to pull back, and gains on friction make energy: return 0");
    const ContactConstraint& normal = *normals[i];
    if (!belongsTo(friction, normal)) continue;
    const RowValues rows = rowsOf(friction, index, 2);
    // C is the slip itself: what it has beyond J v, a belt's speed, is the surfaces' own, and the same when the bodies stand still.
    InertialState a = states_[contacts_[i].a], b = states_[contacts_[i].b];
    for (InertialState* state : {&a, &b}) state->velocity = Coordinate{}, state->quaternionRate.setZero();
    const VectorX standing = friction.evaluateTwoBody(a, b, 0.0);
    for (int k = 0; k < 2; ++k) {
      contacts_[i].rows[1 + k] = rows.J.row(k);
      const double moving = speed(contacts_[i], rows.J.row(k)), own = rows.C[k] - moving, size = kSame * (std::abs(rows.C[k]) + std::abs(moving));
      if (standing.size() != 2 || !(std::abs(own - standing[k]) <= 1e3 * size))
        refuse("contactConstraints[", index, "] (", friction.typeName(),
               "): evaluateTwoBody() is not the Jacobian times the velocities plus the speed of a surface; ",
               "what depends on velocities in another way, restitution, say, makes energy on friction");
      contacts_[i].w[1 + k] = std::abs(own) > size ? own : 0.0;
    }
    contacts_[i].friction = &friction;
    contacts_[i].frictionIndex = index;
    has_friction_ = true;
    return;
  }
  refuse("contactConstraints[", index,
         "] (FrictionConstraint) belongs to no ContactConstraint of the list with the same bodies, normal and lever arms; add one");
}

bool belongsTo(const FrictionConstraint& friction, const ContactConstraint& contact) {
  return friction.getBodyAIndex() == contact.getBodyAIndex() && friction.getBodyBIndex() == contact.getBodyBIndex() &&
         friction.getContactNormal() == contact.getContactNormal() && friction.getLeverArmA() == contact.getLeverArmA() &&
         friction.getLeverArmB() == contact.getLeverArmB();
}

double ContactSystem::friction(int contact) const {
  const FrictionConstraint* friction = contacts_[static_cast<std::size_t>(contact)].friction;
  return friction == nullptr ? 0.0 : friction->getFrictionCoefficient();
}

AxisInterval ContactSystem::at(int contact, double normalImpulse) const {
  const Contact& c = contacts_[static_cast<std::size_t>(contact)];
  if (c.friction == nullptr || !std::isfinite(normalImpulse / dt_)) return {};  // a method that has run away finds out by itself
  c.friction->setNormalLambda(normalImpulse / dt_);
  const auto [low, high] = c.friction->getFrictionBounds();
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high))
    refuse("contactConstraints[", c.frictionIndex, "] (", c.friction->typeName(), "): getFrictionBounds() gave {", low, ", ", high, "} at a normal force of ",
           normalImpulse / dt_, " N, must be finite and the lower one first");
  return {dt_ * low, dt_ * high};
}

ContactProblem ContactSystem::problem() const {
  ContactProblem problem;
  std::vector<double> f;
  for (std::size_t k = 0; k < mobility_.size(); ++k) {
    const Mobility& mobility = mobility_[k];
    const InertialState& state = states_[k];
    const int size = 3 * (mobility.shifts + mobility.turns);
    if (size == 0) continue;
    MatrixX M = MatrixX::Zero(size, size);
    VectorX v(size);
    if (mobility.shifts) M.topLeftCorner(3, 3) = Matrix3::Identity() / inverse_masses_[k], v.head<3>() = state.velocity;
    if (mobility.turns) M.bottomRightCorner(3, 3) = inverse_inertias_[k].inverse(), v.tail<3>() = state.getAngularVelocity();
    problem.M.addBlock(M.data(), size);
    const VectorX momentum = M * v;
    f.insert(f.end(), momentum.begin(), momentum.end());
  }
  problem.f = Eigen::Map<const VectorX>{f.data(), static_cast<Eigen::Index>(f.size())};
  const auto n = static_cast<Eigen::Index>(contacts_.size());
  problem.w.setZero(3 * n);
  problem.mu.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Contact& contact = contacts_[static_cast<std::size_t>(i)];
    problem.mu[i] = friction(static_cast<int>(i));
    problem.w.segment<3>(3 * i) = contact.w;
    const bool aFirst = contact.a < contact.b;
    for (const bool isA : {aFirst, !aFirst}) {
      const std::size_t body = isA ? contact.a : contact.b;
      const Mobility& mobility = mobility_[body];
      MatrixX columns(6, 3);  // of the body's six velocities
      for (int c = 0; c < 3; ++c) columns.col(c) = contact.rows[c].segment<6>(isA ? 0 : 6).transpose();
      Vector6 driven = Vector6::Zero();
      if (!mobility.shifts) driven.head<3>() = states_[body].get().velocity;
      if (!mobility.turns) driven.tail<3>() = states_[body].get().getAngularVelocity();
      problem.w.segment<3>(3 * i) += columns.transpose() * driven;
      if (mobility.block < 0) continue;
      const MatrixX used = mobility.shifts && mobility.turns ? columns : MatrixX{mobility.shifts ? columns.topRows(3) : columns.bottomRows(3)};
      problem.H.addSegment(mobility.block, problem.M.start[static_cast<std::size_t>(mobility.block)], static_cast<int>(used.rows()), used.data());
    }
    problem.H.endGroup();
  }
  problem.wScale = problem.w;
  for (Eigen::Index i = 0; i < n; ++i) problem.w[3 * i] += contacts_[static_cast<std::size_t>(i)].gap;
  return problem;
}

VectorX ContactSystem::inOrder(const VectorX& lambda, int rowsOfContact) const {
  VectorX all = VectorX::Zero(static_cast<Eigen::Index>(entries_) * rowsOfContact);
  for (int i = 0; i < contacts(); ++i)
    all.segment(static_cast<Eigen::Index>(places_[static_cast<std::size_t>(i)]) * rowsOfContact, rowsOfContact) =
        lambda.segment(static_cast<Eigen::Index>(i) * rowsOfContact, rowsOfContact);
  return all;
}

void ContactSystem::denseSystem(int rowsOfContact, MatrixX& A, VectorX& b) const {
  const auto n = static_cast<Eigen::Index>(contacts_.size()) * rowsOfContact;
  const auto contactOf = [&](Eigen::Index row) -> const Contact& { return contacts_[static_cast<std::size_t>(row / rowsOfContact)]; };
  const auto rowOf = [&](Eigen::Index row) -> const Row& { return contactOf(row).rows[row % rowsOfContact]; };
  A.setZero(n, n);
  b.resize(n);
  const auto weighted = [&](std::size_t body, const Eigen::Matrix<double, 1, 6>& row) {
    Vector6 x;
    x << inverse_masses_[body] * row.head<3>().transpose(), inverse_inertias_[body] * row.tail<3>().transpose();
    return x;
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    const Contact& p = contactOf(i);
    b[i] = -speed(p, rowOf(i)) - p.w[i % rowsOfContact] - (i % rowsOfContact == 0 ? p.gap : 0.0);
    const Vector6 onA = weighted(p.a, rowOf(i).head<6>()), onB = weighted(p.b, rowOf(i).tail<6>());
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Contact& q = contactOf(j);
      double sum = 0;
      for (const auto& [body, x] : {std::pair{p.a, onA}, std::pair{p.b, onB}}) {
        if (q.a == body) sum += rowOf(j).head<6>().dot(x);
        if (q.b == body) sum += rowOf(j).tail<6>().dot(x);
      }
      A(i, j) = A(j, i) = sum;
    }
  }
}

void ContactSystem::apply(const VectorX& lambda, std::vector<Coordinate>& forces, std::vector<Coordinate>& torques) const {
  forces.assign(mobility_.size(), {});
  torques.assign(mobility_.size(), {});
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    for (int c = 0; c < 3; ++c) {
      const Eigen::Matrix<double, 12, 1> force = contact.rows[c].transpose() * lambda[3 * static_cast<Eigen::Index>(i) + c] / dt_;
      forces[contact.a] += force.segment<3>(0), torques[contact.a] += force.segment<3>(3);
      forces[contact.b] += force.segment<3>(6), torques[contact.b] += force.segment<3>(9);
    }
    if (contact.friction != nullptr) contact.friction->setNormalLambda(std::max(lambda[3 * static_cast<Eigen::Index>(i)], 0.0) / dt_);
  }
}

}  // namespace stiction
