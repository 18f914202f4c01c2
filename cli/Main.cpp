// The command line: options to arguments, exceptions to exit codes (0 certified, 1 internal fault, 2 bad usage or input, 3 not certified).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "Commands.hpp"
#include "base/Error.hpp"

namespace {

using namespace stiction::cli;

struct Selected {
  RunArguments run;
  SolveArguments solve;
  CompareArguments compare;
  BenchArguments bench;
  std::string info;
};

void addRun(CLI::App& app, RunArguments& arguments) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene, certifying every step");
  command->add_option("SCENE", arguments.scene, "MJCF or URDF file")->required();
  command->add_option("--keyframe", arguments.keyframe, "start from this keyframe");
  command->add_option("--duration", arguments.duration, "simulated time [s]")->capture_default_str();
  command->add_option("--dt", arguments.dt, "step [s]; default: the scene's timestep if it sets one, else 1/240")->each([&arguments](const std::string&) {
    arguments.dtGiven = true;
  });
  command->add_option("--solver", arguments.solver, "auto, or a method of `stiction solvers`")->capture_default_str();
  command
      ->add_option("--law", arguments.law, "coulomb (strict); convex (its relaxation) and box (bounds on each tangent) for comparison, certified by that law")
      ->capture_default_str();
  command->add_option("--tol", arguments.tolerance, "relative certificate a step must reach")->capture_default_str();
  command->add_option("--threads", arguments.threads, "threads; default: as many as the machine has, at most 4; results are the same bits for any number");
  command->add_option("--step-limit", arguments.stepLimit,
                      "wall time [s] after which a step is given up as not certified, with --keep-going at what sweeps come to; default: none");
  command->add_flag("--keep-going", arguments.keepGoing, "integrate steps that are not certified too");
  command->add_flag("--no-fall-back", arguments.noFallBack, "solver fb alone: what it cannot certify is not handed to auto");
  command->add_flag("--strict-import", arguments.strictImport, "an ignored element is an error");
  command->add_option("--record", arguments.record, "write the motion and contacts to an HDF5 file");
  command->add_option("--every", arguments.every, "steps between recorded frames")->capture_default_str();
  command->add_option("--json", arguments.json, "write the report to a file, or - for standard output");
  command->add_option("--dump-worst", arguments.dumpWorst, "write the hardest step as a global FCLIB problem with its answer");
  command->add_flag("--quiet", arguments.quiet, "no progress, no table");
}

void addSolve(CLI::App& app, SolveArguments& arguments) {
  CLI::App* command = app.add_subcommand("solve", "Solve a friction problem from an FCLIB file, local or global");
  command->add_option("PROBLEM", arguments.problem, "FCLIB file (HDF5)")->required();
  command->add_option("--solver", arguments.solver, "auto, or a method of `stiction solvers`")->capture_default_str();
  command->add_option("--tol", arguments.tolerance, "relative certificate to reach")->capture_default_str();
  command->add_option("--repeat", arguments.repeat, "solve this often; the least time is reported")->capture_default_str();
  command->add_option("--json", arguments.json, "write the report to a file, or - for standard output");
  command->add_option("--write", arguments.write, "write the problem with its answer (FCLIB's layout)");
}

void addCompare(CLI::App& app, CompareArguments& arguments) {
  CLI::App* command =
      app.add_subcommand("compare", "Every method on one problem or scene: law, certificate, iterations, time, error against the strict answer");
  command->add_option("FILE", arguments.file, "FCLIB problem (HDF5) or MJCF scene")->required();
  command->add_option("--solvers", arguments.solvers, "only these, with commas between them");
  command->add_option("--keyframe", arguments.keyframe, "scene: start from this keyframe");
  command->add_option("--duration", arguments.duration, "scene: simulated time [s]")->capture_default_str();
  command->add_option("--dt", arguments.dt, "scene: step [s]; default: the scene's timestep if it sets one, else 1/240");
  command->add_option("--limit", arguments.limit, "scene: seconds of CPU after which a method's run ends")->capture_default_str();
  command->add_option("--tol", arguments.tolerance, "relative certificate to reach")->capture_default_str();
  command->add_option("--repeat", arguments.repeat, "problem: solve this often; the least time is reported")->capture_default_str();
  command->add_option("--json", arguments.json, "write the table to a file, or - for standard output");
}

void addBench(CLI::App& app, BenchArguments& arguments) {
  CLI::App* command =
      app.add_subcommand("bench", "Time the standard scenes, or the scenes and problems named; fail when a result is not certified or has moved");
  command->add_option("FILE", arguments.files, "MJCF scenes and FCLIB problems (HDF5); default: the standard scenes that come with the program");
  command->add_option("--only", arguments.only, "cases with this name or first word, or else those in whose name this regular expression is found");
  command->add_option("--repeats", arguments.repeats, "run every case this often, in turn")->capture_default_str();
  command->add_option("--threads", arguments.threads, "threads")->capture_default_str();
  command->add_option("--tol", arguments.tolerance, "relative certificate to reach")->capture_default_str();
  command->add_option("--keyframe", arguments.keyframe, "scenes named: start from this keyframe");
  command->add_option("--duration", arguments.duration, "scenes: simulated time [s]; default: the standard scene's own, 1 for others");
  command->add_option("--dt", arguments.dt, "scenes: step [s]; default: the scene's timestep if it sets one, else 1/240");
  command->add_flag("--recompute", arguments.recompute, "compute also the steps that repeat the last one bit for bit");
  command->add_option("--save", arguments.save, "write a baseline to a file");
  command->add_option("--against", arguments.against, "compare with a baseline: ratio of times; fail when a state or a certificate has moved");
  command->add_option("--json", arguments.json, "write the report to a file, or - for standard output");
}

int dispatch(const CLI::App& app, const Selected& selected) {
  if (app.got_subcommand("run")) return runCommand(selected.run);
  if (app.got_subcommand("info")) return infoCommand(selected.info);
  if (app.got_subcommand("solve")) return solveCommand(selected.solve);
  if (app.got_subcommand("compare")) return compareCommand(selected.compare);
  if (app.got_subcommand("bench")) return benchCommand(selected.bench);
  return solversCommand();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Stiction: multibody dynamics with exact, certified Coulomb friction", "stiction"};
  Selected selected;
  app.set_version_flag("--version", std::string{"stiction "} + STICTION_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 certified, 1 internal fault, 2 bad usage or input, 3 not certified.");
  addRun(app, selected.run);
  addSolve(app, selected.solve);
  app.add_subcommand("info", "Tell what a scene, record or problem holds")
      ->add_option("FILE", selected.info, "MJCF scene, record or FCLIB problem")
      ->required();
  addCompare(app, selected.compare);
  addBench(app, selected.bench);
  app.add_subcommand("solvers", "List the methods, their law, what is proved of their convergence, and what they are good for");
  try {
    app.parse(argc, argv);
    return dispatch(app, selected);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "stiction: %s\nremedy: see `stiction --help` or `stiction COMMAND --help`\n", error.what());
    return exitInput;
  } catch (const stiction::InputError& error) {
    std::fprintf(stderr, "stiction: %s\n", error.what());
    return exitInput;
  } catch (const stiction::MemoryError& error) {
    std::fprintf(stderr, "stiction: %s\n", error.what());
    return exitFault;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "stiction: not enough memory for this input\n");
    return exitFault;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stiction: internal fault: %s\n", error.what());
    return exitFault;
  }
}
