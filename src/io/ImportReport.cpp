#include "io/ImportReport.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>

#include "io/XmlScan.hpp"

namespace stiction {
namespace {

constexpr int maxIncludeDepth = 32;

struct Known {
  std::string_view element;
  std::string_view attributes;  // between spaces; "*" for all of them
};

// What is acted on. Everything about frames, masses and assets is compiled by libmujoco itself.
constexpr Known mjcfKnown[] = {
    {"mujoco", " model "},
    {"mujocoinclude", ""},
    {"include", "*"},
    {"compiler", "*"},
    {"option", " gravity timestep "},
    {"default", "*"},
    {"worldbody", "*"},
    {"asset", "*"},
    {"contact", "*"},
    {"custom", "*"},
    {"keyframe", "*"},
    {"model", "*"},
    {"attach", "*"},
    {"frame", "*"},
    {"replicate", "*"},
    {"inertial", "*"},
    {"body", " name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp simple fuse "},
    {"freejoint", " name align "},
    {"joint",
     " name class type align pos axis ref range limited stiffness springref springdamper damping armature frictionloss actuatorfrcrange actuatorfrclimited "
     "actuatorgravcomp "
     "joint coef joint1 joint2 polycoef active "},
    {"geom",
     " name class type contype conaffinity condim priority size friction mass density shellinertia pos quat axisangle xyaxes zaxis euler fromto hfield mesh "
     "fitscale "},
    {"mesh", " name class content_type file vertex normal texcoord face refpos refquat scale inertia builtin params "},
    {"hfield", " name content_type file nrow ncol size elevation "},
    {"pair", " name class geom1 geom2 condim friction "},
    {"exclude", " name body1 body2 "},
    {"element", "*"},
    {"key", " name time qpos qvel act mpos mquat ctrl "},
    {"tendon", "*"},
    {"fixed", " name class limited range springlength stiffness damping armature frictionloss actuatorfrcrange actuatorfrclimited "},
    {"equality", "*"},
    {"connect", " name class active body1 body2 anchor site1 site2 "},
    {"weld", " name class active body1 body2 anchor relpose site1 site2 "},
    {"actuator", "*"},
    {"general", "*"},
    {"motor", "*"},
    {"position", "*"},
    {"velocity", "*"},
    {"intvelocity", "*"},
    {"damper", "*"},
    {"cylinder", "*"},
    {"muscle", "*"},
    {"dcmotor", "*"},
    {"adhesion", "*"},
};

struct Reason {
  std::string_view element;  // "" for any
  std::string_view attributes;
  const char* why;
};

// The first that fits gives the reason.
constexpr Reason reasons[] = {
    {"", " solref solimp solmix solreffriction solreflimit solimplimit solreffriction solimpfriction ",
     "contacts and constraints are rigid and strict: softness has no meaning"},
    {"", " margin gap ", "contacts act at zero distance; those that can close within the step are found whatever the margin"},
    {"", " rgba material group user smoothnormal ", "for display"},
    {"geom", " fluidshape fluidcoef ", "there is no surrounding fluid"},
    {"geom", " surfacevel ", "moving surfaces are not supported: the surface is at rest"},
    {"", " adhesion ", "there is no adhesion"},
    {"weld", " torquescale ", "welds are rigid"},
    {"mesh", " maxhullvert ", "the exact convex hull is used"},
    {"option", " density viscosity wind ", "there is no surrounding fluid"},
    {"option", " cone ", "friction cones are always circular"},
    {"option", "*", "the step has its own solver and integrator"},
    {"joint", "*", "not used"},
    {"freejoint", "*", "no meaning for a free joint"},
    {"body", " sleep ", "bodies at rest cost little and stay exactly at rest"},
    {"mesh", "*", "not used"},
    {"limit", " effort ", "it bounds actuators, of which URDF has none"},
    {"limit", " velocity ", "speeds are not bounded"},
};

// Elements left out with all they hold.
constexpr Reason mjcfSections[] = {
    {"light", "", "for display"},
    {"camera", "", "for display"},
    {"site", "", "only sensors, spatial tendons and actuators use sites"},
    {"texture", "", "for display"},
    {"material", "", "for display"},
    {"skin", "", "for display"},
    {"visual", "", "for display"},
    {"statistic", "", "for display"},
    {"size", "", "memory grows as needed"},
    {"sensor", "", "there are no sensors; poses, velocities and contacts are in the record"},
    {"spatial", "", "tendons along sites are not supported"},
    {"text", "", "no meaning here"},
    {"extension", "", "plug-ins are not supported"},
    {"plugin", "", "plug-ins are not supported"},
    {"deformable", "", "for display"},
};

// URDF, and the <mujoco> element it may hold.
constexpr Known urdfKnown[] = {
    {"robot", " name "},
    {"link", " name "},
    {"inertial", "*"},
    {"origin", "*"},
    {"mass", "*"},
    {"inertia", "*"},
    {"collision", "*"},
    {"geometry", "*"},
    {"box", "*"},
    {"sphere", "*"},
    {"cylinder", "*"},
    {"capsule", "*"},
    {"mesh", "*"},
    {"joint", " name type "},
    {"parent", "*"},
    {"child", "*"},
    {"axis", "*"},
    {"mujoco", "*"},
    {"compiler", "*"},
    {"option", " gravity timestep "},
    {"limit", " lower upper "},
    {"dynamics", " damping friction "},
    {"mimic", " joint multiplier offset "},
};

constexpr Reason urdfSections[] = {
    {"visual", "", "for display"},
    {"material", "", "for display"},
    {"safety_controller", "", "there are no controllers"},
    {"calibration", "", "there are no joint sensors"},
    {"transmission", "", "there are no actuators"},
    {"gazebo", "", "meant for another simulator"},
    {"sensor", "", "there are no sensors; poses, velocities and contacts are in the record"},
};

struct Dialect {
  std::span<const Known> known;
  std::span<const Reason> sections;

