// Assembly of the step problem of one island.
#include "assembly/ContactAssembly.hpp"

#include <numbers>

#include "base/Hash.hpp"
#include "base/ThreadPool.hpp"
#include "math/TangentBasis.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

ContactAssembly::ContactAssembly(const Model& model, const std::vector<BodyInertia>& inertias, unsigned frameSeed)
    : model_{&model}, inertias_{&inertias}, frameSeed_{frameSeed}, blockOf_(model.bodies.size(), -1) {}

void ContactAssembly::setBodies(std::span<const int> bodies) {
  for (const int body : bodies_) blockOf_[at(body)] = -1;
  bodies_.assign(bodies.begin(), bodies.end());
  for (std::size_t k = 0; k < bodies_.size(); ++k) blockOf_[at(bodies_[k])] = static_cast<int>(k);
  turns_.resize(bodies_.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) turns_[k] = (*inertias_)[at(bodies_[k])].dof() == 6;
  inertia_.resize(bodies_.size());
  inverse_.resize(bodies_.size());
}

void ContactAssembly::buildMass(const WorldState& state) {
  problem.M.clear();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const BodyInertia& body = (*inertias_)[at(bodies_[k])];
    if (!turns_[k]) {
      const Matrix3 block = body.mass * Matrix3::Identity();
      problem.M.addBlock(block.data(), 3);
      continue;
    }
    inertia_[k] = toWorld(body.inertia, state.rotation[at(bodies_[k])]);
    inverse_[k] = toWorld(body.inverse, state.rotation[at(bodies_[k])]);
    Matrix6 block = Matrix6::Zero();
    block.topLeftCorner<3, 3>() = body.mass * Matrix3::Identity();
    block.bottomRightCorner<3, 3>() = inertia_[k];
    problem.M.addBlock(block.data(), 6);
  }
}

Matrix3 ContactAssembly::frameOf(const Contact& contact) const {
  const TangentFrame tangents = TangentBasis::computeTangentBasis(contact.normal);
  Matrix3 F;
  F << contact.normal, tangents.t1, tangents.t2;
  if (frameSeed_ != 0) {
    StateHash hash;
    hash.add(static_cast<std::uint64_t>(frameSeed_));
    hash.add((static_cast<std::uint64_t>(contact.key.geomA) << 32) | static_cast<std::uint64_t>(contact.key.geomB));
    hash.add(contact.key.feature);
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(hash.value() >> 11) * 0x1p-53;
    F.col(1) = std::cos(angle) * tangents.t1 + std::sin(angle) * tangents.t2;
    F.col(2) = std::cos(angle) * tangents.t2 - std::sin(angle) * tangents.t1;
  }
  return F;
}

Vector3 ContactAssembly::surfaceVelocity(const WorldState& state, int body, const Vector3& point) const {
  if (model_->bodies[at(body)].kind != BodyKind::Kinematic) return Vector3::Zero();
  return state.velocityAt(body, point);
}

void ContactAssembly::fillSegment(double* values, int size, const WorldState& state, int body, const Vector3& point,
                                  const Eigen::Ref<const Eigen::Matrix3Xd>& directions, double sign) const {
  const Vector3 lever = point - state.position[at(body)];
  for (int c = 0; c < directions.cols(); ++c, values += size) {
    const Vector3 direction = sign * directions.col(c);
    Eigen::Map<Vector3>{values} = direction;
    if (size == 6) Eigen::Map<Vector3>{values + 3} = lever.cross(direction);
  }
}

void ContactAssembly::addSegment(BlockColumns& columns, const WorldState& state, int body, const Vector3& point,
                                 const Eigen::Ref<const Eigen::Matrix3Xd>& directions, double sign) const {
  const int block = blockOf(body);
  if (block < 0) return;
  const int size = problem.M.size(block);
  double values[18];
  fillSegment(values, size, state, body, point, directions, sign);
  columns.addSegment(block, rowOf(block), size, values);
}

void ContactAssembly::placeContacts(const ContactSet& contacts, std::span<const int> used) {
  BlockColumns& H = problem.H;
  H.start.assign(1, 0);
  H.segments.clear();
  int offset = 0;
  for (const int contact : used) {
    const int a = blockOf(contacts[at(contact)].bodyA), b = blockOf(contacts[at(contact)].bodyB);
    for (const int block : {std::min(a, b), std::max(a, b)}) {
      if (block < 0) continue;
      H.segments.push_back({block, rowOf(block), problem.M.size(block), offset});
      offset += H.width * problem.M.size(block);
    }
    H.endGroup();
  }
  H.values.resize(at(offset));  // all of them are written
}

void ContactAssembly::fillContact(const WorldState& state, const Contact& contact, int k) {
  BlockColumns& H = problem.H;
  for (int s = H.start[at(k)]; s < H.start[at(k) + 1]; ++s) {
    const BlockColumns::Segment& segment = H.segments[at(s)];
    const bool isB = segment.block == blockOf(contact.bodyB);
    fillSegment(H.values.data() + segment.offset, segment.size, state, isB ? contact.bodyB : contact.bodyA, contact.pointOf(isB), frames[at(k)],
                isB ? 1.0 : -1.0);
  }
  problem.mu[k] = contact.friction;
  surface.segment<3>(3 * k) = frames[at(k)].transpose() *
                              (surfaceVelocity(state, contact.bodyB, contact.pointOf(true)) - surfaceVelocity(state, contact.bodyA, contact.pointOf(false)));
}

