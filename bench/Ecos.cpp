// The cone solver's benchmark rows and prototype questions, as Markdown: what its document expects, what is measured, and whether that holds.   bench_ecos (a build with ECOS)
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "ContactScene.hpp"
#include "solvers/Ecos.hpp"

namespace {

using namespace stiction;

constexpr double kStep = 0.01;

/// A stack of blocks with friction, the uppermost pushed off at 1 m/s along a tangent axis, where the box errs most.
ContactScene scene(int contacts, double mu, double ratio, const std::string& method) {
  std::vector<double> masses(static_cast<std::size_t>(contacts), 1.0);
  masses.back() = ratio;
  ContactScene stacked = stack(masses, mu, {1, 0});
  stacked.solver.setFrictionMethod(method);
  return stacked;
}

struct Timing {
  double median;  // [µs]
  ConstraintSolver::MultiBodySolveResult result;
};

Timing time(const ContactScene& stacked, int repeats) {
  Timing timing;
  std::vector<double> times;
  for (int k = 0; k < repeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    timing.result = stacked.solve(kStep);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  timing.median = times[static_cast<std::size_t>(repeats / 2)];
  return timing;
}

/// Heap [KiB] that ECOS's problem and workspace hold for so many contacts.
double memory(int contacts) {
  MatrixX A;
  VectorX b;
  const std::size_t rows = 3 * static_cast<std::size_t>(contacts);
  A = MatrixX::Constant(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(rows), 0.1);
  A.diagonal().array() += 1.0;
  b = VectorX::Ones(A.rows());
  FrictionConeSpec spec{contacts};
  for (int i = 0; i < contacts; ++i) spec.setFriction(i, 0.5, 3 * i);
  const std::size_t before = mallinfo2().uordblks;
  ECOSProblem problem = buildFrictionProblem(A, b, spec);
  problem.data.setup();
  return static_cast<double>(mallinfo2().uordblks - before) / 1024;
}

/// Largest error of ‖λ_t‖ = μ λ_n where the top block slips.
double coneError(const VectorX& lambda, double mu) {
  const Vector3 top = lambda.tail<3>();
  return std::abs(top.tail<2>().norm() / (mu * top[0]) - 1);
}

const char* verdict(bool holds) { return holds ? "pass" : "FAIL"; }

void rows() {
  const double mu = 0.5;
  std::printf(
      "| contacts | ecos [µs] | expected | | iterations | expected < 30 | box active set [µs] | ecos / box | expected 2 | box iterations | cone error ecos | "
      "box | auto [µs] | "
      "memory [KiB] | expected < 1024 |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [contacts, expected] : {std::pair{1, 100.0}, {5, 500.0}, {10, 2000.0}, {20, 8000.0}, {50, 0.0}}) {
    const int repeats = contacts > 10 ? 21 : 201;
    const Timing ecos = time(scene(contacts, mu, 1, "ecos"), repeats), box = time(scene(contacts, mu, 1, "box"), repeats),
                 best = time(scene(contacts, mu, 1, "auto"), repeats);
    const double held = memory(contacts);
    const double ratio = ecos.median / box.median;
    std::printf("| %d | %.0f | %s | %s | %d | %s | %.0f | %.1f | %s | %d | %.0e | %.2f | %.0f | %.0f | %s |\n", contacts, ecos.median,
                expected > 0 ? std::to_string(static_cast<int>(expected)).c_str() : "none", expected > 0 ? verdict(ecos.median <= expected) : "",
                ecos.result.iterations, verdict(ecos.result.iterations < 30), box.median, ratio, contacts <= 10 ? verdict(ratio <= 2) : "",
                box.result.iterations, coneError(ecos.result.lambdas, mu), coneError(box.result.lambdas, mu), best.median, held,
                contacts <= 10 ? verdict(held < 1024) : "");
  }
}

void iterations() {
  std::vector<int> counts;
  std::printf("\n| iterations of one contact, and of two | mass ratio 1 | 10 | 100 | 1000 |\n|---|---|---|---|---|\n");
  for (const double mu : {0.1, 0.5, 0.9}) {
    std::printf("| μ = %.1f |", mu);
    for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
      const int one = scene(1, mu, ratio, "ecos").solve(kStep).iterations, two = scene(2, mu, ratio, "ecos").solve(kStep).iterations;
      counts.insert(counts.end(), {one, two});
      std::printf(" %d, %d |", one, two);
    }
    std::printf("\n");
  }
  const auto within = [&](int most) {
    return 100.0 * static_cast<double>(std::count_if(counts.begin(), counts.end(), [&](int n) { return n <= most; })) / static_cast<double>(counts.size());
  };
  std::printf("\nAt most 15 iterations: %.0f %% (expected 90 %%: %s); at most 30: %.0f %% (expected all: %s).\n", within(15), verdict(within(15) >= 90),
              within(30), verdict(within(30) == 100));
}

void formulation() {
  ContactScene one;
  const std::size_t body = one.addBody(10, Matrix3::Zero(), {0, 0, 1}, {3, 4, -1});
  one.addContact(0, body, {0, 0, 1}, {0, 0, 0}, 0.3, 0.5, -1);
  one.solver.setFrictionMethod("ecos");
  one.solver.setECOSTolerance(1e-11, 1e-11);
  const double exact = 10 * (1.5 + 0.3 * 5) / 1.09, found = one.solve(1e-3).lambdas[0];
  std::printf("\nThe case by hand, λ_n = %.6f: found %.6f, off by %.0e of it (expected 1e-6: %s).\n", exact, found, std::abs(found / exact - 1),
              verdict(std::abs(found / exact - 1) <= 1e-6));
}

}  // namespace

int main() {
  if (!hasECOS()) {
    std::fprintf(stderr, "bench_ecos: built without ECOS. Remedy: configure with -DSTICTION_WITH_ECOS=ON\n");
    return 2;
  }
  rows();
  iterations();
  formulation();
}
