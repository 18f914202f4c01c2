#include "collision/Detect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "collision/BroadPhase.hpp"
#include "collision/FlushEdges.hpp"
#include "collision/NarrowPhase.hpp"
#include "collision/Seams.hpp"

namespace stiction {
namespace {

constexpr double touch_margin{1e-6};  // [-] of the smaller shape's size: pairs this near are handed on even at rest
constexpr int chunk_size{16};         // pairs a task of the parallel narrow phase

struct ExplicitPair {
  int geomA, geomB;  // geomA < geomB
  PairMaterial material;
};

bool before(const ExplicitPair& x, const ExplicitPair& y) { return x.geomA != y.geomA ? x.geomA < y.geomA : x.geomB < y.geomB; }

}  // namespace

struct CollisionDetector::Impl {
  const Model& model;
  std::vector<double> radius;                // [m] bounding sphere about the geom origin, a geom
  std::vector<double> distance;              // [m] of the geom origin from the body's centre of mass, a geom
  std::vector<char> fixed;                   // body not dynamic, a geom
  std::vector<char> masked;                  // the geom occurs in an explicit pair
  std::vector<ExplicitPair> pairs;           // sorted
  std::vector<std::array<int, 2>> excludes;  // sorted
  BroadPhase tree;
  std::vector<Box3> boxes;
  std::vector<Pose> poses;     // X_WG at the last broad phase, a geom
  std::vector<double> travel;  // [m] bound within h, a geom
  std::vector<CandidatePair> candidates, ofFaster;
  std::vector<int> grown;    // geoms
  std::vector<char> faster;  // a body
  RangeLists<CandidatePair> pickedBy;
  std::vector<ContactSet> chunks;
  // The last narrow phase of all pairs: a pair whose two geoms have not moved since, with the same reach, has the same contacts.
  std::vector<Pose> keptPoses;
  std::vector<char> moved;  // a geom, since then
  std::vector<CandidatePair> keptPairs;
  std::vector<std::size_t> keptStart;  // of each pair in `kept`, and the end
  ContactSet kept;                     // covered flush edges and seams included
  std::vector<int> keptOf;             // the same pair among keptPairs, or -1
  std::vector<std::size_t> counts;     // contacts of each pair
  Seams seamSearch;
  ContactSet seams;  // of the last narrow phase of all pairs

