// Some contacts of a problem as those of another one.
#pragma once
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

/// Three values a contact, of those `kept` (ascending). Empty for empty.
void copyTriples(const VectorX& from, const std::vector<int>& kept, VectorX& to);

/// The contacts `kept` of `from` become those of `to`, whose bodies are there. `blockOf`: for each block of velocities of `from` that of `to`, −1 for one that is left out and stands still;
/// null: the same blocks.
void copyContacts(const ContactProblem& from, const std::vector<int>& kept, const std::vector<int>* blockOf, ContactProblem& to);

}  // namespace stiction
