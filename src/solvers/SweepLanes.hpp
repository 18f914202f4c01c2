// Sweeps that take contacts by groups. A contact joins the first group at which every contact before it with a body of its own is done (list scheduling): those of a group share no body,
// and taken together they give the same bits as one after the other. One contact's turn is a chain of some two hundred cycles; a group's chains run side by side:
//
//   read   u = w + B_aᵀy_a + B_bᵀy_b, and r, contact by contact
//   law    r⁺ of all, lane by lane and without a branch
//   act    y_a + B_a Δr, y_b + B_b Δr, and r, contact by contact
//
// Between balls what one body adds mirrors what the other does: B_b = B_a D with D = diag(−p, −p, −p, q, q, q), √p² the ratio of masses, q that of radii over roots of inertias. Then
// u = w + B_aᵀ(y_a + D y_b), and half of the numbers need not be read.
//
// Contacts that have no impulse when they are arranged form groups of their own, of which only u_n is read while they stay open.
// For contacts of one or two bodies of at most eight numbers, whose own block is diag(a, t, t), as between balls, or where nothing has friction; the others take a place of their own.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "solvers/DiagonalContact.hpp"
#include "solvers/Lanes.hpp"
#include "solvers/MassWeighted.hpp"
#include "solvers/SweepSchedule.hpp"

namespace stiction {

/// A contact as sweeps see it.
struct SweepContact {
  static constexpr int kNone = -1;

  Vector3 w{Vector3::Zero()};             // [m/s]
  double mu{0};                           // [-]
  double perNormal{0}, perTangential{0};  // [kg] 1/a and 1/t
  double weight{0};                       // [1/kg] ω, of changes
  int packs[2]{kNone, kNone};             // of y; none: it has no lane, or no second body
  const Pack* columns[2]{};               // B, a pack each
  int mirrored{0};                        // of how many columns, 3, 1 or 0, the second body's are the first one's times
  Two ratio{};                            // [-] these, of the first three numbers and of the next three

  /// Sets these two by the columns. A contact of one body is mirrored.
  void findMirror();
};

/// An impulse [N s] and a zero.
struct alignas(32) LaneImpulse {
  double values[4]{};

  Vector3 vector() const { return {values[0], values[1], values[2]}; }
};

class SweepLanes {
 public:
  static constexpr int kLanes = 16;
  using Numbers = double[kLanes];

  /// A contact's bodies: packs of y that it reads and writes, a missing one zeros and what nobody reads; its turn.
  struct Lane {
    Two ratio;
    const Pack* columns[2];
    int in[2], out, turn;
  };
  /// So many contacts from a place of lanes on, with what the law takes by lanes.
  struct alignas(64) Group {
    Numbers w[3], mu, perNormal, perTangential, weight;
    int first, count;
    bool isOpen;  // none has had an impulse since it was arranged
  };
  /// Between read and act.
  struct alignas(64) Work {
    Numbers u[3], r[3], next[3], changes;  // [m/s], [N s], [N s], [m²/s²] (ω‖Δr‖)²
  };
  static constexpr int kEnd = std::numeric_limits<int>::min();
  /// Packs that y has beyond those of the bodies: zeros, and for each part, which may be swept by a thread of its own, what nobody reads.
  static constexpr int kSparePacks = 1 + SweepSchedule::kMostParts;

  /// Gives these turns, of one part, their places. `zeros`, `unread`: spare packs. `ready`: a zero for each pack of y, and again afterwards.
  void arrange(std::span<const int> turns, const std::vector<SweepContact>& contacts, const WeightedColumns<3>& columns,
               const std::vector<LaneImpulse>& impulses, int zeros, int unread, std::vector<int>& ready);

  /// What is at a place, from 0 on: a group, ~turn of a single contact, or kEnd after the last.
  STICTION_INLINE int place(int k) const { return places_[at(k)]; }
  STICTION_INLINE Group& group(int k) { return groups_[at(k)]; }
  STICTION_INLINE const Group& group(int k) const { return groups_[at(k)]; }
  STICTION_INLINE const Lane& lane(const Group& group, int l) const { return lanes_[at(group.first + l)]; }

  /// `Width`: 3, or 1 where contacts have no friction and no tangential impulses. `IsMirrored`: all contacts are, in so many columns.
  template <int Width, bool IsMirrored>
  STICTION_INLINE void read(const Group& group, const Pack* y, const LaneImpulse* r, Work& work) const;
  /// Whether none of its contacts has an impulse, nor takes one: their turns change nothing.
  template <bool IsMirrored>
  STICTION_INLINE bool staysOpen(const Group& group, const Pack* y, const LaneImpulse* r) const;
  /// By followDiagonal, or pressDiagonal.
  template <int Width>
  STICTION_INLINE static void follow(const Group& group, double relaxation, Work& work);
  template <int Width, bool IsMirrored>
  STICTION_INLINE void act(const Group& group, const Work& work, Pack* y, LaneImpulse* r) const;

