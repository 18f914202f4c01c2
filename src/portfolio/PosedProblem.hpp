// A problem in one of its two forms, with bodies or of contacts alone, as whoever chooses methods for it asks of it.
#pragma once
#include "certify/Certificate.hpp"
#include "solvers/Solver.hpp"

namespace stiction {

class PosedProblem {
 public:
  PosedProblem() = default;  // none
  /// The problem is kept by reference.
  explicit PosedProblem(const ContactProblem& problem) : global_{&problem} {}
  explicit PosedProblem(const LocalContactProblem& problem) : local_{&problem} {}

  const ContactProblem* global() const { return global_; }     // null where it is of contacts alone,
  const LocalContactProblem* local() const { return local_; }  // and this one where it has bodies
  const VectorX& mu() const;                                   // [-] (contacts)
  int contacts() const;
  /// No more of them than that matter to the contacts, known before anything is analysed.
  int velocities() const;

  void prepare(Certifier& certifier) const;
  /// By a certifier prepared for the problem.
  Certificate judge(Certifier& certifier, const Iterate& iterate) const;
  SolveReport solve(Solver& solver, Iterate& iterate, const SolveOptions& options) const;

 private:
  const ContactProblem* global_{nullptr};
  const LocalContactProblem* local_{nullptr};
};

}  // namespace stiction
