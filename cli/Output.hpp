// What the commands share: JSON with 17 digits, files that may be standard output, checks of numbers given on the command line.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace stiction::cli {

using Json = nlohmann::ordered_json;

/// Indented JSON text; floating-point numbers with 17 significant digits, those that are not finite as null.
std::string toText(const Json& value);

/// Writes to a file, or to standard output for "-". Throws InputError when it cannot.
void writeText(const std::string& path, const std::string& text);

/// Fails before the work rather than after it when `path` cannot be written; an existing file is left as it is.
void requireWritable(const std::string& option, const std::string& path);

void requireRange(const std::string& option, double value, double low, double high, const std::string& remedy);

/// By the signature.
bool isHdf5(const std::string& path);

/// Formats with printf.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace stiction::cli
