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
  /// The island's timed contacts that are open and close faster than `threshold` [m/s]; watches for others from now on.
  void mark(const Island& island, double threshold);
  /// None waits, and none is watched for.
  void clear();
  /// At the start of a step.
  void reset();
  /// Before a trial of the closing time.
  void begin() { hasPassed_ = false; }
  /// Whether a contact that the trial ran into, closing at `approach` [m/s], ought to have waited: it is timed, was not marked, and did not touch then, or was about to part.
  bool shouldWait(const Island& island, const Contact& contact, double approach) const;
  /// The pair's contacts wait from the next trial on.
  void add(const FeatureKey& pair);
  /// The pair that a trial shows to meet, though it had been added, slower than impacts are: it waits no longer, nor is it added again in this step.
  void dismiss(const FeatureKey& pair);
  /// Whether a contact of the same two geoms waits.
  bool waits(const FeatureKey& key) const;
  /// Takes note that such a pair has run into each other in the trial, wherever that ends.
  void notePassing() { hasPassed_ = true; }
  bool empty() const { return closing_.empty(); }
  /// Pairs that close within `remaining` [s] at the speeds they were marked with.
  int pairsWithin(double remaining) const;
  /// Whether a contact waits: one of the same two geoms is closing, and this one did not touch when they were marked.
  bool contains(const FeatureKey& key) const;

  /// Time [s], at most `remaining`, until the first of them closes at the speed it was marked with.
  double earliest(double remaining) const;

  struct Approach {
    double gap;              // [-] of the pair's size
    double rate;             // [1/s]; 0 where nothing is known of it
    const FeatureKey* slow;  // the pair, where it had been added and closes slower than impacts do; else null
  };
  /// Least gap of the closing pairs over contacts that did not touch when they were marked, by the motion of the marked contact's points where a shape has gone through; with the rate of that contact.
  /// -1 where the trial had two of them pass, and does not show it.
  Approach approach(const Island& island) const;

 private:
  struct Closing {
    FeatureKey key;
    int bodyA{-1}, bodyB{-1};
    Vector3 normal{Vector3::Zero()};
    double gap{0};                                       // [m] when it was marked
    double speed{0};                                     // [m/s] of approach, > 0; 0 where the pair was added, of which nothing else is known
    Vector3 onA{Vector3::Zero()}, onB{Vector3::Zero()};  // [m] the contact point in the frames of the two bodies
  };
  bool hasTouched(const FeatureKey& key) const;

  std::vector<Closing> closing_;
  bool hasPassed_{false};
  bool watches_{false};                      // for contacts that were not marked
  double threshold_{0};                      // [m/s] of approach
  std::vector<FeatureKey> dismissed_;        // pairs
  std::vector<FeatureKey> alreadyTouching_;  // contacts that touched when they were marked, and did not part
};

}  // namespace stiction
