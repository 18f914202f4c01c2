// Times every method of strict Coulomb friction, and Siconos' where it is installed, on a folder of FCLIB problems: cold, one thread, CPU time to a certificate of 1e-8.
//
// Equal accuracy: an answer counts when the scale-free certificate of src/certify accepts it for the problem as given, whoever computed it. Siconos, which stops by a residual of its
// own, gets the loosest of the tolerances 1e-4, 1e-5 ... 1e-14 at which that is so. Global problems are condensed for it outside the clock.
// All methods take turns (`--repeats` rounds), each solve in a process of its own with a limit of CPU time. Writes one JSON object; bench/problems/report.py makes table and figure of it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "Problem.hpp"
#include "Siconos.hpp"
#include "base/Error.hpp"
#include "cli/ColdSolve.hpp"

namespace {

using namespace stiction;
using namespace stiction::bench;
using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1e-8;          // [-] of the certificate
constexpr int kLoosest = 4, kTightest = 14;  // digits of the tolerances that peers are given
constexpr int kInner = 3;                    // repeats within one turn; the least counts, so that the first touch of memory does not
constexpr double kSlow = 1;                  // [s] what takes longer is measured once

struct Arguments {
  std::string folder, only, json;
  int repeats{5};
  double limit{10};  // [s] CPU of one solve
  bool ours{false};
};

/// A method and what it has shown on the present problem.
struct Entry {
  std::string name;
  bool peer{false};
  std::function<Attempt(double)> solve;  // to this tolerance
  int digits{8};                         // of the tolerance it is given
  std::string status{"not certified"};
  double certificate{0};
  std::vector<double> cpu;  // [s] one for each turn
};

Attempt solveByUs(const std::string& method, const FclibProblem& problem) {
  return std::visit(
      [&method](const auto& p) {
        const cli::ColdAnswer answer = cli::solveCold(p, method, kTolerance);
        return Attempt{answer.iterate.r, answer.cpu, answer.report.certified, answer.report.certificate.relative};
      },
      problem);
}

std::vector<Entry> entriesFor(const BenchProblem& problem, bool oursAlone) {
  std::vector<Entry> entries;
  for (const SolverInfo& info : portfolioInfos()) {
    if (info.law != Law::Coulomb || !(problem.global() ? info.takesGlobal : info.takesLocal)) continue;
    const std::string method = info.name;
    entries.push_back({method, false, [method, &problem](double) { return solveByUs(method, problem.given); }, 8, "not certified", 0, {}});
  }
  if (oursAlone || !problem.hasLocal) return entries;
  for (const SiconosVariant& variant : siconosVariants())
    entries.push_back({"Siconos " + variant.name,
                       true,
                       [variant, &problem](double tolerance) { return solveBySiconos(variant, problem.local, tolerance); },
                       kLoosest,
                       "not certified",
                       0,
                       {}});
  return entries;
}

/// One solve; whether its answer is certified.
bool attempt(Entry& entry, const BenchProblem& problem, int repeats, double limit) {
  const double tolerance = std::pow(10, -entry.digits);
  const Outcome outcome = runIsolated([&entry, tolerance] { return entry.solve(tolerance); }, 3 * problem.contacts(), repeats, limit);
  if (outcome.end != Outcome::End::Done) {
    entry.status = outcome.end == Outcome::End::OutOfTime ? "out of time" : "crashed";
    entry.cpu.clear();
    return false;
  }
  entry.certificate = entry.peer ? judgeImpulses(problem, outcome.first.r).relative : outcome.first.certificate;
  const bool certified = entry.certificate <= kTolerance;
  entry.status = certified ? "certified" : outcome.first.converged ? "not certified" : "not converged";
  entry.cpu.assign(1, *std::min_element(outcome.cpu.begin(), outcome.cpu.end()));
  return certified;
}

/// Finds out whether the method solves the problem, a peer at ever tighter tolerances; one that stops on its own without an answer is not asked for more.
/// Tolerances that are far too loose are passed over: the certificate falls about as fast as the tolerance.
void qualify(Entry& entry, const BenchProblem& problem, double limit) {
  while (!attempt(entry, problem, 1, limit) && entry.peer && entry.status == "not certified" && entry.digits < kTightest) {
    const int missing = std::isfinite(entry.certificate) ? static_cast<int>(std::log10(entry.certificate / kTolerance)) : 1;
    entry.digits = std::min(kTightest, entry.digits + std::max(1, missing - 1));
  }
}

void takeTurns(std::vector<Entry>& entries, const BenchProblem& problem, const Arguments& arguments) {
  for (int turn = 0; turn < arguments.repeats; ++turn)
    for (Entry& entry : entries) {
      if (entry.status != "certified" || entry.cpu.front() > kSlow) continue;
      const double tolerance = std::pow(10, -entry.digits);
      const Outcome outcome = runIsolated([&entry, tolerance] { return entry.solve(tolerance); }, 3 * problem.contacts(), kInner, arguments.limit);
      if (outcome.end != Outcome::End::Done) continue;
      if (turn == 0) entry.cpu.clear();
      entry.cpu.push_back(*std::min_element(outcome.cpu.begin(), outcome.cpu.end()));
    }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

Json measure(const std::string& file, const Arguments& arguments) {
  const BenchProblem problem = readProblem(file);
  std::vector<Entry> entries = entriesFor(problem, arguments.ours);
  for (Entry& entry : entries) qualify(entry, problem, arguments.limit);
  takeTurns(entries, problem, arguments);
  Json methods = Json::object();
  for (const Entry& entry : entries) {
    Json one{{"status", entry.status}, {"peer", entry.peer}, {"tolerance", std::pow(10, -entry.digits)}};
    if (!entry.cpu.empty()) {
      one["certificate"] = entry.certificate;
      one["min_ms"] = 1e3 * *std::min_element(entry.cpu.begin(), entry.cpu.end());
      one["median_ms"] = 1e3 * median(entry.cpu);
    }
    methods[entry.name] = one;
  }
  return {{"problem", problem.name}, {"form", problem.global() ? "global" : "local"}, {"contacts", problem.contacts()}, {"methods", methods}};
}

/// The linear algebra that peers link to starts threads unless the environment says otherwise before the program starts.
void requireOneThread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
}

int run(const Arguments& arguments) {
  Json problems = Json::array();
  for (const std::string& file : problemFiles(arguments.folder)) {
    if (file.find(arguments.only) == std::string::npos) continue;
    problems.push_back(measure(file, arguments));
    std::fprintf(stderr, "%s: auto %s\n", file.c_str(), problems.back()["methods"]["auto"]["status"].get<std::string>().c_str());
  }
  const Json out{{"tolerance", kTolerance}, {"repeats", arguments.repeats}, {"limit_s", arguments.limit}, {"problems", problems}};
  std::ofstream stream{arguments.json};
  stream << out.dump(1) << '\n';
  if (!stream.flush()) throw InputError{"--json", "'" + arguments.json + "' cannot be written", "a file in a writable folder", "choose another name or folder"};
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  requireOneThread(argv);
  CLI::App app{"Times all methods and Siconos' on a folder of FCLIB problems, to a certificate of 1e-8", "bench_problems"};
  Arguments arguments;
  app.add_option("--folder", arguments.folder, "folder of .hdf5 files")->envname("STICTION_FCLIB_PROBLEMS")->required();
  app.add_option("--only", arguments.only, "files whose name holds this");
  app.add_option("--repeats", arguments.repeats, "turns of every method")->capture_default_str()->check(CLI::Range(1, 1000));
  app.add_option("--limit", arguments.limit, "seconds of CPU for one solve")->capture_default_str()->check(CLI::Range(1.0, 1e6));
  app.add_flag("--ours", arguments.ours, "without peers");
  app.add_option("--json", arguments.json, "where to write the results")->default_val("bench_problems.json");
  try {
    app.parse(argc, argv);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const InputError& error) {
    std::fprintf(stderr, "bench_problems: %s\n", error.what());
    return 2;
  }
}
