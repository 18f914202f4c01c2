// Islands against a flood fill over all bodies.
#include "integrate/Partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "constraints/UnitQuaternionConstraint.hpp"

namespace stiction {
namespace {

TEST(Partition, MatchesAFloodFill) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    ModelBuilder builder;
    const int n = 30;
    for (int i = 1; i <= n; ++i) {
      Body body;
      body.kind = i % 7 == 0 ? BodyKind::Kinematic : BodyKind::Dynamic;
      body.mass = 1;
      body.I_C = Matrix3::Identity();
      builder.addBody(body);
    }
    const Model model = builder.build();
    const auto isDynamic = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].kind == BodyKind::Dynamic; };

    // Geoms stand for bodies here; every third pair has no contact, the others one or two.
    std::vector<CandidatePair> pairs;
    ContactSet contacts;
    for (int a = 0; a <= n; ++a)
      for (int b = a + 1; b <= n; ++b) {
        if ((!isDynamic(a) && !isDynamic(b)) || random() % 25 != 0) continue;
        pairs.push_back({a, b, 0.1, 0.5, 0});
        for (unsigned k = 0; k < random() % 3; ++k) {
          Contact contact;
          contact.key = {a, b, k};
          contact.bodyA = a;
          contact.bodyB = b;
          contacts.push_back(contact);
        }
      }

    // Some constraints of one body, some between two, some removed.
    std::vector<HeldConstraint> held;
    for (int k = 0; k < 6; ++k) {
      HeldConstraint constraint;
      if (k % 3 != 2) constraint.constraint = std::make_shared<UnitQuaternionConstraint>();
      const int a = 1 + static_cast<int>(random() % n), b = 1 + static_cast<int>(random() % n);
      constraint.bodyA = k % 2 == 0 && a != b ? a : -1;
      constraint.bodyB = isDynamic(b) ? b : b - 1;
      held.push_back(constraint);
    }

    std::vector<int> colour(static_cast<std::size_t>(n) + 1);
    for (int i = 0; i <= n; ++i) colour[static_cast<std::size_t>(i)] = i;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Contact& c : contacts) {
        if (!isDynamic(c.bodyA) || !isDynamic(c.bodyB)) continue;
        int& a = colour[static_cast<std::size_t>(c.bodyA)];
        int& b = colour[static_cast<std::size_t>(c.bodyB)];
        changed = changed || a != b;
        a = b = std::min(a, b);
      }
      for (const HeldConstraint& c : held) {
        if (!c.constraint || c.bodyA < 0 || !isDynamic(c.bodyA)) continue;
        int& a = colour[static_cast<std::size_t>(c.bodyA)];
        int& b = colour[static_cast<std::size_t>(c.bodyB)];
        changed = changed || a != b;
        a = b = std::min(a, b);
      }
    }

    ContactSet seams, others;  // contacts in seams hold bodies together, and keep their pairs, but are none of the islands' contacts
    for (std::size_t i = 0; i < contacts.size(); ++i) (i % 4 == 1 ? seams : others).push_back(contacts[i]);
    Partition partition;
    const Islands& islands = partition.build(model, pairs, others, seams, held);
    std::vector<int> seen(static_cast<std::size_t>(n) + 1, 0);
    std::size_t contactCount = 0, pairCount = 0, heldCount = 0;
    int last = -1;
    for (int k = 0; k < islands.count(); ++k) {
      const auto bodies = islands.bodiesOf(k);
      ASSERT_FALSE(bodies.empty());
      EXPECT_GT(bodies.front(), last);
      last = bodies.front();
      EXPECT_TRUE(std::is_sorted(bodies.begin(), bodies.end()));
      const auto holds = [&](int body) { return std::find(bodies.begin(), bodies.end(), body) != bodies.end(); };
      for (const int body : bodies) {
        ++seen[static_cast<std::size_t>(body)];
        EXPECT_EQ(colour[static_cast<std::size_t>(body)], bodies.front());
      }
      for (const Contact& c : islands.contactsOf(k)) EXPECT_TRUE(holds(c.bodyA) || holds(c.bodyB));
      for (const CandidatePair& pair : islands.pairsOf(k)) EXPECT_TRUE(holds(pair.geomA) || holds(pair.geomB));
      for (const int id : islands.heldOf(k)) EXPECT_TRUE(holds(held[static_cast<std::size_t>(id)].bodyB));
      heldCount += islands.heldOf(k).size();
      contactCount += islands.contactsOf(k).size();
      pairCount += islands.pairsOf(k).size();
    }
    for (int body = 0; body <= n; ++body) EXPECT_EQ(seen[static_cast<std::size_t>(body)], isDynamic(body) ? 1 : 0);
    EXPECT_EQ(contactCount, others.size());
    EXPECT_EQ(heldCount, 4);
    std::size_t touched = 0;
    for (const CandidatePair& pair : pairs)
      touched +=
          std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) { return c.key.geomA == pair.geomA && c.key.geomB == pair.geomB; }) ? 1 : 0;
    EXPECT_EQ(pairCount, touched);
  }
}

}  // namespace
}  // namespace stiction
