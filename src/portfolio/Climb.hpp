// One solve on its way up the ladder: the problem as prepared, the best answer so far, and a rung: one method's turn, judged by the certificate.
#pragma once
#include <memory>

#include "portfolio/LazyMethod.hpp"
#include "portfolio/NarrowedProblem.hpp"
#include "portfolio/Portfolio.hpp"
#include "portfolio/PosedProblem.hpp"
#include "solvers/LocalFactor.hpp"

namespace stiction {

constexpr double kCloseUp = 1e-4;  // [-] certificate of an answer so near that Newton is worth all its steps, on dear problems, too

class Climb {
 public:
  explicit Climb(Law law);
  void setTeam(ThreadPool* team);

  /// Begins with `best`, a start where options.warm; both are kept by reference. `prepared`: a certifier for the problem; null: one of its own.
  void begin(const PosedProblem& problem, Iterate& best, const SolveOptions& options, Certifier* prepared);
  /// What came of it.
  PortfolioReport conclude();

  const PosedProblem& problem() const { return problem_; }
  const SolveOptions& options() const { return *options_; }
  const Certifier& certifier() const { return *certifier_; }
  const Iterate& best() const { return *best_; }
  double relative() const { return report_.certificate.relative; }  // the best answer's certificate
  bool passes() const { return report_.certificate.passes(options_->tolerance); }

  /// Analyses the whole problem. False, now as in `narrow`, where its masses are not positive definite.
  bool prepare();
  /// Analyses what the best answer does not leave open, if that is anything else than before. Of problems with bodies.
  bool narrow();
  bool isPrepared() const { return isPrepared_; }
  bool isNarrowed() const { return isNarrowed_; }
  const VelocitySystem& system() const { return system_; }  // of what is prepared
  bool isDear() const;
  bool isColossal() const;
  bool isRedundant() const;  // the best answer
  bool isPile() const;

  /// From the best answer, or from nothing; for so many steps, 0: as options say; given up by `patience` (SolveOptions).
  SolveOptions fromBest(int steps = 0, int patience = 0) const;
  SolveOptions fromCold(int steps = 0, int patience = 0) const;

  /// A method, with other velocities than the best answer's where given, then Newton from its answer while that helps. Returns whether the best answer passes, or time is up.
  bool rung(const char* name, LazyMethod& method, const SolveOptions& options, const VectorX* velocities = nullptr);
  /// Newton from the best answer, the end of the rung of that name.
  bool finish(const char* name);
  /// Sweeps from `start`, not judged.
  SolveReport sweep(const Iterate& start, const SolveOptions& sweeps);
  /// Judges what the last method left, or `answer`; keeps it when its certificate is the better one. Returns whether the best one passes.
  bool judge(const char* name);
  bool judge(const char* name, const Iterate& answer);
  /// Effort of others for this problem.
  void spend(int iterations, int factorisations);
  void fail() { report_.status = SolveStatus::NumericalFailure; }
  /// By a solver that prepares the problem itself. Returns whether its answer passes.
  bool ask(Solver& solver);

  LazyMethod newton{makeNewtonMethod}, proxac{makeProxAcMethod};

 private:
  void run(VelocityMethod& method, const SolveOptions& options);
  void runOnBodies(VelocityMethod& method, const SolveOptions& options);
  void runOnFactor(VelocityMethod& method, const SolveOptions& options);
  void count(const SolveReport& solve);

  PosedProblem problem_;
  const SolveOptions* options_{nullptr};
  Iterate* best_{nullptr};
  Iterate trial_, part_;
  PortfolioReport report_;
  Certifier ownCertifier_;
  Certifier* certifier_{&ownCertifier_};

  VelocitySystem system_;
  LocalFactor factor_;
  NarrowedProblem narrowed_;
  bool bindsAgain_{false};  // the system knows the matrices of the problem, from the solve before
  bool isPrepared_{false};  // the system knows the problem,
  bool isNarrowed_{false};  // or what `narrowed_` has of it
  std::unique_ptr<Solver> nsgs_;
  bool isSwept_{false};  // nsgs knows the problem
};

}  // namespace stiction
