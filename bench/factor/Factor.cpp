// Newton matrices of steps of ours, A = M + H D Hᵀ, factored by our block factorisations and by others on the same machine in the same run, as a Markdown table.
// Ours are timed with the assembly of A from its parts, the others on the finished matrix; all with an analysis made before.   bench_factor [--repeats R]
#include <CLI/CLI.hpp>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#ifdef STICTION_WITH_SUITESPARSE
#include <Eigen/CholmodSupport>
#include <Eigen/UmfPackSupport>
#endif
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/Clock.hpp"
#include "integrate/Simulation.hpp"
#include "large/LargeScene.hpp"
#include "solvers/FrictionCone.hpp"
#include "solvers/VelocitySystem.hpp"
#include "tree/TreeProblem.hpp"

namespace {

using namespace stiction;
using namespace stiction::bench;
using Sparse = Eigen::SparseMatrix<double>;

struct Case {
  std::string name;
  ContactProblem problem;
  Iterate answer;
};

/// The problem of the step after `steps` steps, and its answer.
Case stepOf(const std::string& name, LargeScene scene, int steps) {
  constexpr double h = 1.0 / 60;
  Simulation before{scene.model, {}};
  for (int k = 0; k < steps; ++k) before.step(h);
  SimulationOptions options;
  options.keepHardest = true;
  Simulation simulation{std::move(scene.model), options};
  simulation.setState(before.state());
  simulation.step(h);
  return {name, *simulation.hardestProblem(), *simulation.hardestIterate()};
}

Case tree() {
  TreeProblem made{3, true};
  made.load(0, VectorX::Zero(made.problem().dof()));
  Case one{"robot-like tree", made.problem(), {}};
  SolveOptions options;
  options.warm = false;
  Portfolio{"auto"}.solve(one.problem, one.answer, options);
  return one;
}

/// D of the natural map's Newton step at the answer, by Alart and Curnier; `sticking`: as if nothing slipped, symmetric.
std::vector<Matrix3> derivatives(const Case& one, const VelocitySystem& system, bool sticking) {
  constexpr double gamma = 1e3;
  VectorX u;
  system.contactVelocity(one.answer.v, one.answer.r, u);
  std::vector<Matrix3> D(static_cast<std::size_t>(one.problem.contacts()));
  for (int i = 0; i < one.problem.contacts(); ++i) {
    const double rho = gamma / system.omega(i);
    const Vector3 r = one.answer.r.segment<3>(3 * i);
    const Matrix3 whole = r[0] > 0 ? Matrix3{Matrix3::Identity()} : Matrix3{Matrix3::Zero()};
    D[static_cast<std::size_t>(i)] = rho * (sticking ? whole : alartCurnier(r - rho * u.segment<3>(3 * i), one.problem.mu[i]).derivative);
  }
  return D;
}

Sparse assemble(const ContactProblem& problem, const std::vector<Matrix3>& D) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int column, double value) { entries.emplace_back(row, column, value); };
  for (int k = 0; k < problem.M.blocks(); ++k)
    for (int j = 0; j < problem.M.size(k); ++j)
      for (int i = 0; i < problem.M.size(k); ++i)
        add(problem.M.start[static_cast<std::size_t>(k)] + i, problem.M.start[static_cast<std::size_t>(k)] + j,
            problem.M.values[static_cast<std::size_t>(problem.M.offset[static_cast<std::size_t>(k)] + i + j * problem.M.size(k))]);
  for (const BlockMass::Coupling& coupling : problem.M.couplings)
    for (int j = 0; j < problem.M.size(coupling.column); ++j)
      for (int i = 0; i < problem.M.size(coupling.row); ++i) {
        const int row = problem.M.start[static_cast<std::size_t>(coupling.row)] + i, column = problem.M.start[static_cast<std::size_t>(coupling.column)] + j;
        const double value = problem.M.values[static_cast<std::size_t>(coupling.offset + i + j * problem.M.size(coupling.row))];
        add(row, column, value);
        add(column, row, value);
      }
  const BlockColumns& H = problem.H;
  for (int c = 0; c < problem.contacts(); ++c) {
    if (D[static_cast<std::size_t>(c)].isZero(0)) continue;
    for (int a = H.start[static_cast<std::size_t>(c)]; a < H.start[static_cast<std::size_t>(c) + 1]; ++a)
      for (int b = H.start[static_cast<std::size_t>(c)]; b < H.start[static_cast<std::size_t>(c) + 1]; ++b) {
        const BlockColumns::Segment &row = H.segments[static_cast<std::size_t>(a)], &column = H.segments[static_cast<std::size_t>(b)];
        const Eigen::Map<const MatrixX> Ha{H.values.data() + row.offset, row.size, 3}, Hb{H.values.data() + column.offset, column.size, 3};
        const MatrixX block = Ha * D[static_cast<std::size_t>(c)] * Hb.transpose();
        for (int j = 0; j < column.size; ++j)
          for (int i = 0; i < row.size; ++i) add(row.row + i, column.row + j, block(i, j));
      }
  }
  Sparse A{problem.dof(), problem.dof()};
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

