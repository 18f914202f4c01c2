// A 64-bit hash of raw bits (FNV-1a on 8-byte words with a final mix): equal hashes mean equal bits, for the determinism tests.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stiction {

class StateHash {
 public:
  void add(std::uint64_t word) {
    value_ ^= word;
    value_ *= 0x100000001b3ULL;
    value_ ^= value_ >> 29;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const double* x, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(x[i]);
  }
  std::uint64_t value() const { return value_; }
  std::string hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (int i = 0; i < 16; ++i) text[static_cast<std::size_t>(i)] = digits[(value_ >> (60 - 4 * i)) & 15];
    return text;
  }

 private:
  std::uint64_t value_{0xcbf29ce484222325ULL};
};

}  // namespace stiction
