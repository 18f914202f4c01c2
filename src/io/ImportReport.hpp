// What an import left out or read differently: every element and attribute written in a scene file that this engine does not act on, each with its reason.
#pragma once
#include <string>
#include <vector>

namespace stiction {

struct ImportEntry {
  std::string element;    // with its line; equal entries are counted, not repeated
  std::string attribute;  // empty for a whole element
  std::string why;
};

struct ImportReport {
  std::vector<ImportEntry> ignored;
  std::vector<ImportEntry> changed;
  std::vector<std::string> warnings;  // of libmujoco's compiler
};

/// Facts about the text that the compiled model no longer tells.
struct SceneText {
  ImportReport report;
  bool setsTimestep{false};
};

/// `text` is the main file, known to compile; `folder` is where its includes are ("" for none).
SceneText scanScene(const std::string& text, const std::string& folder, bool isUrdf);

}  // namespace stiction