  explicit Impl(const Model& m);
  double travelOf(const WorldState& state, std::size_t geom, double h) const;
  void placeBox(const WorldState& state, std::size_t geom, double h, double factor);
  void pickCandidates(const std::vector<BroadPhase::IndexPair>& overlapping, ThreadPool* team, std::vector<CandidatePair>& picked);
  bool resolve(int geomA, int geomB, PairMaterial& material) const;
  void collidePair(const CandidatePair& pair, const Pose& X_WA, const Pose& X_WB, std::vector<PairPoint>& scratch, ContactSet& contacts) const;
  void matchKept(const WorldState& state, const std::vector<CandidatePair>& wanted);
  void collideRange(const std::vector<CandidatePair>& wanted, std::size_t first, std::size_t last, ContactSet& contacts);
};

CollisionDetector::Impl::Impl(const Model& m) : model{m}, excludes{m.excludes}, seamSearch{m, radius} {
  for (const Geom& geom : model.geoms) {
    radius.push_back(boundingRadius(geom.shape));
    distance.push_back(geom.X_CG.position.norm());
    fixed.push_back(model.bodies[static_cast<std::size_t>(geom.body)].kind != BodyKind::Dynamic ? 1 : 0);
  }
  masked.assign(model.geoms.size(), 0);
  for (const GeomPair& pair : model.pairs) {
    const auto [a, b] = std::minmax(pair.geomA, pair.geomB);
    pairs.push_back({a, b, {pair.condim == 1 ? 0.0 : pair.friction, pair.restitution}});
    masked[static_cast<std::size_t>(a)] = masked[static_cast<std::size_t>(b)] = 1;
  }
  std::stable_sort(pairs.begin(), pairs.end(), before);
  for (std::array<int, 2>& exclude : excludes) exclude = {std::min(exclude[0], exclude[1]), std::max(exclude[0], exclude[1])};
  std::sort(excludes.begin(), excludes.end());
  boxes.resize(model.geoms.size());
  poses.resize(model.geoms.size());
  travel.resize(model.geoms.size());
}

double CollisionDetector::Impl::travelOf(const WorldState& state, std::size_t geom, double h) const {
  const std::size_t id = static_cast<std::size_t>(model.geoms[geom].body);
  const Body& body = model.bodies[id];
  if (body.kind == BodyKind::Static) return 0;
  const double spin = state.angularVelocity[id].norm();
  const double arm = distance[geom] + radius[geom];
  double speed = state.velocity[id].norm() + (spin > 0 ? spin * arm : 0.0);
  if (body.kind == BodyKind::Dynamic) speed += h * ((body.gravity ? model.gravity.norm() : 0.0) + body.force.norm() / body.mass);
  return h * speed;
}

/// The geom's pose, travel and box.
void CollisionDetector::Impl::placeBox(const WorldState& state, std::size_t geom, double h, double factor) {
  travel[geom] = factor * travelOf(state, geom, h);
  poses[geom] = geomPose(model, state, static_cast<int>(geom));
  const auto [low, high] = bounds(model.geoms[geom].shape, poses[geom]);
  const double margin = travel[geom] + (std::isfinite(radius[geom]) ? touch_margin * radius[geom] : 0.0);
  boxes[geom] = {low - Vector3::Constant(margin), high + Vector3::Constant(margin)};
}

void CollisionDetector::Impl::pickCandidates(const std::vector<BroadPhase::IndexPair>& overlapping, ThreadPool* team, std::vector<CandidatePair>& picked) {
  constexpr int few = 192;  // pairs of a thread
  picked.clear();
  gatherInRanges(team, static_cast<int>(overlapping.size()), few, pickedBy, picked, [&](int first, int last, std::vector<CandidatePair>& some) {
    for (int k = first; k < last; ++k) {
      const auto& [a, b] = overlapping[static_cast<std::size_t>(k)];
      const std::size_t ia = static_cast<std::size_t>(a);
      const std::size_t ib = static_cast<std::size_t>(b);
      const double reach = travel[ia] + travel[ib] + touch_margin * std::min(radius[ia], radius[ib]);
      if (!boundsMeet(model.geoms[ia].shape, radius[ia], poses[ia], model.geoms[ib].shape, radius[ib], poses[ib], reach)) continue;
      PairMaterial material{0, 0};
      if (!resolve(a, b, material)) continue;
      some.push_back({a, b, reach, material.friction, material.restitution});
    }
  });
}

bool CollisionDetector::Impl::resolve(int geomA, int geomB, PairMaterial& material) const {
  const std::size_t ia = static_cast<std::size_t>(geomA);
  const std::size_t ib = static_cast<std::size_t>(geomB);
  const Geom& a = model.geoms[ia];
  const Geom& b = model.geoms[ib];
  if (a.body == b.body || (fixed[ia] != 0 && fixed[ib] != 0)) return false;
  if (masked[ia] != 0 && masked[ib] != 0) {
    const ExplicitPair wanted{geomA, geomB, {0, 0}};
    const auto found = std::lower_bound(pairs.begin(), pairs.end(), wanted, before);
    if (found != pairs.end() && found->geomA == geomA && found->geomB == geomB) {
      material = found->material;
      return true;
    }
  }
  if ((a.contype & b.conaffinity) == 0 && (b.contype & a.conaffinity) == 0) return false;
  const std::array<int, 2> bodies{std::min(a.body, b.body), std::max(a.body, b.body)};
  if (!excludes.empty() && std::binary_search(excludes.begin(), excludes.end(), bodies)) return false;
  material = combine(a, b);
  return true;
}

void CollisionDetector::Impl::collidePair(const CandidatePair& pair, const Pose& X_WA, const Pose& X_WB, std::vector<PairPoint>& scratch,
                                          ContactSet& contacts) const {
  const std::size_t ia = static_cast<std::size_t>(pair.geomA);
  const std::size_t ib = static_cast<std::size_t>(pair.geomB);
  const Geom& a = model.geoms[ia];
  const Geom& b = model.geoms[ib];
  if (!boundsMeet(a.shape, radius[ia], X_WA, b.shape, radius[ib], X_WB, pair.reach)) return;
  collideShapes(a.shape, X_WA, b.shape, X_WB, pair.reach, scratch);
  for (const PairPoint& point : scratch) {
    contacts.push_back({{pair.geomA, pair.geomB, point.feature}, a.body, b.body, point.point, point.normal, point.gap, pair.friction, pair.restitution});
  }
}

/// Finds what has moved since the last narrow phase of all pairs, and the pairs that were there before.
void CollisionDetector::Impl::matchKept(const WorldState& state, const std::vector<CandidatePair>& wanted) {
  const bool first = keptPoses.empty();
  keptPoses.resize(model.geoms.size());
  moved.resize(model.geoms.size());
  for (std::size_t i = 0; i < model.geoms.size(); ++i) {
    const Pose now = geomPose(model, state, static_cast<int>(i));
    moved[i] = first || !sameBits(now, keptPoses[i]) ? 1 : 0;
    keptPoses[i] = now;
  }
  keptOf.assign(wanted.size(), -1);
  counts.assign(wanted.size(), 0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const CandidatePair& pair = wanted[i];
    while (k < keptPairs.size() && std::pair{keptPairs[k].geomA, keptPairs[k].geomB} < std::pair{pair.geomA, pair.geomB}) ++k;
    if (k < keptPairs.size() && sameBits(keptPairs[k], pair) && !moved[static_cast<std::size_t>(pair.geomA)] && !moved[static_cast<std::size_t>(pair.geomB)])
      keptOf[i] = static_cast<int>(k);
  }
}

void CollisionDetector::Impl::collideRange(const std::vector<CandidatePair>& wanted, std::size_t first, std::size_t last, ContactSet& contacts) {
  static thread_local std::vector<PairPoint> scratch;
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t before = contacts.size();
    if (keptOf[i] >= 0) {
      const auto k = static_cast<std::size_t>(keptOf[i]);
      contacts.insert(contacts.end(), kept.begin() + static_cast<std::ptrdiff_t>(keptStart[k]), kept.begin() + static_cast<std::ptrdiff_t>(keptStart[k + 1]));
    } else {
      collidePair(wanted[i], keptPoses[static_cast<std::size_t>(wanted[i].geomA)], keptPoses[static_cast<std::size_t>(wanted[i].geomB)], scratch, contacts);
    }
    counts[i] = contacts.size() - before;
  }
}

