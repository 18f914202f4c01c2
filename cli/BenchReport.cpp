#include "BenchReport.hpp"

#include <algorithm>
#include <fstream>

#include "base/Error.hpp"

namespace stiction::cli {
namespace {

constexpr double kMilli = 1e3;

Json spread(const std::vector<double>& seconds) { return {{"min", kMilli * least(seconds)}, {"median", kMilli * median(seconds)}}; }

const Json* findCase(const Json& baseline, const std::string& name) {
  if (baseline.is_null()) return nullptr;
  for (const Json& one : baseline["cases"])
    if (one["case"] == name) return &one;
  return nullptr;
}

Json caseToJson(const BenchResult& result, bool withBodies) {
  Json out{{"case", result.name}, {"kind", result.scene ? "scene" : "problem"}, {"contacts", result.contacts}};
  if (result.scene) {
    out.update({{"keyframe", result.keyframe},
                {"duration", result.duration},
                {"dt", result.dt},
                {"steps", result.steps},
                {"dearest_step_ms", kMilli * result.dearestStep},
                {"last_second_ms", kMilli * result.lastSecond},
                {"penetration_m", result.penetration},
                {"moved_m", result.moved},
                {"phases_ms",
                 {{"collide", kMilli * result.phases.collide},
                  {"assemble", kMilli * result.phases.assemble},
                  {"solve", kMilli * result.phases.solve},
                  {"certify", kMilli * result.phases.certify},
                  {"integrate", kMilli * result.phases.integrate},
                  {"project", kMilli * result.phases.project},
                  {"account", kMilli * result.phases.account}}}});
  } else {
    out.update({{"form", result.form}, {"rung", result.rung}});
  }
  out.update({{"cpu_ms", spread(result.cpu)},
              {"wall_ms", spread(result.wall)},
              {"certified", result.certified},
              {"certificate", result.certificate},
              {"hash", result.hash},
              {"steady", result.steady}});
  if (withBodies && result.scene) out["bodies"] = result.bodies;
  return out;
}

std::string ratioCell(const BenchResult& result, const Json& baseline) {
  if (baseline.is_null()) return "";
  const Json* known = findCase(baseline, result.name);
  if (known == nullptr) return " new |";
  const double before = (*known)["cpu_ms"]["median"].get<double>();
  return before > 0 ? format(" %.2f |", kMilli * median(result.cpu) / before) : " – |";
}

std::string proof(const BenchResult& result) {
  return format("%.1e%s | %s |", result.certificate, result.certified ? "" : " NOT CERTIFIED", result.hash.c_str());
}

std::string sceneTable(const std::vector<BenchResult>& results, const Json& baseline) {
  std::string rows;
  for (const BenchResult& r : results)
    if (r.scene)
      rows += format("| %s | %d | %d | %.3g | %.3g | %.3g | %.3g | %.2g | %.2g | ", r.name.c_str(), r.contacts, r.steps, kMilli * least(r.cpu),
                     kMilli * median(r.cpu), kMilli * median(r.wall), kMilli * r.dearestStep, kMilli * r.penetration, kMilli * r.moved) +
              proof(r) + ratioCell(r, baseline) + "\n";
  if (rows.empty()) return "";
  return std::string{
             "| scene | contacts | steps | CPU ms per simulated s: least | median | wall ms per simulated s | dearest step, ms | penetration, mm | moved, mm | "
             "worst "
             "certificate | state hash |"} +
         (baseline.is_null() ? "" : " ratio to baseline |") + "\n|---|---|---|---|---|---|---|---|---|---|---|" + (baseline.is_null() ? "" : "---|") + "\n" +
         rows;
}

std::string problemTable(const std::vector<BenchResult>& results, const Json& baseline) {
  std::string rows;
  for (const BenchResult& r : results)
    if (!r.scene)
      rows += format("| %s | %s | %d | %.3g | %.3g | %s | ", r.name.c_str(), r.form.c_str(), r.contacts, kMilli * least(r.cpu), kMilli * median(r.cpu),
                     r.rung.c_str()) +
              proof(r) + ratioCell(r, baseline) + "\n";
  if (rows.empty()) return "";
  return std::string{"| problem | form | contacts | CPU ms: least | median | rung | certificate | hash of the answer |"} +
         (baseline.is_null() ? "" : " ratio to baseline |") + "\n|---|---|---|---|---|---|---|---|" + (baseline.is_null() ? "" : "---|") + "\n" + rows;
}

/// What a baseline must hold of each case, or it is no baseline.
bool isBaseline(const Json& json) {
  if (!json.is_object() || !json.contains("tolerance") || !json["tolerance"].is_number() || !json.contains("cases") || !json["cases"].is_array()) return false;
  return std::all_of(json["cases"].begin(), json["cases"].end(), [](const Json& one) {
    const auto has = [&one](const char* key) { return one.contains(key); };
    if (!one.is_object() || !has("case") || !has("kind") || !has("hash") || !has("certificate") || !has("cpu_ms")) return false;
    if (!one["case"].is_string() || !one["hash"].is_string() || !one["cpu_ms"].is_object() || !one["cpu_ms"].contains("median")) return false;
    return one["cpu_ms"]["median"].is_number() && (one["kind"] != "scene" || (has("duration") && one["duration"].is_number() && has("dt") &&
                                                                              one["dt"].is_number() && has("keyframe") && one["keyframe"].is_string()));
  });
}

}  // namespace

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

Json toJson(const BenchSettings& settings, const std::vector<BenchResult>& results, bool withBodies) {
  Json cases = Json::array();
  for (const BenchResult& result : results) cases.push_back(caseToJson(result, withBodies));
  return {{"stiction", STICTION_VERSION},    {"repeats", settings.repeats},     {"threads", settings.threads},
          {"tolerance", settings.tolerance}, {"recompute", settings.recompute}, {"cases", cases}};
}

Json readBaseline(const std::string& path, const BenchSettings& settings) {
  std::ifstream stream{path};
  if (!stream) throw InputError{"--against " + path, "no such file, or not readable", "a baseline", "write one with `stiction bench --save " + path + "`"};
  Json baseline = Json::parse(stream, nullptr, false);
  if (!isBaseline(baseline))
    throw InputError{"--against " + path, "not a baseline of `stiction bench`", "a file that --save wrote", "write a new one with --save"};
  const double tolerance = baseline["tolerance"].get<double>();
  if (tolerance != settings.tolerance)
    throw InputError{"--against " + path, format("measured with --tol %g", tolerance), format("--tol %g, as now", settings.tolerance),
                     "give the same --tol, or write a new baseline with --save"};
  return baseline;
}

void requireSameSettings(const std::vector<BenchCase>& cases, const Json& baseline, const std::string& path) {
  for (const BenchCase& one : cases) {
    const Json* known = findCase(baseline, one.name);
    if (known == nullptr || (*known)["kind"] != "scene" || one.duration == 0) continue;
    const double duration = (*known)["duration"].get<double>(), dt = (*known)["dt"].get<double>();
    const std::string keyframe = (*known)["keyframe"].get<std::string>();
    if (duration == one.duration && dt == one.dt && keyframe == one.keyframe) continue;
    throw InputError{path + ": " + one.name, format("%g s in steps of %.17g s, keyframe '%s'", duration, dt, keyframe.c_str()),
                     format("%g s in steps of %.17g s, keyframe '%s', as now", one.duration, one.dt, one.keyframe.c_str()),
                     "give the --duration, --dt and --keyframe of the baseline, or write a new one with --save"};
  }
}

std::vector<std::string> complaints(const std::vector<BenchResult>& results, const Json& baseline) {
  std::vector<std::string> out;
  for (const BenchResult& result : results) {
    const char* what = result.scene ? "state" : "answer";
    if (!result.certified) out.push_back(result.name + ": not certified: " + result.reason);
    if (!result.steady) out.push_back(format("%s: the repeats do not end on the same %s", result.name.c_str(), what));
    const Json* known = findCase(baseline, result.name);
    if (known == nullptr) continue;
    const std::string hash = (*known)["hash"].get<std::string>();
    if (hash != result.hash)
      out.push_back(format("%s: the hash of the %s is %s, in the baseline %s", result.name.c_str(), what, result.hash.c_str(), hash.c_str()));
    const Json& before = (*known)["certificate"];
    if (!before.is_number() || before.get<double>() != result.certificate)
      out.push_back(format("%s: the certificate is %.17g, in the baseline %s", result.name.c_str(), result.certificate, before.dump().c_str()));
  }
  return out;
}

std::string toTable(const std::vector<BenchResult>& results, const Json& baseline) {
  const std::string scenes = sceneTable(results, baseline), problems = problemTable(results, baseline);
  return scenes + (scenes.empty() || problems.empty() ? "" : "\n") + problems;
}

}  // namespace stiction::cli
