// Contacts taken by groups: every turn once, bodies in the order of the turns, and the law of a contact alone.
#include "solvers/SweepLanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "solvers/FrictionCone.hpp"
#include "solvers/GaussSeidel.hpp"
#include "solvers/OneContact.hpp"
#include "unit/solvers/LayersByTurns.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The contacts of a heap; every seventh has no lane.
struct Layers : LayersByTurns {
  std::vector<SweepContact> contacts;
  std::vector<int> turns;
  std::vector<LaneImpulse> impulses{turns.size()};  // of the start
  SweepLanes lanes;

  Layers() : contacts(at(problem.contacts())), turns(at(problem.contacts())) {
    std::iota(turns.begin(), turns.end(), 0);
    for (const int k : turns) {
      if (isSingle(k)) continue;
      SweepContact& own = contacts[at(k)];
      const auto parts = columns.parts(k);
      own.w = Vector3{0.1, 0.2, -0.3};
      own.mu = problem.mu[contact(k)];
      const ContactBlock block{columns.gram(k)};
      own.perNormal = block.perNormal, own.perTangential = block.perTangential;
      own.weight = block.A.trace() / 3;
      for (std::size_t p = 0; p < parts.size(); ++p) own.packs[p] = parts[p].pack, own.columns[p] = columns.columns(parts[p]);
      own.findMirror();
      EXPECT_EQ(own.mirrored, 3);
    }
  }

  /// Gives these turns their places.
  void arrange(std::span<const int> these) {
    std::vector<int> ready(at(root.packs()), 0);
    lanes.arrange(these, contacts, columns, impulses, root.packs(), root.packs() + 1, ready);
    EXPECT_EQ(ready, std::vector<int>(at(root.packs()), 0));
  }

  static bool isSingle(int turn) { return turn % 7 == 3; }

  /// The turns of each place of the part, and whether they are a group.
  std::vector<std::pair<std::vector<int>, bool>> places() const {
    std::vector<std::pair<std::vector<int>, bool>> all;
    for (int k = 0; lanes.place(k) != SweepLanes::kEnd; ++k) {
      const int place = lanes.place(k);
      if (place < 0) {
        all.push_back({{~place}, false});
        continue;
      }
      all.push_back({{}, true});
      for (int l = 0; l < lanes.group(place).count; ++l) all.back().first.push_back(lanes.lane(lanes.group(place), l).turn);
    }
    return all;
  }

  /// Checks that these turns and no others have places, and that two with a body in common have them in their order.
  void expectArranged(const std::vector<int>& wanted) const {
    std::vector<int> placeOf(turns.size(), -1), found;
    const auto all = places();
    for (std::size_t place = 0; place < all.size(); ++place)
      for (const int turn : all[place].first) {
        placeOf[at(turn)] = static_cast<int>(place);
        found.push_back(turn);
        EXPECT_NE(all[place].second, isSingle(turn)) << "turn " << turn;
      }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, wanted);
    std::vector<int> last(at(root.packs()), -1);  // place of the last turn with that body
    for (const int turn : wanted)
      for (const int body : bodies(turn)) {
        EXPECT_LT(last[at(body)], placeOf[at(turn)]) << "turn " << turn << ", body " << body;
        last[at(body)] = placeOf[at(turn)];
      }
  }
};

TEST(SweepLanes, ArrangesEveryTurnInTheOrderOfItsBodies) {
  Layers layers;
  layers.arrange(layers.turns);
  layers.expectArranged(layers.turns);
  std::size_t lanes = 0, groups = 0;
  for (const auto& place : layers.places())
    if (place.second) lanes += place.first.size(), ++groups;
  EXPECT_GT(lanes, 6 * groups);  // else they would bring little
}

TEST(SweepLanes, ArrangesAnewWhatIsChosen) {
  Layers layers;
  layers.arrange(layers.turns);
  for (const int every : {1, 5, 200}) {
    std::vector<int> chosen;
    for (int k = 0; k < layers.problem.contacts(); k += every) chosen.push_back(k);
    layers.arrange(chosen);
    layers.expectArranged(chosen);
  }
  layers.arrange({});
  layers.expectArranged({});
}

TEST(SweepLanes, KeepsContactsWithoutImpulseApart) {
  Layers layers;
  for (const int k : layers.turns) layers.impulses[at(k)].values[k % 3 == 2 ? 1 : 0] = k % 3 == 0 ? 0.0 : 1.0;  // a tangential one alone has to go
  layers.arrange(layers.turns);
  layers.expectArranged(layers.turns);
  for (int k = 0; layers.lanes.place(k) != SweepLanes::kEnd; ++k) {
    if (layers.lanes.place(k) < 0) continue;
    const SweepLanes::Group& group = layers.lanes.group(layers.lanes.place(k));
    for (int l = 0; l < group.count; ++l) EXPECT_EQ(group.isOpen, layers.lanes.lane(group, l).turn % 3 == 0);
  }
}