CollisionDetector::CollisionDetector(const Model& model) : impl_{std::make_unique<Impl>(model)} {}
CollisionDetector::~CollisionDetector() = default;
CollisionDetector::CollisionDetector(CollisionDetector&&) noexcept = default;

const ContactSet& CollisionDetector::seams() const { return impl_->seams; }

const std::vector<CandidatePair>& CollisionDetector::broadPhase(const WorldState& state, double h, double factor, ThreadPool* team) {
  constexpr int few = 96;  // geoms of a thread
  Impl& d = *impl_;
  inRanges(team, static_cast<int>(d.model.geoms.size()), few, [&](int, int first, int last) {
    for (int i = first; i < last; ++i) d.placeBox(state, static_cast<std::size_t>(i), h, factor);
  });
  d.pickCandidates(d.tree.overlappingPairs(d.boxes, d.fixed, team), team, d.candidates);
  return d.candidates;
}

const std::vector<CandidatePair>& CollisionDetector::pairsOfFaster(const WorldState& state, const std::vector<int>& bodies, double h, double factor,
                                                                   ThreadPool* team) {
  Impl& d = *impl_;
  d.faster.assign(d.model.bodies.size(), 0);
  for (const int body : bodies) d.faster[static_cast<std::size_t>(body)] = 1;
  d.grown.clear();
  for (std::size_t i = 0; i < d.model.geoms.size(); ++i) {
    if (d.faster[static_cast<std::size_t>(d.model.geoms[i].body)] == 0) continue;
    d.grown.push_back(static_cast<int>(i));
    d.placeBox(state, i, h, factor);
  }
  d.pickCandidates(d.tree.pairsOfGrown(d.grown, d.boxes, d.fixed, team), team, d.ofFaster);
  return d.ofFaster;
}

void CollisionDetector::narrowPhase(const WorldState& state, const std::vector<CandidatePair>& pairs, ThreadPool& pool, ContactSet& contacts) {
  Impl& d = *impl_;
  d.matchKept(state, pairs);
  contacts.clear();
  const int chunks = (static_cast<int>(pairs.size()) + chunk_size - 1) / chunk_size;
  if (pool.threads() == 1 || chunks < 2) {
    d.collideRange(pairs, 0, pairs.size(), contacts);
  } else {
    if (d.chunks.size() < static_cast<std::size_t>(chunks)) d.chunks.resize(static_cast<std::size_t>(chunks));
    pool.parallelFor(chunks, [&](int chunk) {
      ContactSet& out = d.chunks[static_cast<std::size_t>(chunk)];
      out.clear();
      const std::size_t first = static_cast<std::size_t>(chunk) * chunk_size;
      d.collideRange(pairs, first, std::min(pairs.size(), first + chunk_size), out);
    });
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const ContactSet& part = d.chunks[static_cast<std::size_t>(chunk)];
      contacts.insert(contacts.end(), part.begin(), part.end());
    }
  }
  d.keptPairs = pairs;
  d.keptStart.assign(pairs.size() + 1, 0);
  std::partial_sum(d.counts.begin(), d.counts.end(), d.keptStart.begin() + 1);
  d.kept = contacts;
  dropCoveredFlushEdges(d.radius, contacts);
  d.seamSearch.sortOut(state, contacts, d.seams);
}

void CollisionDetector::narrowPhase(const WorldState& state, const std::vector<CandidatePair>& pairs, ContactSet& contacts, ThreadPool* team) const {
  constexpr int few = 32;  // pairs of a thread
  static thread_local RangeLists<Contact> lists;
  contacts.clear();
  gatherInRanges(team, static_cast<int>(pairs.size()), few, lists, contacts, [&](int first, int last, ContactSet& found) {
    static thread_local std::vector<PairPoint> scratch;
    for (int k = first; k < last; ++k) {
      const CandidatePair& pair = pairs[static_cast<std::size_t>(k)];
      impl_->collidePair(pair, geomPose(impl_->model, state, pair.geomA), geomPose(impl_->model, state, pair.geomB), scratch, found);
    }
  });
  dropCoveredFlushEdges(impl_->radius, contacts);
  static thread_local ContactSet seams;
  impl_->seamSearch.sortOut(state, contacts, seams);
}

}  // namespace stiction
