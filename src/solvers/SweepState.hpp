// What Gauss-Seidel's sweeps read and change: r, λ and, for a global problem, the mass-weighted velocity that follows every change of them.
#pragma once
#include <span>
#include <vector>

#include "problem/Law.hpp"
#include "solvers/MassWeighted.hpp"
#include "solvers/OneContact.hpp"
#include "solvers/Solver.hpp"
#include "solvers/SweepFocus.hpp"
#include "solvers/SweepLanes.hpp"
#include "solvers/SweepSchedule.hpp"

namespace stiction {

/// The state of a global problem under sweeps: the mass-weighted velocity follows every change of r and λ.
class GlobalSweepState {
 public:
  /// `law`: of the sweeps to come.
  bool bind(const ContactProblem& problem, Law law, ThreadPool* team);

  const ContactProblem& problem() const { return *problem_; }
  int contacts() const { return problem_->contacts(); }
  /// The contact, and the row, whose turn is the k-th. Below, k counts turns.
  int contact(int k) const { return schedule_.contacts()[at(k)]; }
  int row(int k) const { return schedule_.rows()[at(k)]; }
  double mu(int k) const { return problem_->mu[contact(k)]; }
  double omega(int k) const { return omega_[k]; }
  const ContactBlock& diagonal(int k) const { return diagonal_[at(k)]; }
  SweepSchedule& schedule() { return schedule_; }
  STICTION_INLINE int chosen(int place) const { return focus_.chosen(place); }
  STICTION_INLINE void note(int k, double change) { focus_.note(contacts_, k, change); }
  /// Chooses where the next sweeps go; false where nothing was noted.
  bool chooseFocus(double largest);

  /// Whether contacts are taken by lanes: then of all turns, or of the focus.
  bool usesLanes() const { return usesLanes_; }
  SweepLanes& lanes(bool isFocus, int p) { return isFocus ? focusLanes_[at(p)] : lanes_[at(p)]; }
  bool pressesOnly() const { return pressesOnly_; }
  /// In how many columns all contacts in lanes are mirrored.
  int mirrored() const { return mirrored_; }
  Pack* y() { return y_.data(); }
  LaneImpulse* impulses() { return impulses_.data(); }

  double scale() const;

  /// r and λ from the iterate, to it, and whether all are numbers.
  void take(const Iterate& iterate);
  void give(Iterate& iterate) const;
  bool isFinite() const;
  STICTION_INLINE Vector3 impulse(int k) const { return impulses_[at(k)].vector(); }

  /// y without r and λ: adding what every part applies makes it free of what the sweeps' updates have lost to round-off.
  void release() { y_ = free_; }
  STICTION_INLINE void apply(const SweepSchedule::Part& part) {
    for (int k = part.firstContact; k < part.lastContact; ++k)
      if (const Vector3 r = impulse(k); !r.isZero(0)) contacts_.apply(k, r, y_);
    for (int k = part.firstRow; k < part.lastRow; ++k) rows_.apply(k, lambda_.segment<1>(row(k)), y_);
  }
  /// The iterate of r and λ, with its v.
  void conclude(Iterate& iterate);

  STICTION_INLINE Vector3 velocity(int k) const {
    const int i = contact(k);
    Vector3 u = contacts_.read(k, y_) + problem_->w.segment<3>(3 * i);
    if (problem_->R.size() != 0) u += problem_->R.segment<3>(3 * i).cwiseProduct(impulse(k));
    return u;
  }

  /// Whether the contact has a normal impulse alone, and keeps it so.
  STICTION_INLINE bool pressesOnly(int k, const Vector3& r) const { return mu(k) == 0 && diagonal_[at(k)].A(0, 0) > 0 && r[1] == 0 && r[2] == 0; }
  STICTION_INLINE double normalVelocity(int k) const {
    const int i = contact(k);
    const double u = contacts_.readFirst(k, y_) + problem_->w[3 * i];
    return problem_->R.size() != 0 ? u + problem_->R[3 * i] * impulses_[at(k)].values[0] : u;
  }
  STICTION_INLINE void press(int k, double difference) {
    impulses_[at(k)].values[0] += difference;
    contacts_.applyFirst(k, difference, y_);
  }

  /// Whether a contact without impulse keeps none. Bounds of users may hold one that opens.
  STICTION_INLINE bool opens(int k) const { return problem_->axisBounds == nullptr && contacts_.readFirst(k, y_) + problem_->w[3 * contact(k)] >= 0; }

  STICTION_INLINE void change(int k, const Vector3& difference) {
    for (int c = 0; c < 3; ++c) impulses_[at(k)].values[c] += difference[c];
    contacts_.apply(k, difference, y_);
  }

