// The commands of the program. Each takes its parsed arguments and returns the exit code: 0 certified, 3 not certified; input errors are thrown as InputError
// (exit 2), internal faults as any other exception (exit 1).
#pragma once
#include <string>

namespace stiction::cli {

inline constexpr int exitCertified = 0;
inline constexpr int exitFault = 1;
inline constexpr int exitInput = 2;
inline constexpr int exitUncertified = 3;

struct SolveArguments {
  std::string problem;
  std::string solver{"auto"};
  double tolerance{1e-8};
  int repeat{1};
  std::string json;    // file, "-" for standard output, empty for none
  std::string write;
};

int solveCommand(const SolveArguments& arguments);
int solversCommand();

}  // namespace stiction::cli
