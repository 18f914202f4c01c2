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
  /// Returns whether there are rows to eliminate. What the matrices alone say is kept as long as they are the same. `scale` [m/s]: of the whole problem's certificate.
  bool eliminate(const ContactProblem& problem, double scale);

  const ContactProblem& rest() const { return rest_; }
  void enter(const Iterate& whole, Iterate& rest) const;
  void leave(const Iterate& rest, Iterate& whole);

 private:
  /// Rows that follow one another, between the same two blocks; or one block, and what is fixed.
  struct Link {
    int first, count;
    int blocks[2];  // the second -1 where there is one only
  };
  /// A block of M, of at most six velocities, in its tree, after the one that it hangs on. Matrices are zero, Q the identity, beyond its size.
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
    auto moves() const { return Q.middleCols(rows, free); }
  };
  /// A row with compliance that went into M'.
  struct SoftRow {
    int row, node;
    Vector6 rate;  // g, by y_c
  };
  struct Matrices {
    BlockMass M;
    BlockColumns H, G;
    VectorX C;
  };

  bool isKnown(const ContactProblem& problem) const;
  bool findMatrices();
  bool findLinks();
  void listRows();
  void growTrees();
  void addNode(int block, int parent, const Link* link);
  bool hang(Node& node, const Link& link) const;
  void turnWithJoint(Node& node) const;
  Matrix6 columnsOf(const Link& link, int block) const;
  bool isWorthwhile();
  void cutPieces();
  Matrix6 massOf(const Node& node) const;
  int placeOf(const Node& node, const Node& above) const;
  void buildMass();
  void fillMass(const Node& node, int column);
  void buildContacts();
  void buildRows();
  bool soften(int row);
  bool followsFromOthers(int row) const;
  template <int Width>
  void reduce(const BlockColumns& columns, int group);
  void append(BlockColumns& columns);
  void findTargets(double scale);

  const ContactProblem* problem_{nullptr};
  ContactProblem rest_;
  Matrices known_;          // that the following is of
  bool eliminates_{false};  // whether they leave something to eliminate
  std::vector<Link> links_;
  std::vector<std::vector<int>> linksOf_;  // per block
  std::vector<std::vector<int>> softOf_;   // per block, rows with compliance
  std::vector<int> nodeOf_;                // per block
  std::vector<Node> nodes_;
  std::vector<SoftRow> soft_;
  std::vector<int> left_;                               // rows of G that are left
  MatrixX reduced_;                                     // y × 3, of one group
  std::vector<int> touched_;                            // nodes, or pieces
  std::vector<int> sizes_, ancestorOf_, above_, used_;  // of pieces
  std::vector<char> isGone_;                            // per row of G
  VectorX s_, impulse_, shift_, rates_;
};

}  // namespace stiction
