#include "io/XmlScan.hpp"

#include <algorithm>

namespace stiction {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool endsName(char c) { return isSpace(c) || c == '=' || c == '>' || c == '/' || c == '<' || c == '"' || c == '\''; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_{text} {}

  std::vector<XmlElement> run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        advance(1);
      } else if (starts("<!--")) {
        skipPast("-->");
      } else if (starts("<![CDATA[")) {
        skipPast("]]>");
      } else if (starts("<?")) {
        skipPast("?>");
      } else if (starts("<!")) {
        skipPast(">");
      } else if (starts("</")) {
        skipPast(">");
        if (!open_.empty()) open_.pop_back();
      } else {
        element();
      }
    }
    return std::move(elements_);
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void advance(std::size_t count) {
    const std::size_t end = std::min(at_ + count, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void skipPast(std::string_view word) {
    const std::size_t found = text_.find(word, at_);
    advance(found == std::string_view::npos ? text_.size() - at_ : found + word.size() - at_);
  }

  void skipSpace() {
    while (at_ < text_.size() && isSpace(text_[at_])) advance(1);
  }

  std::string word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && !endsName(text_[at_])) ++at_;
    return std::string{text_.substr(first, at_ - first)};
  }

  void element() {
    advance(1);
    XmlElement found;
    found.line = line_;
    found.parent = open_.empty() ? -1 : open_.back();
    found.name = word();
    bool closed = false;
    while (at_ < text_.size()) {
      skipSpace();
      if (at_ == text_.size() || text_[at_] == '<') break;
      if (text_[at_] == '>' || starts("/>")) {
        closed = text_[at_] == '/';
        advance(closed ? 2 : 1);
        break;
      }
      if (!attribute(found)) advance(1);
    }
    if (found.name.empty()) return;
    if (!closed) open_.push_back(static_cast<int>(elements_.size()));
    elements_.push_back(std::move(found));
  }

  bool attribute(XmlElement& element) {
    XmlAttribute found;
    found.name = word();
    if (found.name.empty()) return false;
    skipSpace();
    if (at_ == text_.size() || text_[at_] != '=') return true;
    advance(1);
    skipSpace();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return true;
    const char quote = text_[at_];
    const std::size_t first = at_ + 1, last = std::min(text_.find(quote, first), text_.size());
    found.value = std::string{text_.substr(first, last - first)};
    advance(last + 1 - at_);
    element.attributes.push_back(std::move(found));
    return true;
  }

  std::string_view text_;
  std::size_t at_{0};
  int line_{1};
  std::vector<int> open_;
  std::vector<XmlElement> elements_;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) return &a.value;
  return nullptr;
}

std::vector<XmlElement> scanXml(std::string_view text) { return Scanner{text}.run(); }

}  // namespace stiction
