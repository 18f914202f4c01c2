// The Newton matrix of velocity-space methods
//   A = M + Σ_i H_i D_i V_iᵀ + Σ_k ρ_k G_k G_kᵀ
// with the sparsity of the body graph, and its factors. Analysis is kept while the graph holds. Strips of the factor whose part of the matrix is what it was in the last factorisation
// stay as they are, if those of all strips that bring something to them do.
// Cost: a product of 6 × 3 segments for each pair of a contact's bodies, and a factorisation of what has changed.
#pragma once
#include <array>
#include <vector>

#include "linalg/BlockFactor.hpp"
#include "problem/ContactProblem.hpp"

namespace stiction {

class NewtonMatrix {
 public:
  /// Analyses the pattern of the problem with all its contacts at work. Takes the problem, and V (same segments as H), by reference until the next bind.
  void bind(const ContactProblem& problem, const BlockColumns& V);
  /// Takes a problem that has the same M, H, G and V: analysis and factors hold.
  void retake(const ContactProblem& problem, const BlockColumns& V) { problem_ = &problem, velocity_ = &V; }

  /// Factors A with D symmetric (Cholesky). False when it is not positive definite. `team`: idle threads that share a dear factorisation; null: none. Results do not depend on it.
  bool factorSymmetric(const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team);
  /// Factors A with any D (block LU).
  bool factorGeneral(const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team);
  /// Sign of det A of the last factorGeneral.
  int determinantSign() const { return lu_.determinantSign(); }
  /// x := A⁻¹ x by the last factor.
  void solve(VectorX& x);

  /// Multiplications of a Cholesky factorisation of A with all contacts at work, about; a block LU takes twice as many.
  double work() const { return work_; }
  /// About how many solves cost what the last factorisation has cost.
  double solvesPerFactor() const;
  /// Strips of the last factorisation, and how many of them it built anew.
  int strips() const { return structure_.strips(); }
  int built() const { return built_; }

 private:
  struct Target {        // where a product of two segments goes
    std::size_t offset;  // into the panels
    int leading, strip;
    int row, column;  // the row segment and the column segment
    bool diagonal;    // both in the same block
  };
  /// What a factor was made of.
  struct Contents {
    bool known{false};
    std::vector<Matrix3> D;
    VectorX rho;
  };

  void bindStructure(const std::vector<Matrix3>* D);
  void adaptStructure(const std::vector<Matrix3>& D);
  bool fits(const BlockColumns& columns, int group) const;
  void place(const BlockColumns& columns, int group, std::vector<Target>& targets) const;
  void findKept(const std::vector<Matrix3>& D, const VectorX& rho, Contents& last);
  void clear(std::vector<double>& panels) const;
  template <bool Upper>
  void addMass(double* panels) const;
  template <bool Upper>
  void addContacts(const std::vector<Matrix3>& D, double* panels) const;
  template <bool Upper>
  void addRows(const VectorX& rho, double* panels) const;
  template <bool Upper>
  void fill(const std::vector<Matrix3>& D, const VectorX& rho, std::vector<double>& panels) const;
  template <bool General, class Factor>
  bool factor(Factor& factor, Contents& last, const std::vector<Matrix3>& D, const VectorX& rho, ThreadPool* team);

  const ContactProblem* problem_{nullptr};
  const BlockColumns* velocity_{nullptr};
  BlockStructure structure_;
  BlockCholesky cholesky_;
  BlockLU lu_;
  bool general_{false}, boundCholesky_{false}, boundLu_{false};
  std::vector<int> sizes_;
  std::vector<std::array<int, 2>> couplings_;
  std::vector<Target> contactTargets_, rowTargets_, massTargets_;  // of the mass: a block's first, then the couplings'
  std::vector<int> contactTargetStart_, rowTargetStart_;
  std::vector<char> placed_;  // contacts whose products have a place in the pattern
  std::vector<char> kept_;    // strips that stay
  Contents inCholesky_, inLu_;
  int analysed_{0};  // contacts the pattern was made for
  int built_{0};
  double work_{0};
};

}  // namespace stiction
