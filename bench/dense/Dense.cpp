// Random problems of densely touching bodies (DenseProblem.hpp), each solved cold by `auto`: how many are certified at 1e-8. A line for each with its seed; those that are not
// certified stay as FCLIB files. Exit code 3 where more than one in a thousand is not.
//   bench_dense [--problems N] [--first SEED] [--jobs J] [--limit S] [--save FOLDER] [--quiet]
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "DenseProblem.hpp"
#include "base/Error.hpp"
#include "cli/ColdSolve.hpp"
#include "io/Fclib.hpp"
#include "problems/Isolated.hpp"

namespace {

using namespace stiction;
using namespace stiction::bench;

constexpr double kTolerance = 1e-8, kShare = 0.999;  // what must be certified

struct Arguments {
  std::uint64_t problems{10000}, first{1};
  int jobs{1};
  double limit{60};  // [s] CPU of one solve
  std::string save{"dense-failures"};
  bool quiet{false};
};

/// What a worker tells of one problem; smaller than what a pipe takes in one piece.
struct Told {
  std::uint64_t seed;
  int contacts, dof, end;
  double certificate, cpu;
};

/// Writes the problem as an FCLIB file, solves what the file holds, and removes it when certified: what stays is what failed, to the bit.
Told solveOne(std::uint64_t seed, const Arguments& arguments) {
  const std::string path = arguments.save + "/dense-" + std::to_string(seed) + ".hdf5";
  const ContactProblem made = DenseProblemMaker{seed}.make();
  writeFclib(path, made, {VectorX::Zero(made.dof()), VectorX::Zero(3 * made.contacts()), VectorX::Zero(0)});
  const FclibProblem read = readFclib(path);
  const auto& problem = std::get<ContactProblem>(read);
  const Outcome outcome = runIsolated(
      [&problem] {
        const cli::ColdAnswer answer = cli::solveCold(problem, "auto", kTolerance);
        return Attempt{answer.iterate.r, answer.cpu, answer.report.certified, answer.report.certificate.relative};
      },
      3 * problem.contacts(), 1, arguments.limit);
  const bool done = outcome.end == Outcome::End::Done;
  const double certificate = done ? outcome.first.certificate : std::numeric_limits<double>::infinity();
  if (certificate <= kTolerance) std::filesystem::remove(path);
  return {seed, problem.contacts(), problem.dof(), static_cast<int>(outcome.end), certificate, done ? outcome.cpu.front() : arguments.limit};
}

/// Worker `job` takes every jobs-th seed and tells of each through the pipe.
[[noreturn]] void work(int job, int pipe, const Arguments& arguments) {
  for (auto i = static_cast<std::uint64_t>(job); i < arguments.problems; i += static_cast<std::uint64_t>(arguments.jobs)) {
    const Told told = solveOne(arguments.first + i, arguments);
    if (write(pipe, &told, sizeof told) != sizeof told) _exit(1);
  }
  _exit(0);
}

void print(const Told& told) {
  const char* outcome = told.certificate <= kTolerance                          ? "certified"
                        : told.end == static_cast<int>(Outcome::End::OutOfTime) ? "OUT OF TIME"
                        : told.end == static_cast<int>(Outcome::End::Crashed)   ? "CRASHED"
                                                                                : "NOT CERTIFIED";
  std::printf("seed %llu: %d contacts, %d velocities, %s, certificate %.2e, %.3g ms\n", static_cast<unsigned long long>(told.seed), told.contacts, told.dof,
              outcome, told.certificate, 1e3 * told.cpu);
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.save);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error{"no pipe for the workers"};
  std::fflush(nullptr);
  for (int job = 0; job < arguments.jobs; ++job)
    if (fork() == 0) work(job, ends[1], arguments);
  close(ends[1]);
  std::vector<Told> all;
  for (Told told{}; read(ends[0], &told, sizeof told) == sizeof told;) {
    if (!arguments.quiet || !(told.certificate <= kTolerance)) print(told);
    all.push_back(told);
  }
  while (wait(nullptr) > 0) {}
  const auto certified = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Told& t) { return t.certificate <= kTolerance; }));
  std::sort(all.begin(), all.end(), [](const Told& a, const Told& b) { return a.cpu < b.cpu; });
  if (all.size() < arguments.problems)
    std::fprintf(stderr, "bench_dense: a worker ended early: %zu of %llu problems\n", all.size(), static_cast<unsigned long long>(arguments.problems));
  if (all.empty()) return 1;
  std::printf("%zu of %zu certified at %g; CPU ms: median %.3g, 99 %% below %.3g, dearest %.3g\n", certified, all.size(), kTolerance,
              1e3 * all[all.size() / 2].cpu, 1e3 * all[all.size() * 99 / 100].cpu, 1e3 * all.back().cpu);
  if (certified < all.size()) {
    std::printf("the others are saved in %s\n", arguments.save.c_str());
  } else if (std::filesystem::is_empty(arguments.save)) {
    std::filesystem::remove(arguments.save);
  }
  return static_cast<double>(certified) >= kShare * static_cast<double>(arguments.problems) ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Random problems of densely touching bodies, solved cold by auto", "bench_dense"};
  Arguments arguments;
  app.add_option("--problems", arguments.problems, "how many")->capture_default_str()->check(CLI::Range(1, 100000000));
  app.add_option("--first", arguments.first, "the first seed")->capture_default_str();
  app.add_option("--jobs", arguments.jobs, "processes at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  app.add_option("--limit", arguments.limit, "seconds of CPU for one problem")->capture_default_str()->check(CLI::Range(0.01, 1e6));
  app.add_option("--save", arguments.save, "folder for the problems that are not certified")->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "print those that are not certified alone");
  try {
    app.parse(argc, argv);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_dense: %s\n", error.what());
    return 1;
  }
}
