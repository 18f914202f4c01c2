// Crates in a grid touch their diagonal neighbours along an edge line, where every normal between "on top" and "beside" is admissible. Where a third body already carries the
// edge (the crate below, whose top is flush with the neighbour's), that contact would hold back a crate that is free to slide over the joint: it is dropped.
// The same for corners that touch in a point.
// Two bodies that lean on each other by such edges alone keep theirs. Cost: nothing without flush contacts, else n log n in the number of contacts.
#pragma once
#include <vector>

#include "collision/Contact.hpp"

namespace stiction {

/// Drops the points of a flush edge or corner contact when one of its bodies touches a third body there, pressing to the same side. `radius` [m]: size of each geom.
void dropCoveredFlushEdges(const std::vector<double>& radius, ContactSet& contacts);

}  // namespace stiction
