// The Newton matrix of velocity-space methods
//   A = M + Σ_i H_i D_i V_iᵀ + Σ_k ρ_k G_k G_kᵀ
// with the sparsity of the body graph, and its factors. Analysis is kept while the graph holds. The matrix is put together strip by strip of the factor, each just before it is
// factored, by the thread that does; strips whose part of the matrix is what it was in the last factorisation, and those of all strips that bring something to it, stay as they are.
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
  struct Target {        // where a product of two segments of a contact, or of a row, goes
    std::size_t offset;  // into the panels
    int leading;
    int group;        // the contact, or the row
    int row, column;  // the row segment and the column segment
    bool diagonal;    // both in the same block
  };
  /// Targets by strips, those of a strip by ascending contacts.
  class Targets {
   public:
    void clear() { unsorted_.clear(), stripOf_.clear(); }
    void add(int strip, const Target& target) { unsorted_.push_back(target), stripOf_.push_back(strip); }
    void sort(int strips);
    const Target* begin(int strip) const { return sorted_.data() + start_[static_cast<std::size_t>(strip)]; }
    const Target* end(int strip) const { return sorted_.data() + start_[static_cast<std::size_t>(strip) + 1]; }

   private:
    std::vector<Target> unsorted_, sorted_;
    std::vector<int> stripOf_, start_, fill_;
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
  void place(const BlockColumns& columns, int group, Targets& targets) const;
  void findChanges(const std::vector<Matrix3>& D, const VectorX& rho, Contents& last);
  template <bool General>
  bool fill(int strip, const std::vector<Matrix3>& D, const VectorX& rho);
  template <bool General>
  void addMass(int strip);
  template <bool General>
  void addContacts(int strip, const std::vector<Matrix3>& D);
  template <bool General>
  void addRows(int strip, const VectorX& rho);
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
  Targets contactTargets_, rowTargets_, couplingTargets_;
  std::vector<char> placed_;   // contacts whose products have a place in the pattern
  std::vector<char> active_;   // contacts that carry something
  std::vector<char> changed_;  // contacts, rows, or strips that are not what they were
  std::vector<char> changedRows_, changedStrips_;
  Contents inCholesky_, inLu_;
  int analysed_{0};  // contacts the pattern was made for
  int built_{0};
  double work_{0};
};

}  // namespace stiction
