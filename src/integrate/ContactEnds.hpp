// Where contacts end, of bodies that constraints hold as well: these need trials of the step until it ends on them, and contacts are linear in the motion likewise.
//
//   u = Hᵀ v⁺ + w + e
//
// e starts at 0. Contacts that carried load are to end shut, the others not overlapping, those that stick at their anchors: where a step's curve has them end elsewhere, e += that over h, beside what the
// rows miss (IslandRows). What is in place after the step needs no projection, which is dear, and keeps no angular momentum. What is off without a curve is left to the projection: to push feet
// apart by their round-off takes forces that may not be there. Where trials come no nearer e stays as it is; where that was so, or they took long, k + 1 times of late, only every 2^k-th step looks.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "diagnostics/Account.hpp"
#include "integrate/IslandProblem.hpp"

namespace stiction {

class ContactEnds {
 public:
  ContactEnds(const Island& island, IslandProblem& problem) : island_{&island}, problem_{&problem} {}

  /// Before a first trial.
  void beginTrials() { isFirst_ = true; }
  /// The problem's contacts, as they have entered it. Returns whether e of the last trial is of the same ones; not in a first trial.
  bool enter(double h);
  Eigen::Index size() const { return aimed_.size(); }
  /// Adds e [m/s] to what has entered.
  void aim(const Eigen::Ref<const VectorX>& e);
  /// Where the contacts have ended: what they missed, over h; `rates` [m/s] are theirs at the velocities found. Returns whether another trial is to bring them nearer; else nothing is missed.
  bool find(const VectorX& rates, Eigen::Ref<VectorX> misses);
  /// e of the k-th contact.
  Vector3 aimOf(std::size_t k) const { return k < keys_.size() ? Vector3{aimed_.segment<3>(static_cast<Eigen::Index>(3 * k))} : Vector3{Vector3::Zero()}; }
  /// Trials that look after them took long.
  void findDear() { isDear_ = true; }
  /// Whether anything had to be mended after the (sub)step, where contacts were looked after, is remembered with the contacts.
  void remember(bool mended);
  /// The work that e does is the scheme's: neither friction's nor an impact's.
  void account(EnergyLedger& ledger) const;

 private:
  /// A contact at its end.
  struct Part {
    std::size_t contact;
    bool normal, tangents;  // whether these of its misses say something: of open contacts none does, of those that slip or roll the normal
    bool isOff;             // by more than may stay
    Vector3 miss;           // [m] in its frame at the start
  };

  bool mayTry() const;
  const Contact& startOf(std::size_t k) const { return island_->startContacts[static_cast<std::size_t>(problem_->used[k])]; }
  Part partOf(std::size_t k, const Contact& end, const Vector3& way) const;
  void fitMotions();
  void fitMotion(std::span<Part> parts) const;

  const Island* island_;
  IslandProblem* problem_;
  double step_{0};                // [s] of the (sub)step
  std::vector<FeatureKey> keys_;  // of the problem's contacts
  VectorX entered_, aimed_;       // [m/s] w without e; e
  std::vector<Part> parts_;
  bool isFirst_{true};
  bool isTried_{false}, isOver_{false};                   // contacts are looked after in the (sub)step; and e stays now
  bool isDear_{false};                                    // trials took long
  double last_{std::numeric_limits<double>::infinity()};  // [m/s] that they were off by at most in the last trial
};

}  // namespace stiction
