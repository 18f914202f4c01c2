#include "solvers/SweepSchedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stiction {
namespace {

constexpr int kTwoZones = 1500;        // contacts from which there are two zones; eight times as many for each doubling
constexpr double kLongestChain = 0.8;  // [-] of a sweep, of what comes one after the other on as many threads as there are zones

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Calls take(block) for the blocks that the group touches.
template <class Take>
void eachBlock(const BlockColumns& columns, int group, const Take& take) {
  for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) take(columns.segments[at(s)].block);
}

int lastBlock(const BlockColumns& columns, int group) {
  int last = 0;
  eachBlock(columns, group, [&](int block) { last = std::max(last, block); });
  return last;
}

/// The groups by the last block that they touch, those of one block as they come; `turn`: where each block's begin.
void sortByLastBlock(const BlockColumns& columns, int blocks, std::vector<int>& groups, std::vector<int>& turn) {
  groups.resize(at(columns.groups()));
  turn.assign(at(blocks) + 2, 0);  // one place ahead: filling in moves each start to the next one's
  for (int i = 0; i < columns.groups(); ++i) ++turn[at(lastBlock(columns, i)) + 2];
  std::partial_sum(turn.begin(), turn.end(), turn.begin());
  for (int i = 0; i < columns.groups(); ++i) groups[at(turn[at(lastBlock(columns, i)) + 1]++)] = i;
}

int zonesFor(int contacts) {
  int zones = 1;
  for (long least = kTwoZones; zones < SweepSchedule::kMostZones && contacts >= least; least *= 8) zones *= 2;
  return zones;
}

}  // namespace

void SweepSchedule::bind(const ContactProblem& problem, ThreadPool* team) {
  zones_ = 1;
  parts_.assign(1, {0, problem.rows(), 0, problem.contacts()});
  if (problem.contacts() < kManyContacts) {
    rows_.resize(at(problem.rows()));
    contacts_.resize(at(problem.contacts()));
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(contacts_.begin(), contacts_.end(), 0);
  } else {
    sortByLastBlock(problem.G, problem.M.blocks(), rows_, rowTurn_);
    sortByLastBlock(problem.H, problem.M.blocks(), contacts_, contactTurn_);
    divide(problem, zonesFor(problem.contacts()));
  }
  team_ = team != nullptr && team->threads() > 1 && zones_ > 1 ? team : nullptr;
  if (team_ != nullptr) findNeighbours(problem);
}

int SweepSchedule::nodeOf(const BlockColumns& columns, int group) const {
  int first = kMostZones, last = 0;
  eachBlock(columns, group, [&](int block) { first = std::min(first, zoneOf_[at(block)]), last = std::max(last, zoneOf_[at(block)]); });
  Node a = zones_ + std::min(first, last), b = zones_ + last;
  while (a != b) a /= 2, b /= 2;
  return a;
}

void SweepSchedule::divide(const ContactProblem& problem, int zones) {
  if (zones == 1) return;
  zones_ = zones;
  zoneOf_.resize(at(problem.M.blocks()));
  for (int k = 0; k < problem.M.blocks(); ++k)
    zoneOf_[at(k)] = std::min(static_cast<int>(static_cast<long>(contactTurn_[at(k)]) * zones / problem.contacts()), zones - 1);
  std::size_t next = 0;
  for (int zone = 0; zone < zones_; ++zone) {
    Node node = zones_ + zone;
    nodes_[next++] = node;
    for (; node % 2 == 1 && node > 1; nodes_[next++] = node) node /= 2;  // the second of two
  }
  countByNode(problem.H, firstContact_, lastContact_);
  if (longestChain() > kLongestChain * problem.contacts()) {
    zones_ = 1;
    return;
  }
  countByNode(problem.G, firstRow_, lastRow_);
  sortByNode(problem.H, firstContact_, contacts_);
  sortByNode(problem.G, firstRow_, rows_);
  addParts();
}

void SweepSchedule::countByNode(const BlockColumns& columns, Turns& first, Turns& last) const {
  last.fill(0);
  for (int group = 0; group < columns.groups(); ++group) ++last[at(nodeOf(columns, group))];
  int turn = 0;
  for (int i = 0; i < 2 * zones_ - 1; ++i) {
    const std::size_t node = at(nodes_[at(i)]);
    first[node] = turn;
    turn = last[node] += turn;
  }
}

void SweepSchedule::sortByNode(const BlockColumns& columns, const Turns& first, std::vector<int>& groups) {
  Turns next = first;
  sorted_.resize(groups.size());
  for (const int group : groups) sorted_[at(next[at(nodeOf(columns, group))]++)] = group;
  std::swap(groups, sorted_);
}

int SweepSchedule::longestChain() const {
  std::array<int, 2 * kMostZones> chain{};  // up to each node
  for (Node node = 2 * zones_ - 1; node >= 1; --node) {
    chain[at(node)] += lastContact_[at(node)] - firstContact_[at(node)];
    chain[at(node / 2)] = std::max(chain[at(node / 2)], chain[at(node)]);
  }
  return chain[1];
}

void SweepSchedule::addParts() {
  parts_.clear();
  places_.clear();
  for (int i = 0; i < 2 * zones_ - 1; ++i) {
    const Node node = nodes_[at(i)];
    Part part{firstRow_[at(node)], lastRow_[at(node)], firstContact_[at(node)], lastContact_[at(node)]};
    if (node >= zones_) {
      const int middle = (part.firstContact + part.lastContact) / 2;
      parts_.push_back({part.firstRow, part.lastRow, part.firstContact, middle});
      part.firstRow = part.lastRow, part.firstContact = middle;
      places_.push_back({0, 0, node - zones_});
    }
    parts_.push_back(part);
    Node zone = node;  // what lies between belongs to the first zone after it
    if (zone < zones_) zone = 2 * zone + 1;
    while (zone < zones_) zone *= 2;
    places_.push_back({0, 0, zone - zones_});
  }
}

void SweepSchedule::findNeighbours(const ContactProblem& problem) {
  const auto eachBlockOf = [&](const Part& part, const auto& take) {
    for (int k = part.firstRow; k < part.lastRow; ++k) eachBlock(problem.G, rows_[at(k)], take);
    for (int k = part.firstContact; k < part.lastContact; ++k) eachBlock(problem.H, contacts_[at(k)], take);
  };
  partsOf_.assign(at(problem.M.blocks()), 0);
  for (int p = 0; p < count(); ++p) eachBlockOf(part(p), [&](int block) { partsOf_[at(block)] |= Parts{1} << p; });
  for (int p = 0; p < count(); ++p) {
    Parts all = Parts{1} << p;
    eachBlockOf(part(p), [&](int block) { all |= partsOf_[at(block)]; });
    const Parts earlier = (Parts{1} << p) - 1;
    places_[at(p)].before = all & earlier;
    places_[at(p)].after = all & ~earlier;
  }
}

}  // namespace stiction
