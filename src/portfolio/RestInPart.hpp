// Where most bodies of a heap stand and a few fall, roll or slide among them: those that stand go on standing if they can. Methods that take all bodies alike come to motions in which every one of
// them creeps, in each step another way, and search long for them; the other answer, in which nearly all rest, they meet by chance. (RestSearch asks the same of an island of which all stands.)
//
// The convex relaxation (LaggedShift) tells which bodies can: its velocity is unique, and zero wherever impulses inside the cones bear the load. What it has wrong is how the others slide: their strict
// law is a small problem, with the bodies that stand held where they are. With the sliding speeds of its answer as shifts the relaxation is right about what moves, too, and if it lets the
// same bodies stand its answer is Coulomb's. Bodies that the moving ones push out of their rest move from then on.
//
// What moved before moves here as well, until its strict law says otherwise: the relaxation would stop a body that falls along walls which it just touches.
#pragma once
#include <vector>

#include "portfolio/LazyMethod.hpp"
#include "portfolio/ProblemPath.hpp"
#include "solvers/LaggedShift.hpp"

namespace stiction {

class RestInPart {
 public:
  void setTeam(ThreadPool* team) { system_.setTeam(team); }
  /// As Portfolio::findRestInPart; `solve`: the strict law of what moves.
  PortfolioReport find(const ContactProblem& problem, const VectorX& before, Iterate& iterate, const SolveOptions& options, Certifier& certifier,
                       const SolvePoint& solve);

 private:
  bool relax(Iterate& iterate);
  bool move(const SolvePoint& solve);
  /// What touches anything at more than `speed` [m/s] moves. Returns whether that is anything more.
  bool findMoving(const VectorX& v, double speed);
  bool mostStand() const;
  /// The moving bodies with all of their contacts, and where the relaxation has them.
  void takeMoving();
  void count(int iterations, int factorisations);

  VelocitySystem system_;
  LaggedShift shift_;
  LazyMethod newton_{makeNewtonMethod};
  Iterate relaxed_, part_;
  ContactProblem problem_;        // of what moves
  std::vector<char> isMoving_;    // of each block of velocities
  int moving_{0};                 // blocks
  std::vector<int> blockOf_;      // in the problem of what moves, of each block; −1: it stands
  std::vector<int> contacts_;     // in that problem
  VectorX shifts_, u_, sliding_;  // [m/s] of all contacts; of those in that problem

  PortfolioReport report_;
  const SolveOptions* options_{nullptr};
  Certifier* certifier_{nullptr};
};

}  // namespace stiction
