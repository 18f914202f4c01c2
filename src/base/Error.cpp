#include "base/Error.hpp"

namespace stiction {

InputError::InputError(const std::string& element, const std::string& value, const std::string& range, const std::string& remedy)
    : std::invalid_argument{element + (value.empty() ? "" : ": " + value) + (range.empty() ? "" : "; allowed: " + range) +
                            (remedy.empty() ? "" : "; remedy: " + remedy)},
      element_{element} {}

}  // namespace stiction
