#include "base/Memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The sum of the lines `name number` of those names.
template <std::size_t N>
std::uint64_t readLines(const char* path, const std::array<const char*, N>& names) {
  std::uint64_t sum = 0, number = 0;
  std::ifstream file{path};
  std::string rest;
  for (std::string name; file >> name >> number; std::getline(file, rest))
    if (std::find(names.begin(), names.end(), name) != names.end()) sum += number;
  return sum;
}

}  // namespace

std::uint64_t availableMemory() {
  const std::uint64_t kilobytes = readLines("/proc/meminfo", std::array{"MemAvailable:"});
  const std::uint64_t available = kilobytes > 0 ? 1024 * kilobytes : std::numeric_limits<std::uint64_t>::max();
  std::uint64_t limit = 0, used = 0;
  if (!readNumber("/sys/fs/cgroup/memory.max", limit) || !readNumber("/sys/fs/cgroup/memory.current", used)) return available;
  const std::uint64_t cached = readLines("/sys/fs/cgroup/memory.stat", std::array{"active_file", "inactive_file"});  // given back when asked for
  return std::min(available, limit + cached > used ? limit + cached - used : 0);
}

void requireMemory(double bytes, const std::string& what) {
  if (bytes < kLarge) return;
  const auto available = static_cast<double>(availableMemory());
  if (bytes > available) throw MemoryError{"not enough memory: " + what + " takes " + gigabytes(bytes) + ", and " + gigabytes(available) + " are there"};
}

}  // namespace stiction