void ContactAssembly::buildContacts(const WorldState& state, const ContactSet& contacts, std::span<const int> used, int oneSided) {
  constexpr int few = 96;  // contacts of a thread
  const int count = static_cast<int>(used.size());
  placeContacts(contacts, used);
  problem.G.clear();
  frames.resize(used.size());
  surface.resize(3 * (count + oneSided));
  surface.tail(3 * oneSided).setZero();
  problem.mu.resize(count + oneSided);
  problem.mu.tail(oneSided).setZero();
  inRanges(team_, count, few, [&](int, int first, int last) {
    for (int k = first; k < last; ++k) {
      const Contact& contact = contacts[at(used[at(k)])];
      const bool alike = frameSeed_ == 0 && k > first && contact.normal == contacts[at(used[at(k) - 1])].normal;  // of one face
      frames[at(k)] = alike ? frames[at(k) - 1] : frameOf(contact);
      fillContact(state, contact, k);
    }
  });
  problem.w = surface;
  problem.wScale = surface;
}

void ContactAssembly::addTangentRow(const WorldState& state, const Contact& contact, const Vector3& direction) {
  const bool aFirst = blockOf(contact.bodyA) < blockOf(contact.bodyB);
  if (aFirst) addSegment(problem.G, state, contact.bodyA, contact.point, direction, -1.0);
  addSegment(problem.G, state, contact.bodyB, contact.point, direction, 1.0);
  if (!aFirst) addSegment(problem.G, state, contact.bodyA, contact.point, direction, -1.0);
  problem.G.endGroup();
}

void ContactAssembly::addRates(BlockColumns& columns, std::span<const BodyRate> rates, double length) const {
  for (const auto& [body, rate] : rates) {
    const int block = body < 0 ? -1 : blockOf(body);
    if (block < 0) continue;
    const int size = problem.M.size(block);
    double values[18] = {};
    for (int k = 0; k < size; ++k) values[k] = rate[k] / length;
    columns.addSegment(block, rowOf(block), size, values);
  }
  columns.endGroup();
}

void ContactAssembly::addRow(std::span<const BodyRate> rates, double length) { addRates(problem.G, rates, length); }

void ContactAssembly::addOneSided(std::span<const BodyRate> rates, double moving) {
  addRates(problem.H, rates, 1);
  for (VectorX* x : {&surface, &problem.w, &problem.wScale}) (*x)[3 * (problem.contacts() - 1)] = moving;
}

void ContactAssembly::gatherVelocities(const WorldState& state, VectorX& v) const {
  v.resize(problem.dof());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int row = rowOf(static_cast<int>(k));
    v.segment<3>(row) = state.velocity[at(bodies_[k])];
    if (turns_[k]) v.segment<3>(row + 3) = state.angularVelocity[at(bodies_[k])];
  }
}

void ContactAssembly::scatterVelocities(const VectorX& v, WorldState& state) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int row = rowOf(static_cast<int>(k));
    state.velocity[at(bodies_[k])] = v.segment<3>(row);
    if (turns_[k]) state.angularVelocity[at(bodies_[k])] = v.segment<3>(row + 3);
  }
}

void ContactAssembly::setMomentum(const VectorX& vFree) {
  problem.f.resize(vFree.size());
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int row = rowOf(static_cast<int>(k));
    const BodyInertia& body = (*inertias_)[at(bodies_[k])];
    problem.f.segment<3>(row) = body.mass * vFree.segment<3>(row);
    if (turns_[k]) problem.f.segment<3>(row + 3) = inertia_[k] * vFree.segment<3>(row + 3);
  }
}

double ContactAssembly::inverseMass(const BlockColumns& columns, int group) const {
  double trace = 0;
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) {
    const BlockColumns::Segment& segment = columns.segments[at(s)];
    const double inverse = (*inertias_)[at(bodies_[at(segment.block)])].inverseMass;
    for (int c = 0; c < columns.width; ++c) {
      const double* column = &columns.values[at(segment.offset + c * segment.size)];
      const Vector3 linear{column[0], column[1], column[2]};
      trace += inverse * linear.squaredNorm();
      if (segment.size < 6) continue;
      const Vector3 angular{column[3], column[4], column[5]};
      trace += angular.dot(inverse_[at(segment.block)] * angular);
    }
  }
  return trace / columns.width;
}

void ContactAssembly::velocityFromImpulses(const VectorX& vFree, const VectorX& r, const VectorX& lambda, VectorX& v) {
  impulse_.setZero(vFree.size());
  multiplyAdd(problem.H, r, impulse_);
  if (problem.rows() > 0) multiplyAdd(problem.G, lambda, impulse_);
  v = vFree;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const int row = rowOf(static_cast<int>(k));
    const BodyInertia& body = (*inertias_)[at(bodies_[k])];
    v.segment<3>(row) += body.inverseMass * impulse_.segment<3>(row);
    if (turns_[k]) v.segment<3>(row + 3) += inverse_[k] * impulse_.segment<3>(row + 3);
  }
}

}  // namespace stiction
