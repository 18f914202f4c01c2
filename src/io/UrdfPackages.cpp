#include "io/UrdfPackages.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/Error.hpp"

namespace stiction {
namespace {

constexpr std::string_view kScheme = "package://";

/// Empty where there is none.
std::filesystem::path find(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::filesystem::path inside;  // without the package's name
  for (auto part = file.begin(); part != file.end(); ++part)
    if (part != file.begin()) inside /= *part;
  std::error_code none;  // what cannot be looked at is not there
  for (std::filesystem::path place = std::filesystem::absolute(folder, none); !place.empty(); place = place.parent_path()) {
    for (const std::filesystem::path& candidate : {place / file, place / inside})
      if (std::filesystem::is_regular_file(candidate, none)) return candidate;
    if (!place.has_relative_path()) break;
  }
  return {};
}

/// As an XML attribute has it.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : c == '\'' ? "&apos;" : std::string(1, c);
  return out;
}

}  // namespace

std::string resolvePackages(const std::string& text, const std::string& folder, const std::string& label) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(kScheme); at != std::string::npos; at = text.find(kScheme, done)) {
    const std::size_t begin = at + kScheme.size(), end = std::min(text.find_first_of("\"'<>\n", begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const std::filesystem::path found = find(name, folder);
    if (found.empty())
      throw InputError{std::string{label}.append(": ").append(kScheme).append(name), "no such file",
                       "a file of a package that lies in the folder of the URDF or in one above it", "put the package there, or write the path of the file"};
    out += text.substr(done, at - done) + escaped(found.string());
    done = end;
  }
  return out + text.substr(done);
}

}  // namespace stiction
