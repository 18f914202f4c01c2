// Faces of a convex polytope with many of them, by the directions that they face: queries look at few.
//
//   height of x over face f   n_f·(x - p_f) <= n_f·(x - q) <= n·(x - q) + s |x - q|      for all faces of a node and any point q of the polytope,
//
// p_f a corner of the face, n the mean of the node's normals, s the farthest of them from it. With q a corner in the middle of the node's faces the bound of a point near the
// surface falls below its height as soon as directions differ by 2 s. Faces that are not quite plane are that much higher or lower than said.
#pragma once
#include <span>
#include <vector>

#include "math/Types.hpp"

namespace stiction {

class FaceTree {
 public:
  FaceTree() = default;
  /// Of each face the unit normal outward and a corner [m].
  FaceTree(std::span<const Vector3> normals, std::span<const Vector3> corners);

  bool empty() const { return nodes_.empty(); }
  /// The faces that x is `least` [m] or more above (less: below), ascending.
  void collect(const Vector3& x, double least, std::vector<int>& faces) const;
  /// The face with the largest n·direction, the first of several.
  int facing(const Vector3& direction) const;

 private:
  struct Face {
    Vector3 normal, corner;
    int id;
  };
  struct Node {
    Vector3 normal, point;  // n, q
    double spread;          // [-] s
    int first, last;        // range of faces
    int next{0};            // the second child, the first comes at once; 0: a leaf
    int after{0};           // the first node that is none of its own
  };

  void build(int first, int last);

  std::vector<Face> faces_;
  std::vector<Node> nodes_;
};

}  // namespace stiction
