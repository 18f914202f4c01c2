#include "BenchCases.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>

#include "Output.hpp"
#include "SceneStart.hpp"
#include "base/Error.hpp"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kDuration = 1;     // [s] of a scene that the user names
constexpr double kMostSteps = 1e7;  // of one run

struct StandardScene {
  const char* name;
  const char* file;
  const char* keyframe;
  double duration;  // [s]
  bool named;       // takes minutes: runs only when --only picks it
};

constexpr StandardScene kStandardScenes[] = {
    {"S1 block on a slope", "incline.xml", "", 10, false},
    {"S1b slide at 35 degrees, azimuth 30", "oblique.xml", "", 2, false},
    {"S2 stop from 10 m/s", "stopping.xml", "start", 4, false},
    {"S3 tower 1000:1", "heavy_top.xml", "", 10, false},
    {"S4 pyramid", "pyramid.xml", "", 5, false},
    {"S4b pyramid struck by a ball", "struck_pyramid.xml", "shot", 0.25, true},
    {"S5 heap, first piece of its fall", "heap.xml", "", 0.4, false},
    {"S5b heap, to its rest", "heap.xml", "", 6, true},
    {"S5c heap at rest", "settled_heap.xml", "", 10, false},
    {"S6 arch", "arch.xml", "", 10, false},
    {"S6b card house", "cards.xml", "", 10, false},
    {"S7 glancing ball", "glancing_ball.xml", "spin40", 0.15, false},
    {"S8 tumbling body", "tumble.xml", "start", 60, false},
};

/// share/stiction/scenes beside the program (a build folder) or beside its bin folder (an install prefix).
fs::path sceneFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path below = fs::path{"share"} / "stiction" / "scenes";
  for (const fs::path& folder : {program / below, program.parent_path() / below})
    if (fs::is_directory(folder, error)) return folder;
  throw InputError{"the standard scenes", "neither in " + (program / below).string() + " nor in " + (program.parent_path() / below).string(),
                   "the folder share/stiction/scenes beside the program or its bin folder",
                   "install with `cmake --install`, or name the scenes: stiction bench FILE ..."};
}

std::vector<BenchCase> namedCases(const BenchArguments& arguments) {
  std::vector<BenchCase> cases;
  if (arguments.files.empty()) {
    const fs::path folder = sceneFolder();
    for (const StandardScene& scene : kStandardScenes)
      if (!scene.named || !arguments.only.empty()) cases.push_back({scene.name, (folder / scene.file).string(), scene.keyframe, scene.duration, 0, {}});
  }
  for (const std::string& file : arguments.files) {
    if (std::any_of(cases.begin(), cases.end(), [&file](const BenchCase& known) { return known.name == file; }))
      throw InputError{file, "named twice", "each file once", "leave the second out; --repeats N measures it N times"};
    cases.push_back({file, file, arguments.keyframe, kDuration, 0, {}});
  }
  return cases;
}

bool isId(const std::string& only, const std::string& name) { return only == name || only == name.substr(0, name.find(' ')); }

/// --only: a name or its first word, else a regular expression found in the name.
std::vector<BenchCase> chosenCases(std::vector<BenchCase> cases, const std::string& only) {
  if (only.empty()) return cases;
  std::vector<BenchCase> chosen;
  std::string known;
  for (const BenchCase& one : cases) {
    if (isId(only, one.name)) chosen.push_back(one);
    known += (known.empty() ? "" : ", ") + one.name;
  }
  if (!chosen.empty()) return chosen;
  try {
    const std::regex pattern{only};
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(chosen), [&pattern](const BenchCase& one) { return std::regex_search(one.name, pattern); });
  } catch (const std::regex_error&) {
    throw InputError{"--only", "'" + only + "'", "a name, its first word, or a regular expression", "the cases are: " + known};
  }
  if (chosen.empty()) throw InputError{"--only", "'" + only + "' fits no case", known, "name one of them, or a regular expression found in one"};
  return chosen;
}

void load(BenchCase& one, const BenchArguments& arguments) {
  if (isHdf5(one.file)) {
    one.content = readFclib(one.file);
    return;
  }
  Scene scene = loadScene(one.file);
  static_cast<void>(startOf(scene, one.keyframe));  // tells what there is
  one.dt = stepOf(scene, arguments.dt);
  if (arguments.duration > 0) one.duration = arguments.duration;
  requireRange("--duration / --dt", std::round(one.duration / one.dt), 1, kMostSteps, "take larger steps or a shorter time");
  one.content = std::move(scene);
}

}  // namespace

std::vector<BenchCase> benchCases(const BenchArguments& arguments) {
  if (!arguments.keyframe.empty() && arguments.files.empty())
    throw InputError{"--keyframe", "'" + arguments.keyframe + "' without a file", "scenes named on the command line",
                     "the standard scenes start where they should"};
  std::vector<BenchCase> cases = chosenCases(namedCases(arguments), arguments.only);
  for (BenchCase& one : cases) load(one, arguments);
  return cases;
}

}  // namespace stiction::cli
