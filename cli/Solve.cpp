// `stiction solve` and `stiction solvers`: one friction problem from a file, solved cold and certified.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "ColdSolve.hpp"
#include "Commands.hpp"
#include "Output.hpp"
#include "base/Error.hpp"
#include "io/Fclib.hpp"

namespace stiction::cli {
namespace {

struct Answer {
  Iterate iterate;
  PortfolioReport report;
  double cpuMs{std::numeric_limits<double>::infinity()};  // [ms] least of the repeats
};

template <class Problem>
Answer solveRepeated(const Problem& problem, const SolveArguments& arguments) {
  Answer answer;
  for (int i = 0; i < arguments.repeat; ++i) {
    ColdAnswer cold = solveCold(problem, arguments.solver, arguments.tolerance);
    answer.cpuMs = std::min(answer.cpuMs, 1e3 * cold.cpu);
    answer.report = cold.report;
    answer.iterate = std::move(cold.iterate);
  }
  return answer;
}

Json toJson(const SolveArguments& arguments, const FclibProblem& problem, const Answer& answer) {
  const auto* global = std::get_if<ContactProblem>(&problem);
  const int contacts = std::visit([](const auto& p) { return p.contacts(); }, problem);
  return {{"problem", arguments.problem},
          {"form", global != nullptr ? "global" : "local"},
          {"contacts", contacts},
          {"dof", global != nullptr ? global->dof() : 3 * contacts},
          {"solver", arguments.solver},
          {"rung", answer.report.rung},
          {"status", name(answer.report.status)},
          {"certified", answer.report.certified},
          {"certificate",
           {{"relative", answer.report.certificate.relative}, {"m_s", answer.report.certificate.metersPerSecond}, {"fclib", answer.report.certificate.fclib}}},
          {"iterations", answer.report.iterations},
          {"factorisations", answer.report.factorisations},
          {"cpu_ms", answer.cpuMs}};
}

void printAnswer(const Json& j) {
  std::printf("problem      %s (%s, %d contacts, %d dof)\n", j["problem"].get<std::string>().c_str(), j["form"].get<std::string>().c_str(),
              j["contacts"].get<int>(), j["dof"].get<int>());
  std::printf("solved by    %s (%s), %d iterations, %d factorisations\n", j["rung"].get<std::string>().c_str(), j["status"].get<std::string>().c_str(),
              j["iterations"].get<int>(), j["factorisations"].get<int>());
  std::printf("certificate  %.3e relative, %.3e m/s, %.3e FCLIB: %s\n", j["certificate"]["relative"].get<double>(), j["certificate"]["m_s"].get<double>(),
              j["certificate"]["fclib"].get<double>(), j["certified"].get<bool>() ? "certified" : "NOT CERTIFIED");
  std::printf("cpu          %.3f ms\n", j["cpu_ms"].get<double>());
}

}  // namespace

int solveCommand(const SolveArguments& arguments) {
  requireRange("--tol", arguments.tolerance, 1e-15, 1, "the usual tolerance is 1e-8");
  requireRange("--repeat", arguments.repeat, 1, 1e6, "give a whole number of repeats");
  requireWritable("--json", arguments.json);
  requireWritable("--write", arguments.write);
  const Portfolio known{arguments.solver};  // an unknown name is told before the file is read
  const FclibProblem problem = readFclib(arguments.problem);
  const Answer answer = std::visit([&arguments](const auto& p) { return solveRepeated(p, arguments); }, problem);
  if (!arguments.write.empty()) writeFclibAnswer(arguments.problem, arguments.write, problem, answer.iterate);
  const Json report = toJson(arguments, problem, answer);
  if (!arguments.json.empty()) writeText(arguments.json, toText(report));
  if (arguments.json != "-") printAnswer(report);
  return answer.report.certified ? exitCertified : exitUncertified;
}

int solversCommand() {
  std::printf("%-12s %-8s %-14s %-23s %s\n", "solver", "law", "problems", "guarantee", "good for");
  for (const SolverInfo& info : portfolioInfos()) {
    const char* forms = info.takesGlobal && info.takesLocal ? "global, local" : info.takesGlobal ? "global" : "local";
    std::printf("%-12s %-8s %-14s %-23s %s\n", info.name, name(info.law), forms, info.guarantee, info.goodFor.c_str());
  }
  return exitCertified;
}

}  // namespace stiction::cli
