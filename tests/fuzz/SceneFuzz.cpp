// The import of scenes on hostile texts: an InputError or a model that can be stepped from, whatever the XML says. Mutations insert and swap MJCF's own words.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "base/Assert.hpp"
#include "base/Error.hpp"
#include "io/Mjcf.hpp"
#include "io/XmlScan.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);

namespace {

using namespace stiction;

constexpr std::string_view words[] = {"<body name=\"x\">",
                                      "</body>",
                                      "<freejoint/>",
                                      "<joint type=\"free\"/>",
                                      "<geom size=\".1\"/>",
                                      "<geom type=\"box\" size=\".1 .2 .3\"/>",
                                      "<geom type=\"mesh\" mesh=\"m\"/>",
                                      "<geom type=\"hfield\" hfield=\"h\"/>",
                                      "<geom type=\"ellipsoid\" size=\".1 .2 .3\"/>",
                                      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>",
                                      " pos=\"1 2 3\"",
                                      " quat=\"1 1 0 0\"",
                                      " euler=\"10 20 30\"",
                                      " mass=\"1\"",
                                      " density=\"1000\"",
                                      " friction=\".5 0 0\"",
                                      " contype=\"2\"",
                                      " conaffinity=\"3\"",
                                      " condim=\"6\"",
                                      " priority=\"1\"",
                                      " mocap=\"true\"",
                                      " gravcomp=\"1\"",
                                      " name=\"a\"",
                                      " type=\"capsule\"",
                                      " fromto=\"0 0 0 1 1 1\"",
                                      " solref=\".02 1\"",
                                      " margin=\".1\"",
                                      "<option gravity=\"0 0 -1\" timestep=\".01\"/>",
                                      "<keyframe><key name=\"k\" qpos=\"0 0 0 1 0 0 0\"/></keyframe>",
                                      " qvel=\"0 0 0 1 2 3\"",
                                      "<contact>",
                                      "</contact>",
                                      "<exclude body1=\"a\" body2=\"b\"/>",
                                      "<pair geom1=\"g\" geom2=\"f\"/>",
                                      "<custom><numeric name=\"stiction_restitution\" data=\".5\"/></custom>",
                                      "<tuple name=\"stiction_restitution\"><element objtype=\"geom\" objname=\"g\" prm=\".5\"/></tuple>",
                                      "<default><geom friction=\".1 0 0\"/></default>",
                                      "nan",
                                      "inf",
                                      "-1",
                                      "0",
                                      "1e300",
                                      "1e-300",
                                      "<equality><weld body1=\"a\"/></equality>",
                                      "<sensor/>",
                                      "<light/>",
                                      "<site/>",
                                      "<!--",
                                      "-->",
                                      "<frame pos=\"1 0 0\">",
                                      "</frame>"};

/// Sizes that libmujoco spends as it is told; more of them only costs time.
bool asksForMuch(std::string_view text) {
  for (const XmlElement& element : scanXml(text)) {
    for (const std::string_view name : {"size", "texture", "skin", "composite", "flexcomp", "include", "attach", "model", "plugin", "extension"})
      if (element.name == name) return true;
    for (const XmlAttribute& attribute : element.attributes) {
      if (attribute.name == "builtin" || attribute.name == "file" || attribute.name == "meshdir" || attribute.name == "texturedir" ||
          attribute.name == "assetdir")
        return true;
      const bool counts = attribute.name == "nrow" || attribute.name == "ncol" || attribute.name == "count" || attribute.name == "maxhullvert";
      if (counts && !(std::abs(std::strtod(attribute.value.c_str(), nullptr)) <= 32)) return true;
    }
  }
  return false;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned int seed) {
  std::minstd_rand random{seed};
  if (random() % 3 == 0) return LLVMFuzzerMutate(data, size, capacity);
  const std::string_view word = words[random() % std::size(words)];
  if (size + word.size() > capacity) return LLVMFuzzerMutate(data, size, capacity);
  // Words go where the text breaks: before a tag, before the end of one, or inside quotes.
  std::size_t at = size == 0 ? 0 : random() % size;
  const char breaks = word.front() == '<' ? '<' : word.front() == ' ' ? '/' : '"';
  while (at < size && data[at] != static_cast<std::uint8_t>(breaks)) ++at;
  if (breaks == '"' && at < size) ++at;
  std::memmove(data + at + word.size(), data + at, size - at);
  std::memcpy(data + at, word.data(), word.size());
  return size + word.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  if (text.find('\0') != std::string::npos || asksForMuch(text)) return 0;
  try {
    const Scene scene = loadSceneText(text, "fuzz");
    for (const Keyframe& key : scene.keyframes)
      for (const Quaternion& q : key.state.rotation) STICTION_ASSERT(std::abs(q.norm() - 1) < 1e-9);
    for (const Geom& geom : scene.model.geoms) STICTION_ASSERT(geom.body >= 0 && geom.body < static_cast<int>(scene.model.bodies.size()));
    for (const Body& body : scene.model.bodies) STICTION_ASSERT(body.kind != BodyKind::Dynamic || (body.mass > 0 && body.I_C.allFinite()));
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
