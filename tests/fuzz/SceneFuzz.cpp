// Any text as a scene: a checked model or an InputError. What MuJoCo's compiler lets through must be a model with finite masses and poses.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/Error.hpp"
#include "io/Mjcf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  if (text.find("file") != std::string::npos || text.find("include") != std::string::npos) return 0;  // no other files
  try {
    const stiction::Scene scene = stiction::loadSceneText(text, "fuzz");
    for (const stiction::Body& body : scene.model.bodies)
      if (!(body.mass >= 0) || !body.p_BC.allFinite() || !body.X_WB.position.allFinite()) std::abort();
  } catch (const stiction::InputError&) {
    return 0;
  }
  return 0;
}
