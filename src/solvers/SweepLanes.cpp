#include "solvers/SweepLanes.hpp"

#include <algorithm>

namespace stiction {
namespace {

const Pack kZeros[3] = {};

}  // namespace

void SweepContact::findMirror() {
  constexpr double roundOff = 1e-13;  // [-] of the largest number of a body's: levers are differences of positions
  mirrored = 3;
  ratio = Two{};
  if (packs[1] == kNone) return;
  using Numbers = Eigen::Map<const Eigen::Matrix<double, 8, 3>>;
  const Numbers A{reinterpret_cast<const double*>(columns[0])}, B{reinterpret_cast<const double*>(columns[1])};
  const auto ratioOf = [&](int first) {
    const double squares = A.block<3, 3>(first, 0).squaredNorm();
    return squares > 0 ? A.block<3, 3>(first, 0).cwiseProduct(B.block<3, 3>(first, 0)).sum() / squares : 0.0;
  };
  ratio = Two{ratioOf(0), ratioOf(3)};
  const double least = roundOff * B.cwiseAbs().maxCoeff();
  const auto mirrors = [&](int c) {
    return (B.col(c).head<3>() - ratio[0] * A.col(c).head<3>()).cwiseAbs().maxCoeff() <= least &&
           (B.col(c).segment<3>(3) - ratio[1] * A.col(c).segment<3>(3)).cwiseAbs().maxCoeff() <= least && A.col(c).tail<2>().isZero(0) &&
           B.col(c).tail<2>().isZero(0);
  };
  mirrored = !mirrors(0) ? 0 : mirrors(1) && mirrors(2) ? 3 : 1;
}

int SweepLanes::firstWithRoom(std::vector<int>& room, int gathering) {
  while (room[at(gathering)] != gathering) gathering = room[at(gathering)] = room[at(room[at(gathering)])];
  return gathering;
}

// `ready`: the first gathering after the last that touches the pack.
void SweepLanes::arrange(std::span<const int> turns, const std::vector<SweepContact>& contacts, const WeightedColumns<3>& columns,
                         const std::vector<LaneImpulse>& impulses, int zeros, int unread, std::vector<int>& ready) {
  places_.clear();
  groups_.clear();
  lanes_.clear();
  gatherings_.clear();
  singles_.clear();
  for (std::vector<int>& room : room_) room.assign(1, 0);  // the one to come has
  for (const int turn : turns) {
    int first = 0;
    columns.eachBlock(turn, [&](int pack) { first = std::max(first, ready[at(pack)]); });
    const bool isSingle = contacts[at(turn)].packs[0] == SweepContact::kNone, isOpen = impulses[at(turn)].vector().isZero(0);
    std::vector<int>& room = room_[isOpen ? 1 : 0];
    if (!isSingle) first = firstWithRoom(room, first);
    if (at(first) == gatherings_.size()) {
      gatherings_.emplace_back();
      for (std::vector<int>& each : room_) each.push_back(static_cast<int>(gatherings_.size()));
    }
    Gathering& gathering = gatherings_[at(first)];
    if (isSingle) {
      singles_.push_back({turn, gathering.lastSingle});
      gathering.lastSingle = static_cast<int>(singles_.size()) - 1;
    } else {
      Lanes& lanes = gathering.lanes[isOpen ? 1 : 0];
      lanes.turns[lanes.count++] = turn;
      if (lanes.count == kLanes) room[at(first)] = first + 1;
    }
    columns.eachBlock(turn, [&](int pack) { ready[at(pack)] = first + 1; });
  }
  for (const int turn : turns) columns.eachBlock(turn, [&](int pack) { ready[at(pack)] = 0; });
  for (const Gathering& gathering : gatherings_) {
    for (const int k : {0, 1}) {
      if (gathering.lanes[k].count == 0) continue;
      places_.push_back(static_cast<int>(groups_.size()));
      add(gathering.lanes[k], k == 1, contacts, zeros, unread);
    }
    for (int k = gathering.lastSingle; k >= 0; k = singles_[at(k)].before) places_.push_back(~singles_[at(k)].turn);
  }
  places_.push_back(kEnd);
}

void SweepLanes::add(const Lanes& gathering, bool isOpen, const std::vector<SweepContact>& contacts, int zeros, int unread) {
  Group& group = groups_.emplace_back();
  group.first = static_cast<int>(lanes_.size());
  group.count = gathering.count;
  group.isOpen = isOpen;
  for (int l = 0; l < gathering.count; ++l) {
    const int turn = gathering.turns[l];
    const SweepContact& contact = contacts[at(turn)];
    for (int c = 0; c < 3; ++c) group.w[c][l] = contact.w[c];
    group.mu[l] = contact.mu;
    group.perNormal[l] = contact.perNormal, group.perTangential[l] = contact.perTangential;
    group.weight[l] = contact.weight;
    const bool isPair = contact.packs[1] != SweepContact::kNone;
    lanes_.push_back({contact.ratio,
                      {contact.columns[0], isPair ? contact.columns[1] : kZeros},
                      {contact.packs[0], isPair ? contact.packs[1] : zeros},
                      isPair ? contact.packs[1] : unread,
                      turn});
  }
}

}  // namespace stiction
