// Crates in a grid touch their diagonal neighbours along an edge line, where every normal between "on top" and "beside" is admissible. Where a third body already carries the
// edge (the crate below, whose top is flush with the neighbour's), that contact would hold back a crate that is free to slide over the joint: it is dropped.
// Two bodies that lean on each other by such edges alone keep theirs. Cost: nothing without flush contacts, else n log n in the number of contacts.
#pragma once
#include "collision/Contact.hpp"

namespace stiction {

/// Drops both points of a flush edge contact when one of its bodies touches a third body on the same edge line, pressing to the same side.
void dropCoveredFlushEdges(ContactSet& contacts);

}  // namespace stiction
