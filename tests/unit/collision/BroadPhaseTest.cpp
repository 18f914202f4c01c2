// Broad phase against all pairs, filters, and the narrow phase's independence of threads and order.
#include "collision/BroadPhase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "collision/Detect.hpp"

namespace stiction {
namespace {

std::vector<BroadPhase::IndexPair> allPairs(const std::vector<Box3>& boxes, const std::vector<char>& fixed) {
  std::vector<BroadPhase::IndexPair> pairs;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j) {
      const Box3& a = boxes[static_cast<std::size_t>(i)];
      const Box3& b = boxes[static_cast<std::size_t>(j)];
      bool meet = fixed[static_cast<std::size_t>(i)] == 0 || fixed[static_cast<std::size_t>(j)] == 0;
      for (int k = 0; k < 3; ++k) meet = meet && a.low[k] <= b.high[k] && b.low[k] <= a.high[k];
      if (meet) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

/// Boxes about the origin, most of them that small, a third fixed.
void draw(std::mt19937& random, int count, double small, std::vector<Box3>& boxes, std::vector<char>& fixed) {
  std::uniform_real_distribution<double> uniform{-1, 1};
  boxes.clear();
  fixed.clear();
  for (int i = 0; i < count; ++i) {
    const Vector3 centre{uniform(random), uniform(random), uniform(random)};
    const Vector3 half = Vector3{uniform(random), uniform(random), uniform(random)}.cwiseAbs() * (i % 50 == 0 ? 3.0 : small);
    boxes.push_back({centre - half, centre + half});
    fixed.push_back(random() % 3 == 0 ? 1 : 0);
  }
}

TEST(BroadPhase, FindsExactlyWhatAllPairsFind) {
  std::mt19937 random{3};
  const double infinity = std::numeric_limits<double>::infinity();
  BroadPhase tree;
  std::vector<int> counts{0, 1, 2, 3, 4, 7, 8, 9, 63, 64, 65, 511, 512, 513};  // about where another level of eights begins
  counts.resize(40, 300);
  for (const int count : counts) {
    std::vector<Box3> boxes;
    std::vector<char> fixed;
    draw(random, count, 0.1, boxes, fixed);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (i % 97 == 7) boxes[i] = {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
      if (i % 97 == 8) boxes[i].low = boxes[i].high = Vector3::Zero();
    }
    EXPECT_EQ(tree.overlappingPairs(boxes, fixed), allPairs(boxes, fixed)) << "seed 3, " << count << " boxes";
  }
}

TEST(BroadPhase, ThreadsFindTheSame) {
  std::mt19937 random{5};
  std::vector<Box3> boxes;
  std::vector<char> fixed;
  draw(random, 3000, 0.05, boxes, fixed);
  const auto wanted = allPairs(boxes, fixed);
  EXPECT_GT(wanted.size(), 1000u);
  BroadPhase tree;
  for (const int threads : {1, 2, 4}) {
    ThreadPool team{threads};
    EXPECT_EQ(tree.overlappingPairs(boxes, fixed, &team), wanted) << threads << " threads";
  }
}

TEST(BroadPhase, FindsThePairsOfBoxesThatHaveGrown) {
  std::mt19937 random{11};
  std::uniform_real_distribution<double> uniform{-1, 1};
  BroadPhase tree;
  std::size_t found = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const int count = trial < 4 ? trial : 250;
    std::vector<Box3> boxes;
    std::vector<char> fixed;
    draw(random, count, 0.05, boxes, fixed);
    tree.overlappingPairs(boxes, fixed);
    for (int again = 0; again < 2; ++again) {
      std::vector<int> grown;
      for (int i = 0; i < count; ++i) {
        if (random() % 10 != 0) continue;
        grown.push_back(i);
        const Vector3 margin = Vector3::Constant(0.1 * std::abs(uniform(random)));
        boxes[static_cast<std::size_t>(i)] = {boxes[static_cast<std::size_t>(i)].low - margin, boxes[static_cast<std::size_t>(i)].high + margin};
      }
      std::vector<BroadPhase::IndexPair> wanted;
      for (const BroadPhase::IndexPair& pair : allPairs(boxes, fixed))
        if (std::count(grown.begin(), grown.end(), pair.first) + std::count(grown.begin(), grown.end(), pair.second) > 0) wanted.push_back(pair);
      EXPECT_EQ(tree.pairsOfGrown(grown, boxes, fixed), wanted) << "seed 11, trial " << trial;
      found += wanted.size();
    }
  }
  EXPECT_GT(found, 5000u);
}

/// Boxes, spheres, capsules and hulls thrown over a plane.
Model heap(int count, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> uniform{-1, 1};
  ModelBuilder builder;
  Geom floor;
  floor.name = "floor";
  floor.shape = Shape::plane();
  builder.addGeom(floor, {});
  for (int i = 0; i < count; ++i) {
    const Vector3 p{1.5 * uniform(random), 1.5 * uniform(random), 0.8 + 0.7 * uniform(random)};
    const Quaternion q = Quaternion{uniform(random), uniform(random), uniform(random), 1.1}.normalized();
    const Shape shapes[] = {Shape::box({0.1, 0.15, 0.2}), Shape::sphere(0.15), Shape::capsule(0.1, 0.15),
                            Shape::hull({{-.2, -.1, 0}, {.2, -.1, 0}, {0, .2, 0}, {0, 0, .25}, {.1, .1, .2}})};
    builder.addSolid(std::to_string(i), shapes[i % 4], 1000, {p, q}, 0.5);
  }
  return builder.build();
}

bool same(const ContactSet& a, const ContactSet& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Contact& x, const Contact& y) {
           return x.key == y.key && x.point == y.point && x.normal == y.normal && x.gap == y.gap && x.bodyA == y.bodyA && x.bodyB == y.bodyB &&
                  x.friction == y.friction;
         });
}