struct Method {
  std::string name;
  std::function<void()> analyse;
  std::function<bool()> factor;
  std::function<void(VectorX&)> solve;
};

template <class Solver>
Method other(const std::string& name, const Sparse& A) {
  auto solver = std::make_shared<Solver>();
  return {name, [solver, &A] { solver->analyzePattern(A); },
          [solver, &A] {
            solver->factorize(A);
            return solver->info() == Eigen::Success;
          },
          [solver](VectorX& x) { x = solver->solve(VectorX{x}); }};
}

/// One matrix by all methods, interleaved; the least of the repeats.
void compare(const Case& one, bool sticking, int repeats) {
  VelocitySystem system;
  system.bind(one.problem);
  const std::vector<Matrix3> D = derivatives(one, system, sticking);
  const VectorX none = VectorX::Zero(one.problem.rows());
  const Sparse A = assemble(one.problem, D);
  std::vector<Matrix3> weights = D;
  double change = 1e-15;  // what has not changed since the last factorisation is kept: weights change by round-off, all of them or those of ten contacts
  const auto factorChanged = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) weights[i] *= 1 + change;
    change = -change;
    return sticking ? system.factorSymmetric(weights, none) : system.factorGeneral(weights, none);
  };
  const std::string ours = sticking ? "ours, block Cholesky" : "ours, block LU";
  const auto solve = [&](VectorX& x) { system.solve(x); };
  const std::size_t middle = D.size() / 2;
  std::vector<Method> methods;
  methods.push_back({ours, [&] { system.bind(one.problem); }, [&] { return factorChanged(0, D.size()); }, solve});
  methods.push_back({ours + ", ten contacts changed", [] {}, [&] { return factorChanged(middle, std::min(middle + 10, D.size())); }, solve});
  if (sticking) {
    methods.push_back(other<Eigen::SimplicialLDLT<Sparse>>("Eigen SimplicialLDLT", A));
#ifdef STICTION_WITH_SUITESPARSE
    methods.push_back(other<Eigen::CholmodSimplicialLDLT<Sparse>>("CHOLMOD, simplicial", A));
    methods.push_back(other<Eigen::CholmodSupernodalLLT<Sparse>>("CHOLMOD, supernodal", A));
#endif
  } else {
    methods.push_back(other<Eigen::SparseLU<Sparse>>("Eigen SparseLU", A));
#ifdef STICTION_WITH_SUITESPARSE
    methods.push_back(other<Eigen::UmfPackLU<Sparse>>("UMFPACK", A));
#endif
  }
  struct Times {
    double factor{std::numeric_limits<double>::infinity()}, solve{factor}, residual{0};
    bool works{true};
  };
  std::vector<Times> times(methods.size());
  VectorX right(A.rows());
  for (Eigen::Index i = 0; i < right.size(); ++i) right[i] = std::sin(1.0 + static_cast<double>(i));
  for (const Method& method : methods) method.analyse();
  for (int repeat = 0; repeat <= repeats; ++repeat)  // the first one warms up: it allocates, and ours analyses what it needs
    for (std::size_t m = 0; m < methods.size(); ++m) {
      VectorX x = right;
      const double begun = cpuSeconds();
      times[m].works = times[m].works && methods[m].factor();
      const double factored = cpuSeconds();
      if (!times[m].works) continue;
      methods[m].solve(x);
      const double solved = cpuSeconds();
      if (repeat == 0) continue;
      times[m].factor = std::min(times[m].factor, factored - begun);
      times[m].solve = std::min(times[m].solve, solved - factored);
      times[m].residual = (A * x - right).norm() / right.norm();
    }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::printf("| %s | %d | %lld | %s | ", one.name.c_str(), one.problem.dof(), static_cast<long long>(A.nonZeros()), methods[m].name.c_str());
    if (times[m].works)
      std::printf("%.3g | %.3g | %.2g | %.0e |\n", 1e3 * times[m].factor, 1e3 * times[m].solve, times[m].factor / times[0].factor, times[m].residual);
    else
      std::printf("fails | – | – | – |\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  int repeats = 10;
  CLI::App app{"Newton matrices, factored by us and by others"};
  app.add_option("--repeats", repeats, "interleaved; the least time counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, arguments);
  std::printf("| matrix | velocities | entries | by | factorisation, ms | solve, ms | factorisation / ours | residual |\n|---|---|---|---|---|---|---|---|\n");
  const Case cases[] = {tree(), stepOf("wall of 200 bricks", makeWall(200), 0), stepOf("wall of 5000 bricks", makeWall(5000), 0),
                        stepOf("1000 spheres falling, 0.5 s", makeHeap(1000), 30), stepOf("10,000 spheres falling, 0.2 s", makeHeap(10000), 12)};
  for (const bool sticking : {true, false})
    for (const Case& one : cases) compare(one, sticking, repeats);
  return 0;
}
