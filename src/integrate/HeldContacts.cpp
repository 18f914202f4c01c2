#include "integrate/HeldContacts.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kStill = 1e-6;  // [-] of a motion: what goes by less along the contact's normal does not open it; vertices of meshes have seven digits
constexpr double kSame = 1e-9;   // [-] of a row: what is left of one that follows from others

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

HeldContacts::HeldContacts(const StepSetup& setup) : setup_{&setup}, hangsBy_(setup.model->bodies.size(), -1) {
  for (const JointMotion& motion : setup.motions) {
    hangsBy_[at(motion.child())] = static_cast<int>(joints_.size());
    joints_.emplace_back(motion, "");
  }
}

void HeldContacts::leaveOut(const WorldState& state, ContactSet& contacts) const {
  if (joints_.empty()) return;
  std::erase_if(contacts, [&](const Contact& contact) { return holds(state, contact); });
}

bool HeldContacts::holds(const WorldState& state, const Contact& contact) const {
  for (const auto& [child, parent] : {std::pair{contact.bodyB, contact.bodyA}, std::pair{contact.bodyA, contact.bodyB}}) {
    const int mobilizer = hangsBy_[at(child)];
    if (mobilizer < 0 || setup_->motions[at(mobilizer)].parent() != parent) continue;
    std::array<RowVector12, JointConstraint::kMost> rows;
    joints_[at(mobilizer)].rates(state.pose(parent), state.pose(child), state.jointPosition.data() + joints_[at(mobilizer)].firstJoint(), rows.data());
    const double size = setup_->bodySize[at(child)];
    const auto ofChild = [size](const Vector3& linear, const Vector3& angular) {
      Vector6 rate;
      rate << linear, angular / size;
      return rate;
    };
    Vector6 rate = ofChild(contact.normal, (contact.point - state.position[at(child)]).cross(contact.normal)).normalized();
    Matrix6 basis;
    int found = 0;
    for (int k = 0; k < joints_[at(mobilizer)].dimension(); ++k) {
      const Vector6 whole = ofChild(rows[at(k)].segment<3>(6), rows[at(k)].segment<3>(9)).normalized();
      Vector6 row = whole;
      for (int j = 0; j < found; ++j) row -= row.dot(basis.col(j)) * basis.col(j);
      if (row.norm() > kSame) basis.col(found++) = row.normalized();
    }
    for (int j = 0; j < found; ++j) rate -= rate.dot(basis.col(j)) * basis.col(j);
    return rate.norm() <= kStill;
  }
  return false;
}

}  // namespace stiction
