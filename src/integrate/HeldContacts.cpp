#include "integrate/HeldContacts.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double kStill = 1e-6;  // [-] of a motion: what goes by less along the contact's normal does not open it; vertices of meshes have seven digits
constexpr double kSame = 1e-9;   // [-] of a row: what is left of one that follows from others

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isHeld(const StepSetup& setup, const WorldState& state, const Contact& contact) {
  for (const auto& [child, parent] : {std::pair{contact.bodyB, contact.bodyA}, std::pair{contact.bodyA, contact.bodyB}}) {
    const JointConstraint* joint = setup.hangsBy[at(child)];
    if (joint == nullptr || joint->getBodyAIndex() != at(parent)) continue;
    std::array<RowVector12, JointConstraint::kMost> rows;
    joint->rates(state.pose(parent), state.pose(child), state.jointPosition.data() + joint->firstJoint(), rows.data());
    const double size = setup.bodySize[at(child)];
    const auto ofChild = [size](const Vector3& linear, const Vector3& angular) {
      Vector6 rate;
      rate << linear, angular / size;
      return Vector6{rate.normalized()};
    };
    Matrix6 basis;
    int found = 0;
    const auto beyondBasis = [&](Vector6 rate) {
      for (int j = 0; j < found; ++j) rate -= rate.dot(basis.col(j)) * basis.col(j);
      return rate;
    };
    for (int k = 0; k < joint->dimension(); ++k) {
      const Vector6 row = beyondBasis(ofChild(rows[at(k)].segment<3>(6), rows[at(k)].segment<3>(9)));
      if (row.norm() > kSame) basis.col(found++) = row.normalized();
    }
    return beyondBasis(ofChild(contact.normal, (contact.point - state.position[at(child)]).cross(contact.normal))).norm() <= kStill;
  }
  return false;
}

}  // namespace

void leaveOutHeld(const StepSetup& setup, const WorldState& state, ContactSet& contacts) {
  if (setup.hangsBy.empty()) return;
  std::erase_if(contacts, [&](const Contact& contact) { return isHeld(setup, state, contact); });
}

}  // namespace stiction