 private:
  struct Lanes {
    int turns[kLanes];
    int count{0};
  };
  /// What may be done at once: turns in lanes, with and without impulse, and those of single contacts as a list in singles_.
  struct Gathering {
    Lanes lanes[2];
    int lastSingle{-1};
  };
  struct Single {
    int turn, before;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// x scaled by D.
  STICTION_INLINE static void mirror(const Two& ratio, const Pack& x, Pack& scaled) {
    scaled.low = __builtin_shufflevector(ratio, ratio, 0, 0, 0, 1) * x.low;
    scaled.high = __builtin_shufflevector(ratio, ratio, 1, 1, 1, 1) * x.high;
  }
  STICTION_INLINE static void halve(const Four& sum, Two& half) { half = __builtin_shufflevector(sum, sum, 0, 1) + __builtin_shufflevector(sum, sum, 2, 3); }
  /// B_aᵀy_a + B_bᵀy_b of a contact's first `Width` columns, but for the last sums.
  template <int Width, bool IsMirrored>
  STICTION_INLINE static void read(const Lane& lane, const Pack* y, Two* halves) {
    const Pack &a = y[lane.in[0]], &b = y[lane.in[1]], *A = lane.columns[0], *B = lane.columns[1];
    if constexpr (IsMirrored) {
      Pack both;
      mirror(lane.ratio, b, both);
      both.low += a.low, both.high += a.high;
      for (int c = 0; c < Width; ++c) halve(A[c].low * both.low + A[c].high * both.high, halves[c]);
    } else {
      for (int c = 0; c < Width; ++c) halve((A[c].low * a.low + B[c].low * b.low) + (A[c].high * a.high + B[c].high * b.high), halves[c]);
    }
  }
  static int firstWithRoom(std::vector<int>& room, int gathering);
  void add(const Lanes& lanes, bool isOpen, const std::vector<SweepContact>& contacts, int zeros, int unread);

  std::vector<int> places_;
  std::vector<Group> groups_;
  std::vector<Lane> lanes_;
  std::vector<Gathering> gatherings_;  // of the turns being arranged
  std::vector<Single> singles_;
  std::vector<int> room_[2];  // of each: itself while it has such a lane left, a later one
};

template <int Width, bool IsMirrored>
STICTION_INLINE void SweepLanes::read(const Group& group, const Pack* y, const LaneImpulse* r, Work& work) const {
  const Lane* lane = &lanes_[at(group.first)];
  for (int l = 0; l < group.count; ++l, ++lane) {
    Two halves[Width];
    read<Width, IsMirrored>(*lane, y, halves);
    for (int c = 0; c < Width; ++c) {
      work.u[c][l] = halves[c][0] + halves[c][1];
      work.r[c][l] = r[lane->turn].values[c];
    }
  }
}

template <bool IsMirrored>
STICTION_INLINE bool SweepLanes::staysOpen(const Group& group, const Pack* y, const LaneImpulse* r) const {
  bool stays = true;
  const Lane* lane = &lanes_[at(group.first)];
  for (int l = 0; l < group.count; ++l, ++lane) {
    Two half;
    read<1, IsMirrored>(*lane, y, &half);
    stays = stays & (half[0] + half[1] + group.w[0][l] >= 0) & (r[lane->turn].values[0] == 0);
  }
  return stays;
}

template <int Width>
STICTION_INLINE void SweepLanes::follow(const Group& group, double relaxation, Work& work) {
  constexpr int width = sizeof(Four) / sizeof(double);
  for (int l = 0; l < group.count; l += width) {
    Four old[Width], free[Width], next[Width], change{};
    for (int c = 0; c < Width; ++c) {
      old[c] = four(work.r[c] + l);
      free[c] = four((c == 0 ? group.perNormal : group.perTangential) + l) * (four(work.u[c] + l) + four(group.w[c] + l));
    }
    if constexpr (Width == 1)
      pressDiagonal(old[0], free[0], relaxation, next[0]);
    else
      followDiagonal(old, free[0], free[1], free[2], four(group.mu + l), relaxation, next);
    for (int c = 0; c < Width; ++c) {
      four(work.next[c] + l) = next[c];
      change += (next[c] - old[c]) * (next[c] - old[c]);
    }
    const Four& weight = four(group.weight + l);
    four(work.changes + l) = weight * weight * change;
  }
}

template <int Width, bool IsMirrored>
STICTION_INLINE void SweepLanes::act(const Group& group, const Work& work, Pack* y, LaneImpulse* r) const {
  const Lane* lane = &lanes_[at(group.first)];
  for (int l = 0; l < group.count; ++l, ++lane) {
    const Pack *A = lane->columns[0], *B = lane->columns[1];
    Pack a = y[lane->in[0]], b = y[lane->in[1]], push{};
    for (int c = 0; c < Width; ++c) {
      const double change = work.next[c][l] - work.r[c][l];
      if constexpr (IsMirrored) {
        push.add(A[c], change);
      } else {
        a.add(A[c], change);
        b.add(B[c], change);
      }
      r[lane->turn].values[c] = work.next[c][l];
    }
    if constexpr (IsMirrored) {
      Pack mirrored;
      mirror(lane->ratio, push, mirrored);
      a.low += push.low, a.high += push.high;
      b.low += mirrored.low, b.high += mirrored.high;
    }
    y[lane->in[0]] = a;
    y[lane->out] = b;
  }
}

}  // namespace stiction
