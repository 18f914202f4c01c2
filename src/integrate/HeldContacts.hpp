// Contacts between a link and what it hangs on that no motion of their joints opens or closes: faces that turn on each other about a hinge along their normal, a slide in its guide. The joint holds
// them where they are, whatever force they would take, so they take no part.
//
// Such is a contact whose rate, n·(v_B − v_A), is a sum of the rates of the joint's own rows.
#pragma once
#include "integrate/StepSetup.hpp"

namespace stiction {

/// Leaves them out of contacts found at the state.
void leaveOutHeld(const StepSetup& setup, const WorldState& state, ContactSet& contacts);

}  // namespace stiction