TEST(Detect, SameBitsForAnyNumberOfThreads) {
  const Model model = heap(200, 5);
  const WorldState state = makeState(model);
  CollisionDetector detector{model};
  const std::vector<CandidatePair> pairs = detector.broadPhase(state, 1.0 / 60);
  ContactSet reference;
  detector.narrowPhase(state, pairs, reference);
  ASSERT_GT(reference.size(), 200u);
  EXPECT_TRUE(std::is_sorted(reference.begin(), reference.end(), [](const Contact& a, const Contact& b) { return a.key < b.key; }));
  EXPECT_TRUE(std::adjacent_find(reference.begin(), reference.end(), [](const Contact& a, const Contact& b) { return a.key == b.key; }) == reference.end());
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool{threads};
    ContactSet contacts;
    detector.narrowPhase(state, pairs, pool, contacts);
    EXPECT_TRUE(same(contacts, reference)) << threads;
  }
}

// Every pair that is in contact now or comes into contact by moving straight on for h is a candidate.
TEST(Detect, CandidatesCoverTheMotionOfTheStep) {
  std::mt19937 random{9};
  std::uniform_real_distribution<double> uniform{-1, 1};
  const Model model = heap(60, 6);
  WorldState state = makeState(model);
  for (const int body : model.dynamicBodies) {
    const std::size_t i = static_cast<std::size_t>(body);
    state.velocity[i] = 10 * Vector3{uniform(random), uniform(random), uniform(random)};
    state.angularVelocity[i] = 10 * Vector3{uniform(random), uniform(random), uniform(random)};
  }
  const double h = 0.02;
  CollisionDetector detector{model};
  const std::vector<CandidatePair> pairs = detector.broadPhase(state, h);
  WorldState moved = state;
  for (const int body : model.dynamicBodies) {
    const std::size_t i = static_cast<std::size_t>(body);
    moved.position[i] += h * state.velocity[i];
    const Vector3 w = h * state.angularVelocity[i];
    moved.rotation[i] = (Quaternion{Eigen::AngleAxisd{w.norm(), w.normalized()}} * moved.rotation[i]).normalized();
  }
  std::vector<CandidatePair> everything;
  for (int a = 0; a < static_cast<int>(model.geoms.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(model.geoms.size()); ++b) everything.push_back({a, b, 0.0, 0, 0});
  }
  for (const WorldState& when : {state, moved}) {
    ContactSet contacts;
    detector.narrowPhase(when, everything, contacts);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& c : contacts) {
      EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(), [&](const CandidatePair& p) { return p.geomA == c.key.geomA && p.geomB == c.key.geomB; }));
    }
  }
}

TEST(Detect, FiltersAndMaterials) {
  ModelBuilder builder;
  const Shape ball = Shape::sphere(1);
  const int a = builder.addSolid("a", ball, 1, {}, 0.3);
  const int b = builder.addSolid("b", ball, 1, {{0.5, 0, 0}, Quaternion::Identity()}, 0.7);
  const int c = builder.addSolid("c", ball, 1, {{0, 0.5, 0}, Quaternion::Identity()}, 0.9);
  Geom wall;
  wall.name = "wall";
  wall.shape = ball;
  wall.contype = 2;
  wall.conaffinity = 4;
  builder.addGeom(wall, {});
  builder.addExclude(a, c);
  Model model = builder.build();
  const auto geomOf = [&](int body) {
    return static_cast<int>(std::find_if(model.geoms.begin(), model.geoms.end(), [&](const Geom& g) { return g.body == body; }) - model.geoms.begin());
  };
  const int ga = geomOf(a), gb = geomOf(b), gc = geomOf(c), gw = geomOf(0);
  const auto pairsOf = [](const Model& m) {
    CollisionDetector detector{m};
    return detector.broadPhase(makeState(m), 0.01);
  };
  auto pairs = pairsOf(model);
  ASSERT_EQ(pairs.size(), 2u);  // a-b and b-c: a-c is excluded, the wall's masks (2, 4) miss (1, 1)
  EXPECT_EQ(std::make_pair(pairs[0].geomA, pairs[0].geomB), std::make_pair(ga, gb));
  EXPECT_EQ(pairs[0].friction, 0.7);
  EXPECT_EQ(std::make_pair(pairs[1].geomA, pairs[1].geomB), std::make_pair(gb, gc));
  EXPECT_EQ(pairs[1].friction, 0.9);

  model.pairs = {{gc, ga, 0.11, 0.5, 3}, {gw, gb, 0.4, 0.0, 1}};
  pairs = pairsOf(model);
  ASSERT_EQ(pairs.size(), 4u);
  for (const CandidatePair& pair : pairs) {
    if (pair.geomA == std::min(ga, gc) && pair.geomB == std::max(ga, gc)) {
      EXPECT_EQ(pair.friction, 0.11);
      EXPECT_EQ(pair.restitution, 0.5);
    }
    if (pair.geomA == std::min(gw, gb) && pair.geomB == std::max(gw, gb)) {
      EXPECT_EQ(pair.friction, 0.0);
    }
  }

  model.pairs.clear();
  model.geoms[static_cast<std::size_t>(gw)].contype = 1;
  EXPECT_EQ(pairsOf(model).size(), 5u);  // contype of one side against conaffinity of the other is enough
}

