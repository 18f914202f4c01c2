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

#include "portfolio/Climb.hpp"
#include "portfolio/ProblemPath.hpp"
#include "solvers/LaggedShift.hpp"

namespace stiction {

class RestInPart {
 public:
  explicit RestInPart(Climb& climb) : climb_{climb} {}

  /// Whether this asks anything of the problem prepared: bodies and contacts alone.
  bool takes() const;
  /// `before` [m/s] (dof): the velocities to begin with; `solve`: the strict law of what moves. Returns whether that is all: the best answer is as good as asked for.
  bool find(const VectorX& before, const SolvePoint& solve);

 private:
  bool relax();
  bool move(const SolvePoint& solve);
  /// What touches anything at more than `speed` [m/s] moves.
  void findMoving(const VectorX& v, double speed);
  /// The moving bodies with all of their contacts, and where the relaxation has them.
  void takeMoving();

  Climb& climb_;
  LaggedShift shift_;
  Iterate relaxed_, part_;
  ContactProblem problem_;        // of what moves
  std::vector<char> isMoving_;    // of each block of velocities
  int moving_{0};                 // blocks
  std::vector<int> blockOf_;      // in the problem of what moves, of each block; −1: it stands
  std::vector<int> contacts_;     // in that problem
  VectorX shifts_, u_, sliding_;  // [m/s] of all contacts; of those in that problem
};

}  // namespace stiction
