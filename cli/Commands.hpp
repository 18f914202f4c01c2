// The commands of the program. Each takes its parsed arguments and returns the exit code: 0 certified, 3 not certified; input errors are thrown as InputError
// (exit 2), internal faults as any other exception (exit 1).
#pragma once
#include <string>
#include <vector>

#include "base/ThreadPool.hpp"

namespace stiction::cli {

inline constexpr int exitCertified = 0;
inline constexpr int exitFault = 1;
inline constexpr int exitInput = 2;
inline constexpr int exitUncertified = 3;

inline constexpr double defaultStep = 1.0 / 240;  // [s] where neither the user nor the scene gives one

struct SolveArguments {
  std::string problem;
  std::string solver{"auto"};
  double tolerance{1e-8};
  int repeat{1};
  std::string json;  // file, "-" for standard output, empty for none
  std::string write;
};

struct RunArguments {
  std::string scene;
  std::string keyframe;
  double duration{5};  // [s]
  double dt{0};        // [s]; given only when dtGiven
  bool dtGiven{false};
  std::string solver{"auto"};
  std::string law{"coulomb"};
  double tolerance{1e-8};
  int threads{usualThreads()};
  double stepLimit{0};  // [s]; 0: none
  bool keepGoing{false};
  bool noFallBack{false};
  bool strictImport{false};
  std::string record;  // file, empty for none
  int every{1};        // steps between recorded frames
  std::string json;
  std::string dumpWorst;
  bool quiet{false};
};

struct CompareArguments {
  std::string file;
  std::string solvers;  // names with commas between them; empty: all
  std::string keyframe;
  double duration{1};  // [s] of a scene
  double dt{0};        // [s] 0: as `run`
  double tolerance{1e-8};
  double limit{60};  // [s] after which a method's run of a scene ends
  int repeat{1};
  std::string json;
};

struct BenchArguments {
  std::vector<std::string> files;  // scenes and problems; none: the standard scenes
  std::string only;                // a case's name, its first word, or a regular expression
  std::string keyframe;            // of the scenes named
  double duration{0};              // [s] of a scene; 0: the case's own
  double dt{0};                    // [s] of a scene; 0: as `run`
  int repeats{5};
  int threads{1};
  double tolerance{1e-8};
  bool recompute{false};  // compute the steps that repeat the last one, too
  std::string save, against, json;
};

int runCommand(const RunArguments& arguments);
int solveCommand(const SolveArguments& arguments);
int infoCommand(const std::string& file);
int solversCommand();
int compareCommand(const CompareArguments& arguments);
int benchCommand(const BenchArguments& arguments);

}  // namespace stiction::cli
