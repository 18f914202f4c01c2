// The one verb of every method: solve(problem, iterate, options) -> SolveReport. The iterate holds the start on entry and the best answer found on return.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/Clock.hpp"
#include "base/ThreadPool.hpp"
#include "problem/ContactProblem.hpp"
#include "problem/Law.hpp"
#include "solvers/ContactState.hpp"

namespace stiction {

enum class SolveStatus : std::uint8_t { Converged, Stalled, IterationLimit, NumericalFailure };
const char* name(SolveStatus status);

/// How far `auto` goes. Near: what starts near a warm start. Short: all but the methods that take longest. Usual: as far as a time stepper wants, which has smaller steps to resort to.
/// Thorough: along paths of problems, too, when every method failed.
enum class Effort : std::uint8_t { Near, Short, Usual, Thorough };

struct SolveOptions {
  double tolerance{1e-8};    // relative certificate that counts as an answer
  double enough{0};          // `auto`: and with which it looks no farther than near a warm start
  double polish{1e-12};      // Newton-type methods go on to this, or until nothing falls any more
  int maxIterations{0};      // 0: the method's own limit
  bool warm{false};          // the iterate on entry is a good guess
  bool again{false};         // the problem is the one last solved by this object, unchanged: what was prepared for it (nsgs) holds
  bool sameMatrices{false};  // likewise, but for f, w and b: what was factored for it may serve once more
  bool looksOften{false};    // nsgs: the residual is looked at, and the best answer kept, more often on the way
  // Give up after so many checks without headway (Newton: steps, nsgs: windows of sweeps; ipm, proxac: one check, at that step; lagged: steps of a round); 0: the method's own.
  int patience{0};
  Effort effort{Effort::Thorough};
  bool fallBack{false};  // `auto` takes over where a named method that leans on it fails
  double relaxation{1};  // [-] nsgs: each contact goes so many times as far as its own answer asks (of full blocks 1.4 at most), and back into its cone
  double scale{0};       // [m/s] the certificate's scale for this problem; 0: let the method compute the same from f and w
  const std::vector<ContactState>* states{nullptr};  // of all contacts, in the answer that a warm start comes from; null: not known
  /// What would factor, sweep or begin a rung after it gives up. Whether an answer beyond it is the usual one depends on the clock.
  Deadline deadline;
  /// `auto`: called before a search that takes long, by who takes a smaller step where it fails; null: that interests nobody.
  const std::function<void()>* beforeSearch{nullptr};
  /// `auto`: called before any search that takes long, by who looks for rest; true: it was found, and is in the iterate. Null: nobody looks.
  const std::function<bool()>* rest{nullptr};

  /// For a part of the problem, warm: without what only the whole knows, and nothing that takes long.
  SolveOptions ofPart() const {
    SolveOptions part = *this;
    part.warm = true;
    part.again = part.sameMatrices = false;
    part.effort = std::min(effort, Effort::Usual);
    part.scale = 0;
    part.states = nullptr;
    part.beforeSearch = nullptr;
    part.rest = nullptr;
    return part;
  }
};

struct SolveReport {
  SolveStatus status{SolveStatus::Stalled};
  int iterations{0};
  int factorisations{0};
  double residual{0};  // the method's own estimate of the relative certificate; the certificate decides, never this
};

struct SolverInfo {
  const char* name;  // as in --solver; of static storage: reports point to it and outlive the solver
  Law law;
  bool takesGlobal;
  bool takesLocal;
  std::string goodFor;            // one line for people
  bool leansOnAuto{false};        // in a simulation its failures are handed to `auto` unless the user forbids it
  const char* guarantee{"none"};  // what is proved of it, a few words; its answers are judged by the certificate whatever that is
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual const SolverInfo& info() const = 0;
  /// Threads that may share what is large, null for none; not owned. The answer is the same bits for any number.
  virtual void setTeam(ThreadPool*) {}
  virtual SolveReport solve(const ContactProblem& problem, Iterate& iterate, const SolveOptions& options) = 0;
  virtual SolveReport solve(const LocalContactProblem& problem, Iterate& iterate, const SolveOptions& options) = 0;
};

/// The methods of this room by name, as `solverInfos` lists them; null for another name.
std::unique_ptr<Solver> makeSolver(const std::string& name);
std::vector<SolverInfo> solverInfos();

}  // namespace stiction
