// States of self-stress: impulses of a few contacts that move nothing, H d = 0. Contacts that stick, more of them than their bodies have freedoms, may ask together for velocities that
// no motion gives: three balls in a row, all of them on the floor, and gaps that do not match. Sweeps and methods of multipliers then shift such impulses by their own step times the
// misfit, on and on at the same residual, until a contact reaches the border of its state and gives way. Here the shift goes there at once, in each group of contacts that stand out.
#pragma once
#include <Eigen/Eigenvalues>
#include <vector>

#include "solvers/FrictionCone.hpp"
#include "solvers/VelocitySystem.hpp"

namespace stiction {

class SelfStress {
 public:
  /// Moves the impulses r [N s] (3·contacts), whose contact velocities are u [m/s], against the misfit along states of self-stress: to the first border, or to where the misfit is least.
  /// Groups whose worst natural map is below `floor` [m/s] stay. Returns how many groups moved.
  int release(const VelocitySystem& system, const VectorX& u, double floor, VectorX& r);

 private:
  static constexpr int kMostContacts = 24;  // of a group: balls in rows and boxes on boxes take 5 to 12
  static constexpr int kMostColumns = 3 * kMostContacts;
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostColumns, 1>;
  using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostColumns, kMostColumns>;

  /// A direction in which a contact of the group may shift its impulse and keep its state: all three where it sticks, along the rim where it slips.
  struct Direction {
    int contact;
    Vector3 impulse;  // [√kg] of the contact's own 1/√ω
  };

  void findMisfits(const VelocitySystem& system, const VectorX& r, const VectorX& u);
  void indexContacts(const ContactProblem& problem);
  void collectGroup(const ContactProblem& problem, int seed);
  bool moveGroup(const VelocitySystem& system, const VectorX& u, VectorX& r);
  void findDirections(const VelocitySystem& system, const VectorX& r);
  void buildGram(const VelocitySystem& system);

  std::vector<double> misfit_;        // [m/s] natural map of loaded contacts
  std::vector<ContactState> states_;  // Open where nothing is to be shifted
  double worst_{0};
  std::vector<int> start_, contactsOf_;  // contacts of block b: contactsOf_[start_[b] … start_[b + 1])
  std::vector<int> next_;
  std::vector<int> order_, group_;
  std::vector<char> taken_;
  std::vector<Direction> directions_;
  Columns rate_, shift_;
  Gram gram_;  // [-] Delassus operator of the directions, on diag(M)
  Eigen::SelfAdjointEigenSolver<Gram> modes_;
};

}  // namespace stiction