int touching(const Model& model, int bodyA, int bodyB) {
  CollisionDetector detector{model};
  const WorldState state = makeState(model);
  ContactSet contacts;
  detector.narrowPhase(state, detector.broadPhase(state, 0.01), contacts);
  return static_cast<int>(std::count_if(contacts.begin(), contacts.end(), [&](const Contact& c) { return c.bodyA == bodyA && c.bodyB == bodyB; }));
}

// Four crates in a square: each touches its neighbours face to face, and diagonal ones not at all, since the edge between them is carried by a neighbour.
TEST(Detect, CratesInAGridDoNotCatchTheirDiagonalNeighbours) {
  ModelBuilder builder;
  const Shape crate = Shape::box({0.5, 0.5, 0.5});
  std::vector<int> ids;
  for (const double z : {0.5, 1.5}) {
    for (const double x : {-0.5, 0.5}) ids.push_back(builder.addSolid(std::to_string(ids.size()), crate, 100, {{x, 0, z}, Quaternion::Identity()}, 0.5));
  }
  const Model model = builder.build();
  EXPECT_EQ(touching(model, ids[0], ids[1]), 4);
  EXPECT_EQ(touching(model, ids[0], ids[2]), 4);
  EXPECT_EQ(touching(model, ids[2], ids[3]), 4);
  EXPECT_EQ(touching(model, ids[0], ids[3]), 0);
  EXPECT_EQ(touching(model, ids[1], ids[2]), 0);
}

// Eight crates in a cube: the four pairs of opposite corners meet in one point only, carried by the neighbours.
TEST(Detect, CratesInACubeDoNotCatchTheirOppositeCorners) {
  ModelBuilder builder;
  for (int i = 0; i < 8; ++i) {
    const Vector3 centre{(i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 1.5 : 0.5};
    builder.addSolid(std::to_string(i), Shape::box({0.5, 0.5, 0.5}), 100, {centre, Quaternion::Identity()}, 0.5);
  }
  const Model model = builder.build();
  const int first = model.dynamicBodies.front();
  for (int i = 0; i < 8; ++i) {
    for (int j = i + 1; j < 8; ++j)
      EXPECT_EQ(touching(model, first + i, first + j), std::has_single_bit(static_cast<unsigned>(i ^ j)) ? 4 : 0) << i << ' ' << j;
  }
}

// Two beams at ±45° that lean on each other by their edges alone do touch: normal level, two points.
TEST(Detect, BeamsLeaningBy45DegreesTouchAlongTheirEdges) {
  ModelBuilder builder;
  const Shape beam = Shape::box({0.1, 0.3, 1.0});
  const double side = 1.1 * std::sqrt(0.5), quarter = std::atan(1.0);
  const int a = builder.addSolid("a", beam, 100, {{-side, 0, side}, Quaternion{Eigen::AngleAxisd{quarter, Vector3::UnitY()}}}, 0.5);
  const int b = builder.addSolid("b", beam, 100, {{side, 0, side}, Quaternion{Eigen::AngleAxisd{-quarter, Vector3::UnitY()}}}, 0.5);
  const Model model = builder.build();
  EXPECT_EQ(touching(model, a, b), 2);
  CollisionDetector detector{model};
  const WorldState state = makeState(model);
  ContactSet contacts;
  detector.narrowPhase(state, detector.broadPhase(state, 0.01), contacts);
  for (const Contact& c : contacts) {
    EXPECT_NEAR((c.normal - Vector3::UnitX()).norm(), 0, 1e-9);
    EXPECT_NEAR(c.gap, 0, 1e-15);
  }
}

}  // namespace
}  // namespace stiction