TEST(SweepLanes, OpenContactsStayOpenUntilOneCloses) {
  Layers layers;
  for (SweepContact& contact : layers.contacts) contact.w[0] = 0.1;  // they part
  layers.arrange(layers.turns);
  Packs y(at(layers.root.packs() + SweepLanes::kSparePacks), Pack{});
  const SweepLanes::Group& group = layers.lanes.group(layers.lanes.place(0));
  ASSERT_GT(group.count, 1);
  ASSERT_TRUE(group.isOpen);
  EXPECT_TRUE(layers.lanes.staysOpen<false>(group, y.data(), layers.impulses.data()));
  const int last = layers.lanes.lane(group, group.count - 1).turn;
  layers.impulses[at(last)].values[0] = 1e-9;
  EXPECT_FALSE(layers.lanes.staysOpen<false>(group, y.data(), layers.impulses.data()));
  layers.impulses[at(last)].values[0] = 0;
  const Vector3 towards = -0.2 * layers.columns.gram(last).inverse().col(0);
  layers.columns.apply(last, towards, y);  // u_n = 0.1 - 0.2
  EXPECT_FALSE(layers.lanes.staysOpen<false>(group, y.data(), layers.impulses.data()));
}

template <bool IsMirrored>
void expectTheLawOfAContactAlone() {
  // Without over-relaxation a contact's turn ends at the exact answer for it, whatever the others do: open, sticking and sliding.
  Layers layers;
  layers.arrange(layers.turns);
  Packs y(at(layers.root.packs() + SweepLanes::kSparePacks), Pack{});
  for (int k = 0; k < layers.root.packs(); ++k) y[at(k)].low = Four{0.3 * std::sin(k), 0.5 * std::cos(3 * k), -0.4 * std::sin(5 * k), 0};
  std::vector<LaneImpulse> impulses(layers.turns.size());
  std::set<ContactState> states;
  SweepLanes::Work work;
  for (int k = 0; layers.lanes.place(k) != SweepLanes::kEnd; ++k) {
    if (layers.lanes.place(k) < 0) continue;
    const SweepLanes::Group& group = layers.lanes.group(layers.lanes.place(k));
    const Packs before = y;
    layers.lanes.read<3, IsMirrored>(group, y.data(), impulses.data(), work);
    SweepLanes::follow<3>(group, 1.0, work);
    layers.lanes.act<3, IsMirrored>(group, work, y.data(), impulses.data());
    for (int l = 0; l < group.count; ++l) {
      const int turn = layers.lanes.lane(group, l).turn;
      const SweepContact& contact = layers.contacts[at(turn)];
      const ContactBlock block{layers.columns.gram(turn)};
      const Vector3 r = impulses[at(turn)].vector(),
                    wanted = solveOneContact(block, layers.columns.read(turn, before) + contact.w, contact.mu, Vector3::Zero());
      EXPECT_LT((r - wanted).norm(), 1e-13) << "turn " << turn;
      EXPECT_NEAR(std::sqrt(work.changes[l]), contact.weight * r.norm(), 1e-13) << "turn " << turn;
      const Vector3 u = layers.columns.read(turn, y) + contact.w;
      EXPECT_LT(contactResidual(r, u, contact.mu, contact.weight), 1e-13) << "turn " << turn;
      states.insert(r.isZero(0) ? ContactState::Open : tangentialNorm(r) < 0.999 * contact.mu * r[0] ? ContactState::Stick : ContactState::Slip);
    }
  }
  EXPECT_EQ(states.size(), 3u);
}

TEST(SweepLanes, FollowsTheLawOfAContactAlone) { expectTheLawOfAContactAlone<false>(); }
TEST(SweepLanes, FollowsItByOneBodysNumbersWhereTheOthersMirrorThem) { expectTheLawOfAContactAlone<true>(); }

/// A contact of two bodies at the origin's distance, as sweeps see it: masses, inertias, and levers to the contact along and across its normal.
struct TouchingBodies {
  Pack columns[2][3] = {};
  SweepContact contact;

  TouchingBodies(double massA, double inertiaA, const Vector3& leverA, double massB, double inertiaB, const Vector3& leverB) {
    const Vector3 normal = Vector3{1, 2, -2} / 3, first = Vector3{2, 1, 2} / 3, directions[3] = {normal, first, normal.cross(first)};
    for (int c = 0; c < 3; ++c) {
      set(columns[0][c], -directions[c], massA, inertiaA, leverA);
      set(columns[1][c], directions[c], massB, inertiaB, leverB);
    }
    for (const int k : {0, 1}) contact.packs[k] = k, contact.columns[k] = columns[k];
    contact.findMirror();
  }

