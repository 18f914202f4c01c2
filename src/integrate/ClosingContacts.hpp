// Contacts whose bodies meet at their own time, as all that bounce do: open yet, they wait for it and take no part in the ordinary step.
#pragma once
#include <vector>

#include "collision/Contact.hpp"
#include "state/WorldState.hpp"

namespace stiction {

struct Island;

/// [m/s] of B against A along the normal: negative while the contact closes.
double normalVelocity(const WorldState& state, const Contact& contact);

class ClosingContacts {
 public:
  /// The island's timed contacts that are open and close faster than `threshold` [m/s].
  void mark(const Island& island, double threshold);
  void clear() { closing_.clear(); }
  /// Before a trial of the closing time.
  void begin() { hasPassed_ = false; }
  /// Whether a contact of the same two geoms waits.
  bool waits(const FeatureKey& key) const;
  /// Takes note that such a pair has run into each other in the trial, wherever that ends.
  void notePassing() { hasPassed_ = true; }
  bool empty() const { return closing_.empty(); }
  /// Whether a contact waits: one of the same two geoms is closing, and this one did not touch when they were marked.
  bool contains(const FeatureKey& key) const;

  /// Time [s], at most `remaining`, until the first of them closes at the speed it was marked with.
  double earliest(double remaining) const;

  struct Approach {
    double gap;   // [-] of the pair's size
    double rate;  // [1/s]
  };
  /// Least gap of the closing pairs over contacts that did not touch when they were marked, by the motion of the first contact points where a shape has gone through; with the rate of that contact.
  /// Negative also where the trial had two of them pass.
  Approach approach(const Island& island) const;

 private:
  struct Closing {
    FeatureKey key;
    int bodyA, bodyB;
    Vector3 normal;
    double gap;        // [m] when it was marked
    double speed;      // [m/s] of approach, > 0
    Vector3 onA, onB;  // [m] the contact point in the frames of the two bodies
  };
  std::vector<Closing> closing_;
  bool hasPassed_{false};
  std::vector<FeatureKey> alreadyTouching_;  // contacts of the same pairs that touched when they were marked
};

}  // namespace stiction
