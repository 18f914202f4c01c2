#include "solvers/SweepSchedule.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

constexpr int kPart = 512;            // rows and contacts of a part, or some more
constexpr int kFewest = 4096;         // contacts from which a team is worth its cost, and there is more than one part
constexpr double kLongestWait = 0.5;  // of the parts, between a part and its last neighbour

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The groups by the last block that they touch, those of one block as they come; `turn`: where each block's begin.
void sortByLastBlock(const BlockColumns& columns, int blocks, std::vector<int>& groups, std::vector<int>& turn) {
  const auto lastBlock = [&](int i) {
    int last = 0;
    for (int s = columns.start[at(i)]; s < columns.start[at(i) + 1]; ++s) last = std::max(last, columns.segments[at(s)].block);
    return at(last);
  };
  groups.resize(at(columns.groups()));
  turn.assign(at(blocks) + 2, 0);  // one place ahead: filling in moves each start to the next one's
  for (int i = 0; i < columns.groups(); ++i) ++turn[lastBlock(i) + 2];
  std::partial_sum(turn.begin(), turn.end(), turn.begin());
  for (int i = 0; i < columns.groups(); ++i) groups[at(turn[lastBlock(i) + 1]++)] = i;
}

}  // namespace

void SweepSchedule::bind(const ContactProblem& problem, ThreadPool* team) {
  team_ = team != nullptr && team->threads() > 1 && problem.contacts() >= kFewest ? team : nullptr;
  parts_.clear();
  if (problem.contacts() < kManyContacts) {
    rows_.resize(at(problem.rows()));
    contacts_.resize(at(problem.contacts()));
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(contacts_.begin(), contacts_.end(), 0);
    parts_.push_back({0, problem.rows(), 0, problem.contacts(), 0});
    return;
  }
  sortByLastBlock(problem.G, problem.M.blocks(), rows_, rowTurn_);
  sortByLastBlock(problem.H, problem.M.blocks(), contacts_, contactTurn_);
  divide(problem);
  if (team_ != nullptr) findNeighbours(problem);
}

void SweepSchedule::divide(const ContactProblem& problem) {
  const int part = problem.contacts() < kFewest ? problem.rows() + problem.contacts() : kPart;
  int row = 0, contact = 0;
  for (int k = 1; k <= problem.M.blocks(); ++k) {
    const int nextRow = rowTurn_[at(k)], nextContact = contactTurn_[at(k)];
    if (nextRow - row + nextContact - contact < part && k < problem.M.blocks()) continue;
    parts_.push_back({row, nextRow, contact, nextContact, 0});
    row = nextRow, contact = nextContact;
  }
}

void SweepSchedule::findNeighbours(const ContactProblem& problem) {
  const auto eachBlock = [&](const Part& part, const auto& take) {
    const auto ofGroup = [&](const BlockColumns& columns, int group) {
      for (int s = columns.start[at(group)]; s < columns.start[at(group) + 1]; ++s) take(columns.segments[at(s)].block);
    };
    for (int k = part.firstRow; k < part.lastRow; ++k) ofGroup(problem.G, rows_[at(k)]);
    for (int k = part.firstContact; k < part.lastContact; ++k) ofGroup(problem.H, contacts_[at(k)]);
  };
  lastPart_.assign(at(problem.M.blocks()), 0);
  const int parts = static_cast<int>(parts_.size());
  for (int p = 0; p < parts; ++p) eachBlock(parts_[at(p)], [&](int block) { lastPart_[at(block)] = p; });
  int longest = 0;
  for (int p = 0; p < parts; ++p) {
    Part& part = parts_[at(p)];
    part.after = p;
    eachBlock(part, [&](int block) { part.after = std::max(part.after, lastPart_[at(block)]); });
    longest = std::max(longest, part.after - p);
  }
  if (longest > kLongestWait * parts) team_ = nullptr;
}

}  // namespace stiction
