// Errors of the user's input. Our own bugs assert; numbers report through StepReport.
#pragma once
#include <stdexcept>
#include <string>

namespace stiction {

/// The user's input is wrong. Names the element, the value found, the allowed range and the remedy; the program exits with code 2 on it.
/// A std::invalid_argument, so that a caller may know that type alone.
class InputError : public std::invalid_argument {
 public:
  InputError(const std::string& element, const std::string& value, const std::string& range, const std::string& remedy);

  const std::string& element() const { return element_; }

 private:
  std::string element_;
};

/// A number as messages show it.
std::string number(double value);

/// What has to be held at once does not fit the machine. Says what it is, how much it takes and how much there is.
class MemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
