// The elements and attributes written in an XML text, in order, with their lines: what a file says, before a compiler fills in defaults.
// It serves reports and error messages only; a text that is not well formed is scanned as far as it goes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

struct XmlAttribute {
  std::string name;
  std::string value;  // as written, entities kept
};

struct XmlElement {
  std::string name;
  int parent{-1};  // index in the list; -1 for the root
  int line{1};
  std::vector<XmlAttribute> attributes;

  /// The value, or null when the attribute is not written.
  const std::string* find(std::string_view attribute) const;
};

/// Cost: one pass over the text.
std::vector<XmlElement> scanXml(std::string_view text);

}  // namespace stiction
