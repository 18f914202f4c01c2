// What `stiction bench` runs: the standard scenes that come with the program, or the files named on the command line.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "Commands.hpp"
#include "io/Fclib.hpp"
#include "io/Mjcf.hpp"

namespace stiction::cli {

struct BenchCase {
  std::string name;
  std::string file;
  std::string keyframe;  // of a scene; empty: its own start
  double duration{0};    // [s] of a scene
  double dt{0};          // [s] of a scene
  std::variant<Scene, FclibProblem> content;
};

/// The cases asked for, read and checked. Throws InputError.
std::vector<BenchCase> benchCases(const BenchArguments& arguments);

}  // namespace stiction::cli
