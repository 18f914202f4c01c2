// A problem without the equality rows that hold blocks of M together in trees, in velocities that satisfy these by themselves, and the way back. Joints of articulated bodies are such rows: what is
// left are minimal coordinates, of which there are six times fewer.
//
//   rows between a block c and the one it hangs on, p:   G_cᵀ v_c + G_pᵀ v_p + b = 0 ,  G_c = Q₁ R of full rank, Q₂ orthogonal to it
//   v_c = A v_p + Q₂ y_c + d ,  A = −Q₁ R⁻ᵀ G_pᵀ + Q₂ K ,  d = −Q₁ R⁻ᵀ b             so v = S y + s
//   M' = Sᵀ M S ,  f' = Sᵀ (f − M s) ,  H' = Sᵀ H ,  w' = w + Hᵀ s                    by recursion along the trees, as composite bodies (Featherstone 2008, ch. 6)
//   λ = R⁻¹ Q₁ᵀ ( M v − f − H r − … )_c                                                 from the leaves
//
// K is 0, or such that rows with compliance between the two, as many as y_c, have rates by y_c alone: J_c (A v_p) + J_p v_p = 0.
// A row with compliance whose rate is that of one block's y goes into M', g gᵀ/C. What closes loops, or hangs together otherwise, stays a row. The blocks of M' are pieces of branches, with couplings
// to all before them on the way to the root; where that is more than a few times what M has, as in long chains, nothing is eliminated.
#pragma once
#include <vector>

#include "problem/ContactProblem.hpp"

namespace stiction {

class EliminatedRows {
 public:
  /// Returns whether there are rows to eliminate. `scale` [m/s]: of the whole problem's certificate.
  bool eliminate(const ContactProblem& problem, double scale);

  const ContactProblem& rest() const { return rest_; }
  void enter(const Iterate& whole, Iterate& rest) const;
  void leave(const Iterate& rest, Iterate& whole);

 private:
  using Matrix6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Vector6 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

  /// Rows that follow one another, between the same two blocks; or one block, and what is fixed.
  struct Link {
    int first, count;
    int blocks[2];  // the second -1 where there is one only
  };
  /// A block of M in its tree, after the one that it hangs on.
  struct Node {
    int block{0}, row{0}, size{0};
    int parent{-1};         // node
    int first{0}, rows{0};  // eliminated here
    int start{0}, free{0};  // y_c in y
    int piece{-1};          // block of M', of the last node with y on the way here; those of a branch are numbered from the root
    int children{0};
    Matrix6 Q, R, A, across;  // Q = [Q₁ Q₂], `across` = G_p
    Vector6 d, s;
    Matrix6 composite;  // inertia of all that hangs here
    auto still() const { return Q.leftCols(rows); }
    auto moves() const { return Q.rightCols(free); }
  };

  void findLinks();
  void growTrees();
  void addNode(int block, int parent, const Link* link);
  bool hang(Node& node, const Link& link) const;
  void turnWithJoint(Node& node) const;
  Matrix6 columnsOf(const Link& link, int block, int size) const;
  bool isWorthwhile() const;
  void cutPieces();
  Eigen::Map<const MatrixX> massOf(const Node& node) const;
  Eigen::Block<Eigen::Map<MatrixX>> placeOf(const Node& node, const Node& above);
  void buildMass();
  void buildMomentum();
  void buildContacts();
  void buildRows();
  void beginReducing(int width);
  void reduce(const BlockColumns& columns, int group);
  void append(BlockColumns& columns);
  bool isOfOneNode(int& node) const;

  const ContactProblem* problem_{nullptr};
  ContactProblem rest_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> linksOf_;  // per block
  std::vector<std::vector<int>> softOf_;   // per block, rows with compliance
  std::vector<int> nodeOf_;                // per block
  std::vector<Node> nodes_;
  std::vector<char> rowIsLeft_;  // per row of G: 0 eliminated, 1 left, 2 in M'
  std::vector<int> left_;        // rows of G that are left
  VectorX s_;                    // of all nodes
  MatrixX reduced_;              // y × width of one group
  std::vector<int> touched_;     // nodes
  VectorX impulse_;
};

}  // namespace stiction