  bool isSection(std::string_view name) const {
    return std::any_of(sections.begin(), sections.end(), [name](const Reason& section) { return section.element == name; });
  }
};

constexpr Dialect mjcf{mjcfKnown, mjcfSections};
constexpr Dialect urdf{urdfKnown, urdfSections};

// Sections whose members are told one by one.
bool isParted(std::string_view name) { return name == "sensor"; }

bool lists(std::string_view attributes, std::string_view name) {
  return attributes == "*" || attributes.find(std::string{" "}.append(name).append(" ")) != std::string_view::npos;
}

class Collector {
 public:
  explicit Collector(const Dialect& dialect) : dialect_{dialect} {}

  void file(const std::string& text, const std::string& folder, const std::string& label, int depth) {
    const std::vector<XmlElement> elements = scanXml(text);
    std::vector<bool> skipped(elements.size(), false);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const XmlElement& element = elements[i];
      const XmlElement* parent = element.parent < 0 ? nullptr : &elements[static_cast<std::size_t>(element.parent)];
      skipped[i] = parent != nullptr && (skipped[static_cast<std::size_t>(element.parent)] || dialect_.isSection(parent->name));
      if (skipped[i]) {
        if (parent != nullptr && !skipped[static_cast<std::size_t>(element.parent)]) child(*parent, element, label);
        continue;
      }
      if (element.name == "include") include(element, folder, depth);
      if (dialect_.isSection(element.name)) {
        if (!isParted(element.name)) whole(element.name, element.name, element, label);
      } else {
        attributes(element, label);
      }
    }
  }

  SceneText finish() {
    for (const Count& count : counts_) {
      ImportEntry entry = count.entry;
      if (count.times > 1) entry.element.append(" ×").append(std::to_string(count.times));
      entry.element.append(count.times > 1 ? " (first at " : " (").append(count.place).append(")");
      (count.changed ? out_.report.changed : out_.report.ignored).push_back(std::move(entry));
    }
    return std::move(out_);
  }

 private:
  struct Count {
    ImportEntry entry;
    std::string place;
    int times;
    bool changed;
  };

  void add(ImportEntry entry, const std::string& label, int line, bool changed) {
    for (Count& count : counts_)
      if (count.entry.element == entry.element && count.entry.attribute == entry.attribute && count.changed == changed) {
        ++count.times;
        return;
      }
    counts_.push_back({std::move(entry), label + (label.empty() ? "line " : ":") + std::to_string(line), 1, changed});
  }

  void whole(const std::string& shown, const std::string& section, const XmlElement& element, const std::string& label) {
    for (const Reason& reason : dialect_.sections)
      if (reason.element == section) add({shown, "", reason.why}, label, element.line, false);
  }

  void child(const XmlElement& parent, const XmlElement& element, const std::string& label) {
    if (isParted(parent.name)) whole(parent.name + "/" + element.name, parent.name, element, label);
  }

  void include(const XmlElement& element, const std::string& folder, int depth) {
    const std::string* name = element.find("file");
    if (name == nullptr || depth >= maxIncludeDepth) return;
    std::ifstream stream{std::filesystem::path{folder} / *name, std::ios::binary};
    if (folder.empty() || !stream) {
      add({"include " + *name, "", "could not be searched for elements that are left out"}, "", element.line, false);
      return;
    }
    std::ostringstream text;
    text << stream.rdbuf();
    file(text.str(), folder, *name, depth + 1);
  }

  void attributes(const XmlElement& element, const std::string& label) {
    const auto entry = std::find_if(dialect_.known.begin(), dialect_.known.end(), [&element](const Known& k) { return k.element == element.name; });
    if (element.name == "flag") return flags(element, label);
    if (element.name == "numeric" || element.name == "tuple") {
      const std::string* name = element.find("name");
      if (name == nullptr || *name != "stiction_restitution")
        add({element.name + (name != nullptr ? " " + *name : ""), "", "no meaning here"}, label, element.line, false);
      return;
    }
    if (entry == dialect_.known.end()) return add({element.name, "", "not supported"}, label, element.line, false);
    for (const XmlAttribute& attribute : element.attributes) {
      if (element.name == "option" && attribute.name == "timestep") out_.setsTimestep = true;
      if (lists(entry->attributes, attribute.name)) continue;
      if (element.name == "option" && attribute.name == "cone" && attribute.value == "elliptic") continue;
      const Reason* reason = std::find_if(std::begin(reasons), std::end(reasons), [&](const Reason& r) {
        return (r.element.empty() || r.element == element.name) && lists(r.attributes, attribute.name);
      });
      const bool changed = element.name == "option" && attribute.name == "cone";
      add({element.name, attribute.name, reason != std::end(reasons) ? reason->why : "not supported"}, label, element.line, changed);
    }
  }

  /// What switches parts that exist here is honoured; the others steer parts of libmujoco's own simulation.
  void flags(const XmlElement& element, const std::string& label) {
    for (const XmlAttribute& attribute : element.attributes)
      if (!lists(" gravity contact constraint limit spring damper frictionloss actuation clampctrl equality ", attribute.name))
        add({"flag", attribute.name, "it switches a part of MuJoCo that is not used here"}, label, element.line, false);
  }

  const Dialect& dialect_;
  std::vector<Count> counts_;
  SceneText out_;
};

}  // namespace

SceneText scanScene(const std::string& text, const std::string& folder, bool isUrdf) {
  Collector collector{isUrdf ? urdf : mjcf};
  collector.file(text, folder, "", 0);
  return collector.finish();
}

}  // namespace stiction
