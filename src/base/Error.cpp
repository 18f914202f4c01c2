#include "base/Error.hpp"

#include <cstdio>

namespace stiction {

InputError::InputError(const std::string& element, const std::string& value, const std::string& range, const std::string& remedy)
    : std::invalid_argument{element + (value.empty() ? "" : ": " + value) + (range.empty() ? "" : "; allowed: " + range) +
                            (remedy.empty() ? "" : "; remedy: " + remedy)},
      element_{element} {}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

}  // namespace stiction
