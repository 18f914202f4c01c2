// One step's friction problem in global form (FCLIB's fclib_global) plus compliance; plain data that knows no body.
//
//   M v = f + H r + G λ            momentum            v (dof) [m/s], r (3·contacts) [N s], λ (rows) [N s], f = M v_free
//   Gᵀ v + b + C λ = 0             equality rows       C >= 0 diagonal
//   u = Hᵀ v + w + R r             contact velocity    (n, t1, t2) per contact, normal first; R >= 0 diagonal
//   K_μ ∋ r ⊥ u + μ‖u_T‖ e_n ∈ K_μ*                    Signorini and Coulomb, strict
#pragma once
#include <vector>

#include "math/Types.hpp"
#include "problem/AxisBounds.hpp"

namespace stiction {

class ThreadPool;

/// Symmetric positive definite mass matrix over a partition of the velocity into blocks. Dense diagonal blocks, and optional coupling blocks below the diagonal.
struct BlockMass {
  struct Coupling {
    int row, column;  // blocks, row > column
    int offset;       // into `values`: size(row) × size(column), column major
    bool operator==(const Coupling&) const = default;
  };
  std::vector<int> start{0};        // block k holds velocities [start[k], start[k+1])
  std::vector<int> offset;          // of the diagonal block in `values`, size × size, column major
  std::vector<Coupling> couplings;  // usually empty
  std::vector<double> values;

  int blocks() const { return static_cast<int>(start.size()) - 1; }
  int size() const { return start.back(); }
  int size(int k) const { return start[static_cast<std::size_t>(k) + 1] - start[static_cast<std::size_t>(k)]; }
  void clear();
  /// Adds a diagonal block (n × n, column major) and returns its index.
  int addBlock(const double* values, int n);
  void addCoupling(int row, int column, const double* values);
  bool operator==(const BlockMass&) const = default;
};

/// A matrix with columns in groups of `width` (3 for H, 1 for G); a group's nonzero rows come as segments, each inside one block of the mass matrix.
struct BlockColumns {
  struct Segment {
    int block;   // block of the mass matrix
    int row;     // first velocity row
    int size;    // rows
    int offset;  // into `values`: size × width, column major
    bool operator==(const Segment&) const = default;
  };
  int width{3};               // or 1
  std::vector<int> start{0};  // group i has segments [start[i], start[i+1])
  std::vector<Segment> segments;
  std::vector<double> values;

  explicit BlockColumns(int w = 3) : width{w} {}
  int groups() const { return static_cast<int>(start.size()) - 1; }
  int columns() const { return groups() * width; }
  void clear();
  void addSegment(int block, int row, int size, const double* columnMajor);
  void endGroup() { start.push_back(static_cast<int>(segments.size())); }
  bool operator==(const BlockColumns&) const = default;
};

/// y += A x (A of the given columns), and x-products with the transpose.
void multiplyAdd(const BlockColumns& A, const VectorX& x, VectorX& y);
/// z = Aᵀ v. `team`: threads that share the work, idle; null: none.
void multiplyTransposed(const BlockColumns& A, const VectorX& v, VectorX& z, ThreadPool* team = nullptr);

struct ContactProblem {
  BlockMass M;
  BlockColumns H{3};
  BlockColumns G{1};
  VectorX f;             // [N s] (dof)
  VectorX w;             // [m/s] (3·contacts)
  VectorX wScale;        // [m/s] (3·contacts) the part of w that sets the scale: restitution and moving surfaces, without gap/h; a bare file's is w
  VectorX b;             // [m/s] (rows)
  VectorX mu;            // [-] (contacts)
  VectorX R;             // [1/kg] (3·contacts) or empty for zero
  VectorX C;             // [1/kg] (rows) or empty for zero
  double scaleFloor{0};  // [m/s] h‖g‖; 0 for a bare file
  const AxisBounds* axisBounds{nullptr};  // of the law of boxes, not owned; null: ±μ r_n/√2

  int contacts() const { return H.groups(); }
  int rows() const { return G.groups(); }
  int dof() const { return M.size(); }
};

/// The local form (FCLIB's fclib_local): u = W r + q. W as given: compressed rows of 3 × 3 blocks, perhaps singular, perhaps unsymmetric.
struct LocalContactProblem {
  std::vector<int> start{0};    // block row i has blocks [start[i], start[i+1])
  std::vector<int> column;      // block column, ascending in a row
  std::vector<Matrix3> blocks;  // [1/kg]
  VectorX q;                    // [m/s] (3·contacts)
  VectorX mu;                   // [-] (contacts)

  int contacts() const { return static_cast<int>(mu.size()); }
};

/// A candidate answer. For a local problem only r is used.
struct Iterate {
  VectorX v;       // [m/s]
  VectorX r;       // [N s] (n, t1, t2) per contact
  VectorX lambda;  // [N s]
};

/// Throws InputError naming the array when sizes disagree, a number is not finite or beyond 1e100, μ < 0, or a diagonal block of M is not positive definite.
void validate(const ContactProblem& problem);
void validate(const LocalContactProblem& problem);

}  // namespace stiction