  /// One Gauss–Seidel step over equality rows. Returns the largest row velocity met.
  double sweepRows(int first, int last) {
    double worst = 0;
    for (int k = first; k < last; ++k) {
      const double velocity = rowVelocity(k);
      worst = std::max(worst, std::abs(velocity));
      if (!(rowDiagonal_[k] > 0)) continue;
      const double difference = -velocity / rowDiagonal_[k];
      lambda_[row(k)] += difference;
      rows_.apply(k, WeightedColumns<1>::Values{difference}, y_);
    }
    return worst;
  }

  double rowResidual() const {
    double worst = 0;
    for (int k = 0; k < problem_->rows(); ++k) worst = std::max(worst, std::abs(rowVelocity(k)));
    return worst;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  double rowVelocity(int k) const {
    const int i = row(k);
    const double compliance = problem_->C.size() == 0 ? 0.0 : problem_->C[i];
    return problem_->b[i] + compliance * lambda_[i] + rows_.read(k, y_)[0];
  }

  void bindDelassus();
  /// Returns whether any contact has a lane.
  bool bindLanes();
  /// Of that turn; of no packs where it has no lane.
  SweepContact sweepContact(int k) const;
  void load(const Iterate& iterate);
  /// Gives these turns of the p-th part their places.
  void arrange(SweepLanes& lanes, int p, std::span<const int> turns) {
    lanes.arrange(turns, inLanes_, contacts_, impulses_, root_.packs(), root_.packs() + 1 + p, ready_);
  }

  const ContactProblem* problem_{nullptr};
  ThreadPool* team_{nullptr};
  MassRoot root_;
  WeightedColumns<3> contacts_;
  WeightedColumns<1> rows_;
  Packs free_, y_;                      // [√J] L⁻¹f; Lᵀv
  VectorX omega_;                       // [1/kg] trace(W_ii)/3
  std::vector<ContactBlock> diagonal_;  // [1/kg] W_ii + R_i
  VectorX rowDiagonal_;                 // [1/kg] G_kᵀM⁻¹G_k + C_k
  std::vector<LaneImpulse> impulses_;   // [N s] r by turns
  VectorX lambda_;                      // [N s]
  SweepSchedule schedule_;
  SweepFocus focus_;
  std::vector<SweepContact> inLanes_;           // by turns
  std::vector<int> turns_;                      // 0, 1, …
  std::vector<SweepLanes> lanes_, focusLanes_;  // of each part
  std::vector<int> ready_;                      // while contacts are given their lanes
  int mirrored_{0};
  bool hasLanes_{false}, allDiagonal_{false}, usesLanes_{false};
  bool canPress_{false}, pressesOnly_{false};  // no contact has friction; nor, now, a tangential impulse
};

/// The same for a local problem: u_i comes from the rows of W.
class LocalSweepState {
 public:
  bool bind(const LocalContactProblem& problem, Law law, ThreadPool* team);

  const LocalContactProblem& problem() const { return *problem_; }
  int contacts() const { return problem_->contacts(); }
  static int contact(int k) { return k; }
  double mu(int i) const { return problem_->mu[i]; }
  double omega(int i) const { return omega_[i]; }
  const ContactBlock& diagonal(int i) const { return diagonal_[at(i)]; }

  double scale() const;

  void take(const Iterate& iterate) { r_ = iterate.r; }
  void give(Iterate& iterate) const { iterate.r = r_; }
  bool isFinite() const { return r_.allFinite(); }
  Vector3 impulse(int i) const { return r_.segment<3>(3 * i); }

  Vector3 velocity(int i) const {
    Vector3 u = problem_->q.segment<3>(3 * i);
    for (int k = problem_->start[at(i)]; k < problem_->start[at(i) + 1]; ++k)
      u.noalias() += problem_->blocks[at(k)] * r_.segment<3>(3 * problem_->column[at(k)]);
    return u;
  }

  // W's rows are read as a whole.
  bool opens(int) const { return false; }
  bool pressesOnly(int, const Vector3&) const { return false; }
  double normalVelocity(int i) const { return velocity(i)[0]; }
  void press(int i, double difference) { r_[3 * i] += difference; }
  void change(int i, const Vector3& difference) { r_.segment<3>(3 * i) += difference; }
  void conclude(Iterate&) const {}
  double rowResidual() const { return 0; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const LocalContactProblem* problem_{nullptr};
  VectorX omega_, r_;
  std::vector<ContactBlock> diagonal_;
};

}  // namespace stiction
