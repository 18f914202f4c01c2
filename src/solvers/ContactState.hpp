// What a contact does in an answer, or in a linearisation on the way to one.
#pragma once
#include <cstdint>

namespace stiction {

enum class ContactState : std::uint8_t { Open, Stick, Slip };

}  // namespace stiction
