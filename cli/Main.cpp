// The command line: options to arguments, exceptions to exit codes (0 certified, 1 internal fault, 2 bad usage or input, 3 not certified).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "Commands.hpp"
#include "base/Error.hpp"

namespace {

using namespace stiction::cli;

struct Selected {
  SolveArguments solve;
};

void addSolve(CLI::App& app, SolveArguments& arguments) {
  CLI::App* command = app.add_subcommand("solve", "Solve a friction problem from an FCLIB file, local or global");
  command->add_option("PROBLEM", arguments.problem, "FCLIB file (HDF5)")->required();
  command->add_option("--solver", arguments.solver, "auto, or a method of `stiction solvers`")->capture_default_str();
  command->add_option("--tol", arguments.tolerance, "relative certificate to reach")->capture_default_str();
  command->add_option("--repeat", arguments.repeat, "solve this often; the least time is reported")->capture_default_str();
  command->add_option("--json", arguments.json, "write the report to a file, or - for standard output");
  command->add_option("--write", arguments.write, "write the problem with its answer (FCLIB's layout)");
}

int dispatch(const CLI::App& app, const Selected& selected) {
  if (app.got_subcommand("solve")) return solveCommand(selected.solve);
  return solversCommand();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Stiction: multibody dynamics with exact, certified Coulomb friction", "stiction"};
  Selected selected;
  app.set_version_flag("--version", std::string{"stiction "} + STICTION_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 certified, 1 internal fault, 2 bad usage or input, 3 not certified.");
  addSolve(app, selected.solve);
  app.add_subcommand("solvers", "List the methods, their law and what they are good for");
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
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "stiction: not enough memory for this input\n");
    return exitFault;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stiction: internal fault: %s\n", error.what());
    return exitFault;
  }
}
