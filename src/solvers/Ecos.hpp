// Friction cones for ECOS (Domahidi, Chu, Boyd 2013), an interior-point method for second-order cone programs with linear objectives. A plug-in under the GPL, built in only with
// -DSTICTION_WITH_ECOS=ON; what is declared here exists in every build, and says so where ECOS is missing.
//
//   min ½ λᵀAλ − bᵀλ ,  ‖λ_t‖ <= μ λ_n        as   min t ,  ‖( (t + bᵀλ − 1)/√2 , F λ )‖ <= (t + bᵀλ + 1)/√2 ,  FᵀF = A ,  ‖λ_t‖ <= μ λ_n
//
// ECOS takes no quadratic objective, so it goes into one more cone (3C + 2) of one more variable t (epigraph). The minimum is the convex relaxation's answer; with b shifted by
// De Saxcé's term until nothing changes (`strict`), strict Coulomb's. Contacts with μ = 0 have no interior and are given as λ_n >= 0, λ_t = 0.
#pragma once
#include <Eigen/SparseCore>
#include <vector>

#include "math/Types.hpp"

struct pwork;  // of ecos.h

namespace stiction {

using idxint = long;    // as in ecos.h
using pfloat = double;  // as in ecos.h

/// Compressed columns.
struct ECOSSparseMatrix {
  std::vector<pfloat> data;
  std::vector<idxint> row_indices;
  std::vector<idxint> col_ptrs;  // ncols + 1
  idxint nrows{0};
  idxint ncols{0};
  idxint nnz{0};

  /// Entries of magnitude up to the threshold are left out.
  static ECOSSparseMatrix fromDense(const MatrixX& mat, double sparsity_threshold = 1e-12);
  static ECOSSparseMatrix fromSparse(const Eigen::SparseMatrix<double>& mat);
};

/// Which rows of λ belong to which friction cone.
struct FrictionConeSpec {
  int numContacts{0};
  std::vector<double> frictionCoefficients;  // [-] per contact
  std::vector<int> normalIndices;            // row of λ_n per contact; λ_t1, λ_t2 follow it
  std::vector<char> assigned;                // contacts whose rows setFriction has given, against rows given twice

  FrictionConeSpec() = default;
  /// Throws std::invalid_argument for a negative number.
  explicit FrictionConeSpec(int numContacts);
  /// Throws std::invalid_argument for an index out of range, rows that another contact was given, or μ negative or not finite.
  void setFriction(int contactIndex, double mu, int normalConstraintIndex);
  /// 3 for each contact.
  std::vector<idxint> getConeSizes() const;
};

/// A problem in ECOS's form, min cᵀx, Gx + s = h, s in (orthant × cones), and its workspace.
struct ECOSData {
  pwork* workspace{nullptr};
  idxint num_variables{0};
  idxint num_cones{0};
  idxint num_linear{0};  // rows of G in the orthant, first
  std::vector<pfloat> G_data;
  std::vector<idxint> G_row_indices;
  std::vector<idxint> G_col_ptrs;
  std::vector<pfloat> h;
  std::vector<pfloat> c;
  std::vector<idxint> cone_sizes;

  /// Room for 3C variables and C cones of 3. Throws std::invalid_argument for a negative number.
  explicit ECOSData(int numContacts);
  ~ECOSData();
  ECOSData(const ECOSData&) = delete;
  ECOSData& operator=(const ECOSData&) = delete;
  ECOSData(ECOSData&& other) noexcept;
  ECOSData& operator=(ECOSData&& other) noexcept;

  /// Allocates the workspace; the arrays must stay as they are until cleanup. Throws InputError for arrays that are no problem and in a build without ECOS, std::runtime_error when
  /// ECOS refuses.
  void setup();
  void cleanup();
};

struct ECOSAnswer {
  VectorX lambda;  // of the last iterate, projected on the cones
  int exit_flag{0};
  int iterations{0};
  double primal_residual{0}, dual_residual{0}, gap{0};
};

bool hasECOS();
/// Throws InputError that names the build option, when ECOS is missing.
void requireECOS();

/// The epigraph form of a friction problem: A (3C × 3C) symmetric positive semidefinite, b (3C). Scaled: the answer's λ come back by solveECOSProblem.
struct ECOSProblem {
  ECOSData data{0};
  std::vector<int> column;  // of each entry of λ, −1 where it is 0
  VectorX scale;            // λ = scale · x
  FrictionConeSpec cones;
  bool solved{false};  // ECOS has changed its copy of the numbers
};
ECOSProblem buildFrictionProblem(const MatrixX& A, const VectorX& b, const FrictionConeSpec& spec);
/// Puts the numbers of `fresh` into `kept`, whose workspace goes on to be used where both have the same cones and the same zeros.
void refillECOSProblem(ECOSProblem& kept, ECOSProblem&& fresh);
/// ECOS meets its rows to the tolerance in units of the scale, so that a normal impulse may come back as far below 0: λ is the nearest point of the friction cones.
ECOSAnswer solveECOSProblem(ECOSProblem& problem, double absTolerance, double relTolerance, int maxIterations);

}  // namespace stiction
