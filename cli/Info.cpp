// `stiction info`: what a scene, a record or a problem holds.
#include <algorithm>
#include <cstdio>
#include <map>

#include "Commands.hpp"
#include "Output.hpp"
#include "io/Fclib.hpp"
#include "io/Mjcf.hpp"
#include "io/Record.hpp"

namespace stiction::cli {
namespace {

void printEntries(const char* title, const std::vector<ImportEntry>& entries) {
  if (entries.empty()) return;
  std::printf("%s\n", title);
  for (const ImportEntry& entry : entries)
    std::printf("  %s%s%s: %s\n", entry.element.c_str(), entry.attribute.empty() ? "" : " ", entry.attribute.c_str(), entry.why.c_str());
}

void printScene(const std::string& path) {
  const Scene scene = loadScene(path);
  const Model& model = scene.model;
  double mass = 0;
  int dynamic = 0, kinematic = 0;
  for (const Body& body : model.bodies) {
    mass += body.kind == BodyKind::Dynamic ? body.mass : 0;
    dynamic += body.kind == BodyKind::Dynamic ? 1 : 0;
    kinematic += body.kind == BodyKind::Kinematic ? 1 : 0;
  }
  std::map<std::string, int> shapes;
  for (const Geom& geom : model.geoms) ++shapes[name(geom.shape.type)];
  std::printf("scene      %s%s%s\n", path.c_str(), model.name.empty() ? "" : ", model ", model.name.c_str());
  std::printf("bodies     %d moving (%g kg), %d kinematic\n", dynamic, mass, kinematic);
  if (!model.joints.empty()) {
    const auto count = [&model](JointType type) {
      return std::count_if(model.joints.begin(), model.joints.end(), [type](const Joint& j) { return j.type == type; });
    };
    std::printf("joints     hinge %td, slide %td, ball %td; %zu actuators\n", count(JointType::Hinge), count(JointType::Slide), count(JointType::Ball),
                model.actuators.size());
  }
  std::printf("geoms      %zu:", model.geoms.size());
  for (const auto& [shape, count] : shapes) std::printf(" %s %d", shape.c_str(), count);
  std::printf("\npairs      %zu explicit, %zu excluded\n", model.pairs.size(), model.excludes.size());
  std::printf("gravity    %g %g %g m/s²\n", model.gravity.x(), model.gravity.y(), model.gravity.z());
  std::printf("timestep   %s\n", model.timestep > 0 ? format("%g s", model.timestep).c_str() : "not given");
  std::printf("keyframes ");
  for (const Keyframe& key : scene.keyframes) std::printf(" %s", key.name.c_str());
  std::printf("%s\n", scene.keyframes.empty() ? " none" : "");
  printEntries("ignored", scene.report.ignored);
  printEntries("changed", scene.report.changed);
  for (const std::string& warning : scene.report.warnings) std::printf("warning    %s\n", warning.c_str());
}

void printProblem(const std::string& path) {
  const FclibProblem problem = readFclib(path);
  std::printf("problem    %s\n", path.c_str());
  if (const auto* local = std::get_if<LocalContactProblem>(&problem)) {
    std::printf("form       local (W, q, mu)\ncontacts   %d\nblocks     %zu of 3 × 3 in W\n", local->contacts(), local->blocks.size());
    return;
  }
  const auto& global = std::get<ContactProblem>(problem);
  std::printf("form       global (M, H, G, f, w, b, mu)\ncontacts   %d\nvelocities %d in %d blocks of M, %zu couplings\nrows       %d\ncompliance %s\n",
              global.contacts(), global.dof(), global.M.blocks(), global.M.couplings.size(), global.rows(),
              global.R.size() > 0 || global.C.size() > 0 ? "R, C" : "none");
}

void printRecord(const std::string& path) {
  const RecordSummary record = readRecordSummary(path);
  std::printf("record     %s, written by stiction %s\nscene      %s\nsolver     %s\n", path.c_str(), record.version.c_str(), record.scene.c_str(),
              record.solver.c_str());
  std::printf("frames     %zu, %g s to %g s\nbodies     %zu\ncontacts   %d at most\nworst      %.3e relative\n", record.frames, record.start, record.end,
              record.bodies.size(), record.mostContacts, record.worstCertificate);
}

}  // namespace

int infoCommand(const std::string& file) {
  if (!isHdf5(file)) {
    printScene(file);
  } else if (isRecord(file)) {
    printRecord(file);
  } else {
    printProblem(file);
  }
  return exitCertified;
}

}  // namespace stiction::cli
