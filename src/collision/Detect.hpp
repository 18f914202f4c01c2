// Collision detection: broad phase (which pairs can meet within the step) and narrow phase (their contact points).
#pragma once
#include <memory>
#include <vector>

#include "base/ThreadPool.hpp"
#include "collision/Contact.hpp"

namespace stiction {

/// Owns what collision keeps between steps (broad-phase order, allowed-pair table, per-thread scratch, kept normals). One per simulation.
class CollisionDetector {
 public:
  explicit CollisionDetector(const Model& model);
  ~CollisionDetector();
  CollisionDetector(CollisionDetector&&) noexcept;

  /// All pairs whose shapes can come together within h, sorted by (geomA, geomB). Speed bound of a geom: |v_C| + |ω| (distance + radius) + h (‖g‖ + ‖force‖/m), so nothing
  /// tunnels. `factor` >= 1 enlarges the reach (a step in which bodies may be thrown by impacts). Filters: same body, both not dynamic, contype/conaffinity, excludes; explicit pairs always.
  /// `team`: threads that share the work, idle; null: none.
  const std::vector<CandidatePair>& broadPhase(const WorldState& state, double h, double factor = 1.0, ThreadPool* team = nullptr);

  /// Those of them with a geom of a body whose speed has grown since the last broad phase, at the same poses; `bodies` names all such bodies.
  const std::vector<CandidatePair>& pairsOfFaster(const WorldState& state, const std::vector<int>& bodies, double h, double factor = 1.0,
                                                  ThreadPool* team = nullptr);

  /// Contact points of the given pairs at the state's poses, with gap <= reach of the pair, sorted by key. Same bits for any number of threads. Pairs that the last call had too,
  /// with both geoms where they are now, bit by bit, are not computed again.
  void narrowPhase(const WorldState& state, const std::vector<CandidatePair>& pairs, ThreadPool& pool, ContactSet& contacts);
  /// The same, computed anew; safe to call from several threads at once, of which one may have a team.
  void narrowPhase(const WorldState& state, const std::vector<CandidatePair>& pairs, ContactSet& contacts, ThreadPool* team = nullptr) const;

  /// What the last narrow phase of all pairs, the first of these two, left out: contacts with edges in seams, where bodies may come to within the step (Seams.hpp). Sorted by key.
  const ContactSet& seams() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiction
