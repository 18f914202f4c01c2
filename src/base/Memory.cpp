#include "base/Memory.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

#include "base/Error.hpp"

namespace stiction {
namespace {

constexpr double kLarge = 256e6;  // bytes

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", 1e-9 * bytes);
  return text;
}

/// The number in a file that holds nothing else.
bool readNumber(const char* path, std::uint64_t& value) { return static_cast<bool>(std::ifstream{path} >> value); }

}  // namespace

std::uint64_t availableMemory() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream system{"/proc/meminfo"};
  std::uint64_t kilobytes = 0;
  for (std::string name, unit; system >> name >> kilobytes; std::getline(system, unit))
    if (name == "MemAvailable:") available = 1024 * kilobytes;
  std::uint64_t limit = 0, used = 0;
  if (readNumber("/sys/fs/cgroup/memory.max", limit) && readNumber("/sys/fs/cgroup/memory.current", used))
    available = std::min(available, limit > used ? limit - used : 0);
  return available;
}

void requireMemory(double bytes, const std::string& what) {
  if (bytes < kLarge) return;
  const auto available = static_cast<double>(availableMemory());
  if (bytes > available) throw MemoryError{"not enough memory: " + what + " takes " + gigabytes(bytes) + ", and " + gigabytes(available) + " are there"};
}

}  // namespace stiction