  static void set(Pack& pack, const Vector3& direction, double mass, double inertia, const Vector3& lever) {
    const Vector3 linear = direction / std::sqrt(mass), turning = lever.cross(direction) / std::sqrt(inertia);
    pack.low = Four{linear[0], linear[1], linear[2], turning[0]};
    pack.high = Four{turning[1], turning[2], 0, 0};
  }
};

TEST(SweepLanes, BallsMirrorEachOther) {
  const Vector3 normal = Vector3{1, 2, -2} / 3, aside{0.1, 0, 0};
  const TouchingBodies balls{2, 0.3, 0.5 * normal, 8, 0.7, -0.9 * normal};
  EXPECT_EQ(balls.contact.mirrored, 3);
  EXPECT_NEAR(balls.contact.ratio[0], -std::sqrt(2.0 / 8), 1e-15);
  EXPECT_NEAR(balls.contact.ratio[1], 0.9 / std::sqrt(0.7) / (0.5 / std::sqrt(0.3)), 1e-15);
  const TouchingBodies lopsided{2, 0.3, 0.5 * normal + aside, 8, 0.7, -0.9 * normal};
  EXPECT_EQ(lopsided.contact.mirrored, 0);
  const TouchingBodies unturned{
      2, std::numeric_limits<double>::infinity(), 0.5 * normal, 8, 0.7, -0.9 * normal};  // with friction the second would turn all alone
  EXPECT_EQ(unturned.contact.mirrored, 1);
  TouchingBodies alone{2, 0.3, 0.5 * normal + aside, 8, 0.7, -0.9 * normal};
  alone.contact.packs[1] = SweepContact::kNone;
  alone.contact.findMirror();
  EXPECT_EQ(alone.contact.mirrored, 3);
}

TEST(SweepLanes, PressesLikeContactsWithoutFriction) {
  Layers layers;
  for (SweepContact& contact : layers.contacts) contact.mu = 0;
  layers.arrange(layers.turns);
  const auto swept = [&](auto width) {
    Packs y(at(layers.root.packs() + SweepLanes::kSparePacks), Pack{});
    for (int k = 0; k < layers.root.packs(); ++k) y[at(k)].low = Four{0.3 * std::sin(k), 0.5 * std::cos(3 * k), -0.4 * std::sin(5 * k), 0};
    std::vector<LaneImpulse> impulses(layers.turns.size());
    SweepLanes::Work work;
    for (int sweep = 0; sweep < 3; ++sweep)
      for (int k = 0; layers.lanes.place(k) != SweepLanes::kEnd; ++k) {
        if (layers.lanes.place(k) < 0) continue;
        const SweepLanes::Group& group = layers.lanes.group(layers.lanes.place(k));
        layers.lanes.read<width(), false>(group, y.data(), impulses.data(), work);
        SweepLanes::follow<width()>(group, 1.0, work);
        layers.lanes.act<width(), false>(group, work, y.data(), impulses.data());
      }
    VectorX normal(static_cast<Eigen::Index>(impulses.size()));
    for (Eigen::Index k = 0; k < normal.size(); ++k) {
      normal[k] = impulses[static_cast<std::size_t>(k)].values[0];
      EXPECT_EQ(impulses[static_cast<std::size_t>(k)].values[1], 0);
      EXPECT_EQ(impulses[static_cast<std::size_t>(k)].values[2], 0);
    }
    return normal;
  };
  const VectorX pressed = swept(std::integral_constant<int, 1>{});
  EXPECT_EQ(pressed, swept(std::integral_constant<int, 3>{}));
  EXPECT_GT(pressed.maxCoeff(), 0.1);
}

TEST(SweepLanes, AHeapOfContactsWithoutLanesHasTheSameAnswer) {
  // Compliance keeps contacts out of the lanes: a vanishing one is the same problem, one contact after the other.
  ContactProblem rigid = layers(12, false), compliant = rigid;
  compliant.R = VectorX::Constant(3 * rigid.contacts(), 1e-300);
  SolveOptions options;
  options.maxIterations = 60;
  options.patience = options.maxIterations;
  options.relaxation = 1.4;
  Iterate byLanes, oneByOne;
  makeNsgs()->solve(rigid, byLanes, options);
  makeNsgs()->solve(compliant, oneByOne, options);
  EXPECT_LT((byLanes.r - oneByOne.r).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_GT(byLanes.r.lpNorm<Eigen::Infinity>(), 1);
}

}  // namespace
}  // namespace stiction
