// Contacts between a link and what it hangs on that no motion of their joints opens or closes: faces that turn on each other about a hinge along their normal, a slide in its guide. The joint holds
// them where they are, whatever force they would take, so they take no part.
//
// Such is a contact whose rate, n·(v_B − v_A), is a sum of the rates of the joint's own rows.
#pragma once
#include "integrate/StepSetup.hpp"

namespace stiction {

class HeldContacts {
 public:
  explicit HeldContacts(const StepSetup& setup);

  /// Leaves them out of contacts found at the state.
  void leaveOut(const WorldState& state, ContactSet& contacts) const;

 private:
  bool holds(const WorldState& state, const Contact& contact) const;

  const StepSetup* setup_;
  std::vector<JointConstraint> joints_;  // per mobilizer
  std::vector<int> hangsBy_;             // per body: the mobilizer that it is the child of, or -1
};

}  // namespace stiction
