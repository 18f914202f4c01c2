// Any bytes as XML: the scanner ends, and every parent stands before its child.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/XmlScan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int index = 0, line = 1;
  for (const stiction::XmlElement& element : stiction::scanXml({reinterpret_cast<const char*>(data), size})) {
    if (element.parent < -1 || element.parent >= index || element.line < line) std::abort();
    line = element.line;
    ++index;
  }
  return 0;
}
