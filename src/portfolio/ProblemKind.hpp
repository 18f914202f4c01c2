// What kind of problem it is, as far as the order of methods depends on it: by counts, by which contacts bear load, and by how fast they slide.
#pragma once
#include "portfolio/PosedProblem.hpp"

namespace stiction {

constexpr int kFewContacts = 16;    // fewer are swept first, whatever they are, and without over-relaxation: a contact alone is exact after one sweep
constexpr int kAloneContacts = 3;   // no more, and no joints: swept first, from the last answer as well
constexpr int kManyContacts = 300;  // more: what costs a share of a factorisation may be dear
constexpr double kTight = 1.75;     // [-] contact components a velocity: with more, sweeps settle nothing
constexpr double kSlow = 1e-3, kStill = 1e-6;  // [-] sliding speeds against the problem's scale: slower contacts creep at most, stand still

/// A body that rolls, slides or topples on its own: sweeps get from its last answer to the next in fewer multiplications than Newton takes for one step.
bool isNearlyAlone(const PosedProblem& problem);

/// Stacks, arches, walls, known before anything is analysed: sweeps do not settle them.
bool isStructure(const PosedProblem& problem);

/// Walls and piles of boxes, four contacts and more a face that bear load in the best answer so far: the centre among so many impulses is far from any answer, and the central path
/// long. A heap of spheres has as many near contacts, and few that bear load.
bool isRedundant(const Iterate& best, int dof);

double componentsPerVelocity(const ContactProblem& problem);

/// Tells by how fast contacts slide.
class SlidingContacts {
 public:
  /// Whether at these velocities most contacts slide slower than `speed` [m/s].
  bool mostAreSlower(const ContactProblem& problem, const VectorX& v, double speed);
  /// Heaps in motion, known before anything is analysed: many contacts of which few bear load, and not most of them bear some and creep. `scale` [m/s]: of the certificate.
  bool isLoose(const ContactProblem& problem, const Iterate& best, double scale);

 private:
  /// Whether most contacts bear load and slide slowly, if at all.
  bool creeps(const ContactProblem& problem, const Iterate& best, double scale);

  VectorX rates_, sliding_;  // [m/s] Hᵀv + w; the sliding speeds
};

}  // namespace stiction
