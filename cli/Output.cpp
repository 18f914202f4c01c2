#include "Output.hpp"

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/Error.hpp"

namespace stiction::cli {
namespace {

bool isFlat(const Json& value) {
  for (const Json& item : value)
    if (item.is_structured()) return false;
  return value.is_array();
}

std::string newLine(int depth) {
  std::string text(static_cast<std::size_t>(2 * depth + 1), ' ');
  text[0] = '\n';
  return text;
}

void append(const Json& value, int depth, std::string& out) {
  if (value.is_number_float()) {
    const double x = value.get<double>();
    out += std::isfinite(x) ? format("%.17g", x) : "null";
    return;
  }
  if (!value.is_structured()) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool flat = isFlat(value), object = value.is_object();
  const bool broken = !flat && !value.empty();
  const std::string line = broken ? newLine(depth + 1) : std::string{};
  out += object ? '{' : '[';
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!first) out += flat ? ", " : ",";
    first = false;
    out += line;
    if (object) out.append(Json(item.key()).dump(-1, ' ', false, Json::error_handler_t::replace)).append(": ");
    append(*item, depth + 1, out);
  }
  if (broken) out += newLine(depth);
  out += object ? '}' : ']';
}

}  // namespace

bool isHdf5(const std::string& path) {
  constexpr std::array<char, 4> signature{'\x89', 'H', 'D', 'F'};
  std::array<char, 4> head{};
  std::ifstream stream{path, std::ios::binary};
  return stream.read(head.data(), head.size()) && head == signature;
}

std::string format(const char* pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, pattern, arguments);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string toText(const Json& value) {
  std::string out;
  append(value, 0, out);
  out += '\n';
  return out;
}

void writeText(const std::string& path, const std::string& text) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) good = (path == "-" ? std::fflush(file) : std::fclose(file)) == 0 && good;
  if (!good) throw InputError{path, "cannot be written", "a writable file, or - for standard output", "check the folder, its rights and the free space"};
}

void requireWritable(const std::string& option, const std::string& path) {
  if (path.empty() || path == "-") return;
  std::error_code error;
  const bool existed = std::filesystem::exists(path, error);
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) throw InputError{option + " " + path, "cannot be written", "a file in an existing, writable folder", "choose another name or folder"};
  std::fclose(file);
  if (!existed) std::filesystem::remove(path, error);
}

void requireRange(const std::string& option, double value, double low, double high, const std::string& remedy) {
  if (!(value >= low && value <= high)) throw InputError{option, format("%g", value), format("%g … %g", low, high), remedy};
}

}  // namespace stiction::cli
