// What `stiction bench` measured: the Markdown tables, the JSON object, and the comparison with a baseline.
#pragma once
#include <string>
#include <vector>

#include "BenchCases.hpp"
#include "Output.hpp"
#include "certify/Certificate.hpp"
#include "integrate/Simulation.hpp"

namespace stiction::cli {

struct BenchResult {
  std::string name;
  bool scene{true};
  std::string keyframe;
  double duration{0}, dt{0};      // [s] of a scene
  std::vector<double> cpu, wall;  // [s] of each repeat: per simulated second of a scene, of the solve of a problem
  double lastSecond{0};           // [s] CPU of a scene's last simulated second, from the least of each step
  double dearestStep{0};          // [s] CPU of a scene's dearest step, the same way
  int contacts{0};
  int steps{0};
  double penetration{0};  // [m] at most
  double moved{0};        // [m] farthest that a body is from its start at the end
  std::string rung;       // of a problem
  std::string form;       // of a problem: local or global
  bool certified{true};
  std::string reason;  // why not
  double certificate{0};
  std::string hash;   // of the final state, or of the answer
  PhaseTimes phases;  // [s] of the last repeat, whole
  bool steady{true};  // every repeat gave the same hash and certificate
  Json bodies;        // of a scene, at the end
};

struct BenchSettings {
  int repeats{1}, threads{1};
  double tolerance{0};
  bool recompute{false};
};

double least(const std::vector<double>& values);
double median(std::vector<double> values);

/// The whole report; a baseline goes without the bodies.
Json toJson(const BenchSettings& settings, const std::vector<BenchResult>& results, bool withBodies);

/// A baseline written by --save. Throws InputError when it is none, or was measured with another tolerance.
Json readBaseline(const std::string& path, const BenchSettings& settings);

/// Throws InputError where a case of the baseline ran another length, step or keyframe.
void requireSameSettings(const std::vector<BenchCase>& cases, const Json& baseline, const std::string& path);

/// Lines that say what is not certified, differs between repeats, or has moved since the baseline (null: none).
std::vector<std::string> complaints(const std::vector<BenchResult>& results, const Json& baseline);

/// Markdown; with a baseline, a column of the ratios of medians.
std::string toTable(const std::vector<BenchResult>& results, const Json& baseline);

}  // namespace stiction::cli
