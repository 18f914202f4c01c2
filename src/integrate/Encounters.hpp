// What bodies met on their way through the (sub)step, as against what its contacts said beforehand.
//
// Contacts are linear in the motion, of the features near each other at the start. That holds bodies apart that do not turn: each convex one stays on its side of the plane between. But
//   missed: turning bodies meet at features that were not the near ones. Such contacts of the end, seen from the start, join, and the (sub)step is repeated;
//   passed: the plane goes on where the other body does not, and stops what would fly past it. Pairs that press, end apart, and would not touch on the way that forces alone take them, are
//           free: the (sub)step is repeated without their contacts, and should they touch then, with the one of that moment;
//   gone through: such a contact of the end pushes against those of the start: a blade that went from one side of another to the other. With both they clamp each other: the (sub)step is too long;
//   run through: a body that turns by θ gets ½ θ² times its arm past its contacts, after a blow on its end right through the wall that it struck. The way of those is followed.
// What bounces within a (sub)step is foreseen: its contact is that of the place where the two meet. By the one of the start they would leave in another direction, the more the longer their way.
// Pairs that are timed and were not known to close wait for their impact from the next trial on, in place of all that.
// Where none of it helps the (sub)step is too long. Source for the ways: conservative advancement (Mirtich 1996) by the depth allowed.
#pragma once
#include <vector>

#include "integrate/IslandSolver.hpp"

namespace stiction {

class Encounters {
 public:
  enum class Finding : std::uint8_t { Agree, Repeat, TooLong };

  Encounters(Island& island, const IslandProblem& problem, const IslandSolver& solver);

  /// Before the first trial of a (sub)step.
  void begin();
  /// Before a trial of h [s], with the velocities that forces alone lead to: has pairs that will meet and bounce do so along the normal of the place where they meet.
  void foresee(double h);
  /// At the end of a trial of h [s] from `before`. `last`: no smaller step is left to resort to.
  Finding compare(const Island::Moment& before, double h, bool last);
  /// Adds the contacts that were missed to the island's, which is back at the start.
  void addMissed();
  /// Whether the contact is left out.
  bool isFree(const FeatureKey& key) const;

 private:
  struct Way {
    int body{-1};
    Pose start, end;
    Vector3 shift{Vector3::Zero()}, turn{Vector3::Zero()};  // [m], [rad]

    Pose at(double share) const;
  };

  bool findMeeting(const FeatureKey& key, double h);
  bool findMet(const Island::Moment& before, double h);
  bool pressed(const FeatureKey& key) const;
  bool findMissed(const Island::Moment& before);
  bool isBehind(const Contact& end) const;
  Finding findPassed(const Island::Moment& before, double h);
  bool haveRunThrough(const Island::Moment& before, double h);
  Contact seenFromStart(const Island::Moment& before, const Contact& end) const;
  bool nowWaits(const FeatureKey& pair);
  bool passesBy(const Island::Moment& before, const FeatureKey& key, double h);
  bool mayPass(const FeatureKey& key) const;
  double halfWidth(const FeatureKey& key) const;
  Vector3 turnOf(int body, double h) const;
  double bendOf(int geom, double h) const;
  Way wayOf(const Island::Moment& before, int geom, double h) const;
  Way freeWayOf(const Island::Moment& before, int geom, double h) const;
  Way wayAhead(int geom, double h) const;
  void goFreely(Way& way, double h) const;
  double lengthOf(const CandidatePair& pair, const Way& a, const Way& b) const;
  void putAt(const Way& way, const Pose& pose);
  bool runInto(const CandidatePair& pair, const Way& a, const Way& b, bool touch);
  double gapAt(double share, const Way& a, const Way& b, double reach);

  Island* island_;
  const IslandProblem* problem_;
  const IslandSolver* solver_;
  int missedRounds_{0}, passedRounds_{0};  // repetitions
  ContactSet missed_;                      // found at the end, seen from the start
  std::vector<FeatureKey> free_;           // of pairs whose contacts are left out
  std::vector<FeatureKey> joined_;         // contacts that were missed, also of free pairs
  std::vector<CandidatePair> pair_;        // that is being followed
  ContactSet contacts_;                    // of it
};

}  // namespace stiction
