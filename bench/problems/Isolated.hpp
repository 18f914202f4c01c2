// A solve in a process of its own: what crashes, leaks or never ends costs the benchmark that one solve.
#pragma once
#include <functional>
#include <vector>

#include "math/Types.hpp"

namespace stiction::bench {

/// One solve: its impulses, what it took, and whether the method itself says that it converged.
struct Attempt {
  VectorX r;      // [N s]
  double cpu{0};  // [s]
  bool converged{false};
  double certificate{0};  // where the method judged itself with everything it knows (ours, global form); 0: judge the impulses
};

struct Outcome {
  enum class End { Done, OutOfTime, Crashed } end{End::Crashed};
  Attempt first;            // the answer is that of the first repeat
  std::vector<double> cpu;  // [s] of each repeat that ended
};

/// Runs `solve` in a child process up to `repeats` times, as long as a second is not over, all of them limited to `limit` seconds of CPU. `size`: of r.
Outcome runIsolated(const std::function<Attempt()>& solve, Eigen::Index size, int repeats, double limit);

}  // namespace stiction::bench
