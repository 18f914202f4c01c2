// Asking before large pieces of memory are taken: a system that has promised too much ends programs without a word.
#pragma once
#include <cstdint>
#include <string>

namespace stiction {

/// Bytes that the system can still give without swapping, within the limits of the control group; the greatest number where it does not tell.
std::uint64_t availableMemory();

/// Throws MemoryError where `bytes` for `what` are more than there are. Small requests are not looked at.
void requireMemory(double bytes, const std::string& what);

}  // namespace stiction
